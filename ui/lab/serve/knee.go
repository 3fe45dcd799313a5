package serve

import (
	"fmt"
	"math"
	"slices"

	core "spillway/sim/serve"
	"spillway/sim/unit"
	"spillway/ui/lab"
	"spillway/ui/lab/own"
)

// What a knee is drawn of: how many requests at each load, at how many loads, and how often the load
// that just keeps the limits is searched between them.
const (
	kneeRequests = 2000
	kneeSearch   = 4
)

// loads are rates as shares of what a burst of requests gets, in thousandths.
var loads = []int64{50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100}

// keeps is the share of requests that must keep both limits, in thousandths.
const keeps = 900

// A load is what happens at a rate.
type loadPoint struct {
	rate             int64 // thousandths of requests a second
	ttft, tpot, e2e  unit.Time
	ttft90           unit.Time
	goodput, perMill int64 // thousandths of requests a second; millionths of a dollar for a million tokens
	good             int64 // share of requests that keep both limits, in thousandths
	hit              int64 // millionths
	answer           int64 // tokens of an answer, in the mean
	short            bool  // a policy may not work so much: everything else is 0
}

// A knee is what a system does at every load.
type knee struct {
	points []loadPoint
	// best is the largest load that keeps the limits; its rate is 0 if none does.
	best  loadPoint
	pause unit.Time // of a user between questions
	// longest is how long a user of the bound may wait for an answer of mean length within both limits; 0 of others.
	longest unit.Time
	bound   *knee // of the bound, which no system is better than; nil of the bound itself, and where there is none
	short   bool  // a policy may not work enough for all loads: there are no points then
}

// users is how many there are at the largest load that keeps the limits, by Little's law: each
// waits for an answer, and pauses before asking again. Of the bound each waits as long as the limits let
// him: a system that is slower within them has more users at the same load. None has more than the bound.
func (k *knee) users() float64 {
	if k.best.rate == 0 {
		return 0
	}
	n := float64(k.best.rate) / 1000 * seconds(max(k.best.e2e, k.longest)+k.pause)
	if k.bound != nil {
		n = min(n, k.bound.users())
	}
	return n
}

// top is the largest rate that is searched: where a system that holds its weights keeps more than the
// bound does, the order of requests did it by chance.
func (k *knee) top() int64 {
	if k.bound == nil {
		return math.MaxInt64
	}
	return k.bound.best.rate
}

func seconds(t unit.Time) float64 { return float64(t) / float64(unit.Second) }

// at is the workload at a rate, in thousandths of requests a second. It is made once for all systems: what requests are is settled
// when a work is loaded (Source).
func (w *work) at(s *settings, rate int64) (*core.Workload, error) {
	if x := w.rates[rate]; x != nil {
		return x, nil
	}
	x, err := w.made(s, rate)
	if err == nil {
		if len(w.rates) > 64 { // searches of other machines leave many behind
			clear(w.rates)
		}
		w.rates[rate] = x
	}
	return x, err
}

func (w *work) made(s *settings, rate int64) (*core.Workload, error) {
	if w.list != nil {
		return w.paced(s, rate)
	}
	r := s.recipe()
	r.Requests = kneeRequests
	r.Arrivals, r.Rate = core.Poisson, rate
	if s.Arrivals == "gamma" {
		r.Arrivals = core.Gamma
	}
	return r.Workload()
}

// burst is the workload with all requests at once.
func (w *work) burst(s *settings) (*core.Workload, error) {
	x := *s
	x.Arrivals = "burst"
	x.Recipe.Requests = kneeRequests
	x.Recipe.Turns = 1
	if w.list != nil {
		return w.paced(&x, 0)
	}
	return x.recipe().Workload()
}

// knee runs a system at every load.
func (w *work) knee(s *settings, system string, p lab.Progress) (*knee, error) {
	key := kneeKey(s, system)
	if k := w.knees[key]; k != nil {
		return k, nil
	}
	x, err := s.setting(system, w.own)
	if err != nil {
		return nil, err
	}
	k := &knee{pause: s.Pause}
	if sys, err := s.system(system); err == nil && sys.Stream == core.Resident && !sys.Free {
		b, err := w.knee(s, bound(), p)
		if err != nil {
			return nil, err
		}
		if len(b.points) > 0 {
			k.bound = b
		}
	}
	most, err := w.most(s, x)
	if err != nil || most < 1 {
		return k, err
	}
	did, as := 0, kneeKey(s, "")
	run := func(rate int64) (loadPoint, error) {
		did++
		if p != nil {
			p(did, len(loads)+kneeSearch)
		}
		at, err := w.loaded(s, &x, as, rate)
		k.short = k.short || at.short
		return at, err
	}
	best := 0
	for i, share := range loads {
		at, err := run(max(1, unit.MulDiv(most, share, 1000)))
		if err != nil {
			return nil, err
		}
		if k.short {
			return w.keep(key, &knee{pause: k.pause, bound: k.bound, short: true}), nil
		}
		k.points = append(k.points, at)
		if at.good >= keeps && best == i && at.rate <= k.top() {
			best, k.best = i+1, at
		}
	}
	if best < len(k.points) {
		low, high := k.best.rate, k.points[best].rate
		next := (low + high) / 2
		if top := k.top(); top < high { // the bound's own comes first
			high, next = top+1, top
		}
		for range kneeSearch {
			if high-low < 2 {
				break
			}
			at, err := run(next)
			if err != nil {
				return nil, err
			}
			if k.short {
				return w.keep(key, &knee{pause: k.pause, bound: k.bound, short: true}), nil
			}
			if at.good >= keeps {
				low, k.best = at.rate, at
			} else {
				high = at.rate
			}
			next = (low + high) / 2
		}
	}
	if sys, err := s.system(system); err == nil && sys.Free && k.best.rate > 0 {
		k.longest = s.Setting.TTFT + s.Setting.TPOT*unit.Time(k.best.answer-1)
	}
	return w.keep(key, k), nil
}

// keep keeps a knee for who asks again.
func (w *work) keep(key string, k *knee) *knee {
	if len(w.knees) > 64 { // nobody asks for so many again
		clear(w.knees)
	}
	w.knees[key] = k
	return k
}

// most is how many thousandths of requests a second are answered of a burst. It is the bound's for all
// that hold the weights, so that these are run at the same loads.
func (w *work) most(s *settings, x core.Setting) (int64, error) {
	if sys, err := core.FindSystem(x.System); err == nil && sys.Stream == core.Resident {
		x.System, x.Policy = bound(), nil
	}
	all, err := w.burst(s)
	if err != nil {
		return 0, err
	}
	r, err := core.Run(all, &x, nil)
	if err != nil {
		return 0, err
	}
	return r.RequestRate(), nil
}

// bound is the name of the system that no other can be better than.
func bound() string {
	list := core.Systems()
	return list[slices.IndexFunc(list, func(x core.System) bool { return x.Free })].Key
}

// kneeKey names what a knee depends on besides the workload: a policy is Yours alone.
func kneeKey(s *settings, system string) string {
	x := *s
	if system != own.Name {
		x.Own, x.Tiers = own.Setting{}, ""
	}
	return fmt.Sprint(system, x)
}

// A met is a load of a system, of settings as kneeKey writes them without one.
type met struct {
	settings, system string
	rate             int64
}

// loaded runs a setting at a rate, and takes what its policy did from what it may still do. Where other systems do the same, it
// is run once for all.
func (w *work) loaded(s *settings, x *core.Setting, key string, rate int64) (at loadPoint, err error) {
	if at, ok := w.met[met{key, x.System, rate}]; ok && x.Policy == nil {
		return at, nil
	}
	asked, err := w.at(s, rate)
	if err != nil {
		return at, err
	}
	r, err := core.Run(asked, x, nil)
	if err != nil {
		return at, err
	}
	if at.short = !spend(x, r); !r.Ran() || at.short {
		return at, nil
	}
	at = loadPoint{
		rate: rate, answer: r.Answers / int64(len(r.Requests)), ttft: r.TTFT.Mean, ttft90: r.TTFT.P90, tpot: r.TPOT.Mean, e2e: r.E2E.Mean,
		goodput: r.Goodput(), perMill: r.PerMillion(), good: 1000 * r.Good / int64(len(r.Requests)), hit: r.HitRate(),
	}
	if len(w.met) > 1024 { // searches of other machines leave many behind
		clear(w.met)
	}
	for _, sys := range core.Systems() {
		if sys.Key != x.System && r.Serves(&sys) {
			w.met[met{key, sys.Key, rate}] = at
		}
	}
	return at, nil
}

// sorted are the loads in order, the largest that keeps the limits among them.
func (k *knee) sorted() []loadPoint {
	list := slices.Clone(k.points)
	if k.best.rate > 0 && !slices.ContainsFunc(list, func(p loadPoint) bool { return p.rate == k.best.rate }) {
		list = append(list, k.best)
	}
	slices.SortFunc(list, func(a, b loadPoint) int { return int(max(-1, min(1, a.rate-b.rate))) })
	return list
}
