package serve

import (
	"fmt"
	"math"
	"slices"

	"spillway/sim/portable"
	"spillway/sim/unit"
)

// Bound returns numbers that no system of a setting is better than whose weights stay on the GPUs, whatever its tiers, policies and
// order: each for itself, as no system need reach two of them at once. Run gives them as the system with every prefix at hand,
// where the weights and the longest request have room. Of the result these are set: Time (no run is shorter), TTFT, TPOT and E2E
// (each of their numbers), Good (no run has more), Tokens (none computes fewer), Requests (each alone), Doing, Compute and HBM (in
// such a time), and what follows of these, as OutputRate, Goodput, HitRate and PerMillion. The error is Run's.
//
// # Proof
//
// A request of which others had h tokens of the prompt before computes the other n, in steps of at most so many tokens: m steps
// or more. A step takes (G^q + R^q)^(1/q) and what adds up. By Minkowski's inequality steps together take no less than the same of
// the sums of G and of R, which are the operations of n tokens and m times the weights of one. Other tokens in a step make it longer.
// What others compute of these n meanwhile, where they come later and are faster, takes the same time of the same GPUs. Before that
// the request is in the front end. Of all requests together somebody computes each block once.
//
// A further token takes a step or more. One that decodes has the weights, what a step costs and its own keys and values. One
// that was computed again, where memory may be over, has instead of the last two the attention of one token.
//
// All copies together have no more time than their number times that of the run, in which the same sums of all requests have
// room. The longest request, and each behind the one that it follows, has to come and be answered; of users each has one request
// at a time. A request counts as good only where it keeps
// the limits alone, and only so many are good as have room, with prompts and answers, until the last of them has to be answered
// (good).
//
// It is loose where requests wait for each other or for memory: nothing of that is in it.
func Bound(w *Workload, given *Setting) (*Result, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	if sys, err := FindSystem(given.System); err != nil {
		return nil, err
	} else if sys.Stream != Resident {
		return nil, fmt.Errorf("%s has weights elsewhere; nothing is proven of it", sys.Title)
	}
	own := *given
	own.System = free()
	s, sys, eng, err := own.resolve()
	if err != nil {
		return nil, err
	}
	b := &bounds{
		Setting: s, w: w, cost: newCost(s, eng, ChipOf(&s.Node.GPU, s.Engine, s.Weights, Resident), sys),
		r: &Result{System: free(), Replicas: s.replicas(), Memory: s.footprint(eng, sys, 1)},
	}
	b.r.prices(s)
	b.r.Requests = make([]Served, len(w.Requests))
	b.fixed = w.Users == 0 && !slices.ContainsFunc(w.Requests, func(q Request) bool { return q.After >= 0 })
	b.alone()
	if slices.ContainsFunc(b.r.Requests, func(v Served) bool { return v.Done >= mostRun }) {
		b.r.refused(tooLate())
		return b.r, nil
	}
	b.together()
	return b.r, nil
}

// free is the key of the system whose numbers Bound's are.
func free() string {
	list := Systems()
	return list[slices.IndexFunc(list, func(x System) bool { return x.Free })].Key
}

// bounds is Bound while it is made.
type bounds struct {
	*Setting
	w     *Workload
	cost  *cost
	r     *Result
	fixed bool // when requests come does not hang on answers

	work   []work // of prompts
	answer work   // of further tokens
}

// work is what steps have to do at least.
type work struct {
	tokens int64
	rest   unit.Time // what adds up besides products and steps
}

// add adds what others do.
func (w *work) add(x work) {
	w.tokens += x.tokens
	w.rest = after(w.rest, x.rest)
}

// slack is what rounding of floating-point numbers may do, in billionths.
const slack = 10

// takes is how long it takes at least, in so many steps, 0 of what others' steps may do.
func (c *cost) takes(x *work, steps int64) unit.Time {
	if x.tokens == 0 {
		return 0
	}
	one := c.touched(1)
	const ps = 1e12
	g := float64(float64(2*float64(c.used))*float64(x.tokens)) / float64(c.peak) * ps * thousand / float64(c.chip.Products)
	r := 0.0
	if steps > 0 {
		r = max(float64(one*float64(steps)), c.touched(x.tokens)) / float64(c.hbm) * ps * thousand / float64(c.chip.Weights)
	}
	t := span(rounded(g, r) * (1 - slack/1e9))
	return after(after(t, times(c.step+c.hop, steps, mostRun)), max(0, x.rest-unit.Time(steps)))
}

// alone is what each request takes with nothing else under way.
func (b *bounds) alone() {
	free, all := b.hits()
	var first, each, whole []unit.Time
	front := unit.Time(0)
	for i := range b.w.Requests {
		q, v := &b.w.Requests[i], &b.r.Requests[i]
		h, n := free[i], int64(q.Prompt)-free[i]
		x := b.prompt(h, n)
		prompt := b.cost.takes(&x, (n+b.Tokens-1)/b.Tokens)
		answers := b.tokens(q)
		b.work = append(b.work, b.prompt(all[i], int64(q.Prompt)-all[i]))
		b.answer.add(work{tokens: int64(q.Output) - 1, rest: answers})
		v.Arrive = q.At
		if q.After >= 0 {
			v.Arrive = max(q.At, after(b.r.Requests[q.After].Done, q.Think))
		}
		front = after(v.Arrive, b.Front)
		if b.fixed && b.r.Replicas == 1 && i > 0 {
			front = after(max(v.Arrive, b.r.Requests[i-1].Admit), b.Front)
		}
		one := b.cost.takes(&work{tokens: 1}, 1)
		v.Admit, v.Start = front, front
		v.First = after(front, prompt)
		v.Done = after(v.First, after(times(one, int64(q.Output)-1, mostRun), answers))
		v.Phases[Front], v.Phases[Prefill] = front-v.Arrive, v.First-front
		v.Tokens[InHBM], v.Tokens[Computed] = int32(h), int32(n)
		first, whole = append(first, v.First-v.Arrive), append(whole, v.Done-v.Arrive)
		good := b.TTFT == 0 || v.First-v.Arrive <= b.TTFT
		if q.Output > 1 {
			t := (v.Done - v.First) / unit.Time(q.Output-1)
			each = append(each, t)
			good = good && (b.TPOT == 0 || t <= b.TPOT)
		}
		if good {
			b.r.Good++
		}
		b.r.Prompts += int64(q.Prompt)
		b.r.Answers += int64(q.Output)
		b.r.Tokens[InHBM] += all[i]
		b.r.Tokens[Computed] += int64(q.Prompt) - all[i]
	}
	b.r.TTFT, b.r.TPOT, b.r.E2E = spread(first), spread(each), spread(whole)
}

// hits are the tokens of prompts that others had before at most. Of each request: what anybody had who came before, and where
// that hangs on answers anybody but those that follow it. Of all together it hangs on nothing: whoever comes first to a block,
// somebody has to compute it.
func (b *bounds) hits() (each, all []int64) {
	each = make([]int64, len(b.w.Requests))
	block := int64(b.w.Block)
	if block == 0 {
		return each, each
	}
	// Of each block who had it first, in the order of the list, and who last of those that follow each other from there,
	// −1 where others have it, too.
	type holders struct{ first, last int32 }
	names, count := name(b.w)
	had := make([]holders, count)
	for i := range had {
		had[i].first = -1
	}
	rest := names
	for i := range b.w.Requests {
		q := &b.w.Requests[i]
		for _, x := range rest[:len(q.Blocks)] {
			h := &had[x]
			switch {
			case h.first < 0:
				h.first, h.last = int32(i), int32(i)
			case h.last == int32(i):
			case q.After >= 0 && q.After == h.last:
				h.last = int32(i)
			default:
				h.last = -1
			}
		}
		rest = rest[len(q.Blocks):]
	}
	all, rest = make([]int64, len(b.w.Requests)), names
	for i := range b.w.Requests {
		q := &b.w.Requests[i]
		mine := func(x int32) bool { return had[x].first == int32(i) }
		most := min(int64(len(q.Blocks)), (int64(q.Prompt)-1)/block)
		all[i] = block * until(rest[:most], mine)
		each[i] = all[i]
		if !b.fixed {
			each[i] = block * until(rest[:most], func(x int32) bool { return mine(x) && had[x].last >= 0 })
		}
		rest = rest[len(q.Blocks):]
	}
	return each, all
}

// until is how many blocks there are before the first of which something holds.
func until(blocks []int32, holds func(x int32) bool) int64 {
	if i := slices.IndexFunc(blocks, holds); i >= 0 {
		return int64(i)
	}
	return int64(len(blocks))
}

// prompt is what computing n tokens of a prompt is that come behind so many.
func (b *bounds) prompt(before, n int64) work {
	return work{tokens: n, rest: after(b.cost.attention(pairsOf(before, n)), b.ring(n))}
}

// tokens is what all further tokens of a request take besides products and steps.
func (b *bounds) tokens(q *Request) unit.Time {
	n := int64(q.Output) - 1
	decode := (&line{b.cost.each, b.cost.keys}).over(int64(q.Prompt)+1, 1, 0, n)
	if b.Reserve != WholeText {
		again := b.cost.attention(n*(int64(q.Prompt)+1)+n*(n-1)/2) - unit.Time(n)
		decode = min(decode, max(0, again))
	}
	return after(decode, b.ring(n))
}

// ring is what bytes of collectives of so many tokens take.
func (b *bounds) ring(n int64) unit.Time {
	if b.cost.ring == 0 {
		return 0
	}
	return lasts(b.cost.ring, unit.Bytes(unit.MulDiv(int64(b.cost.hopBytes), n, 1)))
}

// together is how long all take, and how many can be good.
func (b *bounds) together() {
	n := int64(len(b.w.Requests))
	begin, end, last := never, unit.Time(0), unit.Time(0)
	sum := total{}
	for i := range b.r.Requests {
		v := &b.r.Requests[i]
		begin, end, last = min(begin, v.Arrive), max(end, v.Done), max(last, v.Arrive)
		sum.add(v.Done-v.Arrive, 1)
	}
	b.r.Time = end - begin
	if users := int64(b.w.Users); users > 0 && n > users {
		sum.add(b.w.Think, n-users)
		b.r.Time = max(b.r.Time, sum.over(users))
	}
	all := b.answer
	for i := range b.work {
		all.add(b.work[i])
	}
	// Steps have at most so many tokens, and of each sequence that decodes one.
	wide := max(b.Tokens, b.Sequences)
	steps := max((all.tokens+wide-1)/wide, (b.answer.tokens+b.Sequences-1)/b.Sequences)
	busy := b.cost.takes(&all, steps) / unit.Time(b.r.Replicas)
	b.r.Time = max(b.r.Time, busy)
	b.busy(&all, steps, busy)
	if !b.fixed || b.TTFT == 0 || b.TPOT == 0 {
		return
	}
	most := unit.Time(0)
	for i := range b.w.Requests {
		most = max(most, times(b.TPOT+1, int64(b.w.Requests[i].Output)-1, mostRun))
	}
	room := times(after(last-begin+b.TTFT, most), b.r.Replicas, mostRun)
	for _, share := range []float64{1, 0.97, 0.88, 0.7} {
		b.r.Good = min(b.r.Good, b.good(share, room))
	}
}

// good is how many requests that keep both limits have room in a time of all copies, of those that take least. Of a rounded
// roofline of G and R so much of G is counted, and of R what is left of a sum that is never longer (Hölder's inequality).
//
// A further token that decodes takes operations, its keys and values and what a sequence costs; one that is computed again
// takes those of all tokens of its answer so far. Where the mean of a good request's tokens is within its limit, so many steps are
// made that none of them, weighed by its tokens, is longer in the mean: each has at most what the limit leaves for tokens.
func (b *bounds) good(share float64, room unit.Time) int64 {
	const conjugate = rounding / (rounding - 1)
	c, ps := b.cost, 1e12*(1-slack/1e9)
	rest := 0.0
	if share < 1 {
		rest = portable.Exp(portable.Log(1-portable.Exp(float64(conjugate*portable.Log(share)))) / conjugate)
	}
	one := float64(float64(2*float64(c.used))/float64(c.peak)*ps*share) * thousand / float64(c.chip.Products)
	fixed := float64(float64(c.touched(1)/float64(c.hbm)*ps*rest)*thousand)/float64(c.chip.Weights) + float64(c.step+c.hop)
	if float64(b.TPOT) <= fixed {
		return int64(len(b.work)) // who is good then, alone says
	}
	each := make([]float64, len(b.work))
	least := math.Inf(1)
	tokens := make([]float64, len(b.work))
	for i := range b.w.Requests {
		q := &b.w.Requests[i]
		n := int64(q.Output) - 1
		tokens[i] = float64(n)
		each[i] = float64(one*float64(b.work[i].tokens)) + float64(max(0, b.work[i].rest-1))
		if n == 0 {
			continue
		}
		sum, line := 0.0, &line{c.each, c.keys}
		k := int64(0)
		if b.Reserve != WholeText {
			// While all of the answer so far takes less than the keys and values of a token.
			for ; k < min(n, again); k++ {
				read, anew := float64(line.at(int64(q.Prompt)+1+k)), one*float64(k+1)
				if read <= anew && float64(c.keys) <= one { // from here on, too
					break
				}
				sum += min(read, anew)
			}
			if k == again && n > k {
				sum += float64(float64(n-k) * min(one*float64(again), float64(line.at(int64(q.Prompt)+1+k))))
				k = n
			}
		}
		sum += float64(line.over(int64(q.Prompt)+1, 1, k, n))
		each[i] += float64(one*tokens[i]) + sum
		least = min(least, one+min(one, float64(line.at(int64(q.Prompt)+1))))
	}
	for i, n := range tokens {
		if n > 0 {
			each[i] += float64(float64(n*least) * fixed / (float64(b.TPOT+1) - fixed))
		}
	}
	slices.Sort(each)
	good, used := int64(0), 0.0
	for _, x := range each {
		if used += x; used*(1-slack/1e9) > float64(room) {
			break
		}
		good++
	}
	return good
}

// again is for how many tokens of an answer it is looked at whether computing them again is less than reading.
const again = 1000

// busy says what copies do, in the mean of all.
func (b *bounds) busy(all *work, steps int64, busy unit.Time) {
	var prompts work
	for i := range b.work {
		prompts.add(b.work[i])
	}
	each := [Doings]unit.Time{Idle: b.r.Time - busy}
	each[Reading] = min(busy, b.cost.takes(&prompts, (prompts.tokens+b.Tokens-1)/b.Tokens)/unit.Time(b.r.Replicas))
	each[Answering] = busy - each[Reading]
	for range b.r.Replicas {
		b.r.Doing = append(b.r.Doing, each)
	}
	var read, computed total
	for i := range b.w.Requests {
		q, v := &b.w.Requests[i], &b.r.Requests[i]
		computed.add(works(pairsOf(int64(v.Tokens[InHBM]), int64(v.Tokens[Computed])), b.cost.pairs, b.cost.peak2), 1)
		read.add((&line{slope: b.cost.keysIdeal}).over(int64(q.Prompt)+1, 1, 0, int64(q.Output)-1), 1)
	}
	const ps = 1e12
	computed.add(span(float64(2*float64(b.cost.used))*float64(all.tokens)/float64(b.cost.peak)*ps), 1)
	read.add(span(float64(b.cost.touched(1)*float64(steps))/float64(b.cost.hbm)*ps), 1)
	b.r.Compute.Busy, b.r.HBM.Busy = min(busy, computed.over(b.r.Replicas)), min(busy, read.over(b.r.Replicas))
}

// touched is how many bytes of weights a step of n tokens reads.
func (c *cost) touched(n int64) float64 {
	bytes := float64(c.dense)
	if c.expert > 0 {
		touched := 1.0
		if c.active < 1 {
			touched = 1 - portable.Exp(float64(n)*portable.Log(1-c.active))
		}
		bytes += float64(float64(c.expert) * touched)
	}
	return bytes
}

// rounded is a rounded roofline of two times.
func rounded(g, r float64) float64 {
	high, low := max(g, r), min(g, r)
	if low <= 0 {
		return high
	}
	return high * portable.Exp(portable.Log(1+portable.Exp(rounding*portable.Log(low/high)))/rounding)
}
