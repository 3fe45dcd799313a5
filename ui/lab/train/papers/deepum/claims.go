package deepum

import (
	"math"
	"slices"

	"spillway/sim/portable"
	"spillway/sim/study"
)

type outcomes = func(run string) *study.Outcome

// claims are what the text states about the figures.
func claims(points []study.Point) []study.Claim {
	nine, five := of(points, "9b"), of(points, "T5")
	printed := map[string]bool{} // rows where the paper prints a time of LMS
	for _, p := range nine {
		printed[p.Of] = printed[p.Of] || p.System == lms && p.At == "" && p.Fits
	}
	whereLMS := func(p *study.Point) bool { return printed[p.Of] }
	list := []study.Claim{
		{
			ID: "over-um", Figure: "9b", Section: "abstract, §6.2", Text: "DeepUM is, in the geometric mean over all rows, faster than UM by", Stated: "3.06×", Lo: 3.055, Hi: 3.065, Unit: "×", Even: 1,
			Beside: ByLaw(),
			Value:  func(look study.Look, _ outcomes) (float64, bool) { return ratio(nine, look, um, deepum, anywhere) },
		},
		{
			ID: "over-lms", Figure: "9b", Section: "§6.2", Text: "DeepUM is faster than LMS by (the speedup over UM of all rows over that of LMS where it is printed)", Stated: "1.11×", Lo: 1.105, Hi: 1.115, Unit: "×", Even: 1,
			Beside: "A ratio of two means over different rows, as the paper seems to have computed it. " + uneven,
			Value: func(look study.Look, _ outcomes) (float64, bool) {
				all, known := ratio(nine, look, um, deepum, anywhere)
				some, also := ratio(nine, look, um, lms, whereLMS)
				return all / some, known && also && some > 0
			},
		},
		{
			ID: "over-lms-alike", Figure: "9b", Section: "§6.2", Text: "DeepUM is faster than LMS, on the rows where LMS is printed, by", Stated: "1.11×", Lo: 1.105, Hi: 1.115, Unit: "×", Even: 1,
			Beside: "On the same rows the printed times say 1.32: the text's 1.11 is over different ones. " + uneven,
			Value:  func(look study.Look, _ outcomes) (float64, bool) { return ratio(nine, look, lms, deepum, whereLMS) },
		},
		{
			ID: "lms-over-um", Figure: "9b", Section: "§6.2", Text: "LMS is, where it is printed, faster than UM by", Stated: "more than 1×", Lo: 1, Hi: 100, Unit: "×", Sharp: true,
			Beside: uneven,
			Value:  func(look study.Look, _ outcomes) (float64, bool) { return ratio(nine, look, um, lms, whereLMS) },
		},
		{
			ID: "fastest", Figure: "9b", Section: "§6.2", Text: "Of UM, LMS and LMS-mod those that are, in the mean of the rows where they are printed, faster than DeepUM", Stated: "none", Lo: 0, Hi: 0, Sharp: true,
			Beside: uneven,
			Value: func(look study.Look, _ outcomes) (faster float64, known bool) {
				for _, other := range []struct {
					system string
					where  func(*study.Point) bool
				}{{um, anywhere}, {lms, whereLMS}, {lms + trim, anywhere}} {
					x, known := ratio(nine, look, other.system, deepum, other.where)
					if !known {
						return 0, false
					}
					if x < 1 {
						faster++
					}
				}
				return faster, true
			},
		},
		{
			ID: "dlrm", Figure: "9b", Section: "§6.2", Text: "DLRM shows almost no speedup over UM: in the mean", Stated: "almost none", Lo: 1, Hi: 1.3, Unit: "×", Even: 1,
			Beside: "The range is ours; the printed times say 1.26. The host time that DLRM mostly consists of is fitted.",
			Value: func(look study.Look, _ outcomes) (float64, bool) {
				return ratio(nine, look, um, deepum, func(p *study.Point) bool { return familyOf(p.Of) == dlrm })
			},
		},
		{
			ID: "left", Figure: "T5", Section: "§6.2", Text: "Of UM's faults DeepUM leaves, on the worst row,", Stated: "1.8 %", Lo: 0, Hi: 1.85, Unit: "%",
			Beside: "A block that is missed whole counts as 5 faults, fitted to the order of magnitude: the claim rests on that. With every page of it counted up to 100 times as many would be left.",
			Value:  func(look study.Look, _ outcomes) (float64, bool) { return left(five, look) },
		},
	}
	for i, v := range variants {
		id, stated := []string{"prefetch", "pre-evict", "invalidate"}[i], number(v.saved)
		list = append(list, study.Claim{
			ID: id, Figure: "10", Section: "§6.2", Text: v.name + " saves, of UM's time,", Stated: v.saved + " %", Lo: stated - 0.05, Hi: stated + 0.05, Unit: "%",
			Beside: "One row of each network, weighted by its rows.",
			Value:  func(look study.Look, _ outcomes) (float64, bool) { return saving(look, v.change) },
		})
	}
	return append(list,
		study.Claim{
			ID: "each-helps", Figure: "10", Section: "§6.2", Text: "Of pre-eviction and invalidation, those that save time when they are added", Stated: "both", Lo: 2, Hi: 2, Sharp: true,
			Value: func(look study.Look, _ outcomes) (helps float64, known bool) {
				before := math.Inf(1)
				for _, v := range variants {
					x, known := saving(look, v.change)
					if !known {
						return 0, false
					}
					if x > before {
						helps++
					}
					before = x
				}
				return helps, true
			},
		},
		study.Claim{
			ID: "degree", Figure: "11", Section: "§6.2", Text: "The look-ahead, of those tried, with which DeepUM is fastest", Stated: "32", Lo: 32, Hi: 32, Unit: "kernels", Sharp: true,
			Beside: "A look-up in a table takes 50 ns, fitted to this: with none every longer look-ahead is a little better.",
			Value: func(look study.Look, _ outcomes) (at float64, known bool) {
				most := 0.0
				for _, n := range sweepDegrees {
					x, known := relatives(look, "11", degree(8), degree(n))
					if !known {
						return 0, false
					}
					if x > most {
						most, at = x, float64(n)
					}
				}
				return at, true
			},
		},
		study.Claim{
			ID: "degree-32", Figure: "11", Section: "§6.2", Text: "With N = 32 DeepUM is, of its speed with N = 8,", Stated: "more than 1×", Lo: 1, Hi: 2, Unit: "×", Sharp: true,
			Value: func(look study.Look, _ outcomes) (float64, bool) {
				return relatives(look, "11", degree(8), degree(32))
			},
		},
		study.Claim{
			ID: "config9", Figure: "12", Section: "§6.3", Text: "Config9 is best: the best of the others is faster by at most", Stated: "0 %", Lo: -100, Hi: 0.2, Unit: "%", Sharp: true,
			Beside: "Up to 0.2 % counts as best. Here twice the successors help ResNet by a little.",
			Value: func(look study.Look, _ outcomes) (percent float64, known bool) {
				_, changes := configs()
				percent = math.Inf(-1)
				for i, c := range changes {
					if i == config9 {
						continue
					}
					x, known := relatives(look, "12", changes[config9], c)
					if !known {
						return 0, false
					}
					percent = max(percent, 100*(x-1))
				}
				return percent, true
			},
		},
		study.Claim{
			ID: "beside-others", Figure: "T7", Section: "§6.4", Text: "Of vDNN, AutoTM, SwapAdvisor and Capuchin those that are, in the mean of two rows, faster than DeepUM", Stated: "none", Lo: 0, Hi: 0, Sharp: true,
			Beside: onDriver,
			Value: func(look study.Look, _ outcomes) (faster float64, known bool) {
				for _, system := range rivals {
					x, known := against(look, system)
					if !known {
						return 0, false
					}
					if system != "sentinel" && x > 1 {
						faster++
					}
				}
				return faster, true
			},
		},
		study.Claim{
			ID: "beside-sentinel", Figure: "T7", Section: "§6.4", Text: "DeepUM takes, of Sentinel's time,", Stated: "about as much", Lo: 0.9, Hi: 1.1, Unit: "×", Sharp: true,
			Beside: "The range is ours: the text has no number. " + onDriver,
			Value:  func(look study.Look, _ outcomes) (float64, bool) { return against(look, "sentinel") },
		},
	)
}

// onDriver is why DeepUM is behind systems that move tensors.
const onDriver = "30 µs for each block that moves and a quarter of memory, both fitted to Figure 9(b), are taken from DeepUM and not from the others; without them it is within 5 % of Sentinel. The five are reconstructions."

// against is how many times as long as another system DeepUM takes: the geometric mean over the
// rows of beside on which both run.
func against(look study.Look, system string) (ratio float64, known bool) {
	logs, n := 0.0, 0
	for _, r := range beside() {
		own, other := r.probe("T7", deepum, small), r.probe("T7", system, small)
		x, fits, known := look(&own)
		y, also, done := look(&other)
		if !known || !done {
			return 0, false
		}
		if fits && also && y > 0 {
			logs, n = logs+portable.Log(x/y), n+1
		}
	}
	if n == 0 {
		return 0, false
	}
	return portable.Exp(logs / float64(n)), true
}

// config9 is where Table 6 has the shape that the paper uses.
const config9 = 9

func anywhere(*study.Point) bool { return true }

// ratio is how many times as fast as one system another is: the geometric mean over the
// rows that where accepts. Rows are left out
// on which the paper prints that one of the two cannot run. lms+trim is LMS-mod.
func ratio(points []*study.Point, look study.Look, slow, fast string, where func(*study.Point) bool) (mean float64, known bool) {
	is := func(p *study.Point, system string) bool {
		return p.System == system && p.At == "" || system == lms+trim && p.At == cleaning
	}
	logs, n := 0.0, 0
	for _, a := range points {
		if !is(a, slow) {
			continue
		}
		at := slices.IndexFunc(points, func(b *study.Point) bool { return b.Of == a.Of && is(b, fast) })
		if at < 0 || !a.Fits || !points[at].Fits || !where(a) {
			continue
		}
		b := points[at]
		x, fits, known := look(a)
		y, also, done := look(b)
		if !known || !done {
			return 0, false
		}
		if fits && also && y > 0 {
			logs, n = logs+portable.Log(x/y), n+1
		}
	}
	if n == 0 {
		return 0, false
	}
	return portable.Exp(logs / float64(n)), true
}

// left is the largest share of UM's faults, in percent, that DeepUM leaves.
func left(points []*study.Point, look study.Look) (percent float64, known bool) {
	for i := 0; i+1 < len(points); i += 2 { // UM and DeepUM on the same row
		before, fits, known := look(points[i])
		after, also, done := look(points[i+1])
		if !known || !done {
			return 0, false
		}
		if fits && also && before > 0 {
			percent = max(percent, 100*after/before)
		}
	}
	return percent, true
}
