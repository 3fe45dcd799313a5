package g10

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

//go:embed survive.csv
var surviveCSV string

// A Survival is one system on one headline workload with kernel times from one
// source, as published and corrected, on the machine of the G10 paper's Table
// 2. Times are cycles of 1.2 GHz; 0 means that it does not fit.
type Survival struct {
	Times  workload.TimeSource
	Model  string
	Batch  int
	System string
	Ideal  unit.Cycles
	// Published and Corrected are the reported iteration's time in the two modes.
	Published, Corrected unit.Cycles
}

// Speed returns the throughput relative to Ideal, 0 when the system cannot run it.
func (s *Survival) Speed(corrected bool) float64 {
	t := s.Published
	if corrected {
		t = s.Corrected
	}
	if t == 0 {
		return 0
	}
	return float64(s.Ideal) / float64(t)
}

// Survive returns the five headline workloads with measured kernel times, with
// the paper's time model, and with clean times by the law of kernel times: do the
// conclusions of the G10 paper survive?
func Survive() []Survival {
	var ss []Survival
	for _, f := range records("survive.csv", surviveCSV)[1:] {
		ss = append(ss, Survival{
			workload.TimeSource(f[0]), f[1], int(integer(f[2])), f[3],
			unit.Cycles(integer(f[4])), unit.Cycles(integer(f[5])), unit.Cycles(integer(f[6])),
		})
	}
	return ss
}

//go:embed others.csv
var othersCSV string

// Others are the systems of the laboratory that the paper does not compare, without those with
// compressed memory: [Beside] has what they reach.
var Others = []string{
	"um", "deepum", "lms", "vdnn", "autotm", "swapadvisor", "capuchin", "sentinel", "recompute", "superneurons", "spillway",
}

// Beside returns what the other systems take on the headline workloads, corrected.
func Beside() []Survival {
	var ss []Survival
	for _, f := range records("others.csv", othersCSV)[1:] {
		ss = append(ss, Survival{
			Times: workload.TimeSource(f[0]), Model: f[1], Batch: int(integer(f[2])), System: f[3],
			Ideal: unit.Cycles(integer(f[4])), Corrected: unit.Cycles(integer(f[5])),
		})
	}
	return ss
}

// A Rival is another system with how often it is faster than G10, corrected.
type Rival struct {
	System string
	// Networks are how many both run on, Faster on how many of them it is faster by more than a
	// thousandth, and Mean its mean speedup over G10 on all of them.
	Networks, Faster int
	Mean             float64
}

// Rivals compares the other systems with G10, corrected, with kernel times from one source; G10
// is faster than all others on as many networks as are returned.
func Rivals(times workload.TimeSource) (list []Rival, leads int) {
	beside := Beside()
	means := make([]geomean, len(Others))
	list = make([]Rival, len(Others))
	for i, name := range Others {
		list[i].System = name
	}
	for _, g := range Survive() {
		if g.Times != times || g.System != "g10" || g.Corrected == 0 {
			continue
		}
		lead := true
		for i := range beside {
			o := &beside[i]
			if o.Times != times || o.Model != g.Model || o.Corrected == 0 {
				continue
			}
			at := slices.Index(Others, o.System)
			x := o.Speed(true) / g.Speed(true)
			means[at].add(x)
			list[at].Networks++
			if x > 1.001 {
				list[at].Faster++
				lead = false
			}
		}
		if lead {
			leads++
		}
	}
	for i := range list {
		list[i].Mean = means[i].value()
	}
	return list, leads
}

// faster names the other systems that are faster than G10 somewhere.
func faster(times workload.TimeSource) string {
	list, leads := Rivals(times)
	var parts []string
	slices.SortStableFunc(list, func(a, b Rival) int { return cmp.Or(cmp.Compare(b.Faster, a.Faster), cmp.Compare(b.Mean, a.Mean)) })
	for _, r := range list {
		if r.Faster > 0 {
			parts = append(parts, fmt.Sprintf("%s on %d of %d (%s times as fast in the mean)", Title(r.System), r.Faster, r.Networks, short(r.Mean)))
		}
	}
	if len(parts) == 0 {
		return fmt.Sprintf("none of %d is faster", len(list))
	}
	return fmt.Sprintf("G10 is fastest on %d, and faster are %s", leads, strings.Join(parts, ", "))
}

// A Survivor sums up one mode with one source of kernel times.
type Survivor struct {
	Times     workload.TimeSource
	Corrected bool
	Networks  int
	// Fastest counts the networks on which none of the paper's systems but Ideal is faster
	// than G10 by more than a thousandth.
	Fastest int
	// Slowest and Mean are G10's throughput relative to Ideal: the least, and
	// the geometric mean over the networks.
	Slowest, Mean float64
	// Over holds G10's mean speedup over each other system, on the networks that
	// both can run.
	Over []Speedup
}

// A Speedup is a geometric mean over networks.
type Speedup struct {
	System   string
	Mean     float64
	Networks int
}

// Survivors sums up Survive, for each source of kernel times as published and
// then corrected.
func Survivors() []Survivor {
	var out []Survivor
	all := Survive()
	for _, times := range []workload.TimeSource{workload.Measured, workload.ColdModel, workload.Estimated} {
		for _, corrected := range []bool{false, true} {
			out = append(out, survivor(all, times, corrected))
		}
	}
	return out
}

func survivor(all []Survival, times workload.TimeSource, corrected bool) Survivor {
	s := Survivor{Times: times, Corrected: corrected, Slowest: math.Inf(1)}
	var mean geomean
	over := map[string]*geomean{}
	for i := range all {
		g := &all[i]
		if g.Times != times || g.System != "g10" {
			continue
		}
		own := g.Speed(corrected)
		s.Networks++
		s.Slowest = min(s.Slowest, own)
		mean.add(own)
		fastest := true
		for j := range all {
			o := &all[j]
			if o.Times != times || o.Model != g.Model || o.System == "g10" || o.System == "ideal" {
				continue
			}
			if over[o.System] == nil {
				over[o.System] = &geomean{}
				s.Over = append(s.Over, Speedup{System: o.System})
			}
			if speed := o.Speed(corrected); speed > 0 {
				over[o.System].add(own / speed)
				fastest = fastest && speed <= 1.001*own
			}
		}
		if fastest {
			s.Fastest++
		}
	}
	s.Mean = mean.value()
	for i := range s.Over {
		o := &s.Over[i]
		o.Mean, o.Networks = over[o.System].value(), over[o.System].n
	}
	return s
}

// String states the findings in one sentence.
func (s *Survivor) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "G10 reaches %.0f %% of Ideal on average, %.0f %% at least, and none of the systems that the paper compares is faster on %d of %d networks; its mean speedup is",
		100*s.Mean, 100*s.Slowest, s.Fastest, s.Networks)
	for i, o := range s.Over {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %.2f over %s", o.Mean, Title(o.System))
		if o.Networks < s.Networks {
			fmt.Fprintf(&b, " (on %d of them)", o.Networks)
		}
	}
	return b.String() + "."
}

// Conclusions answers, from the data, whether the conclusions of the G10 paper
// survive corrected mode and clean kernel times. The main ones stand on the sums,
// one for each source of kernel times and mode. What hangs on a number that nobody
// knows says so, with what other numbers would give.
func Conclusions() (main, sums []string) {
	ss := Survivors()
	measured, clean := &ss[1], &ss[5]
	for i := range ss {
		s := &ss[i]
		mode := "as published"
		if s.Corrected {
			mode = "corrected"
		}
		sum := fmt.Sprintf("%s, %s: %s", timesTitle[s.Times], mode, s)
		if s.Corrected {
			sum += hanging(s.Times)
		}
		sums = append(sums, sum)
	}
	main = append(main,
		fmt.Sprintf("Without the accidents G10 %s on the paper's kernel times: it leads on %d of %d networks, but by %.2f times over Base UVM and %.2f times over DeepUM+, where the published simulator has %.2f and %.2f.%s",
			survives(measured), measured.Fastest, measured.Networks, measured.over("uvm"), measured.over("deepum+"), ss[0].over("uvm"), ss[0].over("deepum+"), hanging(workload.Measured)),
		fmt.Sprintf("With clean kernel times, which are %.1f times shorter on average while the same data must move, G10 %s: it leads on %d of %d networks, is %.2f times as fast as Base UVM and %.2f times as fast as DeepUM+, and reaches %.0f %% of Ideal instead of %.0f %%.%s",
			shorter(), survives(clean), clean.Fastest, clean.Networks, clean.over("uvm"), clean.over("deepum+"), 100*clean.Mean, 100*measured.Mean, hanging(workload.Estimated)))
	main = append(main, fmt.Sprintf(
		"Leading is among the systems that the paper compares. Beside the others of this laboratory, corrected: on the paper's kernel times %s; with clean kernel times %s.",
		faster(workload.Measured), faster(workload.Estimated)))
	for _, d := range Doubts() {
		main = append(main, d.Label+": "+d.Why)
	}
	return main, sums
}

var timesTitle = map[workload.TimeSource]string{
	workload.Measured: "Measured times", workload.ColdModel: "As-paper model", workload.Estimated: "Law of kernel times",
}

// survives judges by whether G10 leads everywhere and comes near Ideal (the
// paper says 90.3 % of Ideal on average).
func survives(s *Survivor) string {
	switch lead, near := s.Fastest == s.Networks, s.Mean >= 0.85; {
	case lead && near:
		return "keeps both its lead and its nearness to Ideal"
	case lead:
		return "keeps its lead but not its nearness to Ideal"
	case near:
		return "stays near Ideal but does not lead everywhere"
	}
	return "keeps neither its lead everywhere nor its nearness to Ideal"
}

// over returns the mean speedup over a system.
func (s *Survivor) over(system string) float64 {
	for _, o := range s.Over {
		if o.System == system {
			return o.Mean
		}
	}
	return 0
}

// shorter returns how many times longer measured kernel times are than clean ones.
func shorter() float64 {
	var g geomean
	ideal := map[string]unit.Cycles{}
	for _, s := range Survive() {
		switch {
		case s.System != "ideal":
		case s.Times == workload.Measured:
			ideal[s.Model] = s.Ideal
		case s.Times == workload.Estimated:
			g.add(float64(ideal[s.Model]) / float64(s.Ideal))
		}
	}
	return g.value()
}
