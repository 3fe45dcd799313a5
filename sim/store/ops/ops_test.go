package ops

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"spillway/sim/unit"
)

// two is a valid trace of two clients.
func two(t *testing.T) *Trace {
	t.Helper()
	a, b := &Script{Client: "a"}, &Script{Client: "b"}
	x := a.Tensor("x")
	a.Add(Create, x, 10)
	a.Think(5)
	a.Add(Put, x, 0)
	a.Think(7)
	a.Add(Get, x, 0)
	a.Add(Free, x, 0)
	b.Think(6)
	b.Add(Malloc, b.Tensor("x"), 20)
	b.Add(MFree, b.Tensor("x"), 0)
	a.Foretell()
	trace, err := Join(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func TestJoin(t *testing.T) {
	want := &Trace{
		Clients: []string{"a", "b"},
		Tensors: []Tensor{{"x", 0}, {"x", 1}},
		Ops: []Op{
			{Kind: Create, Bytes: 10},
			{Kind: Put, Think: 5, Next: Next{Time: 7, Order: 3}},
			{Kind: Malloc, Client: 1, Tensor: 1, Think: 6, Bytes: 20},
			{Kind: MFree, Client: 1, Tensor: 1},
			{Kind: Get, Think: 7},
			{Kind: Free},
		},
	}
	got := two(t)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	alone := &Trace{Clients: []string{"b"}, Tensors: []Tensor{{"x", 0}}, Ops: []Op{{Kind: Malloc, Think: 6, Bytes: 20}, {Kind: MFree}}}
	if got := got.Alone(1); !reflect.DeepEqual(got, alone) {
		t.Errorf("alone: got %+v, want %+v", got, alone)
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		change func(t *Trace)
		want   string
	}{
		{func(t *Trace) {}, "<nil>"},
		{func(t *Trace) { t.Ops = nil }, "trace has 0 operations; want 1 to 1048576"},
		{func(t *Trace) { t.Clients[1] = "a" }, `clients 0 and 1 are both named "a"`},
		{func(t *Trace) { t.Clients[1] = "" }, "client 1: has no name"},
		{func(t *Trace) { t.Clients[1] = "\n" }, `client 1: the name "\n" has control characters`},
		{func(t *Trace) { t.Tensors[1].Name = strings.Repeat("é", 33) }, `tensor 1: the name "éééééééééééééééé"... has 66 bytes; at most 64 are supported`},
		{func(t *Trace) { t.Tensors[1].Client = 0 }, `tensors 0 and 1 of a client are both named "x"` + "\n" + "operation 2 (malloc): tensor 1 (x) is another client's\noperation 3 (mfree): tensor 1 (x) is another client's"},
		{func(t *Trace) { t.Ops[0].Client = 2 }, "operation 0: client 2 is not between 0 and 1"},
		{func(t *Trace) { t.Ops[0].Kind = 9 }, "operation 0 (kind(9)): unknown kind"},
		{func(t *Trace) { t.Ops[0].Bytes = 0 }, "operation 0 (create): size is 0 bytes; want 1 to 4398046511104"},
		{func(t *Trace) { t.Ops[1].Bytes = 1 }, "operation 1 (put): size is 1 bytes; only create and malloc have one"},
		{func(t *Trace) { t.Ops[1].Think = MaxTime + 1 }, "operation 1 (put): thinking time is 100000000000000001 ps after 0 ps; want 0 or more and at most 100000000000000000 ps in all"},
		{func(t *Trace) { t.Ops[4].Think = MaxTime }, "operation 4 (get): thinking time is 100000000000000000 ps after 5 ps; want 0 or more and at most 100000000000000000 ps in all"},
		{func(t *Trace) { t.Ops[1].Next.Order = 2 }, "operation 1 (put): next use is the client's operation 2; this is its operation 2, so want 3 to 1048576"},
		{func(t *Trace) { t.Ops[1].Next.Time = -1 }, "operation 1 (put): next use is after -1 ps; want 1 to 100000000000000000, or 0 for not said"},
		{func(t *Trace) { t.Ops[4].Next.Order = 9 }, "operation 4 (get): only put has a next use"},
		{func(t *Trace) { t.Ops[4].Tensor = 2 }, "operation 4 (get): tensor 2 is not between 0 and 1"},
	}
	for i, tt := range tests {
		trace := two(t)
		tt.change(trace)
		if got := fmt.Sprint(trace.Validate()); got != tt.want {
			t.Errorf("case %d:\n got %s\nwant %s", i, got, tt.want)
		}
	}
	bad := two(t)
	for range 100 {
		bad.Ops = append(bad.Ops, Op{Kind: Get, Tensor: -1})
	}
	if n := strings.Count(fmt.Sprint(bad.Validate()), "\n") + 1; n != most {
		t.Errorf("%d problems listed, want %d", n, most)
	}
}

func TestJoinLimits(t *testing.T) {
	s := &Script{Client: "a"}
	x := s.Tensor("x")
	for range MaxOps + 1 {
		s.Add(Get, x, 0)
	}
	if _, err := Join(s); fmt.Sprint(err) != "1048577 operations; at most 1048576 are supported" {
		t.Error(err)
	}
	if _, err := Join(make([]*Script, MaxClients+1)...); err == nil {
		t.Error("65 clients are accepted")
	}
}

func TestKinds(t *testing.T) {
	for k := range Kinds {
		if got, err := ParseKind(k.String()); got != k || err != nil {
			t.Errorf("%v: %v, %v", k, got, err)
		}
	}
	if _, err := ParseKind("move"); fmt.Sprint(err) != `unknown operation "move"; want create, get, put, free, malloc, mfree` {
		t.Error(err)
	}
	if unit.Bytes(MaxTensor) != 4398046511104 {
		t.Error("FORMAT.md names the greatest size")
	}
}
