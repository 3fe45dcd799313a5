package store

import (
	"strings"
	"testing"

	"spillway/ui/exec"
)

// A worker says what is wrong with a policy at the line and column of the text as it was typed,
// what may stand in it, and how people read what a link has.
func TestProof(t *testing.T) {
	b := exec.Executor{Lab: New()}
	ask := func(text, key string) *exec.Proofed {
		t.Helper()
		a := b.Do(&exec.Job{Kind: exec.Proof, View: text, Key: key}, nil)
		if a.Proofed == nil || a.Error != "" {
			t.Fatal(a.Error)
		}
		return a.Proofed
	}
	p := ask("# Mine\n\n# a comment that no link has\nevict = agee # here\n", "")
	if p.Wrong != "Line 4, column 9: agee is unknown; do you mean age?" || p.Text != "# Mine\n\n# a comment that no link has\nevict = agee # here\n" {
		t.Errorf("%+v", p)
	}
	if !strings.Contains(p.Words, `data-write="evict = "`) || !strings.Contains(p.Words, `data-write="keep H of tensor = 0"`) || !strings.Contains(p.Words, "Bytes of the tensor.") {
		t.Error(p.Words)
	}
	if !strings.Contains(p.Start, `data-whole=""`) || !strings.Contains(p.Start, "evict = -last\nfetch = last") {
		t.Error(p.Start)
	}
	if p = ask("#Mine@evict=-last*(p1 if mine else 1)", exec.Joined); p.Wrong != "" || p.Text != "# Mine\nevict = -last * (p1 if mine else 1)" {
		t.Errorf("%+v", p)
	}
	if q := ask(p.Text, ""); q.SHA256 != p.SHA256 || len(p.SHA256) != 64 {
		t.Errorf("%s, %s", q.SHA256, p.SHA256)
	}
}
