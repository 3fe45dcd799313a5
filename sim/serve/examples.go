package serve

import "spillway/sim/policy"

// examples are texts to start from. The first is what engines do, which TestSameByRule holds to the picosecond.
func examples() []policy.Example {
	return []policy.Example{
		{Title: "As engines do", About: "The block that was used the longest ago leaves; a router sends a request where p1 times the share of its prompt, less the requests there, is most. Set Dial 1 to 10.", Text: "# As engines do\nevict = -last\nroute = p1 * share - requests"},
		{Title: "Written on second use", About: "Drives take a block only if it was used again after it was computed: they are written less, and live longer.", Text: "# Written on second use\nwrite = uses > 1"},
		{Title: "Beginnings stay", About: "Of a tier the ends of long prompts leave first: beginnings are what most prompts share. Blocks of equal depth leave by use.", Text: "# Beginnings stay\nevict = depth - last / 1000000"},
		{Title: "GDSF", About: "A block is worth its uses, and grows old by what was forgotten before it (Cherkasova, HP Labs 1998; blocks are all of one size).", Text: "# GDSF\nkeep L = 0\nkeep H of block = 0\nwhen used: H = L + uses\nevict = -H"},
		{Title: "Least work first", About: "Of the requests that wait the one begins that has least to compute: most tokens at hand, shortest prompt. What has waited for p1 seconds counts as a thousand tokens less, so that nobody waits for ever.", Text: "# Least work first\nadmit = at_hand - prompt + 1000 * waited / p1"},
		{Title: "Shortest queue", About: "The router looks at queues only, not at what copies have of a prompt.", Text: "# Shortest queue\nroute = -requests"},
	}
}
