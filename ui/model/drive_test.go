package model

import (
	"strings"
	"testing"

	"spillway/sim/train/quirk"
	"spillway/ui/job"
)

// bench is a runner that does its jobs when told to.
type bench struct {
	job.Bench
	queue []job.Job
}

func (b *bench) Start(j job.Job) { b.queue = append(b.queue, j) }
func (b *bench) Stop([]int)      {}

func (b *bench) work(n *Session) {
	for _, j := range b.queue {
		n.Answer(b.Do(j, nil))
	}
	b.queue = nil
}

func newTest(t *testing.T) (*Session, *bench) {
	t.Helper()
	s, err := Decode("v=1&model=bert-base&batch=16&times=as-paper&gpu_memory=2&host_memory=0")
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{}
	return NewSession(s, b), b
}

func TestDrive(t *testing.T) {
	n, w := newTest(t)
	w.work(n)
	if _, ok := n.DriveReport(); ok {
		t.Error("there is a report without a drive")
	}
	d, ok := n.Simulable()
	if !ok || d.Key != "z-nand" {
		t.Fatalf("the default machine's SSD can be simulated as %q, %v; want z-nand", d.Key, ok)
	}
	n.SetSSD("tape")
	if n.State.SSD != "" || n.CanUndo() {
		t.Error("an unknown drive was taken")
	}
	n.SetSSD(d.Key)
	if !strings.Contains(n.State.Encode(), "ssd=z-nand") || !strings.Contains(n.Note(), "simulated SSD "+d.Name) {
		t.Errorf("link %q, note %q", n.State.Encode(), n.Note())
	}
	if rep, _ := n.DriveReport(); rep.Text != "Computing…" {
		t.Errorf("before the run the report says %q", rep.Text)
	}
	w.work(n)
	rep, ok := n.DriveReport()
	if !ok || rep.Note == "" || len(rep.Table.Rows) != len(n.Runs) {
		t.Fatalf("report %+v, %v", rep, ok)
	}
	for _, f := range n.MachineGroups() {
		for _, f := range f.Fields {
			if strings.HasPrefix(f.Key, "ssd_") && f.Mark != "the simulated SSD decides" {
				t.Errorf("%s is marked %q", f.Key, f.Mark)
			}
		}
	}
	text, err := n.CSV()
	if err != nil || !strings.Contains(text, "drive_write_amplification") || !strings.Contains(text, ",z-nand,") {
		t.Errorf("CSV %q, %v", text, err)
	}
	n.Undo()
	if n.State.SSD != "" {
		t.Error("undo left the drive")
	}
	n.SetSSD(d.Key)
	n.ResetMachine("")
	if n.State.SSD != "" {
		t.Error("reset left the drive")
	}
}

func TestMarks(t *testing.T) {
	n, _ := newTest(t)
	marked := func() (keys []string) {
		for _, gs := range [][]Group{n.MachineGroups(), n.OptionGroups()} {
			for _, g := range gs {
				for _, f := range g.Fields {
					if f.Mark != "" {
						keys = append(keys, f.Key+": "+f.Mark)
					}
				}
			}
		}
		return keys
	}
	if got := marked(); len(got) != len(quirk.Published().Inert()) || !strings.HasSuffix(got[0], "no effect as published") {
		t.Errorf("as published: %q", got)
	}
	n.SetQuirks(quirk.Corrected())
	if got := marked(); len(got) != 0 {
		t.Errorf("corrected: %q", got)
	}
}

func TestStudyTables(t *testing.T) {
	for _, corrected := range []bool{false, true} {
		table := SurviveTable(corrected)
		if len(table.Rows) != 15 || len(table.Head) != 6 {
			t.Fatalf("%d rows, %d columns; want five networks with three sources of times, and six systems", len(table.Rows), len(table.Head))
		}
		for _, r := range table.Rows {
			best := 0
			for _, c := range r.Cells {
				if c.Best {
					best++
				}
				if c.Share < 0 || c.Share > 1.0001 || c.Text == "" {
					t.Errorf("%s, %s: %+v", r.Head, r.Sub, c)
				}
			}
			if best == 0 {
				t.Errorf("%s, %s: nothing is best", r.Head, r.Sub)
			}
		}
	}
	for _, added := range []bool{false, true} {
		some := false
		table := EffectsTable("g10", added)
		for _, r := range table.Rows {
			for _, c := range r.Cells {
				some = some || c.Best
			}
		}
		if len(table.Rows) != len(quirk.All()) || !some {
			t.Errorf("added %v: %d rows, an effect of 1 %%: %v", added, len(table.Rows), some)
		}
	}
	texts := EffectTexts()
	for _, q := range quirk.All() {
		if !strings.HasPrefix(texts[q.Key], "Removing it alone changes") {
			t.Errorf("%s: %q", q.Key, texts[q.Key])
		}
	}
	findings, answers := Conclusions()
	if len(findings) != 6 || len(answers) != 2 {
		t.Errorf("%d findings, %d answers", len(findings), len(answers))
	}
}
