package filesys

import (
	"fmt"
	"math/bits"
	"strconv"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/timeline"
	"spillway/sim/unit"
	"spillway/ui/lab/timefiles"
)

// causeWords are what threads spend time on, one by one.
var causeWords = [core.Causes]struct {
	key, label string
	style      timeline.Style
}{
	core.Thinks:       {"thinks", "the program", timeline.Working},
	core.Computes:     {"computes", "the file system's CPU time", timeline.Working},
	core.WaitsCore:    {"core", "waits for a core", timeline.Waiting},
	core.WaitsLock:    {"lock", "waits for a lock", timeline.Waiting},
	core.ReadsBlocks:  {"read_blocks", "reads blocks", timeline.Waiting},
	core.WritesBlocks: {"write_blocks", "writes blocks", timeline.Waiting},
	core.ReadsBytes:   {"read_bytes", "loads", timeline.Waiting},
	core.WritesBytes:  {"write_bytes", "stores and COMMIT", timeline.Waiting},
	core.WaitsLog:     {"log", "waits for the log", timeline.Waiting},
	core.WaitsJournal: {"journal", "waits for a commit", timeline.Waiting},
}

// Categories of time beside what threads spend it on.
const (
	calling = uint8(core.Causes) + iota
	holding
	flashReads
	flashPrograms
	flashCopies
	flashErases
	cleaning
	idle
)

// categories are the categories of this laboratory's timeline.
func categories() []timeline.Category {
	var list []timeline.Category
	for _, x := range causeWords {
		list = append(list, timeline.Category{Key: x.key, Label: x.label, Style: x.style, Verb: x.style == timeline.Waiting})
	}
	for _, x := range [][2]string{{"call", "call"}, {"held", "held"}, {"flash_read", "reads a page"}, {"flash_program", "programs a page"}, {"flash_copy", "copies pages"}, {"flash_erase", "erases a block"}, {"cleaning", "a half of the log is cleaned"}} {
		list = append(list, timeline.Category{Key: x[0], Label: x[1], Style: timeline.Working})
	}
	return append(list, timeline.Category{Key: "idle", Label: "waits for other threads", Style: timeline.Waiting, Verb: true})
}

// shownLocks is how many locks have a track: those that others wait for longest.
const shownLocks = 8

// A held is a time in which a client has a lock that others wait for when it gives it up.
type held struct {
	lock, client int32
	from, to     unit.Time
}

// A drawing makes a timeline of what a run tells.
type drawing struct {
	*timeline.Recorder
	machine machine.Setup // as it runs, at scale
	threads int32
	first   int // the track of the first thread; each has two
	flash   int // that of the first channel
	warm    int64
	codes   []call.Code          // of calls by number, those of the measured part
	objects map[int32]int32      // by node
	words   map[plan.Step]uint32 // of steps, by what they do
	actors  [][]core.Span        // by actor
	took    map[unit.Time]uint8  // what a channel does for so long
	locks   []held
	chain   chain // where tracks are
}

// track begins the tracks that are known before the run.
func (d *drawing) track() {
	d.Group("Threads", false)
	for i := range d.threads {
		n := d.Track(fmt.Sprintf("Calls of thread %d", i+1), timeline.Note, "")
		if i == 0 {
			d.first = n
		}
		d.Track(fmt.Sprintf("Thread %d", i+1), timeline.State, "")
	}
	d.Group("SSD", false)
	for i := range d.machine.Device.Channels {
		n := d.Track(fmt.Sprintf("Channel %d", i+1), timeline.Work, "")
		if i == 0 {
			d.flash = n
		}
	}
	m := &d.machine.Device
	d.chain.first, d.chain.threads, d.chain.flash, d.chain.servers = d.first, int(d.threads), d.flash, int(d.machine.Device.Channels)
	d.chain.own = map[uint32]int64{}
	d.took = map[unit.Time]uint8{m.Erase: flashErases, m.Read + m.Program: flashCopies, m.Program: flashPrograms, m.Read: flashReads}
}

// watch is what the run tells.
func (d *drawing) watch() *core.Watch {
	return &core.Watch{
		Span: d.span, Called: d.called,
		Held: func(lock, client int32, from, to unit.Time, wanted bool) {
			if wanted {
				d.locks = append(d.locks, held{lock, client, from, to})
			}
		},
		Flash: func(channel int32, from, to unit.Time) {
			what, ok := d.took[to-from]
			if !ok { // collection of blocks for which a program waits
				what = flashCopies
			}
			d.Slice(d.flash+int(channel), timeline.Slice{Begin: int64(from), End: int64(to), Cat: what, Ref: -1, Step: -1})
		},
	}
}

// step is the number of a call as a step of the run; those that the warm-up began have none.
func (d *drawing) step(number int64) int32 { return int32(max(-1, number-d.warm-1)) }

// span draws what a thread spends time on; actors are drawn when it is known who they are.
func (d *drawing) span(s core.Span) {
	slice := timeline.Slice{Begin: int64(s.From), End: int64(s.To), Cat: uint8(s.Cause), Ref: -1, Step: -1}
	if s.Client >= d.threads {
		for len(d.actors) <= int(s.Client-d.threads) {
			d.actors = append(d.actors, nil)
		}
		d.actors[s.Client-d.threads] = append(d.actors[s.Client-d.threads], s)
		return
	}
	if s.Idle {
		slice.Cat = idle
	}
	if s.Step != nil {
		slice.Name, slice.Step = d.word(s.Step), d.step(s.Call)
	}
	d.Slice(d.first+2*int(s.Client)+1, slice)
}

// word names a step by what it does.
func (d *drawing) word(s *plan.Step) uint32 {
	if s.Kind == plan.CPU {
		return 0 // its category says it
	}
	key := plan.Step{Kind: s.Kind, Structure: s.Structure, N: s.N, Lines: uint64(bits.OnesCount64(s.Lines))}
	name, ok := d.words[key]
	if !ok {
		name = d.Name(stepText(s))
		d.words[key] = name
		d.chain.own[name] = int64(interfaceTime(&d.machine.Device, s))
	}
	return name
}

// interfaceTime is what the SSD's interface takes for a step.
func interfaceTime(m *machine.Device, s *plan.Step) unit.Time {
	lines, blocks := unit.Time(bits.OnesCount64(s.Lines)), unit.Time(s.N)
	switch s.Kind {
	case plan.ByteRead:
		return lines * m.LineRead
	case plan.ByteWrite:
		return lines*m.LineWrite + m.Persist
	case plan.Commit:
		return m.Commit
	case plan.BlockRead, plan.BlockWrite:
		return m.Submit + blocks*(m.Firmware+m.Transfer) + m.Complete
	}
	return 0
}

// called draws a call.
func (d *drawing) called(c core.Called) {
	step := d.step(c.Number)
	if step >= 0 {
		for len(d.codes) <= int(step) {
			d.codes = append(d.codes, call.Codes)
		}
		d.codes[step] = c.Call.Code
		d.Reach("call", int64(c.To))
	}
	name := codeNames[c.Call.Code]
	if c.Failed {
		name += ", failed"
	}
	object, ok := d.objects[c.Call.Node]
	if !ok {
		object = int32(len(d.objects))
		d.objects[c.Call.Node] = object
		d.Object("file " + strconv.Itoa(int(c.Call.Node)))
	}
	d.Slice(d.first+2*int(c.Thread), timeline.Slice{Begin: int64(c.From), End: int64(c.To), Name: d.Name(name), Cat: calling, Ref: object, Step: step})
}

// finish adds what is known after the run: names of calls, actors and locks.
func (d *drawing) finish(r *result) {
	for _, c := range d.codes {
		if c < call.Codes {
			d.Step(codeNames[c])
		} else {
			d.Step("call")
		}
	}
	d.Group("Background", true)
	for i, list := range d.actors {
		name := "Write-back"
		if i > 0 {
			name = fmt.Sprintf("File system %d", i) // a journal's thread, a checkpoint's
		}
		track := d.Track(name, timeline.Note, "")
		if i == 0 {
			d.chain.actors[0] = track
		}
		d.chain.actors[1] = track + 1
		for _, s := range list {
			d.Slice(track, timeline.Slice{Begin: int64(s.From), End: int64(s.To), Cat: uint8(s.Cause), Ref: -1, Step: -1})
		}
	}
	d.contended()
	d.counters(r)
}

// contended draws the locks that others wait for, in order of how long they do.
func (d *drawing) contended() {
	var all []unit.Time // by lock
	for i := range d.locks {
		h := &d.locks[i]
		for int(h.lock) >= len(all) {
			all = append(all, 0)
		}
		all[h.lock] += h.to - h.from
	}
	d.Group("Locks that others wait for", true)
	tracks := make([]int, len(all)) // counted from 1
	for range min(shownLocks, len(all)) {
		most := 0
		for n, took := range all {
			if took > all[most] {
				most = n
			}
		}
		if all[most] == 0 {
			break
		}
		all[most] = 0
		tracks[most] = 1 + d.Track(fmt.Sprintf("Lock %d", most), timeline.Note, "")
		if d.chain.locks[1]++; d.chain.locks[0] == 0 {
			d.chain.locks = [2]int{tracks[most] - 1, tracks[most]}
		}
	}
	for i := range d.locks {
		h := &d.locks[i]
		track := tracks[h.lock] - 1
		if track < 0 {
			continue
		}
		by := "the background"
		if h.client < d.threads {
			by = "thread " + strconv.Itoa(int(h.client)+1)
		}
		d.Slice(track, timeline.Slice{Begin: int64(h.from), End: int64(h.to), Name: d.Name(by), Cat: holding, Ref: -1, Step: -1})
	}
}

// counters adds the samples of a run.
func (d *drawing) counters(r *result) {
	d.Group("Over the run", false)
	log := -1
	if size := logSize(&r.setup, r.System); size > 0 {
		d.cleaned(r, d.Track("Cleaning of the log", timeline.Note, ""))
		log = d.Counter("Log in use", "bytes", size)
	}
	dirty, cached := d.Counter("Dirty pages in the page cache", "pages", 0), d.Counter("Pages in the page cache", "pages", 0)
	reads, programs := d.Counter("Flash reads so far", "pages", 0), d.Counter("Flash programs so far", "pages", 0)
	for i := range r.Samples {
		s := &r.Samples[i]
		if log >= 0 {
			d.Count(log, int64(s.At), s.Log)
		}
		d.Count(dirty, int64(s.At), s.Dirty)
		d.Count(cached, int64(s.At), s.Cached)
		d.Count(reads, int64(s.At), s.Reads)
		d.Count(programs, int64(s.At), s.Programs)
	}
}

// cleaned draws when a half of the log is cleaned, as samples have it.
func (d *drawing) cleaned(r *result, track int) {
	for i := range r.Samples {
		if s := &r.Samples[i]; s.Cleaning {
			end := int64(r.Time)
			if i+1 < len(r.Samples) {
				end = int64(r.Samples[i+1].At)
			}
			d.Slice(track, timeline.Slice{Begin: int64(s.At), End: end, Cat: cleaning, Ref: -1, Step: -1})
		}
	}
}

// timed runs the system in focus again and draws what it tells.
func timed(v *seen) (*timefiles.Run, error) {
	r, err := v.Run()
	if err != nil {
		return nil, err
	}
	w := v.Workload
	m := w.machine(v.Settings)
	d := &drawing{
		Recorder: timeline.Record(timeline.Picosecond, int64(r.Time), categories()...), machine: m.Scaled(), threads: int32(r.Threads), warm: w.Warm,
		objects: map[int32]int32{}, words: map[plan.Step]uint32{},
	}
	d.Look(v.Window)
	d.track()
	again, err := core.Run(w.Workload, &m, v.System, d.watch(), v.Progress)
	if err != nil {
		return nil, err
	}
	d.finish(&result{again, m, w, ""})
	d.chain.t = d.End()
	makes := why()
	return &timefiles.Run{
		Timeline: d.chain.t, Chain: d.chain.of, For: d.chain.finder, Resources: makes.Resources(),
		Origin: v.Origin, System: find(v.System).Title, About: w.about, Workload: w.origin,
	}, nil
}
