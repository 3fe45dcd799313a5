package recording

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Moved says how recorded times became those of another GPU.
type Moved struct {
	// From is the recorded GPU, or what it is taken to be, nil where the law does not know it: then kernels whose shapes
	// are known take what the law says, and others what was recorded.
	From, To *kerneltime.GPU
	// Before is the time of the launches as recorded, without what ran beside others, After
	// what it became.
	Before, After unit.Time
	// ByShape, ByClass and Kept are the parts of Before: of kernels whose shapes are known, of
	// those whose class is, and of what stays as it was, such as communication and copies.
	ByShape, ByClass, Kept unit.Time
	// Instead says what was computed where To has no such numbers; empty where it has.
	Instead string
}

// A ClassTime is the kernels of one class, on a GPU that they were not measured on.
type ClassTime struct {
	Class         kerneltime.Class // one of those with its word
	Kernels       int
	Before, After unit.Time // as recorded, 0 where it was not, and there
	Shaped        unit.Time // of After, of kernels whose shapes are known
	Band          int64     // how far off eight of ten kernels are at most, in percent
}

// classed adds a kernel to those of its class.
func (f *folding) classed(class kerneltime.Class, from *kerneltime.GPU, before, after unit.Time, shaped bool) {
	at := slices.IndexFunc(f.rep.Classes, func(c ClassTime) bool { return c.Class.Word() == class.Word() })
	if at < 0 {
		at = len(f.rep.Classes)
		f.rep.Classes = append(f.rep.Classes, ClassTime{Class: class})
	}
	c := &f.rep.Classes[at]
	c.Kernels++
	c.Before, c.After = c.Before+before, c.After+after
	if shaped {
		c.Shaped += after
	}
	c.Band = max(c.Band, kerneltime.ClassBand(class, from, f.gpu, shaped))
}

// DeviceGPU is the recorded GPU as the law of kernel times knows it, nil if it does not.
func (r *Recording) DeviceGPU() *kerneltime.GPU {
	if r.Device.Name == "" {
		return nil
	}
	g := kerneltime.Find(r.Device.Name)
	if g == nil || r.Device.Memory == 0 {
		return g
	}
	for _, x := range kerneltime.GPUs() { // of a name that there is with several sizes of memory
		if near := x.Memory - r.Device.Memory; x.Family == g.Family && x.SMs == g.SMs && x.FP16 == g.FP16 && x.Memory != g.Memory && near >= 0 && near < x.Memory/8 {
			return kerneltime.Find(x.Key)
		}
	}
	return g
}

// move gives launches the times of the GPU that was asked for, where that is not the recorded
// one: in parts of what they add to the busy time, so that what ran beside others does so still.
func (f *folding) move() error {
	from := f.rec.DeviceGPU()
	if d := &f.rec.Device; from == nil {
		from = kerneltime.Like(text(d.Name), d.Major, d.Minor, d.SMs, d.Memory)
	}
	switch {
	case f.rec.Times == workload.Estimated:
		f.rep.Band = f.estimatedBand()
		for p, i := range f.order {
			if k := &f.step.Kernels[i]; k.Kind == Compute {
				f.classed(k.Class, nil, 0, f.times[p], k.Shape != nil)
			}
		}
		f.sortClasses()
		return nil
	case f.gpu == nil || from != nil && from.Key == f.gpu.Key:
		return nil
	}
	m, kind := &Moved{From: from, To: f.gpu}, f.kind()
	f.most = f.mostly()
	for p, i := range f.order {
		k, t := &f.step.Kernels[i], f.times[p]
		m.Before += t
		is, part, says := f.other(k, from, t)
		m.Instead = cmp.Or(m.Instead, says)
		at := part(m)
		if *at += t; at != &m.Kept {
			class := kerneltime.Copy
			switch {
			case k.Shape != nil:
				class = k.Shape.Class
			case k.Kind == Compute:
				class = DeedOf(k.Name, k.Op).Class
			}
			f.classed(class, from, t, is, k.Shape != nil)
		}
		f.times[p] = is
		m.After += is
		if m.After > mostTime {
			return fmt.Errorf("the kernels of step %q would take more than %v on the %s", f.step.Name, mostTime, f.gpu.Name)
		}
	}
	f.sortClasses()
	f.rep.Moved, f.rep.Band = m, unknownBand
	if from != nil {
		f.rep.Band = kerneltime.MovedBand(kind, from, f.gpu, unit.MulDiv(100, int64(m.ByClass), int64(max(1, m.Before))))
	}
	return nil
}

// sortClasses puts the class that takes longest first.
func (f *folding) sortClasses() {
	slices.SortStableFunc(f.rep.Classes, func(a, b ClassTime) int { return cmp.Compare(b.After, a.After) })
}

// mostly is what elements most of the time of kernels has that say it, as Deed has it, if that is
// 2 bytes: of what they say nothing is the same then. The optimizer, whose elements are those of
// its state, and copies from the host do not count.
func (f *folding) mostly() (d Deed) {
	var wide, half, brain unit.Time
	for i := range f.step.Kernels {
		k := &f.step.Kernels[i]
		switch x := f.deed(k); {
		case k.Kind != Compute || x.Class == kerneltime.Optimizer:
		case x.Element > 2:
			wide += f.last(k)
		case x.Element == 2 && x.Units == kerneltime.BF16:
			brain += f.last(k)
		case x.Element == 2:
			half += f.last(k)
		}
	}
	if half+brain <= wide {
		return Deed{}
	}
	d.Element, d.Units = 2, kerneltime.FP16
	if brain > 0 { // what a shape alone says to have 2 bytes is that, too
		d.Units = kerneltime.BF16
	}
	return d
}

// deed is what a kernel does, by names and by its shape.
func (f *folding) deed(k *Kernel) Deed {
	d := DeedOf(k.Name, k.Op)
	if k.Shape != nil && k.Shape.Element > 0 && k.Shape.Element != d.Element {
		d.Element, d.Units = k.Shape.Element, kerneltime.TF32Conv
		if k.Shape.Element == 2 && f.most.Element == 2 {
			d.Units = f.most.Units
		}
	}
	if d.Element == 0 && f.most.Element > 0 {
		d.Element, d.Units = f.most.Element, f.most.Units
	}
	return d
}

// other is how long a launch takes on the other GPU that adds t to the busy time, of which part of
// it that is, and what was computed instead.
func (f *folding) other(k *Kernel, from *kerneltime.GPU, t unit.Time) (unit.Time, func(*Moved) *unit.Time, string) {
	kept := func(m *Moved) *unit.Time { return &m.Kept }
	d := f.deed(k)
	switch k.Kind {
	case Communication, HostToDevice, DeviceToHost:
		return t, kept, ""
	case DeviceToDevice, Memset:
		d.Class = kerneltime.Copy
	}
	lasts := max(f.last(k), 1)
	part := func(all unit.Time) unit.Time { // of a launch's whole time what t is of it
		return min(unit.Time(unit.MulDiv(int64(t), int64(all), int64(lasts))), workload.MaxTime)
	}
	on := cmp.Or(from, f.gpu)
	p, says := d.policy(on), ""
	if d.Class >= kerneltime.Product {
		says = f.gpu.Instead(p.Precision)
	}
	switch {
	case k.Shape != nil && from == nil:
		return part(kerneltime.Time(f.gpu, p, k.Shape).Time), func(m *Moved) *unit.Time { return &m.ByShape }, says
	case k.Shape != nil:
		return part(kerneltime.Moved(lasts, from, f.gpu, p, k.Shape)), func(m *Moved) *unit.Time { return &m.ByShape }, says
	case from == nil:
		return t, kept, ""
	}
	return part(kerneltime.MovedByClass(lasts, from, f.gpu, p, d.Class, d.Element)), func(m *Moved) *unit.Time { return &m.ByClass }, says
}

// kind is what a network is as far as bands go: one of images where convolutions take more
// time than products.
func (f *folding) kind() kerneltime.Kind {
	var convolutions, products unit.Time
	for p, i := range f.order {
		k := &f.step.Kernels[i]
		class := k.Class
		if f.rec.Times != workload.Estimated {
			d := DeedOf(k.Name, k.Op)
			class = d.Class
		}
		switch class {
		case kerneltime.ConvForward, kerneltime.ConvData, kerneltime.ConvWeight:
			convolutions += f.times[p]
		case kerneltime.Product, kerneltime.BatchedProduct, kerneltime.AttentionForward, kerneltime.AttentionBackward:
			products += f.times[p]
		}
	}
	if convolutions > products {
		return kerneltime.Images
	}
	return kerneltime.Transformer
}

// The bands of recordings, in percent: of times of another GPU where the law does not know the
// recorded one, and what estimates have besides the law's own, in squares: where neither the
// version of PyTorch nor the layout of images is said, and where products are known by their
// operations alone.
const (
	unknownBand  = 50
	unsaidBand   = 15
	layoutBand   = 10
	unshapedBand = 40
)

// estimatedBand is the band of times that were not recorded.
func (f *folding) estimatedBand() int64 {
	var all, unshaped unit.Time
	for p, i := range f.order {
		k := &f.step.Kernels[i]
		all += f.times[p]
		if k.Class >= kerneltime.Product && k.Shape == nil {
			unshaped += f.times[p]
		}
	}
	kind := f.kind()
	squares := float64(unsaidBand * unsaidBand)
	if kind == kerneltime.Images {
		squares += layoutBand * layoutBand
	}
	own := float64(f.gpu.Band(kind, kerneltime.Compute))
	rest := unshapedBand * float64(unshaped) / float64(max(all, 1))
	return int64(math.Ceil(math.Sqrt(squares + float64(own*own) + float64(rest*rest))))
}

// Says is how times were moved, in a sentence or two.
func (m *Moved) Says() string {
	says := m.how()
	if m.Instead != "" {
		says += " " + m.Instead
	}
	return says
}

func (m *Moved) how() string {
	if m.From == nil {
		return fmt.Sprintf("Kernel times are those of the %s: by the law of kernel times for %s of the recorded time, whose shapes are known; the recorded GPU is not known to the law, so the rest stays as it was recorded.",
			m.To.Name, Percent(int64(m.ByShape), int64(m.Before)))
	}
	return fmt.Sprintf("Kernel times were measured on %s and moved to %s by the ratio of the law of kernel times: %v became %v; %s of it by the shapes of kernels, %s by their classes, and %s stays, as communication and copies do.",
		m.From.Name, m.To.Name, m.Before, m.After, Percent(int64(m.ByShape), int64(m.Before)), Percent(int64(m.ByClass), int64(m.Before)), Percent(int64(m.Kept), int64(m.Before)))
}
