package filesys

import (
	"fmt"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// describe is the report of a result.
func describe(w *work, s *settings, r *result) *report.Report {
	if r.refused != "" {
		return &report.Report{Reason: r.refused + ".", About: w.about, Origin: w.origin}
	}
	rep := &report.Report{Fits: true, About: w.about, Origin: w.origin, Notes: append([]string(nil), w.notes...), Lead: lead(r), Caveats: caveats(r)}
	if r.w.recorded {
		rep.Words = []report.Word{{Key: "scale"}}
	}
	if r.w.recorded && r.Calls < fewCalls {
		rep.Few = prose.Count(r.Calls, "call") + " are too few to say which file system is faster"
	}
	if w.recorded {
		rep.Notes = append(rep.Notes, whereof(s, r))
	}
	rep.Notes = append(append(rep.Notes, notes(r)...), tableSays(r)...)
	rep.Curves = curves(r)
	return rep
}

// whereof says what machine a recording runs on.
func whereof(s *settings, r *result) string {
	if r.Requests != nil {
		return fmt.Sprintf("The recording runs as it is, whatever Scale says, on an SSD of %v: as large as what it accesses, in pieces of 1 MiB, and so full. A larger one would have less to collect.", r.setup.Device.Room)
	}
	said := "The recording runs unchanged on the whole machine, whatever Scale says, and without the costs of a benchmark program."
	if own := r.setup.Device.Capacity; own < s.Setup.Device.Capacity {
		said += fmt.Sprintf(" Only the SSD is smaller, %v instead of %v: still at least %d times the size of the recording's files.", own, s.Setup.Device.Capacity, roomy)
	}
	return said
}

// lead says the problem: what programs ask, and what an SSD does for the least of it.
func lead(r *result) string {
	if r.Requests != nil {
		said := fmt.Sprintf("An SSD gets %s, which write %s", prose.Count(r.Calls, "request"), prose.Bytes(float64(r.Asked[device.Writes])))
		if r.Scale > 1 {
			said += fmt.Sprintf(" (at 1/%d of full scale)", r.Scale)
		}
		return said + ". How long do they wait, and for what?"
	}
	said := fmt.Sprintf("Programs make %s calls and write %s", prose.Grouped(r.Calls), prose.Bytes(float64(r.Asked[device.Writes])))
	if r.Asked[device.Writes] == 0 {
		said = fmt.Sprintf("Programs make %s calls and write no data", prose.Grouped(r.Calls))
	}
	if r.Scale > 1 {
		said += fmt.Sprintf(" (at 1/%d of full scale)", r.Scale)
	}
	return said + ". Which file system keeps up?"
}

// caveats say what decides whether the numbers can be trusted, or who wins. They are
// the same for every system.
func caveats(r *result) (list []string) {
	m := &r.setup
	overwrites := r.Workload == "oltp" || r.Workload == "varmail" || r.Workload == "webserver"
	if r.Requests != nil {
		if r.w.recorded && r.setup.Device.History == machine.ByItself {
			list = append(list, "Before it is measured the recording is written over and over: what it writes only once is as old as what it writes often.")
		}
		return list
	}
	if r.w.recorded {
		if m.Payload != machine.Random {
			list = append(list, "A recording does not say what programs write. How many lines an overwrite changes decides what ByteFS writes; it is set under What decides the comparison.")
		}
		return list
	}
	if m.Payload == machine.Zeros && overwrites {
		list = append(list, "As in Filebench, programs write zeros over zeros: an overwritten page is as it was, and ByteFS, which compares pages, writes nothing. Payload decides this.")
	}
	if m.Quirks != 0 {
		list = append(list, "The artifact's departures from its paper are on (Fidelity): the paper's figures were not measured with them.")
	}
	return list
}

// few thousand calls say little about a rate.
const fewCalls = 2000

// notes are about one system.
func notes(r *result) (list []string) {
	if r.Calls < fewCalls && !r.w.recorded {
		list = append(list, fmt.Sprintf("Only %s calls run: a larger part of the workload (Scale) says more.", prose.Grouped(r.Calls)))
	}
	if left := moved(&r.Left, plan.Data, device.Writes); left > 0 {
		list = append(list, fmt.Sprintf("%s are still to be written to the SSD when the last call is answered; they are counted, their time is not.", prose.Capital(prose.Bytes(float64(left)))))
	}
	if r.Failed > 0 {
		list = append(list, fmt.Sprintf("%s of %s failed, because their file did not exist, or existed already. They cost a look-up and are in no latency.", prose.Grouped(r.Failed), prose.Count(r.Calls, "call")))
	}
	if r.Device.Full > 0 {
		list = append(list, fmt.Sprintf("Waits for room in the log: %s.", prose.Grouped(r.Device.Full)))
	}
	if t := &r.Tallies[call.Fsync]; t.Count > 0 {
		if n := r.SentNothing; n > 0 {
			list = append(list, fmt.Sprintf("Of %s dirty pages written back, %s had not changed and were not sent; %s went by bytes.", prose.Grouped(n+r.SentBytes+r.SentBlocks), prose.Grouped(n), prose.Grouped(r.SentBytes)))
		}
	}
	return list
}

// logSize is how many bytes the log of a system has in a run, 0 without a log.
func logSize(m *machine.Setup, system string) int64 {
	s := find(system)
	if s == nil || s.Memory != device.WriteLog {
		return 0
	}
	scaled := m.Scaled()
	return int64(scaled.Device.DRAM)
}

// perCall is an amount for each call.
func perCall(n int64, r *core.Result) float64 { return float64(n) / float64(max(1, r.Calls)) }

// nanoseconds of a mean time.
func mean(t unit.Time, n int64) unit.Time {
	if n == 0 {
		return 0
	}
	return t / unit.Time(n)
}
