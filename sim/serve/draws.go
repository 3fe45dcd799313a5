package serve

import (
	"spillway/sim/report"
	"spillway/sim/unit"
)

// Draws runs a recipe several times with other random numbers, the recipe's own first: how far their results are apart is what
// chance does to a number. A recipe without chance gives one result.
func Draws(r Recipe, s *Setting, times int64, p report.Progress) ([]*Result, error) {
	if !r.chance() {
		times = 1
	}
	var list []*Result
	for i := range times {
		x := r
		x.Seed += i * 1_000_003
		w, err := x.Workload()
		if err != nil {
			return nil, err
		}
		one, err := Run(w, s, nil)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
		if p != nil {
			p(int(i+1), int(times))
		}
	}
	return list, nil
}

// chance reports whether a recipe draws anything.
func (r *Recipe) chance() bool {
	return r.Arrivals == Poisson || r.Arrivals == Gamma || r.Input.Sigma > 0 || r.Output.Sigma > 0 || r.Groups > 1
}

// Apart is by how much the largest of several numbers is above the smallest, in thousandths of their mean.
func Apart(list []int64) int64 {
	if len(list) < 2 {
		return 0
	}
	low, high, sum := list[0], list[0], int64(0)
	for _, n := range list {
		low, high, sum = min(low, n), max(high, n), sum+n
	}
	return unit.MulDiv(high-low, thousand*int64(len(list)), max(sum, 1))
}

// Band is by how many percent the throughput of a setting may be off, and why: half of rows that are not fitted are within a third of it.
func (s *Setting) Band() (percent int64, why string) {
	chip := ChipOf(&s.Node.GPU, s.Engine, s.Weights, Resident)
	sys, err := FindSystem(s.System)
	switch {
	case err == nil && sys.Stream == Divided:
		return 10, "Two constants, of all layers on the GPU and of none, are those of one machine."
	case err == nil && sys.Stream == Blocked:
		return 20, "FlexGen's rows on a T4 are within a fifth; of other machines none is known with its policy."
	case err == nil && sys.Stream != Resident:
		return 50, "How a program copies weights is not published; rows are within half, and in the right order."
	case s.Engine == "trtllm" && chip.Fitted && s.Weights == FP8:
		return 10, "Fitted to this GPU's rows of TensorRT-LLM's table, of which nine in ten are within 9 %."
	case s.Engine == "vllm" && chip.Fitted:
		return 20, "Fitted to loads of one model on this GPU; rows of one request at a time are within 14 %."
	case s.Engine == "trtllm":
		return 30, "No row of this GPU and precision was fitted; of others nine in ten are within 30 %."
	}
	return 35, "No row of this engine on this GPU was fitted."
}
