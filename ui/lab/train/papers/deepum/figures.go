package deepum

import (
	"fmt"

	"spillway/sim/portable"
	"spillway/sim/study"
)

const (
	fitted  = "Constants of the model are fitted to this figure: what a fault and a block that moves cost, how many of its pages count as one fault, how much of the 32 GiB is usable (24.25), from how many blocks a victim is drawn."
	memory  = "What LMS does with free memory is a choice, made a family with hindsight: ResNets allocate up to all of it and move even the smallest tensors (lms_limit=100, lms_size=0; IBM's default is to leave those below 1 MiB, and with it ResNet152 1536 does not fit), the others reuse before they allocate, which is IBM's default. Where the paper prints that LMS runs out of memory it runs here: that is not explained."
	uneven  = "UM and DeepUM get 24.25 of the GPU's 32 GiB here, LMS all 32: what is not usable to them is fitted, and nothing is held back from LMS."
	dlrmSay = "DLRM is not calibrated: its host time is fitted."
	drawn   = "Values of single rows are only in the paper's drawing."
)

// figures returns the figures and tables in the order of the paper.
func figures(points []study.Point) []study.Figure {
	table := func(id, title, section, says, remark string) study.Figure {
		return study.Figure{ID: id, Title: title, Section: section, Kind: study.Table, Says: says, Remark: remark}
	}
	return []study.Figure{
		table("T1", "The machine", "§6.1", "A V100 on PCIe 3 with 512 GB of host memory.", "Ubuntu 18.04.4 with kernel 4.15, driver 460.32, CUDA 11.2, cuDNN 8.1.1, PyTorch 1.8.0. Settings, not results; what the laboratory has of each is said beside it."),
		table("T2", "Models and data sets", "§6.1", "Nine networks of Hugging Face, MLPerf and PyTorch's examples.", "Only a network's shapes matter here, not what it is trained with."),
		{
			ID: "9a", Title: "Speedup over UM", Section: "§6.2", Kind: study.Bars, Axes: study.Axes{Y: "× UM"}, Marks: speedups(points),
			Says:   "On average DeepUM is 3.06 times as fast as UM and 1.11 times as fast as LMS; DLRM gains almost nothing.",
			Remark: "The published values are ratios of those of Figure 9(b). Ideal is only drawn and not here. 1.11 is a ratio of two means over different rows; where both run the printed times say 1.32. " + fitted + " " + uneven + " " + dlrmSay,
		},
		{
			ID: "9b", Title: "Time of 100 iterations", Section: "§6.2", Kind: study.Lines, Axes: study.Axes{X: "batch size", Y: "s", LogY: true}, Marks: elapsedLines(points), Panels: panels(),
			Says:   "DeepUM is fastest nearly everywhere, and runs batches that LMS cannot.",
			Remark: "Here 100 times the mean of the last 4 of 10 iterations. " + fitted + " " + uneven + " " + memory + " " + dlrmSay,
		},
		table("9c", "Energy", "§6.2", "LMS needs 68 % less energy than UM, DeepUM 65 % less.", "Not computed: there is no model of power."),
		table("T3", "Largest batches", "§6.2", "DeepUM trains with batches that need all of the host's memory.", "Searched beforehand, and not reproduced: what is reserved at DeepUM's printed batches is from 40 to 114 % of 512 GiB, so no single limit explains them; LMS's fragmentation, which ends it early, is not understood. So no limit of LMS is published here as a prediction."),
		table("T4", "Memory of the correlation tables", "§6.2", "Tables take 13 to 348 MB of the host's memory.", "A table of 80 KiB for each kernel that ever faulted: 2048 rows, 2 ways, an entry of 4 bytes and 4 for each of 4 successors, fitted to this table. BERT Base has 1.7 to 2.6 times what is printed, DLRM 0.3 to 0.9 times. The batch sizes printed for BERT are doubtful."),
		{
			ID: "10", Title: "What prefetching and each optimization save", Section: "§6.2", Kind: study.Bars, Axes: study.Axes{Y: "time saved, %", Most: 100}, Marks: savings(points),
			Says:   "Prefetching saves 45.6 % of UM's time, with pre-eviction 63.7 %, with invalidation as well 66.7 %.",
			Remark: drawn + " Here one row of each network is run; the mean is that of all 23, each row standing for those of its network, as 1 − 1/geometric mean of speedups: the printed 66.7 % is near that (67.3 %) and not the mean of Figure 9(b)'s savings (59.2 %).",
		},
		table("T5", "Page faults in an iteration", "§6.2", "DeepUM removes 98 to 99.9 % of UM's faults.", "How many pages a counted fault stands for is fitted to UM's column: 4.3 for transformers, 0.9 for ResNets, 1 for DLRM. DeepUM's column agrees as an order of magnitude at best: a block that it misses whole counts as 5 faults (deepum_faults_per_block), which is fitted, and one that is late as none. With every page of a missed block counted it would be up to 100 times as many, so that 98 % are removed rests on how a fault is counted. The batch sizes printed for BERT are doubtful."),
		table("T6", "Shapes of the block table", "§6.3", "Thirteen shapes of which Figure 12 compares the speed.", "Settings of Figure 12; its bars are named as here."),
		{
			ID: "11", Title: "Speed over the look-ahead N", Section: "§6.2", Kind: study.Lines, Axes: study.Axes{X: "N, kernels", Y: "× N = 8", LogX: true, Least: 0.8}, Marks: overDegree,
			Says:   "A look-ahead of 32 kernels is best.",
			Remark: "Whether a victim is expected is looked up in the tables of all N kernels. No time of a look-up is published: 50 ns, about a miss of a processor's caches, is fitted to this figure, and with none the mean still rises at 128. All other figures are without. From N = 8 to 32 little is gained. " + drawn + " Four rows. Energy (b) is not computed.",
		},
		{
			ID: "12", Title: "Speed over the shape of the block table", Section: "§6.3", Kind: study.Bars, Axes: study.Axes{Y: "× Config0", Least: 0.9}, Marks: overShape,
			Says:   "Config9, with 2048 rows, 2 ways and 4 successors, is best on average.",
			Remark: drawn + " Four rows. Rows of the table matter for ResNet alone, whose kernels are larger than a table reaches.",
		},
		table("T7", "Largest batches beside systems for TensorFlow", "§6.4", "DeepUM trains with larger batches than the five others.", "Searched beforehand, and mostly not reproduced: the printed sizes are of other programs on another framework, and DCGAN and MobileNet would need 6 to 14 times the memory that their layers explain, and BERT Large of the five is not explained. DeepUM's ResNet200, whose first layer was chosen to fit, and BERT Large are met, and that vDNN does not work with BERT. CoLA with 512 tokens is assumed; 128 would fit six times as many. The five are reconstructions. Whether DeepUM is faster is computed where all of them have a printed size that is met: at the least batch of the five, with 16 GiB of GPU and 128 GiB of host memory."),
		table("T8", "What systems ask for", "§6.4", "DeepUM modifies the framework and not the user's script.", "1 is yes, 0 is no; what the table leaves open is left out. About programs, so nothing is computed."),
	}
}

// panels are the networks in the order of Figure 9.
func panels() (list []string) {
	for i := range networks {
		list = append(list, networks[i].name)
	}
	return list
}

// of returns the points of a figure.
func of(points []study.Point, figure string) (list []*study.Point) {
	for i := range points {
		if points[i].Figure == figure {
			list = append(list, &points[i])
		}
	}
	return list
}

// seriesOf is what a point belongs to in a drawing.
func seriesOf(p *study.Point) string {
	if p.At == cleaning {
		return cleaning
	}
	return names[p.System]
}

func speedups(points []study.Point) func(study.Look) []study.Mark {
	list := of(points, "9a")
	return func(look study.Look) (marks []study.Mark) {
		for _, p := range list {
			m := study.Mark{Panel: p.Of, Series: seriesOf(p), System: p.System}
			m.Y, m.Fits, m.Known = look(p)
			marks = append(marks, m)
		}
		return marks
	}
}

// elapsedLines draws Figure 9(b) over the batch size, one small chart a network.
func elapsedLines(points []study.Point) func(study.Look) []study.Mark {
	list := of(points, "9b")
	at := rows() // as many points each as there are systems
	each := len(list) / len(at)
	return func(look study.Look) (marks []study.Mark) {
		for i, p := range list {
			r := at[i/each]
			m := study.Mark{Panel: r.name, Series: seriesOf(p), System: p.System, X: float64(r.batch)}
			m.Y, m.Fits, m.Known = look(p)
			marks = append(marks, m)
		}
		return marks
	}
}

// savings draws Figure 10: of each network one row, and the mean, of which alone values
// are published.
func savings(points []study.Point) func(study.Look) []study.Mark {
	published := of(points, "10")
	return func(look study.Look) (marks []study.Mark) {
		for _, r := range typical() {
			for _, v := range variants {
				m := study.Mark{Panel: r.label(), Series: v.name, Fits: true}
				if ratio, known := r.over(look, v.change); known {
					m.Y, m.Known = 100*(1-1/ratio), true
				}
				marks = append(marks, m)
			}
		}
		for i, v := range variants {
			m := study.Mark{Panel: mean, Series: v.name, Fits: true}
			if m.Y, _, m.Known = look(published[i]); !m.Known {
				m.Y, m.Known = saving(look, v.change)
			}
			marks = append(marks, m)
		}
		return marks
	}
}

// over is how many times as fast as UM DeepUM is on a row, with a change of Figure 10.
func (r row) over(look study.Look, change string) (ratio float64, known bool) {
	base, variant := r.probe("10", um, ""), r.probe("10", deepum, change)
	slow, fits, known := look(&base)
	fast, also, done := look(&variant)
	if !known || !done || !fits || !also || fast <= 0 {
		return 0, false
	}
	return slow / fast, true
}

// saving is the share of UM's time, in percent, that a variant saves: the geometric
// mean over networks, weighted by their rows.
func saving(look study.Look, change string) (percent float64, known bool) {
	logs, weights := 0.0, 0.0
	for _, r := range typical() {
		ratio, known := r.over(look, change)
		if !known {
			return 0, false
		}
		logs += float64(float64(r.rows) * portable.Log(ratio))
		weights += float64(r.rows)
	}
	return 100 * (1 - portable.Exp(-logs/weights)), true
}

// relative is how many times as fast as with one change of the setup a row is with
// another, in Figures 11 and 12.
func (r row) relative(look study.Look, figure, base, change string) (ratio float64, known bool) {
	from, to := r.probe(figure, deepum, base), r.probe(figure, deepum, change)
	before, fits, known := look(&from)
	after, also, done := look(&to)
	if !known || !done || !fits || !also || after <= 0 {
		return 0, false
	}
	return before / after, true
}

// relatives is the geometric mean of relative over the rows swept.
func relatives(look study.Look, figure, base, change string) (ratio float64, known bool) {
	logs := 0.0
	for _, r := range swept() {
		x, known := r.relative(look, figure, base, change)
		if !known {
			return 0, false
		}
		logs += portable.Log(x)
	}
	return portable.Exp(logs / float64(len(swept()))), true
}

// sweptMean is the series of relatives.
const sweptMean = "Geometric mean"

// sweeping draws what each row swept and their mean are relative to base.
func sweeping(look study.Look, figure, base, change string, mark study.Mark) (marks []study.Mark) {
	for _, r := range swept() {
		m := mark
		m.Series, m.Fits = r.label(), true
		m.Y, m.Known = r.relative(look, figure, base, change)
		marks = append(marks, m)
	}
	mark.Series, mark.Fits = sweptMean, true
	mark.Y, mark.Known = relatives(look, figure, base, change)
	return append(marks, mark)
}

func overDegree(look study.Look) (marks []study.Mark) {
	for _, n := range sweepDegrees {
		marks = append(marks, sweeping(look, "11", degree(8), degree(n), study.Mark{Panel: fmt.Sprintf("%d networks", len(swept())), X: float64(n)})...)
	}
	return marks
}

func overShape(look study.Look) (marks []study.Mark) {
	names, changes := configs()
	for i, name := range names {
		marks = append(marks, sweeping(look, "12", changes[0], changes[i], study.Mark{Panel: name})...)
	}
	return marks
}
