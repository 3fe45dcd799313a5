package cxlssd

import "spillway/ui/lab"

// cards are the questions that What if has ready.
func cards() []lab.Card {
	return []lab.Card{
		{Question: "Would faster flash help?", About: "Reading a page of flash, from 0.75 to 12 µs", Ask: "ask-vary=flash_read ask-values=0.75,1.5,3,6,12"},
		{Question: "How large must the log be?", About: "The write log from 14 to 112 MiB", Ask: "ask-vary=log ask-values=14,28,56,112"},
		{Question: "How many flash channels?", About: "Channels from 4 to 32", Ask: "ask-vary=channels ask-values=4,8,16,32"},
		{Question: "Which programs gain?", About: "All eight programs, of which dirty pages are dropped as in the artifact", Ask: "ask-vary=workload ask-values=bc,bfs-dense,dlrm,radix,srad,tpcc,ycsb-a,ycsb-b"},
		{Question: "How many threads hide the flash?", About: "Threads from 8 to 48", Ask: "ask-vary=threads ask-values=8,16,24,32,48"},
		{Question: "What may a context switch cost?", About: "Switching threads, from 0.5 to 8 µs", Ask: "ask-vary=switch ask-values=0.5,1,2,4,8"},
	}
}
