package zoo

import (
	"fmt"
	"strings"

	"spillway/sim/workload"
)

// Sources returns the time sources a model can be built with, the one to show
// first in front.
func (m *Model) Sources() []workload.TimeSource {
	if m.profiled {
		return []workload.TimeSource{workload.ColdModel, workload.Estimated}
	}
	return []workload.TimeSource{workload.Estimated}
}

// An iteration is the sum of a network's kernel times, twice: as the G10
// artifact has measured it, and the same kernels warm on the same GPU.
type iteration struct {
	batch          int
	measured, warm float64 // seconds
}

// A comparison says what the paper's profile does to a network's iterations.
type comparison struct {
	small, large iteration
	// within is the largest difference, in percent of the measured sum, between
	// this package's as-paper iteration and the measured one, over all batch
	// sizes the artifact has.
	within int
}

// comparisons are by model. The measured sums are of the artifact's files
// results/*/cudnn*.txt; the warm ones are estimates that leave out the constant
// part of cold kernels, made apart from this package's model.
var comparisons = map[string]comparison{
	"bert-base":    {iteration{256, 7.285, 2.206}, iteration{1024, 17.441, 8.521}, 27},
	"vit-s-32":     {iteration{256, 2.125, 0.402}, iteration{1024, 3.266, 1.301}, 9},
	"inception-v3": {iteration{512, 53.612, 1.143}, iteration{1280, 59.949, 2.716}, 10},
	"resnet-152":   {iteration{256, 106.107, 1.026}, iteration{2048, 113.708, 7.330}, 4},
	"senet-154":    {iteration{256, 129.431, 4.014}, iteration{768, 133.086, 11.544}, 6},
}

// Explain says in plain text what a model's time sources mean for a reader of
// results, empty for an unknown model.
func Explain(id string) string {
	m, err := Find(id)
	if err != nil {
		return ""
	}
	var b strings.Builder
	b.WriteString("Estimated: by the law of kernel times, for warm kernels on the GPU that is chosen. ")
	if !m.profiled {
		fmt.Fprintf(&b, "The G10 paper has not profiled %s, so its other time source does not exist here.", m.Title)
		return b.String()
	}
	c := comparisons[id]
	fmt.Fprintf(&b, "As the paper measured: the artifact's own kernels with what the paper's profiler added. "+
		"It timed the first call of every kernel, with the start of libraries in it. "+
		"At batch %d an iteration of %s takes %s in its profile and about %s warm, %s times less; at batch %d it is %s times less. ",
		c.small.batch, m.Title, seconds(c.small.measured), seconds(c.small.warm), times(c.small), c.large.batch, times(c.large))
	fmt.Fprintf(&b, "It is a model, not the measured files: its iterations are within %d %% of theirs. ", c.within)
	b.WriteString("This decides conclusions: the longer kernels take, the more transfers hide behind them. " +
		"What is close to ideal with the paper's times can wait for the SSD with warm ones.")
	return b.String()
}

func seconds(s float64) string {
	if s >= 10 {
		return fmt.Sprintf("%.0f s", s)
	}
	return fmt.Sprintf("%.1f s", s)
}

func times(i iteration) string {
	r := i.measured / i.warm
	if r >= 10 {
		return fmt.Sprintf("%.0f", r)
	}
	return fmt.Sprintf("%.1f", r)
}
