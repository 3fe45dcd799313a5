package store

import (
	core "spillway/sim/store"
	over "spillway/sim/timeline"
	"spillway/sim/unit"
)

// Categories of what clients hold: one a client, the last for all that are left.
const (
	firstOwner = core.Parts + 1
	mostOwners = over.Most - firstOwner
)

// mostLives is how many lives of tensors are drawn at most; of a run with more none are.
const mostLives = 50_000

// A life is where a tensor is, and since when.
type life struct {
	client int32
	at     core.Place
	from   unit.Time
	bytes  unit.Bytes
}

// memory is the one of the two in which a place is; -1 for none.
func (l *life) memory() int {
	switch {
	case l.bytes == 0 || l.at == core.Nowhere:
		return -1
	case l.at == core.InHost:
		return 1
	}
	return 0
}

// Lives are what tensors take of the two memories, by whose they are.
type lives struct {
	open []life // by tensor
	done []ended
}

// An ended life is one of a tensor in one memory.
type ended struct {
	life
	tensor int32
	to     unit.Time
}

// place is told where a tensor is from now on.
func (l *lives) place(tensor, client int32, at core.Place, from unit.Time, bytes unit.Bytes) {
	x := &l.open[tensor]
	next := life{client, at, from, bytes}
	if x.memory() == next.memory() {
		return // the store's or the client's, it stands where it stood
	}
	l.end(tensor, from)
	*x = next
}

// end keeps a life that ends.
func (l *lives) end(tensor int32, at unit.Time) {
	if x := l.open[tensor]; x.memory() >= 0 && len(l.done) <= mostLives {
		l.done = append(l.done, ended{x, tensor, at})
	}
}

// draw draws all of them.
func (l *lives) draw(t *over.Recorder, end unit.Time) {
	for i := range l.open {
		l.end(int32(i), end)
	}
	if len(l.done) > mostLives {
		return
	}
	t.Group("Tensors by client", false)
	into := [2]int{t.Lives("On the GPU", "bytes"), t.Lives("In host memory", "bytes")}
	for i := range l.done {
		x := &l.done[i]
		t.Live(into[x.memory()], over.Slice{
			Begin: int64(x.from), End: int64(x.to), Cat: uint8(firstOwner + min(int(x.client), mostOwners-1)), Ref: x.tensor, Step: -1, Amount: int64(x.bytes),
		})
	}
}
