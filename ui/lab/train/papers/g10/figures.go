package g10

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"spillway/sim/study"
)

// figures returns the reproduced figures in the order of the paper.
func figures(all []Point) []study.Figure {
	plot := func(figure string, draw func(*canvas)) func(study.Look) []study.Mark {
		points := of(all, figure)
		return func(look study.Look) []study.Mark {
			c := &canvas{points: points, look: look}
			draw(c)
			return c.marks
		}
	}
	return []study.Figure{
		{
			ID: "2", Title: "Memory of active tensors and of all tensors", Section: "§3", Kind: study.Curves, Analyses: analyses(), Panels: workloads(),
			Axes:   study.Axes{X: "% of the iteration's kernels", Y: "% of peak", Right: 100, LogY: true, Least: 0.01, Most: 100},
			Colors: map[string]string{allTensors: "system-0", activeTensors: "system-6"},
			Says:   "What a kernel uses is a small part of what the iteration keeps: mostly under 10 %, 1 % on average.",
			Remark: unpublished + " As in its script, a running maximum over 6 kernels (all) and 12 kernels (active).",
		},
		{
			ID: "3", Title: "Lengths of inactive periods", Section: "§3", Kind: study.Curves, Analyses: analyses(),
			Axes:   study.Axes{X: "periods, sorted by length, %", Y: "µs", Right: 100, LogY: true, Least: 1},
			Colors: map[string]string{"BERT-128": "system-1", "ViT-512": "system-3", "ResNet152-512": "system-5", "Inceptionv3-512": "system-6"},
			Says:   "Tensors stay unused for long: over 60 % of the periods of the convolutional networks last more than 10⁷ µs, about half of those of the transformers more than 10⁵ µs.",
			Remark: unpublished,
		},
		{
			ID: "4", Title: "Inactive periods by length and tensor size", Section: "§3", Kind: study.Dots, Analyses: analyses(), Panels: workloads(),
			Axes:   study.Axes{X: "length of the period, µs", Y: "bytes", LogX: true, LogY: true},
			Colors: map[string]string{periodDots: "system-6"},
			Says:   "Both vary over many orders of magnitude, in Inceptionv3-512 from 10 µs to 100 s and from 10 KB to 2.7 GB, and 60 to 80 % of the periods are long enough to hide a swap.",
			Remark: unpublished,
		},
		{
			ID: "11", Title: "Training performance of all systems", Section: "§7.2", Kind: study.Bars, Axes: study.Axes{Y: "× ideal"},
			Says:   "G10 reaches 90.3 % of a GPU with unlimited memory on average (geometric mean), 1.56 times FlashNeuron and 1.31 times DeepUM+.",
			Remark: "The paper says that FlashNeuron cannot run ViT and Inceptionv3 at these batch sizes; whether it can here is among the claims.",
			Marks:  plot("11", (*canvas).performance),
		},
		{
			ID: "12", Title: "Execution time by activity", Section: "§7.2", Kind: study.Stacks, Axes: study.Axes{Y: "% of time", Most: 100}, Whole: true,
			Colors: map[string]string{"Overlap": "overlap", "Compute": "compute", "Stall": "stall"},
			Says:   "G10 stalls least, because its migrations run while kernels compute.",
			Remark: "As the artifact's script draws it: Base UVM's overlap is taken from its stall.",
			Marks:  plot("12", (*canvas).breakdown),
		},
		{
			ID: "13", Title: "Slowdown of kernels", Section: "§7.2", Kind: study.Curves,
			Axes:   study.Axes{X: "% of kernels, sorted", Y: "× ideal", Left: 75, Right: 100, LogY: true, Least: 1},
			Read:   "The circle at 100 % is the worst kernel.",
			Says:   "Over half of Base UVM's kernels are slowed, 4 to 30 % of FlashNeuron's and DeepUM+'s, 1 to 6 % of G10's.",
			Remark: "The worst quarter of the kernels. Of the published curves the study keeps quantiles and counts. We compare the iteration that the artifact reports, the faster one; the paper draws the second, which differs for Base UVM.",
			Marks:  plot("13", (*canvas).slowdown),
		},
		{
			ID: "14", Title: "Migration traffic", Section: "§7.2", Kind: study.Stacks, Axes: study.Axes{Y: "GiB"},
			Colors: map[string]string{"GPU-SSD": "ssd-in", "GPU-host": "host-in"},
			Says:   "Base UVM and DeepUM+ move more than needed. G10 sends most of the transformers' traffic to host memory and over half of the convolutional networks' to the SSD.",
			Remark: "As the artifact counts it, FlashNeuron's traffic is all SSD traffic.",
			Marks:  plot("14", (*canvas).traffic),
		},
		{
			ID: "15", Title: "Throughput over batch size", Section: "§7.3", Kind: study.Lines, Axes: study.Axes{X: "batch size", Y: "samples/s", FromZero: true},
			Says:  "G10 stays closest to ideal at every batch size, up to 2.67 times FlashNeuron and 1.45 times DeepUM+.",
			Marks: plot("15", (*canvas).batches),
		},
		{
			ID: "16", Title: "G10 over host memory", Section: "§7.4", Kind: study.Lines, Axes: study.Axes{X: "host memory, GiB", Y: "s"},
			Read:  "One line a batch size.",
			Says:  "For most networks with small batches 32 GB of host memory are enough.",
			Marks: plot("16", (*canvas).hostMemory),
		},
		{
			ID: "17", Title: "G10, DeepUM+ and FlashNeuron over host memory", Section: "§7.4", Kind: study.Lines, Axes: study.Axes{X: "host memory, GiB", Y: "s"},
			Says:   "Without host memory G10 is 2.58 times as fast as DeepUM+ and 1.04 times as fast as FlashNeuron; with it 1.26 and 1.33 times.",
			Remark: "FlashNeuron uses no host memory; its one value is drawn for all sizes, as in the paper.",
			Marks:  plot("17", (*canvas).hostSystems),
		},
		{
			ID: "18", Title: "All systems over SSD bandwidth", Section: "§7.5", Kind: study.Lines, Axes: study.Axes{X: "SSD bandwidth, GB/s", Y: "% of ideal"},
			Says:   "With PCIe 4.0, up to 12.8 GB/s of SSD bandwidth bring G10 to 90 to 100 % of ideal; FlashNeuron and DeepUM+ stay at 70 to 80 % for BERT and ViT.",
			Remark: "All links at 32 GB/s.",
			Marks:  plot("18", (*canvas).ssdBandwidth),
		},
		{
			ID: "19", Title: "G10 under wrong kernel times", Section: "§7.6", Kind: study.Bars, Axes: study.Axes{Y: "× no error", Least: 0.99, Most: 1.005},
			Says:   "With kernel times off by up to ±20 % G10 loses under 0.5 %.",
			Remark: "Same seed and generator as the artifact. ±25 % is computed and compared, and as in the paper not drawn.",
			Marks:  plot("19", (*canvas).errors),
		},
	}
}

// unpublished is said of the figures that have no published values.
const unpublished = "From our analysis of the tensors' lifetimes; the artifact publishes no values."

// A canvas collects the marks of one figure.
type canvas struct {
	points []Point
	look   study.Look
	marks  []study.Mark
}

// mark begins the mark of p's system in the small chart of its workload.
func mark(p *Point) study.Mark {
	return study.Mark{Panel: p.Of, Series: Title(p.System), System: p.System}
}

// find returns the value of the first point that match accepts.
func (c *canvas) find(match func(p *Point) bool) (value float64, fits, known bool) {
	for i := range c.points {
		if match(&c.points[i]) {
			return c.look(&c.points[i].Point)
		}
	}
	return 0, false, false
}

// ideal returns the ideal time that p is normalized to.
func (c *canvas) ideal(p *Point) (value float64, known bool) {
	value, _, known = c.find(func(q *Point) bool {
		return q.System == "ideal" && q.Quantity == "iteration" && q.Model == p.Model && q.Batch == p.Batch && q.SSD == p.SSD && q.Link == p.Link
	})
	return value, known
}

// same returns another quantity of p's run.
func (c *canvas) same(p *Point, quantity string) (value float64, fits, known bool) {
	return c.find(func(q *Point) bool { return q.Quantity == quantity && q.Run() == p.Run() })
}

func (c *canvas) performance() {
	for i := range c.points {
		p := &c.points[i]
		if p.System == "ideal" {
			continue
		}
		m := mark(p)
		t, fits, known := c.look(&p.Point)
		ideal, also := c.ideal(p)
		if m.Fits, m.Known = fits, known && also; m.Fits && m.Known {
			m.Y = ideal / t
		}
		c.marks = append(c.marks, m)
	}
}

func (c *canvas) breakdown() {
	for i := range c.points {
		p := &c.points[i]
		if p.Quantity != "overlap" {
			continue
		}
		names := [...]string{"overlap", "compute", "stall"}
		var v [3]float64
		m := mark(p)
		m.Fits, m.Known = true, true
		for k, name := range names {
			x, fits, known := c.same(p, name)
			v[k], m.Fits, m.Known = x, m.Fits && fits, m.Known && known
		}
		total := v[0] + v[1] + v[2]
		for k, part := range [...]string{"Overlap", "Compute", "Stall"} {
			if m.Part = part; m.Fits && m.Known && total > 0 {
				m.Y = 100 * v[k] / total
			}
			c.marks = append(c.marks, m)
		}
	}
}

func (c *canvas) traffic() {
	for i := range c.points {
		p := &c.points[i]
		if p.Quantity != "ssd_in" {
			continue
		}
		for _, part := range [...][3]string{{"GPU-SSD", "ssd_in", "ssd_out"}, {"GPU-host", "host_in", "host_out"}} {
			in, fits, known := c.same(p, part[1])
			out, _, also := c.same(p, part[2])
			m := mark(p)
			m.Part, m.Fits, m.Known = part[0], fits, known && also
			if m.Fits && m.Known {
				m.Y = (in + out) * 4096 / (1 << 30)
			}
			c.marks = append(c.marks, m)
		}
	}
}

// line adds p as the mark m of a line, at x.
func (c *canvas) line(p *Point, m study.Mark, x float64, y func(value float64) (float64, bool)) {
	m.X = x
	v, fits, known := c.look(&p.Point)
	if m.Fits, m.Known = fits, known; fits && known {
		m.Y, m.Known = y(v)
	}
	c.marks = append(c.marks, m)
}

// artifactClock is the frequency with which the artifact's scripts turn cycles
// into seconds.
const artifactClock = 1.2e9

func seconds(v float64) (float64, bool) { return v / artifactClock, true }

func (c *canvas) batches() {
	for i := range c.points {
		p := &c.points[i]
		m := mark(p)
		m.Panel = networks[p.Model]
		c.line(p, m, float64(p.Batch), func(v float64) (float64, bool) {
			return float64(p.Batch) / (v / artifactClock), true
		})
	}
}

func (c *canvas) hostMemory() {
	for i := range c.points {
		p := &c.points[i]
		c.line(p, study.Mark{Panel: networks[p.Model], Series: fmt.Sprint(p.Batch)}, float64(p.HostGiB), seconds)
	}
	slices.SortStableFunc(c.marks, func(a, b study.Mark) int {
		if a.Panel != b.Panel || a.Series != b.Series {
			return 0
		}
		return cmp.Compare(a.X, b.X)
	})
}

func (c *canvas) hostSystems() {
	for i := range c.points {
		p := &c.points[i]
		if p.System != "flashneuron" {
			c.line(p, mark(p), float64(p.HostGiB), seconds)
			continue
		}
		for _, x := range [...]float64{0, 16, 32, 64, 128, 256} {
			c.line(p, mark(p), x, seconds)
		}
	}
}

func (c *canvas) ssdBandwidth() {
	for i := range c.points {
		p := &c.points[i]
		if p.System == "ideal" {
			continue
		}
		c.line(p, mark(p), float64(p.SSD)/1e9, func(v float64) (float64, bool) {
			ideal, known := c.ideal(p)
			return 100 * ideal / v, known
		})
	}
}

func (c *canvas) errors() {
	for i := range c.points {
		p := &c.points[i]
		if p.Noise > 200 {
			continue
		}
		m := study.Mark{Panel: p.Of, Series: fmt.Sprintf("±%d %%", p.Noise/10)}
		v, fits, known := c.look(&p.Point)
		base, _, also := c.find(func(q *Point) bool { return q.Noise == 0 && q.Model == p.Model && q.Batch == p.Batch })
		if m.Fits, m.Known = fits, known && also; m.Fits && m.Known {
			m.Y = v / base
		}
		c.marks = append(c.marks, m)
	}
}

func (c *canvas) slowdown() {
	for i := range c.points {
		p := &c.points[i]
		if q, ok := quantileOf(p.Quantity); ok {
			c.line(p, mark(p), 100*q, func(v float64) (float64, bool) { return math.Max(v, 1), true })
		}
	}
}
