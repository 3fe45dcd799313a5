// Package kerneltimes holds public measurements of whole training steps on one GPU beside
// what the law of kernel times says of them: no paper, but the ground that every estimate
// of the laboratory stands on.
//
// # Sources
//
// Rates of published.csv are from the README files of NVIDIA's DeepLearningExamples
// (NVIDIA), lambdal/deeplearning-benchmark (Lambda), the result tables of timm
// (huggingface/pytorch-image-models, results/benchmark-train-amp-*.csv). Tables of inference, of
// single kernels, of servers with many GPUs and of batches that a processor of their own bounds
// are no runs of this laboratory: spillway estimate reads them, and
// traces/measured/VALIDATION.md has the errors of all.
package kerneltimes

import (
	"cmp"
	_ "embed" // for published
	"fmt"
	"math"
	"slices"
	"strings"

	"spillway/sim/kerneltime"
	"spillway/sim/study"
	"spillway/sim/train/result"
)

// ideal is the system whose iteration is kernels and nothing else.
const ideal = "ideal"

// rate is the quantity: samples a second.
const rate = "rate"

// The figures, by kind of network.
const (
	images = "images"
	bert   = "bert"
)

// Key is the paper's.
const Key = "kerneltimes"

//go:embed published.csv
var published string

// A row is one measurement.
type row struct {
	figure, network string
	gpu             *kerneltime.GPU
	precision       string
	layout          string // of images
	batch           float64
	set             string
	rate            float64
	source          string
}

// rows reads the table.
func rows() (list []row) {
	for _, f := range study.Records("published.csv", published) {
		r := row{figure: f[0], network: f[1], gpu: kerneltime.Find(f[2]), precision: f[3], layout: f[4], batch: study.Number(f[5]), rate: study.Number(f[8]), source: f[9]}
		if r.gpu == nil {
			panic("kerneltimes: no GPU " + f[2])
		}
		r.set = fmt.Sprintf("model=%s batch=%s times=estimated gpu=%s precision=%s", r.network, f[5], f[2], r.precision)
		if r.layout != "" {
			r.set += " layout=" + r.layout
		}
		if f[6] != "" {
			r.set += " image=" + f[6]
		}
		if f[7] != "" {
			r.set += " sequence=" + f[7]
		}
		if r.figure == bert {
			r.set += " attention=unfused pytorch=1.8"
		}
		list = append(list, r)
	}
	return list
}

// fittedTo begins the note on a row to which something was fitted.
const fittedTo = "fitted: "

// fitted says what of the law a row decided: with all other given rows of images what
// convolutions reach on a family of GPUs, and of BERT nothing.
func (r *row) fitted() string {
	if r.figure == bert {
		return "held out: nothing was fitted to BERT"
	}
	return fittedTo + "a share of convolutions for each family of GPUs"
}

// note is that, and what else must be known of the row.
func (r *row) note() string {
	text := r.fitted()
	if r.source == "Lambda" && r.figure == images {
		text += "; the layout is not stated, taken as NCHW"
	}
	if r.network == "vgg13" && r.layout == "nchw" {
		text += "; " + study.Doubtful + "slower than VGG-19 in the same table, which computes three quarters more"
	}
	return text
}

// at says what of the step a row varies.
func (r *row) at() string {
	parts := []string{r.precision}
	if r.layout != "" {
		parts = append(parts, strings.ToUpper(r.layout))
	}
	return strings.Join(append(parts, fmt.Sprintf("batch %.0f", r.batch)), ", ")
}

// kind is what bands call the network.
func (r *row) kind() kerneltime.Kind {
	if r.figure == bert {
		return kerneltime.Transformer
	}
	return kerneltime.Images
}

// Paper returns the measurements. Every call reads the table again.
func Paper() *study.Paper {
	p := study.Paper{
		Fitted: func(x *study.Point) bool { return strings.HasPrefix(x.Note, fittedTo) },
		Key:    Key, Short: "Kernel times (public measurements)",
		Title:   "Kernel times",
		About:   "Rates of whole training steps on one GPU that others have measured, and what the law of kernel times says of them: how good the ground is that estimates stand on.",
		Remark:  "A row is within when the estimate is inside the band that results show for its GPU. That band is of training and inference together; of the training steps of images alone eight of ten are within 15 %. Rows of images were fitted, what convolutions reach on each family of GPUs; rows of BERT were held out. Single kernels, inference and servers with many GPUs are in the table of validation.",
		Systems: []string{ideal}, Names: map[string]string{ideal: "Law of kernel times", rate: "samples a second"},
		Tolerance: 0.2, Rebuilt: 0.2, ClaimTolerance: 0.2,
		Why: func(r *study.Row) string {
			if math.Abs(r.Diff) > r.Limit {
				return "outside the band of its GPU; why is not known"
			}
			return ""
		},
	}
	for i, r := range rows() {
		band := float64(r.gpu.Band(r.kind(), kerneltime.Compute)) / 100
		p.Points = append(p.Points, study.Point{
			Figure: r.figure, Quantity: rate, System: ideal, Set: r.set, Workload: r.set, Of: r.network + " on " + r.gpu.Name, At: r.at(),
			Fits: true, Value: r.rate, Unit: "samples/s", Limit: band, Note: r.note(),
			Source: fmt.Sprintf("published.csv:%d (%s)", i+2, r.source),
		})
	}
	p.Figures = []study.Figure{
		figure(images, "Networks of images", p.Points),
		figure(bert, "BERT", p.Points),
	}
	return &p
}

// figure draws a kind of network: ours over what was measured, which is 1 everywhere, by GPU and
// the slowest network first.
func figure(id, title string, points []study.Point) study.Figure {
	var own []*study.Point
	for i := range points {
		if points[i].Figure == id {
			own = append(own, &points[i])
		}
	}
	slices.SortStableFunc(own, func(a, b *study.Point) int { return cmp.Compare(a.Value, b.Value) })
	return study.Figure{
		ID: id, Title: title + ": estimated rate over the measured rate", Kind: study.Lines,
		Axes:   study.Axes{X: "measured, samples/s", Y: "× measured", LogX: true, Least: 0.5},
		Says:   "How far estimates are from what others measured, by GPU.",
		Remark: "Measured is 1 everywhere; the table has the rates.",
		Marks: func(look study.Look) (marks []study.Mark) {
			for _, p := range own {
				_, gpu, _ := strings.Cut(p.Of, " on ")
				series, _, _ := strings.Cut(p.At, ", batch")
				m := study.Mark{Panel: gpu, Series: series, X: p.Value}
				if value, fits, known := look(p); known && fits {
					m.Y, m.Fits, m.Known = value/p.Value, true, true
				}
				marks = append(marks, m)
			}
			return marks
		},
	}
}

// Reader takes the rate from results: the batch over the time of the kernels.
var Reader = study.Reader[struct{}, *result.Result]{Measure: func(points []study.Point, _ study.Values, r *result.Result) []float64 {
	values := make([]float64, len(points))
	for i := range points {
		_, rest, _ := strings.Cut(points[i].Set, " batch=")
		batch, _, _ := strings.Cut(rest, " ")
		values[i] = study.Number(batch) * float64(r.Clock) / float64(r.Ideal)
	}
	return values
}}
