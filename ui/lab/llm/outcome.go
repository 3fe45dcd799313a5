package llm

import (
	core "spillway/sim/llm"
	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
)

// An outcome is a run as it is written and as its hash sees it: numbers and names.
type outcome struct {
	System     string       `json:"system" help:"its name"`
	Variant    string       `json:"variant" help:"which of its plans ran, where it has several"`
	Reason     string       `json:"reason" help:"why it does not run; empty if it does"`
	Tokens     int64        `json:"tokens" help:"of an iteration"`
	Time       int64        `json:"time_ps" help:"of an iteration, the last that ran"`
	Unmet      int64        `json:"unmet_bytes" help:"what the plan left above a GPU's memory at the worst"`
	HostPeak   int64        `json:"host_peak_bytes" help:"the most that host memory held"`
	DrivePeak  int64        `json:"drive_peak_bytes" help:"the most that all drives held"`
	Micro      int64        `json:"micro_batch" help:"sequences of a micro-batch, as the system chose it"`
	GPUs       []gpuOutcome `json:"gpus" help:"each GPU in the measured iteration"`
	Links      []link       `json:"links" help:"each link in the measured iteration"`
	Kernels    int64        `json:"kernels" help:"of an iteration, of all GPUs"`
	Operations int64        `json:"operations_billion" help:"of an iteration, of all GPUs, recomputation too"`
	Notes      []string     `json:"notes" help:"what the system says of its plan"`
	Tried      []try        `json:"tried" help:"all of its plans, of which the fastest counts"`
}

// A try is how one plan did.
type try struct {
	Variant string `json:"variant" help:"which plan"`
	Time    int64  `json:"time_ps" help:"of an iteration; 0 if it does not run"`
	Stuck   string `json:"stuck" help:"why it does not run; empty if it does"`
}

// A gpuOutcome is one GPU.
type gpuOutcome struct {
	Ledger      [offload.Causes]int64 `json:"ledger_ps" help:"time it computes, waits for a tensor, for room, for communication, for the host's optimizer, for another stage; sums to time_ps"`
	Peak        int64                 `json:"peak_bytes" help:"the most that its memory held"`
	Overlapped  int64                 `json:"overlapped_ps" help:"for how long kernels ran while its bytes moved to or from drives or host"`
	Read        int64                 `json:"read_bytes" help:"from drives"`
	Written     int64                 `json:"written_bytes" help:"to drives"`
	HostRead    int64                 `json:"host_read_bytes" help:"from host memory"`
	HostWritten int64                 `json:"host_written_bytes" help:"to host memory"`
	Demand      int64                 `json:"demand" help:"offloads that no plan asked for"`
	Late        int64                 `json:"late" help:"kernels that waited for a tensor"`
}

// A link is what one link carried.
type link struct {
	Name  string `json:"name" help:"for people"`
	Rate  int64  `json:"rate_bytes_per_s" help:"bytes a second at most"`
	Bytes int64  `json:"bytes" help:"carried"`
	Busy  int64  `json:"busy_ps" help:"for how long it carried anything"`
}

// outcomeOf is a run as it is written.
func outcomeOf(r *core.Result) outcome {
	x := outcome{System: r.System, Reason: r.Reason, Tokens: r.Tokens, Unmet: int64(r.Unmet), Notes: r.Notes}
	if r.Job != nil {
		x.Micro, x.Operations, x.Kernels = r.Job.Spec.Micro, r.Job.FLOPs, kernelsOf(r.Job)
	}
	for _, t := range r.Tried {
		x.Tried = append(x.Tried, try{t.Schedule, int64(t.Time), t.Stuck})
	}
	if r.Result == nil {
		return x
	}
	x.Variant, x.Time, x.HostPeak, x.DrivePeak = r.Schedule, int64(r.Time), int64(r.HostPeak), int64(r.DrivePeak)
	for i := range r.GPUs {
		g := &r.GPUs[i]
		o := gpuOutcome{
			Peak: int64(g.Peak), Overlapped: int64(g.Overlapped), Demand: g.Demand, Late: g.Late,
			Read: int64(g.Read), Written: int64(g.Written), HostRead: int64(g.HostRead), HostWritten: int64(g.HostWritten),
		}
		for c := range g.Ledger {
			o.Ledger[c] = int64(g.Ledger[c])
		}
		x.GPUs = append(x.GPUs, o)
	}
	for i := range r.Links {
		l := &r.Node.Links[i]
		x.Links = append(x.Links, link{l.Name, int64(l.Rate), int64(r.Links[i].Bytes), int64(r.Links[i].Busy)})
	}
	return x
}

// kernelsOf counts the kernels of all parts.
func kernelsOf(j *job.Job) (n int64) {
	for _, w := range j.Parts {
		n += int64(len(w.Kernels))
	}
	return n
}
