package filesys

import (
	"strings"
	"testing"

	core "spillway/sim/filesys"
	"spillway/ui/lab/labtest"
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
			labtest.Section(t, x.Name+" at "+at, s)
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

// A mistake of the firmware is said to do harm, or why it does none.
func TestCrashMistakes(t *testing.T) {
	l := New()
	for _, c := range []struct{ fault, set, says string }{
		{"txlog", "", "With this bug"},
		{"mapped", "", "With this bug"},
		{"lines", "workload=oltp scale=256 payload=share", "With this bug"},
		{"lines", "", "no page in use"},
		{"merge", "", "few microseconds"},
		{"ids", "", "same order"},
	} {
		most := 0
		var text []string
		for _, at := range []string{"50", "60", "70", "80"} {
			s := shown(t, &l, crashKey, "crash="+at+" crash_fault="+c.fault, c.set, "bytefs")
			if cleans := c.fault == "mapped" || c.fault == "merge"; len(s.Text) < 3 || cleans != strings.Contains(strings.Join(s.Notes, " "), "bug in cleaning, so here the SSD has 128") {
				t.Fatalf("mistake %s: %q, %q", c.fault, s.Text, s.Notes)
			}
			if text = append(text, s.Text[2]); strings.Contains(s.Text[2], c.says) {
				most++
			}
		}
		if most < 2 || !strings.HasPrefix(c.says, "With") && most < 4 {
			t.Errorf("mistake %s of %q: %q", c.fault, c.set, text)
		}
	}
	if s := shown(t, &l, crashKey, "crash_fault=txlog crash_calls=100", small, "ext4"); !strings.Contains(strings.Join(s.Text, " "), "Ext4 has none") {
		t.Errorf("a mistake of a log that is not there: %q", s.Text)
	}
}

// A page that is entered too soon breaks promises of a mail server, and the section says so.
func TestCrashBreaksPromises(t *testing.T) {
	l := New()
	for set, at := range map[string]string{"workload=varmail": "60", small: "60", small + " mode=paper": "80"} {
		s := shown(t, &l, crashKey, "crash="+at+" crash_fault=mapped", set, "bytefs")
		if s.Tables[0].Rows[0].Cells[2].Text == "0" || !strings.Contains(s.Text[0], "should be durable, ") || !strings.Contains(s.Tables[2].Rows[0].Cells[5].Text, "promise broken") {
			t.Errorf("%s: %q, %v", set, s.Text, s.Tables[0].Rows[0])
		}
	}
}

// The page says how long Ext4 waits at this scale.
func TestCrashSaysCommitInterval(t *testing.T) {
	l := New()
	for set, want := range map[string]string{"scale=64": "up to 78.1", "scale=64 commit_interval=1": "up to 15.6"} {
		if s := shown(t, &l, crashKey, "crash_calls=100", set, "ext4"); !strings.Contains(s.Text[1], want) {
			t.Errorf("%s: %q; want %q", set, s.Text[1], want)
		}
	}
}

// The artifact's accidents do harm too.
func TestCrashOfTheArtifact(t *testing.T) {
	l := New()
	for _, mode := range []string{"keeps-lines", "no-commit", "no-data"} {
		s := shown(t, &l, crashKey, "crash_calls=1500", small+" payload=random mode="+mode, "bytefs")
		labtest.Section(t, mode, s)
		broken := s.Tables[0].Rows[0].Cells[2].Text
		if (broken != "0") != (mode == "no-data") {
			t.Errorf("%s breaks %s promises: %q", mode, broken, s.Text)
		}
	}
}

// The moment of a failure stays when a mistake is switched on, though the SSD has less DRAM
// then, and the map has the worst one.
func TestCrashMomentStays(t *testing.T) {
	l := New()
	when := func(fault string) string {
		s := shown(t, &l, crashKey, "crash=60 crash_fault="+fault, small, "bytefs")
		labtest.Section(t, fault, s)
		if m := s.Maps[0]; m.Columns != 101 || m.Pick.Key != crashKey {
			t.Errorf("fault %s: map %+v", fault, m)
		}
		if last := s.Text[len(s.Text)-1]; strings.HasPrefix(last, "The worst moment") != (fault != "none") {
			t.Errorf("fault %s: %q", fault, last)
		}
		_, after, _ := strings.Cut(s.Text[0], "loses power after ")
		at, _, _ := strings.Cut(after, ",")
		return at
	}
	if a, b := when("none"), when("mapped"); a != b {
		t.Errorf("without a mistake the power fails after %s, with one after %s", a, b)
	}
}
