package teraio

import (
	_ "embed" // for lawful
	"fmt"

	"spillway/sim/prose"
	"spillway/sim/study"
)

//go:embed bylaw.csv
var lawful string

// ByLaw says what would be if products and attention took what the law of kernel times says, not
// one share of the peak: one setting of each model of Figure 7, from bylaw.csv, which a run writes.
func ByLaw() string {
	var ideals, shares []string
	for _, f := range study.Records("bylaw.csv", lawful) {
		name := called[f[0]]
		ideals = append(ideals, fmt.Sprintf("%s %.2f", name, study.Number(f[4])/study.Number(f[2])))
		shares = append(shares, fmt.Sprintf("%s %.0f %% (as fitted %.0f)", name, 100*study.Number(f[5])/study.Number(f[4]), 100*study.Number(f[3])/study.Number(f[2])))
	}
	return fmt.Sprintf("By the law of kernel times (gemm=0), for one efficiency as the TERAIO paper's figures need it, Ideal on its node would have, of the throughput there: %s; TERAIO-Mixed, of Ideal: %s.", prose.List(ideals), prose.List(shares))
}
