package serve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"spillway/sim/portable"
	"spillway/sim/serve/load"
	"spillway/sim/unit"
)

// An Arrival is how requests come.
type Arrival uint8

// The kinds of arrivals.
const (
	Burst   Arrival = iota // all at once
	Poisson                // independently of each other, at a rate
	Gamma                  // the same with another spread of the times between
	Closed                 // so many users, each of whom waits for the answer
)

// A Stage is a part of a run with a rate of its own.
type Stage struct {
	Rate int64 // thousandths of requests a second
	Time unit.Time
}

// A Length is how many tokens prompts or answers have: Mean of them, with Sigma of the logarithm in thousandths
// (0: all the same), at most Max (0: no limit).
type Length struct {
	Mean, Max int32
	Sigma     int64
}

// A Recipe makes a workload, the same one each time.
type Recipe struct {
	Arrivals Arrival
	Requests int64
	// Rate is thousandths of requests a second, of Poisson and Gamma. Each turn of a conversation is a request: conversations
	// begin at a rate that is as many times smaller as they have turns.
	Rate int64
	CV   int64 // of Gamma: spread of the times between requests, in thousandths of their mean
	// Stages follow each other, with arrivals of the kind; then neither Rate nor Requests count. What tiers hold stays.
	Stages []Stage
	Users  int64 // of Closed
	Think  unit.Time

	Input, Output Length
	// Groups share so many tokens at the beginning of their prompts, which Input counts too; Zipf draws groups unevenly, in
	// thousandths of its exponent. 0 groups: nothing is shared.
	Groups int64
	Shared int32
	Zipf   int64
	// Turns are questions of a conversation: each has the text before it, and the answer, as its beginning, and Input more. The
	// next comes Think after the answer. 1 or 0: there are no conversations. Requests counts every turn. In a closed loop of
	// fewer users than conversations, all of these have their first turn, then all their second.
	Turns int64

	Block int32 // tokens of a block, 0: 16
	Seed  int64
}

// draw is what random numbers of a recipe are made of.
type draw struct{ *rand.Rand }

// one is above 0 and at most 1.
func (d draw) one() float64 { return float64(float64(d.Uint64()>>11+1) / (1 << 53)) }

// normal is a number of the normal distribution, near enough: twelve even ones.
func (d draw) normal() float64 {
	sum := -6.0
	for range 12 {
		sum += d.one()
	}
	return sum
}

// length draws one.
func (d draw) length(l Length) int32 {
	n := float64(l.Mean)
	if l.Sigma > 0 {
		s := float64(l.Sigma) / thousand
		n *= portable.Exp(float64(s*d.normal()) - float64(float64(s*s)/2))
	}
	most := float64(MostTokens)
	if l.Max > 0 {
		most = float64(l.Max)
	}
	return int32(max(1, min(most, math.Floor(n+0.5))))
}

// gamma draws a number of the gamma distribution with mean 1 (Marsaglia and Tsang, 2000).
func (d draw) gamma(cv float64) float64 {
	shape := 1 / float64(cv*cv)
	a, boost := shape, 1.0
	if a < 1 {
		boost = portable.Exp(portable.Log(d.one()) / a)
		a++
	}
	k := a - 1.0/3
	c := 1 / math.Sqrt(9*k)
	for {
		x := d.normal()
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v = float64(v*v) * v
		if portable.Log(d.one()) < float64(float64(0.5*x)*x)+k-float64(k*v)+float64(k*portable.Log(v)) {
			return float64(float64(k*v)*boost) / shape
		}
	}
}

// between draws a time between two requests at a rate, of which each stands for so many.
func (d draw) between(kind Arrival, rate, cv, turns int64) unit.Time {
	mean := float64(thousand*int64(unit.Second)*turns) / float64(rate)
	switch kind {
	case Poisson:
		mean = -float64(mean * portable.Log(d.one()))
	case Gamma:
		mean = float64(mean * d.gamma(float64(cv)/thousand))
	default:
		return 0
	}
	return unit.Time(min(mean, float64(load.Latest+unit.Second))) // later than any, and twice that is still a time
}

// group draws one of the sums of a distribution.
func (d draw) group(sums []float64) int64 {
	x := float64(d.one() * sums[len(sums)-1])
	low, high := 0, len(sums)-1
	for low < high {
		if mid := (low + high) / 2; sums[mid] >= x {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return int64(low)
}

// turns is how many questions a conversation has.
func (r *Recipe) turns() int64 { return max(r.Turns, 1) }

// times are when requests come, of conversations their first.
func (r *Recipe) times(d draw) ([]unit.Time, error) {
	turns := r.turns()
	starts := (r.Requests + turns - 1) / turns
	switch {
	case r.Arrivals == Burst || r.Arrivals == Closed:
		return make([]unit.Time, starts), nil
	case len(r.Stages) == 0:
		list := make([]unit.Time, 0, starts)
		t := unit.Time(0)
		for i := range starts {
			if t += d.between(r.Arrivals, r.Rate, r.CV, turns); t > load.Latest {
				return nil, fmt.Errorf("request %d of %d would come after more than %v; take a higher rate, or fewer requests", i*turns+1, r.Requests, load.Latest)
			}
			list = append(list, t)
		}
		return list, nil
	}
	var list []unit.Time
	from := unit.Time(0)
	for i, s := range r.Stages {
		if s.Rate < 0 || s.Rate > mostRate || s.Time < 0 || s.Time > load.Latest-from {
			return nil, fmt.Errorf("stage %d: %d thousandths of requests a second are not between 0 and %d, or it ends after more than %v", i+1, s.Rate, mostRate, load.Latest)
		}
		for t := from; s.Rate > 0; {
			if t += d.between(r.Arrivals, s.Rate, r.CV, turns); t >= from+s.Time {
				break
			}
			if list = append(list, t); int64(len(list))*turns > MostRequests {
				return nil, fmt.Errorf("stage %d: more than %d requests come; take lower rates, or shorter stages", i+1, MostRequests)
			}
		}
		from += s.Time
	}
	return list, nil
}

// The limits of Recipe.CV, in thousandths. At the upper one most requests come together, and a few after very long.
const (
	LeastCV = 10
	MostCV  = 20_000
)

// mostRate is that of a rate, in thousandths of requests a second.
const mostRate = 1_000_000_000

// check says which number cannot be.
func (r *Recipe) check() error {
	for _, v := range []struct {
		what             string
		value, low, most int64
	}{
		{"kind of arrivals", int64(r.Arrivals), 0, int64(Closed)},
		{"requests", r.Requests, 1, MostRequests},
		{"rate, in thousandths of requests a second", r.Rate, 1, mostRate},
		{"spread of arrivals, in thousandths", r.CV, LeastCV, MostCV},
		{"users", r.Users, 1, MostRequests},
		{"time to think, in picoseconds", int64(r.Think), 0, int64(day)},
		{"tokens of a prompt", int64(r.Input.Mean), 1, MostTokens},
		{"tokens of an answer", int64(r.Output.Mean), 1, MostTokens},
		{"most tokens of a prompt", int64(r.Input.Max), 0, MostTokens},
		{"most tokens of an answer", int64(r.Output.Max), 0, MostTokens},
		{"spread of prompts, in thousandths", r.Input.Sigma, 0, 5000},
		{"spread of answers, in thousandths", r.Output.Sigma, 0, 5000},
		{"groups", r.Groups, 0, MostRequests},
		{"shared tokens", int64(r.Shared), 0, MostTokens},
		{"unevenness of groups, in thousandths", r.Zipf, 0, 5000},
		{"turns", r.Turns, 0, 1000},
		{"tokens of a block", int64(r.Block), 0, MostTokens},
	} {
		poor := v.what == "rate, in thousandths of requests a second" && (r.Arrivals == Burst || r.Arrivals == Closed || len(r.Stages) > 0) ||
			v.what == "spread of arrivals, in thousandths" && r.Arrivals != Gamma || v.what == "users" && r.Arrivals != Closed ||
			v.what == "requests" && len(r.Stages) > 0
		if !poor && (v.value < v.low || v.value > v.most) {
			return fmt.Errorf("%s: %d is not between %d and %d", v.what, v.value, v.low, v.most)
		}
	}
	return nil
}

// Workload makes it. The error says which number cannot be.
func (r *Recipe) Workload() (*Workload, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	d := draw{rand.New(rand.NewPCG(uint64(r.Seed), 1))}
	block := r.Block
	if block == 0 {
		block = 16
	}
	w := &Workload{Name: "requests by recipe", Block: block, Think: r.Think}
	if r.Arrivals == Closed {
		w.Users = int32(r.Users)
	}
	times, err := r.times(draw{rand.New(rand.NewPCG(uint64(r.Seed), 2))})
	if err != nil {
		return nil, err
	}
	if len(times) == 0 {
		return nil, fmt.Errorf("no request comes in %d stages", len(r.Stages))
	}
	shared := int64(0)
	var sums []float64
	if r.Groups > 0 {
		shared = int64(r.Shared / block)
		s := 0.0
		for i := range r.Groups {
			s += portable.Exp(-float64(float64(r.Zipf)/thousand) * portable.Log(float64(i+1)))
			sums = append(sums, s)
		}
	}
	turns := int(r.turns())
	all := turns * len(times)
	if len(r.Stages) == 0 {
		all = int(r.Requests)
	}
	// Names are given when somebody first has a block, so that there are no more than MostBlocks.
	fresh, total := Block(0), int64(0)
	beginnings := map[int64][]Block{}
	w.Requests = make([]Request, 0, all)
	for _, at := range times {
		var blocks []Block
		var base int64 // tokens before this turn
		if r.Groups > 0 {
			base = int64(r.Shared)
			g := d.group(sums)
			if beginnings[g] == nil {
				for range shared {
					blocks = append(blocks, fresh)
					fresh++
				}
				beginnings[g] = blocks
			}
			blocks = slices.Clip(beginnings[g])
		}
		for turn := range min(turns, all-len(w.Requests)) {
			input, output := d.length(r.Input), d.length(r.Output)
			q := Request{At: at, Output: output, After: -1}
			i := len(w.Requests)
			switch {
			case turn > 0:
				q.At, q.After, q.Think = 0, int32(i-1), r.Think
				input += int32(base)
			case r.Groups > 0:
				input = max(input, r.Shared+1)
			}
			if int64(input)+int64(output) > MostTokens {
				return nil, fmt.Errorf("request %d has %d tokens, more than %d; take shorter prompts and answers, or fewer turns", i+1, int64(input)+int64(output), MostTokens)
			}
			q.Prompt = input
			if turns > 1 {
				for int64(len(blocks)+1)*int64(block) <= int64(input)+int64(output) {
					blocks = append(blocks, fresh)
					fresh++
				}
			}
			if total += int64(len(blocks)); total > MostBlocks {
				return nil, load.TooManyBlocks(i, block)
			}
			q.Blocks = blocks[:len(blocks):len(blocks)]
			base = int64(input) + int64(output)
			w.Requests = append(w.Requests, q)
		}
	}
	return w, w.Check()
}
