package store

import (
	"spillway/sim/policy"
	"spillway/sim/unit"
)

// script is a policy that somebody wrote, as the store runs it.
type script struct {
	*policy.Chosen
	scan bool // all candidates are asked, even where a heap would do
}

// Own returns the policy of a text for [Asks], for the system of this name. Beyond its work the run is given up.
func Own(name string, c *policy.Chosen) Policy {
	return Policy{
		Name: name, Title: c.Called(), Ours: true, About: "Whoever opened this wrote it, or the link brought it.",
		by: byScript, script: &script{Chosen: c},
	}
}

// A Script is what a run says of the policy that somebody wrote.
type Script struct {
	policy.Named
	// EvictAsksAll and FetchAsksAll: all candidates are asked each time, for the rule reads what
	// changes while they wait.
	EvictAsksAll, FetchAsksAll bool
	policy.Spent
}

// own is the script of a run, as it runs.
type own struct {
	r      *run
	script *script
	*policy.Asker
	evict, fetch, tie, bring, admit *policy.Code
	put, got, evicted               *policy.Code
	heap, tree                      bool  // evict and fetch do not change while a tensor waits
	inGPU, inHost                   crowd // else what is asked
	fitting                         []int32
	short                           unit.Bytes

	uses     []int32
	putAt    []int32     // number of the put
	declared []int32     // number of the next get, 0 if none
	due      []unit.Time // -1 if none
	since    []unit.Time // last create or get
	isPut    []bool
	held     []unit.Bytes // in the store's GPU memory, by client
}

func newOwn(r *run, s *script) *own {
	n := len(r.tensors)
	o := &own{r: r, script: s}
	o.Asker = policy.NewAsker(s.Chosen, o, n)
	p := s.Policy
	o.evict, o.fetch, o.tie, o.bring, o.admit = p.Rule("evict"), p.Rule("fetch"), p.Rule("tie"), p.Rule("bring"), p.Rule("admit")
	o.put, o.got, o.evicted = p.Event("put"), p.Event("got"), p.Event("evicted")
	o.heap, o.tree = o.evict.Fixed && o.tie == nil && !s.scan, o.fetch.Fixed && o.tie == nil && !s.scan
	o.inGPU, o.inHost = newCrowd(n), newCrowd(n)
	o.uses, o.putAt, o.declared = make([]int32, n), make([]int32, n), make([]int32, n)
	o.due, o.since, o.isPut = make([]unit.Time, n), make([]unit.Time, n), make([]bool, n)
	o.held = make([]unit.Bytes, len(r.result.Clients))
	return o
}

// says is what the run has of it.
func (o *own) says() *Script {
	x := o.Account()
	return &Script{Named: x.Named, EvictAsksAll: !o.heap, FetchAsksAll: !o.tree, Spent: x.Spent}
}

// born begins a life of tensor t.
func (o *own) born(t int32) {
	o.uses[t], o.isPut[t], o.since[t] = 0, false, o.r.now
	o.State.Reset(t)
}

// gets counts a get of tensor t.
func (o *own) gets(t int32) {
	o.uses[t]++
	o.since[t] = o.r.now
	o.Happens(o.got, t)
}

// puts notes what put i says of tensor t.
func (o *own) puts(i, t int32) {
	plan := o.r.plan
	o.isPut[t], o.putAt[t], o.declared[t], o.due[t] = true, o.r.handled, plan.declared(i), -1
	if after, ok := plan.after(i); ok {
		o.due[t] = o.r.arrival + after
	}
	o.Happens(o.put, t)
}

// hold counts what a client has in the store's GPU memory.
func (o *own) hold(client uint8, from, to Place, bytes unit.Bytes) {
	if from == InGPU {
		o.held[client] -= bytes
	}
	if to == InGPU {
		o.held[client] += bytes
	}
}

// victim asks all in GPU memory.
func (o *own) victim(short unit.Bytes) int32 {
	o.short = short
	v := o.Best(o.evict, o.tie, 1, o.inGPU.list)
	o.short = 0
	return v
}

// wanted asks all in host memory that fit into room; -1 if none comes.
func (o *own) wanted(room unit.Bytes) int32 {
	o.fitting = o.fitting[:0]
	for _, t := range o.inHost.list {
		if o.r.tensors[t].bytes <= room {
			o.fitting = append(o.fitting, t)
		}
	}
	return o.Best(o.fetch, o.tie, -1, o.fitting)
}

// sooner reports whether tensor v would be evicted before t, where there is room for t once it is.
func (o *own) sooner(t, v int32) bool {
	o.short = o.r.tensors[t].bytes
	is := o.Score(o.evict, t) < o.Score(o.evict, v)
	o.short = 0
	return is
}

// Read implements policy.Reader.
func (o *own) Read(feature int, things []int32, out []float64) {
	r := o.r
	switch feature {
	case featSize:
		for i, t := range things {
			out[i] = float64(r.tensors[t].bytes)
		}
	case featUses:
		for i, t := range things {
			out[i] = float64(o.uses[t])
		}
	case featLast:
		for i, t := range things {
			out[i] = float64(r.tensors[t].access)
		}
	case featPut:
		for i, t := range things {
			out[i] = float64(o.putAt[t])
		}
	case featDue:
		for i, t := range things {
			if out[i] = policy.Never; o.isPut[t] && o.due[t] >= 0 {
				out[i] = policy.Seconds(o.due[t])
			}
		}
	case featFetchCost:
		for i, t := range things {
			out[i] = policy.Seconds(r.setup.fetch(r.tensors[t].bytes))
		}
	case featEvictCost:
		for i, t := range things {
			out[i] = policy.Seconds(r.setup.evict(r.tensors[t].bytes))
		}
	case featNext:
		for i, t := range things {
			if out[i] = policy.Never; o.isPut[t] && o.declared[t] > 0 {
				out[i] = float64(o.declared[t] - r.number[r.tensors[t].client])
			}
		}
	case featAge:
		for i, t := range things {
			out[i] = policy.Seconds(r.now - o.since[t])
		}
	case featMine:
		for i, t := range things {
			out[i] = 0
			if int32(r.tensors[t].client) == r.caller {
				out[i] = 1
			}
		}
	case featShare:
		for i, t := range things {
			out[i] = float64(o.held[r.tensors[t].client]) / float64(r.result.Capacity)
		}
	case featTruth:
		for i, t := range things {
			x := &r.tensors[t]
			if out[i] = policy.Never; o.isPut[t] && x.truth != never {
				out[i] = policy.Seconds(unit.Time(r.distance(byTruth, int32(x.client), x.truth)))
			}
		}
	case featTruthOp:
		for i, t := range things {
			x := &r.tensors[t]
			if out[i] = policy.Never; o.isPut[t] && x.truth != never {
				out[i] = float64(x.truth)
			}
		}
	default:
		v := o.same(feature)
		for i := range things {
			out[i] = v
		}
	}
}

// same is a feature that is the same of all tensors.
func (o *own) same(feature int) float64 {
	switch feature {
	case featCapacity:
		return float64(o.r.result.Capacity)
	case featClients:
		return float64(len(o.held))
	case featNow:
		return policy.Seconds(o.r.now)
	case featShort:
		return float64(o.short)
	case featFree:
		return float64(o.r.room)
	}
	return o.script.Dials[feature-featDials]
}

// A crowd is tensors that are asked. In which order they stand means nothing.
type crowd struct {
	list []int32
	at   []int32 // place of a tensor in list
}

func newCrowd(tensors int) crowd { return crowd{at: make([]int32, tensors)} }

func (c *crowd) add(t int32) {
	c.at[t] = int32(len(c.list))
	c.list = append(c.list, t)
}

func (c *crowd) remove(t int32) {
	n := len(c.list) - 1
	other := c.list[n]
	c.list[c.at[t]] = other
	c.at[other] = c.at[t]
	c.list = c.list[:n]
}
