package paged

import (
	"slices"
	"testing"

	"spillway/sim/train/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// interleavedOf returns a residency in which 4 turns of 3 pages of tensor 0 and 2 of
// tensor 1 have come in.
func interleavedOf(t *testing.T) *residency {
	t.Helper()
	w := &workload.Workload{Tensors: []workload.Tensor{{Bytes: 20 * unit.Page, Global: true}, {Bytes: 8 * unit.Page}}}
	r := newResidency(w, 100, 100)
	host := r.tensors[1].first
	r.at(host).loc = machine.Host
	r.push(preSSD, r.tensors[0].first)
	r.push(preHost, host)
	r.interleave(preSSD, preHost, 3, 2, 4)
	return r
}

// leaveInTurn returns tensor and pages of the pair's turns, in order.
func leaveInTurn(r *residency) (turns [][2]int32) {
	for i := r.oldest; i != 0; i = r.at(i).younger {
		i = r.front(i)
		turns = append(turns, [2]int32{int32(r.at(i).tensor), r.at(i).pages})
	}
	return turns
}

func TestInterleavedLeaveInTurn(t *testing.T) {
	tests := []struct {
		name string
		do   func(r *residency)
		want [][2]int32
	}{
		{"whole", func(*residency) {}, [][2]int32{{0, 3}, {1, 2}, {0, 3}, {1, 2}, {0, 3}, {1, 2}, {0, 3}, {1, 2}}},
		{"first pages gone", func(r *residency) { r.leave(r.tensors[0].first, 4, machine.SSD) }, [][2]int32{{1, 2}, {0, 2}, {1, 2}, {0, 3}, {1, 2}, {0, 3}, {1, 2}}},
		{"turns without the second", func(r *residency) { r.leave(r.tensors[1].first, 5, machine.SSD) }, [][2]int32{{0, 9}, {1, 1}, {0, 3}, {1, 2}}},
		{"second gone", func(r *residency) { r.leave(r.tensors[1].first, 8, machine.SSD) }, [][2]int32{{0, 12}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := interleavedOf(t)
			tt.do(r)
			if got := leaveInTurn(r); !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
			if len(r.interleaved) != 0 {
				t.Errorf("%d interleaved pairs are left", len(r.interleaved))
			}
		})
	}
}

// TestInterleavedLeaveInQueue cuts turns off an extent that is about to leave, the first page of
// which begins a transfer.
func TestInterleavedLeaveInQueue(t *testing.T) {
	r := interleavedOf(t)
	r.at(r.tensors[0].first).begins = true
	r.push(outSSD, r.tensors[0].first)
	leaveInTurn(r)
	at := int32(0)
	for i := r.queues[outSSD].head; i != 0; i = r.at(i).inQueue {
		if x := r.at(i); x.start != at || x.tensor != 0 {
			t.Errorf("page %d of tensor %d is next, want %d of tensor 0", x.start, x.tensor, at)
		} else if x.begins != (at == 0) {
			t.Errorf("page %d begins a transfer: %v", at, x.begins)
		} else {
			at += x.pages
		}
	}
	if at != 12 || r.tensors[0].moving != 20 {
		t.Errorf("%d pages queue up and %d move, want 12 and, with those still on the SSD, 20", at, r.tensors[0].moving)
	}
}
