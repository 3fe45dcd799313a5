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

// kernelBands is the same of one kernel. On measured GPUs they are what the rows need that the
// package traces/measured has, which its tests compute; of other GPUs what the specification's
// rows needed, whose GPUs nothing was fitted to.
var kernelBands = [classes][4]int64{
	Elementwise:       {12, 15, 20, 50},
	Gated:             {50, 50, 50, 50},
	Rotary:            {30, 40, 40, 50},
	Normalization:     {30, 40, 40, 50},
	BatchNorm:         {12, 15, 20, 50},
	Pooling:           {12, 15, 20, 50},
	Reduction:         {30, 40, 40, 50},
	Embedding:         {50, 50, 50, 50},
	Optimizer:         {12, 15, 20, 50},
	Copy:              {12, 15, 20, 50},
	Product:           {15, 20, 30, 50},
	BatchedProduct:    {30, 40, 45, 50},
	ConvForward:       {45, 50, 60, 60},
	ConvData:          {45, 50, 60, 60},
	ConvWeight:        {45, 50, 60, 60},
	AttentionForward:  {10, 20, 30, 50},
	AttentionBackward: {10, 20, 30, 50},
}

// hostBand is the band of a step that the host decides.
const hostBand = 50

// Band is how far from a step's estimate eight of ten measurements are at most, in percent:
// of what kind of network, and whether the host decides.
func (g *GPU) Band(of Kind, b Bound) int64 {
	switch {
	case b == Host && of != Language:
		return hostBand
	case g.Key == "h100-sxm" && of == Images: // of 26 iterations with PyTorch 2.11; four rows of ResNet-50 are within 15
		return 90
	case g.Key == "h100-sxm" && of == Transformer: // BERT and GPT-2, by public rows, by the clock and by recorded kernels: seven of eight within 21, GPT-2 in AMP 66 off
		return 35
	case g.Family == Hopper && g.Ground == Relative && of == Images: // of 29 iterations that an H200 ran
		return 120
	case g.Family == Hopper && g.Ground == Relative && of == Transformer: // of 15 iterations of BERT and GPT-2 that an H200 ran: without autocast seven of ten within 15, under autocast twice as long
		return 75
	}
	return stepBands[of][g.Ground]
}
