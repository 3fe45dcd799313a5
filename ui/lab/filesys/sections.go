package filesys

import (
	"fmt"

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
	sensitivityKey = "sensitivity"
	lifeKey        = "life"
	quirksKey      = "quirks"
)

func sections() []lab.Section {
	return []lab.Section{
		{
			Key: operationKey, Title: "One operation, in every file system", Run: true,
			About: "What a call moves between host and SSD, by structure and interface, what the run moves for it besides, and its usual steps.",
			Knobs: operationKnobs(),
		},
		{
			Key: logKey, Title: "The log, filling and cleaning", Run: true, Folded: true,
			About: "Of the system in focus: the log of the SSD over time, and how many lines a page gathers before it is programmed.",
		},
		{
			Key: trafficKey, Title: "Traffic by structure and interface", Run: true, Folded: true,
			About: "What goes over the link, of the system in focus and beside the others.",
		},
		crashSection(),
		{
			Key: factorsKey, Title: "What decides the comparison", Run: true, Folded: true,
			About: "Payload, fresh pages and acknowledgement, each both ways: three things that nobody published, and the ratio under all eight.",
		},
		{
			Key: sensitivityKey, Title: "Flash, link and log", Run: true, Folded: true,
			About: "Throughput with other latencies and with another log.",
			Knobs: sensitivityKnobs(),
		},
		{
			Key: lifeKey, Title: "Life of the flash", Run: true, Folded: true,
			About: "How much is programmed, and how long flash lasts that is written like this without pause.",
		},
		{
			Key: quirksKey, Title: "What each accident of the artifact does", Run: true, Folded: true,
			About: "Of the system in focus: every switch under Fidelity turned over, alone.",
		},
	}
}

// A view is what a section is about.
type view struct {
	w      *work
	s      *machine.Setup
	system *core.System
	p      lab.Progress
}

// section computes a section of a run.
func section(key string, knobs *knob.Setup, s *settings, w *work, system string, p lab.Progress) (*report.Section, error) {
	x := find(system)
	if x == nil {
		return nil, fmt.Errorf("unknown file system %q", system)
	}
	m := w.machine(s)
	v := &view{w, &m, x, p}
	switch key {
	case operationKey:
		return v.operation(knobs)
	case logKey:
		return v.log()
	case trafficKey:
		return v.traffic()
	case crashKey:
		return v.crash(knobs)
	case factorsKey:
		return v.factors(s)
	case sensitivityKey:
		return v.sensitivity(knobs)
	case lifeKey:
		return v.life()
	case quirksKey:
		return v.quirks()
	}
	return nil, fmt.Errorf("no section %q", key)
}

// compared are the systems of the paper's comparison, and the one in focus.
func (v *view) compared() (list []*core.System) {
	for i := range core.Systems {
		if x := &core.Systems[i]; x == v.system || !x.Off {
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
func isByteFS(x *core.System) bool { return x.Main || x.Part }
