// Package eager builds training workloads as PyTorch runs them: every operator of the
// forward pass, what autograd saves for the backward pass, and an optimizer's step.
//
// It stands beside package zoo, whose networks are lowered as the G10 artifact does.
package eager

import (
	"fmt"
	"strings"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A Model is a network that can be built.
type Model struct {
	ID     string // stable, in URLs and files; ends in "-pytorch"
	Title  string
	About  string // what it is, one or two sentences
	Source string // the publication or program that defines it
	Sample string // what one unit of the batch is, in the plural
	// Parameters is how many numbers training changes.
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
}

// Models lists the networks.
var Models []Model

// Rates are those of a GPU that kernel times are estimated for.
type Rates struct {
	Name   string
	FP32   float64 // operations a second, peak without tensor cores
	Memory unit.Bandwidth
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

// Build builds one training iteration. sequence is 0 for the model's usual length;
// optimizer is a key of [Model.Optimizer].
func Build(id string, batch, sequence int, optimizer string, r Rates) (*workload.Workload, error) {
	return nil, fmt.Errorf("%s: not yet", id)
}
