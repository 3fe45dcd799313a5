package train

import (
	"strings"
	"testing"

	"spillway/ui/lab/labtest"
)

// TestTake: what a workload would take is asked of every system that is compared at first; whoever
// is near full speed with the least memory is so with more.
func TestTake(t *testing.T) {
	l := New()
	section, err := l.Section(takeKey, viewOf(t, &l, takeKey, ""), labtest.Setup(t, &l, "model=bert-base batch=64 times=estimated mode=corrected"), "g10", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	labtest.Section(t, takeKey, section)
	if len(section.Text) != 1 || !strings.HasPrefix(section.Text[0], "It needs ") || !strings.Contains(section.Text[0], " keeps 90 % of full speed with ") {
		t.Fatalf("%q", section.Text)
	}
	table := section.Tables[0]
	if len(table.Rows) < 5 || len(table.Head) != 2+len(shares) {
		t.Errorf("%d rows, %q", len(table.Rows), table.Head)
	}
	for _, row := range table.Rows {
		if len(row.Cells) != 1+len(shares) {
			t.Errorf("%s: %v", row.Head, row.Cells)
		}
	}
}
