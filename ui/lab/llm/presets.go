package llm

import (
	"strings"

	"spillway/ui/lab"
)

// presets are what the page opens on, the first of them, and offers.
func presets() []lab.Preset {
	list := []lab.Preset{
		{
			Key: "one-4090", Title: "One RTX 4090", Set: "node=one-4090 model=llama3-8b batch=4 sequence=2048 precision=bf16 recompute=full zero_cut=data buffer_size=540",
			About: "One GPU of 24 GB, 128 GB of host memory and two SSDs: what can be trained at home, how fast, and for how much.",
		},
		{
			Key: "llama3-70b", Title: "Llama-3 70B on two GPUs", Set: "node=teraio model=llama3-70b batch=8 sequence=2048 zero_cut=tensor",
			About: "The machine of the TERAIO paper: two H100 NVL, four 990 PRO for each, 1.5 TB of host memory. The model needs nine times what a GPU has.",
		},
		{
			Key: "llama3-8b", Title: "Llama-3 8B", Set: "node=teraio model=llama3-8b batch=64 sequence=2048 zero_cut=tensor",
			About: "The same machine with a model that needs less than twice the GPU's memory: drives alone keep up, and ZeRO waits for its own collectives.",
		},
		{
			Key: "granite-8b", Title: "Granite 8B Code", Set: "node=teraio model=granite-8b batch=32 sequence=4096 zero_cut=tensor",
			About: "Eight billion parameters again, but with long sequences: activations bring it to four times the GPU's memory.",
		},
		{
			Key: "lora-4090", Title: "LoRA on one RTX 4090", Set: "node=one-4090 model=llama3.1-8b batch=2 micro=2 sequence=2048 precision=bf16 recompute=full zero_cut=data method=lora rank=16 optimizer=adamw-bf16 loss=chunked compile=1",
			About: "Llama 3.1 8B with adapters beside every matrix: what fits into 24 GiB without moving anything, and how fast it is.",
		},
		{
			Key: "eight-a100", Title: "Eight A100", Set: "node=eight-a100 model=llama3-70b batch=32 sequence=2048 precision=bf16 recompute=selective zero_cut=data",
			About: "Llama-3 70B in bf16 on eight GPUs with NVLink, where the host could hold what the GPUs cannot.",
		},
		{
			Key: "four-4090", Title: "Four RTX 4090", Set: "node=four-4090 model=llama3-8b batch=16 sequence=2048 precision=bf16 recompute=selective zero_cut=data",
			About: "A workstation without NVLink: Llama-3 8B in bf16 on four GPUs of 24 GB.",
		},
		{
			Key: "dgx-h100", Title: "DGX H100", Set: "node=dgx-h100 model=llama3-70b batch=32 sequence=2048 precision=bf16 recompute=selective zero_cut=data",
			About: "Eight H100 with NVSwitch and 2 TB of host memory: what offloading costs where GPUs are fast.",
		},
	}
	// What layout=auto finds for TERAIO-Mixed. Links from before have the pipeline of all GPUs.
	cut := map[string]string{"eight-a100": " data=8 zero=3 micro=1", "dgx-h100": " data=8 zero=3 micro=1", "four-4090": " micro=1"}
	for i := range list {
		if !strings.Contains(list[i].Set, "node=teraio") && strings.Contains(list[i].Set, "node=") {
			const counted = " host_spare=0 host_margin=0 network=50" // before host memory had a margin, and nodes a network
			set := list[i].Set + counted
			// before links and drives were as measured, and before that
			was := set + map[bool]string{true: " host_path=50.4", false: " host_path=25.2"}[strings.Contains(list[i].Set, "node=dgx-h100")]
			if strings.Contains(list[i].Set, "-4090") {
				was += " drive=990-pro-teraio"
			}
			list[i].Was = []string{was, was + " gemm=72"}
			if more := cut[list[i].Key]; more != "" {
				list[i].Was = append(list[i].Was, set)
				list[i].Set += more
				set = list[i].Set + counted
			}
			list[i].Was = append(list[i].Was, set)
		}
		if strings.Contains(list[i].Set, "method=") {
			list[i].Was, list[i].Systems = list[i].Was[len(list[i].Was)-1:], []string{"fsdp-offload", "single"} // recipes came after all but the last change
			continue
		}
		list[i].Systems = []string{"ideal", "teraio-ssd", "zero-offload", "zero-infinity", "fsdp-offload", "teraio-mixed"} // the last is in focus
	}
	return append(list, lab.Preset{
		Key: "own-offload", Title: "A policy of your own",
		Set:     "node=one-4090 model=llama3-8b batch=4 micro=1 sequence=2048 precision=bf16 recompute=full zero_cut=data buffer_size=540 policy=%23Long+rests+to+the+host@host=idle%3E20*drive_time",
		About:   "TERAIO gives drives the tensors that rest longest. One line under Your policy does it the other way round, and a llama of eight billion parameters trains a tenth faster on one RTX 4090 with two drives. Which is better hangs on the machine.",
		Systems: []string{"ideal", "teraio-ssd", "zero-infinity", "teraio-mixed", "own"},
	})
}
