package zoo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/workload"
	"spillway/traces/g10"
)

// An Optimizer says how weights are updated, and with it how much of training's
// state is a workload's. All numbers are fp32.
type Optimizer struct {
	Key   string // stable, in URLs
	Title string
	About string // what it keeps and does
	// Source is where the bytes come from.
	Source string

	kernel string
	state  []string // what it keeps for each parameter, one number each
}

// Optimizers lists what networks can be trained with. The first is what the G10
// artifact does.
var Optimizers = []Optimizer{
	{
		Key: "none", Title: "none, as the G10 artifact",
		About: "No optimizer: every weight is updated as soon as its gradient is there, nothing else is kept. " +
			"In BERT and ViT biases, gains and constants are then as large as activations, as in the artifact.",
		Source: "G10 artifact, operator lists",
	},
	{
		Key: "sgd", Title: "SGD",
		About:  "Every weight at its own size, with its gradient until the step at the end: 8 bytes a parameter.",
		Source: "counted: fp32 weight and gradient", kernel: "SGD_Step",
	},
	{
		Key: "momentum", Title: "SGD with momentum",
		About:  "As SGD, and one number beside each weight: 12 bytes a parameter.",
		Source: "Polyak 1964; counted: fp32 weight, gradient and momentum", kernel: "Momentum_Step", state: []string{"momentum"},
	},
	{
		Key: "adam", Title: "Adam",
		About: "As SGD, and two numbers beside each weight: 16 bytes a parameter in fp32, as many as ZeRO counts for mixed precision (2 + 2 + 12).",
		Source: "Kingma and Ba, Adam, ICLR 2015, Algorithm 1; counted: fp32 weight, gradient and two moments; " +
			"Rajbhandari et al., ZeRO, SC 2020, §3.1",
		kernel: "Adam_Step", state: []string{"first moment", "second moment"},
	},
}

// FindOptimizer returns the optimizer with a key.
func FindOptimizer(key string) (Optimizer, error) {
	keys := make([]string, len(Optimizers))
	for i := range Optimizers {
		if Optimizers[i].Key == key {
			return Optimizers[i], nil
		}
		keys[i] = Optimizers[i].Key
	}
	return Optimizer{}, fmt.Errorf("unknown optimizer %q; there are %s", key, strings.Join(keys, ", "))
}

// None reports whether there is no optimizer.
func (o *Optimizer) None() bool { return o.kernel == "" }

// stepRates are the classes of the optimizers' kernels: elementwise, as fast as
// the measured Apply_Grad of operator lists. Their few operations a number hide
// behind its memory traffic.
var stepRates = []efficiency{
	{"SGD_Step", false, 10, 0, 0.7624},
	{"Momentum_Step", false, 10, 0, 0.7624},
	{"Adam_Step", false, 10, 0, 0.7624},
}

// accumulate is the name of the kernel that adds gradients.
const accumulate = "Add_MultiGredient"

// add turns the artifact's updates into an optimizer's: gradients stay until all
// are there; then every weight has a step, in the order in which the network uses
// the weights. Gradients of a weight that is used twice are added up.
func (o *Optimizer) add(g *graph) {
	gradient := map[workload.TensorID]workload.TensorID{} // by weight
	w := g.w
	kernels, work := make([]workload.Kernel, 0, len(w.Kernels)), make([]g10.Work, 0, len(w.Kernels))
	for i := range w.Kernels {
		k, at := w.Kernels[i], g.work[i]
		if strings.Contains(k.Name, "Apply_Grad") {
			dw, weight := k.Inputs[0], k.Inputs[1]
			first, again := gradient[weight]
			switch {
			case w.Tensors[weight].Bytes == element: // an index, not trained
				continue
			case !again:
				gradient[weight] = dw
				continue
			}
			k = workload.Kernel{Name: accumulate, Inputs: []workload.TensorID{first, dw}, Outputs: []workload.TensorID{first}}
			at = g10.Work{}
		}
		kernels, work = append(kernels, k), append(work, at)
	}
	weights := make([]workload.TensorID, 0, len(gradient))
	for weight := range gradient {
		weights = append(weights, weight)
	}
	slices.SortFunc(weights, cmp.Compare[workload.TensorID])
	for _, weight := range weights {
		k := workload.Kernel{Name: o.kernel, Inputs: []workload.TensorID{gradient[weight], weight}, Outputs: []workload.TensorID{weight}}
		for _, name := range o.state {
			id := workload.TensorID(len(w.Tensors))
			t := &w.Tensors[weight]
			w.Tensors = append(w.Tensors, workload.Tensor{Name: t.Name + " " + name, Bytes: t.Bytes, Global: true, Kind: workload.Optimizer})
			k.Inputs, k.Outputs = append(k.Inputs, id), append(k.Outputs, id)
		}
		kernels, work = append(kernels, k), append(work, g10.Work{})
	}
	w.Kernels, g.work = kernels, work
}
