package bytefs

// What tests outside of the package read.
var (
	Reason   = reason
	Variants = variants
	Added    = added
)

// Widest is the abstract's second number over all ten workloads, and in the benchmarks of
// names alone.
func Widest(outcomes map[string]float64) (all, names float64) {
	over := func(list []string) float64 {
		return most(list, func(w string) float64 {
			own := outcomes[byteFS+" "+w]
			if own == 0 {
				return 0 // of stat nobody writes anything
			}
			return most(rivals, func(s string) float64 { return outcomes[s+" "+w] / own })
		})
	}
	return over(workloads), over([]string{remove, mkdir, rmdir})
}

// Measured are the rules that the paper is compared with.
const Measured = measured

// Facts is the figure in which facts are added.
const Facts = switchedFacts

// Written is the quantity of what is written to the device.
const Written = written

// Name is the variant's name for people.
func (v variant) Name() string { return v.name }
