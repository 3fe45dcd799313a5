package compress

import (
	"fmt"
	"slices"

	core "spillway/sim/compress"
	"spillway/sim/compress/buddy"
	"spillway/sim/compress/profile"
	"spillway/sim/kerneltime"
	"spillway/sim/knob"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
	"spillway/traces/zoo"
)

// batch is that of networks unless they bring their own.
const batch = 256

// batchKnob is the batch size of networks, which all other contents have none of.
func batchKnob() knob.Knob[settings] {
	k := knob.Knob[settings]{
		Info: knob.Info{Key: "batch", Label: "Batch size", Help: "Samples in one training iteration of a network.", Scale: 1, Min: 1},
		Get:  func(s *settings) int64 { return s.Batch }, Set: func(s *settings, v int64) { s.Batch = v },
	}
	for i := range zoo.Models {
		k.Max = max(k.Max, int64(zoo.Models[i].MaxBatch))
	}
	return k
}

// networks are the networks of the zoo as contents.
func networks() []knob.Choice {
	var list []knob.Choice
	for i := range zoo.Models {
		m := &zoo.Models[i]
		list = append(list, knob.Choice{
			Key: m.ID, Label: m.Title + " in training", Help: "Tensors that are alive at once, with contents typical of their kind: dense floats, a ReLU's zeros, masks, indices.",
			Source: "the training laboratory's; contents generated", Set: fmt.Sprintf("batch=%d", m.DefaultBatch),
			Limits: []knob.Limit{{Key: "batch", Min: int64(m.MinBatch), Max: int64(m.MaxBatch), Hint: "In " + m.Sample + "."}},
		})
	}
	return list
}

// network returns what is alive when most is, while a network of the zoo is trained.
func network(id string, batch int64) (*memory, error) {
	model, err := zoo.Find(id)
	if err != nil {
		return nil, err
	}
	// When kernels run does not matter here, only their order.
	w, err := zoo.Build(id, int(batch), zoo.ByLaw(kerneltime.Find("a100-40"), kerneltime.TF32))
	if err != nil {
		return nil, err
	}
	contents, err := profile.Find("by-kind")
	if err != nil {
		return nil, err
	}
	a := vitality.Analyze(w)
	live := a.Live(w)
	at := workload.KernelID(slices.Index(live, slices.Max(live)))
	p := core.Program{Name: fmt.Sprintf("%s, batch %d", model.Title, batch)}
	var held [8]unit.Bytes
	for t, kind := range contents.Deal(w) {
		x := &w.Tensors[t]
		if a.Alive(w, workload.TensorID(t), at) {
			held[kind] += x.Bytes
			p.Allocations = append(p.Allocations, buddy.Allocation{Name: x.Name, Bytes: x.Bytes, Snapshots: []buddy.Histogram{contents.Kinds[kind].Histogram}})
		}
	}
	m := &memory{
		programs: []core.Program{p}, origin: "Built from the architecture of " + model.Title + ".",
		caveat: "Contents are assumed by kind of tensor, and generated: " + contents.Note,
	}
	for kind, b := range held {
		if b > 0 {
			m.notes = append(m.notes, fmt.Sprintf("%v of %s.", b, contents.Kinds[kind].Name))
		}
	}
	return m, nil
}
