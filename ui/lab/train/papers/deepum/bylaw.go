package deepum

import (
	_ "embed" // for lawful
	"fmt"
	"math"

	"spillway/sim/portable"
	"spillway/sim/prose"
	"spillway/sim/study"
)

//go:embed bylaw.csv
var lawful string

// ByLaw says what would be if kernels took what the law of kernel times says, not what was fitted
// to BERT-Base in Figure 9(b): one row of each network, from bylaw.csv, which a run writes.
func ByLaw() string {
	var kernels []string
	fitted, law := 0.0, 0.0 // logarithms of speedups over UM
	rows := study.Records("bylaw.csv", lawful)
	for _, f := range rows {
		kernels = append(kernels, fmt.Sprintf("%s %.2f", f[0], study.Number(f[3])/study.Number(f[2])))
		fitted += portable.Log(study.Number(f[4]) / study.Number(f[5]))
		law += portable.Log(study.Number(f[6]) / study.Number(f[7]))
	}
	n := float64(len(rows))
	return fmt.Sprintf("By the law of kernel times (times=estimated, fp32) kernels would take, of what is fitted: %s; DeepUM would be, on these rows, %.2f times as fast as UM in the geometric mean, as fitted %.2f.",
		prose.List(kernels), math.Round(100*portable.Exp(law/n))/100, math.Round(100*portable.Exp(fitted/n))/100)
}
