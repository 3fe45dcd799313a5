package zoo

import (
	"errors"
	"fmt"
	"strings"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/g10"
)

// A TimeModel says how long kernels take: by the law of package kerneltime ([ByLaw]), or as in
// the G10 artifact ([AsPaper]), whose kernels have shares of their GPU's peaks.
type TimeModel struct {
	// Source is workload.Estimated, or workload.ColdModel for kernels as the G10 paper's
	// profiler timed them, on its own GPU.
	Source workload.TimeSource
	// Law is the GPU whose kernels take as long as the law says, in a precision that keeps
	// fp32 in memory; nil: the artifact's kernels.
	Law       *kerneltime.GPU
	Precision kerneltime.Precision
	// Peaks and Effects are of the artifact's kernels: of the GPU, and what the profiler added.
	Peaks   Peaks
	Effects []Effect
}

// ByLaw returns the kernel times of the law.
func ByLaw(g *kerneltime.GPU, p kerneltime.Precision) TimeModel {
	return TimeModel{Source: workload.Estimated, Law: g, Precision: p}
}

// AsPaper returns kernel times as the G10 paper measured them.
func AsPaper() TimeModel {
	return TimeModel{Source: workload.ColdModel, Peaks: A100(), Effects: Profile()}
}

// Profiled returns times of the artifact's kernels once they are warm, on a GPU with these
// peaks. What was computed before the law stands on them, and is compared with them; nothing
// that people see is.
func Profiled(p Peaks) TimeModel { return TimeModel{Source: workload.Estimated, Peaks: p} }

// check reports why the model does not apply.
func (t *TimeModel) check(m *Model) error {
	switch {
	case t.Source != workload.Estimated && t.Source != workload.ColdModel:
		return fmt.Errorf("the zoo has no %q kernel times; take %q or %q", t.Source, workload.Estimated, workload.ColdModel)
	case t.Law != nil && t.Precision.Element() != element:
		return fmt.Errorf("the zoo's numbers have 4 bytes, and %s has none such; take fp32, tf32 or tf32-conv", t.Precision)
	case t.Law != nil:
		return nil
	case t.Peaks.FP32 <= 0 || t.Peaks.TF32 < 0 || t.Peaks.Memory <= 0:
		return errors.New("kernel times need a GPU")
	case t.Source == workload.ColdModel && !m.profiled:
		return fmt.Errorf("the G10 paper has not profiled %s; take %q kernel times", m.Title, workload.Estimated)
	case t.Source == workload.ColdModel && t.Peaks != A100():
		return fmt.Errorf("the G10 paper profiled on an A100 40 GB alone; take %q kernel times", workload.Estimated)
	}
	return nil
}

// Band is how far off eight of ten times of a model's iteration are at most, in percent; 0 of
// other times than the law's.
func (t *TimeModel) Band(m *Model) int64 {
	switch {
	case t.Law == nil:
		return 0
	case strings.HasPrefix(m.Sample, "images"):
		return t.Law.Band(kerneltime.Images, kerneltime.Compute)
	}
	return t.Law.Band(kerneltime.Transformer, kerneltime.Compute)
}

func (t *TimeModel) describe(m *Model) string {
	switch {
	case t.Source == workload.ColdModel:
		return "kernel times modeled as the G10 paper's profiler took them on an A100 40 GB"
	case t.Law != nil:
		return fmt.Sprintf("kernel times of warm kernels on %s in %s by the law of kernel times, ± %d %%", t.Law.Name, t.Precision, t.Band(m))
	}
	return "kernel times of the G10 artifact's kernels once they are warm"
}

// A class is what kernels of one efficiency have in common.
type class struct {
	kernel    string
	pointwise bool
}

// fill sets the time of every kernel.
func (t *TimeModel) fill(g *graph) error {
	if t.Law != nil {
		t.fillByLaw(g)
		return nil
	}
	rates := moduleRates
	if g.w.Graph.Transformer {
		rates = listRates
	}
	table := make(map[class]efficiency, len(rates)+len(stepRates))
	for _, list := range [][]efficiency{rates, stepRates} {
		for _, r := range list {
			table[class{r.kernel, r.pointwise}] = r
		}
	}
	effects := t.effects(g.w.Graph.Transformer)
	for i := range g.w.Kernels {
		k, work := &g.w.Kernels[i], &g.work[i]
		e, ok := table[class{k.Name, work.Window == [2]int64{1, 1} && conv2d(k.Name)}]
		if !ok {
			return fmt.Errorf("kernel %d (%s): the time model has no such class", i, k.Name)
		}
		start := unit.Time(e.start) * unit.Microsecond
		if f, ok := effects[k.Name]; ok {
			start += f.apply(&e, work)
		}
		k.Time = max(1, start+t.roofline(g.w, k, work, &e))
	}
	return nil
}

// effects returns the effects by kernel name, none for warm kernels.
func (t *TimeModel) effects(transformer bool) map[string]Effect {
	if t.Source != workload.ColdModel {
		return nil
	}
	table := make(map[string]Effect, len(t.Effects))
	for _, f := range t.Effects {
		if f.Transformer == transformer {
			table[f.Kernel] = f
		}
	}
	return table
}

// apply changes the efficiency and returns how much later a kernel starts.
func (f *Effect) apply(e *efficiency, work *g10.Work) unit.Time {
	if f.Compute > 0 {
		e.compute = f.Compute
	}
	if f.Memory > 0 {
		e.memory = f.Memory
	}
	start := f.Feature * unit.Time(max(work.In, work.Out))
	if f.Cold == ByShape && !coldShape(f.Kernel, work) {
		return start
	}
	return start + f.Start
}

// conv2d reports whether a kernel is one of a convolution's three products,
// which have a row of their own for 1x1 windows.
func conv2d(kernel string) bool {
	return kernel == "Conv2d_Forward" || kernel == "Conv2d_Backward_Input" || kernel == "Conv2d_Backward_Weight"
}

// roofline returns the longer of a kernel's arithmetic and memory traffic, at
// most workload.MaxTime/2.
func (t *TimeModel) roofline(w *workload.Workload, k *workload.Kernel, work *g10.Work, e *efficiency) unit.Time {
	var bytes unit.Bytes
	for _, ids := range [2][]workload.TensorID{k.Inputs, k.Outputs} {
		for _, id := range ids {
			bytes += w.Tensors[id].Bytes
		}
	}
	seconds := float64(bytes) / float64(float64(t.Peaks.Memory)*e.memory)
	if e.compute > 0 {
		seconds = max(seconds, 2*float64(work.MACs)/t.Peaks.arithmetic(e.compute))
	}
	const most = float64(workload.MaxTime) / 2
	return unit.Time(min(most, seconds*float64(unit.Second)))
}
