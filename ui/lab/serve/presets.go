package serve

import (
	"spillway/ui/lab"
	"spillway/ui/lab/own"
)

// presets are what the page opens on, the first of them, and offers.
func presets() []lab.Preset {
	tiers := []string{"no-prefix", "ideal", "hbm", "host", "host-ssd"}
	return []lab.Preset{
		{
			Key: "mooncake", Title: "70B for a chat's conversations", Set: "workload=mooncake arrivals=file requests=2000 model=llama3-70b weights=fp8 kv=fp8 gpu=h100-sxm gpus=4 tensor=4 host=512 drives=1 ttft=10 tpot=200", Systems: tiers,
			About: "Llama-3 70B in fp8 on four H100 answers an hour of Mooncake's conversations, whose prompts begin with what was said before. What do host memory and drives behind GPU memory bring?",
		},
		{
			Key: "8b-h100", Title: "8B on an H100", Set: "workload=made model=llama3-8b weights=fp8 kv=fp8 engine=trtllm rate=20 input=1024 output=256 input_sigma=1 output_sigma=1",
			About: "Llama-3 8B in fp8 with TensorRT-LLM: nothing is shared, and GPU memory holds all.", Systems: []string{"no-prefix", "ideal", "static", "hbm"},
		},
		{
			Key: "8b-4090", Title: "8B on an RTX 4090", Set: "workload=made model=llama3-8b weights=fp8 kv=fp8 gpu=rtx-4090 host=64 drive=990-pro rate=2 requests=600 input=2048 output=256 groups=40 shared=1536",
			About: "A desktop answers with 40 long instructions that prompts begin with: more than its GPU memory keeps.", Systems: tiers,
		},
		{
			Key: "70b-2h100", Title: "70B on two H100", Set: "workload=made model=llama3-70b weights=fp8 kv=fp8 engine=trtllm gpus=2 tensor=2 rate=1 requests=600 input=5000 output=500",
			About: "Llama-3 70B in fp8, prompts of 5000 tokens: the knee comes where keys and values fill what the weights leave.", Systems: []string{"no-prefix", "ideal", "static", "hbm"},
		},
		{
			Key: "32b-shared", Title: "32B, long shared prompts", Set: "workload=made model=qwen3-32b gpus=16 tensor=2 host=1600 rate=20 requests=1500 input=16256 output=256 groups=150 shared=16000 ttft=3",
			About: "Qwen3 32B on eight copies of two H100, prompts with 150 beginnings of 16,000 tokens, as llm-d measures: GPU memory of all copies holds a part of them.", Systems: tiers,
		},
		{
			Key: "flexgen", Title: "175B on a T4", Set: "workload=made arrivals=burst model=opt-175b gpu=t4 host=208 drive=p5510 requests=256 input=512 output=32 gpu_share=0 host_share=50 kv_place=ssd cpu_attention=0 sequences=256 ttft=600 tpot=60000",
			Was:   []string{"workload=made arrivals=burst model=gpt3-175b gpu=t4 host=208 drive=p5510 requests=256 input=512 output=32 gpu_share=0 host_share=50 kv_place=ssd cpu_attention=0 sequences=256 ttft=600 tpot=60000"},
			About: "OPT-175B, 326 GiB, on a GPU of 16: weights, keys and values on host memory and drives, as FlexGen places them. For throughput, not for users who wait.", Systems: []string{"stream-ssd", "stream-host", "flexgen"},
		},
		{
			Key: "zero-inference", Title: "70B from host memory", Set: "workload=made arrivals=burst model=llama2-70b weights=w4 gpu=rtx-a6000 host=256 requests=96 input=512 output=32 sequences=96 ttft=600 tpot=60000",
			About: "Llama 2 70B in four bits on an RTX A6000: weights pass through the GPU once a step, and the batch shares each pass (ZeRO-Inference).", Systems: []string{"split", "hbm", "stream-host"},
		},
		{
			Key: "split", Title: "14B on a small GPU", Set: "workload=made arrivals=closed users=1 model=qwen2.5-14b weights=w4 gpu=rtx-5060-ti engine=llamacpp host=64 requests=20 input=256 output=128 layers=24 ttft=30 tpot=1000",
			About: "Half of the layers on an RTX 5060 Ti, half on the processors (llama.cpp): what each layer on the GPU brings.", Systems: []string{"hbm", "split"},
		},
		{
			Key: "own-writes", Title: "What goes to drives, by your rule", Set: "workload=mooncake arrivals=file requests=2000 model=llama3-70b weights=fp8 kv=fp8 gpu=h100-sxm gpus=4 tensor=4 host=512 drives=1 ttft=10 tpot=200 policy=%23Beginnings+only@write=depth<p1 p1=4",
			About: "The first preset, with a line under Your policy: only the first blocks of a text go to drives. They are written a tenth, live ten times as long, and six in seven users are left. Dial 1 is how many blocks.", Systems: []string{"ideal", "hbm", "host", "host-ssd", own.Name},
		},
	}
}
