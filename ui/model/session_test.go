package model

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/ui/job"
)

// A desk is a runner that only writes down what it is asked.
type desk struct {
	started []job.Job
	stopped []int
}

func (d *desk) Start(j job.Job) { d.started = append(d.started, j) }
func (d *desk) Stop(ids []int)  { d.stopped = append(d.stopped, ids...) }

// find returns the newest job of a system.
func (d *desk) find(t *testing.T, name string) job.Job {
	t.Helper()
	for _, j := range slices.Backward(d.started) {
		if j.Run != nil && j.Run.System == name {
			return j
		}
	}
	t.Fatalf("no job for %s", name)
	return job.Job{}
}

// fake is a result of n kernels of 1 ms that take slow times as long because
// of one cause.
func fake(name string, n int, slow unit.Cycles, cause result.Cause) *result.Result {
	const kernel = 1_200_000 // cycles in 1 ms at 1.2 GHz
	r := &result.Result{System: name, Mode: "published", Fits: true, Clock: 1200 * unit.MHz, Ideal: unit.Cycles(n) * kernel, PlannedOps: 7}
	var now unit.Cycles
	for i := range n {
		end := now + kernel*slow
		r.Kernels = append(r.Kernels, result.Kernel{Start: now, End: end, Ideal: kernel, GPU: unit.Bytes(i) * unit.GiB, Host: unit.GiB})
		now = end
	}
	it := result.Iteration{Time: now, Stall: now - r.Ideal, Compute: r.Ideal, Traffic: result.Traffic{SSDIn: 2e9, HostOut: 1e9}}
	*it.Ledger.At(cause) = now - r.Ideal
	r.Iterations = []result.Iteration{it}
	return r
}

func newDesk() (*desk, *Session) {
	d := &desk{}
	return d, NewSession(Default(), d)
}

func TestSessionStartsEverySystem(t *testing.T) {
	d, s := newDesk()
	if len(d.started) != len(train.Systems) {
		t.Fatalf("%d jobs; want %d", len(d.started), len(train.Systems))
	}
	for i, j := range d.started {
		if j.Run.System != train.Systems[i].Name || j.ID == 0 || j.Source != s.State.Source {
			t.Errorf("job %d: %+v", i, j)
		}
	}
	j := d.started[0]
	s.Answer(job.Answer{ID: j.ID, Done: 1, Total: 4})
	if got := s.Runs[0].RunState(); got != "25 %" {
		t.Errorf("got %q; want 25 %%", got)
	}
	s.Answer(job.Answer{ID: j.ID, Last: true, Result: fake(j.Run.System, 3, 1, 0)})
	if got := s.Runs[0].RunState(); got != "done" {
		t.Errorf("got %q; want done", got)
	}
}

func TestOutdatedAnswersAreDropped(t *testing.T) {
	d, s := newDesk()
	old := d.started[0]
	s.SetMachine("gpu_memory", "20")
	if !slices.Contains(d.stopped, old.ID) {
		t.Errorf("stopped %v; want %d among them", d.stopped, old.ID)
	}
	if s.Answer(job.Answer{ID: old.ID, Last: true, Error: "late"}) || s.Runs[0].Error != "" {
		t.Error("an answer to an outdated job was taken")
	}
	young := d.find(t, old.Run.System)
	if young.ID == old.ID || young.Run.Machine.GPUMemory != 20*unit.GiB {
		t.Errorf("got %+v", young)
	}
	s.Answer(job.Answer{ID: young.ID, Last: true, Result: fake("x", 1, 1, 0)})
	n := len(d.started)
	s.SetMachine("gpu_memory", "20.0") // the same number
	if len(d.started) != n {
		t.Error("the same settings ran again")
	}
}

func TestInvalidSettingsRunNothing(t *testing.T) {
	d, s := newDesk()
	n := len(d.started)
	for _, change := range []func(){
		func() { s.SetMachine("gpu_memory", "much") },
		func() { s.SetBatch("0") },
		func() { s.SetOption("iterations", "") },
		func() { s.SetMachine("ssd_read", "20") },
	} {
		change()
		if len(d.started) != n || s.Blocked() == "" || s.Active() {
			t.Errorf("%d jobs; want %d. Blocked: %q", len(d.started), n, s.Blocked())
		}
		s.Undo()
		n = len(d.started)
	}
}

func TestUndoRedo(t *testing.T) {
	_, s := newDesk()
	first := s.State.Encode()
	for _, text := range []string{"2", "24", "24."} {
		s.SetMachine("gpu_memory", text)
	}
	s.SetBatch("8x")
	s.Undo()
	if s.BatchText != "256" || s.BatchError != "" {
		t.Errorf("batch %q, %q", s.BatchText, s.BatchError)
	}
	s.Undo() // the keystrokes of one field are one step
	if s.State.Encode() != first || s.CanUndo() {
		t.Errorf("got %s; want %s", s.State.Encode(), first)
	}
	s.Redo()
	s.Redo()
	if s.BatchText != "8x" || s.BatchError == "" || s.CanRedo() {
		t.Errorf("batch %q, %q", s.BatchText, s.BatchError)
	}
}

func TestResultsAreRemembered(t *testing.T) {
	d, s := newDesk()
	j := d.started[0]
	s.Answer(job.Answer{ID: j.ID, Last: true, Result: fake("x", 1, 1, 0)})
	s.SetMachine("gpu_memory", "20")
	n := len(d.started)
	s.Undo()
	if r := s.Runs[0]; r.Active() || r.Result == nil || r.Stale {
		t.Errorf("undo did not bring the result back: %+v", r)
	}
	for _, again := range d.started[n:] {
		if again.Run.System == j.Run.System {
			t.Error("a known result was computed again")
		}
	}
}

func TestCancelAndCrash(t *testing.T) {
	d, s := newDesk()
	s.Cancel()
	if s.Active() || len(d.stopped) != len(train.Systems) || s.Runs[0].RunState() != "cancelled" {
		t.Errorf("stopped %v, %q", d.stopped, s.Runs[0].RunState())
	}
	s.RunAgain()
	j := d.find(t, train.Systems[1].Name)
	s.Answer(job.Answer{ID: j.ID, Last: true, Error: "gone", Crash: "A worker stopped."})
	if s.Notice != "A worker stopped." || s.Runs[1].RunState() != "failed" {
		t.Errorf("notice %q, state %q", s.Notice, s.Runs[1].RunState())
	}
	if !s.Answer(job.Answer{Crash: "again"}) || s.Notice != "again" {
		t.Error("a crash without a job was not told")
	}
}

func TestOpenFiles(t *testing.T) {
	d, s := newDesk()
	handed := 0
	open := func() job.Job {
		s.Open([]string{"a.zip"}, func(n int) { handed = n })
		return d.started[len(d.started)-1]
	}
	j := open()
	if j.Run != nil || j.Source.Files != 1 || handed != 1 {
		t.Fatalf("job %+v, handed %d", j, handed)
	}
	q := s.State.Request("")
	q.Machine.GPUMemory, q.Options.Quirks = 7*unit.GiB, quirk.Corrected()
	s.Answer(job.Answer{ID: j.ID, Last: true, Entries: []job.Entry{{Name: "one", Info: "x"}, {Name: "two", Setup: &q}, {Name: "bad", Error: "no"}}})
	if s.State.Source.Entry != "" {
		t.Error("one of several entries was chosen")
	}
	s.Files.Filter = "TWO"
	if es, n := s.Files.Shown(9); n != 1 || es[0].Name != "two" {
		t.Errorf("search found %v", es)
	}
	s.Pick("bad")
	s.Pick("two")
	if s.State.Source.Entry != "two" || s.State.Machine.GPUMemory != 7*unit.GiB || s.State.Options.Quirks != quirk.Corrected() {
		t.Errorf("got %+v", s.State)
	}
	if s.Blocked() != "" {
		t.Error(s.Blocked())
	}
	s.Visit("#v=1&entry=three")
	if !strings.Contains(s.Blocked(), `holds "three"`) {
		t.Errorf("blocked: %q", s.Blocked())
	}
	j = open()
	s.Answer(job.Answer{ID: j.ID, Last: true, Entries: []job.Entry{{Name: "three"}, {Name: "four"}}})
	if s.Blocked() != "" || s.State.Source.Files != 2 {
		t.Errorf("blocked: %q, %+v", s.Blocked(), s.State.Source)
	}
	j = open()
	s.Answer(job.Answer{ID: j.ID, Last: true})
	if !strings.Contains(s.Files.Error, "No workload found in a.zip") {
		t.Errorf("error %q", s.Files.Error)
	}
}

// finished answers every job: the first system is the bound, the second twice
// as slow, the third does not fit, the others slower and slower.
func finished(t *testing.T) *Session {
	d, s := newDesk()
	for i := range train.Systems {
		j := d.find(t, train.Systems[i].Name)
		a := job.Answer{ID: j.ID, Last: true, Summary: &job.Summary{Name: "w", Times: workload.ColdModel, Kernels: 10}}
		switch i {
		case 0:
			a.Result = fake(j.Run.System, 10, 1, 0)
		case 2:
			a.Result = &result.Result{System: j.Run.System, Reason: "kernel 3 needs 50 GiB", Clock: 1}
		default:
			a.Result = fake(j.Run.System, 10, unit.Cycles(i+1), result.SSDRead)
		}
		s.Answer(a)
	}
	return s
}

func TestHeadline(t *testing.T) {
	s := finished(t)
	title := func(i int) string { return train.Systems[i].Title }
	got := s.Headline()
	for _, want := range []string{title(1) + " is fastest, at 50 % of ideal throughput", "2× as fast as " + title(3), "mostly SSD read (100 %", title(2) + " cannot run it"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q; want %q in it", got, want)
		}
	}
	s.SetMachine("gpu_memory", "20")
	if got := s.Headline(); got != "Computing…" {
		t.Errorf("got %q", got)
	}
	s.SetMachine("ssd_read", "20") // faster than its link
	if got := s.Headline(); !strings.HasPrefix(got, "Not computed") {
		t.Errorf("nothing can run, but the headline is %q", got)
	}
	for _, sys := range train.Systems {
		s.ToggleSystem(sys.Name)
	}
	if got := s.Headline(); got != "No system is selected." {
		t.Errorf("got %q", got)
	}
}

func TestCharts(t *testing.T) {
	for name, s := range map[string]*Session{"finished": finished(t), "empty": NewSession(Default(), &desk{})} {
		for _, c := range s.Charts() {
			var option map[string]any
			if err := json.Unmarshal([]byte(c.Option()), &option); err != nil {
				t.Fatalf("%s: %s: %v", name, c.ID, err)
			}
			if series, ok := option["series"].([]any); !ok || name == "finished" && len(series) == 0 {
				t.Errorf("%s: %s: series are %v", name, c.ID, option["series"])
			}
			if c.Title == "" || !strings.Contains(c.Note, "as the paper measured") || !strings.Contains(c.Note, "as published") {
				t.Errorf("%s: %s: title %q, note %q", name, c.ID, c.Title, c.Note)
			}
			if name == "finished" && (c.Alt == "" || c.Text == "" || len(c.Table.Rows) == 0 || c.Empty != "") {
				t.Errorf("%s: alt %q, text %q, table %v, empty %q", c.ID, c.Alt, c.Text, c.Table, c.Empty)
			}
			if name == "empty" && c.Empty == "" {
				t.Errorf("%s: no word about the empty chart", c.ID)
			}
			for _, row := range c.Table.Rows {
				if len(row) != len(c.Table.Head) {
					t.Errorf("%s: row %q under head %q", c.ID, row, c.Table.Head)
				}
			}
		}
	}
}

func TestCSV(t *testing.T) {
	s := finished(t)
	text, err := s.CSV()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 1+len(train.Systems) {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	cell := func(row int, key string) string {
		i := slices.Index(rows[0], key)
		if i < 0 {
			t.Fatalf("no column %q in %q", key, rows[0])
		}
		return rows[row][i]
	}
	for _, tt := range []struct {
		row       int
		key, want string
	}{
		{2, "normalized_throughput", "0.5"},
		{2, "iteration_s", "0.02"},
		{2, "ideal_s", "0.01"},
		{2, "beyond_ideal_ssd_read_s", "0.01"},
		{2, "ssd_to_gpu_bytes", "2000000000"},
		{2, "throughput_samples_per_s", "12800"},
		{2, "kernel_slowdown_worst", "2"},
		{2, "peak_gpu_bytes", "9663676416"},
		{2, "planned_migrations", "7"},
		{2, "kernel_times", "as-paper"},
		{2, "mode", "published"},
		{3, "status", "does not fit"},
		{3, "reason", "kernel 3 needs 50 GiB"},
		{3, "iteration_s", ""},
	} {
		if got := cell(tt.row, tt.key); got != tt.want {
			t.Errorf("row %d, %s: got %q; want %q", tt.row, tt.key, got, tt.want)
		}
	}
	heads, numbers := s.Numbers()
	for _, row := range numbers {
		if len(row.Cells) != len(heads) {
			t.Errorf("%s: %d cells under %d heads", row.Label, len(row.Cells), len(heads))
		}
	}
	out, err := s.JSON()
	var x Export
	if err == nil {
		err = json.Unmarshal([]byte(out), &x)
	}
	if err != nil || len(x.Runs) != len(train.Systems) || x.Runs[2].Status != "does not fit" {
		t.Errorf("JSON: %v, %+v", err, x.Runs)
	}
}

func TestNumberTexts(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{digits(0, 3), "0"},
		{digits(1234.5, 3), "1234"},
		{digits(0.0012345, 3), "0.00123"},
		{digits(2, 3), "2"},
		{digits(-1.255, 3), "-1.25"},
		{count(0), "0"},
		{count(1234567), "1\u202f234\u202f567"},
		{count(-1234), "-1\u202f234"},
		{count(999), "999"},
		{span(0), "0 s"},
		{span(1.5), "1.5 s"},
		{span(0.0123), "12.3 ms"},
		{span(4.5e-6), "4.5 µs"},
		{percent(1, 3), "33.3 %"},
		{percent(1, 0), "0 %"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q; want %q", tt.got, tt.want)
		}
	}
}

// A chosen GPU stays chosen, and kernel times are estimated for it, also where
// another one has as much memory.
func TestChosenGPU(t *testing.T) {
	_, n := newDesk()
	gpus := machine.Slots()[0]
	for _, p := range gpus.Parts {
		if _, err := job.FindGPU(p.Key); err != nil {
			continue // kernel times cannot be estimated for it
		}
		n.SetPart(gpus.Key, p.Key)
		if got := n.Part(gpus).Key; got != p.Key || n.State.Source.GPU != p.Key {
			t.Errorf("chose %s: the slot has %q, times are for %q", p.Key, got, n.State.Source.GPU)
		}
	}
	n.SetTimes(workload.Estimated)
	if got := n.Mode(); !strings.HasPrefix(got, "kernel times estimated for GeForce RTX 4090 ·") {
		t.Errorf("the numbers are said to be of %q", got)
	}
	want := []string{"a100-40", "a100-80", "v100-32", "h100-80", "rtx-4090", "a100-40"}
	for i, p := range Presets() {
		n.SetPreset(p.Key)
		if got := n.Part(gpus).Key; got != want[i] || n.State.Source.GPU != want[i] {
			t.Errorf("%s: the slot has %q, times are for %q, want %q", p.Key, got, n.State.Source.GPU, want[i])
		}
	}
}
