package filesys

import (
	"strings"
	"testing"

	core "spillway/sim/filesys"
)

// TestYourTable: what the table of Yours means stands in its notes, the laboratory of crashes says
// the promise that it breaks, and a link keeps it.
func TestYourTable(t *testing.T) {
	l := New()
	for _, c := range []struct{ table, note, says string }{
		{"as-bytefs", "is in a transaction", "keeps every promise"},
		{"inode.lookup,dentry.lookup,dentry.rename", "a part of rename: what", "Not safe on Yours: a file is gone whose name another was to take"},
		{"inodes.delete", "a part of delete: what", "keeps every promise"},
	} {
		set := "workload=create scale=256 by_block=" + c.table
		u, err := l.Read(set)
		if err != nil {
			t.Fatal(err)
		}
		rep, _, err := l.Run(u, core.Own, nil, nil)
		if err != nil || !strings.Contains(strings.Join(rep.Notes, " "), c.note) {
			t.Errorf("%s: %v, %q", c.table, err, rep.Notes)
		}
		s := shown(t, &l, safeKey, "safe_way=git-fsync", set, core.Own)
		if !strings.Contains(s.Text[0], c.says) {
			t.Errorf("%s: %q", c.table, s.Text)
		}
	}
}
