package bytefs

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/build/golden"
	"spillway/sim/filesys"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/plan"
	"spillway/sim/study"
	"spillway/sim/unit"
)

// TestSound checks that systems are called as in the
// laboratory.
func TestSound(t *testing.T) {
	for _, s := range systems {
		i := slices.IndexFunc(filesys.Systems, func(y filesys.System) bool { return y.Name == s })
		if i < 0 || filesys.Systems[i].Title != titles[s] {
			t.Errorf("the laboratory has no system %q, or calls it otherwise than %q", s, titles[s])
		}
	}
}

// TestEveryCellIsThere counts the numbers of every figure, and finds each of the 29 of the
// text once.
func TestEveryCellIsThere(t *testing.T) {
	type count struct{ all, computed int }
	want := map[string]count{
		"abstract": {2, 2}, "6": {4, 4}, "6-ratios": {4, 4}, "7": {3, 3}, "8": {5, 5}, "11": {4, 4}, "switches-facts": {6 * 10, 6 * 10}, "switches-ext4": {5 * 29, 5 * 29}, "switches-others": {4 * 29, 4 * 29}, "switches-bytes": {5 * 29, 5 * 29}, "switches-flash": {5 * 29, 5 * 29},
		"T1": {13, 0}, "T2": {20, 20}, "T3": {18, 6}, "mix": {7, 7}, "recovery": {3, 0}, "costs": {4, 1}, "runs": {124, 47}, "fractions": {42, 0},
	}
	p := Paper()
	got := map[string]count{}
	texts := 0
	for i := range p.Points {
		x := &p.Points[i]
		c := got[x.Figure]
		c.all++
		if x.NotComputed == "" {
			c.computed++
		}
		got[x.Figure] = c
		if x.Source == "paper_claims.csv" && !strings.HasPrefix(x.Figure, "switches") {
			texts++
		}
	}
	for _, f := range p.Figures {
		if got[f.ID] != want[f.ID] {
			t.Errorf("figure %s: %+v; want %+v", f.ID, got[f.ID], want[f.ID])
		}
	}
	if texts != len(table("paper_claims.csv")) || texts != 29 {
		t.Errorf("%d numbers of the text", texts)
	}
}

// TestDoubts finds every number doubted but those of the abstract: nobody here has
// compared them with the paper.
func TestDoubts(t *testing.T) {
	p := Paper()
	for i := range p.Points {
		x := &p.Points[i]
		if (study.Doubt(x.Note) == "") != (x.Figure == "abstract" || strings.HasPrefix(x.Figure, "switches")) {
			t.Errorf("%s %s %s: doubted is %q", x.Figure, x.Of, x.At, study.Doubt(x.Note))
		}
	}
}

// TestSharedData finds every row of the embedded tables in the files that they are from,
// where those are at hand.
func TestSharedData(t *testing.T) {
	entries, err := os.ReadDir("published")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if own := read(t, filepath.Join("published", e.Name())); !strings.HasPrefix(own[0], "# source: ") || len(table(e.Name())) == 0 {
			t.Errorf("%s has no source, or is empty", e.Name())
		}
	}
	dir := artifact.Data(t, "bytefs")
	for _, e := range entries {
		own, theirs := read(t, filepath.Join("published", e.Name())), read(t, filepath.Join(dir, e.Name()))
		if !slices.Equal(own[1:], theirs[1:]) {
			t.Errorf("%s is not as in the shared file", e.Name())
		}
	}
}

func read(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(text), "\n"), "\n")
}

// result is one by hand: ten calls of two threads.
func result() *filesys.Result {
	r := &filesys.Result{Threads: 2, Time: unit.Millisecond, Calls: 10, Duplicates: 3, Cached: 12}
	r.Asked = [device.Directions]int64{device.Reads: 9000, device.Writes: 9000}
	r.Through = [device.Directions]int64{device.Reads: 2000, device.Writes: 4000}
	r.Tallies[call.Read] = filesys.Tally{Count: 4, Time: 20 * unit.Microsecond}
	r.Tallies[call.Create] = filesys.Tally{Count: 2, Time: 980 * unit.Microsecond}
	r.ReadLatency[40], r.ReadLatency[44], r.ReadLatency[48] = 98, 1, 1
	d := &r.Device
	d.Bytes[plan.Data][device.Block] = [device.Directions]int64{device.Reads: 3000, device.Writes: 5000}
	d.Bytes[plan.Inode][device.Byte] = [device.Directions]int64{device.Writes: 600}
	d.Bytes[plan.Inode][device.Block] = [device.Directions]int64{device.Reads: 1000, device.Writes: 200}
	d.Bytes[plan.Journal][device.Block] = [device.Directions]int64{device.Writes: 2200}
	d.Accesses[plan.Inode][device.Byte] = [device.Directions]int64{device.Reads: 1, device.Writes: 7}
	d.Accesses[plan.Data][device.Block] = [device.Directions]int64{device.Reads: 2, device.Writes: 3}
	d.FlashReads = [device.Whys]int64{1, 2, 3, 4}
	d.FlashPrograms = [device.Whys]int64{5, 6, 7, 8}
	d.LogPartial, d.LogHits = 4, 5
	return r
}

// TestMore: what is equal is not more.
func TestMore(t *testing.T) {
	n := 0
	for _, c := range Paper().Claims {
		text, ok := strings.CutPrefix(c.Stated, "more than ")
		if !ok {
			continue
		}
		n++
		bound := study.Number(strings.TrimSuffix(text, "×"))
		if c.Judge(bound, ClaimTolerance) != study.Differs || c.Judge(1.01*bound, ClaimTolerance) != study.Holds {
			t.Errorf("%s: %v is from %v on", c.ID, c.Stated, c.Lo)
		}
	}
	if n < 10 {
		t.Errorf("%d claims", n)
	}
}

// TestThreads: a run of the artifact has as many threads as its rate and the time of an
// operation need at least.
func TestThreads(t *testing.T) {
	for _, f := range table("artifact_micro_runs.csv") {
		name, variant, _ := strings.Cut(f[0], ".")
		if variant == "2ext" || f[2] == "" {
			continue
		}
		_, threads, _ := strings.Cut(runSets[name], "threads=")
		if at := study.Number(f[2]) * study.Number(f[3]) / 1000; at > study.Number(threads) {
			t.Errorf("%s: %.1f operations at once, of %s threads", f[0], at, threads)
		}
	}
}

// TestMeasure takes quantities from a result by hand.
func TestMeasure(t *testing.T) {
	r := result()
	for quantity, want := range map[string]float64{
		speed: 10, callTime: 0.1, readTime: 5, readTail: 2.048,
		metaBytes: 400, metaReads: 100, metaWrites: 300, written: 800, pages: 3.6, programs: 2.6,
		writeAmp: 2, readAmp: 2, writeAll: 1.6, readAll: 4. / 3, duplicates: 25,
		storesName: 3.5, loadsName: 0.5, blockReads: 1, blockWrites: 1.5, storeKB: 0.3, loadKB: 0, blockReadKB: 2, blockWriteKB: 3.7,
		partial: 2, hits: 2.5, directReads: 1.5, cleanReads: 1.5, namePrograms: 13,
		writeShare + "inode": 10, readShare + "inode": 25, totalShare + "journal": 100 * 2200. / 12000, writeShare + "inode_bitmap": 0,
		byteWrites + "inode": 75, byteReads + "inode": 0, writtenBy + "inode": 0.08, readBy + "inode": 0.1,
	} {
		if got := measure([]study.Point{{Quantity: quantity}}, nil, r)[0]; math.Abs(got-want) > 1e-9*max(1, want) {
			t.Errorf("%s: %v, want %v", quantity, got, want)
		}
	}
	for quantity, raw := range map[string]*filesys.Result{speed: nil, "nothing": r, byteWrites + "dentry": r, readTime: {}, readTail: {}} {
		if v := measure([]study.Point{{Quantity: quantity}}, nil, raw)[0]; !math.IsNaN(v) {
			t.Errorf("%s: %v", quantity, v)
		}
	}
}

// invented answers every run with numbers that differ by system alone.
func invented(p *study.Paper) (list []study.Outcome) {
	for _, r := range p.Runs() {
		o := study.Outcome{Run: r.Name, Fits: true, Rebuilt: true}
		for range p.Of(r.Name) {
			o.Values = append(o.Values, float64(1+slices.Index(systems, r.System)))
		}
		list = append(list, o)
	}
	return list
}

// TestWholeComparison finds that Figure 6 needs the ten workloads on five systems and
// nothing else, and that the figures of the same runs need no more.
func TestWholeComparison(t *testing.T) {
	o := Paper().Outline()
	for _, f := range o.Figures {
		want, ok := map[string]int{"6": 50, "abstract": 50, "8": 35, "11": 45, "T2": 10, "mix": 18}[f.ID]
		if ok && len(f.Runs) != want {
			t.Errorf("%s needs %d runs; want %d", f.ID, len(f.Runs), want)
		}
		for _, r := range f.Runs {
			if x := o.Runs[r]; ok && (len(strings.Fields(x.Set)) != 2+len(strings.Fields(measured)) || !strings.HasSuffix(x.Set, " scale=64 "+measured)) {
				t.Errorf("%s: %s", f.ID, x.Name)
			}
		}
	}
}

// TestMeans: every mean is computed of its probes.
func TestMeans(t *testing.T) {
	p := Paper()
	rows, err := p.Rows("8", invented(p))
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		r := &rows[i]
		want := map[string]float64{"less than Ext4": 1. / 5, "less than F2FS": 2. / 5, "less than NOVA": 100 * (1 - 5./3)}[r.At]
		if math.Abs(r.Ours-want) > 1e-9 {
			t.Errorf("%s %s: %v, want %v", r.Of, r.At, r.Ours, want)
		}
	}
}

// TestGaps finds a reason for every recorded gap, and a gap for every cause.
func TestGaps(t *testing.T) {
	list := golden.Explained(t, Paper(), table("gaps.csv"))
	for _, c := range causes {
		if !slices.ContainsFunc(list, c.match) {
			t.Errorf("no gap has the cause %+v", c)
		}
	}
}
