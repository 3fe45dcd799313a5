// Package eager builds training workloads as PyTorch 1.8 runs them in fp32: every kernel
// of the forward pass, what autograd saves for the backward pass, and an optimizer's
// step. It stands beside package zoo, whose networks are lowered as the G10 artifact does.
//
// Source: the networks are those of Hugging Face's transformers, torchvision, PyTorch's
// examples and MLPerf's DLRM, which the DeepUM paper trains (Jung et al., ASPLOS 2023,
// Table 2). The paper does not print sequence lengths and optimizers; the usual ones
// here reproduce its footprints.
//
// Model. A tensor lives from the kernel that writes it first to the last that reads it.
// So what a backward kernel reads is what autograd saved. The gradient of a parameter is
// a tensor of its own that stays from one iteration to the next (zero_grad clears it and
// the backward pass adds to it), as PyTorch 1.8 has it by default. Gradients that meet
// at an intermediate are added out of place. Operators with a trailing underscore, ReLU
// in CNNs and the residual additions of ResNet work in place.
//
// Parameters. Kernel times are the law's of package kerneltime ([Law]). What is computed of the
// DeepUM paper has times of its own ([DeepUM]): a kernel takes 5 µs, then the longer of its
// arithmetic and its traffic, at these shares of a GPU's peaks: matrix products 0.80,
// convolutions 0.72, batched products 0.60 of the FP32 peak; all kernels 0.75 of the memory
// rate and depthwise convolutions 0.40. They are fitted to one row of the paper's Figure 9(b):
// BERT-Base at batch 29, which nearly fits the GPU's memory, takes 1.29 s, and lower shares
// give more than that for arithmetic alone. The other rows hardly depend on them, as there the
// link decides, and so they test them little. The rate of depthwise convolutions is a guess.
//
// Rows of the tables of words and of DLRM's are touched as Zipf's law has it, with exponents
// 1.0 and 1.05, both guesses. A sample of DLRM has 95 µs of host time, fitted to DLRM's rows of
// the same figure.
//
// Departures from PyTorch:
//
//  1. Workspaces of convolutions, of sorting in embedding's backward pass and of
//     reductions are left out.
//  2. What only a variable of the Python program keeps alive dies with its last use.
//  3. An optimizer updates a parameter in one kernel, which takes as long as PyTorch's
//     kernels together and has one temporary tensor of the parameter's size, not two.
//  4. Batch normalization's counters, gradient clipping and measuring accuracy are left
//     out.
//  5. Small matrix products are as efficient as large ones.
//  6. Inputs come as one kernel each, at the speed of the GPU's memory.
//  7. A view of a part of a tensor is in use whole.
//  8. Sequences may be longer than the published model's; its table of positions and
//     GPT-2's causal mask grow with them.
package eager

import (
	"fmt"
	"strings"

	"spillway/sim/workload"
)

// A Model is a network that can be built.
type Model struct {
	ID     string // stable, in URLs and files; ends in "-pytorch"
	Title  string
	About  string // what it is, one or two sentences
	Source string // the publication or program that defines it
	Sample string // what one unit of the batch is, in the plural
	// Parameters is how many numbers training changes, at the usual length of a sequence.
	Parameters int64
	// DefaultBatch and Batches are offered; any batch from MinBatch to MaxBatch can be
	// built.
	DefaultBatch       int
	Batches            []int
	MinBatch, MaxBatch int
	// Sequence is the usual length of a sequence in tokens; 0: it has none, and
	// MinSequence and MaxSequence are 0 too.
	Sequence, MinSequence, MaxSequence int
	// Optimizer is the key of the one it is usually trained with: "sgd", "momentum" or
	// "adam".
	Optimizer string

	// write writes an iteration on a tape.
	write func(t *tape, length int64, o optimizer)
	// sparse: it has tables with sparse gradients, which only "sgd" can handle.
	sparse bool
}

// Largest batches. They keep tensors below [workload.MaxTensor], and kernels below
// [workload.MaxTime] on a GPU of 10 TFLOPS.
const (
	maxImages = 1 << 16
	maxTiny   = 1 << 18 // images of 64 by 64 or less
	maxBERT   = 1 << 14
	maxGPT2   = 1 << 12
	// A million samples wait 100 s for the host.
	maxSamples = 1 << 20
)

// Models lists the networks.
var Models = []Model{
	{
		ID: "gpt2-xl-pytorch", Title: "GPT-2 XL (PyTorch)", Parameters: 1557611200,
		About:  "Transformer decoder with 48 layers of width 1600 and 25 heads, with dropout, causal mask and the tanh form of GELU, operator by operator.",
		Source: "GPT2LMHeadModel of Hugging Face's transformers; Radford et al., Language Models are Unsupervised Multitask Learners, 2019",
		Sample: "sequences", DefaultBatch: 3, Batches: []int{1, 3, 5, 7, 16}, MinBatch: 1, MaxBatch: maxGPT2,
		Sequence: 1024, MinSequence: 32, MaxSequence: 2048, Optimizer: "adam", write: gpt2(48, 1600, 25),
	},
	{
		ID: "gpt2-l-pytorch", Title: "GPT-2 L (PyTorch)", Parameters: 774030080,
		About:  "Transformer decoder with 36 layers of width 1280 and 20 heads, with dropout, causal mask and the tanh form of GELU, operator by operator.",
		Source: "GPT2LMHeadModel of Hugging Face's transformers; Radford et al., Language Models are Unsupervised Multitask Learners, 2019",
		Sample: "sequences", DefaultBatch: 3, Batches: []int{1, 3, 5, 7, 24}, MinBatch: 1, MaxBatch: maxGPT2,
		Sequence: 1024, MinSequence: 32, MaxSequence: 2048, Optimizer: "adam", write: gpt2(36, 1280, 20),
	},
	{
		ID: "bert-large-pytorch", Title: "BERT-Large (PyTorch)", Parameters: 335174458,
		About:  "Transformer encoder with 24 layers of width 1024 and 16 heads and a head for masked words, with dropout and GELU in one kernel.",
		Source: "BertForMaskedLM of Hugging Face's transformers; Devlin et al., BERT, NAACL 2019",
		Sample: "sequences", DefaultBatch: 14, Batches: []int{4, 8, 14, 16, 18, 32}, MinBatch: 1, MaxBatch: maxBERT,
		Sequence: 512, MinSequence: 32, MaxSequence: 2048, Optimizer: "adam", write: bert(24, 1024, 16),
	},
	{
		ID: "bert-base-pytorch", Title: "BERT-Base (PyTorch)", Parameters: 109514298,
		About:  "Transformer encoder with 12 layers of width 768 and 12 heads and a head for masked words, with dropout and GELU in one kernel.",
		Source: "BertForMaskedLM of Hugging Face's transformers; Devlin et al., BERT, NAACL 2019",
		Sample: "sequences", DefaultBatch: 29, Batches: []int{8, 16, 29, 30, 31, 64}, MinBatch: 1, MaxBatch: maxBERT,
		Sequence: 512, MinSequence: 32, MaxSequence: 2048, Optimizer: "adam", write: bert(12, 768, 12),
	},
	{
		ID: "resnet-152-pytorch", Title: "ResNet-152 (PyTorch)", Parameters: 60192808,
		About:  "Convolutional network of 50 residual blocks for images of 224 by 224, with ReLU in place.",
		Source: "torchvision; He et al., Deep Residual Learning for Image Recognition, CVPR 2016",
		Sample: "images", DefaultBatch: 1280, Batches: []int{128, 256, 512, 1280, 1536, 1792}, MinBatch: 1, MaxBatch: maxImages,
		Optimizer: "momentum", write: resNet(stem{224, 1000, true}, 3, 8, 36, 3),
	},
	{
		ID: "resnet-200-pytorch", Title: "ResNet-200 (PyTorch)", Parameters: 64673832,
		About:  "Convolutional network of 66 residual blocks for images of 224 by 224, with ReLU in place.",
		Source: "torchvision's ResNet with 3, 24, 36 and 3 blocks; He et al., Identity Mappings in Deep Residual Networks, ECCV 2016",
		Sample: "images", DefaultBatch: 1024, Batches: []int{128, 256, 512, 1024, 1280, 1536}, MinBatch: 1, MaxBatch: maxImages,
		Optimizer: "momentum", write: resNet(stem{224, 1000, true}, 3, 24, 36, 3),
	},
	{
		ID: "resnet-200-cifar-pytorch", Title: "ResNet-200, CIFAR-10 (PyTorch)", Parameters: 62645322,
		About:  "ResNet-200 for images of 32 by 32: the first convolution is as for large ones, without the pooling after it, which fits the published footprint.",
		Source: "torchvision's ResNet with 3, 24, 36 and 3 blocks; He et al., Identity Mappings in Deep Residual Networks, ECCV 2016",
		Sample: "images", DefaultBatch: 1024, Batches: []int{512, 1024, 2048, 4096, 6400}, MinBatch: 1, MaxBatch: maxTiny,
		Optimizer: "momentum", write: resNet(stem{32, 10, false}, 3, 24, 36, 3),
	},
	{
		ID: "mobilenet-cifar-pytorch", Title: "MobileNet, CIFAR-100 (PyTorch)", Parameters: 3309476,
		About:  "Convolutional network of 13 depthwise separable convolutions for images of 32 by 32.",
		Source: "Howard et al., MobileNets, 2017, with stride 1 in the first convolution",
		Sample: "images", DefaultBatch: 4096, Batches: []int{1024, 2048, 4096, 8192}, MinBatch: 1, MaxBatch: maxTiny,
		Optimizer: "momentum", write: mobileNet,
	},
	{
		ID: "dcgan-pytorch", Title: "DCGAN (PyTorch)", Parameters: 6342272,
		About:  "Generator and discriminator of five convolutions each for images of 64 by 64; a step trains both.",
		Source: "PyTorch's example dcgan; Radford et al., Unsupervised Representation Learning with Deep Convolutional Generative Adversarial Networks, ICLR 2016",
		Sample: "images", DefaultBatch: 4096, Batches: []int{1024, 2048, 4096, 8192}, MinBatch: 1, MaxBatch: maxTiny,
		Optimizer: "adam", write: dcgan,
	},
	{
		ID: "dlrm-pytorch", Title: "DLRM, Criteo Kaggle (PyTorch)", Parameters: 4323978753,
		About:  "Recommendation model: 26 tables with rows of 128 numbers, 17.3 GB in all, of which a sample looks up a row each, and two small perceptrons (13-512-256-128 and 479-1024-1024-512-256-1, as MLPerf has them).",
		Source: "MLPerf's DLRM on the tables of Criteo Kaggle; Naumov et al., Deep Learning Recommendation Model, 2019",
		Sample: "samples", DefaultBatch: 98304, Batches: []int{98304, 131072, 163840, 196608, 229376}, MinBatch: 1, MaxBatch: maxSamples,
		Optimizer: "sgd", write: dlrm, sparse: true,
	},
}

// Find returns the model with an ID.
func Find(id string) (*Model, error) {
	known := make([]string, len(Models))
	for i := range Models {
		if Models[i].ID == id {
			return &Models[i], nil
		}
		known[i] = Models[i].ID
	}
	return nil, fmt.Errorf("unknown model %q; there are %s", id, strings.Join(known, ", "))
}

// Optimizers returns the keys of the optimizers that the model can be trained with.
func (m *Model) Optimizers() []string {
	if m.sparse {
		return []string{"sgd"}
	}
	return []string{"sgd", "momentum", "adam"}
}

// Build builds one training iteration. sequence is 0 for the model's usual length;
// optimizer is a key of [Model.Optimizer]. Its cost does not depend on the batch.
func Build(id string, batch, sequence int, optimizer string, times Times) (*workload.Workload, error) {
	t, err := build(id, batch, sequence, optimizer, times)
	if err != nil {
		return nil, err
	}
	return t.w, nil
}

// build is Build with the tape.
func build(id string, batch, sequence int, optimizer string, times Times) (*tape, error) {
	m, err := Find(id)
	if err != nil {
		return nil, err
	}
	t, err := m.build(batch, sequence, optimizer, times)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.ID, err)
	}
	return t, nil
}

func (m *Model) build(batch, sequence int, key string, times Times) (*tape, error) {
	if sequence == 0 {
		sequence = m.Sequence
	}
	o, err := findOptimizer(key)
	switch {
	case err != nil:
		return nil, err
	case batch < m.MinBatch || batch > m.MaxBatch:
		return nil, fmt.Errorf("batch %d; want %d to %d %s", batch, m.MinBatch, m.MaxBatch, m.Sample)
	case m.Sequence == 0 && sequence != 0:
		return nil, fmt.Errorf("a sequence of %d tokens; the model has no sequences, so give 0", sequence)
	case sequence < m.MinSequence || sequence > m.MaxSequence:
		return nil, fmt.Errorf("a sequence of %d tokens; want %d to %d", sequence, m.MinSequence, m.MaxSequence)
	case m.sparse && o.key != "sgd":
		return nil, fmt.Errorf("optimizer %q has no rule for the tables' sparse gradients; take %q", o.key, "sgd")
	}
	if err := times.check(); err != nil {
		return nil, err
	}
	t := &tape{
		w: new(workload.Workload), times: times, batch: int64(batch),
		known: map[string]*param{}, stats: map[string]workload.TensorID{},
	}
	m.write(t, int64(sequence), o)
	name := fmt.Sprintf("%s, batch %d", m.Title, batch)
	if sequence != m.Sequence {
		name += fmt.Sprintf(", %d tokens", sequence)
	}
	if o.key != m.Optimizer {
		name += ", " + o.key
	}
	t.w.Name, t.w.Model, t.w.Batch, t.w.Times = name, m.ID, batch, times.source()
	t.w.Origin = fmt.Sprintf("Built as PyTorch 1.8 trains %s with %s, with kernel times estimated for warm kernels on %s.", m.Source, o.key, times.says(m))
	if err := t.w.Validate(); err != nil {
		return nil, err
	}
	return t, nil
}
