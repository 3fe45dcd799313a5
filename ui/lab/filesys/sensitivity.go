package filesys

import (
	"fmt"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/machine"
	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// sensitiveTo is the knob that says what is varied.
const sensitiveTo = "sensitive_to"

// A variation is a list of settings of one part.
type variation struct {
	key, label string
	points     []point
}

// A point is one setting.
type point struct {
	label string
	set   func(m *machine.Setup)
}

// variations are those of the paper (Figures 13 and 14).
var variations = []variation{
	{"flash", "latency of flash", []point{flashPoint(3, 80), flashPoint(20, 30), flashPoint(40, 60), flashPoint(80, 120)}},
	{"link", "latency of the link", []point{linkPoint(4800, 600), linkPoint(1000, 400), linkPoint(175, 175)}},
	{"log", "DRAM for the log or the page buffer", []point{dramPoint(64), dramPoint(128), dramPoint(256), dramPoint(512)}},
}

func flashPoint(read, program int64) point {
	return point{fmt.Sprintf("%d / %d µs", read, program), func(m *machine.Setup) {
		m.Device.Read, m.Device.Program = unit.Time(read)*unit.Microsecond, unit.Time(program)*unit.Microsecond
	}}
}

func linkPoint(load, store int64) point {
	return point{fmt.Sprintf("%v / %v a line", unit.Time(load)*unit.Nanosecond, unit.Time(store)*unit.Nanosecond), func(m *machine.Setup) {
		m.Device.LineRead, m.Device.LineWrite = unit.Time(load)*unit.Nanosecond, unit.Time(store)*unit.Nanosecond
	}}
}

func dramPoint(size int64) point {
	return point{fmt.Sprintf("%d MiB", size), func(m *machine.Setup) { m.Device.DRAM = unit.Bytes(size) * unit.MiB }}
}

func sensitivityKnobs() []knob.Info {
	k := knob.Info{Key: sensitiveTo, Label: "Vary", Help: "What is varied, to the values of the paper's Figures 13 and 14.", Kind: knob.One, Default: variations[0].key}
	for _, x := range variations {
		k.Choices = append(k.Choices, knob.Choice{Key: x.key, Label: x.label})
	}
	return []knob.Info{k}
}

// sensitivity runs systems with other latencies or another log.
func (v *view) sensitivity() (*report.Section, error) {
	at := 0
	for i := range variations {
		if variations[i].key == v.look.Text(sensitiveTo) {
			at = i
		}
	}
	x, systems := &variations[at], v.compared()
	var jobs []job
	for _, p := range x.points {
		for _, sys := range systems {
			m := *v.s
			p.set(&m)
			jobs = append(jobs, job{system: sys, setup: m})
		}
	}
	results, err := v.all(jobs)
	if err != nil {
		return nil, err
	}
	of := func(p, s int) *core.Result { return results[p*len(systems)+s] }
	speed := report.Table{Key: "throughput", Title: "Throughput by " + x.label + ", thousand calls a second", Head: []string{"System"}}
	pages := report.Table{Key: "flash", Title: "Flash pages programmed and read", Head: []string{"System"}}
	for _, p := range x.points {
		speed.Head, pages.Head = append(speed.Head, p.label), append(pages.Head, p.label)
	}
	for s, sys := range systems {
		a, b := report.Row{Head: sys.Title}, report.Row{Head: sys.Title}
		for p := range x.points {
			top, best := 0.0, 0.0
			for i := range systems {
				best = max(best, rate(of(p, i)))
			}
			for q := range x.points {
				top = max(top, rate(of(q, s)))
			}
			n := rate(of(p, s))
			a.Cells = append(a.Cells, report.Cell{Text: prose.ThreeDigits(n), Share: n / max(top, 1e-9), Best: n == best}.With(1000*n, "1/s"))
			programs, reads := sum(of(p, s).Device.FlashPrograms), sum(of(p, s).Device.FlashReads)
			b.Cells = append(b.Cells, report.Textf("%s + %s", prose.Grouped(programs), prose.Grouped(reads)).Part("programs", float64(programs), "").Part("reads", float64(reads), ""))
		}
		speed.Rows, pages.Rows = append(speed.Rows, a), append(pages.Rows, b)
	}
	return &report.Section{
		Text:   []string{ahead(x, systems, of)},
		Tables: []report.Table{speed, pages},
		Notes:  []string{"Everything else is as set. A bar is a share of the system's own best; the fastest in each column stands out. The values are those of the paper's Figures 13 and 14, with one more point for the link. The paper does not vary Ext4, and its curves are not public."},
	}, nil
}

// ahead is the finding: how ByteFS and the system beside it change, and where it loses.
func ahead(x *variation, systems []*core.System, of func(p, s int) *core.Result) string {
	main := 0
	for i, s := range systems {
		if s.Main {
			main = i
		}
	}
	last := len(x.points) - 1
	said := fmt.Sprintf("From %s to %s ByteFS goes from %s to %s thousand calls a second.", x.points[0].label, x.points[last].label, prose.ThreeDigits(rate(of(0, main))), prose.ThreeDigits(rate(of(last, main))))
	var lost []string
	for p := range x.points {
		for s := range systems {
			if s != main && !systems[s].Off && rate(of(p, s)) > rate(of(p, main)) {
				lost = append(lost, fmt.Sprintf("%s with %s", systems[s].Title, x.points[p].label))
			}
		}
	}
	if len(lost) == 0 {
		return said + " It leads everywhere."
	}
	return said + " Faster than ByteFS: " + prose.List(lost) + "."
}
