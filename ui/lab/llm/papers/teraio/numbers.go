package teraio

import (
	"fmt"
	"slices"

	"spillway/sim/study"
)

// A stated is a number that the paper prints.
type stated struct {
	figure, quantity, system, of, at, unit, source string
	value, limit                                   float64
	note                                           string
	compute                                        func(f *finder) float64
	aside                                          string // why nothing here computes it
	again                                          bool   // another point has it too
}

// Sources of numbers.
const (
	fig1    = "Figure 1, the end of the axis"
	fig2    = "Figure 2, legend"
	fig7    = "Figure 7, below the bars"
	table1  = "Table 1"
	table2  = "Table 2"
	table3  = "Table 3"
	section = "§"
)

// Bands of Figure 7, in points of Ideal's throughput, as relative differences: what one model of
// the machine can say of measured times. Those of ZeRO with 8 billion parameters are 2 points, of
// Llama3-70B 6, of the mean of TERAIO-Mixed 3.
const (
	twoPoints   = 2 / 65.5
	sixInfinity = 6 / 43.0
	sixMixed    = 6 / 59.7
	threePoints = 3 / 80.7
)

// Why published numbers are doubted.
const (
	doubtful  = study.Doubtful
	not430    = doubtful + "59.7 % over 1.33 is 44.9 %, and the text says 43.0 %: means of shares and of speedups differ, or other settings are in them"
	not133    = doubtful + "59.7 % over 43.0 % is 1.39, and the text says 1.33"
	not588    = doubtful + "prices of Table 3 give 5.84 for TERAIO-SSD, and the text says 5.88; those of TERAIO-Mixed give the 5.41"
	notOf     = doubtful + "§2.1 says of the GPU's capacity, the abstract of the allocated and §1 of the requested memory"
	axisEnd   = doubtful + "read from the end of an axis"
	notShares = doubtful + "the text does not say of what the legend's shares are: of tensors, of their periods or of bytes"
)

// publish adds the points, in the order of the figures.
func (g *grid) publish() {
	for i := range settings {
		s := &settings[i]
		g.list = append(g.list, study.Point{
			Figure: peaks, Quantity: peak, System: ideal, Set: s.as(ideal), Of: called[s.model], At: s.at(), Fits: true, Value: s.peak, Unit: "%", Limit: 0.02,
		})
	}
	for i := range settings {
		s := &settings[i]
		for _, system := range []string{zeroHost, infinity} {
			if s.model == llama70 && (system == zeroHost || s.sequence > 3072) {
				g.list = append(g.list, study.Point{Figure: byLarge, Quantity: speed, System: system, Set: s.as(system), Of: called[s.model], At: s.at(), Unit: "tokens/s"})
			}
		}
	}
	for _, x := range numbers() {
		p := study.Point{
			Figure: x.figure, Quantity: x.quantity, System: x.system, Of: x.of, At: x.at, Fits: true, Value: x.value, Unit: x.unit, Limit: x.limit,
			Note: x.note, Source: x.source, NotComputed: x.aside, Duplicate: x.again,
		}
		if x.aside == "" {
			p.Derived = g.made(x.figure, x.compute)
		}
		g.list = append(g.list, p)
	}
	order := map[string]int{}
	for i, f := range figures(g) {
		order[f.ID] = i
	}
	slices.SortStableFunc(g.list, func(a, b study.Point) int { return order[a.Figure] - order[b.Figure] })
}

// numbers are those of the text, the tables and the legends.
func numbers() (list []stated) {
	add := func(x stated) { list = append(list, x) }
	aside := func(figure, quantity, of, at, unit, source string, value float64, why string) {
		add(stated{figure: figure, quantity: quantity, of: of, at: at, unit: unit, source: source, value: value, aside: why})
	}

	// §2.
	add(stated{
		figure: "1", quantity: activeMean, system: ideal, of: "four models", at: "mean", unit: "%", source: section + "2.1", value: 1.7, limit: 0.5, note: notOf,
		compute: func(f *finder) float64 {
			return average(studied, func(s *setting) float64 { return f.must(activeMean, ideal, s.set()) })
		},
	})
	add(stated{
		figure: "1", quantity: activeMean, system: ideal, of: "three models of Figure 7", at: "mean", unit: "%", source: section + "2.1", value: 1.7, limit: 0.5, note: notOf, again: true,
		compute: func(f *finder) float64 {
			return average(broken, func(s *setting) float64 { return f.must(activeMean, ideal, s.set()) })
		},
	})
	for i, ends := range []float64{50_000, 20_000, 250_000, 60_000} {
		s := &studied[i]
		add(stated{
			figure: "1", quantity: kernels, system: ideal, of: called[s.model], at: s.at(), source: fig1, value: ends, limit: 0.25, note: axisEnd,
			compute: func(f *finder) float64 { return f.must(kernels, ideal, s.set()) },
		})
	}
	for i := range studied {
		s := &studied[i]
		for k, c := range legends[s.model] {
			q := fmt.Sprintf("%s%d", sizes, k)
			add(stated{
				figure: "2", quantity: q, system: ideal, of: called[s.model], at: c.name, unit: "%", source: fig2, value: c.share, limit: min(5/c.share, 0.5), note: notShares,
				compute: func(f *finder) float64 { return f.must(q, ideal, s.set()) },
			})
		}
	}

	const other = "BERT-Large is not among the models here"
	aside("2", "above100", "BERT-Large", "", "%", section+"2.1", 48, other)
	aside("2", "shorter", "BERT-Large", "tensors > 100 MB, more than", "%", section+"2.1", 60, other)
	const needed = "Figure 3 again, of another machine: what the two statements beside the figure test"
	aside("3", "needed", "8 GPUs", "each way, at least", "GB/s", section+"3.3", 32, needed)
	aside("3", "needed", "8 GPUs", "each way, at most", "GB/s", section+"3.3", 48, needed)

	// §3.2, §4.1: facts and settings.
	const planner = "a fact: the time of their planner, a different program, on their machine; what ours takes is in the benchmarks"
	for i, s := range []float64{31.2, 37.9, 396.6} {
		aside("T1", planTime, called[[]string{llama8, granite, llama70}[i]], "", "s", table1, s, planner)
	}
	const input = "a setting of the machine, and no result"
	aside("T2", "gpus", "H100 NVL", "", "", table2, 2, input)
	aside("T2", "gpu_memory", "H100 NVL", "", "GB", table2, 94, "of it 80 GiB are for tensors here: the peaks of Figure 7 rise by exactly 4 bytes of each hidden element a token over that")
	aside("T2", "host_memory", "24 × 64 GB", "", "TB", table2, 1.5, input)
	aside("T2", "drives", "990 PRO 2 TB", "", "", table2, 8, input)
	aside("T2", "drive_read", "990 PRO 2 TB", "", "GB/s", table2, 6.7, input)
	aside("T2", "drive_write", "990 PRO 2 TB", "", "GB/s", table2, 6.5, input)
	aside("T2", "array", "four drives", "", "GB/s", section+"4.1", 16, "a setting: it is less than what four drives do, each way")
	aside("T2", "batches", "smallest", "", "", section+"4.1", 16, doubtful+"Figure 7 has batch 8 of Llama3-70B")
	aside("T2", "batches", "largest", "", "", section+"4.1", 128, input)
	aside("T2", "sequences", "shortest", "", "", section+"4.1", 1024, input)
	aside("T2", "sequences", "longest", "", "", section+"4.1", 8192, input)
	for _, x := range []struct {
		of    string
		value float64
		unit  string
		why   string
	}{
		{"stage", 3, "", input},
		{"buffers of optimizer states", 4, "", input},
		{"buffers of parameters", 18, "", input},
		{"size of a buffer of parameters, smaller models", 300, "M elements", input},
		{"size of a buffer of parameters, larger models", 540, "M elements", input + ": the text says 300/540 M, and not of which models"},
		{"not cut below", 100, "K elements", "such tensors are a thousandth of any model, and are cut like all here"},
	} {
		aside("T4", "option", x.of, "", x.unit, "Table 4", x.value, x.why)
	}

	// Figure 7.
	of := map[string]string{llama8: byLlama, granite: byGran, llama70: byLarge}
	shareOf := func(model, system string, value, limit float64, note string) {
		list := settingsOf(model)
		add(stated{
			figure: of[model], quantity: share, system: system, of: called[model], at: "mean of five settings", unit: "%", source: section + "4.2", value: value, limit: limit, note: note,
			compute: func(f *finder) float64 {
				return average(list, func(s *setting) float64 {
					if v, fits := f.value(speed, system, s.as(system)); fits {
						return 100 * v / f.must(speed, ideal, s.as(ideal))
					}
					return nan
				})
			},
		})
	}
	shareOf(llama8, zeroHost, 65.9, twoPoints, "")
	aside(byLlama, "micro_gain", called[llama8], "", "%", section+"4.2", 9, "a matrix product here is as efficient with a small micro-batch as with a large one, and a pipeline waits less")
	shareOf(granite, zeroHost, 65.5, twoPoints, "")
	shareOf(llama70, mixed, 59.7, sixMixed, "")
	shareOf(llama70, infinity, 43.0, sixInfinity, not430)
	add(stated{
		figure: byLarge, quantity: speedup, system: mixed, of: called[llama70], at: "over ZeRO-Infinity", unit: "×", source: section + "4.2", value: 1.33, note: not133,
		compute: func(f *finder) float64 {
			return average(settingsOf(llama70), func(s *setting) float64 { return f.gain(infinity, s) })
		},
	})
	add(stated{
		figure: byGran, quantity: share, system: ssd, of: called[granite], at: "like ZeRO-Offload", unit: "%", source: section + "4.2", value: 65.5, limit: 0.1,
		note: "the text says similar to ZeRO, and no number",
		compute: func(f *finder) float64 {
			return average(settingsOf(granite), func(s *setting) float64 { return f.share(ssd, s) })
		},
	})
	add(stated{
		figure: "7", quantity: share, system: mixed, of: "three models", at: "mean", unit: "%", source: "abstract", value: 80.7, limit: threePoints,
		compute: func(f *finder) float64 {
			return average(settings, func(s *setting) float64 { return f.share(mixed, s) })
		},
	})
	add(stated{
		figure: "7", quantity: speedup, system: mixed, of: "over both ZeRO", at: "mean", unit: "×", source: "abstract", value: 1.47,
		compute: func(f *finder) float64 { return f.meanGain() },
	})
	add(stated{
		figure: "7", quantity: speedup, system: mixed, of: "over both ZeRO", at: "most", unit: "×", source: section + "4.2", value: 1.59,
		compute: func(f *finder) float64 {
			return most(settings, func(s *setting) float64 { return mostOf(f.gain(zeroHost, s), f.gain(infinity, s)) })
		},
	})

	// Figure 9.
	large := &sweeps[1]
	add(stated{
		figure: "9", quantity: share, system: mixed, of: called[llama70], at: "2 drives, 512 GB, of 4 and 1 TB", unit: "%", source: section + "4.4", value: 73.1,
		compute: func(f *finder) float64 {
			return 100 * f.must(speed, mixed, large.as(mixed, drivesOf(2, 512)...)) / f.must(speed, mixed, large.as(mixed, drivesOf(4, 1024)...))
		},
	})

	// Figures 10 and 11 (Appendix C).
	for i, x := range []float64{64, 82.3} {
		s := &broken[1+i]
		add(stated{
			figure: "10", quantity: busy, system: mixed, of: called[s.model], at: "of the time", unit: "%", source: "Appendix C", value: x, limit: 0.2, note: "the text says for more than that",
			compute: func(f *finder) float64 { return f.must(busy, mixed, s.as(mixed)) },
		})
	}
	aside("11", "spared", "2 GPUs, 4 drives each", "with GDS", "%", "Appendix C", 97.4, "with GDS nothing of what drives move goes through host memory here, whatever the rates are: always 100 %")
	const noCPU = "what the host's processors do for moves is not in the model"
	aside("11", hostCPU, "2 GPUs, 4 drives each", "without GDS", "cores", "Appendix C", 3, noCPU)
	aside("11", hostCPU, "2 GPUs, 4 drives each", "less with GDS", "%", "Appendix C", 12.3, noCPU)

	// Table 3 (§4.3).
	for _, x := range []struct {
		of    string
		value float64
		why   string
	}{
		{"server, 2 H100, 128 GB", serverSmall, "an input: what the machine costs besides its parts, and its memory, are from this and the next"},
		{"server, 2 H100, 1 TB", serverLarge, "an input"},
		{"two servers, 8 H100 each", serversPure, "an input: what is compared with"},
		{"8 drives", 1360, "an input"},
	} {
		aside("T3", price, x.of, "", "$", table3, x.value, x.why)
	}
	aside("T3", "per_gb", "drives", "", "$", "Appendix D", 0.2, "prices are inputs, and are Table 3's; "+doubtful+"its eight drives are $0.085 a gigabyte")
	aside("T3", "per_gb", "host memory", "", "$", "Appendix D", 4, "prices are inputs, and are Table 3's; "+doubtful+"its two servers differ by $7.70 a gigabyte")
	smaller := &settings[10]
	add(stated{
		figure: "T3", quantity: saving, system: ssd, of: called[llama70], at: "of 16 H100", unit: "×", source: section + "4.3", value: 5.88, limit: 0.02, note: not588,
		compute: func(f *finder) float64 {
			return serversPure / f.must(price, ssd, smaller.as(ssd, "host_memory=128"))
		},
	})
	add(stated{
		figure: "T3", quantity: saving, system: mixed, of: called[llama70], at: "of 16 H100", unit: "×", source: section + "4.3", value: 5.41, limit: 0.02,
		compute: func(f *finder) float64 {
			return serversPure / f.must(price, mixed, smaller.as(mixed, "host_memory=1024"))
		},
	})
	// Both TERAIO-Mixed and ZeRO-Infinity have a server of 1 TB and eight drives, ZeRO-Offload has
	// the server alone.
	add(stated{
		figure: "7", quantity: efficiency, system: mixed, of: "over ZeRO-Offload", at: "mean", unit: "×", source: "abstract, " + section + "4.3", value: 1.45, note: "as the paper has it: the mean speedup over both ZeRO, times the ratio of prices",
		compute: func(f *finder) float64 { return f.meanGain() * serverLarge / (serverLarge + 1360) },
	})
	add(stated{
		figure: "7", quantity: efficiency, system: mixed, of: "over ZeRO-Infinity", at: "mean", unit: "×", source: section + "4.3", value: 1.47, again: true, note: "the mean speedup over both ZeRO, as machines cost the same",
		compute: func(f *finder) float64 { return f.meanGain() },
	})

	// §4.4.
	for i, x := range []float64{170, 770} {
		s := &broken[2*i]
		add(stated{
			figure: hosts, quantity: hostPeak, system: infinity, of: called[s.model], at: "", unit: "GB", source: section + "4.4", value: x, limit: 0.2,
			compute: func(f *finder) float64 { return f.must(hostPeak, infinity, s.as(infinity)) },
		})
	}
	list = append(list, again()...)
	list = append(list, runNumbers()...)
	return append(list, zeroNumbers()...)
}

// again are numbers of Figure 7 under other readings of the rates.
func again() (list []stated) {
	large := settingsOf(llama70)
	for i := range otherRates {
		x := &otherRates[i]
		add := func(quantity, system, at, unit string, value, limit float64, of func(f *finder, s *setting) float64) {
			list = append(list, stated{
				figure: slowed, quantity: quantity, system: system, of: called[llama70], at: at + ", " + x.name, unit: unit, source: section + "4.2", value: value, limit: limit, again: true,
				compute: func(f *finder) float64 { return average(large, func(s *setting) float64 { return of(f, s) }) },
			})
		}
		shareOf := func(f *finder, system string, s *setting, differs []string) float64 {
			v, fits := f.value(speed, system, s.as(system, differs...))
			if !fits {
				return nan
			}
			return 100 * v / f.must(speed, ideal, s.as(ideal))
		}
		add(share, mixed, "mean of five settings", "%", 59.7, sixMixed, func(f *finder, s *setting) float64 { return shareOf(f, mixed, s, x.differs) })
		add(share, infinity, "mean of those that it runs", "%", 43.0, sixInfinity, func(f *finder, s *setting) float64 { return shareOf(f, infinity, s, x.rival) })
		add(speedup, mixed, "over ZeRO-Infinity", "×", 1.33, 0, func(f *finder, s *setting) float64 {
			return shareOf(f, mixed, s, x.differs) / shareOf(f, infinity, s, x.rival)
		})
	}
	return append(list, stated{
		figure: slowed, quantity: share, system: ssd, of: called[granite], at: "like ZeRO-Offload, " + otherRates[0].name, unit: "%", source: section + "4.2", value: 65.5, limit: 0.1, again: true,
		compute: func(f *finder) float64 {
			return average(settingsOf(granite), func(s *setting) float64 {
				return 100 * f.must(speed, ssd, s.as(ssd, slower...)) / f.must(speed, ideal, s.as(ideal))
			})
		},
	}, stated{
		figure: slowed, quantity: share, system: mixed, of: called[llama70], at: "2 drives, 512 GB, of 4 and 1 TB, " + otherRates[0].name, unit: "%", source: section + "4.4", value: 73.1, again: true,
		compute: func(f *finder) float64 {
			s := &sweeps[1]
			with := func(drives, host int) float64 {
				return f.must(speed, mixed, s.as(mixed, append(drivesOf(drives, host), slower...)...))
			}
			return 100 * with(2, 512) / with(4, 1024)
		},
	})
}

// Prices of Table 3, in US dollars.
const (
	serverSmall = 84_139.9
	serverLarge = 91_047.9
	serversPure = 499_591.4
)

// meanGain is the mean of how many times as fast TERAIO-Mixed is as the ZeRO that run, over all
// settings.
func (f *finder) meanGain() float64 {
	var all []float64
	for i := range settings {
		all = append(all, f.gain(zeroHost, &settings[i]), f.gain(infinity, &settings[i]))
	}
	return average(all, func(x *float64) float64 { return *x })
}
