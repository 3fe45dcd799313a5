package store

import (
	"math/bits"
	"slices"

	"spillway/sim/store/ops"
	"spillway/sim/unit"
)

// naive is the model written as plainly as possible: tensors are looked at one
// by one for every decision, the trace is searched for every next use, and the
// timeline is made of a list of all changes. It shares only the types of the
// result and the costs of a Setup with the simulator.
type naive struct {
	t      *ops.Trace
	s      Setup
	policy string
	own    [][]int // operations by client

	where   []string // "", user, foreign, gpu, coming, host, freed
	size    []unit.Bytes
	lastPut []int // operation index
	putNo   []int
	putAt   []unit.Time // arrival of the call
	access  []int
	done    []unit.Time
	ahead   []bool
	begun   []unit.Time // of the prefetch
	spare   []int       // what yields, by when it came, from 1; 0 of others
	spares  int         // so far

	count   int // calls so far
	current int // operation that is handled
	arrival unit.Time
	now     unit.Time
	inFree  unit.Time
	at      []int // next operation of each client, place in own

	// One of these three a client: computing, calling, or gone.
	calls    []unit.Time // time of arrival, or -1
	computes []bool
	left     []unit.Time // attained at which it is done
	streamAt unit.Time
	attained unit.Time
	rest     unit.Time

	busyUntil unit.Time
	changes   []change
	res       *Result
}

type change struct {
	at     unit.Time
	memory []unit.Bytes
}

func runNaive(t *ops.Trace, s Setup, policy string) *Result {
	n := &naive{t: t, s: s, policy: policy}
	nc, nt := len(t.Clients), len(t.Tensors)
	n.own = make([][]int, nc)
	for i, o := range t.Ops {
		n.own[o.Client] = append(n.own[o.Client], i)
	}
	n.where, n.size, n.lastPut, n.putNo = make([]string, nt), make([]unit.Bytes, nt), make([]int, nt), make([]int, nt)
	n.putAt, n.access, n.done, n.ahead = make([]unit.Time, nt), make([]int, nt), make([]unit.Time, nt), make([]bool, nt)
	n.begun, n.spare = make([]unit.Time, nt), make([]int, nt)
	n.at, n.calls, n.computes, n.left = make([]int, nc), make([]unit.Time, nc), make([]bool, nc), make([]unit.Time, nc)
	n.res = &Result{Policy: policy, Capacity: max(0, s.GPU-unit.Bytes(nc)*s.Client), Clients: make([]Client, nc)}
	for c := range nc {
		n.res.Clients[c].Name = t.Clients[c]
	}
	n.remember()
	if s.GPU < unit.Bytes(nc)*s.Client {
		n.res.Failure = &Failure{Reason: NoCapacity, Op: -1, Needed: unit.Bytes(nc) * s.Client, Free: s.GPU}
	} else {
		for c := range nc {
			n.calls[c] = -1
			if len(n.own[c]) > 0 {
				n.calls[c] = t.Ops[n.own[c][0]].Think
				n.res.Clients[c].Parts[Away] = n.calls[c]
				n.res.Clients[c].End = n.calls[c]
			}
		}
		for n.step() {
		}
	}
	for c := range n.res.Clients {
		n.res.Time = max(n.res.Time, n.res.Clients[c].End)
	}
	n.timeline(max(n.res.Time, n.now))
	return n.res
}

// step does the next thing that happens; false at the end.
func (n *naive) step() bool {
	caller := -1
	for c, at := range n.calls {
		if at >= 0 && (caller < 0 || at < n.calls[caller]) {
			caller = c
		}
	}
	if c, at := n.nextDone(); c >= 0 && (caller < 0 || at <= n.calls[caller]) {
		n.finish(c, at)
		return true
	}
	if caller < 0 {
		return false
	}
	at := n.calls[caller]
	n.calls[caller] = -1
	return n.call(caller, at)
}

func (n *naive) nextDone() (client int, at unit.Time) {
	client = -1
	many := unit.Time(0)
	for _, yes := range n.computes {
		if yes {
			many++
		}
	}
	for c, yes := range n.computes {
		if yes {
			if t := n.streamAt + (n.left[c]-n.attained)*many - n.rest; client < 0 || t < at {
				client, at = c, t
			}
		}
	}
	return client, at
}

func (n *naive) finish(c int, at unit.Time) {
	n.res.InUse += at - n.streamAt
	n.streamAt, n.attained, n.rest = at, n.left[c], 0
	n.computes[c] = false
	k := &n.res.Clients[c]
	think := n.t.Ops[n.own[c][n.at[c]]].Think
	k.Parts[Thinking] += think
	k.Parts[WaitCompute] += at - k.End - think
	k.End = at
	n.calls[c] = at
}

func (n *naive) call(c int, at unit.Time) bool {
	i := n.own[c][n.at[c]]
	k := &n.res.Clients[c]
	n.arrival = at
	n.now = max(n.now, at)
	k.Parts[WaitServer] += n.now - at
	n.count++
	n.current = i
	n.arrive()
	for x := n.onItsWay(); x >= 0 && n.done[x] <= n.now; x = n.onItsWay() {
		n.land()
		n.bring(n.done[x])
	}
	f := n.do(k, c, i)
	if f == nil {
		n.bring(n.now)
	}
	k.End = n.now
	if f != nil {
		o := n.t.Ops[i]
		f.Op, f.Number, f.Kind, f.Client, f.Tensor = int32(i), int32(n.at[c]+1), o.Kind, k.Name, n.t.Tensors[o.Tensor].Name
		n.res.Failure = f
		return false
	}
	k.Ops++
	n.at[c]++
	if n.at[c] == len(n.own[c]) {
		return true
	}
	think := n.t.Ops[n.own[c][n.at[c]]].Think
	switch {
	case think == 0:
		n.calls[c] = n.now
	case n.s.Shared == 0:
		k.Parts[Thinking] += think
		k.End = n.now + think
		n.calls[c] = k.End
		if from := max(n.busyUntil, n.now); k.End > from {
			n.res.InUse += k.End - from
			n.busyUntil = k.End
		}
	default:
		for {
			d, at := n.nextDone()
			if d < 0 || at > n.now {
				break
			}
			n.finish(d, at)
		}
		many := unit.Time(0)
		for _, yes := range n.computes {
			if yes {
				many++
			}
		}
		if many > 0 {
			n.res.InUse += n.now - n.streamAt
			total := n.now - n.streamAt + n.rest
			n.attained += total / many
			n.rest = total % many
		}
		n.streamAt = n.now
		n.computes[c] = true
		n.left[c] = n.attained + think
	}
	return true
}

func (n *naive) gpu() (used unit.Bytes) {
	for x, w := range n.where {
		if w == "user" || w == "foreign" || w == "gpu" || w == "coming" {
			used += n.size[x]
		}
	}
	return used
}

func (n *naive) inHost() (used unit.Bytes) {
	for x, w := range n.where {
		if w == "host" || n.spare[x] > 0 {
			used += n.size[x]
		}
	}
	return used
}

// set changes a tensor's state now.
func (n *naive) set(x int, w string) {
	n.where[x] = w
	n.res.PeakGPU = max(n.res.PeakGPU, n.gpu())
	n.res.PeakHost = max(n.res.PeakHost, n.inHost())
	n.remember()
}

func (n *naive) remember() {
	rows := make([]unit.Bytes, 3*len(n.t.Clients)+2)
	for x, w := range n.where {
		c := int(n.t.Tensors[x].Client)
		switch w {
		case "user", "foreign":
			rows[3*c] += n.size[x]
		case "gpu", "coming":
			rows[3*c+1] += n.size[x]
		case "host":
			rows[3*c+2] += n.size[x]
		}
		if n.spare[x] > 0 {
			rows[3*c+2] += n.size[x]
		}
	}
	for i := range 3 * len(n.t.Clients) {
		if i%3 == 2 {
			rows[len(rows)-1] += rows[i]
		} else {
			rows[len(rows)-2] += rows[i]
		}
	}
	n.changes = append(n.changes, change{n.now, rows})
}

func (n *naive) timeline(end unit.Time) {
	step := unit.Microsecond
	for end/step >= timelinePoints {
		step *= 2
	}
	points := int(end/step) + 1
	rows := make([][]unit.Bytes, len(n.changes[0].memory))
	gpu, host := len(rows)-2, len(rows)-1
	for r := range rows {
		rows[r] = make([]unit.Bytes, points)
		sum := gpu
		if r == host || r < gpu && r%3 == 2 {
			sum = host
		}
		for p := range points {
			most := unit.Bytes(-1)
			for i, c := range n.changes {
				last := i+1 == len(n.changes) || n.changes[i+1].at > unit.Time(p)*step
				before := c.at <= unit.Time(p)*step
				within := c.at >= unit.Time(p)*step && c.at < unit.Time(p+1)*step
				// As at the interval's beginning, or at the first instant within it
				// when more of that memory is in use.
				if (before && last || within) && c.memory[sum] > most {
					most, rows[r][p] = c.memory[sum], c.memory[r]
				}
			}
		}
	}
	n.res.Timeline = Timeline{Step: step, Bytes: rows[:gpu], GPU: rows[gpu], Host: rows[host]}
}

func (n *naive) arrive() {
	for x, w := range n.where {
		if w == "coming" && n.spare[x] == 0 && n.done[x] <= n.now {
			n.where[x] = "gpu"
		}
	}
}

func (n *naive) do(k *Client, c, i int) *Failure {
	o := n.t.Ops[i]
	x := int(o.Tensor)
	w := n.where[x]
	raven := w == "gpu" || w == "coming" || w == "host"
	alive := raven || w == "user" || w == "foreign"
	release := o.Kind == ops.Free || o.Kind == ops.MFree
	switch {
	case o.Kind.Allocates() && alive:
		return &Failure{Reason: Exists}
	case release && w == "freed":
		return &Failure{Reason: DoubleFree}
	case !o.Kind.Allocates() && !alive:
		return &Failure{Reason: UnknownTensor}
	case w == "foreign" && !o.Kind.Allocates() && o.Kind != ops.MFree, o.Kind == ops.MFree && w != "foreign":
		return &Failure{Reason: Foreign}
	case raven && o.Kind != ops.Get:
		return &Failure{Reason: InRavenspace}
	}
	cost := func(p Part, d unit.Time) { n.now += d; k.Parts[p] += d }
	if n.at[c] == 0 {
		cost(Starting, n.s.Start)
	}
	switch o.Kind {
	case ops.Create, ops.Malloc:
		if f := n.makeRoom(k, c, o.Bytes, -1); f != nil {
			return f
		}
		n.size[x] = o.Bytes
		n.access[x] = n.count
		if o.Kind == ops.Malloc {
			n.set(x, "foreign")
		} else {
			n.set(x, "user")
		}
		cost(Allocating, n.s.alloc(o.Bytes))
	case ops.Get:
		cost(Calling, n.s.IPC)
		n.access[x] = n.count
		switch w {
		case "user":
			k.Hits++
			return nil
		case "gpu":
			k.Hits++
		case "coming":
			if n.done[x] > n.now {
				k.Late++
				cost(WaitLate, n.done[x]-n.now)
			} else {
				k.Hits++
			}
			n.land()
		case "host":
			k.Misses++
			if n.land(); n.onItsWay() >= 0 {
				n.giveUp()
			}
			if f := n.makeRoom(k, c, n.size[x], x); f != nil {
				return f
			}
			n.set(x, "user")
			n.res.Fetched += n.size[x]
			begin := max(n.now, n.inFree)
			n.inFree = begin + n.s.fetch(n.size[x])
			cost(WaitMiss, n.inFree-n.now)
		}
		n.ahead[x], n.spare[x] = false, 0
		n.set(x, "user")
	case ops.Put:
		cost(Calling, n.s.IPC)
		n.lastPut[x], n.putNo[x], n.putAt[x] = i, n.count, n.arrival
		n.set(x, "gpu")
	default:
		cost(Freeing, n.s.Free)
		n.set(x, "freed")
		n.arrive()
		for n.s.Prefetch == 1 && n.s.Yields == 0 {
			y := n.wanted(n.res.Capacity - n.gpu() - n.s.Headroom)
			if y < 0 {
				break
			}
			begin := max(n.now, n.inFree)
			n.inFree = begin + n.s.fetch(n.size[y])
			n.done[y], n.ahead[y] = n.inFree, true
			n.set(y, "coming")
			n.res.Prefetched += n.size[y]
			n.res.Prefetches.add(Prefetch{begin, n.inFree, int32(y), n.size[y], int32(n.t.Tensors[y].Client)})
		}
	}
	return nil
}

func (n *naive) makeRoom(k *Client, c int, need unit.Bytes, fetched int) *Failure {
	evicted := false
	for n.res.Capacity-n.gpu() < need && n.giveUp() {
	}
	for {
		free := n.res.Capacity - n.gpu()
		if need <= free {
			break
		}
		v := n.victim(n.policy, need-free)
		if v < 0 {
			first := unit.Time(-1)
			for x, w := range n.where {
				if w == "coming" && (first < 0 || n.done[x] < first) {
					first = n.done[x]
				}
			}
			if first < 0 {
				return &Failure{Reason: OutOfMemory, Needed: need, Free: free}
			}
			k.Parts[WaitEvict] += first - n.now
			n.now = first
			n.arrive()
			evicted = true
			continue
		}
		if n.inHost()+n.size[v] > n.s.Host {
			return &Failure{Reason: OutOfHost, Needed: n.size[v], Free: n.s.Host - n.inHost()}
		}
		best := n.victim("oracle", need-free)
		right := n.distance("oracle", v) >= n.distance("oracle", best)
		d := n.s.evict(n.size[v])
		n.now += d
		k.Parts[WaitEvict] += d
		n.set(v, "host")
		evicted = true
		if n.ahead[v] {
			n.res.Wasted++
			n.ahead[v] = false
		}
		if right {
			n.res.Right++
		}
		owner := int32(n.t.Tensors[v].Client)
		n.res.Clients[owner].Evictions++
		n.res.Clients[owner].Evicted += n.size[v]
		n.res.Evicted += n.size[v]
		n.res.Evictions.add(Eviction{
			Time: n.now, Tensor: int32(v), Bytes: n.size[v], Owner: owner, By: int32(c), Op: int32(n.current),
			Next: int32(n.nextGet(v)), Best: int32(best), Right: right,
		})
		n.arrive()
	}
	if evicted {
		n.now += n.s.Pause
		k.Parts[WaitPause] += n.s.Pause
	}
	return nil
}

// nextGet searches the trace for the next get of a tensor that was put.
func (n *naive) nextGet(x int) int {
	for i := n.lastPut[x] + 1; i < len(n.t.Ops); i++ {
		if o := n.t.Ops[i]; int(o.Tensor) == x {
			if o.Kind == ops.Get {
				return i
			}
			if o.Kind.Allocates() {
				return -1
			}
		}
	}
	return -1
}

// clock is a client's thinking up to its operation with a place.
func (n *naive) clock(c, place int) (t unit.Time) {
	for _, i := range n.own[c][:place+1] {
		t += n.t.Ops[i].Think
	}
	return t
}

// distance is how much a policy wants a tensor evicted.
func (n *naive) distance(policy string, x int) int64 {
	c := int(n.t.Tensors[x].Client)
	o := n.t.Ops[n.lastPut[x]]
	put := slices.Index(n.own[c], n.lastPut[x])
	switch policy {
	case "fifo":
		return -int64(n.putNo[x])
	case "lru":
		return -int64(n.access[x])
	case "latency-aware":
		after := o.Next.Time
		if after == 0 {
			if o.Next.Order == 0 || int(o.Next.Order) > len(n.own[c]) {
				return never
			}
			after = n.clock(c, int(o.Next.Order)-1) - n.clock(c, put)
		}
		return int64(n.putAt[x] + after)
	case "oracle":
		next := n.nextGet(x)
		if next < 0 {
			return never
		}
		return int64(n.clock(c, slices.Index(n.own[c], next)) - n.clock(c, n.at[c]))
	}
	order := int(o.Next.Order)
	if order == 0 && o.Next.Time > 0 {
		for place := range n.own[c] {
			if n.clock(c, place) >= n.clock(c, put)+o.Next.Time {
				order = place + 1
				break
			}
		}
	}
	if order == 0 {
		return never
	}
	return int64(order - (n.at[c] + 1))
}

// group is what a policy compares at first hand: all tensors, or a client's
// for the oracle, or for the policy by size a client's between two powers of two.
func (n *naive) group(policy string, x int) int {
	c := int(n.t.Tensors[x].Client)
	switch policy {
	case "oracle":
		return c
	case "size-aware":
		return c*64 + bits.Len64(uint64(n.size[x]))
	}
	return 0
}

// farther compares two tensors of a group.
func (n *naive) farther(policy string, x, y int) bool {
	if policy == "oracle" {
		a, b := n.nextGet(x), n.nextGet(y)
		return b >= 0 && (a < 0 || a > b)
	}
	return n.distance(policy, x) > n.distance(policy, y)
}

// victim looks at all tensors in the store and GPU memory: the farthest of each
// group, and of these the one with the greatest value.
func (n *naive) victim(policy string, short unit.Bytes) int {
	best := map[int]int{}
	for x, w := range n.where {
		if g := n.group(policy, x); w == "gpu" && n.spare[x] == 0 {
			if b, ok := best[g]; !ok || n.farther(policy, x, b) {
				best[g] = x
			}
		}
	}
	value := func(x int) int64 {
		if policy == "size-aware" {
			return min(max(n.distance(policy, x), 1), 1<<20) * int64(min(n.size[x], short))
		}
		return n.distance(policy, x)
	}
	first := -1
	for x := range n.where { // in order of number
		if b, ok := best[n.group(policy, x)]; ok && b == x && (first < 0 || value(x) > value(first)) {
			first = x
		}
	}
	return first
}

// wanted looks at all evicted tensors that fit.
func (n *naive) wanted(room unit.Bytes) int {
	policy := n.policy
	if policy == "size-aware" {
		policy = "latency-logical" // sizes do not matter here
	}
	best := map[int]int{}
	for x, w := range n.where {
		if w != "host" || n.size[x] > room {
			continue
		}
		g := n.group(policy, x)
		b, ok := best[g]
		if !ok || policy == "fifo" && n.farther(policy, x, b) || policy != "fifo" && n.farther(policy, b, x) {
			best[g] = x
		}
	}
	first := -1
	for x := range n.where {
		if b, ok := best[n.group(policy, x)]; ok && b == x && (first < 0 || n.distance(policy, x) < n.distance(policy, first)) {
			first = x
		}
	}
	return first
}

// onItsWay is the tensor that comes back and yields, or -1.
func (n *naive) onItsWay() int {
	for x, w := range n.where {
		if w == "coming" && n.spare[x] > 0 {
			return x
		}
	}
	return -1
}

func (n *naive) land() {
	if x := n.onItsWay(); x >= 0 && n.done[x] <= n.now {
		n.where[x] = "gpu"
		n.came(x, n.size[x])
	}
}

func (n *naive) came(x int, bytes unit.Bytes) {
	n.res.Prefetched += bytes
	n.res.Prefetches.add(Prefetch{n.begun[x], n.done[x], int32(x), bytes, int32(n.t.Tensors[x].Client)})
}

// bring begins to bring back what yields.
func (n *naive) bring(at unit.Time) {
	n.land()
	if n.s.Prefetch == 0 || n.s.Yields == 0 || n.onItsWay() >= 0 {
		return
	}
	x := n.wanted(n.res.Capacity - n.gpu() - n.s.Headroom)
	if x < 0 {
		return
	}
	order := n.policy
	if order == "size-aware" {
		order = "latency-logical"
	}
	if v := n.victim(n.policy, n.size[x]); v >= 0 && n.distance(order, x) >= n.distance(order, v) {
		return
	}
	n.spares++
	n.begun[x], n.done[x], n.ahead[x], n.spare[x] = at, at+n.s.fetch(n.size[x]), true, n.spares
	now := n.now
	n.now = at
	n.set(x, "coming")
	n.now = now
}

// giveUp gives up what came last.
func (n *naive) giveUp() bool {
	n.land()
	last := -1
	for x, no := range n.spare {
		if no > 0 && (last < 0 || no > n.spare[last]) {
			last = x
		}
	}
	if last < 0 {
		return false
	}
	if n.where[last] == "coming" {
		bytes := n.size[last] * unit.Bytes(n.now-n.begun[last]) / unit.Bytes(n.done[last]-n.begun[last])
		n.done[last] = n.now
		n.came(last, bytes)
	}
	n.res.Wasted++
	n.ahead[last], n.spare[last] = false, 0
	n.set(last, "host")
	return true
}
