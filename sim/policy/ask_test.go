package policy

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spillway/build/effort"
)

// asker is a policy of the shop about things that a table has.
func asker(t testing.TB, text string, in table, limit int64) *Asker {
	t.Helper()
	p, err := Parse(shop(), text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return NewAsker(&Chosen{Policy: p, Work: limit}, in, len(in))
}

// Events change what is kept, one after the other, and what is kept of a thing is its own.
func TestEvents(t *testing.T) {
	in := make(table, 3)
	for i := range in {
		in[i] = make([]float64, len(shop().Features))
		in[i][0], in[i][1] = float64(10*(i+1)), float64(i)
	}
	a := asker(t, "keep L = 0\nkeep H of tensor = 5\nwhen put: H = L + size, L = L + H, H = H * 2\nwhen put: L = L + 1\nevict = H + 1000 * L", in, 1<<40)
	put := a.Policy.Event("put")
	a.Happens(put, 1) // H = 0+20, L = 20, H = 40, L = 21
	if got := a.Value(a.Policy.Rule("evict"), 1); got != 21_040 {
		t.Errorf("after one: %v", got)
	}
	if got := a.Value(a.Policy.Rule("evict"), 0); got != 21_005 {
		t.Errorf("another thing: %v", got)
	}
	saved := a.State.Save()
	a.Happens(put, 2) // H = 21+30, L = 72, H = 102, L = 73
	if got := a.Value(a.Policy.Rule("evict"), 2); got != 73_102 {
		t.Errorf("after two: %v", got)
	}
	a.State = saved.Save()
	if got := a.Value(a.Policy.Rule("evict"), 2); got != 21_005 {
		t.Errorf("put back: %v", got)
	}
	a.State.Reset(1)
	if got := a.Value(a.Policy.Rule("evict"), 1); got != 21_005 {
		t.Errorf("another life: %v", got)
	}
	if a.Happens(nil, 0); a.Policy.Event("got") != nil {
		t.Error("nothing is said of got")
	}
}

// counter counts how often a feature is read.
type counter struct {
	table
	reads []int
}

func (c *counter) Read(feature int, things []int32, out []float64) {
	c.reads[feature] += len(things)
	c.table.Read(feature, things, out)
}

// What is the same during a whole run is read once, for one thing and for columns.
func TestConstants(t *testing.T) {
	place := shop()
	place.Features[0].Constant = true
	p, err := Parse(place, "evict = uses + size")
	if err != nil {
		t.Fatal(err)
	}
	in := &counter{things(rand.New(rand.NewPCG(36, 9)), len(place.Features), 300), make([]int, len(place.Features))}
	for i := range in.table {
		in.table[i][0] = 7
	}
	a := NewAsker(&Chosen{Policy: p, Work: 1 << 40}, in, 300)
	all := make([]int32, 300)
	for i := range all {
		all[i] = int32(i)
		if got := a.Value(p.Rule("evict"), int32(i)); got != in.table[i][1]+7 {
			t.Errorf("thing %d: %v", i, got)
		}
	}
	best := a.Best(p.Rule("evict"), nil, 1, all)
	for i := range all {
		if in.table[i][1] > in.table[best][1] {
			t.Errorf("%d is better than %d", i, best)
		}
	}
	if in.reads[0] != 2 || in.reads[1] != 600 {
		t.Errorf("read %d and %d times", in.reads[0], in.reads[1])
	}
}

// The best is the one of the greatest score, then of the greatest tie, then of the smallest
// number, in whatever order things stand.
func TestBest(t *testing.T) {
	for seed := range effort.Seeds(40) {
		r := rand.New(rand.NewPCG(seed, 36))
		n := 1 + r.IntN(3*Width)
		in := make(table, n)
		list := make([]int32, n)
		for i := range in {
			in[i] = make([]float64, len(shop().Features))
			in[i][0], in[i][1] = float64(r.IntN(5)), float64(r.IntN(5))
			list[i] = int32(i)
		}
		a := asker(t, "evict = size\nfetch = uses", in, 1<<40)
		score, tie := a.Policy.Rule("evict"), a.Policy.Rule("fetch")
		for _, sign := range []float64{0, 1, -1} {
			second := tie
			if sign == 0 {
				second = nil
			}
			best := slices.MaxFunc(list, func(x, y int32) int {
				if d := in[x][0] - in[y][0]; d != 0 {
					return int(d)
				}
				if d := sign * (in[x][1] - in[y][1]); d != 0 {
					return int(d)
				}
				return int(y - x)
			})
			shuffled := slices.Clone(list)
			r.Shuffle(n, func(i, k int) { shuffled[i], shuffled[k] = shuffled[k], shuffled[i] })
			if got := a.Best(score, second, sign, shuffled); got != best {
				t.Errorf("seed %d, sign %v: %d %v, want %d %v", seed, sign, got, in[got], best, in[best])
			}
		}
	}
	a := asker(t, "evict = size", nil, 0)
	if a.Best(a.Policy.Rule("evict"), nil, 1, nil) != -1 || a.Over() {
		t.Error("of none there is no best, and it costs nothing")
	}
}

// Work is operations and what is read, for each candidate; doubts are said.
func TestWork(t *testing.T) {
	in := things(rand.New(rand.NewPCG(36, 5)), len(shop().Features), 10)
	for i := range in {
		in[i][0] = 0
	}
	a := asker(t, "evict = uses / size + sqrt(-1 - size)\nfetch = (1 / size if size > 0 else 0)", in, 100)
	all := []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	a.Best(a.Policy.Rule("evict"), nil, 1, all) // 2 are read, 5 operations
	if a.Work != 70 || a.Asked != 1 || a.Candidates != 10 || a.Most != 10 || a.Over() {
		t.Errorf("%+v", a)
	}
	a.Best(a.Policy.Rule("fetch"), nil, 1, all)
	a.Score(a.Policy.Rule("evict"), 3)
	if want := "The policy divided by zero 11 times; that counts as 0.|The policy took roots of negative numbers 11 times; that counts as 0."; strings.Join(a.Notes(), "|") != want {
		t.Error(a.Notes())
	}
	if !a.Over() || !strings.HasPrefix(a.Says(), "the policy was asked 3 times, about 7 candidates each time; ") {
		t.Errorf("%d, %s", a.Work, a.Says())
	}
	if same := asker(t, "evict = 0", in, 100); same.Best(same.Policy.Rule("evict"), nil, 1, all) != 0 || same.Work != 10 {
		t.Errorf("to be asked ten times counts as %d", same.Work)
	}
	nan := asker(t, "evict = (1e300 * 1e300) - (1e300 * 1e300)", in, 100)
	if got := nan.Best(nan.Policy.Rule("evict"), nil, 1, all); got != 0 || nan.Doubts.NoNumber != 10 {
		t.Errorf("%d, %+v", got, nan.Doubts)
	}
}

// A rule that is doubled, or put up by 1, decides the same, and names mean nothing.
func TestNamesAndScales(t *testing.T) {
	in := make(table, 100)
	r := rand.New(rand.NewPCG(36, 6))
	all := make([]int32, len(in))
	for i := range in {
		in[i] = make([]float64, len(shop().Features))
		for f := range in[i] {
			in[i][f] = float64(r.IntN(50))
		}
		all[i] = int32(i)
	}
	best := func(text string) int32 {
		a := asker(t, text, in, 1<<40)
		return a.Best(a.Policy.Rule("evict"), nil, 1, all)
	}
	want := best("keep w = 3\nevict = size * w - uses * last")
	for _, text := range []string{
		"keep other = 3\nevict = size * other - uses * last", "keep w = 3\nevict = (size * w - uses * last) * 2", "keep w = 3\nevict = size * w - uses * last + 1",
		"keep w = 3\nx = size * w\nevict = x - uses * last",
	} {
		if got := best(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if best("evict = 0") != 0 {
		t.Error("of equal ones it is the first")
	}
}
