package train

import "spillway/ui/lab"

// cards are the questions that What if has ready.
func cards() []lab.Card {
	return []lab.Card{
		{Question: "How much host memory is enough?", About: "Host memory from 4 to 64 GiB", Ask: "ask-vary=host_memory ask-values=4,8,12,16,32,64"},
		{Question: "How large a batch?", About: "Batch sizes from one to eight", Ask: "ask-vary=batch ask-values=1,2,4,8 ask-of=throughput_samples_per_s"},
		{Question: "Would a smaller GPU do?", About: "GPU memory from 12 to 24 GiB", Ask: "ask-vary=gpu_memory ask-values=12,16,20,24"},
		{Question: "Does PCIe 4 matter?", About: "Links of PCIe 3, 4 and 5, as measured", Ask: "ask-vary=part-link ask-values=pcie3-measured,pcie4-measured,pcie5-measured ask-of=throughput_samples_per_s"},
		{Question: "Is a faster SSD worth it?", About: "Four drives, with little host memory and with much", Ask: "ask-vary=part-ssd ask-values=980-pro,990-pro,pm1743,4x990-pro ask-vary2=host_memory ask-values2=4,64 ask-of=throughput_samples_per_s ask-show=focus"},
		{Question: "What if a page fault cost less?", About: "Handling a page fault, from 10 to 90 µs", Ask: "ask-vary=fault_latency ask-values=10,20,45,90"},
	}
}
