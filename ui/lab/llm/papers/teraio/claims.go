package teraio

import (
	"math"
	"slices"

	"spillway/sim/study"
)

// near is what counts as near Ideal, in percent of its throughput: the text says near-ideal
// and no number.
const near = 95

// claims are the statements of the text without a number of their own, and its bounds.
// Where the text has no number the bound is ours.
func claims(g *grid) []study.Claim {
	const many = 1e9
	claim := func(id, figure, section, text, stated, unit string, lo, hi float64, beside string, of func(f *finder) float64) study.Claim {
		made := g.made(figure, of)
		return study.Claim{
			ID: id, Figure: figure, Section: section, Text: text, Stated: stated, Lo: lo, Hi: hi, Unit: unit, Sharp: true, Beside: beside,
			Value: func(look study.Look, _ func(string) *study.Outcome) (float64, bool) { return made.Value(look) },
		}
	}
	// count is in how many settings something holds.
	count := func(list []setting, holds func(s *setting) bool) (n float64) {
		for i := range list {
			if holds(&list[i]) {
				n++
			}
		}
		return n
	}
	list := []study.Claim{
		claim("active-most", "1", "§2.1", "Tensors of one kernel take, of a GPU's memory, at most", "14 %", "%", 0, 14, "", func(f *finder) float64 {
			return most(studied, func(s *setting) float64 { return f.must(activeMost, ideal, s.set()) })
		}),
		claim("middle", "2", "§2.1", "Of all four models most tensors are of 10 MB to 1 GB: at least", "50 %", "%", 50, 100, "", func(f *finder) float64 {
			return least(studied, func(s *setting) float64 { return f.must(middle, ideal, s.set()) })
		}),
		claim("idle", "2", "§2.1", "Of inactive periods of these tensors are longer than 10 ms, at least", "40 %", "%", 40, 100, "", func(f *finder) float64 {
			return least(studied, func(s *setting) float64 { return f.must(idle, ideal, s.set()) })
		}),
		claim("movable", "2", "§2.1", "Periods longer than 10 ms are longer than what moving their tensor at 6.5 GB/s takes: least share of them, of a model, for which that is so", "all", "%", 99.5, 100, "", func(f *finder) float64 {
			return least(studied, func(s *setting) float64 { return f.must(movable, ideal, s.set()) })
		}),
		claim("roof-48", "3", "§2.2", "With 48 GB/s for each GPU all four models have, of Ideal, at least", "95 %", "%", near, 100.5, "", func(f *finder) float64 { return f.roof(roofed, 48) }),
		claim("roof-32", "3", "§2.2", "With 32 GB/s for each GPU all four models have, of Ideal, at least", "90 %", "%", 90, 100.5, "", func(f *finder) float64 { return f.roof(roofed, 32) }),
	}
	of := func(figure, model, system, id, text, stated, beside string, lo, hi float64) {
		list = append(list, claim(id, figure, "§4.2", text, stated, "%", lo, hi, beside, func(f *finder) float64 {
			return least(settingsOf(model), func(s *setting) float64 { return f.share(system, s) })
		}))
	}
	of(byLlama, llama8, mixed, "mixed-8b", "TERAIO-Mixed is near Ideal in every setting: it has, of its throughput, at least", "95 %", "", near, 100.5)
	of(byLlama, llama8, ssd, "ssd-8b", "TERAIO-SSD is near Ideal in every setting: it has, of its throughput, at least", "95 %", "", near, 100.5)
	of(byGran, granite, mixed, "mixed-granite", "TERAIO-Mixed is near Ideal in every setting: it has, of its throughput, at least", "95 %", "", near, 100.5)
	slightly := func(figure, model, id string) {
		list = append(list, claim(id, figure, "§4.2", "ZeRO-Infinity is slightly slower than ZeRO-Offload: it has, of its throughput,", "90 to 100 %", "%", 90, 100, "", func(f *finder) float64 {
			return 100 * average(settingsOf(model), func(s *setting) float64 {
				return f.must(speed, infinity, s.as(infinity)) / f.must(speed, zeroHost, s.as(zeroHost))
			})
		}))
	}
	slightly(byLlama, llama8, "infinity-8b")
	slightly(byGran, granite, "infinity-granite")
	list = append(list,
		claim("ssd-70b", byLarge, "§4.2", "TERAIO-SSD lies between ZeRO-Infinity and TERAIO-Mixed: settings of those that both run, out of 4", "all", "", 4, 4, "", func(f *finder) float64 {
			return count(settingsOf(llama70), func(s *setting) bool {
				low, fits := f.value(speed, infinity, s.as(infinity))
				v := f.must(speed, ssd, s.as(ssd))
				return fits && v >= low && v <= f.must(speed, mixed, s.as(mixed))
			})
		}),
		claim("infinity-runs", byLarge, "§4.2", "ZeRO-Infinity runs up to 3072 tokens, and no longer sequence: settings out of 5 in which that is so", "all", "", 5, 5, "", func(f *finder) float64 {
			return count(settingsOf(llama70), func(s *setting) bool {
				_, fits := f.value(speed, infinity, s.as(infinity))
				return fits == (s.sequence <= 3072)
			})
		}),
		claim("closest", "7", "§4.2", "TERAIO-Mixed is closest to Ideal of all: settings out of 15", "all", "", 15, 15, "", func(f *finder) float64 {
			return count(settings, func(s *setting) bool {
				own := f.must(speed, mixed, s.as(mixed))
				return !slices.ContainsFunc(systems[2:], func(system string) bool {
					v, fits := f.value(speed, system, s.as(system))
					return fits && v > 1.0005*own // what is half a thousandth faster is the same
				})
			})
		}),
		claim("similar", "7", "§4.2", "TERAIO-SSD is as fast as ZeRO or faster: it has, of the throughput of the faster ZeRO, at least", "95 %", "%", near, many, "", func(f *finder) float64 {
			return 100 * least(settings, func(s *setting) float64 {
				v := nan
				for _, system := range []string{zeroHost, infinity} {
					if x, fits := f.value(speed, system, s.as(system)); fits && !(x <= v) {
						v = x
					}
				}
				return f.must(speed, ssd, s.as(ssd)) / v
			})
		}),
		claim("less-stall", "8", "§4.2", "TERAIO-Mixed waits less for moves than ZeRO-Infinity in all three models: what it waits is, of that, at most", "100 %", "%", 0, 100, "", func(f *finder) float64 {
			return 100 * most(broken, func(s *setting) float64 {
				return f.must(stall, mixed, s.as(mixed)) / f.must(stall, infinity, s.as(infinity))
			})
		}),
		claim("drives-8b", "9", "§4.4", "With two drives and 64 GB TERAIO-Mixed is near Ideal with Llama3-8B: it has, of its throughput,", "95 %", "%", near, 100.5, "", func(f *finder) float64 {
			s := &sweeps[0]
			return 100 * f.must(speed, mixed, s.as(mixed, drivesOf(2, 64)...)) / f.must(speed, ideal, s.as(ideal))
		}),
		claim("more-drives", "9", "§4.4", "A drive more never makes it slower: a step's throughput is at least, of the one before,", "99 %", "%", 99, many, "", func(f *finder) float64 {
			return f.steps(func(s *sweep, step func(from, to []string)) {
				for _, host := range s.hosts {
					for i := range driveCount[1:] {
						step(drivesOf(driveCount[i], host), drivesOf(driveCount[i+1], host))
					}
				}
			})
		}),
		claim("more-host", "9", "§4.4", "Twice the host memory never makes it slower: a step's throughput is at least, of the one before,", "99 %", "%", 99, many, "", func(f *finder) float64 {
			return f.steps(func(s *sweep, step func(from, to []string)) {
				for _, drives := range driveCount {
					for i := range s.hosts[1:] {
						step(drivesOf(drives, s.hosts[i]), drivesOf(drives, s.hosts[i+1]))
					}
				}
			})
		}),
		claim("host-matters", "9", "§4.4", "More host memory makes Llama3-70B faster: with four drives it has with 1 TiB, of its throughput with 128 GiB, at least", "105 %", "%", 105, many, "", func(f *finder) float64 {
			s := &sweeps[1]
			return 100 * f.must(speed, mixed, s.as(mixed, drivesOf(4, s.hosts[3])...)) / f.must(speed, mixed, s.as(mixed, drivesOf(4, s.hosts[0])...))
		}),
		claim("less-than-infinity", "9", "§4.4", "With three drives for four and half of the host memory that the figure goes to, TERAIO-Mixed is faster than ZeRO-Infinity with both models: it is at least", "more than 1×", "×", 1.005, many, "", func(f *finder) float64 {
			return least(sweeps, func(s *sweep) float64 {
				return f.must(speed, mixed, s.as(mixed, drivesOf(3, s.hosts[2])...)) / f.must(speed, infinity, s.as(infinity))
			})
		}),
		claim("over-100", "11", "Appendix C", "Without GDS two GPUs with four drives each load host memory, when busiest, by", "over 100 GB/s", "GB/s", 100, many, "", func(f *finder) float64 {
			return f.must(dramMost, ssd, hosted.as(ssd, bounced(4)...))
		}),
		claim("more-traffic", "11", "Appendix C", "Without GDS each drive more means more traffic of host memory: a step's traffic is at least, of the one before,", "more than 100 %", "%", 101, many, "", func(f *finder) float64 {
			v := math.Inf(1)
			for i := range bouncing[1:] {
				v = min(v, 100*f.must(dramMost, ssd, hosted.as(ssd, bounced(bouncing[i+1])...))/f.must(dramMost, ssd, hosted.as(ssd, bounced(bouncing[i])...)))
			}
			return v
		}),
	)
	list = append(list, runClaims(claim, count)...)
	for i := range list {
		list[i].Beside = beside[list[i].ID]
		if list[i].ID == "mixed-granite" {
			list[i].Beside += " " + ByLaw()
		}
	}
	return list
}

// roof is the least share of Ideal that models have at a rate of drives.
func (f *finder) roof(list []setting, rate int) float64 {
	return least(list, func(s *setting) float64 {
		return 100 * f.must(speed, ssd, s.as(ssd, rated(rate)...)) / f.must(speed, ideal, s.as(ideal))
	})
}

// steps is the least that a step of Figure 9 keeps of the throughput before it, in percent.
func (f *finder) steps(walk func(s *sweep, step func(from, to []string))) float64 {
	v := math.Inf(1)
	for i := range sweeps {
		s := &sweeps[i]
		walk(s, func(from, to []string) {
			v = min(v, 100*f.must(speed, mixed, s.as(mixed, to...))/f.must(speed, mixed, s.as(mixed, from...)))
		})
	}
	return v
}
