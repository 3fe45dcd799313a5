package ops

import (
	"fmt"

	"spillway/sim/unit"
)

// A Script writes the operations of one client. Add counts time by itself.
// The zero Script is empty.
type Script struct {
	Client  string
	ops     []Op
	names   []string
	numbers map[string]int32
	think   unit.Time
}

// Tensor returns the number of a name within the script.
func (s *Script) Tensor(name string) int32 {
	if n, ok := s.numbers[name]; ok {
		return n
	}
	if s.numbers == nil {
		s.numbers = map[string]int32{}
	}
	n := int32(len(s.names))
	s.names = append(s.names, name)
	s.numbers[name] = n
	return n
}

// Think lets time pass before the next operation.
func (s *Script) Think(t unit.Time) { s.think += t }

// Len is how many operations there are.
func (s *Script) Len() int { return len(s.ops) }

// Add appends an operation on a tensor of the script and returns its number,
// the first being 1. bytes is the size for Create and Malloc, else 0.
func (s *Script) Add(k Kind, tensor int32, bytes unit.Bytes) int32 {
	s.ops = append(s.ops, Op{Kind: k, Tensor: tensor, Bytes: bytes, Think: s.think})
	s.think = 0
	return int32(len(s.ops))
}

// Foretell says at every Put whose tensor has a later Get when that is, truly:
// its number, and its time if nothing ever waits. It takes linear time.
func (s *Script) Foretell() {
	var clock unit.Time
	type mark struct {
		put int32
		at  unit.Time
	}
	open := make([]mark, len(s.names))
	for i := range s.ops {
		o := &s.ops[i]
		clock += o.Think
		switch o.Kind {
		case Put:
			open[o.Tensor] = mark{int32(i + 1), clock}
		case Get:
			if m := open[o.Tensor]; m.put > 0 {
				s.ops[m.put-1].Next = Next{Time: clock - m.at, Order: int32(i + 1)}
				open[o.Tensor].put = 0
			}
		}
	}
}

// Join makes one canonical trace of several clients: their operations in the
// order of each client's clock, among equals that of the arguments.
func Join(scripts ...*Script) (*Trace, error) {
	if len(scripts) > MaxClients {
		return nil, fmt.Errorf("%d clients; at most %d are supported", len(scripts), MaxClients)
	}
	n := 0
	for _, s := range scripts {
		n += len(s.ops)
	}
	if n > MaxOps {
		return nil, fmt.Errorf("%d operations; at most %d are supported", n, MaxOps)
	}
	t := &Trace{Ops: make([]Op, 0, n)}
	type side struct {
		next   int // operation
		clock  unit.Time
		client int
		tensor []int32 // number in t, or -1
	}
	sides := make([]side, len(scripts))
	for i, s := range scripts {
		sides[i].client, sides[i].tensor = -1, make([]int32, len(s.names))
		for j := range sides[i].tensor {
			sides[i].tensor[j] = -1
		}
	}
	for range n {
		first, at := -1, unit.Time(0)
		for i, s := range scripts {
			if d := &sides[i]; d.next < len(s.ops) {
				if ready := d.clock + s.ops[d.next].Think; first < 0 || ready < at {
					first, at = i, ready
				}
			}
		}
		s, d := scripts[first], &sides[first]
		o := s.ops[d.next]
		d.next, d.clock = d.next+1, at
		if d.client < 0 {
			d.client = len(t.Clients)
			t.Clients = append(t.Clients, s.Client)
		}
		o.Client = uint8(d.client)
		if d.tensor[o.Tensor] < 0 {
			d.tensor[o.Tensor] = int32(len(t.Tensors))
			t.Tensors = append(t.Tensors, Tensor{s.names[o.Tensor], o.Client})
		}
		o.Tensor = d.tensor[o.Tensor]
		t.Ops = append(t.Ops, o)
	}
	return t, t.Validate()
}

// Alone returns the trace of one client without the others.
func (t *Trace) Alone(client int) *Trace {
	a := &Trace{Clients: []string{t.Clients[client]}}
	number := make([]int32, len(t.Tensors)) // 1 + number in a
	for i := range t.Ops {
		o := t.Ops[i]
		if int(o.Client) != client {
			continue
		}
		if number[o.Tensor] == 0 {
			a.Tensors = append(a.Tensors, Tensor{Name: t.Tensors[o.Tensor].Name})
			number[o.Tensor] = int32(len(a.Tensors))
		}
		o.Client, o.Tensor = 0, number[o.Tensor]-1
		a.Ops = append(a.Ops, o)
	}
	return a
}
