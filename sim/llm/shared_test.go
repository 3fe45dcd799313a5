package llm

import (
	"fmt"
	"strings"
	"testing"

	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/machine"
	"spillway/sim/model"
	"spillway/sim/unit"
)

// onServer is a model on a DGX H100, cut so.
func onServer(t *testing.T, name string, l job.Layout) Setup {
	t.Helper()
	s := Standard()
	a, err := model.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := machine.FindPreset("dgx-h100")
	if err != nil {
		t.Fatal(err)
	}
	s.Arch, s.Node, s.Options.BufferElements = a, p.Config, 0
	l.Precision, l.TimeScale = job.BF16, 100
	s.Layout = l
	return s
}

// TestContextHides: what is passed on of a sequence hides behind attention where that is long enough, which grows with the square of
// the tokens; in short pieces, over slow links, it is waited for.
func TestContextHides(t *testing.T) {
	waits := func(sequence int64) float64 {
		s := onServer(t, "llama3-8b", job.Layout{Pipeline: 1, Tensor: 1, Data: 1, Context: 8, Batch: 1, Micro: 1, Sequence: sequence, Recompute: job.Full})
		s.Arch = deeper(&s.Arch, 8)
		s.Node.Collective /= 16
		r, err := Run(&s, "ideal", false, nil)
		if err != nil || !r.Ran() {
			t.Fatal(err, r)
		}
		// Gradients are summed, too, of data parallelism as many.
		u := s
		u.Layout.Context, u.Layout.Data, u.Layout.Batch, u.Layout.Sequence = 1, 8, 8, sequence/8
		d, err := Run(&u, "ideal", false, nil)
		if err != nil || !d.Ran() {
			t.Fatal(err, d)
		}
		return float64(r.GPUs[0].Ledger[offload.Communicate]-d.GPUs[0].Ledger[offload.Communicate]) / float64(r.Time)
	}
	long, short := waits(1<<18), waits(1<<13)
	t.Logf("of 262 144 tokens %.2f %% of the time waits for keys and values, of 8192 %.2f %%", 100*long, 100*short)
	if long > 0.01 || short < 10*long {
		t.Errorf("waits for keys and values: %.4f of the time with long sequences, %.4f with short ones", long, short)
	}
}

// TestExpertsTravel: split experts take less memory, and their tokens' ways are waited for; more of the network's rate is never slower.
func TestExpertsTravel(t *testing.T) {
	run := func(expert int64, times unit.Bandwidth) *Result {
		s := onServer(t, "mixtral-8x7b", job.Layout{Pipeline: 1, Tensor: 1, Data: 8, Expert: expert, ZeRO: 1, Batch: 16, Micro: 1, Sequence: 4096, Recompute: job.Full})
		s.Arch = deeper(&s.Arch, 4)
		s.Node.GPU.Peer = s.Node.GPU.Peer / 8 * times
		s.Node.Collective = s.Node.Collective / 8 * times
		r, err := Run(&s, "ideal", false, nil)
		if err != nil || !r.Ran() {
			t.Fatal(err, r)
		}
		return r
	}
	whole, split, slow := run(1, 8), run(8, 8), run(8, 1)
	if w, s := whole.Job.Peak(0), split.Job.Peak(0); s > w/2 {
		t.Errorf("with all experts on each GPU %v, split over eight %v", w, s)
	}
	if slow.Time <= split.Time {
		t.Errorf("at an eighth of the rate %v, at all of it %v", slow.Time, split.Time)
	}
	if got, without := split.GPUs[0].Ledger[offload.Computes], whole.GPUs[0].Ledger[offload.Computes]; got > without*11/10 {
		t.Errorf("GPUs with an eighth of the experts compute for %v, with all of them for %v", got, without)
	}
}

// TestSharedAnything: systems that are cut as the layout says keep all laws where sequences and experts are shared, and the
// others say that they cannot.
func TestSharedAnything(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 40
	}
	ran := 0
	for seed := range rounds {
		r := rng(10_000 + seed)
		s := r.anything()
		l := &s.Layout
		l.Context, l.Expert, l.Pipeline = r.power(2), 1, 0
		if s.Arch.Experts > 1 {
			l.Expert, l.ZeRO = r.power(2), min(l.ZeRO, 1)
		}
		s.Node.GPUs = l.Tensor * l.Replicas() * r.power(1)
		if !l.Own() {
			continue
		}
		sys := Systems[r.below(int64(len(Systems)))]
		what := fmt.Sprintf("seed %d: %s of %d layers on %d %s, %s, %+v", seed, s.Arch.Name, s.Arch.Layers, s.Node.GPUs, s.Node.GPU.Key, sys.Name, s.Layout)
		got, err := run(&s, sys.Name, offload.Options{Curves: true, Iterations: 2}, nil)
		switch {
		case err != nil:
		case !sys.Bound && sys.Offloads == nil:
			if !strings.Contains(got.Reason, "shares no sequences") {
				t.Errorf("%s: %q", what, got.Reason)
			}
		case got.Ran():
			ran++
			for _, b := range broken(got) {
				t.Errorf("%s: %s", what, b)
			}
			if ideal, err := Ideal(&s); err != nil || got.Time < ideal {
				t.Errorf("%s: %v, less than ideal's %v (%v)", what, got.Time, ideal, err)
			}
			if b, err := Best(&s, nil); !sys.Bound && (err != nil || b.Reason == "" && got.Time < b.Time) {
				t.Errorf("%s: %v, less than the bound %v (%v)", what, got.Time, b, err)
			}
		}
	}
	t.Logf("%d ran", ran)
	if ran < rounds/10 {
		t.Errorf("%d of %d ran; the setups are of no use", ran, rounds)
	}
}

// TestAutoShares: a layout that is found shares sequences where one is too long for a GPU, and splits experts where they are what
// GPUs cannot hold.
func TestAutoShares(t *testing.T) {
	s := onServer(t, "mixtral-8x7b", job.Layout{Batch: 8, Sequence: 4096, Recompute: job.Full})
	found := map[int64]bool{}
	for _, l := range s.layouts(Systems[0]) {
		found[l.Expert] = true
		if l.GPUs() != s.Node.GPUs || l.Expert > 1 && l.Replicas()%l.Expert != 0 || l.Context > 1 {
			t.Fatalf("%+v", l.Layout)
		}
	}
	if !found[1] || !found[2] || !found[4] || !found[8] {
		t.Errorf("experts are split over %v", found)
	}
	s = onServer(t, "llama3-8b", job.Layout{Batch: 1, Sequence: 1 << 17, Recompute: job.Full})
	s.Auto = true
	r, err := Run(&s, "ideal", false, nil)
	if err != nil || !r.Ran() {
		t.Fatal(err, r)
	}
	if l := r.Job.Spec.Layout; l.Context*l.Tensor*l.Pipeline != 8 || l.Context == 1 && l.Tensor == 1 {
		t.Errorf("one sequence of 131 072 tokens on eight GPUs is cut as %+v: %v", l, r.Notes)
	}
	t.Log(r.Notes)
}
