package lab

import (
	"errors"
	"math"
	"slices"
	"strconv"

	"spillway/sim/hash"
	"spillway/sim/report"
)

// A Floor names a system that is a proof of how fast any can be, the quantity that it bounds
// from below, and the quantity that says how many times as much another has. Where runs of
// the same settings are side by side and the floor is known, each says so, against what is
// proved of it ([System.Floor]). All are empty in a laboratory without one.
type Floor struct {
	System, Of, Headroom string
	// Also are further quantities that it bounds, because they follow from Of: a throughput.
	Also []string
	// Known is a system that is as fast as the fastest that is known; without one the fastest of
	// those that are compared is.
	Known string
	// Whom says whom it holds for where that is not everybody: "by moving tensors".
	Whom string
}

// Names of what bounds a laboratory, the same in all: the system, and the quantity that says
// how many times as long another takes.
const (
	bound    = "bound"
	headroom = "headroom"
)

// Lowest is the floor of a laboratory: [Best] is its system, [Headroom] its measure. also are
// further quantities that follow from of (Floor.Also).
func Lowest(of string, also ...string) Floor {
	return Floor{System: bound, Of: of, Headroom: headroom, Also: also}
}

// Knowing is a floor with the system that is as fast as the fastest that is known.
func (f Floor) Knowing(system string) Floor {
	f.Known = system
	return f
}

// For is a floor that says whom it holds for.
func (f Floor) For(whom string) Floor {
	f.Whom = whom
	return f
}

// Bounded reports whether the floor of a laboratory bounds a quantity, by its key.
func (l *Info) Bounded(key string) bool {
	return l.Floor.System != "" && (key == l.Floor.Of || slices.Contains(l.Floor.Also, key))
}

// Best is the system that is a proof of how fast any can be at best. about says for whom it
// holds and how near it is known to be, paper what it rests on.
func Best(about, paper string, look int) System {
	return System{Name: bound, Title: "Best possible", Family: "Bounds", About: about, Paper: paper, Bound: true, Off: true, Look: look}
}

// Headroom is the measure of how many times as long as the best possible something takes,
// which no run knows of itself: [Info.Related] gives it. more says what else is to be known.
func Headroom[R any](more string) report.Measure[R] {
	return report.Number(report.Quantity{
		Key: headroom, Label: "Time over the best possible", Unit: "×", Places: 3, Better: -1,
		Help: "Time over what Best possible proves of the system, where that is among the systems. " + more,
	}, func(R) float64 { return report.None() })
}

// A Proof is how good the value of Floor.Of can be at best in some settings.
type Proof struct {
	Value float64
	// Also are the values of Floor.Also, in their order; of those that are missing nothing is known.
	Also []float64
	// Single are values of what it proves of single systems ([System.Floor]).
	Single []Single
	// Reason is why nothing is proved: no system can run it. Then there is no value.
	Reason string
	Notes  []string // what decides it, and how near it can be come
	// About and Origin are what every report says of what runs.
	About, Origin string
}

// A Single is a value that holds in place of a proof's for the systems that name its quantity.
type Single struct {
	Quantity string // its key
	Value    float64
}

// proves reports whether a system is the proof that Spec.Bound makes.
func (s *Spec[S, W, R]) proves(system string) bool {
	return s.Bound != nil && system == s.Floor.System
}

// proof is what Spec.Bound says, as a report.
func (l *Info) proof(p *Proof) *report.Report {
	r := &report.Report{Fits: p.Reason == "", Reason: p.Reason, Notes: p.Notes, About: p.About, Origin: p.Origin}
	if r.Fits {
		r.Values = make([]float64, len(l.Quantities))
		for i := range r.Values {
			r.Values[i] = report.None()
		}
		r.Values[l.Quantity(l.Floor.Of)] = p.Value
		for i, v := range p.Also {
			r.Values[l.Quantity(l.Floor.Also[i])] = v
		}
		for _, x := range p.Single {
			r.Values[l.Quantity(x.Quantity)] = x.Value
		}
	}
	return r
}

// json is p for those who read what systems print.
func (p *Proof) json(of string) []byte {
	if p.Reason != "" {
		return []byte("{}")
	}
	b := append([]byte{'{'}, member(of, p.Value)...)
	for _, x := range p.Single {
		b = append(append(b, ','), member(x.Quantity, x.Value)...)
	}
	return append(b, '}')
}

// member is a number of a JSON object.
func member(key string, x float64) string {
	return strconv.Quote(key) + ":" + strconv.FormatFloat(x, 'g', -1, 64)
}

// hash is equal for equal proofs.
func (p *Proof) hash(of string) string { return hash.Sum(append(p.json(of), p.Reason...)) }

// noRun is why a proof has neither exports nor sections.
const noRun = "this is a proof of how fast any system can be, and nothing that runs: choose another system"

var errNoRun = errors.New(noRun)

// Running are the systems that run: all but the floor, in their order.
func (l *Info) Running() []System {
	return slices.DeleteFunc(slices.Clone(l.Systems), func(s System) bool { return s.Name == l.Floor.System })
}

// Related returns reports of the same settings, by system, each with its headroom if the
// floor is among them. Reports may be nil; those that are changed are copies.
func (l *Info) Related(systems []string, reports []*report.Report) []*report.Report {
	values := make([][]float64, len(reports))
	for i, r := range reports {
		if r != nil && r.Fits && len(r.Values) > 0 {
			values[i] = r.Values
		}
	}
	l.Relate(systems, values)
	out := slices.Clone(reports)
	for i, r := range reports {
		if values[i] != nil && &values[i][0] != &r.Values[0] {
			x := *r
			x.Values = values[i]
			out[i] = &x
		}
	}
	return out
}

// Relate is Related of the reports' values alone: it puts copies that have their headroom in
// the place of those that get one. Values may be nil.
func (l *Info) Relate(systems []string, values [][]float64) {
	of, to, at := l.Quantity(l.Floor.Of), l.Quantity(l.Floor.Headroom), slices.Index(systems, l.Floor.System)
	if to < 0 || at < 0 || values[at] == nil {
		return
	}
	proved := values[at]
	for i, v := range values {
		s, err := l.System(systems[i])
		if v == nil || i != at && (err != nil || s.Unbounded || s.Bound && s.Name != l.Floor.Known) {
			continue // what is ideal may well be below, and so may what the proof says nothing of
		}
		least := proved[of]
		if err == nil && s.Floor != "" {
			least = proved[l.Quantity(s.Floor)]
		}
		if x := v[of] / least; least > 0 && !math.IsNaN(x) {
			values[i] = slices.Clone(v)
			values[i][to] = x
		}
	}
}
