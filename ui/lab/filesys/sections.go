package filesys

import (
	core "spillway/sim/filesys"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/machine"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/lab"
)

// Keys of the sections.
const (
	operationKey   = "operation"
	logKey         = "log"
	trafficKey     = "traffic"
	factorsKey     = "factors"
	measuredKey    = "measured"
	sensitivityKey = "sensitivity"
	lifeKey        = "life"
	quirksKey      = "quirks"
	aloneKey       = "alone"
)

func sections() []section {
	return []section{
		{Show: showing((*view).operation), Section: lab.Section{
			Key: operationKey, Title: "One operation, in every file system", Run: true,
			About: "What one call costs: what it moves between host and SSD, by structure and interface, and its usual steps.",
			Knobs: operationKnobs(),
		}},
		{Show: showing((*view).log), Section: lab.Section{
			Key: logKey, Title: "The log, filling and cleaning", Run: true, Folded: true,
			About: "What the SSD's log takes and gives, and how many lines a page gathers before it is programmed. For the system in focus; Timeline has it over time.",
		}},
		{Show: showing((*view).traffic), Section: lab.Section{
			Key: trafficKey, Title: "Traffic by structure and interface", Run: true, Folded: true,
			About: "What crosses the link, for the system in focus and beside the others.",
		}},
		{Show: showingAlone, Section: lab.Section{
			Key: aloneKey, Title: "The SSD alone: what requests wait for", Run: true, Folded: true,
			About: "Latencies with the share of garbage collection, write amplification and wear, of requests that go to the SSD without a file system.",
		}},
		{Show: showing((*view).crash), Section: crashSection()},
		{Show: showing((*view).safe), Section: safeSection()},
		{Show: showing((*view).measured), Section: lab.Section{
			Key: measuredKey, Title: "How it was measured", Run: true, Folded: true,
			About: "How much of ByteFS' gain comes from how the paper measured it, one fact after the other.",
			Knobs: measuredKnobs(),
		}},
		{Show: showing((*view).factors), Section: lab.Section{
			Key: factorsKey, Title: "What decides the comparison", Run: true, Folded: true,
			About: "Payload, fresh pages and acknowledgement, which the paper's text leaves open, in all eight combinations. What its artifact does is under How it was measured.",
		}},
		{Show: showing((*view).sensitivity), Section: lab.Section{
			Key: sensitivityKey, Title: "Flash, link and log", Run: true, Folded: true,
			About: "Throughput with other latencies and other sizes of the log.",
			Knobs: sensitivityKnobs(),
		}},
		{Show: showing((*view).life), Section: lab.Section{
			Key: lifeKey, Title: "Life of the flash", Run: true, Folded: true,
			About: "How much is programmed, and how long the flash lasts if it is written like this without pause.",
		}},
		{Show: showing((*view).quirks), Section: lab.Section{
			Key: quirksKey, Title: "What each difference between artifact and paper does", Run: true, Folded: true,
			About: "Every switch under Fidelity flipped alone, for the system in focus.",
		}},
	}
}

// A view is what a section is about.
type view struct {
	w      *work
	said   *settings
	s      *machine.Setup
	system *core.System
	look   *knob.Setup
	p      lab.Progress
}

// showing makes a view of what is seen.
func showing(show func(*view) (*report.Section, error)) func(*seen) (*report.Section, error) {
	return func(x *seen) (*report.Section, error) {
		if x.Workload.Blocks || x.System == core.Alone.Name {
			return &report.Section{Text: []string{"This is about file systems. Requests of blocks, and the SSD alone, have none: what there is to see of them is under The SSD alone."}}, nil
		}
		m := x.Workload.machine(x.Settings)
		return show(&view{x.Workload, x.Settings, &m, find(x.System), x.Look, x.Progress})
	}
}

// compared are the systems of the paper's comparison, the one in focus, and Yours where its table
// is not ByteFS'.
func (v *view) compared() (list []*core.System) {
	for i := range core.Systems {
		if x := &core.Systems[i]; x == v.system || !x.Off || x.Name == core.Own && v.s.Table != machine.TableByteFS {
			list = append(list, x)
		}
	}
	return list
}

// A job is a run that a section needs.
type job struct {
	system *core.System
	setup  machine.Setup
	watch  *core.Watch
}

// all runs jobs one after the other.
func (v *view) all(jobs []job) ([]*core.Result, error) {
	list := make([]*core.Result, len(jobs))
	for i := range jobs {
		r, err := core.Run(v.w.Workload, &jobs[i].setup, jobs[i].system.Name, jobs[i].watch, nil)
		if err != nil {
			return nil, err
		}
		list[i] = r
		if v.p != nil {
			v.p(i+1, len(jobs))
		}
	}
	return list, nil
}

// each runs systems with the setup as it is.
func (v *view) each(systems []*core.System) ([]*core.Result, error) {
	var jobs []job
	for _, x := range systems {
		jobs = append(jobs, job{system: x, setup: *v.s})
	}
	return v.all(jobs)
}

// logs reports whether a system has a log on the device.
func logs(x *core.System) bool { return x.Memory == device.WriteLog }

// isByteFS reports whether a system is ByteFS or a part of it.
func isByteFS(x *core.System) bool { return x.Main || x.Part || x.Name == core.Own }
