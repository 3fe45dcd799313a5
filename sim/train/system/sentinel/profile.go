package sentinel

import (
	"slices"

	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// A profile is what the profiled iteration told.
type profile struct {
	w    *workload.Workload
	life *vitality.Analysis
	exec []unit.Cycles
	// layer is the layer of every kernel, first the first kernel of every layer, and one
	// past the last.
	layer []int32
	first []int32
	// short are the tensors of the reserved pool, which takes pool bytes.
	short []bool
	pool  unit.Bytes
}

// longest is how many kernels a layer has at most, where layers of so many fit.
const longest = 16

// newProfile profiles w, whose kernels take exec, with layers of at most so many kernels.
func newProfile(w *workload.Workload, exec []unit.Cycles, longest int) *profile {
	p := &profile{w: w, life: vitality.Analyze(w), exec: exec, layer: make([]int32, len(w.Kernels)), short: make([]bool, len(w.Tensors))}
	p.cut(longest)
	p.classify()
	return p
}

// cut divides the kernels into layers of at most so many.
func (p *profile) cut(longest int) {
	used := make([]int32, len(p.w.Tensors)) // 1 + the last layer that used it
	weights := 0                            // of the present layer
	for k := range p.w.Kernels {
		fresh, known := 0, 0
		now := int32(len(p.first))
		for _, list := range [2][]workload.TensorID{p.w.Kernels[k].Inputs, p.w.Kernels[k].Outputs} {
			for _, t := range list {
				switch {
				case !p.w.Tensors[t].Global || p.w.Tensors[t].Kind != workload.Weight:
				case used[t] == now:
					known++
				default:
					fresh++
				}
			}
		}
		if k == 0 || fresh > 0 && known == 0 && weights > 0 || k-int(p.first[now-1]) >= longest {
			p.first = append(p.first, int32(k))
			now++
			weights = 0
		}
		weights += fresh + known
		for _, list := range [2][]workload.TensorID{p.w.Kernels[k].Inputs, p.w.Kernels[k].Outputs} {
			for _, t := range list {
				used[t] = now
			}
		}
		p.layer[k] = now - 1
	}
	p.first = append(p.first, int32(len(p.w.Kernels)))
}

// layers is how many there are.
func (p *profile) layers() int { return len(p.first) - 1 }

// classify finds the short-lived tensors, and how much they take at most.
func (p *profile) classify() {
	live := make([]unit.Bytes, len(p.w.Kernels)+1)
	for t := range p.w.Tensors {
		birth, last := p.life.Birth[t], p.lastUse(workload.TensorID(t))
		if birth < 0 || p.layer[birth] != p.layer[last] {
			continue
		}
		p.short[t] = true
		size := p.w.Tensors[t].Bytes.Aligned()
		live[birth] += size
		live[last+1] -= size
	}
	now := unit.Bytes(0)
	for _, d := range live {
		now += d
		p.pool = max(p.pool, now)
	}
}

// lastUse is the last kernel during which t is alive, for tensors that are not global.
func (p *profile) lastUse(t workload.TensorID) workload.KernelID { return p.life.Death[t] - 1 }

// An interval is some layers in a row.
type interval struct {
	first int32 // kernel
	time  unit.Cycles
	uses  []workload.TensorID // long-lived tensors in order of first use
}

// intervals cuts the layers into intervals of a length.
func (p *profile) intervals(length int) []interval {
	var list []interval
	seen := make([]int32, len(p.w.Tensors))
	for l := 0; l < p.layers(); l += length {
		x := interval{first: p.first[l]}
		stamp := int32(len(list) + 1)
		for k := int(p.first[l]); k < int(p.first[min(l+length, p.layers())]); k++ {
			x.time += p.exec[k]
			for _, side := range [2][]workload.TensorID{p.w.Kernels[k].Inputs, p.w.Kernels[k].Outputs} {
				for _, t := range side {
					if !p.short[t] && seen[t] != stamp {
						seen[t] = stamp
						x.uses = append(x.uses, t)
					}
				}
			}
		}
		list = append(list, x)
	}
	return list
}

// fits says whether every two intervals in a row have room beside the pool, and how much
// of what the second needs does not come while the first computes.
func (p *profile) fits(list []interval, room unit.Bytes, rate func(unit.Bytes) unit.Cycles) (ok bool, exposed unit.Cycles) {
	ok = true
	in := make([]int32, len(p.w.Tensors))
	for i := range list {
		now, next := &list[i], &list[(i+1)%len(list)]
		stamp := int32(i + 1)
		var both, comes unit.Bytes
		for _, t := range now.uses {
			in[t] = stamp
			both += p.w.Tensors[t].Bytes.Aligned()
		}
		for _, t := range next.uses {
			if in[t] == stamp {
				continue
			}
			size := p.w.Tensors[t].Bytes.Aligned()
			both += size
			if p.w.Tensors[t].Global || int32(p.life.Birth[t]) < next.first {
				comes += size
			}
		}
		ok = ok && both+p.pool <= room
		exposed += max(0, rate(comes)-now.time)
	}
	return ok, exposed
}

// lengths returns the lengths of intervals to try, the computed one first.
func (p *profile) lengths(room unit.Bytes, rate func(unit.Bytes) unit.Cycles) []int {
	best, least := 1, unit.Cycles(-1)
	fit := make([]bool, p.layers()+1)
	for length := 1; length <= p.layers(); length = longer(length) {
		ok, exposed := p.fits(p.intervals(length), room, rate)
		if !ok {
			if least < 0 {
				continue
			}
			break
		}
		fit[length] = true
		if least < 0 || exposed < least {
			best, least = length, exposed
		}
		if exposed == 0 {
			break
		}
	}
	list := []int{best}
	for _, length := range []int{best / 2, 2 * best, best / 4, 4 * best} {
		if length < 1 || length > p.layers() || slices.Contains(list, length) {
			continue
		}
		if ok := fit[length]; !ok {
			if ok, _ = p.fits(p.intervals(length), room, rate); !ok {
				continue
			}
		}
		list = append(list, length)
	}
	return list[:min(len(list), trials)]
}

// longer is the next length that is looked at: every one up to 16, then steps of an
// eighth.
func longer(length int) int { return length + max(1, length/8) }

// largest returns the layer whose long-lived tensors take most, and how much.
func (p *profile) largest() (layer int, size unit.Bytes) {
	for l, x := range p.intervals(1) {
		var n unit.Bytes
		for _, t := range x.uses {
			n += p.w.Tensors[t].Bytes.Aligned()
		}
		if n > size {
			layer, size = l, n
		}
	}
	return layer, size
}
