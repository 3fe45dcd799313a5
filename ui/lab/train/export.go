package train

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"spillway/sim/timeline"
	core "spillway/sim/train"
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/paged"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/chrometrace"
	"spillway/traces/handed"
	"spillway/traces/recording"
	"spillway/traces/speedscope"
	"spillway/ui/lab"
	"spillway/ui/lab/timefiles"
)

// Formats of one run.
const (
	stallsExport      = "stalls"
	chakraExport      = "chakra"
	traceExport       = "trace"
	namelessExport    = "trace-anonymous"
	boundExport       = "certificate"
	recomputingExport = "certificate-recomputation"
)

// exports are the formats in which one run can be had.
func exports() []format {
	return append(timefiles.Of("Kernels with their stalls, every migration by link and direction, and memory in use, over one iteration", timelineTotals(), there(timed)), []format{
		{Write: taken(func(x *exporting) ([]byte, error) { return x.stalls(), nil }), Export: lab.Export{
			Key: stallsExport, Title: "Stalls (speedscope)", Ext: "speedscope.json", Mime: "application/json",
			About: "Time beyond ideal by cause and kernel, and by kernel and cause; speedscope opens it.",
		}},
		{Write: taken(func(x *exporting) ([]byte, error) { return x.chakra(), nil }), Export: lab.Export{
			Key: chakraExport, Title: "Loads and stores (Chakra)", Ext: "et", Mime: "application/octet-stream",
			About: "Kernels, and every move to and from GPU memory as a load or store with what it depends on: a Chakra execution trace, as ASTRA-sim reads.",
		}},
		{Write: there(func(v *seen) ([]byte, error) { return written("", v.Workload.told()) }), Export: lab.Export{
			Format: handed.SpillwayTrace,
			Key:    traceExport, Title: "Spillway trace", Ext: "spillway.json", Mime: "application/json", Workload: true,
			About: "What runs: kernels with their times, tensors with their sizes. Dropped here it runs again with the same results.",
		}},
		{Write: there(func(v *seen) ([]byte, error) { return written("", recording.Anonymous(v.Workload.Workload)) }), Export: lab.Export{
			Format: handed.SpillwayTrace,
			Key:    namelessExport, Title: "Spillway trace without names", Ext: "spillway.json", Mime: "application/json", Workload: true,
			About: "The same with numbers in place of all names, to be shown to others. Systems that know layers by their names, as vDNN does, then do something else.",
		}},
		{Write: there(certificate(false)), Export: lab.Export{
			Key: boundExport, Title: "Proof of the best possible", Ext: "bound.json", Mime: "application/json", Workload: true,
			About: "Why no system that moves data can be faster here: kernels, tensors, the machine, and prices in whole numbers; bound.py checks it by itself.",
		}},
		{Write: there(certificate(true)), Export: lab.Export{
			Key: recomputingExport, Title: "Proof of the best possible with recomputation", Ext: "bound.json", Mime: "application/json", Workload: true,
			About: "The same where values may be given up and computed again: no system can be below, and nothing shows that it can be reached.",
		}},
	}...)
}

// An exporting is the reported iteration of a run on its way into a file.
type exporting struct {
	lab.Origin
	w *workload.Workload
	r *result.Result
	*engine.Record
	machine *machine.Machine
	system  string // title
	hides   bool   // kernels execute first and wait then (quirk overlap-faults)
}

// there writes what can run; the error says why it cannot.
func there[T any](write func(*seen) (T, error)) func(*seen) (T, error) {
	return func(v *seen) (none T, err error) {
		if w := v.Workload; w.imported != nil && w.imported.cannot != "" {
			return none, errors.New(w.imported.cannot)
		}
		return write(v)
	}
}

// taken runs the system in focus with a record and writes it.
func taken(write func(*exporting) ([]byte, error)) func(*seen) ([]byte, error) {
	return there(func(v *seen) ([]byte, error) {
		x, err := recorded(v)
		if err != nil {
			return nil, err
		}
		return write(x)
	})
}

// recorded runs one system with a record.
func recorded(v *seen) (*exporting, error) {
	w, o := v.Workload, v.Origin
	q, err := v.Settings.request(v.System)
	if err != nil {
		return nil, err
	}
	q.Record = &engine.Record{}
	r, err := core.Run(w.Workload, q, v.Progress)
	if err != nil {
		return nil, err
	}
	found, err := core.Find(v.System)
	if err != nil {
		return nil, err
	}
	if !r.Fits {
		return nil, fmt.Errorf("%s cannot run it: %s", found.Title, r.Reason)
	}
	if o.Mode == "" {
		o.Mode = r.Mode
	}
	if o.Title == "" {
		o.Title = w.Name
	}
	inPages := engine.Is[paged.Memory](found.Runtime(&q.Options))
	return &exporting{o, w.told(), r, q.Record, &v.Settings.Machine, found.Title, inPages && q.Options.Quirks.Has(quirk.OverlapFaults)}, nil
}

// time is when a cycle of the run is.
func (x *exporting) time(c unit.Cycles) unit.Time { return x.r.Clock.Time(c) }

// generator names the program.
func (x *exporting) generator() string {
	if x.Version == "" {
		return "Spillway"
	}
	return "Spillway " + x.Version
}

// timed runs the system in focus with a record, for files of its timeline.
func timed(v *seen) (*timefiles.Run, error) {
	x, err := recorded(v)
	if err != nil {
		return nil, err
	}
	return x.timed(), nil
}

func (x *exporting) timed() *timefiles.Run {
	return &timefiles.Run{
		Timeline: x.over(timeline.Window{}), Origin: x.Origin, System: x.system, Workload: x.w.Origin,
		More: []chrometrace.Arg{
			{Key: "kernel_times", Text: string(x.w.Times)},
			{Key: "iteration", Text: fmt.Sprintf("%d of %d", x.r.Reported+1, len(x.r.Iterations))},
			{Key: "clock_hz", Text: strconv.FormatInt(int64(x.r.Clock), 10)},
		},
	}
}

// timelineTotals are the quantities that its transfers add up to.
func timelineTotals() (list []lab.Total) {
	for _, x := range []struct {
		quantity     string
		group, track int
	}{
		{"ssd_to_gpu_bytes", ssdGroup, inTrack},
		{"gpu_to_ssd_bytes", ssdGroup, outTrack},
		{"host_to_gpu_bytes", hostGroup, inTrack},
		{"gpu_to_host_bytes", hostGroup, outTrack},
	} {
		list = append(list, lab.Total{Quantity: x.quantity, Column: "bytes", Where: map[string]string{"pid": strconv.Itoa(x.group), "tid": strconv.Itoa(x.track)}, Unit: 1})
	}
	return list
}

// stalls is the time beyond ideal, by cause and kernel and the other way round.
func (x *exporting) stalls() []byte {
	causes := speedscope.Profile{Name: "Time beyond ideal: cause, kernel"}
	kernels := speedscope.Profile{Name: "Time beyond ideal: kernel, cause, in order"}
	var before unit.Cycles
	for c := range result.NumCauses {
		for i := range x.Stalls {
			if s := &x.Stalls[i]; s.Cause == c {
				kernel, cause := x.words(s)
				causes.Samples = append(causes.Samples, x.sample(&before, s, cause, kernel))
			}
		}
	}
	before = 0
	for i := range x.Stalls {
		kernel, cause := x.words(&x.Stalls[i])
		kernels.Samples = append(kernels.Samples, x.sample(&before, &x.Stalls[i], kernel, cause))
	}
	exporter := []string{x.generator()}
	for _, more := range []string{x.Link, x.w.Origin} {
		if more != "" {
			exporter = append(exporter, more)
		}
	}
	return speedscope.Write(x.system+", "+x.Title+" ("+x.Mode+")", strings.Join(exporter, " "), []speedscope.Profile{causes, kernels})
}

// words name a stall's kernel and cause.
func (x *exporting) words(s *engine.Stall) (kernel, cause string) {
	return x.w.Kernels[s.Kernel].Name + " (kernel " + strconv.Itoa(int(s.Kernel)) + ")", s.Cause.String()
}

// sample is a stall as a stack. before is the sum of those before it: with it
// the sum of all is exact, although no sample is a whole number of picoseconds.
func (x *exporting) sample(before *unit.Cycles, s *engine.Stall, stack ...string) speedscope.Sample {
	from := x.time(*before)
	*before += s.End - s.Start
	return speedscope.Sample{Stack: stack, Time: x.time(*before) - from}
}
