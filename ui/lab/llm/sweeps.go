package llm

import (
	"fmt"
	"slices"

	core "spillway/sim/llm"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// shares are classes of throughput against ideal.
var shares = []string{"cannot run", "to 50 % of all in memory", "to 75 %", "to 90 %", "over 90 %"}

// shareClass is the class of a run.
func shareClass(r *core.Result, of int64) byte {
	switch {
	case !r.Ran():
		return 0
	case of <= 500_000:
		return 1
	case of <= 750_000:
		return 2
	case of <= 900_000:
		return 3
	}
	return 4
}

// perfect is what sweeps say of the ideal.
func (v *view) perfect() *report.Section {
	return &report.Section{Text: []string{v.system.Title + " holds everything on GPUs: it needs no drives and no host memory, and moves nothing. Look at another system."}}
}

// anew says why more hardware can be slower.
const anew = "No part is slower there: the planner starts over for other rates, tensor by tensor, and may do worse. Differences like this are the planner's, not the drives'."

// columnsOf is how many drives for each GPU a map has: what the machine has is among them, some less,
// and one more. They count up by one.
func columnsOf(own int64) (list []int64) {
	const few = 4
	low, high := int64(0), max(own+1, few)
	if own > few {
		low = own - few + 1
	}
	for n := low; n <= min(high, 64); n++ {
		list = append(list, n)
	}
	return list
}

// hostsOf is how much host memory a map has, most first; last is none.
func hostsOf(own unit.Bytes) []unit.Bytes {
	if own == 0 {
		return []unit.Bytes{256 * unit.GiB, 64 * unit.GiB, 0}
	}
	list := []unit.Bytes{2 * own, own, own / 4, 0}
	if own > mostGiB/2 {
		list = list[1:]
	}
	return list
}

// withHost is a setup with other host memory, of which as large a part may hold tensors; without any
// before, all.
func withHost(s *core.Setup, host unit.Bytes) core.Setup {
	x := *s
	x.Node.Host = host
	if s.Node.Host > 0 {
		x.Options.HostLimit = unit.Bytes(unit.MulDiv(int64(s.Options.HostLimit), int64(host), int64(s.Node.Host)))
	} else {
		x.Options.HostLimit = host
	}
	return x
}

// A plan of a map: columns, of which the first may be none although the others do not begin there, and
// rows.
type grid struct {
	drives []int64
	hosts  []unit.Bytes
	of     [][]int64 // share of ideal by row and column, in millionths; 0 if it cannot run
	ran    [][]*core.Result
}

// at is the share of ideal of so many drives and so much host memory.
func (g *grid) at(drives int64, host unit.Bytes) int64 {
	return g.of[slices.Index(g.hosts, host)][slices.Index(g.drives, drives)]
}

// sweep runs all cells. Rows with little memory come first, because what runs with little says
// what more would do.
func (v *view) sweep(s *core.Setup) (*grid, error) {
	g := &grid{drives: columnsOf(s.Node.Drives), hosts: hostsOf(s.Node.Host)}
	if g.drives[0] > 0 {
		g.drives = slices.Insert(g.drives, 0, 0)
	}
	v.of = len(g.drives)*len(g.hosts) + 1
	ideal, err := v.idealTime(s)
	if err != nil {
		return nil, err
	}
	g.of, g.ran = make([][]int64, len(g.hosts)), make([][]*core.Result, len(g.hosts))
	for i, host := range slices.Backward(g.hosts) {
		for _, n := range g.drives {
			x := withHost(s, host)
			x.Node.Drives = n
			var less []*core.Result
			if k := len(g.ran[i]); k > 0 {
				less = append(less, g.ran[i][k-1])
			}
			if i+1 < len(g.hosts) {
				less = append(less, g.ran[i+1][len(g.ran[i])])
			}
			r, err := v.cell(&x, less...)
			if err != nil {
				return nil, err
			}
			g.of[i], g.ran[i] = append(g.of[i], r.OfIdeal(ideal)), append(g.ran[i], r)
		}
	}
	return g, nil
}

// worse finds by how much one drive more is slower at the worst, as a share; where says with
// how many drives.
func (g *grid) worse() (most float64, where int64) {
	for _, row := range g.of {
		for k := 1; k < len(row); k++ {
			if row[k] > 0 && row[k-1] > 0 && g.drives[k] == g.drives[k-1]+1 {
				if x := 1 - part(row[k], row[k-1]); x > most {
					most, where = x, g.drives[k]
				}
			}
		}
	}
	return most, where
}

// heat varies drives and host memory.
func (v *view) heat() (*report.Section, error) {
	if v.system.Bound {
		return v.perfect(), nil
	}
	s, says := v.smaller(mostOfMany)
	g, err := v.sweep(&s)
	if err != nil {
		return nil, err
	}
	shown := columnsOf(s.Node.Drives)
	m := report.Map{
		ID: "map", Title: "Throughput of " + v.system.Title + " against all in memory", X: "drives for each GPU", Y: "host memory", Grids: []string{""},
		Columns: len(shown), From: int(shown[0]), Classes: shares, Help: "Each cell is a run with that many drives and that much host memory.",
	}
	t := report.Table{Key: "map", Title: "Of the throughput with all in memory, by host memory and drives for each GPU", Head: []string{"Host memory"}}
	for _, n := range g.drives {
		name := driveCount(n)
		if n == s.Node.Drives {
			name += " (now)"
		}
		t.Head = append(t.Head, name)
	}
	for i, host := range g.hosts {
		name := hostName(host)
		m.Rows = append(m.Rows, name)
		if host == s.Node.Host {
			name += " (now)"
		}
		row := report.Row{Head: name}
		for k, n := range g.drives {
			if n >= shown[0] {
				m.Cells = append(m.Cells, shareClass(g.ran[i][k], g.of[i][k]))
			}
			if !g.ran[i][k].Ran() {
				row.Cells = append(row.Cells, report.Textf("cannot run"))
				continue
			}
			row.Cells = append(row.Cells, report.ShareCell(float64(g.of[i][k])/1e6))
		}
		t.Rows = append(t.Rows, row)
	}
	out := &report.Section{Text: []string{v.mapped(&s, g)}, Maps: []report.Map{m}, Tables: []report.Table{t}, Notes: []string{"Where host memory is less or more, the part of it that may hold tensors is so in proportion. The limit of an array (Machine) stands, so that drives beyond it bring nothing."}}
	if x, n := g.worse(); x >= 0.001 {
		out.Text = append(out.Text, fmt.Sprintf("One drive more is slower in places, most with %s: %s less. "+anew, forEach(n), prose.Percent(x)))
	}
	if says != "" {
		out.Text = append(out.Text, says)
	}
	return out, nil
}

// driveCount is how many drives a GPU has.
func driveCount(n int64) string {
	if n == 0 {
		return "no drives"
	}
	return prose.Count(n, "drive")
}

// forEach is that in a sentence.
func forEach(n int64) string {
	if n == 0 {
		return "no drives"
	}
	return prose.Count(n, "drive") + " for each GPU"
}

// hostName is an amount of host memory.
func hostName(n unit.Bytes) string {
	if n == 0 {
		return "none"
	}
	return n.String()
}

// mapped is the finding of a map.
func (v *view) mapped(s *core.Setup, g *grid) string {
	has := forEach(s.Node.Drives)
	host := fmt.Sprintf("%v of host memory", s.Node.Host)
	if s.Node.Host == 0 {
		host = "no host memory"
	}
	of := func(x int64) string {
		if x == 0 {
			return "it cannot run"
		}
		return prose.Percent(float64(x) / 1e6)
	}
	now := g.at(s.Node.Drives, s.Node.Host)
	if now == 0 {
		for i := range slices.Backward(g.hosts) {
			for k, x := range g.of[i] {
				if x > 0 {
					return fmt.Sprintf("With %s and %s %s cannot run it; with %s and host memory of %s it can, at %s of the throughput with all in memory.", has, host, v.system.Title, forEach(g.drives[k]), hostName(g.hosts[i]), prose.Percent(float64(x)/1e6))
				}
			}
		}
		return fmt.Sprintf("%s cannot run it with any number of drives and any host memory of this map: %s", v.system.Title, g.ran[0][len(g.drives)-1].Reason)
	}
	said := fmt.Sprintf("With %s and %s %s reaches %s of the throughput with all in memory", has, host, v.system.Title, of(now))
	var others []string
	if s.Node.Drives > 0 {
		others = append(others, "without drives "+of(g.at(0, s.Node.Host)))
	}
	if s.Node.Host > 0 {
		others = append(others, "without host memory "+of(g.at(s.Node.Drives, 0)))
	}
	others = append(others, fmt.Sprintf("with the most of both %s", of(g.of[0][len(g.drives)-1])))
	return said + "; " + prose.List(others) + "."
}

// idealTime is that of GPUs that hold everything; it is one of v.of.
func (v *view) idealTime(s *core.Setup) (unit.Time, error) {
	r, err := v.run(s, core.Systems[0].Name, false)
	if err != nil {
		return 0, err
	}
	return r.Time, nil
}

// rates are those of a GPU's drives that are tried.
var rates = []unit.Bandwidth{4 * unit.GBps, 8 * unit.GBps, 16 * unit.GBps, 32 * unit.GBps, 48 * unit.GBps, 64 * unit.GBps}

// rated runs the system with drives of all rates, each with the plan for slower ones too.
func (v *view) rated(s *core.Setup) (list []*core.Result, err error) {
	for _, rate := range rates {
		x := *s
		n := &x.Node
		n.Drives = max(1, n.Drives)
		n.ArrayCap, n.ArrayShare = rate, 1000
		each := rate / unit.Bandwidth(n.Drives)
		if n.Shared {
			each = rate
		}
		n.Drive.Read, n.Drive.Write = each, each
		var less []*core.Result
		if k := len(list); k > 0 {
			less = list[k-1:]
		}
		r, err := v.cell(&x, less...)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// roofline varies the rate of drives.
func (v *view) roofline() (*report.Section, error) {
	if v.system.Bound {
		return v.perfect(), nil
	}
	s, says := v.smaller(mostOfFew)
	v.of = len(rates) + 1
	ideal, err := v.idealTime(&s)
	if err != nil {
		return nil, err
	}
	t := report.Table{Key: "rates",
		Title: "Throughput of " + v.system.Title + " by the rate of a GPU's drives", Head: []string{"Rate, each way", "Throughput", "Of all in memory", "From and to a GPU's drives", "At least so long at this rate", "Which is at most, of all in memory"},
	}
	near, slower, last, lastRate := unit.Bandwidth(0), "", int64(0), unit.Bandwidth(0)
	reason, ran := "", false
	list, err := v.rated(&s)
	if err != nil {
		return nil, err
	}
	for i, rate := range slices.Backward(rates) { // what the fastest drives are not used for, slower ones are not either
		r := list[i]
		row := report.Row{Head: rate.String()}
		if !r.Ran() {
			reason = r.Reason
			row.Cells = []report.Cell{report.Textf("cannot run it"), report.DashCell(), report.DashCell(), report.DashCell(), report.DashCell()}
			t.Rows = append(t.Rows, row)
			continue
		}
		ran = true
		of := r.OfIdeal(ideal)
		read, written := unit.Bytes(0), unit.Bytes(0)
		if v.system.Drives {
			for _, a := range r.Node.Arrays {
				read, written = max(read, r.Links[a.Read].Bytes), max(written, r.Links[a.Write].Bytes)
			}
		}
		if i == len(rates)-1 && read+written == 0 {
			return &report.Section{Text: []string{fmt.Sprintf("%s moves nothing from or to drives here, however fast they are: it reaches %s of the throughput with all in memory with any.", v.system.Title, prose.Percent(float64(of)/1e6))}}, nil
		}
		if last > 0 && part(of, last) > 1.001 {
			slower = fmt.Sprintf("Drives of %v are slower here than drives of %v. %s", lastRate, rate, anew)
		}
		last, lastRate = of, rate
		floor := rate.Time(max(read, written))
		row.Cells = []report.Cell{
			report.Textf("%s tokens/s", prose.ThreeDigits(float64(r.TokenRate())/1000)).With(float64(r.TokenRate())/1000, "tokens/s"), report.ShareCell(float64(of) / 1e6), bytesCell(read + written), report.TimeCell(floor),
			report.ShareCell(min(1, part(ideal, max(ideal, floor)))),
		}
		if of >= 900_000 {
			near = rate
		}
		t.Rows = append(t.Rows, row)
	}
	slices.Reverse(t.Rows)
	finding := fmt.Sprintf("With drives of %[2]v for each GPU, in each direction, %[1]s passes nine tenths of the throughput with all in memory.", v.system.Title, near)
	switch {
	case !ran:
		finding = v.system.Title + " cannot run it, whatever the drives: " + reason
	case near == 0:
		finding = fmt.Sprintf("Even with drives of %v for each GPU, %s stays below nine tenths of the throughput with all in memory.", rates[len(rates)-1], v.system.Title)
	}
	if node, err := v.s.Node.Build(); err == nil && ran {
		if read, write := arrayRates(node); read == 0 {
			finding += " This machine has none now."
		} else if v.s.Node.Shared {
			finding += fmt.Sprintf(" This machine's, which all GPUs share, read %v and write %v.", read, write)
		} else {
			finding += fmt.Sprintf(" This machine's read %v and write %v for each GPU.", read, write)
		}
	}
	out := &report.Section{Text: []string{finding}, Tables: []report.Table{t}, Notes: []string{
		"The rate is that of one GPU's drives, in each direction; reads and writes go at the same time. The last two columns are the roofline: what this run moves in the busier direction cannot take less time. PCIe and the host's path stay as they are.",
	}}
	if !ran {
		out.Tables, out.Notes = nil, nil
	}
	for _, x := range []string{slower, says} {
		if x != "" {
			out.Text = append(out.Text, x)
		}
	}
	return out, nil
}
