package kerneltime

import (
	"math"

	"spillway/sim/unit"
)

// A multiplier is a GPU's engine as the law of products sees it.
type multiplier struct {
	peak, sustained float64 // operations a second, and the share of them that a large product reaches
	sms             float64
	memory          float64    // bytes a second that a product moves
	start           float64    // seconds
	depth           float64    // how many further steps along K a tile's beginning and end take
	narrow          [5]float64 // the share of its rate that a tile keeps, by how often it is halved
	whole           float64    // how far a wave of tiles that is not full counts as full
}

// tiles are the parts of a result that a multiprocessor computes, and how often each is half
// of 128×128.
var tiles = [...]struct {
	rows, columns float64
	halved        int
}{{256, 128, 0}, {128, 128, 0}, {128, 64, 1}, {64, 64, 2}, {64, 32, 3}, {32, 32, 4}}

// A shape is products of M×K by K×N.
type shape struct {
	batch, m, n, k float64
	bytes          float64 // that all of them move
	step           float64 // of K, to which a part is rounded up; 0 is none
	splits         float64 // into how many parts K is cut at most
}

// product returns how long computing s and moving its bytes take, in seconds, for the tile
// and the split that make the larger of both least.
func (x *multiplier) product(s shape) (compute, memory float64) {
	m, n := max(s.m, s.n), min(s.m, s.n)
	rate := x.peak / x.sms * x.sustained
	var blocks, step [len(tiles)]float64 // on a multiprocessor, and the time of a step along K
	for i := range tiles {
		t := &tiles[i]
		blocks[i] = s.batch * math.Ceil(m/t.rows) * math.Ceil(n/t.columns) / x.sms
		step[i] = 2 * t.rows * t.columns / (rate * x.narrow[t.halved])
	}
	best, results := math.Inf(1), s.batch*m*n
	for z := 1.0; z <= s.splits; z *= 2 {
		moved := s.bytes
		if z > 1 { // sums of parts are written and read in 4 bytes
			moved += float64(8 * z * results)
		}
		moving := moved / x.memory
		if moving >= best {
			break // more parts move more
		}
		k := s.k / z
		if s.step > 0 {
			k = s.step * math.Ceil(k/s.step)
		}
		k += x.depth
		for i := range tiles {
			waves := z * blocks[i]
			waves = float64(x.whole*math.Ceil(waves)) + float64((1-x.whole)*max(waves, 1))
			computing := waves * step[i] * k
			if both := max(computing, moving); both < best {
				best, compute, memory = both, computing, moving
			}
		}
	}
	return compute, memory
}

// multiplier is the GPU's engine for products in a setting; without tensor cores it is the
// FP32 units.
func (g *GPU) multiplier(e Engine, in Setting) (x multiplier, used Engine) {
	used = g.engine(e)
	x = multiplier{sms: float64(g.SMs), memory: float64(g.Bandwidth) * 0.80}
	if used == FP32Units {
		x.peak, x.sustained = float64(g.FP32), g.fp32Share(in)
		x.start, x.depth, x.whole, x.narrow = 6e-6, 33, 0.47, fp32Narrow
		if g.Family != Hopper {
			x.memory = float64(g.Bandwidth) * 0.66
		}
		return x, used
	}
	x.peak = float64(g.peak(used))
	x.sustained = g.tensorShare(in)
	if used == FP8Cores {
		x.sustained *= fp8Share
	}
	x.start, x.depth, x.whole, x.narrow = 4.8e-6, 72, 0.52, tensorNarrow
	return x, used
}

// What tiles keep of their rate when they are halved: 0.58 and 0.86 each time.
var (
	tensorNarrow = powers(0.58)
	fp32Narrow   = powers(0.86)
)

func powers(x float64) (p [5]float64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * x
	}
	return p
}

// alignment is to how many elements tensor cores round a dimension up.
func (e Engine) alignment() float64 {
	switch e {
	case TF32Cores:
		return 4
	case HalfCores:
		return 8
	case FP8Cores:
		return 16
	}
	return 1
}

// up is x rounded up to a multiple of to.
func up(x, to float64) float64 { return to * math.Ceil(x/to) }

// size is a dimension, at least 1.
func size(n int64) float64 { return float64(max(n, 1)) }

// Time returns how long one kernel takes on g; Count is left to [Step.Time].
func Time(g *GPU, p Policy, k *Kernel) Estimate {
	var start, compute, memory float64
	switch k.Class {
	case Product, BatchedProduct:
		start, compute, memory = g.matrices(p, k)
	case ConvForward, ConvData, ConvWeight:
		start, compute, memory = g.convolution(p, k)
	case AttentionForward, AttentionBackward:
		start, compute, memory = g.attention(p, k)
	default:
		start, memory = g.moving(k)
	}
	return g.estimate(k.Class, start, compute, memory)
}

// estimate is what starting, computing and moving make of a kernel of a class, in seconds.
func (g *GPU) estimate(class Class, start, compute, memory float64) Estimate {
	longer := g.longer(class)
	e := Estimate{
		Start: picoseconds(start * longer), Compute: picoseconds(compute * longer), Memory: picoseconds(memory * longer),
		Band: kernelBands[class][g.Ground],
	}
	e.Time = most(e.Start, max(e.Compute, e.Memory))
	switch {
	case e.Start > max(e.Compute, e.Memory):
		e.Bound = Start
	case e.Compute >= e.Memory:
		e.Bound = Compute
	default:
		e.Bound = Memory
	}
	return e
}

// picoseconds is a span in seconds as a time, rounded.
func picoseconds(s float64) unit.Time {
	if s >= float64(longest)/1e12 {
		return longest
	}
	return unit.Time(math.Round(s * 1e12))
}

// Unshaped is how long a kernel takes of which only the class, the operations and the bytes are known,
// as recordings say: a large product's share of the peak, long attention's, or what the class moves.
// Element is the size of an element, 0 what the precision says.
func Unshaped(g *GPU, p Policy, class Class, element unit.Bytes, operations int64, bytes unit.Bytes) Estimate {
	const long = 1024 // tokens of a sequence and elements of heads that nobody said
	var start, compute, memory float64
	work, moved := float64(max(operations, 0)), float64(max(bytes, 0))
	switch class {
	case Product, BatchedProduct:
		x, _ := g.multiplier(p.Precision.Products(), p.Setting)
		start, compute, memory = x.start, work/(x.peak*x.sustained), moved/x.memory
	case ConvForward, ConvData, ConvWeight:
		x, used := g.multiplier(p.Precision.Convolutions(), p.Setting)
		x.sustained *= g.convolutionShare(class, used, &image{c: 1, groups: 1, stride: 1})
		start, compute, memory = x.start, work/(x.peak*x.sustained), moved/(float64(g.Bandwidth)*0.85)
	case AttentionForward, AttentionBackward:
		k := Kernel{Class: class}
		rate := float64(g.peak(g.engine(p.Precision.Products()))) * g.attentionShare(p.Setting, &k, 64)
		start, compute, memory = 4.8e-6, work/(rate*long/(long+g.attentionHalf(k.Attention, false))), moved/(float64(g.Bandwidth)*g.movedShare())
	default:
		k := Kernel{Class: class, Bytes: bytes, Element: element}
		if class == BatchNorm { // which reads its tensors more than once, forward and backward alike
			k.Passes = PassesBatchNorm / 2
		}
		start, memory = g.moving(&k)
	}
	return g.estimate(class, start, compute, memory)
}

// element is the size of an element of k.
func (k *Kernel) element(p Policy) float64 {
	if k.Element > 0 {
		return float64(k.Element)
	}
	return float64(p.Precision.Element())
}

// matrices is matrix products, batched or one.
func (g *GPU) matrices(p Policy, k *Kernel) (start, compute, memory float64) {
	x, used := g.multiplier(p.Precision.Products(), p.Setting)
	a := used.alignment()
	s := shape{batch: size(k.Batch), m: up(size(k.M), a), n: up(size(k.N), a), k: up(size(k.K), a), step: 32, splits: 32}
	s.bytes = k.element(p) * s.batch * (float64(s.m*s.k) + float64(s.k*s.n) + float64(s.m*s.n))
	compute, memory = x.product(s)
	return x.start, compute, memory
}

// convolution is one of the three products of a convolution, implicit: its operands are
// moved once.
func (g *GPU) convolution(p Policy, k *Kernel) (start, compute, memory float64) {
	x, used := g.multiplier(p.Precision.Convolutions(), p.Setting)
	c := k.image()
	element, tensors := k.element(p), float64(c.n*c.c*c.h*c.w)+float64(c.n*c.k*c.p*c.q)
	bytes := float64(element * (tensors + float64(c.k*c.c/c.groups*c.window))) // rounded, because twice something is a sum to the compiler
	rate := float64(g.Bandwidth) * g.movedShare()
	if c.groups > 1 && c.groups == c.c { // depthwise: a window for each channel
		if k.Class == ConvWeight {
			bytes *= 2
		}
		return movingStart, 0, bytes / rate
	}
	x.sustained *= g.convolutionShare(k.Class, used, &c)
	x.memory = float64(g.Bandwidth) * 0.85
	a := used.alignment()
	s := shape{batch: c.groups, bytes: bytes, splits: 4}
	channels, filters := up(c.c/c.groups, a), up(c.k/c.groups, a)
	switch k.Class {
	case ConvForward:
		s.m, s.n, s.k = c.n*c.p*c.q, filters, channels*c.window
	case ConvData:
		s.m, s.n, s.k = c.n*c.h*c.w, channels, filters*c.window/(c.stride*c.stride)
	default:
		s.m, s.n, s.k, s.splits = channels*c.window, filters, c.n*c.p*c.q, 32
	}
	compute, memory = x.product(s)
	if used != FP32Units && k.Layout == NCHW && p.Setting != Alone { // to NHWC and back; for one kernel in a loop a library finds another
		change := 2 * element * tensors / (1.83 * rate)
		compute, memory = compute+change, memory+change
	}
	return x.start, compute, memory
}

// An image is a convolution's shape with all that follows from it.
type image struct {
	n, c, h, w, k, p, q    float64
	window, stride, groups float64
	three                  bool // a window of 3×3
}

// image is the shape of a convolution.
func (k *Kernel) image() image {
	c := image{n: size(k.Batch), c: size(k.C), h: size(k.H), w: size(k.W), k: size(k.K), stride: size(k.Stride), groups: size(k.Groups)}
	pad, r, s := 2*float64(max(k.Pad, 0)), size(k.R), size(k.S)
	c.p = max(1, math.Floor((c.h+pad-r)/c.stride)+1)
	c.q = max(1, math.Floor((c.w+pad-s)/c.stride)+1)
	c.window, c.three = r*s, r == 3 && s == 3
	return c
}

// attention is a fused kernel: its operations at its own rate, or its operands once.
func (g *GPU) attention(p Policy, k *Kernel) (start, compute, memory float64) {
	heads, q, kv, d := size(k.Heads), size(k.SeqQ), size(k.SeqKV), size(k.HeadDim)
	operations := 4 * size(k.Batch) * heads * q * kv * d
	few, many := heads, heads
	if k.KVHeads > 0 {
		few = min(size(k.KVHeads), heads)
	}
	bytes := 2 * k.element(p) * size(k.Batch) * d * (float64(many*q) + float64(few*kv))
	if k.Causal {
		operations /= 2
	}
	if k.Class == AttentionBackward {
		operations, bytes = 2.5*operations, 2.5*bytes
	}
	rate := g.attentionPeak(p.Precision, k.Attention) * g.attentionShare(p.Setting, k, d)
	half := g.attentionHalf(k.Attention, k.Causal)
	rate *= kv / (kv + half)
	return 4.8e-6, operations / rate, bytes / (float64(g.Bandwidth) * g.movedShare())
}

// movingStart is the start of kernels that only move, in seconds.
const movingStart = 3e-6

// moving is a kernel that the memory bounds.
func (g *GPU) moving(k *Kernel) (start, memory float64) {
	bytes := float64(max(k.Bytes, 0))
	rate := float64(g.Bandwidth) * g.movedShare() * g.classShare(k)
	if g.Cache >= 40*unit.MiB && bytes <= 0.8*float64(g.Cache) {
		rate *= k.Class.cached()
	}
	if k.Passes > 0 {
		bytes *= k.Passes
	}
	return movingStart, bytes / rate
}
