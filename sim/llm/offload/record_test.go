package offload

import (
	"slices"
	"testing"

	"spillway/sim/llm/job"
	"spillway/sim/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// checkRecord compares what a recorder has with the result: spells sum to the ledger, kernels run as
// long as they take, transfers sum to the traffic.
func checkRecord(t *testing.T, j *job.Job, rec *Record, got *Result) {
	t.Helper()
	if rec == nil {
		t.Fatal("no record of the result")
	}
	ledgers := make([][Causes]unit.Time, len(got.GPUs))
	ends := make([]unit.Time, len(got.GPUs))
	runs := make([]workload.KernelID, len(got.GPUs))
	for _, s := range rec.Spells {
		if s.Begin != ends[s.GPU] || s.End <= s.Begin {
			t.Fatalf("GPU %d: %+v after %v", s.GPU, s, ends[s.GPU])
		}
		if s.Kernel < runs[s.GPU] {
			t.Fatalf("GPU %d: %+v after kernel %d", s.GPU, s, runs[s.GPU])
		}
		ends[s.GPU], runs[s.GPU] = s.End, s.Kernel
		ledgers[s.GPU][s.Cause] += s.End - s.Begin
		if w := j.Parts[s.GPU]; s.Runs && s.Cause == Computes {
			if k := &w.Kernels[s.Kernel]; s.End-s.Begin != k.HostTime+k.Time {
				t.Fatalf("GPU %d: kernel %d takes %v, want %v", s.GPU, s.Kernel, s.End-s.Begin, k.HostTime+k.Time)
			}
		}
		if s.Runs && s.Cause != Computes && s.Cause != Communicate || !s.Runs && s.Cause == Computes {
			t.Fatalf("%+v", s)
		}
	}
	sums := make([][QueueKinds + 1]unit.Bytes, len(got.GPUs))
	for _, x := range rec.Transfers {
		if x.End < x.Begin || x.End < 0 || x.End > got.Time {
			t.Fatalf("%+v in %v", x, got.Time)
		}
		sums[x.GPU][x.Sum] += x.Bytes
	}
	for i, g := range got.GPUs {
		if ledgers[i] != g.Ledger || ends[i] != got.Time {
			t.Fatalf("GPU %d: spells sum to %v until %v, the ledger is %v of %v", i, ledgers[i], ends[i], g.Ledger, got.Time)
		}
		if s := sums[i]; s[SSDRead] != g.Read || s[SSDWrite] != g.Written || s[HostRead] != g.HostRead || s[HostWrite] != g.HostWritten {
			t.Fatalf("GPU %d: transfers sum to %v, the result has %d %d %d %d", i, s, g.Read, g.Written, g.HostRead, g.HostWritten)
		}
	}
}

// A run that is watched is as one that is not, and its record sums to its result.
func TestRecordsSumToResults(t *testing.T) {
	var spells, transfers, waits int
	for seed := range seeds(200) {
		j, s, n := randomJob(t, seed)
		plain, err := Run(j, s, n, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var rec Recorder
		got, err := Run(j, s, n, Options{Watch: &rec})
		if err != nil || got.Time != plain.Time || got.Stuck != plain.Stuck {
			t.Fatalf("seed %d: %v %v %q, unwatched %v %q", seed, err, got.Time, got.Stuck, plain.Time, plain.Stuck)
		}
		if got.Stuck != "" {
			if rec.Of(got) != nil {
				t.Fatalf("seed %d: a record of a run that did not end", seed)
			}
			continue
		}
		r := rec.Of(got)
		checkRecord(t, j, r, got)
		spells, transfers = spells+len(r.Spells), transfers+len(r.Transfers)
		for _, x := range r.Spells {
			if !x.Runs {
				waits++
			}
		}
	}
	if spells == 0 || transfers == 0 || waits == 0 {
		t.Errorf("%d spells, %d of them waits, %d transfers: too few to show anything", spells, waits, transfers)
	}
}

// The host's optimizer: the first kernel waits for what the iteration before has begun.
func TestRecordOfExtras(t *testing.T) {
	gpu, host := machine.Endpoint{Kind: machine.OnGPU}, machine.Endpoint{Kind: machine.OnHost}
	j := &job.Job{Parts: []*workload.Workload{chain(10, 5)}}
	s := &Schedule{Extras: []Extra{
		{Name: "gradients", Queue: HostWrite, Bytes: 4 * page, From: gpu, To: host, After: []job.Ref{ref(0, 1)}},
		{Name: "step", Queue: CPU, Time: 7 * us, Extras: []int32{0}},
		{Name: "weights", Queue: HostRead, Bytes: 2 * page, From: host, To: gpu, Extras: []int32{1}, Next: []job.Ref{ref(0, 0)}, Cause: Optimizer},
	}}
	var rec Recorder
	got, err := Run(j, s, toy(t, 1, 100), Options{Watch: &rec})
	if err != nil || got.Stuck != "" {
		t.Fatal(err, got)
	}
	r := rec.Of(got)
	checkRecord(t, j, r, got)
	spells := []Spell{
		{Cause: Optimizer, End: 13 * us},
		{Runs: true, Begin: 13 * us, End: 23 * us},
		{Kernel: 1, Runs: true, Begin: 23 * us, End: 28 * us},
	}
	if r.Schedule != s || !slices.Equal(r.Spells, spells) {
		t.Errorf("spells %+v, want %+v", r.Spells, spells)
	}
	transfers := []Transfer{
		{Queue: HostWrite, What: Additional, End: 4 * us, Bytes: 4 * page, Sum: HostWrite},
		{Queue: CPU, What: Additional, ID: 1, Begin: 4 * us, End: 11 * us, Sum: QueueKinds},
		{Queue: HostRead, What: Additional, ID: 2, Begin: 11 * us, End: 13 * us, Bytes: 2 * page, Sum: HostRead},
	}
	if !slices.Equal(r.Transfers, transfers) {
		t.Errorf("transfers %+v, want %+v", r.Transfers, transfers)
	}
	if rec.Of(&Result{}) != nil {
		t.Error("a record of another run")
	}
}

// Waiting for the others of a collective is told apart from its own bytes; a GPU that is through
// waits after its last kernel.
func TestRecordOfACollective(t *testing.T) {
	j := &job.Job{
		Parts:       []*workload.Workload{chain(5, 1, 3), chain(8, 1, 2)},
		Collectives: []job.Collective{{Kind: job.AllReduce, Members: []job.Ref{ref(0, 1), ref(1, 1)}, Bytes: 20 * page}},
	}
	var rec Recorder
	got, err := Run(j, &Schedule{}, toy(t, 2, 100), Options{Watch: &rec})
	if err != nil || got.Stuck != "" {
		t.Fatal(err, got)
	}
	r := rec.Of(got)
	checkRecord(t, j, r, got)
	var of [2][]Spell
	for _, s := range r.Spells {
		of[s.GPU] = append(of[s.GPU], s)
	}
	want := [2][]Spell{
		{
			{Runs: true, End: 5 * us},
			{Kernel: 1, Cause: Communicate, Begin: 5 * us, End: 8 * us},
			{Kernel: 1, Runs: true, Cause: Communicate, Begin: 8 * us, End: 10 * us},
			{Kernel: 2, Runs: true, Begin: 10 * us, End: 13 * us},
		},
		{
			{GPU: 1, Runs: true, End: 8 * us},
			{GPU: 1, Kernel: 1, Runs: true, Cause: Communicate, Begin: 8 * us, End: 10 * us},
			{GPU: 1, Kernel: 2, Runs: true, Begin: 10 * us, End: 12 * us},
			{GPU: 1, Kernel: 3, Cause: Bubble, Begin: 12 * us, End: 13 * us},
		},
	}
	for g := range of {
		if !slices.Equal(of[g], want[g]) {
			t.Errorf("GPU %d: %+v, want %+v", g, of[g], want[g])
		}
	}
	if len(r.Transfers) != 2 || r.Transfers[0].What != Collected || r.Transfers[0].Bytes != 20*page {
		t.Errorf("transfers %+v", r.Transfers)
	}
}
