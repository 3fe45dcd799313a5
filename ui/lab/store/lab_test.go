package store

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	core "spillway/sim/store"
	"spillway/traces/opstrace"
	reader "spillway/ui/files"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// setups are one of every kind of workload.
func setups() []string {
	var list []string
	for _, m := range core.Mixes() {
		list = append(list, "workload="+m.Name)
	}
	return append(list,
		"workload=networks batch=16 iterations=1",
		"workload=networks other=bert-base batch=8 clients=3 iterations=1 gpu_memory=4 parallel_eviction=1",
		"workload=networks batch=16 iterations=1 prefetch=0 gpu_memory=3",
		"workload=pairs pairs=50", "workload=allocation evicts=1 gpu_memory=0.578125",
	)
}

// TestRuns runs every system on every kind of workload.
func TestRuns(t *testing.T) {
	l := New()
	values := []string{"time_s", "hit_rate_percent", "misses", "late_prefetches", "evictions", "evicted_bytes", "fetched_bytes", "prefetched_bytes"}
	labtest.Runs(t, &l, setups(), values, func(about string, r *report.Report, _ any) { check(t, &l, about, r) })
}

// check checks what every report must hold.
func check(t *testing.T, l *lab.Lab, name string, r *report.Report) {
	t.Helper()
	value := labtest.Value(t, l, name, r)
	if len(r.Values) != len(l.Quantities) {
		t.Fatalf("%s: %d values of %d quantities", name, len(r.Values), len(l.Quantities))
	}
	for i, v := range r.Values {
		if math.IsInf(v, 0) {
			t.Errorf("%s: %s is %v", name, l.Quantities[i].Key, v)
		}
	}
	if value("peak_gpu_bytes") > value("capacity_bytes") {
		t.Errorf("%s: more memory in use than there is", name)
	}
	tops := map[string]map[float64]float64{"memory": {}, "host": {}}
	for _, c := range r.Curves {
		if len(c.X) != len(c.Y) || c.Picks != nil && len(c.Picks) != len(c.X) {
			t.Fatalf("%s: curve %s %s is ragged", name, c.Chart, c.Name)
		}
		for i := range c.X {
			if c.Picks == nil {
				tops[c.Chart][c.X[i]] += c.Y[i]
			}
		}
	}
	for chart, peak := range map[string]float64{"memory": value("peak_gpu_bytes"), "host": value("peak_host_bytes")} {
		most := 0.0
		for _, y := range tops[chart] {
			most = max(most, y)
		}
		if math.Abs(most*(1<<30)-peak) > 1 {
			t.Errorf("%s: chart %s peaks at %v GiB, the run at %v bytes", name, chart, most, peak)
		}
	}
}

func TestSections(t *testing.T) {
	l := New()
	for _, x := range []struct{ key, view, set, want string }{
		{"eviction", "eviction=3", "workload=services", "eviction 5 of 2056"},
		{"eviction", "eviction=1000000", "workload=services", "are as Belady's order"},
		{"eviction", "eviction=1", "workload=pairs", "evicts nothing"},
		{"eviction", "eviction=1", "workload=services gpu_memory=1", "does not run to the end"},
		{"fairness", "", "workload=two-trainings", "times as long as alone"},
		{"clients", "", "workload=services", "Choose “Networks that train”"},
		{"clients", "", "workload=networks batch=8 iterations=1", "8 clients"},
		{"prefetch", "", "workload=late-clock", "no prefetch, parallel eviction"},
		{"prefetch", "", "workload=late-clock", "With prefetch that yields policies take 6.0 to 7.2 s. Without prefetch policies take 6.5 to 7.3 s. With prefetch as published policies take 7.0 to 10.5 s."},
	} {
		var knobs []knob.Info
		for _, s := range l.Sections {
			if s.Key == x.key {
				knobs = s.Knobs
			}
		}
		view := knob.NewSetup(knobs)
		pairs, err := knob.Pairs(x.view)
		if err == nil {
			err = view.Apply(pairs)
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := l.Section(x.key, view, labtest.Setup(t, &l, x.set), "lru", nil, nil)
		if err != nil || !strings.Contains(fmt.Sprint(got), x.want) {
			t.Errorf("%s of %s: %v, %+v; want %q in it", x.key, x.set, err, got, x.want)
		}
	}
}

// TestSays: a report says what the store does, and when prefetch that holds its room costs more than
// it brings.
func TestSays(t *testing.T) {
	l := New()
	for set, warns := range map[string]bool{"prefetch_yields=0": true, "prefetch_yields=1": false, "prefetch=0": false} {
		r, raw, err := l.Run(labtest.Setup(t, &l, "workload=table-and-blocks gpu_memory=3 "+set), "lru", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		is := raw.(*result)
		if got := strings.Contains(strings.Join(r.Caveats, " "), "leave again before their get"); got != warns {
			t.Errorf("%s: %q", set, r.Caveats)
		}
		want := fmt.Sprintf("The store handles calls for %s of the time", prose.Percent(float64(is.Busy())/float64(is.Time)))
		if len(r.Notes) == 0 || !strings.HasPrefix(r.Notes[0], want) {
			t.Errorf("%s: %q; want %q", set, r.Notes, want)
		}
	}
}

func TestFiles(t *testing.T) {
	l := New()
	good := []byte(opstrace.Header + "\n0,a,create,x,1000000,\n5,a,put,x,,3\n9,a,get,x,,\n10,a,free,x,,\n")
	f, err := reader.Open(&l, []lab.File{{Name: "mine.csv", Data: good}, {Name: "notes.txt", Data: []byte("hello")}})
	if err != nil {
		t.Fatal(err)
	}
	if es := f.Entries(); len(es) != 1 || es[0].Name != "mine.csv" || !strings.Contains(es[0].Info, "1 clients, 1 tensors, 4 operations") || len(f.Notes()) != 1 {
		t.Errorf("entries %+v, notes %q", es, f.Notes())
	}
	r, _, err := l.Run(labtest.Setup(t, &l, "entry=mine.csv"), "lru", f, nil)
	if err != nil || !r.Fits {
		t.Errorf("%v %+v", err, r)
	}
	if _, _, err := l.Run(labtest.Setup(t, &l, "entry=other.csv"), "lru", f, nil); err == nil || !strings.Contains(err.Error(), `hold no "other.csv"`) {
		t.Errorf("got %v", err)
	}
	if _, _, err := l.Run(labtest.Setup(t, &l, "entry=mine.csv"), "lru", nil, nil); err == nil {
		t.Error("ran without files")
	}
	for data, want := range map[string]string{
		"hello": "bad.csv: text, but none that is known.\nWhat opens",
		opstrace.Header + "\n0,a,create,x,lots,\n": "bad.csv:2:",
	} {
		if _, err := reader.Open(&l, []lab.File{{Name: "bad.csv", Data: []byte(data)}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v; want %q", err, want)
		}
	}
}

// What a client does wrong is a result that says where.
func TestClientErrors(t *testing.T) {
	l := New()
	for lines, want := range map[string]string{
		"0,a,create,x,1000,\n1,a,put,x,,\n2,a,free,x,,\n":               "operation 3 of client a (free x): access in Ravenspace",
		"0,a,create,x,1000,\n1,a,free,x,,\n2,a,free,x,,\n":              "double free",
		"0,a,create,x,1000,\n1,a,get,y,,\n":                             "unknown tensor",
		"0,a,create,x,4000000000,\n1,a,create,y,4000000000,\n":          "out of GPU memory",
		"0,a,malloc,x,1000,\n1,b,create,y,9000000000,\n2,b,free,y,,\n0": "",
	} {
		f, err := reader.Open(&l, []lab.File{{Name: "t.csv", Data: []byte(opstrace.Header + "\n" + lines)}})
		if want == "" {
			if err == nil {
				t.Errorf("%q is read", lines)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := l.Run(labtest.Setup(t, &l, "entry=t.csv"), "fifo", f, nil)
		if err != nil || r.Fits || !strings.Contains(r.Reason, want) {
			t.Errorf("%q: %v, %+v; want %q", lines, err, r, want)
		}
	}
}
