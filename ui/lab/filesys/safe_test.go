package filesys

import (
	"strings"
	"testing"

	"spillway/sim/filesys/promise"
	"spillway/ui/lab/labtest"
)

// The section says of every way and mistake what the search finds, with the shortest history.
func TestSafeSection(t *testing.T) {
	l := New()
	for _, c := range []struct{ system, set, says, table string }{
		{"ext4", "", "Ext4 keeps every promise", ""},
		{"f2fs", "safe_way=rename", "without what had been written", "The shortest history that shows it, on F2FS"},
		{"f2fs", "safe_way=rename safe_cache=protected", "without what had been written", "The shortest history"},
		{"ext4", "safe_way=rename", "Ext4 keeps every promise", ""},
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

// Every way and kind has words.
func TestSafeWords(t *testing.T) {
	for k := range promise.Kinds {
		if promises[k].head == "" || promises[k].says == "" {
			t.Errorf("kind %d has no words", k)
		}
	}
	seen := map[string]bool{}
	for _, w := range promise.Ways() {
		if seen[w.Key] || w.Title == "" || w.About == "" || w.Key == asShown {
			t.Errorf("way %+v", w)
		}
		seen[w.Key] = true
	}
}
