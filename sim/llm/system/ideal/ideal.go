// Package ideal trains with a pipeline of GPUs whose memory holds everything.
//
// It is the TERAIO paper's Ideal: the pipeline that TERAIO runs, cut as the settings say, with unlimited memory. So
// nothing that has the same layout is faster. What is cut in another way may be: ZeRO and FSDP have no
// bubble of a pipeline, which counts where micro-batches are few (Megatron-LM, SC 2021, §2.2.1), no stages that differ (T5: encoder and
// decoder), and larger micro-batches where they choose them; they were 2.5 times as fast. Then a share of it is above
// 100 %. What bounds all is llm.Best.
package ideal

import (
	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/llm/system"
	"spillway/sim/machine"
	"spillway/sim/report"
)

// System is what others are compared with: the pipeline of the TERAIO paper, §4.1.
var System = system.System{
	Name: "ideal", Title: "Pipeline, all in memory", Family: "Bounds", Bound: true, Look: 0,
	About: "TERAIO's pipeline on GPUs that hold everything, the paper's Ideal: only kernels, communication and the pipeline take time. Systems that cut the model in another way can be faster.",
	Paper: "TERAIO, NeurIPS 2025, §4.1",
	Cut:   system.Pipeline,
	Plan: func(*job.Job, *machine.Node, *system.Options, report.Progress) ([]*offload.Schedule, error) {
		return []*offload.Schedule{{}}, nil
	},
}
