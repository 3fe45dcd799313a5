package serve

import "spillway/ui/lab"

// cards are the questions that What if has ready.
func cards() []lab.Card {
	return []lab.Card{
		{Question: "How much host memory pays?", About: "Host memory from 128 GiB to 2 TiB", Ask: "ask-vary=host ask-values=128,256,512,1024,2048"},
		{Question: "One drive more?", About: "None to four drives for each GPU", Ask: "ask-vary=drives ask-values=0,1,2,4"},
		{Question: "What would a faster link bring?", About: "The link to host memory from 12 to 400 GB/s", Ask: "ask-vary=link ask-values=12,25,55,200,400"},
		{Question: "Keys and values in fp8?", About: "bf16 and fp8", Ask: "ask-vary=kv ask-values=bf16,fp8"},
		{Question: "How long may users wait?", About: "The first token within 0.5 to 10 s", Ask: "ask-vary=ttft ask-values=0.5,1,2,5,10"},
		{Question: "Which engine?", About: "TensorRT-LLM, vLLM and llama.cpp", Ask: "ask-vary=engine ask-values=trtllm,vllm,llamacpp"},
	}
}
