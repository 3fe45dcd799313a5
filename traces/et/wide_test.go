package et

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestWideNode: a node with very many tensors takes time in proportion to them. What
// is among its inputs too is given to it, and no other result is.
func TestWideNode(t *testing.T) {
	const n = 120_000
	var in, out strings.Builder
	for i := range n {
		sep := ","
		if i == 0 {
			sep = ""
		}
		fmt.Fprintf(&in, `%s[%d, %d, 0, 2, 4, "cuda:0"]`, sep, i+1, i+1)
		fmt.Fprintf(&out, `%s[%d, %d, 0, 2, 4, "cuda:0"]`, sep, n+n/2+1+i, n/2+1+i)
	}
	text := document(node(1, 1, "root", "", ""), node(2, 1, "aten::_foreach_add_", in.String(), out.String()), node(3, 2, "aten::relu", "", ""))
	start := time.Now()
	trace, err := Read(strings.NewReader(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %v", took)
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
