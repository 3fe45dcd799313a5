package filesys

import (
	"fmt"
	"strings"
	"testing"

	"spillway/sim/filesys/promise"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// The section says of every way and mistake what the search finds, with the shortest history.
func TestSafeSection(t *testing.T) {
	l := New()
	for _, c := range []struct{ system, set, says, table string }{
		{"ext4", "", "tried. It is not safe on PMFS.", "The shortest history that shows it, on PMFS"},
		{"f2fs", "safe_way=rename", "break a promise. Nor is it safe on ByteFS and PMFS.", "The shortest history that shows it, on F2FS"},
		{"f2fs", "safe_way=rename safe_cache=protected", "without what had been written", "The shortest history"},
		{"ext4", "safe_way=rename", "Ext4 keeps every promise", "The shortest history that shows it, on ByteFS"},
		{"nova", "safe_way=truncate", "partly old and partly new, or empty", "The shortest history"},
		{"ext4", "safe_way=sqlite safe_fault=barrier", "is older or gone", "The shortest history"},
		{"ext4", "safe_way=sqlite safe_fault=barrier safe_cache=protected", "Ext4 keeps every promise", ""},
		{"bytefs", "safe_way=rocksdb safe_fault=rename", "the other has not got it", "The shortest history"},
		{"f2fs", "safe_way=editor safe_fault=node safe_tear=512", "is older or gone", "The shortest history"},
		{"pmfs", "safe_way=git-fsync", "the other has not got it", "The shortest history"},
		{"bytefs", "safe_way=shown", "ByteFS keeps every promise", ""},
	} {
		s := shown(t, &l, safeKey, c.set, small, c.system)
		labtest.Section(t, c.system+" "+c.set, s)
		if !strings.Contains(s.Text[0], c.says) || len(s.Tables[0].Rows) < 5 || len(s.Maps) != 1 || len(s.Maps[0].Rows) != len(s.Tables[0].Rows) {
			t.Errorf("%s, %s: %q", c.system, c.set, s.Text)
		}
		title, lost := "", false
		for _, x := range s.Tables {
			if strings.Contains(x.Title, "history") {
				title = x.Title
				last := x.Rows[len(x.Rows)-1]
				lost = strings.HasPrefix(last.Cells[0].Text, "the power fails")
			}
		}
		if !strings.HasPrefix(title, c.table) || (title != "") != lost || (title != "") != (c.table != "") {
			t.Errorf("%s, %s: table %q, ends with the failure: %t", c.system, c.set, title, lost)
		}
	}
}

// The moment that is chosen stays when a mistake is switched on.
func TestSafeMomentStays(t *testing.T) {
	l := New()
	var titles []string
	for _, fault := range []string{"none", "barrier"} {
		s := shown(t, &l, safeKey, "safe_way=sqlite safe_call=9 safe_fault="+fault, small, "ext4")
		last := s.Tables[len(s.Tables)-1]
		titles = append(titles, last.Title)
		if broken := last.Rows[1].Cells[1].Text != "0"; broken != (fault == "barrier") {
			t.Errorf("mistake %s: %+v", fault, last.Rows[1])
		}
	}
	if titles[0] != titles[1] || !strings.Contains(titles[0], "call 9 ") {
		t.Errorf("tables are %q", titles)
	}
}

// A recording that is opened is what is looked at, all its calls: where there are more than columns,
// several share one, and picking it shows the worst of them.
func TestSafeRecording(t *testing.T) {
	l := New()
	var text strings.Builder
	text.WriteString("fscalls 1\n")
	for i := range 400 {
		fmt.Fprintf(&text, "- 1 create /d/new%d\n- 1 write /d/new%d - 4096\n", i, i)
		if i%2 == 0 {
			fmt.Fprintf(&text, "- 1 fsync /d/new%d\n", i)
		}
		fmt.Fprintf(&text, "- 1 rename /d/new%d /d/file\n", i)
	}
	f := opened(t, &l, lab.File{Name: "saves.txt", Data: []byte(text.String())})
	u := labtest.Setup(t, &l, "payload=random entry="+f.Entries()[0].Name)
	show := func(set string) *report.Section {
		look := sectionKnobs(&l, safeKey)
		pairs, err := knob.Pairs(set)
		if err == nil {
			err = look.Apply(pairs)
		}
		if err != nil {
			t.Fatal(err)
		}
		s, err := l.Section(safeKey, look, u, "bytefs", f, nil)
		if err != nil {
			t.Fatal(err)
		}
		labtest.Section(t, set, s)
		return s
	}
	s := show("")
	m := &s.Maps[0]
	if m.Step != 12 || m.Columns != 117 || m.Cells[0] == 0 || !strings.Contains(s.Text[0], "without what had been written") || !strings.HasPrefix(s.Notes[0], "All calls of the workload") {
		t.Errorf("%d columns by %d, the first is %d: %q, %q", m.Columns, m.Step, m.Cells[0], s.Text, s.Notes)
	}
	last := func(set string) report.Table { s := show(set); return s.Tables[len(s.Tables)-1] }
	if x := last(""); !strings.HasPrefix(x.Title, "At the worst moment the power fails when call 10 was") {
		t.Errorf("the worst is %q", x.Title)
	}
	if x := last("safe_call=1"); !strings.Contains(x.Title, "call 10 was the last to begin: fsync") {
		t.Errorf("picked is %q", x.Title)
	}
	if x := last("safe_call=2"); !strings.Contains(x.Title, "call 2 was") {
		t.Errorf("typed is %q", x.Title)
	}
	if s := show("safe_way=editor"); s.Maps[0].Step != 1 || !strings.Contains(s.Text[0], "keeps every promise") {
		t.Errorf("a way beside a recording: %q", s.Text)
	}
}

// Every way and kind has words.
func TestSafeWords(t *testing.T) {
	for k := range promise.Kinds {
		if promises[k].head == "" || promises[k].says == "" {
			t.Errorf("kind %d has no words", k)
		}
	}
	seen := map[string]bool{}
	for _, w := range promise.Ways() {
		if seen[w.Key] || w.Title == "" || w.About == "" || w.Key == asShown || w.Key == asOpened {
			t.Errorf("way %+v", w)
		}
		seen[w.Key] = true
	}
}
