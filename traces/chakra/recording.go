package chakra

import (
	"fmt"
	"strings"

	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// Recording returns what the trace says: one iteration, the whole file. name is
// the file's, without folders.
func (t *Trace) Recording(name string) *recording.Recording {
	r := &recording.Recording{
		Name: name, Format: "Chakra execution trace", Files: []string{name}, Label: recording.L2,
		Device: recording.Device{ID: int(t.Device)}, Times: workload.Measured,
		Notes:  append([]string{"Chakra keeps no marks of iterations: the whole file is taken as one, its first kernels and its last among them."}, t.Notes...),
		Advice: []string{"For single iterations open the PyTorch traces the file was converted from, or record with capture.py."},
	}
	if !t.Timed {
		r.Notes = append(r.Notes, "Kernels have durations in whole microseconds and no starts: they follow one another, and neither idle time nor overlap is known.")
	}
	s := recording.Step{Name: "whole file", Complete: true}
	s.Kernels = make([]recording.Kernel, len(t.Kernels))
	for i := range t.Kernels {
		k := &t.Kernels[i]
		s.Kernels[i] = recording.Kernel{
			Name: k.Name, Op: k.Op, Start: k.Start, Time: k.Time, Least: resolution, Stream: k.Stream, Kind: kindOf(k),
		}
	}
	t.tensors(&s)
	r.Steps = []recording.Step{s}
	return r
}

// tensors adds tensors with their roles.
func (t *Trace) tensors(s *recording.Step) {
	optimizer, beside := t.optimizers(), t.beside()
	var count [6]int
	for i := range t.Tensors {
		one := &t.Tensors[i]
		if int32(one.Device) != t.Device || len(one.Uses) == 0 {
			continue
		}
		to := recording.Tensor{Bytes: one.Bytes, From: recording.Measured}
		to.Kind, to.Global = one.role(optimizer)
		if k := one.Uses[0].Kernel; to.Kind == workload.Input && one.Resident && !one.copied &&
			one.Bytes >= beside[k][0] && recording.LooksUp(t.Kernels[k].Op, one.Bytes, beside[k][1]) {
			to.Kind, to.Global = workload.Weight, true
		}
		to.Buffer = to.Kind == workload.Weight && !one.updated(optimizer)
		count[to.Kind]++
		to.Name = fmt.Sprintf("%v %d", to.Kind, count[to.Kind])
		to.Uses = make([]recording.Use, len(one.Uses))
		for j, u := range one.Uses {
			to.Uses[j] = recording.Use(u)
		}
		s.Tensors = append(s.Tensors, to)
	}
}

// optimizers says of each kernel whether an optimizer launched it, as far as its
// operator's name tells: optimizers work on lists of tensors, or are one operator.
func (t *Trace) optimizers() []bool {
	is := make([]bool, len(t.Kernels))
	for i := range t.Kernels {
		op := t.Kernels[i].Op
		is[i] = strings.HasPrefix(op, "aten::_foreach_") || strings.HasPrefix(op, "aten::_fused_adam") || strings.HasPrefix(op, "aten::_fused_sgd")
	}
	return is
}

// beside returns the sizes of the two largest tensors of each kernel.
func (t *Trace) beside() [][2]unit.Bytes {
	list := make([][2]unit.Bytes, len(t.Kernels))
	for i := range t.Tensors {
		x := &t.Tensors[i]
		for _, u := range x.Uses {
			switch two := &list[u.Kernel]; {
			case x.Bytes > two[0]:
				two[0], two[1] = x.Bytes, two[0]
			default:
				two[1] = max(two[1], x.Bytes)
			}
		}
	}
	return list
}

// updated reports whether an optimizer writes a tensor.
func (t *Tensor) updated(optimizer []bool) bool {
	for _, u := range t.Uses {
		if u.Write && optimizer[u.Kernel] {
			return true
		}
	}
	return false
}

// role says what a tensor most likely is.
func (t *Tensor) role(optimizer []bool) (kind workload.Kind, global bool) {
	inside, outside, updated, written := 0, 0, false, 0
	for _, u := range t.Uses {
		if optimizer[u.Kernel] {
			inside++
			updated = updated || u.Write
		} else {
			outside++
		}
		if u.Write {
			written++
		}
	}
	switch {
	case t.copied:
		return workload.Input, false
	case t.Resident && updated && outside == 0:
		return workload.Optimizer, true
	case t.Resident && updated:
		return workload.Weight, true
	case t.Resident && outside == 1 && inside == 0 && written == 0:
		return workload.Input, false
	case t.Resident:
		return workload.Weight, true
	case inside > 0 && outside > 0:
		return workload.Gradient, false
	case inside > 0:
		return workload.Workspace, false
	}
	return workload.Intermediate, false
}

// kindOf says what a kernel does, as its name tells.
func kindOf(k *Kernel) recording.KernelKind {
	switch n := k.Name; {
	case k.Type >= communicate && k.Type <= lastKind, strings.HasPrefix(n, "nccl"):
		return recording.Communication
	case strings.HasPrefix(n, "Memcpy HtoD"):
		return recording.HostToDevice
	case strings.HasPrefix(n, "Memcpy DtoH"):
		return recording.DeviceToHost
	case strings.HasPrefix(n, "Memcpy DtoD"):
		return recording.DeviceToDevice
	case strings.HasPrefix(n, "Memset"):
		return recording.Memset
	}
	return recording.Compute
}
