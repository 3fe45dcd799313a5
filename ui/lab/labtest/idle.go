package labtest

import (
	"slices"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/lab"
)

// idle holds a laboratory to this: what a setting leaves to others nothing to change says so. Those of Off are set in
// every setup of the walk; a setting that changed a result before and then does not is one of those that are said to be idle,
// and one that is said to be idle changes none.
func idle(t *testing.T, l *lab.Lab, q Quick) {
	run := func(u *knob.Setup, system string) (*report.Report, string) {
		if l.Check(u) != nil {
			return nil, ""
		}
		r, raw, err := l.Run(u, system, nil, nil)
		if err != nil || !r.Fits {
			return nil, ""
		}
		return r, l.Hash(raw)
	}
	// acts reports whether a setting changes the result of a system, and what was said where it does not.
	acts := func(u *knob.Setup, k *knob.Info, system string) (acts, ran, told bool) {
		was, hash := run(u, system)
		if was == nil {
			return false, false, false
		}
		for _, text := range others(u, k, slices.Contains(q.Long, k.Key)) {
			v := u.Clone()
			if v.Set(k.Key, text) != nil || v.Text(k.Key) == u.Text(k.Key) || k.Within != "" && v.Text(k.Within) != u.Text(k.Within) {
				continue
			}
			if is, other := run(v, system); is != nil {
				ran, told = true, told || slices.Contains(is.Ignored, k.Key) || !l.Reads(u, system, k.Key)
				if other != hash || !slices.EqualFunc(is.Values, was.Values, sameValue) {
					return true, true, told
				}
			}
		}
		return false, ran, told
	}
	tried := 0
	for _, off := range q.Off {
		pairs, err := knob.Pairs(off)
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range append(slices.Clone(q.Walk), q.Set) {
			on := Setup(t, l, set)
			without := on.Clone()
			if without.Apply(pairs) != nil || without.Equal(on) {
				continue
			}
			for i := range l.Knobs {
				k := &l.Knobs[i]
				if k.Derived || k.Kind == knob.Word || k.Kind == knob.Script || scripted(l, k) || strings.Contains(" "+off, " "+k.Key+"=") {
					continue
				}
				if tried++; !effort.Takes(tried, 8*max(1, q.Share)) {
					continue
				}
				for _, system := range q.Systems {
					if !l.Reads(on, system, k.Key) {
						continue
					}
					switch acted, ran, told := acts(without, k, system); {
					case acted && told:
						t.Errorf("%s: with %s %s is said to change nothing, and changes what %s does", l.Name, off, k.Key, system)
					case ran && !acted && !told && !slices.Contains(q.Chance, off) && !slices.Contains(q.Chance, off+" "+k.Key):
						if before, _, _ := acts(on, k, system); before {
							t.Errorf("%s: %s leaves %s nothing to change (%s, %s), and nobody is told", l.Name, off, k.Key, system, set)
						}
					}
				}
			}
		}
	}
}
