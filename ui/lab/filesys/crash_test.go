package filesys

import (
	"strings"
	"testing"

	core "spillway/sim/filesys"
)

// Whenever the power fails, no file system breaks a promise, and the section says so.
func TestCrashSection(t *testing.T) {
	l := New()
	for i := range core.Systems {
		x := &core.Systems[i]
		cuts := []string{"60"}
		if x.Main {
			cuts = append(cuts, "0", "12.5", "100")
		}
		for _, at := range cuts {
			s := shown(t, &l, crashKey, "crash="+at+" crash_calls=400", small, x.Name)
			whole(t, x.Name+" at "+at, s)
			for _, row := range s.Tables[0].Rows {
				if row.Cells[2].Text != "0" {
					t.Errorf("power fails at %s %% of %s: %s breaks %s promises", at, x.Name, row.Head, row.Cells[2].Text)
				}
			}
			if at == "60" && (len(s.Tables) < 2 || !strings.Contains(s.Text[0], "promised")) {
				t.Errorf("%s at %s %%: %q, %d tables", x.Name, at, s.Text, len(s.Tables))
			}
		}
	}
}

// A mistake of the firmware is said to do harm, or to do none at the moment.
func TestCrashMistakes(t *testing.T) {
	l := New()
	harm := 0
	for _, fault := range []string{"merge", "txlog", "lines", "ids", "mapped"} {
		s := shown(t, &l, crashKey, "crash=70 crash_calls=2000 crash_fault="+fault, "workload=mkdir scale=256", "bytefs")
		if len(s.Text) != 3 || !strings.Contains(s.Text[2], "mistake") {
			t.Fatalf("mistake %s: %q", fault, s.Text)
		}
		if strings.HasPrefix(s.Text[2], "With the mistake") {
			harm++
		}
	}
	if harm == 0 {
		t.Error("no mistake does harm")
	}
	if s := shown(t, &l, crashKey, "crash_fault=txlog crash_calls=100", small, "ext4"); !strings.Contains(strings.Join(s.Text, " "), "Ext4 has none") {
		t.Errorf("a mistake of a log that is not there: %q", s.Text)
	}
}

// The artifact's accidents do harm too.
func TestCrashOfTheArtifact(t *testing.T) {
	l := New()
	for _, mode := range []string{"keeps-lines", "no-commit", "no-data"} {
		s := shown(t, &l, crashKey, "crash_calls=1500", small+" payload=random mode="+mode, "bytefs")
		whole(t, mode, s)
		broken := s.Tables[0].Rows[0].Cells[2].Text
		if (broken != "0") != (mode == "no-data") {
			t.Errorf("%s breaks %s promises: %q", mode, broken, s.Text)
		}
	}
}
