package result

import (
	"encoding/json"
	"testing"

	"spillway/sim/hash/hashtest"
	"spillway/sim/unit"
)

// TestFrozen compares with the text that hashes are made of. It must never
// change; ui/lab/train compares the hashes of every published run.
func TestFrozen(t *testing.T) {
	r := &Result{
		System: "g10", Mode: "corrected", Fits: true, Clock: unit.GHz, Ideal: 9,
		Iterations: []Iteration{
			{
				Time: 1, Stall: 2, Overlap: 3, Compute: 4, Doubled: 5,
				Ledger:  Ledger{FaultHandling: 6, HostRead: 7, SSDRead: 8, LatePrefetch: 9, Allocation: 10, Eviction: 11},
				Traffic: Traffic{SSDIn: 12, SSDOut: 13, HostIn: 14, HostOut: 15}, Faults: Faults{Moving: 16, Host: 17, SSD: 18, Unallocated: -1},
			},
			{},
		},
		Reported: 1, Kernels: []Kernel{{Start: 1, End: 2, Ideal: 3, GPU: 4, Host: 5}, {}}, PlannedOps: 6, Notes: []string{"4 × \"<a>\"", "b"},
		SSD: &SSD{
			Drive: "x", Name: "X", Read: 1, Write: 2, Mixed: true, Latency: 3, Amplification: 4, Written: 5, Endurance: 6,
			Life: 7, Daily: 8, Rated: 9, Warranty: 10,
		},
	}
	const want = `{"system":"g10","mode":"corrected","fits":true,"reason":"","clock_hz":1000000000,"ideal_cycles":9,"iterations":[` +
		`{"time_cycles":1,"stall_cycles":2,"overlap_cycles":3,"compute_cycles":4,"doubled_cycles":5,` +
		`"stall_by_cause_cycles":{"fault_handling":6,"host_read":7,"ssd_read":8,"late_prefetch":9,"allocation":10,"eviction":11},` +
		`"traffic_bytes":{"ssd_in":12,"ssd_out":13,"host_in":14,"host_out":15},"fault_pages":{"moving":16,"host":17,"ssd":18,"unallocated":-1}},` +
		`{"time_cycles":0,"stall_cycles":0,"overlap_cycles":0,"compute_cycles":0,"doubled_cycles":0,` +
		`"stall_by_cause_cycles":{"fault_handling":0,"host_read":0,"ssd_read":0,"late_prefetch":0,"allocation":0,"eviction":0},` +
		`"traffic_bytes":{"ssd_in":0,"ssd_out":0,"host_in":0,"host_out":0},"fault_pages":{"moving":0,"host":0,"ssd":0,"unallocated":0}}],` +
		`"reported":1,"kernels":[{"start":1,"end":2,"ideal":3,"gpu":4,"host":5},{"start":0,"end":0,"ideal":0,"gpu":0,"host":0}],` +
		`"planned_ops":6,"notes":["4 × \"<a>\"","b"],"ssd":{"drive":"x","name":"X","read_bytes_per_s":1,"write_bytes_per_s":2,"mixed":true,` +
		`"read_latency_ps":3,"write_amplification_thousandths":4,"written_bytes":5,"endurance_bytes":6,"life_thousandth_years":7,` +
		`"drive_writes_per_day_thousandths":8,"rated_drive_writes_per_day_thousandths":9,"warranty_years":10}}`
	if got := string(frozen(r)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var back Result
	if err := json.Unmarshal(frozen(r), &back); err != nil || Hash(&back) != Hash(r) {
		t.Errorf("read back as %+v, %v", back, err)
	}
	const empty = `{"system":"","mode":"","fits":false,"reason":"","clock_hz":0,"ideal_cycles":0,"iterations":null,"reported":0,"kernels":null,"planned_ops":0,"notes":null}`
	if got := string(frozen(&Result{})); got != empty {
		t.Errorf("got  %s\nwant %s", got, empty)
	}
	// Computed with sha256sum.
	if got := Hash(&Result{}); got != "df44640fe1a6c862aca336b7be1a7667bd7cfad051ea38f62ba9badfcf626652" {
		t.Errorf("the hash of nothing is %s", got)
	}
}

// later is why a hash leaves out what published ones could not have.
const later = "came after the first hashes were published; times and traffic, which are in the hash, follow from it"

// TestHashSeesEverything changes every fact of a result.
func TestHashSeesEverything(t *testing.T) {
	hashtest.Fields(t, Hash, map[string]string{
		"Besides":                         "notes without what the SSD's facts say, all of which are in it",
		"Compressed":                      later,
		"Iterations.Ledger.Compression":   later,
		"Iterations.Ledger.Recomputation": later,
		"Iterations.Paging":               later,
		"Iterations.Swapping":             later,
		"Measured":                        "which of the iterations, all of which are in it, the numbers are means of",
		"Recomputing":                     "a second bound beside the first, whose time is in it",
	})
}
