package et

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// wide returns a recording of a node with n tensors among its inputs and n results, half
// of which are also among the inputs.
func wide(n int) string {
	var in, out strings.Builder
	for i := range n {
		sep := ","
		if i == 0 {
			sep = ""
		}
		fmt.Fprintf(&in, `%s[%d, %d, 0, 2, 4, "cuda:0"]`, sep, i+1, i+1)
		fmt.Fprintf(&out, `%s[%d, %d, 0, 2, 4, "cuda:0"]`, sep, n+n/2+1+i, n/2+1+i)
	}
	return document(node(1, 1, "root", "", ""), node(2, 1, "aten::_foreach_add_", in.String(), out.String()), node(3, 2, "aten::relu", "", ""))
}

// TestWideNode: a node with very many tensors takes memory in proportion to them. What
// is among its inputs too is given to it, and no other result is.
func TestWideNode(t *testing.T) {
	const n = 120_000
	read := func(n int) (*Trace, uint64) {
		text := wide(n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		trace, err := Read(strings.NewReader(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return trace, after.TotalAlloc - before.TotalAlloc
	}
	_, few := read(n / 4)
	trace, many := read(n)
	if many > 6*few {
		t.Errorf("%d bytes are allocated for %d tensors, %d for %d", few, n/4, many, n)
	}
	born := 0
	for i := range trace.Blocks {
		if trace.Blocks[i].Born == 1 {
			born++
		}
	}
	if len(trace.Blocks) != n+n/2 || born != n/2 {
		t.Errorf("%d blocks, of which %d are born there; want %d and %d", len(trace.Blocks), born, n+n/2, n/2)
	}
}
