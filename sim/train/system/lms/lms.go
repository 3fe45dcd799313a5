// Package lms is IBM's Large Model Support for PyTorch: the framework's allocator moves
// tensors that no operator uses to host memory when it runs out of blocks, and brings
// them back when an operator needs them.
//
// Source: IBM, PyTorch Large Model Support, its documentation and the public patch of
// PyTorch's caching allocator; measured by the DeepUM paper (ASPLOS 2023) in Figure
// 9(b), which calls it LMS, and LMS-mod when cached segments are given back now and
// then.
//
// Model: package caching hands out the GPU's memory. All tensors of an operator are on
// the GPU while it runs; the others are inactive. A request takes (1) a free block; (2)
// a new segment, as long as segments do not exceed the limit; (3) the block of the
// tensor that has been inactive for longest among those that are large enough; (4)
// memory that inactive tensors and free blocks beside each other make up; (5) a new
// segment beyond the limit; (6) what all inactive tensors leave; (7) a new segment after
// all free ones have been given back. The operator waits for every copy out and in. With
// speculation a tensor that becomes inactive leaves at once, while operators run, if it
// had to leave at the same place in the iteration before and all its moves up to there
// have been the same. Tensors and requests below lms_size are exempt: they take new
// segments at once and never move. So a limit of all memory can end, as the original
// does, with no room for a segment of 2 MiB beside those of large tensors.
//
// Parameters: lms_limit, lms_size, lms_speculative, lms_trim (LMS-mod), lms_warmup; GPU
// and host memory, links, clock, allocation cost.
//
// Departures: (1) the limit is a share of GPU memory, where IBM's is in bytes. Its
// default 0, which reuses memory before it takes more, is IBM's; the DeepUM paper does
// not say which it ran with. (2) Of blocks that are large enough that of the oldest
// tensor is taken; the best fit is an option of some versions. (3) Fragments leave until
// the request fits; the first versions emptied every segment of sufficient size. (4)
// What a tensor's moves are compared by is the tensor and how often it has been used,
// where the patch counts allocations and reclaims. (5) Mapping a new segment costs the
// machine's allocation rate; giving segments back costs nothing. (6) Copies that find
// host memory full go to the SSD; the original ends with an error. (7) Every tensor that
// leaves is copied, also unchanged ones, as in the original.
//
// Not reproduced: the batch sizes at which the original ran out of memory, by
// fragmentation as the DeepUM paper has it. The model fits far larger ones.
package lms

import (
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// System is IBM LMS.
var System = system.System{
	Name:   "lms",
	Title:  "LMS",
	Paper:  "IBM PyTorch Large Model Support, as measured in DeepUM (ASPLOS 2023), Figure 9(b)",
	About:  "PyTorch's allocator swaps tensors that no operator uses to host memory when it finds no block, and back when they are used.",
	Note:   "That the original runs out of memory at larger batches, as the DeepUM paper has it, is not reproduced: a batch that fits here says nothing about the original.",
	Family: "DeepUM's comparison",
	Off:    true,
	Look:   9,
	Quirks: swap.Quirks,
	Params: []*system.Param{limit, size, speculative, trim, warmup},
	Runtime: func(o *system.Options) engine.Runtime {
		return swap.Memory{
			Rules: swap.Rules{
				Allocator: swap.PyTorch, Reclaim: true, Limit: limit.Of(o), Least: unit.Bytes(size.Of(o)), Copies: true,
				Trim: trim.Of(o), Warm: warmup.Of(o),
			},
			Swapper: func(r *swap.Run) (swap.Swapper, error) {
				return newSwapper(r, unit.Bytes(size.Of(o)), speculative.Of(o) != 0), nil
			},
		}
	},
}

var (
	limit = &system.Param{
		Key: "lms_limit", Label: "LMS: allocation limit", Unit: "%", Scale: 10_000, Min: 0, Max: 1_000_000, Default: 0,
		Help:   "Share of GPU memory up to which new memory is taken before inactive tensors leave; 0 reuses memory first, which needs little of it and moves much.",
		Source: "IBM's documentation of set_limit_lms: default 0",
	}
	size = &system.Param{
		Key: "lms_size", Label: "LMS: least size that moves", Unit: "KiB", Scale: int64(unit.KiB), Min: 0, Max: int64(unit.GiB), Default: int64(unit.MiB),
		Help:   "Smaller tensors never leave, and nothing leaves for smaller requests.",
		Source: "IBM's documentation of set_size_lms: default 1 MB",
	}
	speculative = &system.Param{
		Key: "lms_speculative", Label: "LMS: speculative page-out", Scale: 1, Min: 0, Max: 1, Default: 1,
		Help:   "1: a tensor that had to leave in the iteration before leaves as soon as it becomes inactive.",
		Source: "IBM's patch, version 1.5: on",
	}
	trim = &system.Param{
		Key: "lms_trim", Label: "LMS: give cached segments back every", Unit: "kernels", Scale: 1, Min: 0, Max: 1 << 20, Default: 0,
		Help:   "After this many kernels free segments go back to the driver; 0 for never. Above 0 this is LMS-mod.",
		Source: "DeepUM paper, §6.1: LMS-mod; how often is not said",
	}
	warmup = &system.Param{
		Key: "lms_warmup", Label: "LMS: warm-up iterations", Scale: 1, Min: 0, Max: 16, Default: 2,
		Help:   "Iterations before those that are reported; the first learns what leaves.",
		Source: "the history of an iteration is complete after one",
	}
)

// A swapper is LMS during one run.
type swapper struct {
	r           *swap.Run
	least       unit.Bytes // that moves
	speculative bool
	tensors     []history
	iteration   int
}

// A history is whether a tensor left after each of its uses in this iteration and in
// the one before.
type history struct {
	left, before []bool
	same         bool // up to now
}

func newSwapper(r *swap.Run, least unit.Bytes, speculative bool) *swapper {
	s := &swapper{r: r, least: least, speculative: speculative, tensors: make([]history, len(r.Workload.Tensors))}
	for t := range s.tensors {
		s.tensors[t].same = true
	}
	return s
}

// Launch starts new histories when an iteration begins.
func (s *swapper) Launch(workload.KernelID) {
	if s.r.Iteration() == s.iteration {
		return
	}
	s.iteration = s.r.Iteration()
	for t := range s.tensors {
		h := &s.tensors[t]
		h.left, h.before = h.before[:0], h.left
		h.same = true
	}
}

// Used notes that t has become inactive. It leaves if it did the last time.
func (s *swapper) Used(t workload.TensorID) {
	if !s.movable(t) {
		return
	}
	h := &s.tensors[t]
	i := len(h.left)
	if i > 0 && (i > len(h.before) || h.left[i-1] != h.before[i-1]) {
		h.same = false
	}
	h.left = append(h.left, false)
	if s.speculative && h.same && i < len(h.before) && h.before[i] && s.r.Offload(t) {
		h.left[i] = true
	}
}

// NoRoom returns what leaves for a request: one tensor, neighbours in memory, or all.
func (s *swapper) NoRoom(need unit.Bytes) (leave []workload.TensorID) {
	if need < s.least {
		return nil
	}
	if !s.r.LowMemory() {
		leave = s.some(need)
	} else {
		for t := range s.r.Oldest() {
			if s.movable(t) {
				leave = append(leave, t)
			}
		}
	}
	for _, t := range leave {
		// Before its first use in this iteration it leaves after the last one before.
		if h := &s.tensors[t]; len(h.left) > 0 {
			h.left[len(h.left)-1] = true
		} else if n := len(h.before); n > 0 {
			h.before[n-1] = true
		}
	}
	return leave
}

// some returns the oldest inactive tensor that is large enough, or the first that is
// with its neighbours.
func (s *swapper) some(need unit.Bytes) []workload.TensorID {
	for t := range s.r.Oldest() {
		if s.movable(t) && s.r.Block(t) >= need {
			return []workload.TensorID{t}
		}
	}
	for t := range s.r.Oldest() {
		if s.movable(t) {
			if leave := s.r.VictimsNear(t, need, s.movable); leave != nil {
				return leave
			}
		}
	}
	return nil
}

// movable reports whether LMS moves t at all.
func (s *swapper) movable(t workload.TensorID) bool { return s.r.Size(t) >= s.least }

// Late does nothing: nothing comes early.
func (s *swapper) Late(workload.TensorID, unit.Cycles) {}
