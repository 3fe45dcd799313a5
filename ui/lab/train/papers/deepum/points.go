package deepum

import (
	"fmt"
	"strings"

	"spillway/sim/study"
)

// all returns the points in the order of the paper.
func all() []study.Point {
	var list []study.Point
	for _, points := range [][]study.Point{
		machines(), models(), times(), energies(), largest3(), tables4(), ablation(), faults5(), shapes(), degrees(), largest7(), features(),
	} {
		list = append(list, points...)
	}
	return list
}

// aside is a point that nothing here computes.
func aside(figure, of, at, quantity, value, unit, why string) study.Point {
	p := study.Point{Figure: figure, Of: of, At: at, Quantity: quantity, Unit: unit, NotComputed: why, Fits: value != "-"}
	if p.Fits {
		p.Value = number(value)
	}
	return p
}

func machines() (list []study.Point) {
	for _, f := range table("published/table1.csv") {
		at := f[3]
		if at == "Table 1" {
			at = ""
		}
		list = append(list, aside("T1", f[0], at, parameter, f[1], f[2], "a setting and no result: "+f[4]))
	}
	return list
}

func models() (list []study.Point) {
	for _, f := range table("published/table2.csv") {
		sets := strings.Split(f[2], ";")
		list = append(list, aside("T2", f[0], f[1]+": "+strings.Join(sets, ", "), datasets, fmt.Sprint(len(sets)), "", "a workload and no result: "+rebuilt(f[0])))
	}
	return list
}

// rebuilt says what stands in for a network of the paper.
func rebuilt(name string) string {
	for i := range networks {
		if n := &networks[i]; n.name == name {
			return fmt.Sprintf("here %s with %s; the paper states neither optimizer nor precision nor the length of sequences", n.id, n.optimizer)
		}
	}
	switch name {
	case "DCGAN":
		return "here dcgan-pytorch, for Table 7 alone"
	case "MobileNet":
		return "here mobilenet-cifar-pytorch, for Table 7 alone"
	}
	return "not rebuilt"
}

// limits are up to what relative difference times agree, by system and family, LMS-mod
// as lms+trim; for UM's of DLRM that are too short it is umBelow. They are what a first model, built from the text before this one,
// reached on the same rows.
var limits = map[string][dlrm + 1]float64{
	um:         {gpt2: 0.10, bertLarge: 0.17, bertBase: 0.35, resnet: 0.10, dlrm: 0.29},
	deepum:     {gpt2: 0.12, bertLarge: 0.15, bertBase: 0.30, resnet: 0.12, dlrm: 0.06},
	lms:        {gpt2: 0.15, bertLarge: 0.15, bertBase: 0.15, resnet: 0.08, dlrm: 0.30},
	lms + trim: {gpt2: 0.16, bertLarge: 0.16, bertBase: 0.16, resnet: 0.08, dlrm: 0.30},
}

// Limits of the other quantities.
var (
	speedupLimit = [dlrm + 1]float64{gpt2: 0.04, bertLarge: 0.25, bertBase: 0.30, resnet: 0.10, dlrm: 0.30}
	// overLMS allows for what LMS and UM may each be off.
	overLMS    = [dlrm + 1]float64{gpt2: 0.20, bertLarge: 0.25, bertBase: 0.30, resnet: 0.12, dlrm: 0.30}
	tableLimit = [dlrm + 1]float64{gpt2: 0.12, bertLarge: 0.30, bertBase: 0.60, resnet: 0.28, dlrm: 0.70}
	umFaults   = [dlrm + 1]float64{gpt2: 0.20, bertLarge: 0.60, bertBase: 0.60, resnet: 0.20, dlrm: 0.84}
)

// Limits of what is too small, where they differ; 0 is that it does not.
var (
	umBelow     = [dlrm + 1]float64{dlrm: 0.06}
	faultsBelow = [dlrm + 1]float64{bertLarge: 0.56, bertBase: 0.56, dlrm: 0.61} // BERT: 1/2.3 of what is printed
)

// DeepUM's few faults agree in the order of magnitude: from a tenth to ten times as many.
const (
	order      = 9.0
	orderBelow = 0.9
)

// point is a published number of a row.
func (r row) point(figure, quantity, system string, value string) study.Point {
	p := study.Point{
		Figure: figure, Quantity: quantity, System: system, Set: r.set(), Workload: r.is(), Of: r.label(), Fits: value != "-",
	}
	if p.Fits {
		p.Value = number(value)
	}
	return p
}

// cleaning is what LMS-mod adds.
const cleaning = "LMS-mod"

const (
	uncalibrated = "uncalibrated: nearly all of DLRM's time is the host's, which is fitted to this figure"
	slowMod      = "doubtful: LMS-mod takes 61.2 s with batch 1024 and 55.7 s with 1280"
)

// times are Figure 9(b), and before them the speedups of 9(a), which follow from it.
func times() []study.Point {
	var a, b []study.Point
	for _, f := range table("published/fig9b.csv") {
		r := rowOf(f[0], f[1])
		for k, system := range []string{um, lms, lms + trim, deepum} {
			p := r.point("9b", elapsed, system, f[2+k])
			p.Unit, p.Limit = "s", limits[system][r.family]
			if system == lms+trim {
				p.System, p.At, p.Set = lms, cleaning, p.Set+trim
				if r.label() == "ResNet200 1024" {
					p.Note = slowMod
				}
			}
			if system == um {
				p.Below = umBelow[r.family]
			}
			if r.family == dlrm && p.Fits {
				p.Note = uncalibrated
			}
			b = append(b, p)
			if p.At == "" && p.System != um && p.Fits {
				s := p
				s.Figure, s.Quantity, s.Unit, s.RelativeTo = "9a", speedup, "×", um
				s.Value = number(f[2]) / p.Value
				if s.Limit = overLMS[r.family]; p.System == deepum {
					s.Limit = speedupLimit[r.family]
				}
				a = append(a, s)
			}
		}
	}
	return append(a, b...)
}

func energies() []study.Point {
	const why = "no model of power: the paper measured at the socket"
	return []study.Point{
		aside("9c", "LMS", "mean", energy, "68", "%", why),
		aside("9c", "DeepUM", "mean", energy, "65", "%", why),
	}
}

// labels are doubted where the tables print batch sizes of GPT-2 for BERT.
func labels(f []string) string {
	if f[1] == f[2] || f[1] == strings.ToLower(f[2]) {
		return ""
	}
	return "doubtful label: printed as batch " + f[1] + ", which looks copied from GPT-2; taken for the batch of Figure 9(b)"
}

func tables4() (list []study.Point) {
	for _, f := range table("published/table4.csv") {
		r := rowOf(f[0], f[2])
		p := r.point("T4", tables, deepum, f[3])
		p.Unit, p.Limit, p.Note = "MB", tableLimit[r.family], labels(f)
		list = append(list, p)
	}
	return list
}

func faults5() (list []study.Point) {
	for _, f := range table("published/table5.csv") {
		r := rowOf(f[0], f[2])
		u, d := r.point("T5", faults, um, f[3]), r.point("T5", faults, deepum, f[4])
		u.Limit, u.Below, u.Note = umFaults[r.family], faultsBelow[r.family], labels(f)
		if r.label() == "BERT Large 14" {
			u.Note += "; doubtful: batch 16 has half as many again"
		}
		d.Limit, d.Below, d.Note = order, orderBelow, "an order of magnitude: the column follows no trend, and how faults of a block are counted is not stated; a block that is missed whole counts as 5, late ones as none"
		if n := labels(f); n != "" {
			d.Note += "; " + n
		}
		list = append(list, u, d)
	}
	return list
}

// The variants of Figure 10, beside UM and DeepUM with everything.
const (
	prefetchOnly = " deepum_pre_evict=0 deepum_invalidate=0"
	preEvicting  = " deepum_invalidate=0"
)

// variants are the bars of Figure 10 with what is published of each.
var variants = []struct{ name, change, saved string }{
	{"Prefetching", prefetchOnly, "45.6"},
	{"Prefetching+Preeviction", preEvicting, "63.7"},
	{"Prefetching+Preeviction+Invalidate", "", "66.7"},
}

func ablation() (list []study.Point) {
	for _, v := range variants {
		list = append(list, aside("10", v.name, mean, saved, v.saved, "%", "a mean over rows of which single values are only drawn; the claims compute it of one row a network, weighted, as 1 − 1/geometric mean"))
	}
	return list
}

// mean is what numbers over all rows are of.
const mean = "mean of all rows"

func shapes() (list []study.Point) {
	for _, f := range table("published/table6.csv") {
		list = append(list, aside("T6", f[0], fmt.Sprintf("%s ways, %s successors", f[1], f[2]), shape, f[3], "", "a setting and no result: Figure 12 runs with it"))
	}
	return list
}

func degrees() []study.Point {
	return []study.Point{aside("11", "Look-ahead N", mean, best, "32", "kernels", "which of those tried is best: a claim computes it from what they take")}
}

// largestWhy is said of the largest batches, which were searched beforehand.
func largestWhy(table3 bool, model, system string) string {
	found := "not searched"
	for _, f := range table("maxbatch.csv") {
		if (f[0] == "T3") == table3 && f[1] == model && f[2] == system {
			if f[4] == "" {
				break
			}
			found = "a search by runs, made beforehand (maxbatch.csv), finds " + f[4]
			if f[4] == "-" {
				found = "a search by runs, made beforehand (maxbatch.csv), finds none"
			}
			if f[5] != "" {
				found += ": " + f[5]
			}
		}
	}
	return found + "; the question for the largest batch on this page searches again"
}

func largest3() (list []study.Point) {
	for _, f := range table("published/table3.csv") {
		for k, system := range []string{lms, deepum} {
			p := aside("T3", f[0], names[system], largest, f[2+k], "", largestWhy(true, f[0], system))
			p.Note = "doubtful: no single limit of host memory explains DeepUM's printed sizes"
			if system == lms {
				p.Note = "not reproduced: why LMS runs out of memory so early is not known"
			}
			list = append(list, p)
		}
	}
	return list
}

func largest7() (list []study.Point) {
	for _, f := range table("published/table7.csv") {
		for k, model := range table7Models {
			p := aside("T7", model, f[0], largest, f[1+k], "", largestWhy(false, model, strings.ToLower(f[0])))
			if f[0] != names[deepum] {
				p.Note = "not DeepUM's: quoted from the Sentinel paper"
			}
			list = append(list, p)
		}
	}
	return list
}

var table7Models = []string{"ResNet200 (CIFAR-10)", "BERT Large (CoLA)", "DCGAN (celebA)", "MobileNet (CIFAR-100)"}

func features() (list []study.Point) {
	for _, f := range table("published/table8.csv") {
		for k, quantity := range []string{"framework_modified", "script_modified", "profiling"} {
			switch f[2+k] {
			case "Y":
				list = append(list, aside("T8", f[0], f[1], quantity, "1", "", "about programs, not about runs"))
			case "N":
				list = append(list, aside("T8", f[0], f[1], quantity, "0", "", "about programs, not about runs"))
			}
		}
	}
	return list
}

// probe is a run whose value the paper does not print.
func (r row) probe(figure, system, change string) study.Point {
	return study.Point{
		Figure: figure, Quantity: seconds, System: system, Set: r.set() + change, Workload: r.is(), Of: r.label(), At: strings.TrimSpace(change),
		Fits: true, Unit: "s", Unpublished: true,
	}
}

// sweepDegrees are those of Figure 11.
var sweepDegrees = []int{1, 2, 4, 8, 16, 32, 64, 128}

// degree is what a look-ahead changes in a setup. Looking a block up in a table of one of its
// kernels takes 50 ns there, about a miss of a processor's caches: fitted to the best degree.
func degree(n int) string { return fmt.Sprintf(" deepum_degree=%d deepum_lookup=50", n) }

// configs are those of Table 6: names and what they change in a setup.
func configs() (names, changes []string) {
	for _, f := range table("published/table6.csv") {
		names = append(names, f[0])
		changes = append(changes, fmt.Sprintf(" deepum_rows=%s deepum_ways=%s deepum_successors=%s", f[3], f[1], f[2]))
	}
	return names, changes
}

// probes are the runs of Figures 10 to 12.
func probes() (list []study.Point) {
	for _, r := range typical() {
		list = append(list, r.probe("10", um, ""))
		for _, v := range variants {
			list = append(list, r.probe("10", deepum, v.change))
		}
	}
	for _, r := range swept() {
		for _, n := range sweepDegrees {
			list = append(list, r.probe("11", deepum, degree(n)))
		}
	}
	_, changes := configs()
	for _, r := range swept() {
		for _, c := range changes {
			list = append(list, r.probe("12", deepum, c))
		}
	}
	for _, r := range beside() {
		for _, system := range append([]string{deepum}, rivals...) {
			list = append(list, r.probe("T7", system, small))
		}
	}
	return list
}

// rivals are the systems for TensorFlow, as the laboratory rebuilds them.
var rivals = []string{"vdnn", "autotm", "swapadvisor", "capuchin", "sentinel"}

// small is what the machine of Table 7 changes: a V100 of 16 GiB.
const small = " gpu_memory=16 host_memory=128"

// beside are the networks of Table 7 whose sizes are met, at the least batch that is published
// for one of the five.
func beside() []row {
	return []row{
		{&network{name: "ResNet200 (CIFAR-10)", id: "resnet-200-cifar-pytorch", family: resnet, optimizer: "sgd"}, "4200", 4200},
		{&network{name: "BERT Large (CoLA)", id: "bert-large-pytorch", family: bertLarge, optimizer: "adam"}, "25", 25},
	}
}
