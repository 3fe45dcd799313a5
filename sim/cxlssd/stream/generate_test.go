package stream

import (
	"encoding/binary"
	"hash/fnv"
	"reflect"
	"testing"
)

// hash is over all requests of a stream.
func hash(s *Stream) uint64 {
	h := fnv.New64a()
	var b [8]byte
	for _, t := range s.Threads {
		binary.LittleEndian.PutUint64(b[:], uint64(len(t)))
		_, _ = h.Write(b[:])
		for _, r := range t {
			binary.LittleEndian.PutUint64(b[:], uint64(r))
			_, _ = h.Write(b[:])
		}
	}
	return h.Sum64()
}

// The same requests on every machine: one hash for native code and WebAssembly.
func TestGolden(t *testing.T) {
	want := map[string]uint64{
		"bc": 0x8b92e3c9c06c0ea8, "bfs-dense": 0x8ea7bef1e1813d1, "dlrm": 0x454d108dd8effd5f, "radix": 0x12921433f4999b9d,
		"srad": 0x773e35cc0f9506e2, "tpcc": 0xc9396bef25548774, "ycsb-a": 0x86ec98cfe9b06289, "ycsb-b": 0xf28d0fa310feb20b,
	}
	for _, w := range Recipes() {
		s, err := w.At(16).Streams(24)
		if err != nil {
			t.Fatal(w.Name, err)
		}
		if got := hash(s); got != want[w.Name] {
			t.Errorf("%q: %#x,", w.Name, got)
		}
	}
}

// A stream has the visits, pages and writes that its recipe says.
func TestCounts(t *testing.T) {
	for _, full := range Recipes() {
		scale := int64(8)
		if testing.Short() {
			scale = 64
		}
		w := full.At(scale)
		r := &w.Recipe
		for _, threads := range []int{1, 8, 24} {
			s, err := w.Streams(threads)
			if err != nil {
				t.Fatal(w.Name, err)
			}
			if again, err := w.Streams(threads); err != nil || again != s {
				t.Fatalf("%s was made again", w.Name)
			}
			got, want := make([]int64, len(r.Classes)), make([]int64, len(r.Classes))
			writes := make([]int64, len(r.Classes))
			class := make([]int, s.Pages)
			for i := range r.Classes {
				c := &r.Classes[i]
				want[i] = c.Total() * c.length() / 1e6
				for p := range c.Pages {
					class[r.First(i)+p] = i
				}
			}
			count := int64(0)
			for _, requests := range s.Threads {
				for _, q := range requests {
					got[class[q.Page()]]++
					if q.Write() {
						writes[class[q.Page()]]++
					}
				}
				count += int64(len(requests))
			}
			if count != s.Count || int64(s.Pages) != r.Pages() {
				t.Errorf("%s: %d requests of %d pages; want %d of %d", w.Name, count, s.Pages, s.Count, r.Pages())
			}
			for i := range r.Classes {
				c := &r.Classes[i]
				// Four deviations; a thread rounds its visits down.
				slack := 4*root(c.Total()*c.variance()) + int64(64*threads)
				if d := got[i] - want[i]; d > slack || d < -slack {
					t.Errorf("%s, %s: %d requests with %d threads; want %d ± %d", w.Name, c.Name, got[i], threads, want[i], slack)
				}
				expected := got[i] * c.Writes / 1000
				slack = 0
				if c.Writes%1000 != 0 {
					slack = 2*root(got[i]) + 1
				}
				if d := writes[i] - expected; d > slack || d < -slack {
					t.Errorf("%s, %s: %d writes; want %d ± %d", w.Name, c.Name, writes[i], expected, slack)
				}
			}
		}
	}
}

// Heavy threads share their part equally, and light ones the rest.
func TestShares(t *testing.T) {
	for _, threads := range []int{8, 24, 48} {
		r := Recipe{Instructions: 1e6, CPI: 1000, Visits: 3, Heavy: 3, HeavyShare: 860, Classes: []Class{
			{Name: "walked", Pages: 8000, Lines: []Bucket{{1e6, 64, 64}}},
			{Name: "drawn", Pages: 100, Visits: 48_000, Random: true, Lines: []Bucket{{1e6, 2, 2}}},
		}}
		s := generate(&r, 3, threads)
		for i, requests := range s.Threads {
			share, of := int64(860), int64(3*threads/8)
			if i%8 >= 3 {
				share, of = 140, int64(5*threads/8)
			}
			want := s.Count * share / 1000 / of
			if d := int64(len(requests)) - want; d < -66 || d > 66 { // a page, a visit
				t.Errorf("thread %d of %d has %d requests; want %d", i, threads, len(requests), want)
			}
		}
	}
	// Instructions are equal for all: the gaps of all threads add up to the same.
	w, err := Find("radix")
	if err != nil {
		t.Fatal(err)
	}
	w = w.At(16)
	s, err := w.Streams(24)
	if err != nil {
		t.Fatal(err)
	}
	want := w.Recipe.Instructions * w.Recipe.CPI / 1000 / 24
	for i, requests := range s.Threads {
		sum := int64(0)
		for _, q := range requests {
			sum += int64(q.Gap())
		}
		// Uniform gaps from 0 to twice the mean: a deviation is mean·sqrt(n/3).
		if d := sum - want; d*d > want*want/int64(len(requests))*16/3 {
			t.Errorf("thread %d computes %d cycles; want %d", i, sum, want)
		}
	}
}

// Threads walk their chunks in order, and cover every page as many times as said.
func TestWalked(t *testing.T) {
	for _, passes := range []int64{1, 2, 3} {
		for _, threads := range []int{1, 3, 8, 50} {
			r := Recipe{Visits: 1, Heavy: 2, HeavyShare: 400, Classes: []Class{{Name: "walked", Pages: 977, Visits: passes * 977, Lines: []Bucket{{1e6, 64, 64}}}}}
			s := generate(&r, 5, threads)
			seen := make([]int64, r.Pages())
			for i, requests := range s.Threads {
				for k, q := range requests {
					seen[q.Page()]++
					if int(q.Line()) != k%Lines {
						t.Fatalf("request %d of thread %d asks for line %d", k, i, q.Line())
					}
					if n := len(requests) / Lines / int(passes); q.Page() != requests[0].Page()+uint32(k/Lines%n) {
						t.Fatalf("request %d of thread %d is to page %d of %d pages from %d on", k, i, q.Page(), n, requests[0].Page())
					}
				}
			}
			for p, n := range seen {
				if n != Lines*passes {
					t.Fatalf("page %d has %d requests with %d threads; want %d", p, n, threads, Lines*passes)
				}
			}
		}
	}
}

// A visit asks for its lines one after the other, and visits at a time take turns.
func TestVisits(t *testing.T) {
	r := Recipe{Visits: 4, Classes: []Class{{Name: "walked", Pages: 500, Lines: []Bucket{{300_000, 1, 1}, {700_000, 5, 20}}, Writes: 1000}}}
	s := generate(&r, 9, 1)
	type visit struct{ first, last, lines int }
	visits := make([]visit, r.Pages())
	for i, q := range s.Threads[0] {
		v := &visits[q.Page()]
		if v.lines > 0 && int(q.Line()) != v.last+1 {
			t.Fatalf("page %d: line %d stands behind %d", q.Page(), q.Line(), v.last)
		}
		if v.lines == 0 {
			v.first = i
		} else if i-v.first > 4*v.lines {
			t.Fatalf("page %d: %d lines take from request %d to %d", q.Page(), v.lines+1, v.first, i)
		}
		v.last = int(q.Line())
		v.lines++
		if !q.Write() {
			t.Fatal("a request does not write")
		}
	}
	single := 0
	for p, v := range visits {
		if v.lines == 1 {
			single++
		} else if v.lines < 5 || v.lines > 20 {
			t.Errorf("page %d has %d lines", p, v.lines)
		}
	}
	if single < 110 || single > 190 { // 150 ± 4 deviations
		t.Errorf("%d pages have a single line; want about 150", single)
	}
}

// Page is floor(n·f^(1/(1-theta))): a share x of all draws goes to the first
// x^(1/(1-theta)) of the pages.
func TestPopularity(t *testing.T) {
	for _, c := range []struct{ theta, half, tenth int64 }{ // of 100 000 pages, ends of the first 50 % and 10 % of draws
		{0, 50_000, 10_000},
		{450, 28_356, 1_520}, // 0.5^1.8182, 0.1^1.8182
		{500, 25_000, 1_000},
		{900, 98, 0}, // 0.5^10, 0.1^10
	} {
		class := Class{Pages: 100_000, Theta: c.theta}
		p := class.Popularity()
		rnd := Random(11)
		const draws = 200_000
		half, tenth := 0, 0
		for range draws {
			page := int64(p.Page(&rnd))
			if page >= class.Pages {
				t.Fatalf("page %d of %d", page, class.Pages)
			}
			if page < c.half {
				half++
			}
			if page <= c.tenth {
				tenth++
			}
		}
		if half < draws*49/100 || half > draws*51/100 {
			t.Errorf("skew %d: %d of %d draws are below page %d; want half", c.theta, half, draws, c.half)
		}
		if c.theta < 900 && (tenth < draws*94/1000 || tenth > draws*106/1000) {
			t.Errorf("skew %d: %d of %d draws are below page %d; want a tenth", c.theta, tenth, draws, c.tenth)
		}
	}
}

// A workload keeps what it made, and not more than fits.
func TestKept(t *testing.T) {
	w, err := Find("bfs-dense")
	if err != nil {
		t.Fatal(err)
	}
	eight, _ := w.Streams(8)
	more, _ := w.Streams(24)
	if again, _ := w.Streams(8); again != eight {
		t.Error("8 threads were made again")
	}
	if _, err := w.Streams(48); err != nil {
		t.Fatal(err)
	}
	if again, _ := w.Streams(8); again != eight {
		t.Error("the last but one was forgotten")
	}
	if again, _ := w.Streams(24); again == more || !reflect.DeepEqual(again, more) {
		t.Error("the third was kept, or is another one")
	}
	for _, n := range []int{-1, 0, maxThreads + 1} {
		if _, err := w.Streams(n); err == nil {
			t.Errorf("%d threads were made", n)
		}
	}
	w.Recipe.Classes = nil
	if _, err := w.Streams(7); err == nil {
		t.Error("a recipe without classes ran")
	}
	recorded := &Workload{Recorded: eight}
	if s, err := recorded.At(4).Streams(24); err != nil || s != eight {
		t.Error("a recording is not as it is")
	}
	if a, b := w.At(4), w.At(4); a != b || w.At(8) == a || w.At(1) != w {
		t.Error("At does not remember")
	}
}

// The room that is made for a thread's requests is enough, and not much too large.
func TestRoom(t *testing.T) {
	for _, w := range Recipes() {
		s, err := w.At(4).Streams(8)
		if err != nil {
			t.Fatal(err)
		}
		for i, requests := range s.Threads {
			if spare := cap(requests) - len(requests); spare > len(requests)/4+200 {
				t.Errorf("%s, thread %d: room for %d more than %d requests", w.Name, i, spare, len(requests))
			}
		}
		if n := testing.AllocsPerRun(1, func() { generate(&w.At(4).Recipe, 1, 8) }); n > 60 {
			t.Errorf("%s takes %v allocations for 8 threads", w.Name, n)
		}
	}
	for _, c := range []struct {
		lines []Bucket
		want  int64
	}{
		{[]Bucket{{1e6, 64, 64}}, 0},
		{[]Bucket{{5e5, 1, 1}, {5e5, 64, 64}}, 993}, // 31.5²
		{[]Bucket{{1e6, 1, 64}}, 342},               // (64²−1)/12
	} {
		if got := (&Class{Lines: c.lines}).variance(); got != c.want {
			t.Errorf("%v: variance %d; want %d", c.lines, got, c.want)
		}
	}
}

// What the artifact's reports say of its traces, at full scale.
//
// source: HieronZhang/SkyByte-Artifact 594005b, output/* (requests of Base-CSSD or, where
// that counts those tried again, DRAM-only; writes of SkyByte-W), and 4a78756,
// output/warmup_traces (pages).
func TestTraces(t *testing.T) {
	if testing.Short() {
		t.Skip("full scale")
	}
	for _, c := range []struct {
		name            string
		requests, pages int64
		writes          int64 // in ten thousandths of the requests; -1 is not known
	}{
		{"bc", 2_451_563, 150_210, 124},
		{"bfs-dense", 149_449, 8_525, -1},
		{"dlrm", 3_255_046, 192_587, -1},
		{"radix", 2_278_398, 35_629, 598},
		{"srad", 1_490_180, 23_364, 4305},
		{"tpcc", 319_785, 15_950, 4911},
		{"ycsb-a", 5_720_157, 173_918, 41},
		{"ycsb-b", 5_633_130, 185_131, 16},
	} {
		w, err := Find(c.name)
		if err != nil {
			t.Fatal(err)
		}
		s := generate(&w.Recipe, 1, 8)
		touched, pages, writes := make([]bool, s.Pages), int64(0), int64(0)
		for _, requests := range s.Threads {
			for _, q := range requests {
				if !touched[q.Page()] {
					touched[q.Page()] = true
					pages++
				}
				if q.Write() {
					writes++
				}
			}
		}
		within := func(what string, got, want, percent int64) {
			if d := got - want; 100*max(d, -d) > percent*want {
				t.Errorf("%s: %d %s; the reports have %d", c.name, got, what, want)
			}
		}
		within("requests", s.Count, c.requests, 4)
		most := int64(4)
		if c.name == "tpcc" { // drawn pages of its tree that nobody draws
			most = 11
		}
		within("pages", pages, c.pages, most)
		if c.writes >= 0 {
			within("writes", writes, s.Count*c.writes/10_000, 5)
		}
	}
}

func BenchmarkGenerate(b *testing.B) {
	for _, w := range Recipes() {
		b.Run(w.Name, func(b *testing.B) {
			b.ReportAllocs()
			n := int64(0)
			for b.Loop() {
				n += generate(&w.Recipe, 1, 24).Count
			}
			b.ReportMetric(float64(n)/1e6/b.Elapsed().Seconds(), "Mreq/s")
		})
	}
}

func BenchmarkProfile(b *testing.B) {
	w, err := Find("ycsb-a")
	if err != nil {
		b.Fatal(err)
	}
	s, err := w.At(4).Streams(8)
	if err != nil {
		b.Fatal(err)
	}
	for name, f := range map[string]func(){
		"profile":  func() { s.Profile() },
		"locality": func() { s.Locality(10_000) },
		"filter":   func() { _, _ = s.Filter(16<<20, 16) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(s.Count)*float64(b.N)/1e6/b.Elapsed().Seconds(), "Mreq/s")
		})
	}
}

// Threads that share pages walk over the same ones, each with its part of the lines; together
// they ask for as much as one does alone.
func TestSharing(t *testing.T) {
	r := Recipe{Instructions: 1e6, CPI: 1000, Visits: 2, Sharing: 2, Classes: []Class{{Name: "walked", Pages: 900, Lines: []Bucket{{1e6, 32, 32}}}}}
	for _, threads := range []int{1, 4, 5} {
		s := generate(&r, 3, threads)
		by := map[uint32]map[int]int{}
		for t, requests := range s.Threads {
			for _, q := range requests {
				if by[q.Page()] == nil {
					by[q.Page()] = map[int]int{}
				}
				by[q.Page()][t]++
			}
		}
		if len(by) != 900 || s.Count != 900*32 {
			t.Errorf("%d threads: %d requests of %d pages", threads, s.Count, len(by))
		}
		for page, of := range by {
			for thread, n := range of {
				if partner := thread ^ 1; partner < threads && (len(of) != 2 || of[partner] != 16 || n != 16) || partner >= threads && (len(of) != 1 || n != 32) {
					t.Fatalf("%d threads, page %d: %v", threads, page, of)
				}
			}
		}
	}
}
