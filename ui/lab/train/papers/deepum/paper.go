// Package deepum is the evaluation of the DeepUM paper as data: what it prints, how
// that is taken from a run, and how its figures are drawn.
//
// # Source
//
// Jung, Kim, Lee: DeepUM: Tensor Migration and Prefetching in Unified Memory (ASPLOS
// 2023). Every number of its text and tables is in published; bars that have no
// printed value are not.
//
// # What the comparison is worth
//
// No program of the authors is public, so systems and networks are rebuilt from the
// text. Eleven things are fitted to the very numbers that are compared, or were chosen
// by them:
//
//   - what a counted fault costs,
//   - what a block that moves costs,
//   - how many pages a counted fault stands for, a number a family,
//   - as how many faults a block counts that DeepUM misses,
//   - how much of the memory is usable to UM and DeepUM,
//   - from how many blocks a victim is drawn,
//   - the bytes of a table's entry,
//   - at what shares of the GPU's peaks kernels run,
//   - up to what share of memory LMS allocates and what is too small for it to move, a
//     choice a family,
//   - how often LMS-mod gives memory back,
//   - the host's time a sample of DLRM.
//
// No row was held out. With all memory but 1 GiB usable
// (um_usable=96.875), that is without that fit, DeepUM's times of GPT-2 are 8 to 19 % too
// short and those of ResNet -3 to +2 % off: the mechanism predicts, the fit centers.
//
// A number that is farther off than the tolerance of its kind is a gap; gaps.csv has
// each with its value, and gaps.go the reason.
package deepum

import (
	"embed"
	"math"
	"strings"

	"spillway/sim/study"
	"spillway/sim/train/result"
)

// Tolerance is the relative difference up to which a point agrees that has no limit of
// its own; all that are compared have. Up to ClaimTolerance a claim is near.
const (
	Tolerance      = 0.02
	ClaimTolerance = 0.10
)

// The systems of the laboratory that the paper measured itself.
const (
	um, deepum, lms = "um", "deepum", "lms"
)

// The quantities that runs are measured for.
const (
	elapsed = "elapsed" // s for 100 iterations
	seconds = "seconds" // s an iteration
	speedup = "speedup" // 1/s; relative to another system it is ×
	faults  = "faults"  // an iteration
	tables  = "tables"  // MB of 10⁶ bytes
)

// The quantities that are listed.
const (
	largest   = "largest"
	saved     = "saved"
	energy    = "energy"
	best      = "best"
	shape     = "shape"
	datasets  = "datasets"
	parameter = "parameter"
)

// names are what people read.
var names = map[string]string{
	um: "UM", deepum: "DeepUM", lms: "LMS",
	"vdnn": "vDNN", "autotm": "AutoTM", "swapadvisor": "SwapAdvisor", "capuchin": "Capuchin", "sentinel": "Sentinel",
	elapsed: "time of 100 iterations", seconds: "iteration time", speedup: "speedup",
	faults: "page faults", tables: "correlation tables", largest: "largest batch", saved: "time saved", energy: "energy saved",
	best: "best", shape: "rows", datasets: "data sets", parameter: "parameter",
	"framework_modified": "framework is modified", "script_modified": "user's script is modified", "profiling": "profiles while it runs",
}

// Paper returns the DeepUM paper. Every call reads the tables again.
func Paper() *study.Paper {
	points := all()
	return &study.Paper{
		Fitted: func(*study.Point) bool { return true }, // no row was held out: see VALIDATION.md
		Key:    "deepum", Short: "DeepUM (ASPLOS 2023)",
		Title:   "DeepUM: Tensor Migration and Prefetching in Unified Memory",
		About:   "Figures 9 to 12, Tables 1 to 8 and the numbers in the text, computed here and compared with the published values. Figure 13 has no printed values.",
		Remark:  "No program of the authors is public: systems and networks are rebuilt from the text. Eleven things, as the cost of a fault and how much of the GPU's memory is usable, are fitted to the numbers that are compared, and no row was held out, so agreement says that the numbers fit together.",
		Systems: append([]string{um, lms, deepum}, rivals...), Names: names,
		Points: points, Probes: probes(),
		Figures: figures(points), Claims: claims(points),
		Tolerance: Tolerance, Rebuilt: Tolerance, ClaimTolerance: ClaimTolerance,
		Standing: "reconstruction: rebuilt systems and networks, fitted constants",
		Cannot:   "runs out of memory",
		Why:      why(study.ReadGaps(table("gaps.csv"))),
	}
}

// measured is how many iterations values are means of: the last ones, in which tables
// are complete.
const measured = 4

// Reader takes from results what the paper publishes.
var Reader = study.Reader[struct{}, *result.Result]{Measure: measure}

// measure takes from a result what its points publish.
func measure(points []study.Point, _ study.Values, r *result.Result) []float64 {
	values := make([]float64, len(points))
	for i := range points {
		values[i] = ours(&points[i], r)
	}
	return values
}

// ours is the quantity that p publishes, NaN if r does not have it. r fits.
func ours(p *study.Point, r *result.Result) float64 {
	n := len(r.Iterations)
	if n == 0 {
		return math.NaN()
	}
	final := r.Iterations[max(0, n-measured):]
	mean := func(of func(*result.Iteration) float64) float64 {
		sum := 0.0
		for i := range final {
			sum += of(&final[i])
		}
		return sum / float64(len(final))
	}
	second := func(it *result.Iteration) float64 { return float64(it.Time) / float64(r.Clock) }
	paged := final[len(final)-1].Paging
	switch p.Quantity {
	case elapsed:
		return 100 * mean(second)
	case seconds:
		return mean(second)
	case speedup:
		return 1 / mean(second)
	}
	if paged == nil {
		return math.NaN()
	}
	switch p.Quantity {
	case tables:
		return float64(paged.Tables) / 1e6
	case faults:
		return mean(func(it *result.Iteration) float64 { return float64(it.Paging.Faults) })
	}
	return math.NaN()
}

//go:embed published/*.csv maxbatch.csv gaps.csv
var files embed.FS

// table reads an embedded table without its heading.
func table(name string) [][]string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic("deepum: " + err.Error())
	}
	return study.Records(name, string(text))
}

// number reads a number of a table: "3", "128K", "0.5".
func number(s string) float64 {
	digits, thousand := strings.CutSuffix(s, "K")
	v := study.Number(digits)
	if thousand {
		v *= 1024
	}
	return v
}
