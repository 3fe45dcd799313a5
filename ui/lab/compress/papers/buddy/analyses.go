package buddy

import (
	"fmt"
	"slices"

	"spillway/sim/compress"
	"spillway/sim/report"
	"spillway/sim/study"
	"spillway/sim/unit"
)

// The series and panels of figures that are analyses.
const (
	buddySeries, bandwidthSeries = "Final design", "Bandwidth only"
	ratios, accesses             = "Compression ratio, ×", "Accesses to the buddy memory, %"
)

// suiteTitles are the suites as figures call them.
var suiteTitles = map[string]string{"dl": deep, "hpc": hpc}

// What an analysis of a suite says, in the order of its values: means of slowdowns in
// percent, the share of compressed memory that metadata take in percent, how many
// programs there are, and then of each program as many as perProgram says.
const (
	meanAt50 = iota
	meanAt200
	meanBandwidth
	metadataShare
	programs
	first

	// Of a program: slowdowns in percent and the naive design's ratio.
	at150         = 0
	at50          = 1
	bandwidthOnly = 2
	naiveRatio    = 3
	perProgram    = 4
)

// analyze sweeps one of the suites over what figures have on their axes.
func analyze(run string, list []compress.Program) (*study.Outcome, error) {
	title, ok := suiteTitles[run]
	if !ok {
		return nil, fmt.Errorf("the paper has no analysis %q", run)
	}
	s := &sweep{programs: list, setup: compress.Published()}
	o := &study.Outcome{Run: run, Fits: true}
	slow50, slow150 := s.at(50*unit.GBps, final), s.at(s.setup.Link, final)
	bandwidth, one, each := s.at(s.setup.Link, traffic), s.at(s.setup.Link, naive), s.at(s.setup.Link, each)
	o.Values = []float64{
		percent(slow50), percent(s.at(200*unit.GBps, final)), percent(bandwidth), metadata(list, each), float64(len(list)),
	}
	for i := range list {
		o.Values = append(o.Values, 100*slow150[i].Time.Slowdown(), 100*slow50[i].Time.Slowdown(), 100*bandwidth[i].Time.Slowdown(), one[i].Ratio())
	}
	o.Curves = append(s.cache(title), s.overflow(title)...)
	o.Curves = append(o.Curves, s.links(title)...)
	return o, s.err
}

// A sweep runs the programs of a suite again and again.
type sweep struct {
	programs []compress.Program
	setup    compress.Setup
	err      error
}

// at runs a design at a rate of the link.
func (s *sweep) at(link unit.Bandwidth, design string) []*compress.Result {
	setup := s.setup
	setup.Link = link
	return s.run(&setup, design)
}

func (s *sweep) run(setup *compress.Setup, design string) []*compress.Result {
	v, err := compress.Find(design)
	if err != nil {
		s.err = err
		v.Ideal = true
	}
	list := make([]*compress.Result, len(s.programs))
	for i := range s.programs {
		list[i] = compress.Run(&s.programs[i], setup, &v)
	}
	return list
}

// percent is the mean slowdown.
func percent(list []*compress.Result) float64 {
	sum := compress.Summarize(list)
	return 100 * sum.Slowdown
}

// metadata is the share of metadata, in percent, of all memory.
func metadata(programs []compress.Program, list []*compress.Result) float64 {
	var bits, bytes unit.Bytes
	for i, r := range list {
		bits += r.Metadata
		bytes += programs[i].Bytes()
	}
	return 100 * float64(bits) / float64(max(1, bytes))
}

// cache draws hits over the size of the metadata cache; programs whose curves are the
// same share one.
func (s *sweep) cache(panel string) []report.Curve {
	curves := make([]report.Curve, len(s.programs))
	for kib := unit.Bytes(16); kib <= 1024; kib *= 2 {
		setup := s.setup
		setup.Cache = kib * unit.KiB
		for i, r := range s.run(&setup, final) {
			c := &curves[i]
			c.X, c.Y = append(c.X, float64(kib)), append(c.Y, 100*r.Hits)
		}
	}
	var drawn []report.Curve
	var counts []int
	for i, c := range curves {
		if at := slices.IndexFunc(drawn, func(d report.Curve) bool { return slices.Equal(d.Y, c.Y) }); at >= 0 {
			counts[at]++
			drawn[at].Name = fmt.Sprintf("%d programs whose accesses follow each other", counts[at])
			continue
		}
		c.Chart, c.By, c.Name = "5b", panel, s.programs[i].Name
		drawn, counts = append(drawn, c), append(counts, 1)
	}
	return drawn
}

// thresholds are those of the paper's sweep, in percent.
var thresholds = []float64{10, 12.5, 15, 17.5, 20, 22.5, 25, 27.5, 30, 32.5, 35, 37.5, 40}

// overflow draws ratio and accesses over the Buddy Threshold.
func (s *sweep) overflow(series string) []report.Curve {
	r, a := report.Curve{Chart: "9", By: ratios, Name: series}, report.Curve{Chart: "9", By: accesses, Name: series}
	for _, x := range thresholds {
		setup := s.setup
		setup.Threshold = compress.Thousandths(10 * x)
		sum := compress.Summarize(s.run(&setup, each))
		r.X, r.Y = append(r.X, x), append(r.Y, sum.Ratio)
		a.X, a.Y = append(a.X, x), append(a.Y, 100*sum.Overflow)
	}
	return []report.Curve{r, a}
}

// links draws slowdowns over the rate of the link, of the suite and of AlexNet, if
// that is in it.
func (s *sweep) links(title string) []report.Curve {
	alexnet := slices.IndexFunc(s.programs, func(p compress.Program) bool { return p.Name == "AlexNet" })
	var list []report.Curve
	for _, x := range []struct{ design, series string }{{final, buddySeries}, {traffic, bandwidthSeries}} {
		all, one := report.Curve{Chart: "11", By: title, Name: x.series}, report.Curve{Chart: "11", By: "AlexNet", Name: x.series}
		for _, rate := range []unit.Bandwidth{50, 60, 75, 100, 125, 150, 175, 200} {
			results := s.at(rate*unit.GBps, x.design)
			all.X, all.Y = append(all.X, float64(rate)), append(all.Y, percent(results))
			if alexnet >= 0 {
				one.X, one.Y = append(one.X, float64(rate)), append(one.Y, 100*results[alexnet].Time.Slowdown())
			}
		}
		list = append(list, all)
		if alexnet >= 0 {
			list = append(list, one)
		}
	}
	return list
}
