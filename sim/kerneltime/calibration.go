package kerneltime

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Calibration says how much longer a GPU's kernels take than the law says, by class, in
// thousandths; 0 is the law's own time. It is how measurements of one card mend its estimates.
type Calibration [classes]int64

// The bounds of a factor, in thousandths: a factor beyond is a wrong class or unit.
const (
	LeastFactor = 50
	MostFactor  = 20_000
)

// A calibrable is classes that one word of a calibration's text sets together.
type calibrable struct {
	word string
	of   []Class
}

// calibrated are all of them, in the order of a text.
var calibrated = []calibrable{
	{"product", []Class{Product}},
	{"batched-product", []Class{BatchedProduct}},
	{"convolution", []Class{ConvForward, ConvData, ConvWeight}},
	{"attention", []Class{AttentionForward, AttentionBackward}},
	{"elementwise", []Class{Elementwise}},
	{"gated", []Class{Gated}},
	{"rotary", []Class{Rotary}},
	{"normalization", []Class{Normalization}},
	{"batch-norm", []Class{BatchNorm}},
	{"pooling", []Class{Pooling}},
	{"reduction", []Class{Reduction}},
	{"embedding", []Class{Embedding}},
	{"optimizer", []Class{Optimizer}},
	{"copy", []Class{Copy}},
}

// Word is what a calibration calls the class.
func (c Class) Word() string {
	for i := range calibrated {
		if slices.Contains(calibrated[i].of, c) {
			return calibrated[i].word
		}
	}
	return ""
}

// ParseCalibration reads "product:1.08,convolution:0.9", in any order; a class that is not
// named keeps the law's time. The error says which part is wrong and what is possible.
func ParseCalibration(text string) (c Calibration, err error) {
	if text == "" {
		return c, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		word, number, ok := strings.Cut(part, ":")
		at := slices.IndexFunc(calibrated, func(x calibrable) bool { return x.word == word })
		factor, bad := strconv.ParseFloat(number, 64)
		thousandths := int64(float64(factor*1000) + 0.5) // rounded before the sum, on every platform
		switch {
		case !ok || bad != nil || !(factor*1000 >= LeastFactor && factor*1000 <= MostFactor):
			return c, fmt.Errorf("Calibrated: %q; want a class and a factor from 0.05 to 20, as product:1.08", part)
		case at < 0:
			var words []string
			for i := range calibrated {
				words = append(words, calibrated[i].word)
			}
			return c, fmt.Errorf("Calibrated: no class %q; there are %s", word, strings.Join(words, ", "))
		}
		for _, class := range calibrated[at].of {
			c[class] = thousandths
		}
	}
	return c, nil
}

// String is the text that [ParseCalibration] reads, classes in the order of the law.
func (c Calibration) String() string {
	var parts []string
	for i := range calibrated {
		if f := c[calibrated[i].of[0]]; f != 0 && f != 1000 {
			parts = append(parts, calibrated[i].word+":"+strconv.FormatFloat(float64(f)/1000, 'f', -1, 64))
		}
	}
	return strings.Join(parts, ",")
}

// Calibrated is the GPU with its kernels' times mended.
func (g *GPU) Calibrated(c Calibration) *GPU {
	own := *g
	own.calibration = c
	return &own
}

// longer is by what a class's times are multiplied on g.
func (g *GPU) longer(c Class) float64 {
	if f := g.calibration[c]; f != 0 {
		return float64(f) / 1000
	}
	return 1
}
