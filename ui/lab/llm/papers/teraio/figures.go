package teraio

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"spillway/sim/study"
)

// figures returns the figures and tables in the order of the paper.
func figures(g *grid) []study.Figure {
	panels := func(list []setting) (names []string) {
		for i := range list {
			names = append(names, called[list[i].model])
		}
		return names
	}
	bars := func(model, says, remark string) study.Figure {
		return study.Figure{
			ID: figureOf[model], Title: "Throughput of " + called[model], Section: "§4.2", Kind: study.Bars, Axes: study.Axes{Y: "tokens/s"}, Marks: g.bars(model),
			Says: says, Remark: remark + " Heights of the paper's bars are not public as numbers; what the text says of their means is in the table.",
		}
	}
	listed := func(id, title, section, says, remark string) study.Figure {
		return study.Figure{ID: id, Title: title, Section: section, Kind: study.Table, Says: says, Remark: remark}
	}
	list := []study.Figure{
		{
			ID: "1", Title: "Memory of all and of active tensors", Section: "§2.1", Kind: study.Curves, Marks: nothing, Panels: panels(studied),
			Axes:   study.Axes{X: "kernel of GPU 0", Y: "% of its memory", LogY: true, Least: 0.01},
			Colors: map[string]string{"all tensors": "part-1", "active tensors": "part-3"},
			Says:   "Tensors of the kernel that runs take 1.7 % of the GPU's memory on average and less than 14 %; all together take far more than it has.",
			Remark: "The batches and sequences that the text names, cut into a pipeline of two stages, with no tensor moved. How many kernels the paper has is read from the ends of its axes: the paper's runs 1.8 times as many for Llama3-8B as there are here, 2.7 for T5-11B, 3.3 for GPT2-40B, where several operators of PyTorch are one kernel here, but a tenth less for Llama3-70B. Panel (b) of the paper shows another stage of the pipeline, without numbers. The mean counts kernels, so that small ones weigh as much as large ones. A point of a curve is the most of several kernels.",
		},
		{
			ID: "2", Title: "Lengths of inactive periods", Section: "§2.1", Kind: study.Curves, Marks: nothing, Panels: panels(studied),
			Axes:   study.Axes{X: "inactive for, µs", Y: "% of periods, at most", LogX: true, Left: 1, Right: 1e8, Most: 100},
			Colors: classColors(),
			Says:   "Most tensors have 10 MB to 1 GB, and more than 40 % of them are inactive for longer than 10 ms: longer than moving them takes.",
			Remark: "Of GPU 0, by kernels' own times. Shares of sizes are those of the legend; here of all tensors. They hang on which operators make a tensor, and on micro-batches, which the paper does not give for this study.",
		},
		{
			ID: "3", Title: "Throughput over the rate of drives", Section: "§2.2", Kind: study.Lines, Marks: g.roofline(),
			Axes:   study.Axes{X: "GB/s a GPU, each way", Y: "of Ideal, %", FromZero: true, Most: 100},
			Says:   "32 to 48 GB/s for each GPU are enough for nearly the throughput of Ideal.",
			Remark: "TERAIO-SSD as published, with one drive of that rate for each GPU. The paper computes the figure with a model of its own, of the batches of Figure 1. Here Llama3-8B has a batch of 32 and Llama3-70B one of 16: with 256 the optimizer, which is what drives cannot keep up with, is a sixteenth of it, and 70B comes nearer to Ideal.",
		},
		listed("T1", "Time to plan", "§3.2", "Planning takes 31 to 397 seconds.", "The time of another program on another machine, which nothing here computes."),
		listed("T2", "The machine", "§4.1", "Two H100 NVL with four drives each.", "Settings and no results: they are the machine that all of these figures run on."),
		listed("T4", "ZeRO's settings", "Appendix B", "Stage 3, with pipelined reading and writing of optimizer states.", "Settings and no results: ZeRO runs with them in all of these figures, with the larger buffers for Llama3-70B."),
		listed(peaks, "Peak memory of the fifteen settings of Figure 7", "§4.2", "Training needs 1.9 to 12.4 times the memory that a GPU has.", "M, which the paper prints below the bars: what tensors of GPU 0 take at the worst if none is moved, of 80 GiB. It is computed from the graph alone."),
		bars(llama8, "Both TERAIO are near Ideal; ZeRO-Offload has 65.9 % of it, ZeRO-Infinity slightly less.", "At 12 GB/s in collectives instead of the fitted 6 ZeRO would be much nearer to Ideal: the figure of readings has it for Granite."),
		bars(granite, "TERAIO-Mixed is near Ideal, TERAIO-SSD like ZeRO; ZeRO-Offload has 65.5 % of Ideal.", "If TERAIO-Mixed has 59.7 % of Ideal with Llama3-70B and nearly all with Llama3-8B, the mean of 80.7 % leaves 82 to 85 % for Granite: near Ideal is less than 95 % there, and here."),
		bars(llama70, "TERAIO-Mixed has 59.7 % of Ideal, 1.33 times what ZeRO-Infinity has; ZeRO-Offload cannot run it, ZeRO-Infinity only up to 3072 tokens.", "ZeRO-Infinity streams all weights once for each micro-batch, of one sequence here: with 2048 tokens in it it has some 42 % of Ideal, with 3072 some 65. The paper's second row begins with a peak of 942.10 % below batch 16, which is that of batch 32 in its first row: M of the row rises by the same 150.95 points twice if it begins with the 940.85 of batch 16, so that all of the row has batch 16 here."),
		{
			ID: "7", Title: "Throughput, means over all settings", Section: "§4.2", Kind: study.Bars, Axes: study.Axes{Y: "of Ideal, %", Most: 100}, Marks: g.means(),
			Says:   "TERAIO-Mixed has 80.7 % of Ideal, and is 1.47 times as fast as ZeRO on average, at most 1.59 times.",
			Remark: "Each bar is the mean of five settings. All fifteen on five systems run for it, which takes most of a minute in a page. The means are over the fifteen settings, and those of speedups over all pairs of a setting and a ZeRO that runs it; the paper does not say over what it takes them.",
		},
		{
			ID: "8", Title: "Where time goes", Section: "§4.2", Kind: study.Stacks, Axes: study.Axes{Y: "% of Ideal's iteration"}, Marks: g.breakdown(), Panels: panels(broken),
			Colors: map[string]string{partNames[0]: "compute", partNames[1]: "part-2", partNames[2]: "part-4", partNames[3]: "stall"},
			Says:   "TERAIO-Mixed waits less for moves than ZeRO-Infinity, because it overlaps more of them.",
			Remark: "Mean of both GPUs. The paper has three parts, and its numbers are not public; the fourth here, what a GPU waits for the other one, it counts as computing. Which settings it shows it does not say: here the middle ones of each model's batches.",
		},
		{
			ID: "9", Title: "Throughput over drives and host memory", Section: "§4.4", Kind: study.Lines, Marks: g.drives(),
			Axes:   study.Axes{X: "host memory for tensors, GiB", Y: "tokens/s", LogX: true},
			Says:   "More drives and more host memory make it faster; two drives and 64 GB are enough for Llama3-8B, and with two and 512 GB Llama3-70B keeps 73.1 %.",
			Remark: "TERAIO-Mixed as published. Two drives move 13 GB/s each way, by their data sheet. Which batches the paper has it does not say: here 32 of Llama3-8B and 16 of Llama3-70B. ZeRO-Infinity has all of host memory whatever the axis says, and four drives. With the fitted 3 GB/s to host memory its size hardly matters for Llama3-70B, which is not as published. With arrays of 12 GB/s and a path of 8, another reading (figure rate), it has with 1 TiB 1.16 times what it has with 128 GiB.",
		},
		{
			ID: "10", Title: "Rates of moves over an iteration", Section: "Appendix C", Kind: study.Curves, Marks: nothing, Panels: panels(broken[1:]),
			Axes:   study.Axes{X: "% of the iteration", Y: "GB/s"},
			Colors: map[string]string{"to the GPU": "part-1", "from the GPU": "part-3"},
			Says:   "Moves of GPU 0 use more than 16 GB/s, both ways together, for 64 % of the time with Granite and 82.3 % with Llama3-70B.",
			Remark: "TERAIO-Mixed, GPU 0, drives and host memory together, in 512 pieces of the iteration. The paper's axis counts kernels.",
		},
		{
			ID: tiers, Title: "Where tensors are over an iteration", Section: "Appendix C", Kind: study.Curves, Marks: nothing, Panels: panels(broken[1:]),
			Axes:   study.Axes{X: "% of the iteration", Y: "GB"},
			Colors: map[string]string{"on the GPU": "part-1", "in host memory": "part-2", "on drives": "part-3"},
			Says:   "Most tensors are on drives at any time.",
			Remark: "TERAIO-Mixed, GPU 0. The first panel of the paper's Figure 10, whose numbers are not public.",
		},
		{
			ID: "11", Title: "Traffic of host memory without GPUDirect Storage", Section: "Appendix C", Kind: study.Lines, Marks: g.bounces(),
			Axes:   study.Axes{X: "drives for each GPU", Y: "GB/s", FromZero: true},
			Says:   "Without GDS host memory carries over 100 GB/s with two GPUs and four drives each, and more with every drive; with it 97.4 % less.",
			Remark: "TERAIO-SSD with Llama3-70B, batch 8, in the busiest of 512 pieces of the iteration, with two GPUs: all that drives move crosses host memory twice. Which model the paper runs it does not say. An array moves 16 GB/s each way at most, which three drives reach, so that the fourth adds nothing; the paper's curve rises. What it measures of processors is not computed.",
		},
		listed("T3", "Cost", "§4.3", "TERAIO-SSD costs 5.88 times less than 16 H100, TERAIO-Mixed 5.41 times.", "Prices are inputs: what is compared is the arithmetic. Cost efficiency, which needs all settings, is with the means."),
		listed(hosts, "Host memory that is used", "§4.4", "ZeRO-Infinity needs 170 GB of host memory for Llama3-8B and 770 GB for Llama3-70B.", "The most at once. TERAIO-Mixed may use as much."),
		{
			ID: readings, Title: "What the paper leaves open", Section: "ours", Kind: study.Bars, Axes: study.Axes{Y: "of Ideal, %", Most: 100}, Marks: g.alternatives(),
			Colors: readingColors(), Panels: readingPanels(),
			Says:   "Which reading of what the paper leaves open would explain what is missed.",
			Remark: "Granite with a batch of 32 sequences of 4096 tokens, and Llama3-70B with 8 of 2048; published are means over five settings. In all figures arrays move 16 GB/s each way, TERAIO copies 3 GB/s to host memory and ZeRO, whose memory is pinned, 50.4, and collectives have 6. Readings change that alone which they name: drives by halves, where a drive that reads and writes at once has half of each rate, 13 GB/s for four; arrays of 12 and a path of 8 together; 16 and a path of 8; one path for TERAIO and ZeRO, of 3 or of 50.4; collectives with 12; a plan for a longer iteration, in which it fits; a weight that did not change is not written again. That TERAIO-Mixed has less than twice the speed of ZeRO-Infinity with Llama3-70B rests on its slower path; what ZeRO-Offload loses with Granite is half the rate of collectives. A bar is as in all figures where a reading does not concern the system.",
		},
		{
			ID: slowed, Title: "The text's numbers under other rates", Section: "ours", Kind: study.Table,
			Says:   "An array of four drives moves about 16 GB/s.",
			Remark: "Numbers of Figure 7 again. In all other figures arrays move the 16 GB/s each way that the text states, and the path to host memory, 3 GB/s, is fitted to the 59.7 %. First reading: arrays move 12 GB/s each way and the path has 8, which gives the same 59.7 %; then TERAIO-SSD with Granite is like ZeRO, as the text says, and TERAIO-Mixed as much faster than ZeRO-Infinity as published; but TERAIO-SSD with Llama3-70B is slower than ZeRO-Infinity, two drives keep 60 % for 73.1, and without GDS host memory carries 96 GB/s at most (two crossings, two directions, two GPUs) for over 100. Second: arrays of 16 and a path of 5, at which the speedup over ZeRO-Infinity is within a tenth of 1.33 and TERAIO-Mixed within six points of 59.7 %, at the upper end.",
		},
		{
			ID: asRun, Title: "The text's numbers on the machine as it was run", Section: "ours", Kind: study.Table,
			Says:   "An array of four drives moves about 16 GB/s.",
			Remark: "Numbers and statements again, with three facts taken together that the text leaves open, and that look refuted one by one (figure steps). About 16 GB/s is what eight lanes of PCIe 4.0 are called: 15.75, of which copies reach four fifths, 12.6 GB/s each way; nothing is fitted to it. A drive that reads and writes at once has 70 % of each rate: fitted to what two drives keep. The path to host memory has 7.25 GB/s: fitted to TERAIO-Mixed's 59.7 %. GPT2-40B has four GPUs, two stages of two: the preprint's Figure 1(b) shows its GPU 3 in stage 1. All else is held out. With micro-batches of two Llama3-70B's program is as much smaller than the paper's as Llama3-8B's is, but the legend of Figure 2 asks for micro-batches of one.",
		},
		{
			ID: stepped, Title: "What each fact of the machine as it was run changes", Section: "ours", Kind: study.Bars, Axes: study.Axes{Y: "of Ideal, %", Most: 100}, Marks: g.stepMarks(),
			Colors: stepColors(), Panels: stepPanels(),
			Says:   "An array of four drives moves about 16 GB/s.",
			Remark: "Granite with a batch of 32 sequences of 4096 tokens, and Llama3-70B with 8 of 2048. Each bar has what those before it have, too.",
		},
		listed(others, "ZeRO, as others published it", "ours", "Weights that stream from drives decide how fast Llama3-70B generates; 13 billion parameters fit a GPU of 32 GB with ZeRO-Offload.", "Numbers of other publications that the same model gives: DeepNVMe's token rates (DeepSpeed, 2025), the largest model of ZeRO-Offload on one V100 (ATC 2021) and the step of ZeRO-Offload in ZenFlow's report (DeepSpeed, 2025)."),
	}
	for i := range list {
		f := &list[i]
		for _, text := range []string{held[f.ID], missed(f.ID, g.list)} {
			if text != "" {
				f.Remark += " " + text
			}
		}
	}
	return list
}

// isFitted reports whether something was fitted to a point. Of Figure 2 and of the peaks it was
// to single values, which count here with those beside them; see held.
func isFitted(x *study.Point) bool {
	switch x.Figure {
	case "2", peaks, "T3":
		return true
	case asRun:
		return strings.HasSuffix(x.At, fittedTo)
	case byLlama:
		return x.System == zeroHost
	case byLarge:
		return x.System == mixed && x.Quantity == share
	case "7": // the mean of three, one of which is fitted
		return x.Quantity == share
	}
	return false
}

// held says of figures what is fitted to their numbers and what is not.
var held = map[string]string{
	"1":     "Nothing is fitted to it.",
	"2":     "Fitted: micro-batches, to the largest share of each legend. Held out: the other shares.",
	"3":     "Nothing is fitted to it.",
	peaks:   "Fitted: micro-batches and what a layer keeps, to one peak of each model. Held out: the other twelve, how M grows with batch and sequence.",
	byLlama: "Fitted: the rate of collectives, to ZeRO-Offload's 65.9 %; the efficiency of matrix products, to the axis. Held out: the other systems.",
	byGran:  "Nothing is fitted to it but micro-batches, to a peak.",
	byLarge: "Fitted: the path to host memory, to TERAIO-Mixed's 59.7 %. Held out: ZeRO-Infinity's 43.0 %, the 1.33, and who cannot run.",
	"7":     "Held out, but that the mean of 80.7 % has the fitted 59.7 % as a third.",
	"8":     "Nothing is fitted to it.",
	"9":     "Nothing is fitted to it.",
	"10":    "Nothing is fitted to it.",
	"11":    "Nothing is fitted to it.",
	"T3":    "Prices of the parts are fitted to this table's.",
	hosts:   "Nothing is fitted to it.",
	others:  "Nothing is fitted to these.",
	asRun:   "Fitted: two of the three facts, to one number each, which say so. Held out: all else.",
}

// missed says which numbers of a figure are not reached, by what is recorded.
func missed(figure string, points []study.Point) string {
	var list []string
	compared, most := 0, 0.0
	for i := range points {
		x := &points[i]
		if x.Figure != figure || x.NotComputed != "" || x.Duplicate {
			continue
		}
		compared++
		for key, ours := range recorded() {
			if key != [5]string{x.Figure, x.System, x.Of, x.At, x.Quantity} {
				continue
			}
			off := "does not run"
			if v, err := strconv.ParseFloat(ours, 64); err == nil {
				d := 100 * (v/x.Value - 1)
				most = max(most, math.Abs(d))
				off = fmt.Sprintf("%s for %s, %+.0f %%", strconv.FormatFloat(v, 'f', -1, 64), strconv.FormatFloat(x.Value, 'f', -1, 64), d)
			}
			list = append(list, fmt.Sprintf("%s (%s)", strings.TrimPrefix(titles[x.System]+", ", ", ")+strings.TrimSuffix(x.Of+", "+x.At, ", "), off))
		}
	}
	switch {
	case compared == 0:
		return ""
	case len(list) == 0:
		return "Missed: none that is compared."
	case len(list) > 4:
		return fmt.Sprintf("Missed: %d of %d, by up to %.0f %%.", len(list), compared, most)
	}
	return "Missed: " + strings.Join(list, "; ") + "."
}

// recorded are the gaps of gaps.csv.
func recorded() study.Gaps { return study.ReadGaps(study.Records("gaps.csv", gaps)) }

func nothing(study.Look) []study.Mark { return nil }

// classColors are those of the classes of Figure 2, by place.
func classColors() map[string]string {
	colors := map[string]string{}
	for _, list := range legends {
		for i := range list {
			colors[list[i].name] = fmt.Sprintf("part-%d", 1+i)
		}
	}
	return colors
}

func readingColors() map[string]string {
	colors := map[string]string{}
	colors[alternatives[0].name] = "cause-6"
	for i := 1; i < len(alternatives); i++ {
		colors[alternatives[i].name] = fmt.Sprintf("part-%d", i-1) // of which there are eight
	}
	return colors
}

// ratio is the mark of one probe over another, times a scale, if both are known.
func ratio(m study.Mark, a, b *study.Point, scale float64, look study.Look) study.Mark {
	x, fits, known := look(a)
	y, also, there := look(b)
	if m.Fits, m.Known = fits && also && y != 0, known && there; m.Fits {
		m.Y = scale * x / y
	}
	return m
}

// plain is the mark of a probe.
func plain(m study.Mark, p *study.Point, look study.Look) study.Mark {
	if m.Y, m.Fits, m.Known = look(p); !m.Known || !m.Fits {
		m.Y = 0
	}
	return m
}

// bars draws one model of Figure 7: a panel a setting, a bar a system. What is published is
// which do not run.
func (g *grid) bars(model string) func(study.Look) []study.Mark {
	return func(look study.Look) (marks []study.Mark) {
		for _, s := range settingsOf(model) {
			for _, system := range systems {
				m := study.Mark{Panel: s.at(), Series: titles[system], System: system}
				p := g.find(figureOf[model], speed, system, s.as(system))
				for i := range g.list {
					if x := &g.list[i]; x.Figure == figureOf[model] && x.System == system && x.Set == p.Set {
						p = x
					}
				}
				marks = append(marks, plain(m, p, look))
			}
		}
		return marks
	}
}

// means draws the mean of a model's five settings, a bar a system.
func (g *grid) means() func(study.Look) []study.Mark {
	return func(look study.Look) (marks []study.Mark) {
		for _, model := range []string{llama8, granite, llama70} {
			for _, system := range systems[1:] {
				f := &finder{g, look, "7", true}
				any := false
				v := average(settingsOf(model), func(s *setting) float64 {
					x, fits := f.value(speed, system, s.as(system))
					if !fits {
						return nan
					}
					any = true
					return 100 * x / f.must(speed, ideal, s.as(ideal))
				})
				m := study.Mark{Panel: called[model], Series: titles[system], System: system, Known: f.known, Fits: f.known && any}
				if m.Fits && !math.IsNaN(v) {
					m.Y = v
				}
				marks = append(marks, m)
			}
		}
		return marks
	}
}

// partNames are those of the parts of Figure 8.
var partNames = []string{"kernels alone", "kernels beside moves", "waits for the other GPU", "stalled by moves"}

// breakdown draws Figure 8: parts in percent of Ideal's iteration.
func (g *grid) breakdown() func(study.Look) []study.Mark {
	return func(look study.Look) (marks []study.Mark) {
		for i := range broken {
			s := &broken[i]
			for _, system := range systems {
				for k, q := range parts {
					m := study.Mark{Panel: called[s.model], Series: titles[system], System: system, Part: partNames[k]}
					marks = append(marks, ratio(m, g.find("8", q, system, s.as(system)), g.find("8", iteration, ideal, s.as(ideal)), 100, look))
				}
			}
		}
		return marks
	}
}

// roofline draws Figure 3.
func (g *grid) roofline() func(study.Look) []study.Mark {
	return func(look study.Look) (marks []study.Mark) {
		for i := range roofed {
			s := &roofed[i]
			for _, rate := range rates {
				m := study.Mark{Panel: "TERAIO-SSD", Series: called[s.model], X: float64(rate)}
				marks = append(marks, ratio(m, g.find("3", speed, ssd, s.as(ssd, rated(rate)...)), g.find("3", speed, ideal, s.as(ideal)), 100, look))
			}
		}
		return marks
	}
}

// drives draws Figure 9.
func (g *grid) drives() func(study.Look) []study.Mark {
	return func(look study.Look) (marks []study.Mark) {
		for i := range sweeps {
			s := &sweeps[i]
			for _, drives := range driveCount {
				for _, host := range s.hosts {
					m := study.Mark{Panel: called[s.model], Series: fmt.Sprintf("%d drives", drives), X: float64(host)}
					marks = append(marks, plain(m, g.find("9", speed, mixed, s.as(mixed, drivesOf(drives, host)...)), look))
				}
			}
			for _, host := range s.hosts {
				m := study.Mark{Panel: called[s.model], Series: titles[infinity], System: infinity, X: float64(host)}
				marks = append(marks, plain(m, g.find("9", speed, infinity, s.as(infinity)), look))
			}
		}
		return marks
	}
}

// bounces draws Figure 11.
func (g *grid) bounces() func(study.Look) []study.Mark {
	return func(look study.Look) (marks []study.Mark) {
		for _, drives := range bouncing {
			m := study.Mark{Panel: "host memory", Series: "without GDS", X: float64(drives)}
			marks = append(marks, plain(m, g.find("11", dramMost, ssd, hosted.as(ssd, bounced(drives)...)), look))
		}
		return append(marks, plain(study.Mark{Panel: "host memory", Series: "with GDS", X: 4}, g.find("11", dramMost, ssd, hosted.as(ssd)), look))
	}
}

// readingPanel is a panel of the readings.
func readingPanel(s *setting, system string) string { return called[s.model] + ", " + titles[system] }

func readingPanels() (list []string) {
	for i := range readOf {
		for _, system := range readOf[i].systems {
			list = append(list, readingPanel(&readOf[i].setting, system))
		}
	}
	return list
}

// alternatives draws the readings.
func (g *grid) alternatives() func(study.Look) []study.Mark {
	return func(look study.Look) (marks []study.Mark) {
		for i := range readOf {
			s := &readOf[i]
			for _, system := range s.systems {
				for k := range alternatives {
					a := &alternatives[k]
					m := study.Mark{Panel: readingPanel(&s.setting, system), Series: a.name}
					marks = append(marks, ratio(m, g.find(readings, speed, system, a.under(&s.setting, system)), g.find(readings, speed, ideal, s.as(ideal)), 100, look))
				}
			}
		}
		return marks
	}
}
