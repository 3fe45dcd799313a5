package llm

import "spillway/ui/lab"

// cards are the questions that What if has ready.
func cards() []lab.Card {
	return []lab.Card{
		{Question: "How much RAM do I need?", About: "Host memory from 48 to 128 GiB", Ask: "ask-vary=host_memory ask-values=48,64,96,128"},
		{Question: "Would a faster CPU help?", About: "Adam on the CPU, from 1 to 8 G parameters a second", Ask: "ask-vary=adam ask-values=1,2,4,8"},
		{Question: "Do I need the SSDs?", About: "None to four drives", Ask: "ask-vary=drives ask-values=0,1,2,4"},
		{Question: "What is the largest batch?", About: "Batches from 1 to 32", Ask: "ask-vary=batch ask-values=1,4,8,16,32"},
		{Question: "Does a longer context cost?", About: "Sequences from 1,024 to 8,192 tokens", Ask: "ask-vary=sequence ask-values=1024,2048,4096,8192"},
		{Question: "What should I buy for under $2,000?", About: "Every other part, one after the other", Ask: "ask=buy&ask-budget=2000"},
	}
}
