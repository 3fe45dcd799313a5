package store

import (
	"sort"

	"spillway/sim/store/ops"
	"spillway/sim/unit"
)

// plan is what can be known of a trace before it runs.
type plan struct {
	trace  *ops.Trace
	order  []int32     // operations, client by client
	start  []int32     // order[start[c]:start[c+1]] are client c's
	number []int32     // of an operation among its client's, from 1
	clock  []unit.Time // thinking of its client up to an operation
	next   []int32     // the next get of the tensor of an operation, or -1
}

func newPlan(t *ops.Trace) *plan {
	n := len(t.Ops)
	p := &plan{
		trace: t, order: make([]int32, n), start: make([]int32, len(t.Clients)+1),
		number: make([]int32, n), clock: make([]unit.Time, n), next: make([]int32, n),
	}
	var clock [ops.MaxClients]unit.Time
	for i := range t.Ops {
		o := &t.Ops[i]
		p.start[o.Client+1]++
		p.number[i] = p.start[o.Client+1]
		clock[o.Client] += o.Think
		p.clock[i] = clock[o.Client]
	}
	for c := range t.Clients {
		p.start[c+1] += p.start[c]
	}
	for i := range t.Ops {
		p.order[p.start[t.Ops[i].Client]+p.number[i]-1] = int32(i)
	}
	later := make([]int32, len(t.Tensors))
	for i := range later {
		later[i] = -1
	}
	for i := n - 1; i >= 0; i-- {
		o := &t.Ops[i]
		p.next[i] = later[o.Tensor]
		switch {
		case o.Kind == ops.Get:
			later[o.Tensor] = int32(i)
		case o.Kind.Allocates():
			later[o.Tensor] = -1 // another life
		}
	}
	return p
}

// of returns a client's operations.
func (p *plan) of(c int32) []int32 { return p.order[p.start[c]:p.start[c+1]] }

// declared returns the number of the operation that put i says needs the
// tensor next; if it only says when, the first at that time of the client's
// clock. It is 0 if put i says nothing, or names a time after the last operation.
func (p *plan) declared(i int32) int32 {
	o := &p.trace.Ops[i]
	if o.Next.Order > 0 || o.Next.Time == 0 {
		return o.Next.Order
	}
	own := p.of(int32(o.Client))
	at := p.clock[i] + o.Next.Time
	n := sort.Search(len(own), func(k int) bool { return p.clock[own[k]] >= at })
	if n == len(own) {
		return 0
	}
	return int32(n + 1)
}

// after returns how long after put i the tensor is needed next, as the put
// says; if it only says by which operation, the client's thinking until then.
func (p *plan) after(i int32) (t unit.Time, ok bool) {
	o := &p.trace.Ops[i]
	if o.Next.Time > 0 {
		return o.Next.Time, true
	}
	own := p.of(int32(o.Client))
	if n := int(o.Next.Order); n > 0 && n <= len(own) {
		return p.clock[own[n-1]] - p.clock[i], true
	}
	return 0, false
}
