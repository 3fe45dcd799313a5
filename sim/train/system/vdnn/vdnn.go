// Package vdnn offloads the feature maps of convolutional networks to host memory
// layer by layer, and prefetches them one layer ahead.
//
// Source: vDNN (Rhu et al., MICRO 2016), as its paper describes it and the public
// third-party program vdnn-plus-plus implements it.
//
// Model: in the forward pass the feature map X that a layer reads goes to the host
// while the last layer that reads it computes. In the backward pass each layer, while
// it computes, fetches what the next layer in that direction needs which is not there:
// the search passes over layers that need nothing and ends at the first convolution
// (findPrefetch). Each layer waits until compute and copy have both ended. The feature
// map of the last layer before the classifier stays, as the backward pass begins with
// it, and so does everything of the classifier and whatever is not a feature map.
//
// Parameters: [Policy]: all layers, convolutions, or dyn, which takes the first that
// fits of nothing, convolutions and all, after checking that all of them would fit.
//
// Departures from the paper:
//
//  1. A layer is a kernel of the forward pass; kernels of the backward pass that read
//     the same gradient are one layer. The feature maps of a layer are its inputs that
//     are neither weights nor scratch memory and that the backward pass reads again.
//  2. Policy conv also offloads what convolutions write. The paper's networks have no
//     batch normalisation; with it half of the feature maps would stay, as its input is
//     nobody's else.
//  3. In graphs that branch a feature map leaves when its last reader in the forward
//     pass runs, as the paper's reference counts have it, and comes back for its first
//     in the backward pass.
//  4. Of several feature maps that have the same last reader, one is copied while that
//     runs and the others during the next kernel, and so is what no kernel has written.
//  5. Choice of convolution algorithms, and so the two thirds of dyn's trials that
//     differ in nothing else, are left out: workloads have one time a kernel.
//  6. Gradients of weights are freed when the optimizer has read them; the paper keeps
//     them all.
//  7. Nothing is fragmented; the paper's pool (cnmem) is.
//  8. A network without convolutions whose kernels say what they are is refused (DeepUM
//     paper, Table 7: "not work"). Kernels that do not say so count as layers.
package vdnn

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/swapplan"
	"spillway/sim/train/system"
	"spillway/sim/workload"
)

// The values of Policy.
const (
	All  = 1
	Conv = 2
	Dyn  = 3
)

// Policy is which layers are offloaded.
var Policy = system.Param{
	Key: "vdnn_policy", Label: "vDNN policy", Unit: "", Scale: 1, Min: All, Max: Dyn, Default: Dyn,
	Help:   "Whose feature maps vDNN offloads: 1 all layers', 2 convolutions', 3 what is needed (dyn).",
	Source: "vDNN (MICRO 2016)",
}

// System is vDNN.
var System = system.System{
	Name:   "vdnn",
	Title:  "vDNN",
	Paper:  "vDNN (MICRO 2016)",
	About:  "Feature maps of convolutional networks go to host memory layer by layer and come back one layer ahead; built from the paper and public third-party code.",
	Note:   "vDNN chooses no convolution algorithms here: a kernel has one time.",
	Family: "DeepUM's comparison",
	Off:    true,
	Look:   11,
	Quirks: swap.Quirks,
	Params: []*system.Param{&Policy},
	Plan:   plan,
	Runtime: func(*system.Options) engine.Runtime {
		return swap.Memory{HostOnly: true, Swapper: swapplan.Follow}
	},
}

func plan(w *workload.Workload, m *machine.Machine, o *system.Options) (*program.Program, error) {
	if err := refuse(w); err != nil {
		return nil, err
	}
	l := swapplan.LoadOf(w)
	if err := l.Fits(m.GPUMemory); err != nil {
		return nil, err
	}
	n := read(l)
	try := func(policy int64) ([]swapplan.Stay, error) {
		stays := n.stays(policy)
		return stays, l.Check(stays, m)
	}
	policies := []int64{Policy.Of(o)}
	if policies[0] == Dyn {
		if _, err := try(All); err != nil {
			return nil, &system.DoesNotFit{Reason: "with all feature maps offloaded, which is the most that vDNN can do: " + err.Error()}
		}
		policies = []int64{none, Conv, All}
	}
	var err error
	for i, policy := range policies {
		var stays []swapplan.Stay
		if stays, err = try(policy); err == nil {
			p := n.program(stays)
			p.Rounds = i + 1
			return p, nil
		}
	}
	return nil, err
}

// none is the policy that offloads nothing.
const none = 0

// others are parts of names of kernels that only networks without convolutions have
// instead.
var others = []string{"attention", "embedding", "gelu", "gemm", "layernorm", "layer_norm", "linear", "lstm", "matmul", "bmm", "softmax"}

// refuse returns why vDNN does not work on w, or nil.
func refuse(w *workload.Workload) error {
	other := ""
	for k := range w.Kernels {
		name := strings.ToLower(w.Kernels[k].Name)
		if isConv(w, workload.KernelID(k)) {
			return nil
		}
		if other == "" && slices.ContainsFunc(others, func(s string) bool { return strings.Contains(name, s) }) {
			other = w.Kernels[k].Name
		}
	}
	if other == "" {
		return nil
	}
	return &system.DoesNotFit{Reason: fmt.Sprintf(
		"vDNN moves feature maps of convolutional networks; of these %d kernels none is a convolution (there is %s), so it does not work here, whatever memory there is",
		len(w.Kernels), other)}
}

// A featureMap is an input of layers that the backward pass reads again.
type featureMap struct {
	tensor workload.TensorID
	reader workload.KernelID // its last in the forward pass
	back   workload.KernelID // its first in the backward pass
	conv   bool              // a convolution reads or writes it
}

// A layer is a run of kernels of the backward pass.
type layer struct {
	at, end workload.KernelID // kernels at to end-1
	conv    bool
}

// A network is a workload as vDNN sees it.
type network struct {
	load   *swapplan.Load
	maps   []featureMap // that may be offloaded, in order of back
	layers []layer      // of the backward pass, in order
}

// read finds layers and feature maps.
func read(l *swapplan.Load) *network {
	n := &network{load: l}
	back := l.Backward()
	last := classifier(l.Workload, back)
	for t := range l.Workload.Tensors {
		f, ok := n.featureMap(workload.TensorID(t), back)
		if ok && f.reader < last[f.reader] {
			n.maps = append(n.maps, f)
		}
	}
	slices.SortStableFunc(n.maps, func(a, b featureMap) int { return int(a.back - b.back) })
	n.backward(back)
	return n
}

// isConv reports whether kernel k is a convolution, by its name.
func isConv(w *workload.Workload, k workload.KernelID) bool {
	return swapplan.Convolution(w.Kernels[k].Name)
}

// classifier returns, by kernel, the last feature layer of the forward pass that it is
// part of: the last convolution or pooling, or, if nothing is called that, the pass's
// last kernel that is read from again.
func classifier(w *workload.Workload, back []bool) []workload.KernelID {
	last := make([]workload.KernelID, len(back))
	for k := 0; k < len(back); {
		end, feature := k, -1
		for ; end < len(back) && back[end] == back[k]; end++ {
			if isConv(w, workload.KernelID(end)) || strings.Contains(strings.ToLower(w.Kernels[end].Name), "pool") {
				feature = end
			}
		}
		if feature < 0 {
			feature = end - 1
		}
		for ; k < end; k++ {
			last[k] = workload.KernelID(feature)
		}
	}
	return last
}

// featureMap returns t as a feature map; ok is false when it is none.
func (n *network) featureMap(t workload.TensorID, back []bool) (f featureMap, ok bool) {
	w, life := n.load.Workload, n.load.Life
	if x := &w.Tensors[t]; x.Global || x.Kind == workload.Workspace || x.Kind == workload.Gradient {
		return f, false
	}
	uses := life.Uses(t)
	read := false // by a layer
	for i, k := range uses[:max(0, len(uses)-1)] {
		if back[k] {
			break
		}
		reads := slices.Contains(w.Kernels[k].Inputs, t)
		read = read || reads
		f.conv = f.conv || isConv(w, k)
		if next := uses[i+1]; back[next] {
			f.tensor, f.reader, f.back = t, k, next
			return f, read && next > k+1 && next < life.Death[t]
		}
	}
	return f, false
}

// backward divides the backward pass into layers. Kernels that write what outlives the
// iteration update weights and are no layers.
func (n *network) backward(back []bool) {
	w := n.load.Workload
	var of workload.KernelID // first kernel of the layer under way
	for k := range back {
		id := workload.KernelID(k)
		if !back[k] || slices.ContainsFunc(w.Kernels[k].Outputs, func(t workload.TensorID) bool { return w.Tensors[t].Global }) {
			continue
		}
		if last := len(n.layers) - 1; last >= 0 && n.layers[last].end == id && shareGradient(w, of, id) {
			n.layers[last].end++
			n.layers[last].conv = n.layers[last].conv || isConv(w, id)
			continue
		}
		of = id
		n.layers = append(n.layers, layer{id, id + 1, isConv(w, id)})
	}
}

// shareGradient reports whether kernel b reads a gradient that kernel a reads and no
// kernel writes from a on.
func shareGradient(w *workload.Workload, a, b workload.KernelID) bool {
	return slices.ContainsFunc(w.Kernels[a].Inputs, func(t workload.TensorID) bool {
		if w.Tensors[t].Kind != workload.Gradient || !slices.Contains(w.Kernels[b].Inputs, t) {
			return false
		}
		for k := a; k < b; k++ {
			if slices.Contains(w.Kernels[k].Outputs, t) {
				return false
			}
		}
		return true
	})
}

// stays returns when feature maps are in host memory.
func (n *network) stays(policy int64) []swapplan.Stay {
	var stays []swapplan.Stay
	for _, f := range n.maps {
		if policy == All || policy == Conv && f.conv {
			stays = append(stays, swapplan.Stay{Tensor: f.tensor, Out: f.reader + 1, In: f.back})
		}
	}
	next := 0 // stays before it are on the GPU again, or on their way
	for i, layer := range n.layers {
		for next < len(stays) && stays[next].In < layer.end {
			next++ // what no layer fetched ahead comes when it is needed
		}
		ahead, ok := n.findPrefetch(i, stays[next:])
		for ; ok && next < len(stays) && stays[next].In < ahead.end; next++ {
			if s := &stays[next]; s.Out <= layer.at {
				s.In = max(layer.at, s.Out+1)
			}
		}
	}
	return stays
}

// findPrefetch returns the next layer after layer i that needs one of the stays'
// tensors; ok is false when a convolution comes first that needs none.
func (n *network) findPrefetch(i int, stays []swapplan.Stay) (ahead layer, ok bool) {
	if len(stays) == 0 {
		return layer{}, false
	}
	for _, ahead := range n.layers[i+1:] {
		if stays[0].In < ahead.end {
			return ahead, true
		}
		if ahead.conv {
			break
		}
	}
	return layer{}, false
}

// program writes stays down. A feature map is copied while its last reader runs, which
// an eviction before that kernel does, and gives its memory up after it. Only the first
// in the link's queue can be copied so, and only what the reader neither writes nor is
// the first to use; the others are copied during the next kernel, after what that one
// copies. Barriers stand after every layer that copies.
func (n *network) program(stays []swapplan.Stay) *program.Program {
	end := make([]workload.KernelID, len(n.load.Alive))
	for k := range end {
		end[k] = workload.KernelID(k + 1)
	}
	for _, layer := range n.layers {
		end[layer.at] = layer.end
	}
	copies := make([]bool, len(end))
	var barriers []workload.KernelID
	var leave, early, late, fetch []program.Op
	evict := func(k workload.KernelID, t workload.TensorID) program.Op {
		return program.Op{At: k, Kind: program.Evict, Tensor: t, To: machine.Host}
	}
	for _, s := range stays {
		reader := s.Out - 1
		barriers = append(barriers, s.Out, end[s.In])
		fetch = append(fetch, program.Op{At: s.In, Kind: program.Prefetch, Tensor: s.Tensor})
		if copies[reader] || n.load.Life.Birth[s.Tensor] == reader || slices.Contains(n.load.Workload.Kernels[reader].Outputs, s.Tensor) {
			barriers = append(barriers, end[s.Out])
			late = append(late, evict(s.Out, s.Tensor))
			continue
		}
		copies[reader] = true
		early = append(early, evict(reader, s.Tensor))
		leave = append(leave, evict(s.Out, s.Tensor))
	}
	slices.Sort(barriers)
	p := &program.Program{}
	for _, k := range slices.Compact(barriers) {
		p.Ops = append(p.Ops, program.Op{At: k, Kind: program.Barrier})
	}
	p.Ops = slices.Concat(p.Ops, leave, early, late, fetch)
	swapplan.Sort(p)
	return p
}
