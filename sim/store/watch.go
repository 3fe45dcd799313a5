package store

import "spillway/sim/unit"

// A Slice is time of a client that goes to one part.
type Slice struct {
	Client     int32
	Part       Part
	Start, End unit.Time
}

// A Move is a tensor on its way to the host, or back.
type Move struct {
	Tensor     int32
	Back       bool
	Owner      int32 // client whose tensor it is
	Start, End unit.Time
	Bytes      unit.Bytes
}

// A Watch is told everything that a result sums up or keeps a part of: all slices of
// each client, by time, whose sums are its parts; and all moves of each direction, by
// time. Each may be nil. While clients share the GPU, what a client computes and what
// it waits for others alternate too quickly to be told; the computing is then first.
type Watch struct {
	Slice func(Slice)
	Move  func(Move)
	// Evict is told of an eviction when its move has been.
	Evict func(Eviction)
	// Done is told when an operation of any client is done, in order of time.
	Done func(at unit.Time)
	// Place is told where a tensor's bytes are from a time on, in order of time; Nowhere once it
	// is freed. What the host has a copy of, because it yields, is told where the GPU has it.
	Place func(tensor, client int32, at Place, from unit.Time, bytes unit.Bytes)
}

// slice notes time that goes to a part.
func (w *Watch) slice(client int32, p Part, start, end unit.Time) {
	if w != nil && w.Slice != nil && end > start {
		w.Slice(Slice{client, p, start, end})
	}
}

// move notes a tensor that moves.
func (w *Watch) move(t int32, x *tensor, back bool, start, end unit.Time) {
	if w != nil && w.Move != nil {
		w.Move(Move{t, back, int32(x.client), start, end, x.bytes})
	}
}
