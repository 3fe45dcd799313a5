// Package zoo builds training workloads from architecture definitions, at any
// batch size and without a data file.
//
// Five networks are those of the G10 paper. Their tensors and kernels agree
// with what the artifact's files describe, tensor by tensor and kernel by
// kernel, except for the workspaces, which the artifact measured and the zoo
// does not know. ResNet-50 and GPT-2 XL follow the same rules; so weights are
// updated by one Apply_Grad each, and there is no optimizer state. That is what
// the first of [Optimizers] means. With another one every weight has its own
// size, query, key and value are three results, and the weights are updated at
// the end of the iteration.
//
// Kernel times are the law's of package kerneltime, or as the G10 paper's profiler took them,
// see [TimeModel].
package zoo

import (
	"fmt"
	"strings"

	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/g10"
)

// A Model is a network the zoo can build.
type Model struct {
	ID     string // stable, in URLs and files
	Title  string
	About  string // what it is, one or two sentences
	Source string // the publication that defines it
	Sample string // what one unit of the batch is, in the plural
	// Parameters is how many numbers training changes.
	Parameters int64
	// DefaultBatch and Batches are offered; any batch from MinBatch to MaxBatch
	// can be built.
	DefaultBatch       int
	Batches            []int
	MinBatch, MaxBatch int

	profiled bool // the G10 paper has profiled it
	// define builds the graph. Where exact is set every tensor has the size that
	// it has in training; else that of the artifact.
	define func(batch int, exact bool) (graph, error)
}

// Models lists the zoo.
var Models = []Model{bertBase, vitS32, inceptionV3, resNet152, seNet154, resNet50, gpt2XL}

// Largest batches. They keep tensors below [workload.MaxTensor] and kernels
// below [workload.MaxTime].
const (
	maxImages    = 1 << 16
	maxSequences = 1 << 16
	maxLong      = 1 << 12
)

// A graph is a workload without times.
type graph struct {
	w          *workload.Workload
	work       []g10.Work // by kernel
	parameters int64      // that training changes
	wholes     []whole    // of an operator list, in its order
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
	return nil, fmt.Errorf("unknown model %q; the zoo has %s", id, strings.Join(known, ", "))
}

// Build builds one training iteration of a model without an optimizer. Its cost
// does not depend on the batch.
func Build(id string, batch int, t TimeModel) (*workload.Workload, error) {
	return BuildFor(id, batch, t, Optimizers[0])
}

// BuildFor builds one training iteration of a model with an optimizer.
func BuildFor(id string, batch int, t TimeModel, o Optimizer) (*workload.Workload, error) {
	m, err := Find(id)
	if err != nil {
		return nil, err
	}
	if batch < m.MinBatch || batch > m.MaxBatch {
		return nil, fmt.Errorf("%s: batch %d; want %d to %d %s", m.ID, batch, m.MinBatch, m.MaxBatch, m.Sample)
	}
	err = t.check(m)
	if err == nil && t.Source == workload.ColdModel && !o.None() {
		err = fmt.Errorf("the G10 paper profiled no optimizer; take %q kernel times", workload.Estimated)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.ID, err)
	}
	g, err := m.define(batch, !o.None())
	if err != nil {
		return nil, err
	}
	name := m.Title
	if !o.None() {
		o.add(&g)
		name += " with " + o.Title
	}
	if err := t.fill(&g); err != nil {
		return nil, fmt.Errorf("%s: %w", m.ID, err)
	}
	w := g.w
	w.Name, w.Model, w.Times = fmt.Sprintf("%s, batch %d", name, batch), m.ID, t.Source
	w.Origin = fmt.Sprintf("Built from the architecture of %s, with %s.", name, t.describe(m))
	if err := w.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", m.ID, err)
	}
	return w, nil
}

// trained returns how many parameters training changes in a CNN: all weights
// but the running statistics.
func trained(w *workload.Workload) int64 {
	var n unit.Bytes
	for i := range w.Tensors {
		t := &w.Tensors[i]
		if t.Global && !strings.Contains(t.Name, " running_") {
			n += t.Bytes
		}
	}
	return int64(n / element)
}

// element is the size of a number: everything is fp32.
const element unit.Bytes = 4
