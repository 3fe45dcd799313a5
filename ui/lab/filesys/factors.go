package filesys

import (
	"fmt"
	"math"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/machine"
	"spillway/sim/portable"
	"spillway/sim/prose"
	"spillway/sim/report"
)

// published are the ratios of throughput that the paper's text quotes (Figure 6, by a
// third party's notes of it); a test finds each in the paper's tables.
var published = []struct {
	workload, rival string
	ratio           float64
}{
	{"create", "ext4", 6.0},
	{"create", "f2fs", 2.4},
	{"varmail", "f2fs", 1.9},
	{"fileserver", "ext4", 2.2},
	{"webproxy", "ext4", 1.3},
	{"oltp", "ext4", 4.1},
}

// A factor is one of the three things that decide, in its two ways.
type factor struct {
	label  string
	names  [2]string
	set    func(m *machine.Setup, way int)
	isByte bool // only ByteFS feels it
}

var threeFactors = [3]factor{
	{"What programs write", [2]string{"zeros", "random"}, func(m *machine.Setup, way int) { m.Payload = [2]machine.Payload{machine.Zeros, machine.Random}[way] }, true},
	{"A fresh page", [2]string{"has changed", "is compared with zeros"}, func(m *machine.Setup, way int) { m.Fresh = way == 1 }, true},
	{"Who waits for programs", [2]string{"nobody", "Ext4 and F2FS"}, func(m *machine.Setup, way int) { m.Ack = [2]machine.Ack{machine.OnBuffer, machine.AsArtifact}[way] }, false},
}

// way is which way a combination, a number of three bits, takes a factor.
func way(combination, f int) int { return combination >> f & 1 }

// combined returns the setup of a combination. What only ByteFS feels stays as it is for
// others, so that their runs are fewer.
func (v *view) combined(combination int, x *core.System) machine.Setup {
	m := *v.s
	for f := range threeFactors {
		if isByteFS(x) || !threeFactors[f].isByte {
			threeFactors[f].set(&m, way(combination, f))
		}
	}
	if !x.Waits {
		m.Ack = machine.OnBuffer // as the artifact has it is the same for them
	}
	return m
}

// rival is the system that ByteFS is compared with: the one in focus, or the usual one.
func (v *view) rival() (byteFS, rival *core.System) {
	for i := range core.Systems {
		switch x := &core.Systems[i]; {
		case x.Main:
			byteFS = x
		case x.Usual:
			rival = x
		}
	}
	if !isByteFS(v.system) {
		return byteFS, v.system
	}
	return v.system, rival
}

// factors runs all eight combinations.
func (v *view) factors() (*report.Section, error) {
	s := v.said
	byteFS, rival := v.rival()
	var jobs []job
	index := map[job]int{} // of jobs; none has a watch
	var at [8][2]int
	for c := range at {
		for k, x := range []*core.System{byteFS, rival} {
			j := job{system: x, setup: v.combined(c, x)}
			if _, ok := index[j]; !ok {
				index[j] = len(jobs)
				jobs = append(jobs, j)
			}
			at[c][k] = index[j]
		}
	}
	results, err := v.all(jobs)
	if err != nil {
		return nil, err
	}
	var ratios [8]float64
	for c := range at {
		ratios[c] = rate(results[at[c][0]]) / max(rate(results[at[c][1]]), 1e-9)
	}
	said := 0.0
	for _, p := range published {
		if p.workload == s.Workload && p.rival == rival.Name && byteFS.Main && s.Entry == "" {
			said = p.ratio
		}
	}
	was := 0.0 // what is compared
	if s.usual() {
		was = said
	}
	t := report.Table{
		Key:   "combinations",
		Title: fmt.Sprintf("Throughput of %s over that of %s, all eight combinations", byteFS.Title, rival.Title),
		Head:  []string{"Payload", "A fresh page", "Who waits for programs", byteFS.Title, rival.Title, "Ratio"},
	}
	if was > 0 {
		t.Head = append(t.Head, "Ours over published")
	}
	top := 0.0
	for _, x := range ratios {
		top = max(top, x)
	}
	near := closest(ratios[:], was)
	for c, x := range ratios {
		row := report.Row{Head: threeFactors[0].names[way(c, 0)], Cells: []report.Cell{
			report.Textf("%s", threeFactors[1].names[way(c, 1)]), report.Textf("%s", threeFactors[2].names[way(c, 2)]),
			report.Textf("%s k/s", prose.ThreeDigits(rate(results[at[c][0]]))).With(1000*rate(results[at[c][0]]), "1/s"), report.Textf("%s k/s", prose.ThreeDigits(rate(results[at[c][1]]))).With(1000*rate(results[at[c][1]]), "1/s"),
			report.Cell{Text: times(x), Share: x / max(top, 1e-9), Best: was > 0 && c == near}.With(x, ""),
		}}
		if v.now(c) {
			row.Head += ", as it is set now"
		}
		if was > 0 {
			row.Cells = append(row.Cells, report.Textf("%s", prose.Signed(x/was-1)).WithShare(x/was-1))
		}
		t.Rows = append(t.Rows, row)
	}
	out := &report.Section{Text: []string{v.decides(byteFS, rival, ratios[:])}, Tables: []report.Table{t, effects(ratios[:])}}
	switch {
	case was > 0:
		out.Text = append(out.Text, fmt.Sprintf("The paper's text says %s; closest is %s. It does not say which of the eight it measured, and none comes close to all of its ratios; its artifact compares fresh pages, with what is under How it was measured.", times(was), words(near)))
	case said > 0:
		out.Text = append(out.Text, fmt.Sprintf("The paper's text says %s; that is compared only where all settings but these three are as they were at first.", times(said)))
	default:
		out.Text = append(out.Text, "No ratio of these two is published for this workload.")
	}
	out.Notes = []string{
		"Filebench writes zeros: an overwrite leaves a page as it was. A page that is new to a file counts as changed in all its lines, unless it is compared with zeros. In the artifact block writes of Ext4 and F2FS are answered once programmed, all others once buffered.",
		"The effect of a setting is the ratio with it over the ratio without it: the geometric mean over the four combinations of the other two.",
	}
	return out, nil
}

// usual reports whether everything but the three factors is as it is at first, which is
// what the paper is compared with.
func (s *settings) usual() bool {
	m, r := s.machine(), s.Recipe
	for f := range threeFactors {
		threeFactors[f].set(&m, 0)
	}
	r.Name = s.Workload
	return m == machine.Default() && recipeText(&r) == recipeText(recipeOf(s.Workload))
}

// closest is the combination whose ratio is nearest to what was published, by factor.
func closest(ratios []float64, was float64) int {
	best := 0
	for c, x := range ratios {
		if was > 0 && math.Abs(portable.Log(x/was)) < math.Abs(portable.Log(ratios[best]/was)) {
			best = c
		}
	}
	return best
}

// words says a combination.
func words(c int) string {
	return fmt.Sprintf("payload %s, a fresh page %s, and for programs wait: %s", threeFactors[0].names[way(c, 0)], threeFactors[1].names[way(c, 1)], threeFactors[2].names[way(c, 2)])
}

// now reports whether a combination is what is set.
func (v *view) now(c int) bool {
	m := *v.s
	for f := range threeFactors {
		threeFactors[f].set(&m, way(c, f))
	}
	return m == *v.s
}

// effect is the geometric mean of what one factor does to a ratio.
func effect(ratios []float64, f int) float64 {
	sum := 0.0
	for c := range ratios {
		if way(c, f) == 1 {
			sum += portable.Log(ratios[c] / ratios[c&^(1<<f)])
		}
	}
	return portable.Exp(sum / float64(len(ratios)/2))
}

// decides is the finding.
func (v *view) decides(byteFS, rival *core.System, ratios []float64) string {
	low, high, most := ratios[0], ratios[0], 0
	for _, x := range ratios {
		low, high = min(low, x), max(high, x)
	}
	size := func(f int) float64 { return math.Abs(portable.Log(effect(ratios, f))) }
	for f := range threeFactors {
		if size(f) > size(most) {
			most = f
		}
	}
	said := fmt.Sprintf("%s has %s to %s the throughput of %s, depending on three settings.", byteFS.Title, times(low), times(high), rival.Title)
	if size(most) < 0.01 {
		return said + " None of them matters here."
	}
	f := &threeFactors[most]
	return said + fmt.Sprintf(" What matters most is %s: going from “%s” to “%s” multiplies the ratio by %s.", prose.Lower(f.label), f.names[0], f.names[1], prose.ThreeDigits(effect(ratios, most)))
}

// effects lists what each factor does alone.
func effects(ratios []float64) report.Table {
	t := report.Table{Key: "effects", Title: "What each does to the ratio", Head: []string{"Setting", "From", "To", "The ratio is multiplied by"}}
	for f := range threeFactors {
		x := &threeFactors[f]
		t.Rows = append(t.Rows, report.Row{Head: x.label, Cells: []report.Cell{report.Textf("%s", x.names[0]), report.Textf("%s", x.names[1]), report.Textf("%s", prose.ThreeDigits(effect(ratios, f))).With(effect(ratios, f), "")}})
	}
	return t
}
