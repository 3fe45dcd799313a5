package kerneltime

// A Kind is what a step is of, as far as bands go.
type Kind uint8

// The kinds.
const (
	Images      Kind = iota // convolutional networks and vision transformers
	Transformer             // eager language networks
	Language                // large language models in 16 bit
	kinds
)

// stepBands is how far from a step's estimate eight of ten measurements are at most, in percent.
var stepBands = [kinds][4]int64{
	Images:      {Measured: 12, Relative: 15, Limited: 35, Guessed: 40},
	Transformer: {Measured: 20, Relative: 20, Limited: 30, Guessed: 40},
	Language:    {Measured: 12, Relative: 15, Limited: 30, Guessed: 40},
}

// kernelBands is the same of one kernel.
var kernelBands = [...]struct {
	from, to Class
	percent  [4]int64
}{
	{Product, BatchedProduct, [4]int64{15, 20, 30, 50}},
	{ConvForward, ConvWeight, [4]int64{40, 50, 60, 50}},
	{Gated, Normalization, [4]int64{30, 40, 40, 50}},
	{AttentionForward, AttentionBackward, [4]int64{10, 20, 30, 50}},
	{Elementwise, classes - 1, [4]int64{5, 7, 10, 50}},
}

// hostBand is the band of a step that the host decides.
const hostBand = 50

// kernelBand is the band of one kernel.
func (g *GPU) kernelBand(c Class) int64 {
	for i := range kernelBands {
		if b := &kernelBands[i]; b.from <= c && c <= b.to {
			return b.percent[g.Ground]
		}
	}
	return kernelBands[0].percent[Guessed]
}

// Band is how far from a step's estimate eight of ten measurements are at most, in percent:
// of what kind of network, and whether the host decides.
func (g *GPU) Band(of Kind, b Bound) int64 {
	switch {
	case b == Host && of != Language:
		return hostBand
	case of == Images && g.Key == "h100-sxm":
		return 20 // four rows of ResNet-50 are all there is
	}
	return stepBands[of][g.Ground]
}
