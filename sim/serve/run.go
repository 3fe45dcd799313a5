package serve

import (
	"errors"
	"fmt"
	"slices"

	"spillway/sim/latency"
	"spillway/sim/policy"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// engine is a run.
type engine struct {
	setting  *Setting
	system   *System
	cost     *cost
	rates    rates
	requests []Request
	all      []sequence
	result   *Result
	whole    bool // sequences take memory for all that they may have
	capacity int64
	single   bool // steps are never skipped: for tests

	block  int64
	names  []int32 // blocks of all requests, as small numbers
	offset []int32 // where a request's are
	mine   []bool  // of names: the request has the block in GPU memory, with others

	since    []unit.Time // of requests: how long memory was short until they waited
	hostDone []unit.Time // when what comes from host memory is there

	gap       latency.Counts
	gapSum    total
	gapTokens int64
	gapMost   unit.Time

	replicas []replica
	coming   []int32 // requests that follow others: a heap by time, then number
	at       []unit.Time
	followed []int32 // of requests: the first that follows it, −1 none; next has the others
	follow   []int32
	opened   int // requests of the list that came
	ended    int
	late     bool // the run is longer than mostRun
	begun    bool
	users    int64       // of a closed loop
	free     int64       // of them, who have nothing to send
	think    unit.Time   // of a user
	pool     queue       // requests that users can send next, behind those that follow none
	from     []unit.Time // of them: the earliest

	interval unit.Time
	progress report.Progress
	watch    *watch // nil where nobody looks
	asks     *asks  // nil without a policy that somebody wrote
}

// Run serves a workload. The error says which number of a setting or a request cannot be; what a machine cannot hold is in
// Result.Refused.
func Run(w *Workload, s *Setting, p report.Progress) (*Result, error) {
	return run(w, s, p, false, nil)
}

func run(w *Workload, given *Setting, p report.Progress, single bool, look *watch) (*Result, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	s, sys, eng, err := given.resolve()
	if err != nil {
		return nil, err
	}
	longest, shortest := int64(0), int64(MostTokens)
	for i := range w.Requests {
		n := int64(w.Requests[i].Prompt) + int64(w.Requests[i].Output)
		longest, shortest = max(longest, n), min(shortest, n)
	}
	r := &Result{System: sys.Key, Replicas: s.replicas(), Memory: s.footprint(eng, sys, longest)}
	r.prices(s)
	if r.Refused = s.refuse(&r.Memory, sys, longest); r.Refused != "" {
		return r, nil
	}
	if sys.Free {
		b, err := Bound(w, given)
		if err == nil && given.Policy != nil {
			b.Script = &policy.Account{} // nothing is asked
		}
		if err == nil && look != nil && b.Ran() {
			look.alone(b)
		}
		return b, err
	}
	e, err := s.start(w, sys, eng, r)
	if err != nil {
		return nil, err
	}
	e.single, e.progress, e.watch = single, p, look
	e.serve()
	if e.asks != nil {
		said := e.asks.Account()
		r.Script = &said
		if e.asks.Over() {
			e.giveUp(e.asks.Says())
			return r, nil
		}
	}
	if e.late {
		e.giveUp(tooLate())
		return r, nil
	}
	e.measure()
	return r, nil
}

// start is a run that has not begun, of a setting that is filled in and fits.
func (s *Setting) start(w *Workload, sys *System, eng *Engine, r *Result) (*engine, error) {
	e := &engine{
		setting: s, system: sys, rates: s.rates(), requests: w.Requests, result: r,
		cost: newCost(s, eng, ChipOf(&s.Node.GPU, s.Engine, s.Weights, sys.Stream), sys), capacity: r.Memory.KVTokens,
		whole: s.Reserve == WholeText, users: int64(w.Users), think: w.Think, interval: 1,
	}
	return e, e.prepare(w)
}

// tooLate says why a run that is longer than mostRun is none, and what to do.
func tooLate() string {
	return fmt.Sprintf("it takes longer than %d days, or one step longer than %d; take fewer requests, shorter ones, a higher rate, or a faster machine", mostRun/day, mostStep/day)
}

// giveUp leaves of a result only why there is none.
func (e *engine) giveUp(why string) {
	e.result.refused(fmt.Sprintf("gave up after %d of %d requests: %s", e.ended, len(e.requests), why))
}

func (r *Result) refused(why string) {
	*r = Result{
		System: r.System, Memory: r.Memory, Replicas: r.Replicas, Script: r.Script, MilliWatts: r.MilliWatts, Price: r.Price, KWh: r.KWh, Years: r.Years, Endurance: r.Endurance,
		Refused: why,
	}
}

// mostNamed is how many blocks all replicas may know: each takes fifty bytes of a tab's memory.
const mostNamed = 1 << 26

// prepare gives every request and every replica its place. The error is about more blocks than mostNamed.
func (e *engine) prepare(w *Workload) error {
	n := len(w.Requests)
	e.result.Requests = make([]Served, n)
	e.all = make([]sequence, n)
	e.since, e.hostDone, e.at = make([]unit.Time, n), make([]unit.Time, n), make([]unit.Time, n)
	e.followed, e.follow = make([]int32, n), make([]int32, n)
	e.offset = make([]int32, n+1)
	e.block = int64(w.Block)
	for i := range n {
		e.all[i].place = -1
		e.followed[i], e.follow[i] = -1, -1
		e.offset[i+1] = e.offset[i]
		if e.system.Prefix {
			e.offset[i+1] += int32(len(w.Requests[i].Blocks))
		}
	}
	for i := n - 1; i >= 0; i-- {
		if a := w.Requests[i].After; a >= 0 {
			e.follow[i], e.followed[a] = e.followed[a], int32(i)
		}
	}
	count := 0
	if e.system.Prefix {
		e.names, count = name(w)
	}
	if int64(count)*e.result.Replicas > mostNamed {
		return fmt.Errorf("prompts have %d different blocks, and %d copies know each: more than %d; take fewer requests, shorter prompts, or fewer copies", count, e.result.Replicas, mostNamed)
	}
	e.mine = make([]bool, len(e.names))
	e.replicas = make([]replica, e.result.Replicas)
	for i := range e.replicas {
		r := &e.replicas[i]
		*r = replica{engine: e, number: int32(i), next: never}
		if !e.system.Prefix || e.block == 0 {
			continue
		}
		r.refs, r.cached = make([]int32, count), newBlocks(count, 0)
		r.uses, r.lost = make([]uint8, count), make([]bool, count)
		if e.system.Host {
			r.host = newBlocks(count, e.result.Memory.Host/e.block)
		}
		if e.system.Drive {
			r.drive, r.held = newBlocks(count, e.result.Memory.Drive/e.block), make([]bool, count)
		}
	}
	if e.setting.Policy != nil {
		blocks := 0
		if e.replicas[0].refs != nil {
			blocks = count
		}
		e.asks = newAsks(e, e.setting.Policy, blocks)
		e.asks.request = -1
	}
	if e.users > 0 {
		e.from = make([]unit.Time, n)
		for range min(e.users, int64(n)) {
			e.send(0)
		}
	}
	return nil
}

// send has a user send the next request, not before a moment.
func (e *engine) send(t unit.Time) {
	e.skip()
	switch {
	case e.opened < len(e.requests):
		e.come(int32(e.opened), t)
		e.opened++
	case e.pool.len() > 0:
		id := e.pool.pop()
		e.come(id, max(t, e.from[id]))
	default:
		e.free++
	}
}

// skip passes by requests that follow others.
func (e *engine) skip() {
	for e.opened < len(e.requests) && e.requests[e.opened].After >= 0 {
		e.opened++
	}
}

// name gives blocks of all requests small numbers, request by request, and says how many there are.
func name(w *Workload) (all []int32, count int) {
	n, most := 0, Block(0)
	for i := range w.Requests {
		n += len(w.Requests[i].Blocks)
	}
	all = make([]int32, 0, n)
	for i := range w.Requests {
		for _, b := range w.Requests[i].Blocks {
			most = max(most, b)
			all = append(all, int32(b))
		}
	}
	if int64(most) < 2*int64(len(all))+1024 {
		return all, int(most) + 1
	}
	numbers := make(map[int32]int32, len(all))
	for i, b := range all {
		k, ok := numbers[b]
		if !ok {
			k = int32(len(numbers))
			numbers[b] = k
		}
		all[i] = k
	}
	return all, len(numbers)
}

// serve lets time pass: arrivals first, then the replica that is behind.
func (e *engine) serve() {
	for e.asks == nil || !e.asks.Over() {
		at, id := e.arrival()
		first := 0
		for i := range e.replicas {
			if e.replicas[i].next < e.replicas[first].next {
				first = i
			}
		}
		r := &e.replicas[first]
		if t := min(at, r.next); t >= mostRun && t < never {
			e.late = true
			return
		}
		switch {
		case id >= 0 && at <= r.next:
			e.taken(id)
			if !e.begun {
				e.begun = true
				for i := range e.replicas {
					e.replicas[i].mark = at
				}
			}
			e.route(id, at).arrive(id, at)
		case r.next < never:
			r.step()
		default:
			return
		}
	}
}

// arrival is the next request and when it comes, −1 if none.
func (e *engine) arrival() (unit.Time, int32) {
	e.skip()
	at, id := never, int32(-1)
	if e.users == 0 && e.opened < len(e.requests) {
		at, id = e.requests[e.opened].At, int32(e.opened)
	}
	if len(e.coming) > 0 {
		if c := e.coming[0]; id < 0 || e.at[c] < at || e.at[c] == at && c < id {
			return e.at[c], c
		}
	}
	return at, id
}

// taken takes the next request out of those that come.
func (e *engine) taken(id int32) {
	if len(e.coming) > 0 && e.coming[0] == id {
		e.leave()
		return
	}
	e.opened++
}

// come has a request come at a moment.
func (e *engine) come(id int32, t unit.Time) {
	e.at[id] = t
	e.coming = append(e.coming, id)
	for i := len(e.coming) - 1; i > 0 && e.sooner(i, (i-1)/2); i = (i - 1) / 2 {
		e.coming[i], e.coming[(i-1)/2] = e.coming[(i-1)/2], e.coming[i]
	}
}

func (e *engine) sooner(i, k int) bool {
	a, b := e.coming[i], e.coming[k]
	return e.at[a] < e.at[b] || e.at[a] == e.at[b] && a < b
}

// leave takes the first of those that come.
func (e *engine) leave() {
	h := e.coming
	h[0] = h[len(h)-1]
	e.coming = h[:len(h)-1]
	for i := 0; ; {
		least := i
		for k := 2*i + 1; k <= 2*i+2 && k < len(e.coming); k++ {
			if e.sooner(k, least) {
				least = k
			}
		}
		if least == i {
			return
		}
		e.coming[i], e.coming[least] = e.coming[least], e.coming[i]
		i = least
	}
}

// finished is told of an answer: who waited for it comes next.
func (e *engine) finished(id int32, t unit.Time) {
	e.ended++
	if e.progress != nil && e.ended&1023 == 0 {
		e.progress(e.ended, len(e.requests))
	}
	for f := e.followed[id]; f >= 0; f = e.follow[f] {
		from := max(e.requests[f].At, after(t, e.requests[f].Think))
		if e.users == 0 {
			e.come(f, from)
			continue
		}
		e.from[f] = from
		e.pool.push(f)
	}
	if e.users > 0 {
		e.send(after(t, e.think))
		for ; e.free > 0 && e.pool.len() > 0; e.free-- {
			next := e.pool.pop()
			e.come(next, max(t, e.from[next]))
		}
	}
}

// route chooses a replica: the one where affinity times the share of the prompt that it has, less the requests there, is most.
func (e *engine) route(id int32, t unit.Time) *replica {
	if e.asks != nil && e.asks.route != nil {
		return e.asks.choose(id, t)
	}
	best, most := 0, int64(0)
	for i := range e.replicas {
		r := &e.replicas[i]
		score := -thousand * r.present
		if e.setting.Affinity > 0 && len(e.replicas) > 1 && e.system.Prefix {
			r.settle(t)
			score += unit.MulDiv(e.setting.Affinity, int64(len(r.find(id)))*e.block, int64(e.requests[id].Prompt))
			e.result.missed = e.result.missed || r.missed
		}
		if i == 0 || score > most {
			best, most = i, score
		}
	}
	return &e.replicas[best]
}

// resolve fills in what an engine does, and says what cannot be.
func (s *Setting) resolve() (*Setting, *System, *Engine, error) {
	x := *s
	return x.fill()
}

// fill is resolve of a setting that may change.
func (s *Setting) fill() (*Setting, *System, *Engine, error) {
	sys, err := FindSystem(s.System)
	if err != nil {
		return nil, nil, nil, err
	}
	e, err := FindEngine(s.Engine)
	if err != nil {
		return nil, nil, nil, err
	}
	if s.Model == nil {
		return nil, nil, nil, errors.New("no model to serve")
	}
	if err := errors.Join(s.Model.Check(), s.Node.Check()); err != nil {
		return nil, nil, nil, err
	}
	if s.Model.Encoder > 0 {
		return nil, nil, nil, fmt.Errorf("%s has an encoder, and only models that decode are served; choose another", s.Model.Title)
	}
	sequences, tokens := e.limits(&s.Node.GPU)
	or := func(v *int64, engine int64) {
		if *v == 0 {
			*v = engine
		}
	}
	or(&s.Sequences, sequences)
	or(&s.Tokens, tokens)
	or(&s.Share, e.Share)
	if s.Front < 0 {
		s.Front = e.Front
	}
	if s.Reserve == ByEngine {
		s.Reserve = PromptOnly
		if e.Whole {
			s.Reserve = WholeText
		}
	}
	if sys.Batch {
		s.Reserve = WholeText
	}
	if sys.Stream != Resident && sys.Stream != Divided {
		s.Tokens = 1 << 40 // a pass over the weights serves all tokens
	}
	for _, v := range []struct {
		what             string
		value, low, most int64
	}{
		{"GPUs of a replica", s.Tensor, 1, s.Node.GPUs},
		{"sequences at once", s.Sequences, 1, 1 << 16},
		{"tokens of a step", s.Tokens, 1, 1 << 40},
		{"share of memory, in thousandths", s.Share, 1, thousand},
		{"memory for activations", int64(s.Activations), -1, 1 << 40},
		{"front end, in picoseconds", int64(s.Front), 0, int64(100 * unit.Second)},
		{"host memory for keys and values", int64(s.HostKV), -1, 1 << 50},
		{"drives for keys and values", int64(s.DriveKV), -1, 1 << 55},
		{"affinity, in thousandths", s.Affinity, 0, million},
		{"layers on the GPU", s.Layers, -1, s.Model.Layers},
		{"weights on the GPU, in thousandths", s.GPUShare, 0, thousand},
		{"weights in host memory, in thousandths", s.HostShare, 0, thousand - s.GPUShare},
		{"sequences that the GPU computes at a time", s.GPUBatch, 0, 1 << 16},
		{"limit of the first token, in picoseconds", int64(s.TTFT), 0, int64(day)},
		{"limit of other tokens, in picoseconds", int64(s.TPOT), 0, int64(day)},
	} {
		if v.value < v.low || v.value > v.most {
			return nil, nil, nil, fmt.Errorf("%s: %d is not between %d and %d", v.what, v.value, v.low, v.most)
		}
	}
	if s.Node.GPUs%s.Tensor != 0 {
		return nil, nil, nil, fmt.Errorf("%d GPUs do not divide among replicas of %d; take a multiple", s.Node.GPUs, s.Tensor)
	}
	if s.KV != BF16 && s.KV != FP8 && (s.KV != W4 || sys.Stream != Blocked) || s.Weights > W4 || s.KVPlace > OnDrive {
		return nil, nil, nil, errors.New("keys and values of four bits are FlexGen's alone; choose bf16 or fp8")
	}
	if s.Activations < 0 {
		s.Activations = e.Spare + max(s.scratch(e, sys))
	}
	return s, sys, e, nil
}

func (r *Result) prices(s *Setting) {
	r.MilliWatts, r.Price = s.Node.MilliWatts(), s.Node.Price()
	r.KWh, r.Years = s.Node.Prices.KWh, s.Node.Prices.Years
	r.Endurance = unit.Bytes(unit.MulDiv(int64(s.Node.Drive.Endurance), s.Node.GPUs*s.Node.Drives, 1))
}

// measure makes the result's numbers of what became of all requests.
func (e *engine) measure() {
	r := e.result
	n := len(r.Requests)
	first, each, whole := make([]unit.Time, 0, n), make([]unit.Time, 0, n), make([]unit.Time, 0, n)
	begin, end := never, unit.Time(0)
	for i := range r.Requests {
		v, q := &r.Requests[i], &e.requests[i]
		begin, end = min(begin, v.Arrive), max(end, v.Done)
		r.Prompts += int64(q.Prompt)
		r.Answers += int64(q.Output)
		for t, k := range v.Tokens {
			r.Tokens[t] += int64(k)
		}
		first, whole = append(first, v.First-v.Arrive), append(whole, v.Done-v.Arrive)
		good := e.setting.TTFT == 0 || v.First-v.Arrive <= e.setting.TTFT
		if q.Output > 1 {
			t := (v.Done - v.First) / unit.Time(q.Output-1)
			each = append(each, t)
			good = good && (e.setting.TPOT == 0 || t <= e.setting.TPOT)
		}
		if good {
			r.Good++
		}
	}
	r.Time = end - begin
	var busy [8]total
	works := func(m *Moved) [8]*Work {
		return [...]*Work{&m.Compute, &m.HBM, &m.LinkIn, &m.LinkOut, &m.Read, &m.Write, &m.StreamIn, &m.StreamRead}
	}
	all := works(&r.Moved)
	for i := range e.replicas {
		x := &e.replicas[i]
		x.did(end, Idle)
		r.Doing = append(r.Doing, x.spent)
		for k, w := range works(&x.work) {
			busy[k].add(w.Busy, 1)
			all[k].Bytes += min(w.Bytes, mostBytes-all[k].Bytes)
		}
	}
	for k, w := range all {
		w.Busy = busy[k].over(r.Replicas)
	}
	r.TTFT, r.TPOT, r.E2E = spread(first), spread(each), spread(whole)
	if e.gapTokens > 0 {
		r.ITL = Spread{
			e.gapSum.over(e.gapTokens), e.gap.Quantile(500, e.gapMost), e.gap.Quantile(900, e.gapMost),
			e.gap.Quantile(990, e.gapMost), e.gapMost,
		}
	}
}

// total is a sum of times that may be too long for one number.
type total struct{ seconds, rest unit.Time }

// add adds a time so many times.
func (s *total) add(t unit.Time, times int64) {
	s.seconds += t / unit.Second * unit.Time(times)
	s.rest += t % unit.Second * unit.Time(times)
	s.seconds, s.rest = s.seconds+s.rest/unit.Second, s.rest%unit.Second
}

// over is the mean of so many.
func (s *total) over(n int64) unit.Time {
	d := unit.Time(n)
	return s.seconds/d*unit.Second + unit.Time(unit.MulDiv(int64(s.seconds%d), int64(unit.Second), n)) + s.rest/d
}

// spread sorts times and says what they are; a percentile is the least time that so many keep.
func spread(list []unit.Time) (s Spread) {
	if len(list) == 0 {
		return s
	}
	slices.Sort(list)
	var sum total
	for _, t := range list {
		sum.add(t, 1)
	}
	n := int64(len(list))
	s.Mean = sum.over(n)
	at := func(thousandths int64) unit.Time { return list[(n*thousandths+thousand-1)/thousand-1] }
	s.P50, s.P90, s.P99, s.Longest = at(500), at(900), at(990), list[n-1]
	return s
}

// mostSamples is how many moments of a run are kept at most.
const mostSamples = 512

// sample keeps a moment of the run.
func (r *replica) sample(t unit.Time) {
	e := r.engine
	list := e.result.Samples
	if n := len(list); n > 0 && t < list[n-1].At+e.interval {
		return
	}
	v := Sample{At: t}
	for i := range e.replicas {
		x := &e.replicas[i]
		v.Running += int64(len(x.decode) + len(x.fill) + len(x.load))
		v.Waiting += int64(x.waitsFor() + x.inbox.len())
		v.Used += x.private + x.pinned
		if x.cached != nil {
			v.Cached += x.cached.count * e.block
		}
		if v.Host += x.swapped; x.host != nil {
			v.Host += x.host.count * e.block
		}
		v.Drive += x.written * e.block
	}
	list = append(list, v)
	if len(list) == 2*mostSamples {
		for i := range mostSamples {
			list[i] = list[2*i+1]
		}
		list = list[:mostSamples]
		e.interval = 2 * max(e.interval, (list[mostSamples-1].At-list[0].At)/mostSamples)
	}
	e.result.Samples = list
}
