package train

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/lab"
)

const small = "model=bert-base-pytorch batch=4 sequence=128 machine=v100-32gb-pcie-3-deepum gpu_memory=2 mode=corrected iterations=1 um_warmup=2"

// The section about what DeepUM learned shows tables and chain of one moment, whose
// numbers agree with each other.
func TestLearned(t *testing.T) {
	l := New()
	var told []int
	show := func(view, text string) *report.Section {
		t.Helper()
		u := set(t, text)
		v := viewOf(t, &l, learnedKey, view)
		s, err := l.Section(learnedKey, v, u, "deepum", nil, func(done, total int) { told = append(told, 100*done/max(1, total)) })
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := show("", small)
	if len(s.Text) != 1 || !strings.Contains(s.Text[0], "in iteration 3 of 3") || !strings.Contains(s.Text[0], "Its table knows ") {
		t.Fatalf("%q", s.Text)
	}
	if len(told) == 0 || !slices.IsSorted(told) {
		t.Errorf("progress %v", told)
	}
	if len(s.Maps) != 2 || len(s.Tables) != 4 {
		t.Fatalf("%d maps, %d tables", len(s.Maps), len(s.Tables))
	}
	for i := range s.Maps {
		m := &s.Maps[i]
		if m.Columns*len(m.Rows) != len(m.Cells) || len(m.Classes) > report.Levels {
			t.Errorf("%s: %d columns, %d rows, %d cells", m.ID, m.Columns, len(m.Rows), len(m.Cells))
		}
		for _, c := range m.Cells {
			if int(c) >= len(m.Classes) && c != report.NoCell {
				t.Errorf("%s: class %d", m.ID, c)
			}
		}
	}
	// A predicted kernel's blocks are the sum of those in each state, and the first
	// predicted one is the next.
	chain := s.Tables[1]
	for i, r := range chain.Rows {
		sum := 0
		for _, c := range r.Cells[1 : len(r.Cells)-1] {
			n, _ := strconv.Atoi(c.Text)
			sum += n
		}
		if last := r.Cells[len(r.Cells)-1]; last.Text != strconv.Itoa(sum) || len(last.Stack) != 4 || r.Cells[0].Text != strconv.Itoa(i) {
			t.Errorf("%+v sums to %d", r, sum)
		}
	}
	first, _ := strconv.Atoi(chain.Rows[0].Head)
	if len(chain.Rows) > 1 && chain.Rows[1].Head != strconv.Itoa(first+1) {
		t.Errorf("after kernel %d it predicts %s", first, chain.Rows[1].Head)
	}
	// The rows in the map are those that the table says are used.
	used := 0
	for _, c := range s.Maps[1].Cells {
		if c != report.NoCell && c > 0 {
			used++
		}
	}
	if want := fmt.Sprintf("%d of 2048", used); s.Tables[2].Rows[0].Cells[0].Text != want {
		t.Errorf("%s rows, the map has %d", s.Tables[2].Rows[0].Cells[0].Text, used)
	}
	// Chosen kernels and iterations, some of which there are not.
	for view, want := range map[string]string{
		"learned_kernel=7 learned_iteration=2":  "Kernel 7 of ",
		"learned_kernel=7 learned_iteration=1":  "in iteration 1 of 3",
		"learned_kernel=99999":                  "in iteration 3 of 3",
		"learned_kernel=1 learned_iteration=80": "in iteration 3 of 3",
		"learned_kernel=0 learned_iteration=1":  "has no table",
		"":                                      "The kernel is chosen, as 0 asks for the one of which most is known. The iteration is chosen, as 0 asks for the one after the warm-up.",
		"learned_kernel=8 learned_iteration=79": "There is no iteration 79; the last is shown.",
		"learned_kernel=99998":                  "There is no kernel 99998; the last is shown. The iteration is chosen",
	} {
		s := show(view, small)
		if !strings.Contains(s.Text[0], want) {
			t.Errorf("%s: %q, want %q", view, s.Text, want)
		}
		if view == "learned_kernel=7 learned_iteration=2" && (strings.Contains(s.Text[0], "chosen") || strings.Contains(s.Text[0], "There is no")) {
			t.Errorf("%s: %q", view, s.Text)
		}
	}
	if s := show("", small+" deepum_rows=1 deepum_ways=64 deepum_degree=1"); len(s.Maps) != 2 || s.Maps[1].Columns != 1 {
		t.Errorf("%+v", s.Maps)
	}
	if s := show("", small+" host_memory=0"); len(s.Tables) > 0 || !strings.Contains(s.Text[0], "cannot run it") {
		t.Errorf("%+v", s)
	}
	// Prefetch and pre-evict off: nothing is learned, and it says so.
	if s := show("", small+" deepum_prefetch=0 deepum_pre_evict=0"); len(s.Text) == 0 {
		t.Errorf("%+v", s)
	}
}

// Dropping needs invalidate, and the table says what it is of.
func TestSwitches(t *testing.T) {
	l := New()
	s, err := l.Section(switchesKey, viewOf(t, &l, switchesKey, ""), set(t, small), "deepum", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := s.Tables[0].Rows
	if len(rows) != 4 || rows[0].Head != "off, off" || rows[3].Head != "on, on" {
		t.Fatalf("%+v", rows)
	}
	best := 0
	for i, r := range rows {
		if len(r.Cells) != len(s.Tables[0].Head)-1 {
			t.Fatalf("%+v", r)
		}
		if r.Cells[0].Best {
			best++
		}
		if dropped := r.Cells[6].Text; (dropped != "0") != (i%2 == 1) {
			t.Errorf("%s: %s blocks dropped", r.Head, dropped)
		}
	}
	if best != 1 {
		t.Errorf("%d are the fastest", best)
	}
	if s, err := l.Section(switchesKey, viewOf(t, &l, switchesKey, ""), set(t, small+" host_memory=0"), "deepum", nil, nil); err != nil || !strings.Contains(s.Tables[0].Rows[0].Cells[0].Text, "host") {
		t.Errorf("%+v, %v", s, err)
	}
}

// viewOf is what is set in a section.
func viewOf(t *testing.T, l *lab.Lab, key, text string) *knob.Setup {
	t.Helper()
	v := knob.NewSetup(l.Info.Section(key).Knobs)
	if err := v.Read(text); err != nil {
		t.Fatal(err)
	}
	return v
}
