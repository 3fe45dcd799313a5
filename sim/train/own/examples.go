package own

import "spillway/sim/policy"

// examples are texts to start from. Three do what published systems do at that place.
func examples() []policy.Example {
	return []policy.Example{
		{Title: "LRU", About: "What was used the longest ago makes room, and comes back when it is needed.", Text: "evict = -last"},
		{Title: "Needed last", About: "What is needed last makes room, as in Sentinel, and comes back p1 kernels early. The first iteration teaches the order. Set Dial 1 to 20 for a start.", Text: "# Needed last\nevict = next\nahead = p1"},
		{Title: "Largest first", About: "The largest makes room, so that few leave.", Text: "# Largest first\nevict = size"},
		{Title: "Far goes to the SSD", About: "Host memory takes what is needed within 200 kernels, the SSD the rest.", Text: "# Far goes to the SSD\nevict = next\nhost = next < 200\nahead = 20"},
		{Title: "G10's choice", About: "G10's own plan: of all idle periods that which relieves most for longest moves first (Algorithm 1).", Text: "score = benefit"},
		{Title: "Benefit a byte", About: "G10's plan by benefit for a byte, which is the ratio that its section 4.3 speaks of.", Text: "# Benefit a byte\nscore = benefit / size"},
		{Title: "DeepUM's choice", About: "DeepUM's own: what a later launch is expected to need makes no room.", Text: "spare = expected >= 0"},
		{Title: "Soon is spared", About: "Only what is expected within p1 launches is spared. Set Dial 1 to 50 for a start.", Text: "# Soon is spared\nspare = expected >= 0 and expected <= p1"},
	}
}
