package train_test

import (
	"fmt"
	"testing"

	"spillway/sim/train"
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/blocks"
	"spillway/sim/train/machine"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A record changes nothing, has every cycle of the ledger and every byte of the
// traffic, and what it has could happen.
func TestRecord(t *testing.T) {
	moved, stalled := 0, 0
	try(t, all, func(c *caseOf) string {
		q := c.q
		q.Record = &engine.Record{}
		if wrong := same(c.got, c.run(c.w, q)); wrong != "" || !c.got.Fits {
			return wrong
		}
		moved += len(q.Record.Transfers)
		stalled += len(q.Record.Stalls)
		return recorded(c.w, c.got, q.Record)
	})
	if moved == 0 || stalled == 0 {
		t.Errorf("%d transfers and %d stalls in all cases", moved, stalled)
	}
}

// On a simulated drive the record is that of the last run.
func TestRecordOnDrive(t *testing.T) {
	try(t, only("uvm", "g10", "flashneuron", "lms"), func(c *caseOf) string {
		q := c.q
		if q.SSD = "990-pro"; c.w.Kernels[0].Time%4 != 0 {
			return "" // some cases will do
		}
		q.Record = &engine.Record{}
		r, err := train.Run(c.w, q, nil)
		if err != nil {
			return err.Error()
		}
		if !r.Fits {
			return ""
		}
		return recorded(c.w, r, q.Record)
	})
}

// recorded says what a record and its result do not agree on.
func recorded(w *workload.Workload, r *result.Result, x *engine.Record) string {
	var ledger result.Ledger
	waits := make([]unit.Cycles, len(r.Kernels))
	var before unit.Cycles
	for _, s := range x.Stalls {
		k := &r.Kernels[s.Kernel]
		if s.Start < before || s.End <= s.Start || s.Start < k.Start || s.End > k.End {
			return fmt.Sprintf("stall %+v after %d, in %+v", s, before, k)
		}
		before = s.End
		*ledger.At(s.Cause) += s.End - s.Start
		waits[s.Kernel] += s.End - s.Start
	}
	if ledger != r.Main().Ledger {
		return fmt.Sprintf("stalls sum to %+v, the ledger has %+v", ledger, r.Main().Ledger)
	}
	for i, n := range waits {
		if k := &r.Kernels[i]; k.End-k.Start != k.Ideal+n {
			return fmt.Sprintf("kernel %d waits %d of %+v", i, n, k)
		}
	}
	if wrong := resided(w, r, x); wrong != "" {
		return wrong
	}
	var most unit.Bytes
	if r.Main().Paging != nil {
		most = blocks.Size // moves whole, whatever of it is the tensor's
	}
	var traffic result.Traffic
	lanes := map[[2]machine.Tier]unit.Cycles{}
	for _, m := range x.Transfers {
		lane := [2]machine.Tier{m.From, m.To}
		if m.Start < lanes[lane] || m.End < m.Start || m.Bytes <= 0 || m.Bytes > most+w.Tensors[m.Tensor].Bytes.Aligned()*unit.Bytes(len(w.Kernels)+1)*4 {
			return fmt.Sprintf("transfer %+v after %d", m, lanes[lane])
		}
		lanes[lane] = m.End
		switch lane {
		case [2]machine.Tier{machine.SSD, machine.GPU}:
			traffic.SSDIn += m.Bytes
		case [2]machine.Tier{machine.GPU, machine.SSD}:
			traffic.SSDOut += m.Bytes
		case [2]machine.Tier{machine.Host, machine.GPU}:
			traffic.HostIn += m.Bytes
		case [2]machine.Tier{machine.GPU, machine.Host}:
			traffic.HostOut += m.Bytes
		default:
			return fmt.Sprintf("transfer %+v", m)
		}
	}
	if traffic != r.Main().Traffic {
		return fmt.Sprintf("transfers sum to %+v, the traffic is %+v", traffic, r.Main().Traffic)
	}
	return ""
}

// resided says where what tensors have on the GPU is not what is in use when a kernel ends. Memory
// in blocks tells of none. What is held for the whole run is no tensor's, nor is what a transfer
// under way keeps until it ends.
func resided(w *workload.Workload, r *result.Result, x *engine.Record) string {
	if r.Main().Paging != nil || len(x.Residents) == 0 {
		return ""
	}
	has := make([]unit.Bytes, len(w.Tensors))
	var sum, held unit.Bytes
	rest := x.Residents
	for i := range r.Kernels {
		k := &r.Kernels[i]
		for ; len(rest) > 0 && rest[0].At <= k.End; rest = rest[1:] {
			sum += rest[0].Bytes - has[rest[0].Tensor]
			has[rest[0].Tensor] = rest[0].Bytes
		}
		other := k.GPU - sum
		if i == 0 {
			held = other
		}
		if other < 0 || other != held && r.Main().Swapping == nil {
			return fmt.Sprintf("kernel %d ends with %v in use, tensors have %v, at first %v were nobody's", i, k.GPU, sum, held)
		}
	}
	if len(rest) > 0 {
		return fmt.Sprintf("%+v is after the last kernel", rest[0])
	}
	return ""
}
