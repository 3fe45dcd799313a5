package store

import "spillway/ui/lab"

// cards are the questions that What if has ready.
func cards() []lab.Card {
	return []lab.Card{
		{Question: "How much GPU memory until nobody waits?", About: "GPU memory from 9 to 16 GiB", Ask: "ask-vary=gpu_memory ask-values=9,10,11,12,13,14,16"},
		{Question: "More programs on one GPU?", About: "One to four clients", Ask: "ask-vary=clients ask-values=1,2,3,4"},
		{Question: "Would a faster link help?", About: "The link to the host from 6 to 48 GB/s", Ask: "ask-vary=link ask-values=6,12,24,48"},
		{Question: "Is bringing data back early worth it?", About: "Prefetch on and off", Ask: "ask-vary=prefetch ask-values=1,0"},
		{Question: "And if it holds its room, as published?", About: "Prefetch that yields, and the published one", Ask: "ask-vary=prefetch_yields ask-values=1,0"},
		{Question: "How large a batch?", About: "Batch sizes from 32 to 80", Ask: "ask-vary=batch ask-values=32,48,64,80"},
	}
}
