// Package ideal trains on GPUs whose memory holds everything.
//
// It is the paper's Ideal: the pipeline that TERAIO runs, cut as the settings say, with unlimited memory. So it
// bounds what has the same layout. What is cut in another way may be faster: ZeRO and FSDP have no
// bubble of a pipeline, which counts where micro-batches are few (Megatron-LM, SC 2021, §2.2.1), no stages that differ (T5: encoder and
// decoder), and larger micro-batches where they choose them. Then a share of ideal is above 100 %. The best
// of all layouts would be another, higher bound, which is not the paper's and would have to be
// searched for each setting.
package ideal

import (
	"spillway/sim/llm/job"
	"spillway/sim/llm/machine"
	"spillway/sim/llm/offload"
	"spillway/sim/llm/system"
	"spillway/sim/report"
)

// System is what others are compared with: the pipeline of the TERAIO paper, §4.1.
var System = system.System{
	Name: "ideal", Title: "Ideal", Family: "Bound", Bound: true, Look: 0,
	About: "TERAIO's pipeline on GPUs that hold everything: only kernels, communication and the pipeline take time. Systems that cut the model in another way can be above it.",
	Paper: "TERAIO, NeurIPS 2025, §4.1",
	Cut:   system.Pipeline,
	Plan: func(*job.Job, *machine.Node, *system.Options, report.Progress) ([]*offload.Schedule, error) {
		return []*offload.Schedule{{}}, nil
	},
}
