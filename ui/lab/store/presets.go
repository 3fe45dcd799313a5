package store

import (
	"spillway/ui/lab"
	"spillway/ui/lab/own"
)

// yields is that prefetch yields: links of before say nothing of it, and knew the published one.
const yields = " prefetch_yields=1"

// unsaid is that prefetch yields where nobody says that it holds its room, as published, but in the
// report's own benchmarks.
func unsaid() []lab.Unsaid {
	return []lab.Unsaid{{Key: "prefetch_yields", Text: "1", Unless: "workload=pairs"}}
}

// presets are what the page opens on, the first of them, and offers.
func presets() []lab.Preset {
	return []lab.Preset{
		{
			Key: "two-resnets", Title: "Two ResNet-50 on one V100", Set: "workload=networks model=resnet-50 batch=64 clients=2 gpu=v100-32 gpu_memory=12" + yields,
			Was:   []string{"workload=networks model=resnet-50 batch=64 clients=2 gpu=v100-32 gpu_memory=12"},
			About: "Both train at batch 64 in 12 GiB; each keeps in the store what it does not need now. The store handles one call after the other, and mostly frees.",
		},
		{
			Key: "training-and-bursts", Title: "Training beside bursts", Set: "workload=training-and-bursts" + yields, Was: []string{"workload=training-and-bursts"},
			About: "A training job shares its GPU with a program that needs memory now and then: every eviction and return is visible.",
		},
		{
			Key: "services", Title: "Services with periods of their own", Set: "workload=services" + yields, Was: []string{"workload=services"},
			About: "Models serve requests at fixed intervals, so the model used last may be the one needed last.",
		},
		{
			Key: "challenge-store", Title: "Challenge: five mixes, one score", Set: "workload=training-and-bursts policy=evict=-last@fetch=last" + yields,
			About:   "Write a rule under Your policy that beats Size-aware over five mixes. What if runs all of them and says the score: the mean of its times over those of the best that is known, so less is better. You begin with LRU; one line is enough to beat it, and a link to this page is your result, which anybody can run again.",
			Systems: []string{"size-aware", "best-known", own.Name},
			Ask:     "ask=vary ask-vary=workload ask-values=training-and-bursts,two-trainings,services,table-and-blocks,late-clock ask-of=time_s",
		},
		{
			Key: "own-policy", Title: "A policy of your own", Set: "workload=table-and-blocks policy=%23Whoever+asks@evict=next*min(size,short)*(p1+if+mine+else+1)@fetch=-next p1=4" + yields,
			About: "Two lines under Your policy decide what leaves: what its client needs last and is large, four times as gladly if that client is the one that asks. Here that is faster than every policy that does not try all.", Systems: []string{"lru", "size-aware", "best-known", own.Name},
		},
	}
}
