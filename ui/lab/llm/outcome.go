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
	// Policy is of the system that does what somebody wrote.
	Policy *policyOutcome `json:"policy,omitempty" help:"the policy that somebody wrote, of the system own"`
	// Recipe is of systems by closed formulas.
	Recipe *recipeOutcome `json:"recipe,omitempty" help:"what closed formulas say, of systems that have them"`
}

// A policyOutcome is a policy that somebody wrote, and what it was asked.
type policyOutcome struct {
	Title      string   `json:"title" help:"as its first line has it, or empty"`
	SHA256     string   `json:"sha256" help:"of its text"`
	Text       string   `json:"text" help:"as settings and links have it"`
	Asked      int64    `json:"asked" help:"questions"`
	Candidates int64    `json:"candidates" help:"in all questions"`
	Work       int64    `json:"work" help:"operations, and numbers that were read"`
	Notes      []string `json:"notes,omitempty" help:"what is allowed in it and perhaps not meant"`
}

// A recipeOutcome is what closed formulas say.
type recipeOutcome struct {
	Trained       int64 `json:"trained" help:"parameters that are trained"`
	Weights       int64 `json:"weights_bytes" help:"weights on a GPU"`
	Gradients     int64 `json:"gradients_bytes" help:"gradients on a GPU, when the backward pass ends"`
	States        int64 `json:"states_bytes" help:"states of the optimizer on a GPU"`
	Activations   int64 `json:"activations_bytes" help:"what all layers keep, when the backward pass begins"`
	Logits        int64 `json:"logits_bytes" help:"logits and their loss, when the backward pass begins"`
	Gathered      int64 `json:"gathered_bytes" help:"layers of other GPUs, or copies in another type"`
	Layer         int64 `json:"layer_bytes" help:"what one layer's backward pass needs"`
	Begins        int64 `json:"begins_bytes" help:"all of it when the backward pass begins"`
	Ends          int64 `json:"ends_bytes" help:"all of it when the backward pass ends"`
	Products      int64 `json:"products_ps" help:"matrix products of a step"`
	Attention     int64 `json:"attention_ps" help:"attention"`
	Moving        int64 `json:"moving_ps" help:"kernels that only move"`
	Host          int64 `json:"host_ps" help:"what the processor that starts kernels adds"`
	Unpack        int64 `json:"unpack_ps" help:"unpacking weights of four bits"`
	Optimizer     int64 `json:"optimizer_ps" help:"the update"`
	Communication int64 `json:"communication_ps" help:"what computing does not hide of gathers and sums"`
	Paging        int64 `json:"paging_ps" help:"what computing does not hide of moves from and to host memory"`
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
	if p := r.Policy; p != nil {
		x.Policy = &policyOutcome{p.Title, p.SHA256, p.Text, p.Asked, p.Candidates, p.Work, p.Notes}
	}
	if r.Result == nil {
		return x
	}
	if f := r.Recipe; f != nil {
		x.Micro = f.Job.Micro
		m, t := &f.Memory, &f.Step
		x.Recipe = &recipeOutcome{
			Weights: int64(m.Weights), Gradients: int64(m.Gradients), States: int64(m.States), Activations: int64(m.Activations), Logits: int64(m.Logits), Gathered: int64(m.Gathered), Layer: int64(m.Layer),
			Begins: int64(m.Begins), Ends: int64(m.Ends), Trained: f.Job.Trained(),
			Products: int64(t.Products), Attention: int64(t.Attention), Moving: int64(t.Moving), Host: int64(t.Host), Unpack: int64(t.Unpack), Optimizer: int64(t.Optimizer), Communication: int64(t.Communication), Paging: int64(t.Paging),
		}
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
