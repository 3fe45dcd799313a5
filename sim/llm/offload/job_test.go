package offload

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/llm/job"
	"spillway/sim/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// chain is a workload of kernels that take these microseconds.
func chain(times ...int64) *workload.Workload {
	w := &workload.Workload{Tensors: []workload.Tensor{tensorOf("w", 1, true)}}
	for _, t := range times {
		w.Kernels = append(w.Kernels, kernelOf(t, ids(0), nil))
	}
	return w
}

func ref(part int16, kernel workload.KernelID) job.Ref { return job.Ref{Part: part, Kernel: kernel} }

// runs runs a job and compares the ledgers of its GPUs.
func runs(t *testing.T, j *job.Job, s *Schedule, iterations int, want ...[Causes]unit.Time) *Result {
	t.Helper()
	r, err := Run(j, s, toy(t, int64(len(j.Parts)), 100), Options{Iterations: iterations})
	if err != nil || r.Stuck != "" {
		t.Fatal(err, r)
	}
	for g := range want {
		if r.GPUs[g].Ledger != want[g] {
			t.Errorf("GPU %d: ledger %v, want %v", g, r.GPUs[g].Ledger, want[g])
		}
	}
	return r
}

func TestSend(t *testing.T) {
	j := &job.Job{
		Parts: []*workload.Workload{chain(10, 5), chain(7)},
		Sends: []job.Send{{From: ref(0, 0), To: ref(1, 0), Bytes: 30 * page}},
	}
	// GPU 1 waits 10 us for the kernel and 3 for its bytes.
	r := runs(t, j, &Schedule{}, 3, ledger(15, 0, 0, 0, 0, 5), ledger(7, 0, 0, 3, 0, 10))
	if r.Time != 20*us {
		t.Errorf("takes %v", r.Time)
	}
	var moved unit.Bytes
	for _, l := range r.Links {
		moved += l.Bytes
	}
	if moved != 60*page { // out of one GPU, into the other
		t.Errorf("links moved %v", moved)
	}
}

// A pipeline of two stages, 1F1B, four micro-batches: bubbles are one forward and one backward.
func TestPipelineBubble(t *testing.T) {
	const f, b = 3, 6
	// Stage 0: F F B F B F B B; stage 1: F B F B F B F B.
	j := &job.Job{Parts: []*workload.Workload{chain(f, f, b, f, b, f, b, b), chain(f, b, f, b, f, b, f, b)}}
	forward, backward := []workload.KernelID{0, 1, 3, 5}, []workload.KernelID{2, 4, 6, 7}
	for m := range 4 {
		j.Sends = append(j.Sends,
			job.Send{From: ref(0, forward[m]), To: ref(1, workload.KernelID(2*m))},
			job.Send{From: ref(1, workload.KernelID(2*m+1)), To: ref(0, backward[m])})
	}
	runs(t, j, &Schedule{}, 3, ledger(4*(f+b), 0, 0, 0, 0, f+b), ledger(4*(f+b), 0, 0, 0, 0, f+b))
}

func TestCollectives(t *testing.T) {
	// The kernels of the collective begin at 8, when GPU 1 has come, and 20 pages go round: a ring
	// of two sends 2(n-1)/n of them, at 10 pages a microsecond.
	j := &job.Job{
		Parts:       []*workload.Workload{chain(5, 1, 3), chain(8, 1, 2)},
		Collectives: []job.Collective{{Kind: job.AllReduce, Members: []job.Ref{ref(0, 1), ref(1, 1)}, Bytes: 20 * page}},
	}
	runs(t, j, &Schedule{}, 2, ledger(8, 0, 0, 5, 0, 0), ledger(10, 0, 0, 2, 0, 1))
	// Beside kernels: it goes on from 8 to 10 while GPU 0 runs a kernel until 11, and GPU 1 waits for it.
	j = &job.Job{
		Parts: []*workload.Workload{chain(5, 6, 3), chain(8, 2)},
		Collectives: []job.Collective{{
			Kind: job.AllReduce, Members: []job.Ref{ref(0, 0), ref(1, 0)}, Wait: []job.Ref{ref(0, 2), ref(1, 1)}, Bytes: 20 * page,
		}},
	}
	runs(t, j, &Schedule{}, 2, ledger(14, 0, 0, 0, 0, 0), ledger(10, 0, 0, 2, 0, 2))
}

// The host's optimizer: gradients go out, a step is computed, weights come back.
func TestExtras(t *testing.T) {
	gpu, host := machine.Endpoint{Kind: machine.OnGPU}, machine.Endpoint{Kind: machine.OnHost}
	extras := func() []Extra {
		return []Extra{
			{Name: "gradients", Queue: HostWrite, Bytes: 4 * page, From: gpu, To: host, After: []job.Ref{ref(0, 1)}},
			{Name: "step", Queue: CPU, Time: 7 * us, Extras: []int32{0}},
			{Name: "weights", Queue: HostRead, Bytes: 2 * page, From: host, To: gpu, Extras: []int32{1}, Next: []job.Ref{ref(0, 0)}, Cause: Optimizer},
		}
	}
	j := &job.Job{Parts: []*workload.Workload{chain(10, 5)}}
	r := runs(t, j, &Schedule{Extras: extras()}, 3, ledger(15, 0, 0, 0, 13, 0))
	if g := r.GPUs[0]; g.HostWritten != 4*page || g.HostRead != 2*page {
		t.Errorf("moved %v and %v", g.HostWritten, g.HostRead)
	}
	// The first iteration waits for nothing before it.
	runs(t, j, &Schedule{Extras: extras()}, 1, ledger(15, 0, 0, 0, 0, 0))
	// Delayed: weights of the step before come in before the optimizer's place, kernel 1. The step
	// takes from 4 to 11 after the iteration has begun, kernel 1 waits from 10 to 13.
	delayed := extras()
	delayed[2].Extras, delayed[2].Last, delayed[2].Next, delayed[2].Before = nil, []int32{1}, nil, []job.Ref{ref(0, 1)}
	r = runs(t, j, &Schedule{Extras: delayed}, 3, ledger(15, 0, 0, 0, 3, 0))
	// 4 pages go out and 2 come in; the last comes in while nothing is computed.
	if r.GPUs[0].Overlapped != 4*us {
		t.Errorf("overlapped %v", r.GPUs[0].Overlapped)
	}
}

// The host's processors are one queue of all GPUs.
func TestProcessorsAreShared(t *testing.T) {
	j := &job.Job{Parts: []*workload.Workload{chain(10), chain(10)}}
	s := &Schedule{}
	for g := range int16(2) {
		s.Extras = append(s.Extras, Extra{Name: "step", GPU: g, Queue: CPU, Time: 4 * us, After: []job.Ref{ref(g, 0)}, Next: []job.Ref{ref(g, 0)}, Cause: Optimizer})
	}
	runs(t, j, s, 2, ledger(10, 0, 0, 0, 4, 4), ledger(10, 0, 0, 0, 8, 0))
}

// What holds a kernel anyway hides what its memory makes it wait for.
func TestCausesOfOneWait(t *testing.T) {
	w := &workload.Workload{
		Tensors: []workload.Tensor{tensorOf("w", 14, true), tensorOf("a", 1, false)},
		Kernels: []workload.Kernel{kernelOf(1, nil, ids(1)), kernelOf(2, ids(0), nil)},
	}
	j := &job.Job{Parts: []*workload.Workload{chain(10), w}, Sends: []job.Send{{From: ref(0, 0), To: ref(1, 1), Bytes: 20 * page}}}
	s := &Schedule{Programs: []*Program{{Spill: SSD}, {Spill: SSD, Start: []Tier{SSD, Nowhere}}}}
	// From 1 on kernel 1 waits: until 10 for a kernel, until 12 for its bytes, until 15 for w.
	runs(t, j, s, 1, ledger(10, 0, 0, 0, 0, 7), ledger(3, 3, 0, 2, 0, 9))
}

// Replicas share a workload, not where their tensors are.
func TestGPUsOfOneWorkload(t *testing.T) {
	j, s, n := large(t, 300, true, true)
	s.Programs[1] = &Program{Spill: Host, Start: s.Programs[0].Start}
	apart, err := Run(j, s, n, Options{})
	if err != nil || apart.Stuck != "" {
		t.Fatal(err, apart)
	}
	j.Parts[1] = j.Parts[0]
	same, err := Run(j, s, n, Options{})
	if err != nil || same.Time != apart.Time || !slices.Equal(same.GPUs, apart.GPUs) || same.GPUs[0] == same.GPUs[1] {
		t.Errorf("%v: %+v, want %+v", err, same, apart)
	}
}

// A GPU that finds host memory full goes on when another takes something out.
func TestHostMemoryIsShared(t *testing.T) {
	w := func(times ...int64) *workload.Workload {
		return &workload.Workload{
			Tensors: []workload.Tensor{tensorOf("a", 6, true), tensorOf("c", 6, false)},
			Kernels: []workload.Kernel{kernelOf(times[0], ids(0), nil), kernelOf(times[1], nil, ids(1)), kernelOf(1, ids(0), nil)},
		}
	}
	j := &job.Job{Parts: []*workload.Workload{w(1, 10), w(2, 1)}}
	n := toy(t, 2, 10)
	n.Host, n.Arrays = 6*page, nil
	s := &Schedule{Programs: []*Program{{Spill: Host}, {Spill: Host}}}
	r, err := Run(j, s, n, Options{Iterations: 1})
	if err != nil || r.Stuck != "" {
		t.Fatal(err, r.Stuck)
	}
	// a of GPU 0 leaves from 1 to 7 and comes back from 17 to 23; then that of GPU 1 leaves until 29.
	want := [2][Causes]unit.Time{ledger(12, 6, 6, 0, 0, 13), ledger(4, 6, 27, 0, 0, 0)}
	for g := range want {
		if r.GPUs[g].Ledger != want[g] {
			t.Errorf("GPU %d: ledger %v, want %v", g, r.GPUs[g].Ledger, want[g])
		}
	}
	if r.HostPeak != 6*page {
		t.Errorf("host memory held %v", r.HostPeak)
	}
}

func TestCurves(t *testing.T) {
	j, s, n := large(t, 2000, true, true)
	r, err := Run(j, s, n, Options{Curves: true, Points: 100})
	if err != nil || r.Stuck != "" {
		t.Fatal(err, r.Stuck)
	}
	for g, c := range r.Memory {
		if len(c) < 50 || len(c) > 100 {
			t.Errorf("GPU %d: %d points", g, len(c))
		}
		var peak unit.Bytes
		for i, x := range c {
			if i > 0 && x.At < c[i-1].At || x.At > r.Time || x.Bytes[GPU] > r.GPUs[g].Peak {
				t.Fatalf("GPU %d: point %d is %+v", g, i, x)
			}
			peak = max(peak, x.Bytes[GPU])
		}
		if peak != r.GPUs[g].Peak {
			t.Errorf("GPU %d: the curve has at most %v, the peak is %v", g, peak, r.GPUs[g].Peak)
		}
	}
	sums := make([]unit.Bytes, len(n.Links))
	if len(r.Rates) < 40 || len(r.Rates) > 100 {
		t.Errorf("%d pieces", len(r.Rates))
	}
	for i, x := range r.Rates {
		if x.At != unit.Time(i)*r.Rates[1].At {
			t.Fatalf("piece %d begins at %v", i, x.At)
		}
		for l, b := range x.Bytes {
			sums[l] += b
		}
	}
	for l := range sums {
		if sums[l] != r.Links[l].Bytes {
			t.Errorf("%s: pieces have %d bytes, the link %d", n.Links[l].Name, sums[l], r.Links[l].Bytes)
		}
	}
	plain, err := Run(j, s, n, Options{})
	if err != nil || plain.Time != r.Time || !slices.Equal(plain.GPUs, r.GPUs) || !slices.Equal(plain.Links, r.Links) {
		t.Errorf("looking changes the run: %v %v", plain, err)
	}
}

func TestErrorsSayWhatIsWrong(t *testing.T) {
	g := func(s *Schedule) *Program { return s.Programs[0] }
	for _, x := range []struct {
		change func(*Schedule, *Options)
		want   string
	}{
		{func(s *Schedule, _ *Options) { s.Programs = make([]*Program, 2) }, "programs for 2 GPUs; the job needs 1"},
		{func(s *Schedule, _ *Options) { s.Programs[0] = nil }, "program of GPU 0: there is none"},
		{func(s *Schedule, _ *Options) { g(s).Spill = GPU }, "evicted to tier 3"},
		{func(s *Schedule, _ *Options) { g(s).Ops = []Op{{1, 0, SSD}, {0, 0, GPU}} }, "op 1 is before kernel 0"},
		{func(s *Schedule, _ *Options) { g(s).Ops = []Op{{3, 0, SSD}} }, "op 0 is before kernel 3; want between 0"},
		{func(s *Schedule, _ *Options) { g(s).Ops = []Op{{1, 7, SSD}} }, "moves tensor 7; there are 1"},
		{func(s *Schedule, _ *Options) { g(s).Ops = []Op{{1, 0, Nowhere}} }, "to tier 0"},
		{func(s *Schedule, _ *Options) { g(s).Start = []Tier{Nowhere} }, "tensor 0 (w) is global, but is nowhere"},
		{func(s *Schedule, _ *Options) { g(s).Start = []Tier{SSD, SSD} }, "start has 2 tensors; the workload has 1"},
		{func(s *Schedule, _ *Options) { s.Static = 100 * page }, "starts with 4 KiB of tensors in memory of 0 B"},
		{func(s *Schedule, _ *Options) { s.Host = -1 }, "want 0 or more"},
		{func(s *Schedule, _ *Options) { s.Extras = []Extra{{Name: "x", GPU: 3}} }, "extra task 0 (x): is of GPU 3"},
		{func(s *Schedule, _ *Options) { s.Extras = []Extra{{Name: "x", After: []job.Ref{ref(0, 9)}}} }, "kernel 9 of GPU 0"},
		{func(s *Schedule, _ *Options) { s.Extras = []Extra{{Name: "x", Extras: []int32{0}}} }, "in a circle"},
		{func(s *Schedule, _ *Options) { s.Extras = []Extra{{Name: "x", Extras: []int32{4}}} }, "extra task 4; there are 1"},
		{func(s *Schedule, _ *Options) { s.Extras = []Extra{{Name: "x", Before: []job.Ref{ref(0, 0)}}} }, "does not say what for"},
		{func(s *Schedule, _ *Options) { s.Extras = []Extra{{Name: "x", Bytes: 1}} }, "place to itself"},
		{func(_ *Schedule, o *Options) { o.Iterations = 1000 }, "1000 iterations"},
	} {
		s, o := &Schedule{Programs: []*Program{{Spill: SSD}}}, Options{}
		x.change(s, &o)
		_, err := Run(&job.Job{Parts: []*workload.Workload{chain(1, 1)}}, s, toy(t, 1, 100), o)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("got %v, want %q", err, x.want)
		}
	}
}
