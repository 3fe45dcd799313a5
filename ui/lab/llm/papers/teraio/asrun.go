package teraio

import (
	"fmt"
	"slices"

	"spillway/sim/machine"
	"spillway/sim/study"
	"spillway/sim/unit"
)

// The machine as it was run (figures run and steps): three facts about it that the text leaves open, taken together,
// because each by itself looks refuted.
//
//   - The "approximately 16 GB/s" of an array are what eight lanes of PCIe 4.0 are called, 15.75 GB/s; of a link
//     copies reach four fifths, as everywhere here: 12.6 GB/s. Nothing is fitted to it.
//   - A drive that reads and writes at once reaches 70 % of each of its rates. Fitted to Figure 9's two drives
//     (73.1 % of what four have): 65 % gives 71, 70 % gives 75, 75 % gives 80.
//   - TERAIO's path to host memory has 7.25 GB/s: fitted, as the 3 GB/s of the other figures are, to TERAIO-Mixed's
//     59.7 % with Llama3-70B, after the other two.
//
// Besides, GPT2-40B has four GPUs, two stages of two: Figure 1(b) of the preprint (arXiv 2506.06472v1) is of
// its GPU 3, stage 1. And Llama3-70B's program has micro-batches of two, as in Figure 7.
const (
	// The figures.
	asRun   = "run"
	stepped = "steps"
	// fourGPUs are those of GPT2-40B.
	fourGPUs = "gpus=4 tensor=2"
)

// ran is the machine as it was run, as settings.
var ran = settingsOfReading(machine.AsRun())

// settingsOfReading writes what a reading of the TERAIO machine sets.
func settingsOfReading(r machine.Reading) []string {
	gbps := func(b unit.Bandwidth) string { return fmt.Sprintf("%g", float64(b)/float64(unit.GBps)) }
	return []string{"array_cap=" + gbps(r.ArrayCap), fmt.Sprintf("array_share=%g", float64(r.ArrayShare)/10), "host_path=" + gbps(r.HostPath)}
}

// steps are what the reading is made of, each beside those before it, the first as in all other figures.
var steps = []struct {
	name    string
	differs []string
}{
	{"as in all figures", nil}, {"arrays 12.6", ran[:1]}, {"and drives 70 %", ran[:2]}, {"and path 7.25", ran},
}

// concerned reports whether a system's runs hang on the reading.
func concerned(system string) bool { return system == mixed || system == ssd || system == infinity }

// inRun is the setup of a system on the machine as it was run.
func (s *setting) inRun(system string, differs ...string) string {
	if concerned(system) {
		differs = append(slices.Clone(differs), ran...)
	}
	return s.as(system, differs...)
}

// ofFour is GPT2-40B, which has four GPUs there.
var ofFour = studied[1]

// cut is how a model's GPUs are.
func (s *setting) cut() []string {
	if s.model == gpt2 {
		return []string{fourGPUs}
	}
	return nil
}

// asItRan are the probes of both figures.
func (g *grid) asItRan() {
	for i := range settings {
		s := &settings[i]
		for _, system := range systems {
			g.probe(asRun, speed, system, s.inRun(system), called[s.model], s.at())
		}
		if s.at() == broken[1].at() && s.model == granite || s.at() == broken[2].at() && s.model == llama70 {
			g.probe(asRun, busy, mixed, s.inRun(mixed), called[s.model], s.at())
		}
	}
	large := &sweeps[1]
	for _, differs := range [][]string{drivesOf(2, 512), drivesOf(4, 128), drivesOf(4, 1024)} {
		g.probe(asRun, speed, mixed, large.inRun(mixed, differs...), called[llama70], "of Figure 9")
	}
	g.probe(asRun, dramMost, ssd, hosted.inRun(ssd, bounced(4)...), called[llama70], "4 drives, no GDS")
	for k, c := range legends[gpt2] {
		g.probe(asRun, fmt.Sprintf("%s%d", sizes, k), ideal, ofFour.set(fourGPUs), called[gpt2], c.name)
	}
	for i := range roofed {
		s := &roofed[i]
		g.probe(asRun, speed, ideal, s.as(ideal, s.cut()...), called[s.model], "")
		for _, rate := range []int{32, 48} {
			g.probe(asRun, speed, ssd, s.as(ssd, append(rated(rate), s.cut()...)...), called[s.model], fmt.Sprintf("%d GB/s", rate))
		}
	}
	for _, s := range programs {
		g.probe(asRun, kernels, ideal, s.set(), called[s.model], s.at())
	}
	for i := range readOf {
		s := &readOf[i]
		g.probe(stepped, speed, ideal, s.as(ideal), called[s.model], "")
		for k := range steps {
			for _, system := range s.systems {
				if concerned(system) {
					g.probe(stepped, speed, system, s.as(system, steps[k].differs...), called[s.model], steps[k].name)
				}
			}
		}
	}
}

// programs are two whose number of kernels is known from an axis, with micro-batches as in Figure 7.
var programs = []setting{studied[0], {llama70, 256, 2048, 2, 0}}

// shareInRun is the share of Ideal on the machine as it was run, NaN where a system cannot run.
func (f *finder) shareInRun(system string, s *setting) float64 {
	v, fits := f.value(speed, system, s.inRun(system))
	if !fits {
		return nan
	}
	return 100 * v / f.must(speed, ideal, s.as(ideal))
}

// gainInRun is how many times as fast TERAIO-Mixed is as another there, NaN where that cannot run.
func (f *finder) gainInRun(rival string, s *setting) float64 {
	v, fits := f.value(speed, rival, s.inRun(rival))
	own := f.must(speed, mixed, s.inRun(mixed))
	if !fits {
		return nan
	}
	return own / v
}

// Whether a number took part in fitting the reading.
const (
	heldOut  = ", held out"
	fittedTo = ", fitted"
)

// runNumbers are the paper's numbers on the machine as it was run.
func runNumbers() (list []stated) {
	add := func(quantity, system, of, at, unit, source string, value, limit float64, compute func(f *finder) float64) {
		list = append(list, stated{figure: asRun, quantity: quantity, system: system, of: of, at: at, unit: unit, source: source, value: value, limit: limit, again: true, compute: compute})
	}
	mean := func(system string, of []setting) func(f *finder) float64 {
		return func(f *finder) float64 {
			return average(of, func(s *setting) float64 { return f.shareInRun(system, s) })
		}
	}
	both := func(f *finder) (all []float64) {
		for i := range settings {
			all = append(all, f.gainInRun(zeroHost, &settings[i]), f.gainInRun(infinity, &settings[i]))
		}
		return all
	}
	large := &sweeps[1]
	add(share, mixed, called[llama70], "mean of five settings"+fittedTo, "%", section+"4.2", 59.7, sixMixed, mean(mixed, settingsOf(llama70)))
	add(share, mixed, called[llama70], "2 drives, 512 GB, of 4 and 1 TB"+fittedTo, "%", section+"4.4", 73.1, 0, func(f *finder) float64 {
		return 100 * f.must(speed, mixed, large.inRun(mixed, drivesOf(2, 512)...)) / f.must(speed, mixed, large.inRun(mixed, drivesOf(4, 1024)...))
	})
	add(share, ssd, called[granite], "like ZeRO-Offload"+heldOut, "%", section+"4.2", 65.5, 0.1, mean(ssd, settingsOf(granite)))
	add(share, infinity, called[llama70], "mean of those that it runs"+heldOut, "%", section+"4.2", 43.0, sixInfinity, mean(infinity, settingsOf(llama70)))
	add(speedup, mixed, called[llama70], "over ZeRO-Infinity"+heldOut, "×", section+"4.2", 1.33, 0, func(f *finder) float64 {
		return average(settingsOf(llama70), func(s *setting) float64 { return f.gainInRun(infinity, s) })
	})
	add(share, mixed, "three models", "mean, a third of it fitted", "%", "abstract", 80.7, threePoints, mean(mixed, settings))
	add(speedup, mixed, "over both ZeRO", "mean"+heldOut, "×", "abstract", 1.47, 0, func(f *finder) float64 {
		return average(both(f), func(x *float64) float64 { return *x })
	})
	add(speedup, mixed, "over both ZeRO", "most"+heldOut, "×", section+"4.2", 1.59, 0, func(f *finder) float64 { return mostOf(both(f)...) })
	for i, x := range []float64{64, 82.3} {
		s := &broken[1+i]
		add(busy, mixed, called[s.model], "of the time"+heldOut, "%", "Appendix C", x, 0.2, func(f *finder) float64 { return f.must(busy, mixed, s.inRun(mixed)) })
	}
	for k, c := range legends[gpt2] {
		q := fmt.Sprintf("%s%d", sizes, k)
		add(q, ideal, called[gpt2], c.name+", four GPUs", "%", fig2, c.share, min(5/c.share, 0.5), func(f *finder) float64 { return f.must(q, ideal, ofFour.set(fourGPUs)) })
	}
	return list
}

// runClaims are the statements of the text on the machine as it was run. Nothing of them is fitted.
func runClaims(claim func(id, figure, section, text, stated, unit string, lo, hi float64, beside string, of func(f *finder) float64) study.Claim, count func(list []setting, holds func(s *setting) bool) float64) []study.Claim {
	const many = 1e9
	roof := func(f *finder, rate int) float64 {
		return least(roofed, func(s *setting) float64 {
			return 100 * f.must(speed, ssd, s.as(ssd, append(rated(rate), s.cut()...)...)) / f.must(speed, ideal, s.as(ideal, s.cut()...))
		})
	}
	large := &sweeps[1]
	return []study.Claim{
		claim("run-kernels", asRun, "§2.1", "One factor makes our kernels the paper's, of Llama3-8B and of Llama3-70B with micro-batches of two: that of the second is, of the first,", "100 %", "%", 95, 105, "", func(f *finder) float64 {
			return 100 * (250_000 / f.must(kernels, ideal, programs[1].set())) / (50_000 / f.must(kernels, ideal, programs[0].set()))
		}),
		claim("run-roof-48", asRun, "§2.2", "With 48 GB/s for each GPU all four models have, of Ideal, GPT2-40B on four GPUs, at least", "95 %", "%", near, 100.5, "", func(f *finder) float64 { return roof(f, 48) }),
		claim("run-roof-32", asRun, "§2.2", "With 32 GB/s for each GPU all four models have, of Ideal, GPT2-40B on four GPUs, at least", "90 %", "%", 90, 100.5, "", func(f *finder) float64 { return roof(f, 32) }),
		claim("run-ssd-70b", asRun, "§4.2", "TERAIO-SSD lies between ZeRO-Infinity and TERAIO-Mixed: settings of those that both run, out of 4", "all", "", 4, 4, "", func(f *finder) float64 {
			return count(settingsOf(llama70), func(s *setting) bool {
				low, fits := f.value(speed, infinity, s.inRun(infinity))
				v := f.must(speed, ssd, s.inRun(ssd))
				return fits && v >= low && v <= f.must(speed, mixed, s.inRun(mixed))
			})
		}),
		claim("run-similar", asRun, "§4.2", "TERAIO-SSD is as fast as ZeRO or faster: it has, of the throughput of the faster ZeRO, at least", "95 %", "%", near, many, "", func(f *finder) float64 {
			return 100 * least(settings, func(s *setting) float64 {
				v := nan
				for _, system := range []string{zeroHost, infinity} {
					if x, fits := f.value(speed, system, s.inRun(system)); fits && !(x <= v) {
						v = x
					}
				}
				return f.must(speed, ssd, s.inRun(ssd)) / v
			})
		}),
		claim("run-host", asRun, "§4.4", "More host memory makes Llama3-70B faster: with four drives it has with 1 TiB, of its throughput with 128 GiB, at least", "105 %", "%", 105, many, "", func(f *finder) float64 {
			return 100 * f.must(speed, mixed, large.inRun(mixed, drivesOf(4, 1024)...)) / f.must(speed, mixed, large.inRun(mixed, drivesOf(4, 128)...))
		}),
		claim("run-over-100", asRun, "Appendix C", "Without GDS two GPUs with four drives each load host memory, when busiest, by", "over 100 GB/s", "GB/s", 100, many, "", func(f *finder) float64 {
			return f.must(dramMost, ssd, hosted.inRun(ssd, bounced(4)...))
		}),
	}
}

// stepPanels are the panels of the figure of steps.
func stepPanels() (list []string) {
	for i := range readOf {
		for _, system := range readOf[i].systems {
			if concerned(system) {
				list = append(list, readingPanel(&readOf[i].setting, system))
			}
		}
	}
	return list
}

// stepMarks draws what each fact of the reading changes.
func (g *grid) stepMarks() func(study.Look) []study.Mark {
	return func(look study.Look) (marks []study.Mark) {
		for i := range readOf {
			s := &readOf[i]
			for _, system := range s.systems {
				if !concerned(system) {
					continue
				}
				for k := range steps {
					m := study.Mark{Panel: readingPanel(&s.setting, system), Series: steps[k].name}
					marks = append(marks, ratio(m, g.find(stepped, speed, system, s.as(system, steps[k].differs...)), g.find(stepped, speed, ideal, s.as(ideal)), 100, look))
				}
			}
		}
		return marks
	}
}

// stepColors are those of the steps.
func stepColors() map[string]string {
	colors := map[string]string{}
	for k := range steps {
		colors[steps[k].name] = fmt.Sprintf("part-%d", 1+k)
	}
	return colors
}
