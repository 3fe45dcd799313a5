package labtest

import (
	"math"
	"slices"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/lab"
	"spillway/ui/lab/own"
)

// unread holds a laboratory to this: a setting that it accepts acts on a system, or the system does not read it and
// says so to whoever sets it. Every setting is changed, with every system, in the setup that runs in milliseconds and in
// those of Walk, in which settings act that need another; by day some of them.
func unread(t *testing.T, l *lab.Lab, q Quick) {
	type result struct {
		r    *report.Report
		hash string
		err  error
	}
	run := func(u *knob.Setup, system string) (x result) {
		if x.err = l.Check(u); x.err != nil {
			return x
		}
		var raw any
		if x.r, raw, x.err = l.Run(u, system, nil, nil); x.err == nil {
			x.hash = l.Hash(raw)
			moves(t, l, q, u, system, x.r)
		}
		return x
	}
	alike := func(a, b result) bool {
		if a.err != nil || b.err != nil {
			return a.err != nil && b.err != nil
		}
		return a.r.Fits == b.r.Fits && a.r.Reason == b.r.Reason && slices.EqualFunc(a.r.Values, b.r.Values, sameValue) && a.hash == b.hash
	}
	for _, set := range q.Walk {
		if err := l.Check(Setup(t, l, set)); err != nil {
			t.Errorf("%s: the walk asks for what cannot be: %v", l.Name, err)
		}
	}
	sets := append(slices.Clone(q.Walk), q.Set)
	walks := func(k *knob.Info) bool { // what a policy may work at most ends no run of milliseconds
		return !k.Derived && k.Kind != knob.Word && k.Kind != knob.Script && k.Key != l.Entry && k.Key != own.WorkKey &&
			!slices.Contains(q.Elsewhere, k.Key)
	}
	tried, acted := 0, map[string]bool{}
	for s := range l.Systems {
		system := l.Systems[s].Name
		t.Run(system, func(t *testing.T) {
			var silent, wrong []string
			bases := make([]result, len(sets))
			for i, set := range sets {
				bases[i] = run(Setup(t, l, set), system)
			}
			for i := range l.Knobs {
				k := &l.Knobs[i]
				if !walks(k) || slices.Contains(q.Elsewhere, system+" "+k.Key) {
					continue
				}
				if tried++; !effort.Takes(tried, 8*max(1, q.Share)) {
					continue
				}
				acts, asked := false, false
			walk:
				for n, set := range sets {
					u := Setup(t, l, set)
					reads := l.Reads(u, system, k.Key)
					if bases[n].err != nil || !bases[n].r.Fits && n < len(q.Walk) || reads && acts {
						continue
					}
					for _, text := range others(u, k, slices.Contains(q.Long, k.Key)) {
						v := u.Clone()
						if v.Set(k.Key, text) != nil || v.Text(k.Key) == u.Text(k.Key) || k.Within != "" && v.Text(k.Within) != u.Text(k.Within) {
							continue
						}
						// What comes along with a choice is no doing of the choice.
						x := run(v, system)
						if x.err != nil || !bases[n].r.Fits && !x.r.Fits { // refused
							continue
						}
						asked = asked || reads
						if alike(bases[n], x) {
							continue
						}
						if !reads {
							wrong = append(wrong, k.Key+" with "+set)
							break walk
						}
						acts, acted[k.Key] = true, true
						break
					}
				}
				if asked && !acts {
					silent = append(silent, k.Key)
				}
			}
			if len(silent) > 0 {
				t.Errorf("%s: %s takes settings that change nothing, and does not say so: %s", l.Name, system, strings.Join(silent, " "))
			}
			if len(wrong) > 0 {
				t.Errorf("%s: %s is said not to read settings that change its result: %s", l.Name, system, strings.Join(wrong, "; "))
			}
		})
	}
	t.Run("somewhere", func(t *testing.T) { // by day it is said, at night it was seen
		for i := range l.Knobs {
			k := &l.Knobs[i]
			if scripted(l, k) { // its text says what is read of them
				continue
			}
			reads := func(s lab.System) bool {
				return slices.ContainsFunc(sets, func(set string) bool { return l.Reads(Setup(t, l, set), s.Name, k.Key) })
			}
			if walks(k) && !slices.Contains(l.EntryKnobs, k.Key) && !acted[k.Key] &&
				(effort.Nightly() || !slices.ContainsFunc(l.Systems, reads)) {
				t.Errorf("%s: %s changes nothing anywhere", l.Name, k.Key)
			}
		}
	})
}

// sameValue reports whether two values are the same number, or none.
func sameValue(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }

// scripted reports whether a setting is one of those of a policy: what its text says decides what of them is read.
func scripted(l *lab.Lab, k *knob.Info) bool {
	p := l.Script()
	return p != nil && k.Panel == p.Panel
}

// others are further texts of a setting: of a number half and twice as much, one more, and the ends; of choices all.
func others(u *knob.Setup, k *knob.Info, long bool) (list []string) {
	v, err := k.Measure(u.Text(k.Key))
	if k.Kind != knob.Number || err != nil {
		for _, c := range slices.Concat(k.Sets, k.Choices) {
			list = append(list, c.Key)
		}
		return list
	}
	for _, n := range []int64{v / 2, v * 2, v + k.Scale, k.Min, k.Min + 1, k.Max} {
		if n >= k.Min && n <= k.Max && n != v && (!long || n <= 4*max(v, k.Scale)) {
			list = append(list, knob.Decimal(n, k.Scale))
		}
	}
	return list
}

// Told checks that whoever sets what a system does not read is told.
func told(t *testing.T, l *lab.Lab, q Quick) {
	for s := range l.Systems {
		system := l.Systems[s].Name
		for i := range l.Knobs {
			k := &l.Knobs[i]
			u := Setup(t, l, q.Set)
			if k.Derived || k.Kind != knob.Number || l.Reads(u, system, k.Key) || slices.Contains(q.Long, k.Key) {
				continue
			}
			for _, text := range others(u, k, false) {
				if v := u.Clone(); v.Set(k.Key, text) == nil && v.Changed(k.Key) && l.Check(v) == nil && !v.Hidden(k.Key) {
					r, _, err := l.Run(v, system, nil, nil)
					if err == nil && !slices.Contains(r.Ignored, k.Key) {
						t.Errorf("%s: %s does not read %s=%s, and nobody is told", l.Name, system, k.Key, text)
					}
					break
				}
			}
			break
		}
	}
}
