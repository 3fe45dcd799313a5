package result

import "spillway/sim/hash"

// Hash returns the SHA-256 of what r measured, in hexadecimal. Equal results have
// equal hashes on every platform and in every version of this program: what is
// hashed is listed here and never changes. A fact that results learn to hold
// later is not in it.
func Hash(r *Result) string { return hash.Sum(frozen(r)) }

// frozen returns r as the JSON text it had when hashes were first published.
func frozen(r *Result) []byte {
	var t hash.Text
	t.Open('{')
	t.String("system", r.System)
	t.String("mode", r.Mode)
	t.Bool("fits", r.Fits)
	t.String("reason", r.Reason)
	t.Int("clock_hz", int64(r.Clock))
	t.Int("ideal_cycles", int64(r.Ideal))
	hash.List(&t, "iterations", r.Iterations, iteration)
	t.Int("reported", int64(r.Reported))
	hash.List(&t, "kernels", r.Kernels, kernel)
	t.Int("planned_ops", int64(r.PlannedOps))
	hash.Strings(&t, "notes", r.Notes)
	if r.SSD != nil {
		t.Name("ssd")
		drive(&t, r.SSD)
	}
	if r.Policy != nil {
		t.Name("policy")
		t.Open('{')
		a := r.Policy.Account()
		a.Named.Freeze(&t)
		a.Spent.Freeze(&t)
		t.Close('}')
	}
	t.Close('}')
	return t
}

func iteration(t *hash.Text, it *Iteration) {
	t.Open('{')
	t.Int("time_cycles", int64(it.Time))
	t.Int("stall_cycles", int64(it.Stall))
	t.Int("overlap_cycles", int64(it.Overlap))
	t.Int("compute_cycles", int64(it.Compute))
	t.Int("doubled_cycles", int64(it.Doubled))
	t.Name("stall_by_cause_cycles")
	l := &it.Ledger
	t.Open('{')
	t.Int("fault_handling", int64(l.FaultHandling))
	t.Int("host_read", int64(l.HostRead))
	t.Int("ssd_read", int64(l.SSDRead))
	t.Int("late_prefetch", int64(l.LatePrefetch))
	t.Int("allocation", int64(l.Allocation))
	t.Int("eviction", int64(l.Eviction))
	t.Close('}')
	t.Name("traffic_bytes")
	t.Open('{')
	t.Int("ssd_in", int64(it.Traffic.SSDIn))
	t.Int("ssd_out", int64(it.Traffic.SSDOut))
	t.Int("host_in", int64(it.Traffic.HostIn))
	t.Int("host_out", int64(it.Traffic.HostOut))
	t.Close('}')
	t.Name("fault_pages")
	t.Open('{')
	t.Int("moving", it.Faults.Moving)
	t.Int("host", it.Faults.Host)
	t.Int("ssd", it.Faults.SSD)
	t.Int("unallocated", it.Faults.Unallocated)
	t.Close('}')
	t.Close('}')
}

func kernel(t *hash.Text, k *Kernel) {
	t.Open('{')
	t.Int("start", int64(k.Start))
	t.Int("end", int64(k.End))
	t.Int("ideal", int64(k.Ideal))
	t.Int("gpu", int64(k.GPU))
	t.Int("host", int64(k.Host))
	t.Close('}')
}

func drive(t *hash.Text, x *SSD) {
	t.Open('{')
	t.String("drive", x.Drive)
	t.String("name", x.Name)
	t.Int("read_bytes_per_s", int64(x.Read))
	t.Int("write_bytes_per_s", int64(x.Write))
	t.Bool("mixed", x.Mixed)
	t.Int("read_latency_ps", int64(x.Latency))
	t.Int("write_amplification_thousandths", x.Amplification)
	t.Int("written_bytes", int64(x.Written))
	t.Int("endurance_bytes", int64(x.Endurance))
	t.Int("life_thousandth_years", x.Life)
	t.Int("drive_writes_per_day_thousandths", x.Daily)
	t.Int("rated_drive_writes_per_day_thousandths", x.Rated)
	t.Int("warranty_years", x.Warranty)
	t.Close('}')
}
