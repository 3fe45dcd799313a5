// Package g10 is the evaluation of the G10 paper (MICRO 2023) as data: what its
// artifact and its text publish, how that is taken from a run, and how the
// figures are drawn. [Paper] has all of it; the rest of the package are tables
// that this simulator measured on the paper's headline workloads.
package g10

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/study"
	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/system"
	"spillway/sim/unit"
)

// Systems are the names of the systems that the paper evaluates, in the order of
// its figures. The study is about them alone, whatever others there are.
var Systems = []string{"ideal", "uvm", "flashneuron", "deepum+", "g10-gds", "g10-host", "g10"}

// Subject is the paper's own system, Bound the one that others are compared with.
const Subject, Bound = "g10", "ideal"

// Speedups are the pairs of systems whose speedup the paper's conclusions are about: the
// first over the second.
var Speedups = [][2]string{{"ideal", "uvm"}, {"g10", "uvm"}, {"g10", "deepum+"}}

// Title returns what the paper calls the system with this stable name.
func Title(system string) string {
	if name, ok := names[system]; ok {
		return name
	}
	if s, err := train.Find(system); err == nil {
		return s.Title
	}
	return system
}

// names are the paper's names of its systems, and quantities in words.
var names = map[string]string{
	"ideal": "Ideal", "uvm": "Base UVM", "flashneuron": "FlashNeuron", "deepum+": "DeepUM+",
	"g10-gds": "G10-GDS", "g10-host": "G10-Host", "g10": "G10",
	"iteration": "iteration time", "compute": "compute time", "overlap": "overlap time", "stall": "stall time",
	"ssd_in": "SSD → GPU", "ssd_out": "GPU → SSD", "host_in": "host → GPU", "host_out": "GPU → host",
	"normalized": "× ideal", "slow_1": "kernels over 1.01×", "slow_10": "kernels over 1.1×",
	"slow_p75": "slowdown, 75th percentile", "slow_p90": "slowdown, 90th percentile", "slow_p95": "slowdown, 95th percentile",
	"slow_p99": "slowdown, 99th percentile", "slow_max": "slowdown, worst",
}

// networks are the paper's names.
var networks = map[string]string{
	"bert-base": "BERT", "vit-s-32": "ViT", "inception-v3": "Inceptionv3", "resnet-152": "ResNet152", "senet-154": "SENet154",
}

// Network returns the paper's name of a model and batch: "BERT-256".
func Network(model string, batch int) string { return fmt.Sprintf("%s-%d", networks[model], batch) }

//go:embed published.csv
var publishedCSV string

//go:embed slowdowns.csv
var slowdownsCSV string

// A Point is one published number of the G10 evaluation and what it is measured
// on. Values are exact, all are below 2^53; units are cycles of 1.2 GHz, ms,
// pages of 4 KiB, ratio, share and ×. Source is the artifact's file under
// src/configs.
type Point struct {
	study.Point
	Model string // as in the model zoo
	Batch int
	// HostGiB, Link, SSD, Noise and Seed say how the run differs from Table 2.
	HostGiB   int64
	Link, SSD unit.Bandwidth
	Noise     int64 // thousandths
	Seed      int64
}

// Published returns all points of the artifact's tables (published.csv), in
// figure order.
func Published() []Point {
	var points []Point
	parts := machine.Knobs()
	for _, f := range records("published.csv", publishedCSV)[1:] {
		p := Point{
			Point: study.Point{Figure: f[0], Quantity: f[1], System: f[4], Fits: f[10] != "does-not-fit", Unit: f[11], Source: f[12]},
			Model: f[2], Batch: int(integer(f[3])), HostGiB: integer(f[5]),
			Link: bandwidth(f[6]), SSD: bandwidth(f[7]), Noise: integer(f[8]), Seed: integer(f[9]),
		}
		if p.Fits {
			p.Value = number(f[10])
		}
		p.describe(parts)
		points = append(points, p)
	}
	return points
}

// Slowdowns returns what the study keeps of Figure 13's published curves, as
// points: the share of kernels slowed by more than 1 % and by more than 10 %,
// and quantiles of kernel time over ideal time.
func Slowdowns() []Point {
	rows := records("slowdowns.csv", slowdownsCSV)
	g, parts := machine.G10(), machine.Knobs()
	var points []Point
	for _, f := range rows[1:] {
		for i, quantity := range rows[0][5:] {
			p := Point{
				Point: study.Point{Figure: "13", Quantity: quantity, System: f[2], Source: f[3], Fits: true, Unit: "×", Value: number(f[5+i])},
				Model: f[0], Batch: int(integer(f[1])), HostGiB: 128, Link: g.GPULink, SSD: g.SSDRead, Seed: 1,
			}
			if _, ok := quantileOf(quantity); !ok {
				p.Unit = "share"
			}
			p.describe(parts)
			points = append(points, p)
		}
	}
	return points
}

// All returns every published number that figures show: Published, with
// Slowdowns where Figure 13 belongs.
func All() []Point {
	ps := append(Published(), Slowdowns()...)
	slices.SortStableFunc(ps, func(a, b Point) int { return int(integer(a.Figure) - integer(b.Figure)) })
	return ps
}

// Headline returns one point for each of the five workloads of Figure 11, in
// the figure's order: G10's published time.
func Headline() []Point {
	return slices.DeleteFunc(Published(), func(p Point) bool {
		return p.Figure != "11" || p.Quantity != "iteration" || p.System != "g10"
	})
}

// Request returns the run that p was measured by, in as-published mode.
func (p *Point) Request() train.Request {
	q := train.Request{System: p.System, Machine: p.machine(), Options: system.Published()}
	q.Options.Noise, q.Options.Seed = p.Noise, p.Seed
	return q
}

func (p *Point) machine() machine.Machine {
	m := machine.G10()
	m.HostMemory = unit.Bytes(p.HostGiB) * unit.GiB
	m.GPULink, m.HostLink, m.SSDRead = p.Link, p.Link, p.SSD
	m.SSDWrite = machine.SSDWriteFor(p.SSD)
	return m
}

// describe says for people and as a setup what p is measured on; parts are the
// machine's knobs.
func (p *Point) describe(parts []knob.Knob[machine.Machine]) {
	p.Of = Network(p.Model, p.Batch)
	switch p.Figure {
	case "16", "17":
		p.At = fmt.Sprintf("host %d GiB", p.HostGiB)
	case "18":
		p.At = fmt.Sprintf("SSD %g GB/s", float64(p.SSD)/1e9)
	case "19":
		p.At = fmt.Sprintf("error ±%d %%", p.Noise/10)
	}
	p.Workload = is(p.Model, p.Batch)
	p.Set = p.Workload + mode
	on, base := p.machine(), machine.G10()
	for i := range parts {
		if k := &parts[i]; k.Get(&on) != k.Get(&base) {
			p.Set += " " + k.Key + "=" + k.Text(&on)
		}
	}
	if p.Noise != 0 {
		p.Set += " noise=" + knob.Decimal(p.Noise, 1000)
	}
	if p.Seed != 1 {
		p.Set += " seed=" + strconv.FormatInt(p.Seed, 10)
	}
}

// is is the part of a setup text that says what runs.
func is(model string, batch int) string { return fmt.Sprintf("model=%s batch=%d", model, batch) }

// mode is what follows it in every setup of the paper: kernel times by its model,
// unless files bring measured ones, and the published simulator with its
// accidents.
const mode = " times=as-paper mode=published"

// records reads an embedded CSV file with its heading. The files are part of the
// program: a test reads each.
func records(name, text string) [][]string {
	r := csv.NewReader(strings.NewReader(text))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		panic("g10: " + name + ": " + err.Error())
	}
	return rows
}

func integer(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic("g10: " + err.Error())
	}
	return n
}

func number(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("g10: " + err.Error())
	}
	return x
}

func bandwidth(s string) unit.Bandwidth { return unit.Bandwidth(math.Round(number(s) * 1e9)) }
