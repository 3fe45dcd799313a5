// Package g10 reads the files of the public G10 artifact: network descriptions
// in both of its syntaxes, kernel times, workspaces and the .config files that
// name them. It yields the tensors and kernels of one training iteration
// exactly as the artifact's simulator builds them, in the same order.
//
// Hardware and system keys of a .config file are kept as text; package sim
// interprets them.
package g10

import (
	"fmt"
	"path"
	"strings"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A File is a file's name, as messages should show it, and its content.
type File struct {
	Name string
	Data []byte
}

// Parts are the files one workload is made of.
type Parts struct {
	Network    File // frontend/Nets/….txt
	Times      File // results/…/cudnnN.txt
	InputFault File // results/…/cudnnNInputPF.txt
	Fault      File // results/…/cudnnNPF.txt
	Workspace  File // results/…/cudnnNWorkspace.txt
}

// Build reads the files that c names and builds the workload. read returns the
// content of a path as it stands in the .config file, and the name to show in
// messages.
func Build(c *Config, read func(path string) (name string, data []byte, err error)) (*workload.Workload, error) {
	var p Parts
	for _, part := range []struct {
		key  string
		path string
		file *File
	}{
		{"nn_model_input_file", c.Network, &p.Network},
		{"orig_kernel_time_file", c.Times, &p.Times},
		{"input_pf_kernel_time_file", c.InputFault, &p.InputFault},
		{"pf_kernel_time_file", c.Fault, &p.Fault},
		{"workspace_size_file", c.Workspace, &p.Workspace},
	} {
		if part.path == "" {
			return nil, fmt.Errorf("%s: no %s; add a line that names the file", c.Name, part.key)
		}
		name, data, err := read(part.path)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %s: %w", c.Name, c.line(part.key), part.key, err)
		}
		*part.file = File{name, data}
	}
	w, err := p.build(c.Setup)
	if err != nil {
		return nil, err
	}
	w.Origin += ", as " + c.Name + " names them."
	return w, nil
}

// BuildBare builds the workload from the files alone. What a .config file would
// say is inferred from the network description; batch is the number in the
// names of the kernel time files.
func (p *Parts) BuildBare(batch int) (*workload.Workload, error) {
	s, err := Infer(p.Network)
	if err != nil {
		return nil, err
	}
	s.Batch = int64(batch)
	w, err := p.build(s)
	if err != nil {
		return nil, err
	}
	w.Origin += "."
	return w, nil
}

func (p *Parts) build(s Setup) (*workload.Workload, error) {
	if s.Batch < 1 || s.Batch > maxNumber {
		return nil, fmt.Errorf("%s: batch size is %d; want 1 to %d", p.Network.Name, s.Batch, maxNumber)
	}
	b := &builder{w: &workload.Workload{
		Batch: int(s.Batch), Times: workload.Measured,
		Origin: fmt.Sprintf("Files of the G10 artifact's format: %s with measured kernel times %s",
			path.Base(p.Network.Name), path.Base(p.Times.Name)),
	}}
	var err error
	if s.Transformer {
		err = b.transformer(p.Network, s)
	} else {
		err = b.cnn(p.Network, s)
	}
	if err != nil {
		return nil, err
	}
	b.w.Name = fmt.Sprintf("%s, batch %d", titleOf(p.Network.Name, b.w.Model), s.Batch)
	if err := b.times(p, s.Speedup, s.Clock); err != nil {
		return nil, err
	}
	if err := b.workspaces(p.Network, p.Workspace); err != nil {
		return nil, err
	}
	if err := b.w.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Network.Name, err)
	}
	return b.w, nil
}

// titles are the names of the five published networks, by stable model ID.
var titles = map[string]string{
	"bert-base":    "BERT-base",
	"vit-s-32":     "ViT-S/32",
	"inception-v3": "Inception-v3",
	"resnet-152":   "ResNet-152",
	"senet-154":    "SENet-154",
}

// titleOf returns a network's name for people: the published one, or the file's.
func titleOf(file, model string) string {
	if t, ok := titles[model]; ok {
		return t
	}
	base := path.Base(file)
	return strings.TrimSuffix(base, path.Ext(base))
}

// A builder collects tensors and kernels in creation order.
type builder struct {
	w   *workload.Workload
	ids []workload.TensorID // the kernels' tensor lists are cut from it
	err error               // the first tensor that is too large

	work  []Work // by kernel
	doing Work   // of the operator whose kernels are being appended
}

// elementBytes is the size of a tensor element: everything is fp32.
const elementBytes = 4

// none marks a tensor that does not exist.
const none workload.TensorID = -1

// tensor appends a tensor of elements fp32 numbers.
func (b *builder) tensor(name string, elements int64, global bool, kind workload.Kind) workload.TensorID {
	const most = int64(workload.MaxTensor) / elementBytes
	if (elements < 1 || elements > most) && b.err == nil {
		b.err = fmt.Errorf("tensor %q would have %d elements; want 1 to %d", name, elements, most)
	}
	b.w.Tensors = append(b.w.Tensors, workload.Tensor{
		Name: name, Bytes: unit.Bytes(elements) * elementBytes, Global: global, Kind: kind,
	})
	return workload.TensorID(len(b.w.Tensors) - 1)
}

// like appends an intermediate gradient of the size of t.
func (b *builder) like(name string, t workload.TensorID) workload.TensorID {
	return b.tensor(name, int64(b.w.Tensors[t].Bytes)/elementBytes, false, workload.Gradient)
}

// kernel appends a kernel. Inputs and outputs are sets in insertion order.
func (b *builder) kernel(name string, in, out []workload.TensorID) {
	b.w.Kernels = append(b.w.Kernels, workload.Kernel{Name: name, Inputs: b.set(in), Outputs: b.set(out)})
	b.work = append(b.work, b.doing)
}

// set copies ids, leaving out repetitions and absent tensors.
func (b *builder) set(ids []workload.TensorID) []workload.TensorID {
	if cap(b.ids)-len(b.ids) < len(ids) {
		b.ids = make([]workload.TensorID, 0, max(4096, len(ids)))
	}
	at := len(b.ids)
next:
	for _, id := range ids {
		if id == none {
			continue
		}
		for _, old := range b.ids[at:] {
			if old == id {
				continue next
			}
		}
		b.ids = append(b.ids, id)
	}
	return b.ids[at:len(b.ids):len(b.ids)]
}

func ids(t ...workload.TensorID) []workload.TensorID { return t }

// product multiplies positive factors and saturates far above any valid size.
func product(factors ...int64) int64 {
	const most = 1 << 62
	p := int64(1)
	for _, f := range factors {
		if f <= 0 {
			return 0
		}
		if p > most/f {
			return most
		}
		p *= f
	}
	return p
}
