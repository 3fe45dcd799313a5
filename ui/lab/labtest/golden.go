package labtest

import (
	"fmt"
	"math"
	"testing"

	"spillway/build/effort"
	"spillway/build/golden"
	"spillway/build/golden/change"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/lab"
)

// Setup returns the setup that a text names.
func Setup(t testing.TB, l *lab.Lab, text string) *knob.Setup {
	t.Helper()
	u, err := l.Read(text)
	if err != nil {
		t.Fatalf("%s: %s: %v", l.Name, text, err)
	}
	return u
}

// Value returns what takes a quantity, by its key, from a report that must have it.
func Value(t testing.TB, l *lab.Lab, about string, r *report.Report) func(key string) float64 {
	return func(key string) float64 {
		t.Helper()
		v, ok := r.Value(l.Quantity(key))
		if !ok {
			t.Errorf("%s: no %s", about, key)
		}
		return v
	}
}

// Sum returns what adds up the quantities that a chart, by its ID, shows of a report.
func Sum(t testing.TB, l *lab.Lab, about string, r *report.Report) func(chart string) float64 {
	value := Value(t, l, about, r)
	return func(chart string) (sum float64) {
		t.Helper()
		for i := range l.Charts {
			if l.Charts[i].ID == chart {
				for _, key := range l.Charts[i].Of {
					sum += value(key)
				}
			}
		}
		return sum
	}
}

// Near returns what checks that a number is another to some part of it.
func Near(t testing.TB, about string, part float64) func(what string, got, want float64) {
	return func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > part*max(1, math.Abs(want)) {
			t.Errorf("%s: %s is %v, want %v", about, what, got, want)
		}
	}
}

// Runs runs every system on every setup. The test's golden files have the hash of every result,
// the same natively and as WebAssembly, and the values of some quantities, by their keys. check
// gets every run besides.
func Runs(t *testing.T, l *lab.Lab, setups, quantities []string, check func(about string, r *report.Report, raw any)) {
	t.Helper()
	var runs []golden.Run
	for _, text := range setups {
		u := Setup(t, l, text)
		for _, x := range l.Running() {
			name := text + " system=" + x.Name
			r, raw, err := l.Run(u, x.Name, nil, nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			said := ""
			if !r.Fits {
				said = " cannot"
			}
			Report(t, l, name, r)
			check(name, r, raw)
			runs = append(runs, golden.Run{Line: l.Hash(raw)[:16] + " " + name + said, Run: change.Run{Name: name, Values: change.Report(l.Quantities, r, quantities...)}})
		}
	}
	golden.Runs(t, runs)
}

// Presets compares the results of every preset on every system that is compared with it, of all
// laboratories, with the test's golden files: natively and as WebAssembly they are the same.
// Each time there is a share of them, and all at night.
func Presets(t *testing.T, open ...func() lab.Lab) {
	t.Helper()
	var runs []golden.Run
	for _, o := range open {
		l := o()
		for i := range l.Presets {
			p := &l.Presets[i]
			for _, system := range compared(&l, p) {
				name := l.Name + " " + p.Key + " " + system
				runs = append(runs, golden.Run{Run: change.Run{Name: name}})
				if !golden.Update() && !effort.Takes(len(runs), 8) {
					continue
				}
				hash, values := preset(t, &l, p, system)
				r := &runs[len(runs)-1]
				r.Line, r.Values = fmt.Sprintf("%.32s %s", hash, name), values
			}
		}
	}
	golden.Runs(t, runs)
}

// compared are the systems that are compared with a preset.
func compared(l *lab.Lab, p *lab.Preset) (list []string) {
	if len(p.Systems) > 0 {
		return p.Systems
	}
	for i := range l.Systems {
		if !l.Systems[i].Off {
			list = append(list, l.Systems[i].Name)
		}
	}
	return list
}

// preset runs a system on a preset. Of its values it has the first: what the laboratory is
// about, which is in the hash like all others.
func preset(t *testing.T, l *lab.Lab, p *lab.Preset, system string) (hash string, values []change.Value) {
	t.Helper()
	r, raw, err := l.Run(Setup(t, l, p.Set), system, nil, nil)
	switch {
	case err != nil:
		t.Fatalf("%s %s %s: %v", l.Name, p.Key, system, err)
	case !r.Fits:
		return l.Hash(raw), []change.Value{change.Cannot(r.Reason)}
	}
	Report(t, l, l.Name+" "+p.Key+" "+system, r)
	return l.Hash(raw), change.Report(l.Quantities, r, l.Quantities[0].Key)
}
