package result

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"spillway/sim/unit"
)

// Hash returns the SHA-256 of what r measured, in hexadecimal. Equal results have
// equal hashes on every platform and in every version of this program: what is
// hashed is listed here and never changes. A fact that results learn to hold
// later is not in it.
func Hash(r *Result) string {
	sum := sha256.Sum256(frozen(r))
	return hex.EncodeToString(sum[:])
}

// frozen returns r as the JSON text it had when hashes were first published.
func frozen(r *Result) []byte {
	var t text
	t.open('{')
	t.string("system", r.System)
	t.string("mode", r.Mode)
	t.bool("fits", r.Fits)
	t.string("reason", r.Reason)
	t.number("clock_hz", int64(r.Clock))
	t.cycles("ideal_cycles", r.Ideal)
	list(&t, "iterations", r.Iterations, (*text).iteration)
	t.number("reported", int64(r.Reported))
	list(&t, "kernels", r.Kernels, (*text).kernel)
	t.number("planned_ops", int64(r.PlannedOps))
	list(&t, "notes", r.Notes, func(t *text, note *string) { t.quote(*note) })
	if r.SSD != nil {
		t.name("ssd")
		t.drive(r.SSD)
	}
	t.close('}')
	return t
}

// A text is JSON that is being written.
type text []byte

func (t *text) iteration(it *Iteration) {
	t.open('{')
	t.cycles("time_cycles", it.Time)
	t.cycles("stall_cycles", it.Stall)
	t.cycles("overlap_cycles", it.Overlap)
	t.cycles("compute_cycles", it.Compute)
	t.cycles("doubled_cycles", it.Doubled)
	t.name("stall_by_cause_cycles")
	l := &it.Ledger
	t.open('{')
	t.cycles("fault_handling", l.FaultHandling)
	t.cycles("host_read", l.HostRead)
	t.cycles("ssd_read", l.SSDRead)
	t.cycles("late_prefetch", l.LatePrefetch)
	t.cycles("allocation", l.Allocation)
	t.cycles("eviction", l.Eviction)
	t.close('}')
	t.name("traffic_bytes")
	t.open('{')
	t.number("ssd_in", int64(it.Traffic.SSDIn))
	t.number("ssd_out", int64(it.Traffic.SSDOut))
	t.number("host_in", int64(it.Traffic.HostIn))
	t.number("host_out", int64(it.Traffic.HostOut))
	t.close('}')
	t.name("fault_pages")
	t.open('{')
	t.number("moving", it.Faults.Moving)
	t.number("host", it.Faults.Host)
	t.number("ssd", it.Faults.SSD)
	t.number("unallocated", it.Faults.Unallocated)
	t.close('}')
	t.close('}')
}

func (t *text) kernel(k *Kernel) {
	t.open('{')
	t.cycles("start", k.Start)
	t.cycles("end", k.End)
	t.cycles("ideal", k.Ideal)
	t.number("gpu", int64(k.GPU))
	t.number("host", int64(k.Host))
	t.close('}')
}

func (t *text) drive(x *SSD) {
	t.open('{')
	t.string("drive", x.Drive)
	t.string("name", x.Name)
	t.number("read_bytes_per_s", int64(x.Read))
	t.number("write_bytes_per_s", int64(x.Write))
	t.bool("mixed", x.Mixed)
	t.number("read_latency_ps", int64(x.Latency))
	t.number("write_amplification_thousandths", x.Amplification)
	t.number("written_bytes", int64(x.Written))
	t.number("endurance_bytes", int64(x.Endurance))
	t.number("life_thousandth_years", x.Life)
	t.number("drive_writes_per_day_thousandths", x.Daily)
	t.number("rated_drive_writes_per_day_thousandths", x.Rated)
	t.number("warranty_years", x.Warranty)
	t.close('}')
}

// open begins an object or an array.
func (t *text) open(c byte) {
	t.comma()
	*t = append(*t, c)
}

func (t *text) close(c byte) { *t = append(*t, c) }

// comma separates a member or an element from the one before.
func (t *text) comma() {
	if n := len(*t); n > 0 && (*t)[n-1] != '{' && (*t)[n-1] != '[' && (*t)[n-1] != ':' {
		*t = append(*t, ',')
	}
}

func (t *text) name(key string) {
	t.quote(key)
	*t = append(*t, ':')
}

// quote writes s, which is printable.
func (t *text) quote(s string) {
	t.comma()
	*t = strconv.AppendQuote(*t, s)
}

func (t *text) string(key, v string) {
	t.name(key)
	t.quote(v)
}

func (t *text) bool(key string, v bool) {
	t.name(key)
	*t = strconv.AppendBool(*t, v)
}

func (t *text) number(key string, v int64) {
	t.name(key)
	*t = strconv.AppendInt(*t, v, 10)
}

func (t *text) cycles(key string, v unit.Cycles) { t.number(key, int64(v)) }

// list writes an array; one that was never made is null.
func list[E any](t *text, key string, es []E, element func(*text, *E)) {
	t.name(key)
	if es == nil {
		*t = append(*t, "null"...)
		return
	}
	t.open('[')
	for i := range es {
		element(t, &es[i])
	}
	t.close(']')
}
