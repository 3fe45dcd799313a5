package g10

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"spillway/sim/train"
)

// A Look finds the value of a point, published or ours. known is false when
// nobody has measured it yet.
type Look func(p *Point) (value float64, fits, known bool)

// AsPublished looks a point up in the paper's artifact.
func AsPublished(p *Point) (value float64, fits, known bool) { return p.Value, p.Fits, true }

// A Mark is one place in a drawn figure.
type Mark struct {
	Panel  string  // the small chart it is in: "BERT-256"
	Series string  // the line or bar it belongs to
	Part   string  // of a stacked bar
	X      float64 // on the horizontal axis of lines
	Y      float64
	Fits   bool
	Known  bool
}

// A Kind says how a figure is drawn.
type Kind uint8

// The kinds of figure.
const (
	Bars    Kind = iota // one bar a panel and series
	Stacks              // bars of parts
	Lines               // Y over X, one small chart a panel
	Curves              // sorted kernel slowdowns, one small chart a panel
	Shares              // memory over kernels
	Lengths             // sorted lengths of inactive periods
	Sizes               // length and size of inactive periods
)

// A Figure is one figure of the G10 paper's evaluation or motivation.
type Figure struct {
	ID      string // "11"
	Title   string
	Section string // of the paper
	Says    string // what the paper concludes from it, in our words
	Remark  string // how our drawing or the published data differ from the paper's
	Kind    Kind
	X, Y    string // axes, with units
	LogY    bool
	plot    func(c *canvas)
}

// Figures returns the reproduced figures in the order of the paper.
func Figures() []Figure {
	return []Figure{
		{
			ID: "2", Title: "Memory of active tensors and of all tensors", Section: "§3", Kind: Shares, LogY: true,
			X: "kernel", Y: "% of peak",
			Says:   "What a kernel uses is a small part of what the iteration keeps: mostly under 10 %, 1 % on average.",
			Remark: "From our analysis of the tensors' lifetimes; the artifact publishes no values. As in its script, a running maximum over 6 kernels (all) and 12 kernels (active).",
		},
		{
			ID: "3", Title: "Lengths of inactive periods", Section: "§3", Kind: Lengths, LogY: true,
			X: "% of periods", Y: "µs",
			Says:   "Tensors stay unused for long: over 60 % of the periods of the convolutional networks last more than 10⁷ µs, about half of those of the transformers more than 10⁵ µs.",
			Remark: "From our analysis of the tensors' lifetimes; the artifact publishes no values.",
		},
		{
			ID: "4", Title: "Inactive periods by length and tensor size", Section: "§3", Kind: Sizes, LogY: true,
			X: "µs", Y: "bytes",
			Says:   "Both vary over many orders of magnitude, in Inceptionv3-512 from 10 µs to 100 s and from 10 KB to 2.7 GB, and 60 to 80 % of the periods are long enough to hide a swap.",
			Remark: "From our analysis of the tensors' lifetimes; the artifact publishes no values.",
		},
		{
			ID: "11", Title: "Training performance of all systems", Section: "§7.2", Kind: Bars, Y: "× ideal",
			Says:   "G10 reaches 90.3 % of a GPU with unlimited memory on average (geometric mean), 1.56 times FlashNeuron and 1.31 times DeepUM+.",
			Remark: "FlashNeuron cannot run ViT and Inceptionv3 at these batch sizes.",
			plot:   (*canvas).performance,
		},
		{
			ID: "12", Title: "Execution time by activity", Section: "§7.2", Kind: Stacks, Y: "% of time",
			Says:   "G10 stalls least, because its migrations run while kernels compute.",
			Remark: "As the artifact's script draws it: Base UVM's overlap is taken from its stall.",
			plot:   (*canvas).breakdown,
		},
		{
			ID: "13", Title: "Slowdown of kernels", Section: "§7.2", Kind: Curves, LogY: true, X: "% of kernels, sorted", Y: "× ideal",
			Says:   "Over half of Base UVM's kernels are slowed, 4 to 30 % of FlashNeuron's and DeepUM+'s, 1 to 6 % of G10's.",
			Remark: "The worst quarter of the kernels. Of the published curves the study keeps quantiles and counts. We compare the iteration that the artifact reports, the faster one; the paper draws the second, which differs for Base UVM.",
			plot:   (*canvas).slowdown,
		},
		{
			ID: "14", Title: "Migration traffic", Section: "§7.2", Kind: Stacks, Y: "GiB",
			Says:   "Base UVM and DeepUM+ move more than needed. G10 sends most of the transformers' traffic to host memory and over half of the convolutional networks' to the SSD.",
			Remark: "As the artifact counts it, FlashNeuron's traffic is all SSD traffic.",
			plot:   (*canvas).traffic,
		},
		{
			ID: "15", Title: "Throughput over batch size", Section: "§7.3", Kind: Lines, X: "batch size", Y: "samples/s",
			Says: "G10 stays closest to ideal at every batch size, up to 2.67 times FlashNeuron and 1.45 times DeepUM+.",
			plot: (*canvas).batches,
		},
		{
			ID: "16", Title: "G10 over host memory", Section: "§7.4", Kind: Lines, X: "host memory, GiB", Y: "s",
			Says: "For most networks with small batches 32 GB of host memory are enough.",
			plot: (*canvas).hostMemory,
		},
		{
			ID: "17", Title: "G10, DeepUM+ and FlashNeuron over host memory", Section: "§7.4", Kind: Lines, X: "host memory, GiB", Y: "s",
			Says:   "Without host memory G10 is 2.58 times as fast as DeepUM+ and 1.04 times as fast as FlashNeuron; with it 1.26 and 1.33 times.",
			Remark: "FlashNeuron uses no host memory; its one value is drawn for all sizes, as in the paper.",
			plot:   (*canvas).hostSystems,
		},
		{
			ID: "18", Title: "All systems over SSD bandwidth", Section: "§7.5", Kind: Lines, X: "SSD bandwidth, GB/s", Y: "% of ideal",
			Says:   "With PCIe 4.0, up to 12.8 GB/s of SSD bandwidth bring G10 to 90 to 100 % of ideal; FlashNeuron and DeepUM+ stay at 70 to 80 % for BERT and ViT.",
			Remark: "All links at 32 GB/s.",
			plot:   (*canvas).ssdBandwidth,
		},
		{
			ID: "19", Title: "G10 under wrong kernel times", Section: "§7.6", Kind: Bars, Y: "× no error",
			Says:   "With kernel times off by up to ±20 % G10 loses under 0.5 %.",
			Remark: "Same seed and generator as the artifact. ±25 % is computed and compared, and as in the paper not drawn.",
			plot:   (*canvas).errors,
		},
	}
}

// FindFigure returns the figure with this ID.
func FindFigure(id string) (Figure, bool) {
	fs := Figures()
	if i := slices.IndexFunc(fs, func(f Figure) bool { return f.ID == id }); i >= 0 {
		return fs[i], true
	}
	return Figure{}, false
}

// Points returns the published numbers that belong to the figure.
func (f *Figure) Points() []Point {
	return slices.DeleteFunc(All(), func(p Point) bool { return p.Figure != f.ID })
}

// Marks returns what the figure draws of the values that look finds, in the
// order of drawing. Figures of kinds Shares, Lengths and Sizes have none.
func (f *Figure) Marks(points []Point, look Look) []Mark {
	if f.plot == nil {
		return nil
	}
	c := &canvas{points: points, look: look}
	f.plot(c)
	return c.marks
}

// A canvas collects the marks of one figure.
type canvas struct {
	points []Point
	look   Look
	marks  []Mark
}

// networks are the paper's names.
var networks = map[string]string{
	"bert-base": "BERT", "vit-s-32": "ViT", "inception-v3": "Inceptionv3", "resnet-152": "ResNet152", "senet-154": "SENet154",
}

// Network returns the paper's name of a model and batch: "BERT-256".
func Network(model string, batch int) string { return fmt.Sprintf("%s-%d", networks[model], batch) }

// panel names the small chart p is in, by network and batch.
func panel(p *Point) string { return Network(p.Model, p.Batch) }

// Title returns the system's name for people.
func Title(p *Point) string {
	if p.System == "ideal" {
		return "Ideal"
	}
	s, err := train.Find(p.System)
	if err != nil {
		return p.System
	}
	return s.Title
}

// find returns the value of the first point that match accepts.
func (c *canvas) find(match func(p *Point) bool) (value float64, fits, known bool) {
	for i := range c.points {
		if match(&c.points[i]) {
			return c.look(&c.points[i])
		}
	}
	return 0, false, false
}

// ideal returns the ideal time that p is normalized to.
func (c *canvas) ideal(p *Point) (value float64, known bool) {
	value, _, known = c.find(func(q *Point) bool {
		return q.System == "ideal" && q.Metric == "iteration" && q.Model == p.Model && q.Batch == p.Batch && q.SSD == p.SSD && q.Link == p.Link
	})
	return value, known
}

// same returns another metric of p's run.
func (c *canvas) same(p *Point, metric string) (value float64, fits, known bool) {
	return c.find(func(q *Point) bool { return q.Metric == metric && q.Run() == p.Run() })
}

func (c *canvas) performance() {
	for i := range c.points {
		p := &c.points[i]
		if p.System == "ideal" {
			continue
		}
		m := Mark{Panel: panel(p), Series: Title(p)}
		t, fits, known := c.look(p)
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
		if p.Metric != "overlap" {
			continue
		}
		names := [...]string{"overlap", "compute", "stall"}
		var v [3]float64
		m := Mark{Panel: panel(p), Series: Title(p), Fits: true, Known: true}
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
		if p.Metric != "ssd_in" {
			continue
		}
		for _, part := range [...][3]string{{"GPU-SSD", "ssd_in", "ssd_out"}, {"GPU-host", "host_in", "host_out"}} {
			in, fits, known := c.same(p, part[1])
			out, _, also := c.same(p, part[2])
			m := Mark{Panel: panel(p), Series: Title(p), Part: part[0], Fits: fits, Known: known && also}
			if m.Fits && m.Known {
				m.Y = (in + out) * 4096 / (1 << 30)
			}
			c.marks = append(c.marks, m)
		}
	}
}

// line adds p as a mark of a line.
func (c *canvas) line(p *Point, panel, series string, x float64, y func(value float64) (float64, bool)) {
	m := Mark{Panel: panel, Series: series, X: x}
	v, fits, known := c.look(p)
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
		c.line(p, networks[p.Model], Title(p), float64(p.Batch), func(v float64) (float64, bool) {
			return float64(p.Batch) / (v / artifactClock), true
		})
	}
}

func (c *canvas) hostMemory() {
	for i := range c.points {
		p := &c.points[i]
		c.line(p, networks[p.Model], fmt.Sprint(p.Batch), float64(p.HostGiB), seconds)
	}
	slices.SortStableFunc(c.marks, func(a, b Mark) int {
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
			c.line(p, panel(p), Title(p), float64(p.HostGiB), seconds)
			continue
		}
		for _, x := range [...]float64{0, 16, 32, 64, 128, 256} {
			c.line(p, panel(p), Title(p), x, seconds)
		}
	}
}

func (c *canvas) ssdBandwidth() {
	for i := range c.points {
		p := &c.points[i]
		if p.System == "ideal" {
			continue
		}
		c.line(p, panel(p), Title(p), float64(p.SSD)/1e9, func(v float64) (float64, bool) {
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
		m := Mark{Panel: panel(p), Series: fmt.Sprintf("±%d %%", p.Noise/10)}
		v, fits, known := c.look(p)
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
		if q, ok := quantileOf(p.Metric); ok {
			c.line(p, panel(p), Title(p), 100*q, func(v float64) (float64, bool) { return math.Max(v, 1), true })
		}
	}
}

// Memory reports whether the figure shows the tensors' lifetimes, Figures 2 to
// 4, so that it needs no simulation and has no published values.
func (f *Figure) Memory() bool { return f.Kind == Shares || f.Kind == Lengths || f.Kind == Sizes }
