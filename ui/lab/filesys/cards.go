package filesys

import "spillway/ui/lab"

// cards are the questions that What if has ready.
func cards() []lab.Card {
	return []lab.Card{
		{Question: "Flash twice as fast?", About: "Programming a page of flash, from 15 to 120 µs", Ask: "ask-vary=program_latency ask-values=15,30,60,120"},
		{Question: "How many threads?", About: "Threads of the workload from 1 to 32", Ask: "ask-vary=recipe_threads ask-values=1,4,8,12,16,32"},
		{Question: "Which workloads gain?", About: "Six workloads, from creating files to a mail server", Ask: "ask-vary=workload ask-values=create,delete,mkdir,rmdir,stat,varmail"},
		{Question: "How many flash channels?", About: "Channels from 4 to 32", Ask: "ask-vary=channels ask-values=4,8,16,32"},
		{Question: "How much DRAM in the SSD?", About: "The SSD’s DRAM from 32 to 512 MiB", Ask: "ask-vary=ssd_dram ask-values=32,64,128,256,512"},
		{Question: "What if lines were stored faster?", About: "Storing a line in the SSD, from 150 to 1,200 ns", Ask: "ask-vary=line_write ask-values=150,300,600,1200"},
	}
}
