package serve

import (
	"fmt"
	"math"
	"math/rand/v2"

	"spillway/sim/portable"
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
	Rate     int64 // thousandths of requests a second, of Poisson and Gamma
	CV       int64 // of Gamma: spread of the times between requests, in thousandths of their mean
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

// between draws a time between two requests at a rate.
func (d draw) between(kind Arrival, rate, cv int64) unit.Time {
	mean := float64(thousand*int64(unit.Second)) / float64(rate)
	switch kind {
	case Poisson:
		return unit.Time(-float64(mean * portable.Log(d.one())))
	case Gamma:
		return unit.Time(float64(mean * d.gamma(float64(cv)/thousand)))
	}
	return 0
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

// times are when requests come.
func (r *Recipe) times(d draw) []unit.Time {
	switch r.Arrivals {
	case Burst, Closed:
		return make([]unit.Time, r.Requests)
	}
	var list []unit.Time
	if len(r.Stages) == 0 {
		t := unit.Time(0)
		for range r.Requests {
			t += d.between(r.Arrivals, r.Rate, r.CV)
			list = append(list, t)
		}
		return list
	}
	from := unit.Time(0)
	for _, s := range r.Stages {
		for t := from; s.Rate > 0; {
			t += d.between(r.Arrivals, s.Rate, r.CV)
			if t >= from+s.Time || len(list) > MostRequests {
				break
			}
			list = append(list, t)
		}
		from += s.Time
	}
	return list
}

// check says which number cannot be.
func (r *Recipe) check() error {
	for _, v := range []struct {
		what             string
		value, low, most int64
	}{
		{"kind of arrivals", int64(r.Arrivals), 0, int64(Closed)},
		{"requests", r.Requests, 1, MostRequests},
		{"rate, in thousandths of requests a second", r.Rate, 1, 1_000_000_000},
		{"spread of arrivals, in thousandths", r.CV, 10, 10_000},
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
	times := r.times(draw{rand.New(rand.NewPCG(uint64(r.Seed), 2))})
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
	fresh := Block(r.Groups * shared) // names of blocks that nobody shares
	turns := int(max(r.Turns, 1))
	w.Requests = make([]Request, 0, len(times))
	for i := 0; i < len(times); i += turns {
		var blocks []Block
		var base int64 // tokens before this turn
		if r.Groups > 0 {
			base = int64(r.Shared)
			g := d.group(sums)
			for k := range shared {
				blocks = append(blocks, Block(g*shared+k))
			}
		}
		for turn := range min(turns, len(times)-i) {
			input, output := d.length(r.Input), d.length(r.Output)
			q := Request{At: times[i/turns], Output: output, After: -1}
			switch {
			case turn > 0:
				q.At, q.After, q.Think = 0, int32(i+turn-1), r.Think
				input += int32(base)
			case r.Groups > 0:
				input = max(input, r.Shared+1)
			}
			if int64(input)+int64(output) > MostTokens {
				return nil, fmt.Errorf("request %d has %d tokens; take shorter turns, or fewer of them", i+turn+1, int64(input)+int64(output))
			}
			q.Prompt = input
			if turns > 1 {
				for int64(len(blocks)+1)*int64(block) <= int64(input)+int64(output) {
					blocks = append(blocks, fresh)
					fresh++
				}
			}
			q.Blocks = blocks[:len(blocks):len(blocks)]
			base = int64(input) + int64(output)
			w.Requests = append(w.Requests, q)
		}
	}
	return w, w.Check()
}
