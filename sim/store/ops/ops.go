// Package ops describes what clients ask of an object store for GPU memory: a
// trace of operations of several clients. A Trace is shared by all runs and
// never changed after Validate.
//
// A trace is canonical if clients and tensors are numbered in the order in
// which the operations first name them, and none is unnamed. [Join] makes
// canonical traces, and a trace file yields one; since ties are broken by
// number, a canonical trace gives the same result from memory and from a file.
package ops

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"spillway/sim/unit"
)

// Kind is what an operation does.
type Kind uint8

// The kinds of operation. The first four are the store's calls (Ravenstore
// report, §1.2.1), the last two allocations of other programs that the store
// intercepts (§3.1).
const (
	Create Kind = iota // allocate a tensor for its client
	Get                // take a tensor out of the store
	Put                // leave a tensor to the store until the next Get
	Free               // delete a tensor
	Malloc             // intercepted cudaMalloc; the store never moves it
	MFree              // intercepted cudaFree
)

var kindNames = [...]string{"create", "get", "put", "free", "malloc", "mfree"}

// Kinds is how many kinds there are.
const Kinds = Kind(len(kindNames))

// String returns the name used in files and messages.
func (k Kind) String() string {
	if k < Kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// ParseKind is the inverse of Kind.String.
func ParseKind(s string) (Kind, error) {
	for i, n := range kindNames {
		if n == s {
			return Kind(i), nil
		}
	}
	return 0, fmt.Errorf("unknown operation %q; want %s", s, strings.Join(kindNames[:], ", "))
}

// Allocates reports whether the operation makes a tensor and has a size.
func (k Kind) Allocates() bool { return k == Create || k == Malloc }

// Next is what a client says at Put about the tensor's next Get. The report's
// put takes the time (§1.2.1, §4.3); it does not say of which clock. Nothing
// ties it to the truth.
type Next struct {
	// Time is how long after the Put, by the client's clock; 0 if not said.
	Time unit.Time
	// Order is the number of that Get among the client's operations, the first
	// being 1; 0 if not said.
	Order int32
}

// An Op is one operation of one client.
type Op struct {
	// Bytes is the size of what Create and Malloc allocate; 0 for the others.
	Bytes unit.Bytes
	// Think is what the client does between its previous operation's end and
	// this one: it computes. Before its first operation the client is not
	// there yet.
	Think unit.Time
	// Next belongs to Put.
	Next   Next
	Tensor int32 // index into Trace.Tensors
	Client uint8 // index into Trace.Clients
	Kind   Kind
}

// A Tensor is a name that one client uses. After Free the client may create
// it anew, with another size.
type Tensor struct {
	Name   string // unique within its client
	Client uint8  // index into Trace.Clients
}

// A Trace is the operations of all clients. Those of one client are in order.
// Whose turn it is among several is found by simulation; their order here
// means nothing else than numbering.
type Trace struct {
	Clients []string
	Tensors []Tensor
	Ops     []Op
}

// Limits of a trace. They keep every sum inside int64.
const (
	MaxOps                = 1 << 20
	MaxClients            = 64
	MaxName               = 64 // bytes of a name
	MaxTensor  unit.Bytes = 1 << 42
	// MaxTime bounds a client's thinking in all, and each declared time.
	MaxTime = 100_000 * unit.Second
)

// most is how many problems Validate lists.
const most = 20

// Validate checks what can be seen without running the trace, and reports up
// to twenty problems at once. What a client does wrong with a tensor, such as
// freeing it twice, is a result of a run and no error here.
func (t *Trace) Validate() error {
	var errs []error
	bad := func(format string, a ...any) {
		if len(errs) < most {
			errs = append(errs, fmt.Errorf(format, a...))
		}
	}
	t.validateNames(bad)
	if n := len(t.Ops); n == 0 || n > MaxOps {
		bad("trace has %d operations; want 1 to %d", n, MaxOps)
	}
	var clock [MaxClients]unit.Time
	var number [MaxClients]int32
	for i := range t.Ops {
		o := &t.Ops[i]
		if int(o.Client) >= len(t.Clients) || int(o.Client) >= MaxClients {
			bad("operation %d: client %d is not between 0 and %d", i, o.Client, len(t.Clients)-1)
			continue
		}
		number[o.Client]++
		if err := o.check(number[o.Client], clock[o.Client]); err != nil {
			bad("operation %d (%s): %w", i, o.Kind, err)
		} else {
			clock[o.Client] += o.Think
		}
		switch {
		case o.Tensor < 0 || int(o.Tensor) >= len(t.Tensors):
			bad("operation %d (%s): tensor %d is not between 0 and %d", i, o.Kind, o.Tensor, len(t.Tensors)-1)
		case t.Tensors[o.Tensor].Client != o.Client:
			bad("operation %d (%s): tensor %d (%s) is another client's", i, o.Kind, o.Tensor, t.Tensors[o.Tensor].Name)
		}
	}
	return errors.Join(errs...)
}

// check says what is wrong with an operation's numbers; it is the client's
// operation of the given number, and the client has thought so long before it.
func (o *Op) check(number int32, clock unit.Time) error {
	switch {
	case o.Kind >= Kinds:
		return errors.New("unknown kind")
	case o.Kind.Allocates() && (o.Bytes < 1 || o.Bytes > MaxTensor):
		return fmt.Errorf("size is %d bytes; want 1 to %d", o.Bytes, MaxTensor)
	case !o.Kind.Allocates() && o.Bytes != 0:
		return fmt.Errorf("size is %d bytes; only create and malloc have one", o.Bytes)
	case o.Think < 0 || o.Think > MaxTime-clock:
		return fmt.Errorf("thinking time is %d ps after %d ps; want 0 or more and at most %d ps in all", o.Think, clock, MaxTime)
	case o.Kind != Put && o.Next != Next{}:
		return errors.New("only put has a next use")
	case o.Next.Time < 0 || o.Next.Time > MaxTime:
		return fmt.Errorf("next use is after %d ps; want 1 to %d, or 0 for not said", o.Next.Time, MaxTime)
	case o.Next.Order != 0 && (o.Next.Order <= number || o.Next.Order > MaxOps):
		return fmt.Errorf("next use is the client's operation %d; this is its operation %d, so want %d to %d", o.Next.Order, number, number+1, MaxOps)
	}
	return nil
}

func (t *Trace) validateNames(bad func(string, ...any)) {
	if n := len(t.Clients); n == 0 || n > MaxClients {
		bad("trace has %d clients; want 1 to %d", n, MaxClients)
	}
	for i, name := range t.Clients {
		if err := CheckName(name); err != nil {
			bad("client %d: %w", i, err)
		}
		for j := range min(i, MaxClients) {
			if t.Clients[j] == name {
				bad("clients %d and %d are both named %q", j, i, name)
				break
			}
		}
	}
	if n := len(t.Tensors); n > MaxOps {
		bad("trace has %d tensors; at most %d are supported", n, MaxOps)
	}
	seen := make(map[Tensor]int, len(t.Tensors))
	for i, x := range t.Tensors {
		if err := CheckName(x.Name); err != nil {
			bad("tensor %d: %w", i, err)
		}
		if int(x.Client) >= len(t.Clients) {
			bad("tensor %d (%s): client %d is not between 0 and %d", i, x.Name, x.Client, len(t.Clients)-1)
		}
		if j, ok := seen[x]; ok {
			bad("tensors %d and %d of a client are both named %q", j, i, x.Name)
		}
		seen[x] = i
	}
}

// CheckName reports whether s can be a client's or tensor's name: 1 to 64
// bytes of UTF-8 without control characters.
func CheckName(s string) error {
	switch {
	case s == "":
		return errors.New("has no name")
	case len(s) > MaxName:
		return fmt.Errorf("the name %.16q... has %d bytes; at most %d are supported", s, len(s), MaxName)
	case plain(s):
		return nil
	case !utf8.ValidString(s):
		return fmt.Errorf("the name %q is not UTF-8", s)
	case strings.ContainsFunc(s, unicode.IsControl):
		return fmt.Errorf("the name %q has control characters", s)
	}
	return nil
}

// plain reports whether s is printable ASCII, as most names are.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
