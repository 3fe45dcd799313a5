// Package filesys assembles the laboratory of file systems: ByteFS and what it was
// compared with, over one SSD that can be reached by blocks and by bytes.
package filesys

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
	"spillway/ui/jsontext"
	"spillway/ui/lab"
	"spillway/ui/lab/filesys/papers/bytefs"
	"spillway/ui/lab/timefiles"
)

// A settings is everything a run depends on besides the system.
type settings struct {
	Workload string // name of a recipe
	Entry    string // of opened files, instead of Workload; empty for none
	Recipe   load.Recipe
	Pattern  load.Pattern // of a Workload of requests
	Mode     string       // quirks
	Setup    machine.Setup
}

// machine returns the setup of a run. The texts in s have been checked.
func (s *settings) machine() machine.Setup {
	m := s.Setup
	m.Quirks, _ = machine.Quirks.Parse(quirkKeys(s.Mode))
	m.OpenLoop = m.OpenLoop && s.Entry != "" // what is made has no times
	return m
}

// A work is what runs.
type work struct {
	*call.Workload
	about, origin string
	notes         []string
	recorded      bool
	touches       unit.Bytes // what a recording's files have
}

// machine returns the machine that it runs on.
func (w *work) machine(s *settings) machine.Setup {
	switch m := s.machine(); {
	case w.recorded && w.Blocks:
		m.Scale = 1
		d := &m.Device
		d.Room = max(w.room(), 8*unit.Bytes(d.Channels*d.Pages)*unit.Page)
		return m
	case w.recorded:
		return recordingMachine(m, w.touches)
	default:
		return m
	}
}

// room is how much the devices of a recording of requests have, in whole pages.
func (w *work) room() (sum unit.Bytes) {
	for _, n := range w.Nodes {
		sum += unit.Bytes(unit.Bytes(n.Size).Pages()) * unit.Page
	}
	return sum
}

// roomy is how many times as large as what a recording touches the SSD's room is at least.
const roomy = 8

// recordingMachine returns the machine that a recording of so many bytes runs on. Its calls are not
// divided, so nothing is, no timer above all. Of the SSD's capacity, which takes memory for
// each page, there is as much as the recording needs.
func recordingMachine(m machine.Setup, touches unit.Bytes) machine.Setup {
	m.Scale = 1
	d := &m.Device
	use := max(1, 100-d.Old-d.CollectUntil)
	need := max(unit.GiB, roomy*touches*100/unit.Bytes(use), 4*m.Host.Journal, 16*unit.Bytes(d.Channels*d.Pages)*unit.Page)
	d.Capacity = min(d.Capacity, (need+unit.GiB-1)/unit.GiB*unit.GiB)
	return m
}

// A result is a run with its setup.
type result struct {
	*core.Result
	setup   machine.Setup
	w       *work
	refused string // why the system does not take the workload
}

// What sections and exports are made of, with this laboratory's types.
type (
	seen    = lab.View[settings, *work, *result]
	section = lab.Shown[settings, *work, *result]
	format  = lab.Written[settings, *work, *result]
)

// New returns the laboratory.
func New() lab.Lab {
	return lab.New(lab.Spec[settings, *work, *result]{
		Info: lab.Info{
			Name: "filesys", Title: "File systems",
			About:   "File systems on an SSD that can be reached by blocks and by bytes (ByteFS).",
			Lead:    "What a file system gains when its SSD can also be written byte by byte.",
			Systems: systems(),
			Panels: []lab.Panel{
				{Key: "workload", Title: "Workload"},
				{Key: "decides", Title: "What decides the comparison"},
				{Key: "recipe", Title: "Recipe", Folded: true},
				{Key: "device", Title: "SSD"},
				{Key: "host", Title: "Host", Folded: true},
				{Key: "table", Title: "Your table", Folded: true},
				{Key: "options", Title: "Fidelity", Folded: true},
			},
			Charts: charts(), Picture: picture(), Presets: presets(),
			Brief: []lab.Brief{{Text: "{workload}", Panel: "recipe"}, {Text: "{scale}", Trust: true}, {Text: "{payload?}", Trust: true}, {Text: "{ack?}", Trust: true}, {Text: "{mode}", Trust: true}, {Text: "{device?}"}, {Text: "{channels} channels, {ssd_dram} DRAM"}},
			Say: lab.Say{
				Quantity: "kops", Than: "× as fast as", Most: "is fastest",
				Loss: "ledger", LossOf: "time_ms", Spends: "%s spends %s of its %s %s, %s %s", LossSays: "Its threads spend their time mostly %[2]s (%[3]s of it)", Cannot: "cannot run it",
				Alone:  []lab.Alone{{Quantity: "read_p99_us", Says: "99 %% of reads within %s"}, {Quantity: "write_p99_us", Says: "99 %% of writes within %s"}, {Quantity: "flash_write_amp", Says: "write amplification %s"}},
				Change: []string{"kops"}, Faster: "faster", Slower: "slower",
			},
			Floor: lab.Lowest("time_ms", "kops"),
			Rank:  []string{"kops", "host_write_mb", "meta_mb", "flash_pages", "read_us"},
			Drop:  dropped, Sliced: true,
			Hardware: strings.Fields("channels -read_latency -program_latency -erase_latency -transfer write_buffer -line_read -line_write -persist ssd_dram cores page_cache"),
			Entry:    "entry", EntryKnobs: []string{"open_loop"}, Vary: "ssd_dram",
			Contradictions: "device", ContradictionHelp: "The settings contradict each other. Each sentence names the setting to change.",
			Glossary: glossary(), Tour: tour(), Cards: cards(), Help: help(),
			Asked: []lab.Asked{{Words: "safe crash consistent durable lose data", ID: "section crash"}, {Words: "slow wait journal", ID: "chart ledger"}, {Words: "why cause", ID: "section why"}, {Words: "waterfall measurement artifact", ID: "section measured"}, {Words: "my program save atomic rename fsync crash sqlite", ID: "section safe"}, {Words: "raw device iops percentile tail wear", ID: "section alone"}, {Words: "blktrace recording iostat", ID: "press pick-files-button"}},
		},
		Why:     why(),
		Default: standard(),
		Knobs:   knobs(),
		Check:   check,
		Accept:  accept,
		Source: func(s *settings) string {
			m, r := &s.Setup, s.Recipe
			if s.Entry != "" {
				return fmt.Sprintf("entry=%q open_loop=%v depth=%d", s.Entry, m.OpenLoop, m.Device.Depth)
			}
			r.Name = s.Workload
			if _, ok := load.FindPattern(s.Workload); ok {
				d := &m.Device
				return fmt.Sprintf("workload=%s scale=%d seed=%d capacity=%d channels=%d depth=%d %s", s.Workload, m.Scale, m.Seed, d.Capacity, d.Channels, d.Depth, patternText(&s.Pattern))
			}
			return fmt.Sprintf("workload=%s scale=%d seed=%d threads=%d warm=%v %d %v flowops=%v full_sync=%v burns=%d,%d,%d %s", r.Name, m.Scale, m.Seed, m.Threads, m.Warm, m.WarmTime, m.Prepared, m.Flowops, m.FullSync, m.ReaderBurn, m.WriterBurn, m.StoreCost, recipeText(&r))
		},
		Load:     loaded,
		Run:      run,
		Bound:    proof,
		Measures: measures(),
		Report:   describe,
		Steps:    steps,
		Less:     less,
		Result:   core.Result{},
		JSON:     func(r *result) ([]byte, error) { return jsontext.MarshalIndent(r.Result) },
		Hash:     func(r *result) string { return core.Hash(r.Result) },
		Sections: sections(),
		Exports:  exports(),
		Timeline: timefiles.Happening(timed),
		Studies:  studies(),
	})
}

// dropped says what files the laboratory takes.
const dropped = "Drop a trace of calls (strace, fio's iolog, or Spillway's own), or of requests to a device (blkparse, fio, MSR, SPC), anywhere on this page"

// systems lists the file systems.
func systems() []lab.System {
	var list []lab.System
	for _, s := range core.Systems {
		x := lab.System{Name: s.Name, Title: s.Title, About: s.About, Family: "Blocks", Paper: "as ByteFS (ASPLOS 2025) compares it, §5", Off: s.Off, Main: s.Main, Usual: s.Usual, Look: s.Look, Unread: unread(&s)}
		switch {
		case s.Name == core.Own:
			x.Family, x.Paper, x.Follows = "Yours", "not in the literature", "by_block"
		case s.Main:
			x.Family, x.Paper = "ByteFS", "ByteFS, ASPLOS 2025"
		case s.Off:
			x.Family, x.Paper = "Parts of ByteFS", "ByteFS, ASPLOS 2025, Figure 12"
		case !s.Waits:
			x.Family = "Bytes"
		}
		list = append(list, x)
	}
	a := &core.Alone
	list = append(list, lab.System{
		Name: a.Name, Title: a.Title, About: a.About + " It takes workloads of requests, which file systems do not.", Family: "No file system",
		Paper: nvme, Off: true, Look: a.Look, Unread: unread(a),
	})
	best := lab.Best(
		"A proven bound, not a run: no file system can be faster. It is the least that cores, threads, the benchmark program's serial part and reads of flash need. It is there for workloads that read; where writing decides it would be loose, and is not shown.",
		"Spillway: sums over what works at most all the time", 10)
	best.Unread = unknown()
	return append(list, best)
}

// Settings that a device or a host reads only for some systems.
const (
	ofLog      = "log_at log_single commit_time "
	ofBytes    = "line_read line_write persist "
	ofFlash    = "spare history queue_depth "
	ofCommands = "ack submit firmware transfer complete cache buffer_reads dram_shared "
	ofCache    = "page_cache meta_share dirty_background dirty_limit expire write_batch loaded full_sync "
)

// ofHost are all settings of a host and of file systems.
func ofHost() string {
	return keysOf(machine.GroupHost, machine.GroupCalls, machine.GroupSystems, machine.GroupWriting, machine.GroupTable)
}

// unknown are settings that the best possible does not know: what moves when, and what is kept where.
func unknown() string {
	return keysOf(machine.GroupChoices, machine.GroupCollect, machine.GroupStreams, machine.GroupAlone, machine.GroupWriting, machine.GroupTable) +
		" page_cache meta_share fsync_cost handle wake journal_copy duplicate compare write_buffer cache buffer_reads line_write persist" +
		" commit_time ssd_dram dram_shared log_at log_single capacity block_pages reads_first fresh_share frontier warm_time f2fs_keeps" +
		" loaded keeps_freed first_fit entry_loads in_place as_issued counts_empty inline write_batch own_cache blind_writes" +
		" full_sync reader_burn writer_burn store_cost width append aio" // of workloads for which it is not shown
}

// keysOf are the settings of groups of the machine's.
func keysOf(groups ...string) string {
	var keys []string
	for _, k := range machine.Knobs() {
		if slices.Contains(groups, k.Group) {
			keys = append(keys, k.Key)
		}
	}
	return strings.Join(keys, " ")
}

// unread are settings that a system does not read: those of others alone, and of memory that it
// does not use.
func unread(x *core.System) string {
	var keys []string
	own := strings.Fields(x.Reads)
	for _, s := range core.Systems {
		for key := range strings.FieldsSeq(s.Reads) {
			if !slices.Contains(own, key) {
				keys = append(keys, key)
			}
		}
	}
	alone := x.Memory == device.Alone
	if alone {
		keys = append(keys, ofHost(), "warm warm_time prepared f2fs_keeps loaded full_sync flowops",
			"reader_burn writer_burn store_cost threads mode cache ssd_dram gc_start gc_stop old_data")
	}
	for _, k := range []struct {
		of  string
		has bool
	}{
		{ofLog, x.Memory == device.WriteLog},
		{"counts_empty", x.Memory == device.PageBuffer},
		{"dram_shared", x.Memory == device.PageBuffer || x.Memory == device.NoMemory},
		{ofBytes, x.Memory == device.PageBuffer || x.Memory == device.WriteLog},
		{ofCommands, !x.Direct},
		{ofCache, !x.Direct && !alone},
		{ofFlash, alone},
	} {
		if !k.has {
			keys = append(keys, k.of)
		}
	}
	return strings.Join(keys, " ")
}

// proof is what no file system can be faster than.
func proof(w *work, s *settings, _ lab.Progress) (*lab.Proof, error) {
	m := w.machine(s)
	out := &lab.Proof{About: w.about, Origin: w.origin}
	f, err := core.Bound(w.Workload, &m)
	if why, ok := core.IsUnsure(err); ok {
		out.Reason = "Not shown here, because it is loose: " + why
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	out.Value = ratio(float64(f.Time), float64(unit.Millisecond))
	out.Notes = []string{"A proven bound, not a run: no file system can be faster. What decides it is " + f.By + ". Nobody knows whether it can be reached."}
	if most := w.Sure.Most; most > 0 && f.Time > 0 {
		out.Also = []float64{float64(most) / out.Value}
	}
	return out, nil
}

// loaded returns what the settings run.
func loaded(s *settings, f lab.Files) (*work, error) {
	if s.Entry != "" {
		return entry(s, f)
	}
	return generate(s)
}

// run runs a system.
func run(w *work, s *settings, system string, p lab.Progress) (*result, error) {
	m := w.machine(s)
	r, err := core.Run(w.Workload, &m, system, nil, p)
	if unfit := new(core.UnfitError); errors.As(err, &unfit) {
		return &result{&core.Result{System: system, Workload: w.Name, Scale: m.Scale}, m, w, unfit.Reason}, nil
	}
	if err != nil {
		return nil, err
	}
	return &result{r, m, w, ""}, nil
}

var errNoFiles = errors.New("the files are no longer at hand; open them again")

// studies are the papers that can be reproduced.
func studies() []lab.Study[settings, *work, *result] {
	return []lab.Study[settings, *work, *result]{
		lab.Reproduce(lab.PaperInfo{
			Key: "bytefs", Title: "The ByteFS paper",
			About: "What ByteFS (ASPLOS 2025) says of its Figures 6 to 14 and Tables 1 to 3. The figures' own values are not public: the numbers are those of the text, from a reading note.",
		}, bytefs.Paper, bytefs.Reader, nil, func(r *lab.Run[settings, *work, *result]) *core.Result { return r.Result.Result }),
	}
}
