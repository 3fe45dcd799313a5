package store

import "spillway/sim/policy"

// examples are texts to start from. The first do what built-in policies do, byte for byte where
// docs/policies.md says so; how the others did there is what a sentence says.
func examples() []policy.Example {
	return []policy.Example{
		{Title: "LRU", About: "What was used the longest ago leaves. As the built-in LRU.", Text: "evict = -last\nfetch = last"},
		{Title: "FIFO", About: "What was put first leaves. As the built-in FIFO.", Text: "evict = -put\nfetch = -put"},
		{Title: "Latency-aware", About: "What is needed last by declared times leaves. As the built-in one, which is Harvest's.", Text: "evict = due\nfetch = -due"},
		{Title: "Logical", About: "What is needed last by its client's declared operations leaves. As the built-in one.", Text: "evict = next\nfetch = -next"},
		{Title: "LFU", About: "What was used least often leaves.", Text: "# LFU\nevict = -uses"},
		{Title: "GDSF", About: "Greedy-Dual-Size-Frequency (Cherkasova, 1998): often used, costly and small stays, and what left ages the rest.", Text: "# GDSF\nkeep L = 0\nkeep H of tensor = 0\nwhen put: H = L + uses * fetch_cost / size\nwhen evicted: L = max(L, H)\nevict = -H\nfetch = H"},
		{Title: "Whoever asks", About: "Large and needed last leaves, p1 times as gladly if its client is the one that asks. Set Dial 1 to 4.", Text: "# Whoever asks\nevict = next * min(size, short) * (p1 if mine else 1)\nfetch = -next"},
		{Title: "Belady", About: "What the trace needs last leaves. It knows the future, so it is a bound.", Text: "# Belady\nevict = truth\nfetch = -truth\ntie = truth_op"},
	}
}
