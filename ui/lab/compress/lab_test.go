package compress

import (
	"fmt"
	"math"
	"strings"
	"testing"

	core "spillway/sim/compress"
	"spillway/sim/report"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
	"spillway/ui/lab/own"
)

// setups are the suites, each of their programs, and some other machines.
func setups() []string {
	list := []string{"contents=dl link=50", "contents=hpc random=30 scattered=20 cache=1 patterns=alike written=20", "contents=alexnet threshold=10", "contents=hpc max_ratio=2"}
	for _, s := range core.Suites() {
		list = append(list, "contents="+s.Name)
		for _, p := range s.Programs() {
			list = append(list, "contents="+programKey(p.Name))
		}
	}
	return list
}

// TestRuns runs every design on every contents.
func TestRuns(t *testing.T) {
	l := New()
	values := []string{"ratio", "buddy_access_percent", "slowdown_percent", "metadata_hits_percent", "device_bytes", "buddy_bytes"}
	labtest.Runs(t, &l, setups(), values, func(about string, r *report.Report, _ any) { check(t, &l, about, r) })
}

// check checks what every report must hold.
func check(t *testing.T, l *lab.Lab, name string, r *report.Report) {
	t.Helper()
	value := labtest.Value(t, l, name, r)
	sum := value("gpu_percent") + value("metadata_percent") + value("buddy_percent")
	if got := 100 + value("slowdown_percent"); math.Abs(sum-got) > 1e-9 {
		t.Errorf("%s: the parts of time are %.4f, together they should be %.4f", name, sum, got)
	}
	var targets, sectors float64
	for i := range l.Quantities {
		switch key := l.Quantities[i].Key; {
		case strings.HasPrefix(key, "target_"):
			targets += r.Values[i]
		case strings.HasPrefix(key, "entries_of_"):
			sectors += r.Values[i]
		}
	}
	if targets != value("device_bytes") {
		t.Errorf("%s: targets have %.0f bytes, GPU memory %.0f", name, targets, value("device_bytes"))
	}
	if math.Abs(sectors-100) > 1e-6 {
		t.Errorf("%s: %.6f %% of the entries", name, sectors)
	}
}

// TestEveryKnobActs changes each setting and sees a value change.
func TestEveryKnobActs(t *testing.T) {
	l := New()
	other := map[string]string{
		"contents": "contents=hpc", "gpu_memory": "gpu_memory=4", "memory": "memory=500", "link": "link=50", "bound": "bound=60", "random": "random=40",
		"scattered": "scattered=40", "patterns": "contents=hpc patterns=alike", "written": "written=20", "line": "line=32",
		"cache": "scattered=40 cache=1", "threshold": "threshold=10", "naive": "naive=80", "tiny": "contents=hpc tiny=100", "max_ratio": "contents=hpc max_ratio=1.5",
		"batch":  "contents=bert-base batch=8",
		"policy": "policy=allow=overflow<0.1", "p1": "policy=allow=p1<2 p1=3", "p2": "policy=allow=p2<2 p2=3", "p3": "policy=allow=p3<2 p3=3", "p4": "policy=allow=p4<2 p4=3",
	}
	values := func(text string) string {
		u := labtest.Setup(t, &l, text)
		var b strings.Builder
		for _, s := range l.Running() {
			r, _, err := l.Run(u, s.Name, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&b, r.Fits, r.Reason, r.Values)
		}
		return b.String()
	}
	for i := range l.Info.Knobs {
		key := l.Info.Knobs[i].Key
		if key == "entry" || key == "exact" || key == "tiny" || key == own.WorkKey { // of files; nothing in the suites is nearly zero; no suite asks a million
			continue
		}
		text, ok := other[key]
		if !ok {
			t.Errorf("no other value for %s", key)
			continue
		}
		pairs := strings.Fields(text)
		before := strings.Join(pairs[:len(pairs)-1], " ")
		if values(text) == values(before) {
			t.Errorf("%s changes nothing", text)
		}
	}
}

func TestErrors(t *testing.T) {
	l := New()
	for _, tt := range []struct{ set, system, want string }{
		{"link=2000", "naive", "faster than GPU memory"},
		{"entry=x", "naive", "no longer at hand"},
		{"", "magic", `unknown system "magic"`},
	} {
		_, _, err := l.Run(labtest.Setup(t, &l, tt.set), tt.system, nil, nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.set, err)
		}
	}
	r, _, err := l.Run(labtest.Setup(t, &l, "gpu_memory=4"), "per-allocation-16x", nil, nil)
	if err != nil || r.Fits || !strings.Contains(r.Reason, "needs") {
		t.Errorf("%v, %+v", err, r)
	}
}
