package buddy

import (
	"slices"

	"spillway/sim/compress"
	"spillway/sim/study"
)

type outcomes = func(run string) *study.Outcome

// claims are what the text states besides the numbers of a design or program.
func claims() []study.Claim {
	list := []study.Claim{
		{
			ID: "metadata", Figure: "5b", Section: "§3.2", Text: "Metadata take, of the memory that is compressed,", Stated: "0.4 %", Lo: 0.35, Hi: 0.45, Unit: "%",
			Value: func(_ study.Look, o outcomes) (float64, bool) { return o("hpc").Value(metadataShare) },
		},
		naiveClaim("354.cg"), naiveClaim("370.bt"),
		{
			ID: "all-bandwidth", Figure: "11", Section: "§4.2", Text: "Bandwidth-only compression makes all programs, in the mean, faster by", Stated: "5.5 %", Lo: 5.45, Hi: 5.55, Unit: "%",
			Value: func(_ study.Look, o outcomes) (float64, bool) {
				v, known := mean(o, meanBandwidth, "dl", "hpc")
				return -v, known
			},
		},
	}
	list = append(list,
		slower("cg-bandwidth", "With bandwidth-only compression the slowdown of 354.cg is", "354.cg", bandwidthOnly, "Its fitted contents hardly have entries of which compression makes two or three sectors, and others cost nothing when one sector is asked for."),
		slower("ilbdc-bandwidth", "With bandwidth-only compression the slowdown of 360.ilbdc is", "360.ilbdc", bandwidthOnly, "Its fitted contents hardly have entries of which compression makes two or three sectors, and others cost nothing when one sector is asked for."),
		slower("lulesh-bandwidth", "With bandwidth-only compression the slowdown of FF_Lulesh is", "FF_Lulesh", bandwidthOnly, "The paper blames the latency of compression and decompression, which is not modeled."),
		study.Claim{
			ID: "all-200", Figure: "11", Section: "§4.2", Text: "At 200 GB/s the mean slowdown, of all programs, is", Stated: "2 % faster", Lo: -2.5, Hi: -1.5, Unit: "%",
			Value: func(_ study.Look, o outcomes) (float64, bool) { return mean(o, meanAt200, "dl", "hpc") },
		},
		slower("palm-150", "At 150 GB/s the slowdown of 351.palm, by misses of metadata, is", "351.palm", at150, "That a quarter of its accesses are scattered is assumed; its fitted contents save more traffic than its metadata cost."),
		slower("seismic-150", "At 150 GB/s the slowdown of 355.seismic, by misses of metadata, is", "355.seismic", at150, "That a quarter of its accesses are scattered is assumed."),
		study.Claim{
			ID: "dl-50", Figure: "11", Section: "§4.2", Text: "At 50 GB/s the mean slowdown, of deep learning, is", Stated: "more than 20 %", Lo: 20, Hi: 100, Unit: "%", Sharp: true,
			Value: func(_ study.Look, o outcomes) (float64, bool) { return mean(o, meanAt50, "dl") },
		},
		study.Claim{
			ID: "all-50", Figure: "11", Section: "§4.2", Text: "At 50 GB/s the mean slowdown, of all programs, is", Stated: "more than 20 %", Lo: 20, Hi: 100, Unit: "%", Sharp: true,
			Beside: "The text does not say of which programs the mean is.",
			Value:  func(_ study.Look, o outcomes) (float64, bool) { return mean(o, meanAt50, "dl", "hpc") },
		},
		study.Claim{
			ID: "spec-50", Figure: "11", Section: "§4.3", Text: "At 50 GB/s and 50 % oversubscription the slowest of three programs of SPEC ACCEL takes, of the time with enough memory,", Stated: "1.67×", Lo: 1.665, Hi: 1.675, Unit: "×",
			Beside: "Here it is the slowest of all eight: the text does not name the three. With so few accesses to the buddy memory as it publishes for HPC none can be as slow in this model.",
			Value:  slowest,
		},
	)
	return list
}

// mean is that of a value over suites, weighted by their programs.
func mean(outcome outcomes, at int, suites ...string) (float64, bool) {
	var sum, count float64
	for _, s := range suites {
		v, known := outcome(s).Value(at)
		n, also := outcome(s).Value(programs)
		if !known || !also {
			return 0, false
		}
		sum, count = sum+float64(n*v), count+n
	}
	return sum / count, true
}

// hpcProgram returns a value of one program of the HPC suite.
func hpcProgram(outcome outcomes, name string, value int) (float64, bool) {
	suite, err := compress.FindSuite("hpc")
	if err != nil {
		return 0, false
	}
	k := slices.IndexFunc(suite.Programs(), func(p compress.Program) bool { return p.Name == name })
	if k < 0 {
		return 0, false
	}
	return outcome("hpc").Value(first + perProgram*k + value)
}

// slower states that a program slows down; the text says no number.
func slower(id, text, program string, value int, beside string) study.Claim {
	return study.Claim{
		ID: id, Figure: "11", Section: "§4.2", Text: text, Stated: "more than 0", Lo: 0, Hi: 100, Unit: "%", Sharp: true, Beside: beside,
		Value: func(_ study.Look, o outcomes) (float64, bool) { return hpcProgram(o, program, value) },
	}
}

// naiveClaim states that one target for all cannot compress a program.
func naiveClaim(program string) study.Claim {
	return study.Claim{
		ID: "naive-" + program, Figure: "7a", Section: "§3.4", Text: "With one target for all the ratio of " + program + " is", Stated: "1×", Lo: 1, Hi: 1, Unit: "×", Sharp: true,
		Value: func(_ study.Look, o outcomes) (float64, bool) { return hpcProgram(o, program, naiveRatio) },
	}
}

// slowest is the largest time at 50 GB/s of a program of SPEC ACCEL.
func slowest(_ study.Look, outcome outcomes) (most float64, known bool) {
	for _, f := range footprints[:8] {
		v, known := hpcProgram(outcome, f.of, at50)
		if !known {
			return 0, false
		}
		most = max(most, 1+v/100)
	}
	return most, true
}
