package recording

import (
	"strings"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

// tensors makes the workload's tensors: those that a kernel uses or that outlive
// the step, and last the memory that no tensor accounts for.
func (f *folding) tensors() error {
	for i := range f.step.Tensors {
		t := &f.step.Tensors[i]
		kind, global := f.role(t)
		if t.Bytes == 0 || !global && len(t.Uses) == 0 {
			f.unused++
			continue
		}
		f.kept = append(f.kept, int32(i))
		f.w.Tensors = append(f.w.Tensors, workload.Tensor{Name: text(t.Name), Bytes: t.Bytes, Kind: kind, Global: global})
		tallies := []*Tally{&f.rep.Sources[t.From], &f.rep.Roles[kind], &f.rep.Buffers}
		if !t.Buffer || kind != workload.Weight {
			tallies = tallies[:2]
		}
		for _, tally := range tallies {
			tally.Tensors++
			tally.Bytes += t.Bytes
		}
	}
	if f.step.Resident > 0 {
		f.rep.Resident = f.step.Resident
		f.w.Tensors = append(f.w.Tensors, workload.Tensor{Name: residentName, Bytes: f.step.Resident, Kind: workload.Workspace, Global: true})
	}
	return nil
}

// uses gives kernels their tensors. A tensor that dies in the step lives until
// something reads it, so its last use is a read whatever else it is.
func (f *folding) uses() error {
	counts := make([][2]int32, len(f.w.Kernels))
	f.eachUse(func(k int32, _ workload.TensorID, read, write bool) {
		if read {
			counts[k][0]++
		}
		if write {
			counts[k][1]++
		}
	})
	total := 0
	for _, c := range counts {
		total += int(c[0] + c[1])
	}
	all := make([]workload.TensorID, 0, total)
	for k, c := range counts {
		f.w.Kernels[k].Inputs = all[len(all) : len(all) : len(all)+int(c[0])]
		all = all[:len(all)+int(c[0])]
		f.w.Kernels[k].Outputs = all[len(all) : len(all) : len(all)+int(c[1])]
		all = all[:len(all)+int(c[1])]
	}
	f.eachUse(func(k int32, t workload.TensorID, read, write bool) {
		kernel := &f.w.Kernels[k]
		if read {
			kernel.Inputs = append(kernel.Inputs, t)
		}
		if write {
			kernel.Outputs = append(kernel.Outputs, t)
		}
	})
	f.follow()
	for k := range f.w.Kernels {
		kernel := &f.w.Kernels[k]
		if len(kernel.Inputs) == 0 {
			kernel.Inputs = nil
		}
		if len(kernel.Outputs) == 0 {
			kernel.Outputs = nil
		}
	}
	return nil
}

// eachUse calls use for all that is known, by tensor.
func (f *folding) eachUse(use func(k int32, t workload.TensorID, read, write bool)) {
	var list []int32 // kernels that use a tensor, in the order in which they run
	for id, i := range f.kept {
		t := &f.step.Tensors[i]
		list = list[:0]
		last := int32(-1)
		for _, u := range t.Uses {
			list = append(list, f.at[f.place[u.Kernel]])
			last = max(last, list[len(list)-1])
		}
		for j, u := range t.Uses {
			ends := list[j] == last && len(list) > 1 && !f.w.Tensors[id].Global
			use(list[j], workload.TensorID(id), u.Read || !u.Write || ends, u.Write)
		}
	}
}

// follow lets kernels without tensors read what the kernel before used; the first
// ones, what the first with tensors does.
func (f *folding) follow() {
	if f.rep.Followed == 0 {
		return
	}
	first := 0
	for !f.known[first] {
		first++
	}
	set := f.w.WorkingSet(nil, workload.KernelID(f.at[first]))
	for p := range f.order {
		k := workload.KernelID(f.at[p])
		if f.known[p] {
			set = f.w.WorkingSet(nil, k)
		} else {
			f.w.Kernels[k].Inputs = set
		}
	}
}

// rebuilt is the most memory that the workload's tensors take at once, and what of
// it no kernel uses.
func (f *folding) rebuilt() (peak, held unit.Bytes) {
	n := len(f.w.Tensors)
	first, last := make([]int32, n), make([]int32, n)
	for t := range first {
		first[t] = -1
	}
	for k := range f.w.Kernels {
		for _, list := range [][]workload.TensorID{f.w.Kernels[k].Inputs, f.w.Kernels[k].Outputs} {
			for _, t := range list {
				if first[t] < 0 {
					first[t] = int32(k)
				}
				last[t] = int32(k)
			}
		}
	}
	live := make([]unit.Bytes, len(f.w.Kernels)+1)
	for t := range first {
		size := f.w.Tensors[t].Bytes
		switch {
		case f.w.Tensors[t].Global:
			live[0] += size
			if first[t] < 0 {
				held += size
			}
		case first[t] >= 0:
			live[first[t]] += size
			live[last[t]+1] -= size
		}
	}
	var level unit.Bytes
	for _, change := range live {
		level += change
		peak = max(peak, level)
	}
	return peak, held
}

// mostName is how long a name may be: those of template kernels have kilobytes.
const mostName = 160

// kernelName names a kernel for people: by its operator, and what runs.
func kernelName(k *Kernel) string {
	name := short(k.Name)
	switch {
	case k.Op == "":
		return name
	case name == "" || name == k.Op:
		return text(k.Op)
	}
	return text(k.Op + " (" + name + ")")
}

// short returns the name of a C++ function without its parameters and those of its
// template, and without the type of its result.
func short(name string) string {
	if rest, ok := strings.CutPrefix(name, "void "); ok {
		name = rest
	}
	name = strings.ReplaceAll(name, "(anonymous namespace)::", "")
	if at := strings.IndexAny(name, "<("); at > 0 && !strings.HasPrefix(name, "Mem") {
		name = name[:at]
	}
	return text(name)
}

// text returns UTF-8 of a reasonable length.
func text(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if len(s) <= mostName {
		return s
	}
	return strings.ToValidUTF8(s[:mostName-len("…")], "") + "…"
}
