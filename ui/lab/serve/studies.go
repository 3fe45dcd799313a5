package serve

import (
	"spillway/ui/lab"
	"spillway/ui/lab/serve/papers/flexgen"
	"spillway/ui/lab/serve/papers/tensorrt"
)

// studies are the tables that can be reproduced.
func studies() []lab.Study[settings, *work, *result] {
	return []lab.Study[settings, *work, *result]{
		{PaperInfo: lab.PaperInfo{Key: "tensorrt", Title: "TensorRT-LLM's table", About: "Throughput of Llama 3 8B and 70B in fp8 on H100 and H200, from TensorRT-LLM's performance overview (v1.0)."}, Build: tensorrt.Paper},
		{PaperInfo: lab.PaperInfo{Key: "flexgen", Title: "FlexGen's table", About: "Throughput of OPT 6.7B to 175B on one T4, with FlexGen, ZeRO-Inference and Accelerate (ICML 2023)."}, Build: flexgen.Paper},
	}
}
