package networks

import (
	"fmt"
	"strings"

	"spillway/sim/kerneltime"
)

// A Row is the setting of an end-to-end measurement, in the words of tables of them.
type Row struct {
	Kind   string // "conv/vit", "bert", "small batch, host bound"
	GPU    string
	Policy string // the precision
	Layout string // "nchw" or "nhwc"; empty is nchw
	Mode   string // "train", "infer" or "inference", "train-pre" (of BERT), "train-squad"
	Net    string
	// Batch is that of a micro-batch on one GPU, Side the images' height and width,
	// Sequence tokens; 0 is the usual one.
	Batch, Side, Sequence int64
	Accumulate            int64
	Optimizer             string // empty is the usual one, "none" stops behind the gradients
	Checkpoint            bool
	Source                string // who measured; what it says of a version of PyTorch counts
}

// Lower lowers the network of a row as whoever measured it ran it: attention unfused
// before PyTorch 2, and BERT by NVIDIA's examples, whose lists are those of PyTorch 1.8.
func (r *Row) Lower() (*Lowered, error) {
	name := r.Net
	if r.Mode == "train-pre" {
		name = strings.TrimSuffix(name, "-uncased") + "-pretraining"
	}
	n, err := Find(name)
	if err != nil {
		return nil, err
	}
	precision, ok := kerneltime.ParsePrecision(r.Policy)
	if !ok {
		return nil, fmt.Errorf("unknown precision %q; known are %s", r.Policy, strings.Join(kerneltime.Precisions(), ", "))
	}
	o := Options{
		Batch: r.Batch * max(r.Accumulate, 1), Side: r.Side, Sequence: r.Sequence, Precision: precision, Accumulate: r.Accumulate, Checkpoint: r.Checkpoint, Optimizer: r.Optimizer,
		Attention: kerneltime.Unfused,
	}
	switch strings.ToLower(r.Layout) {
	case "nhwc", "channels_last":
		o.Layout = kerneltime.NHWC
	case "", "nchw":
	default:
		return nil, fmt.Errorf("unknown layout %q; known are nchw and nhwc", r.Layout)
	}
	switch {
	case strings.HasPrefix(r.Mode, "infer"):
		o.Inference = true
	case r.Mode != "" && !strings.HasPrefix(r.Mode, "train"):
		return nil, fmt.Errorf("unknown mode %q; known are train, infer, train-pre and train-squad", r.Mode)
	}
	switch {
	case strings.Contains(r.Source, "pt2") || strings.Contains(r.Source, "PyTorch 2"):
		o.Attention = kerneltime.Flash2
	case n.Family == "BERT":
		o.PyTorch = 1
	case strings.Contains(r.Source, "pytorch-gpu-benchmark"): // whose training step clears gradients and updates nothing
		o.PyTorch = 1
		if o.Optimizer == "" {
			o.Optimizer = "none"
		}
	}
	return n.Lower(o)
}

// Processor is what started the kernels.
func (r *Row) Processor() kerneltime.Processor {
	if strings.Contains(r.Kind, "host") || strings.Contains(r.Source, "EPYC 7742") {
		return kerneltime.EPYC7742
	}
	return kerneltime.Today
}

// Time is how long an iteration takes on a GPU that p starts the kernels of, with the
// band of what kind of network it is.
func (l *Lowered) Time(g *kerneltime.GPU, p kerneltime.Processor) kerneltime.Estimate {
	if l.Options.Compile {
		p = kerneltime.Graphs
	}
	e := l.Fitted.Time(g, l.Policy, p)
	kind := kerneltime.Transformer
	if l.Network.Images() {
		kind = kerneltime.Images
	}
	e.Band = g.Band(kind, e.Bound)
	return e
}
