package filesys

import (
	"fmt"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/latency"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// quantiles of latencies are told, in thousandths.
var quantiles = []struct {
	key, label string
	part       int64
}{{"p50", "half", 500}, {"p95", "95 %", 950}, {"p99", "99 %", 990}, {"p999", "99.9 %", 999}}

// kinds are reads and writes, by [device.Reads] and [device.Writes].
var kinds = [device.Directions]struct {
	key, label string
	code       call.Code
}{{"read", "reads", call.Read}, {"write", "writes", call.Write}}

// latencies are those of reads or of writes, and the longest.
func (r *result) latencies(way int) (*latency.Counts, unit.Time) {
	if device.Direction(way) == device.Reads {
		return &r.ReadLatency, r.Longest
	}
	return &r.WriteLatency, r.LongestWrite
}

// ofAlone are the numbers of an SSD by itself; of file systems there are none.
func ofAlone() (ns []report.Measure[*result]) {
	add := func(q report.Quantity, f func(r *result) float64) {
		ns = append(ns, report.Number(q, func(r *result) float64 {
			if r.Requests == nil {
				return report.None()
			}
			return f(r)
		}))
	}
	add(report.Quantity{Key: "iops", Label: "Requests answered", Unit: "k/s", Places: 1, Better: 1, Help: "Thousand reads and writes a second, to the SSD alone."}, func(r *result) float64 {
		return ratio(float64(r.Tallies[call.Read].Count+r.Tallies[call.Write].Count)*float64(unit.Millisecond), float64(r.Time))
	})
	add(report.Quantity{Key: "flash_amp", Label: "Write amplification of the flash", Unit: "×", Places: 2, Better: -1, Help: "Pages programmed over pages that requests wrote: what garbage collection copies is in it."}, func(r *result) float64 { return costs(r.Result) })
	for way, kind := range kinds {
		share := func(key, label string, least func(r *result) unit.Time) {
			add(report.Quantity{Key: kind.key + "_gc" + key, Label: "Collection in " + label, Unit: "%", Places: 1, Better: -1, Help: "What of their time requests to the SSD alone wait for garbage collection."}, func(r *result) float64 {
				if r.Tallies[kind.code].Count == 0 {
					return report.None()
				}
				return float64(r.Requests.Of[way].Beyond(least(r))) / 10
			})
		}
		share("", kind.label, func(*result) unit.Time { return 0 })
		for _, q := range quantiles[1:] {
			share("_"+q.key, fmt.Sprintf("the slowest %s of %s", slowest(q.part), kind.label), func(r *result) unit.Time {
				counts, longest := r.latencies(way)
				return counts.Quantile(q.part, longest)
			})
		}
		add(report.Quantity{Key: kind.key + "_gc_worst", Label: "Collection in the longest of " + kind.label, Unit: "%", Places: 1, Better: -1, Help: "What of its time that request to the SSD alone waits for garbage collection."}, func(r *result) float64 {
			return 100 * ratio(float64(r.Requests.Of[way].WorstCollecting), float64(r.Requests.Of[way].Worst))
		})
	}
	wear := func(key, label, help string, f func(q *core.Requests) float64) {
		add(report.Quantity{Key: key, Label: label, Places: 2, Better: -1, Help: help + " Of the run, not of what was written before."}, func(r *result) float64 { return f(r.Requests) })
	}
	wear("wear_least", "Erases of the least worn block", "A block of the SSD alone.", func(q *core.Requests) float64 { return float64(q.Least) })
	wear("wear_mean", "Erases of a block", "The mean block of the SSD alone.", func(q *core.Requests) float64 { return ratio(float64(q.Erases), float64(q.Blocks)) })
	wear("wear_most", "Erases of the most worn block", "A block of the SSD alone.", func(q *core.Requests) float64 { return float64(q.Most) })
	return ns
}

// slowest says how many are slower than a quantile.
func slowest(part int64) string { return prose.ThreeDigits(float64(1000-part)/10) + " %" }

// costs is pages programmed over pages that requests wrote.
func costs(r *core.Result) float64 {
	by := &r.Device.FlashPrograms
	return ratio(float64(by[device.ByHost]+by[device.ByCollection]), float64(by[device.ByHost]))
}

// showingAlone shows what requests to the SSD alone wait for.
func showingAlone(x *seen) (*report.Section, error) {
	r, err := x.Run()
	if err != nil {
		return nil, err
	}
	switch {
	case r.refused != "":
		return &report.Section{Text: []string{r.refused + "."}}, nil
	case r.Requests == nil:
		return &report.Section{Text: []string{fmt.Sprintf("%s is a file system. The SSD alone takes requests of blocks without one: choose it as the system, and such a workload.", find(x.System).Title)}}, nil
	}
	return &report.Section{
		Text:   []string{r.waits()},
		Tables: []report.Table{r.waiting(), r.flash()},
		Notes: []string{
			"A latency goes from the request, in an open loop from its time in the recording, to its answer, and is off by a fifth at most, but for the longest. Beside it stands what of the time of requests that take at least as long is waiting for garbage collection: at a channel, or for a place in the write buffer that a waiting program has.",
			"Wear is that of the run. Blocks are taken in the order in which they became free; nothing moves cold data to worn blocks.",
		},
	}, nil
}

// waits is the finding.
func (r *result) waits() string {
	way := int(device.Writes)
	if r.Tallies[call.Write].Count == 0 {
		way = int(device.Reads)
	}
	counts, longest := r.latencies(way)
	at := counts.Quantile(990, longest)
	said := fmt.Sprintf("99 %% of %s are answered within %v. Of the time of slower ones %s is garbage collection", kinds[way].label, at, prose.Percent(float64(r.Requests.Of[way].Beyond(at))/1000))
	by := &r.Device.FlashPrograms
	switch {
	case by[device.ByHost] == 0:
	case by[device.ByCollection] == 0 && r.Requests.Erases > 0:
		said += "; it copied no page, so each page written costs one program of flash, but each erase holds a channel"
	default:
		said += fmt.Sprintf("; each page written costs %s programs of flash", prose.ThreeDigits(costs(r.Result)))
	}
	return said + "."
}

// waiting lists latencies.
func (r *result) waiting() report.Table {
	t := report.Table{Key: "latencies", Title: "Latencies, and what of requests that take as long or longer is collection", Head: []string{"Requests"}}
	for _, kind := range kinds {
		t.Head = append(t.Head, prose.Capital(kind.label), "Collection")
	}
	row := func(label string, f func(way int) (unit.Time, float64)) {
		x := report.Row{Head: label}
		for way, kind := range kinds {
			if r.Tallies[kind.code].Count == 0 {
				x.Cells = append(x.Cells, report.DashCell(), report.DashCell())
				continue
			}
			at, share := f(way)
			x.Cells = append(x.Cells, report.Textf("%v", at), report.Cell{Text: prose.Percent(share), Share: share}.WithShare(share))
		}
		t.Rows = append(t.Rows, x)
	}
	for _, q := range quantiles {
		row(prose.Capital(q.label)+" within", func(way int) (unit.Time, float64) {
			counts, longest := r.latencies(way)
			at := counts.Quantile(q.part, longest)
			return at, float64(r.Requests.Of[way].Beyond(at)) / 1000
		})
	}
	row("The longest", func(way int) (unit.Time, float64) {
		w := &r.Requests.Of[way]
		return w.Worst, float64(w.WorstCollecting) / max(1, float64(w.Worst))
	})
	row("Mean, and all", func(way int) (unit.Time, float64) {
		tally := &r.Tallies[kinds[way].code]
		return mean(tally.Time, tally.Count), float64(r.Requests.Of[way].Beyond(0)) / 1000
	})
	return t
}

// flash says what requests cost the flash.
func (r *result) flash() report.Table {
	t := report.Table{Key: "flash", Title: "What it does, and what that costs the flash", Head: []string{"", "The SSD alone"}}
	row := func(label string, c report.Cell) {
		t.Rows = append(t.Rows, report.Row{Head: label, Cells: []report.Cell{c}})
	}
	second := max(1, float64(r.Time)) / float64(unit.Second)
	q, by := r.Requests, &r.Device.FlashPrograms
	row("Requests a second", report.CountCell(int64(float64(r.Calls)/second)))
	row("Read a second", report.BytesCell(float64(r.Asked[device.Reads])/second))
	row("Written a second", report.BytesCell(float64(r.Asked[device.Writes])/second))
	row("Pages programmed for requests", countCell(by[device.ByHost]))
	row("Pages that collection copied", countCell(by[device.ByCollection]))
	amp := report.DashCell()
	if by[device.ByHost] > 0 {
		amp = report.Textf("%s", times(costs(r.Result))).With(costs(r.Result), "")
	}
	row("Write amplification", amp)
	row("Blocks", countCell(q.Blocks))
	row("Erases of the least worn block", report.CountCell(q.Least))
	row("Erases of a block, mean", report.Textf("%s", prose.ThreeDigits(float64(q.Erases)/max(1, float64(q.Blocks)))).With(float64(q.Erases)/max(1, float64(q.Blocks)), ""))
	row("Erases of the most worn block", report.CountCell(q.Most))
	return t
}
