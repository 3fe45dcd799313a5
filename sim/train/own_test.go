package train_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/sim/policy"
	"spillway/sim/policy/policytest"
	"spillway/sim/train"
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/machine"
	"spillway/sim/train/own"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/eager"
	"spillway/traces/zoo"
)

// written is a policy of a text.
func written(t testing.TB, text string) *policy.Chosen {
	t.Helper()
	p, err := policy.Parse(train.Asks(), text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return &policy.Chosen{Policy: p, Dials: [policy.Dials]float64{1, 1, 1, 1}, Work: 1e15}
}

// bare is a whole result as JSON, but for who it is of.
func bare(t testing.TB, r *result.Result, notes bool) string {
	t.Helper()
	x := *r
	x.System, x.Policy = "", nil
	if !notes {
		x.Notes = nil
	}
	text, err := json.Marshal(&x)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// asPolicies are published systems as texts.
var asPolicies = []struct{ system, text string }{
	{"g10", "score = benefit"},
	{"deepum", "spare = expected >= 0"},
}

// Published systems, written as a policy, have the results that they have, byte for byte, on random
// workloads and machines, as published and corrected.
func TestPoliciesAreTheSystemsAnywhere(t *testing.T) {
	fits := 0
	for seed := range effort.Seeds(200) {
		r := rand.New(rand.NewPCG(seed, 3611))
		w, m := systemtest.Workload(r, float64(seed%50)/50), systemtest.Machine(r)
		for _, x := range asPolicies {
			q := train.Request{System: x.system, Machine: m, Options: system.Published()}
			q.Options.Quirks, q.Options.Iterations = modes[seed%2], 1+r.Int64N(3)
			want, err := train.Run(w, q, nil)
			if err != nil {
				t.Fatal(err)
			}
			q.System, q.Policy = own.Name, written(t, x.text)
			got, err := train.Run(w, q, nil)
			if err != nil {
				t.Fatal(err)
			}
			if bare(t, got, false) != bare(t, want, false) {
				t.Errorf("seed %d: %s:\n%s\nwant\n%s", seed, x.text, bare(t, got, false), bare(t, want, false))
			}
			if got.Fits && got.Policy.Asked > 0 {
				fits++
			}
		}
	}
	if fits < 5 {
		t.Errorf("%d runs asked", fits)
	}
}

// ownCase is a workload on a machine.
type ownCase struct {
	name string
	w    *workload.Workload
	m    machine.Machine
}

// ownCases are bert-base and resnet-152 as the G10 paper has them, with less memory.
func ownCases(t testing.TB) (list []ownCase) {
	for _, x := range []struct {
		model string
		batch int
		gpu   unit.Bytes
	}{{"bert-base", 256, 20 * unit.GiB}, {"resnet-152", 256, 16 * unit.GiB}} {
		w, err := zoo.Build(x.model, x.batch, zoo.AsPaper())
		if err != nil {
			t.Fatal(err)
		}
		m := machine.G10()
		m.GPUMemory = x.gpu
		list = append(list, ownCase{x.model, w, m})
	}
	return list
}

// G10's choice on two networks, as published and corrected.
func TestScoreIsG10(t *testing.T) {
	effort.Natively(t)
	for _, c := range ownCases(t) {
		for _, mode := range modes {
			q := train.Request{System: "g10", Machine: c.m, Options: system.Published()}
			q.Options.Quirks = mode
			want, err := train.Run(c.w, q, nil)
			if err != nil {
				t.Fatal(err)
			}
			q.System, q.Policy = own.Name, written(t, "score = benefit")
			got, err := train.Run(c.w, q, nil)
			if err != nil {
				t.Fatal(err)
			}
			if bare(t, got, false) != bare(t, want, false) || got.Policy.Asked < 1000 {
				t.Errorf("%s, %v: %d cycles, want %d; asked %d times", c.name, mode, got.Time(), want.Time(), got.Policy.Asked)
			}
		}
	}
}

// DeepUM's eviction on two networks as PyTorch runs them.
func TestSpareIsDeepUM(t *testing.T) {
	effort.Natively(t)
	for _, x := range []struct {
		model string
		batch int
	}{{"bert-base-pytorch", 30}, {"resnet-152-pytorch", 1280}}[:1] {
		m, err := eager.Find(x.model)
		if err != nil {
			t.Fatal(err)
		}
		w, err := eager.Build(x.model, x.batch, 0, m.Optimizer, eager.AsDeepUM())
		if err != nil {
			t.Fatal(err)
		}
		q := train.Request{System: "deepum", Machine: machine.G10(), Options: system.Published()}
		q.Machine.GPUMemory, q.Machine.HostMemory = w.GlobalBytes()+w.IntermediateBytes()/8, 512*unit.GiB
		q.Options.Quirks = quirk.Corrected()
		want, err := train.Run(w, q, nil)
		if err != nil {
			t.Fatal(err)
		}
		q.System, q.Policy = own.Name, written(t, "spare = expected >= 0")
		got, err := train.Run(w, q, nil)
		if err != nil {
			t.Fatal(err)
		}
		if bare(t, got, false) != bare(t, want, false) || got.Policy.Asked == 0 {
			t.Errorf("%s: %d cycles, want %d; asked %d times", x.model, got.Time(), want.Time(), got.Policy.Asked)
		}
	}
}

// orderly lets what an order says leave, and brings nothing early.
type orderly struct {
	room func(unit.Bytes) []workload.TensorID
}

func (orderly) Launch(workload.KernelID)                     {}
func (o orderly) NoRoom(need unit.Bytes) []workload.TensorID { return o.room(need) }
func (orderly) Used(workload.TensorID)                       {}
func (orderly) Late(workload.TensorID, unit.Cycles)          {}

// In the arena a policy of the engine's two orders decides as these do.
func TestOrdersOfTheArena(t *testing.T) {
	moved := 0
	for seed := range effort.Seeds(400) {
		r := rand.New(rand.NewPCG(seed, 3612))
		w, m := systemtest.Workload(r, float64(seed%50)/50), systemtest.Machine(r)
		for _, x := range []struct {
			text  string
			order func(*swap.Run) func(unit.Bytes) []workload.TensorID
		}{
			{"evict = truth", func(r *swap.Run) func(unit.Bytes) []workload.TensorID { return r.Furthest }},
			{"evict = -last", func(r *swap.Run) func(unit.Bytes) []workload.TensorID {
				return func(need unit.Bytes) []workload.TensorID {
					list := r.LeastRecent(need)
					return list[:min(1, len(list))]
				}
			}},
		} {
			q := train.Request{System: own.Name, Machine: m, Options: system.Published(), Policy: written(t, x.text)}
			q.Options.Quirks, q.Options.Iterations = quirk.Corrected(), 1+r.Int64N(3)
			got, err := train.Run(w, q, nil)
			if err != nil {
				t.Fatal(err)
			}
			c := engine.Config{Machine: m, Quirks: q.Options.Quirks, Iterations: int(q.Options.Iterations), Seed: q.Options.Seed, Runtime: swap.Memory{
				Swapper: func(r *swap.Run) (swap.Swapper, error) { return orderly{x.order(r)}, nil },
			}}
			s := system.System{Name: "orderly", Title: "Orderly", Runtime: func(*system.Options) engine.Runtime { return c.Runtime }}
			_, want, err := systemtest.Simulate(s, w, m, q.Options)
			if err != nil {
				if got.Fits {
					t.Errorf("seed %d: %s fits, but %v", seed, x.text, err)
				}
				continue
			}
			if bare(t, got, false) != bare(t, want, false) {
				t.Errorf("seed %d: %s:\n%s\nwant\n%s", seed, x.text, bare(t, got, false), bare(t, want, false))
			}
			if got.Policy.Future != strings.Contains(x.text, "truth") {
				t.Errorf("%s knows the future: %v", x.text, got.Policy.Future)
			}
			if got.Main().Swapping.Forced > 0 {
				moved++
			}
		}
	}
	if moved < 2 { // the eighth of the seeds in which they move least has two
		t.Errorf("tensors moved in %d runs only", moved)
	}
}

// randomOwn writes a policy.
func randomOwn(r *rand.Rand) string {
	w := policytest.New(r)
	arena := []string{"size", "last", "uses", "host_time", "ssd_time", "capacity", "kernels", "next", "age", "short", "free", "host_free", "kernel", "iteration", "truth", "(1 if dirty else 0)", "(1 if global else 0)", "H", "L", "p1", "2", "1e6"}
	plan := []string{"benefit", "benefit", "size", "idle", "span", "away", "(1 if wraps else 0)", "host_time", "ssd_time", "capacity", "kernels", "p1", "3"}
	driver := []string{"expected", "expected", "(1 if active else 0)", "kernels", "p1", "3"}
	switch r.IntN(4) {
	case 0:
		return "score = " + w.Number(r.IntN(3)+1, plan...)
	case 1:
		return "spare = " + w.Condition(1, driver...)
	}
	var text strings.Builder
	text.WriteString("keep L = 0\nkeep H of tensor = 1\nevict = " + w.Number(r.IntN(3)+1, arena...) + "\n")
	for _, e := range []string{"used", "came", "evicted"} {
		if r.IntN(2) == 0 {
			text.WriteString("when " + e + ": H = L + " + w.Number(1, arena...) + ", L = max(L, H)\n")
		}
	}
	for _, c := range []string{"leave", "host"} {
		if r.IntN(2) == 0 {
			text.WriteString(c + " = " + w.Condition(1, arena...) + "\n")
		}
	}
	if r.IntN(2) == 0 {
		text.WriteString("ahead = " + w.Number(r.IntN(2), arena...) + "\n")
	}
	return text.String()
}

// Whatever somebody writes, the laws of physics hold, and nothing is faster than the proven bound.
func TestRandomPoliciesKeepTheLaws(t *testing.T) {
	for seed := range effort.Seeds(60) {
		text := randomOwn(rand.New(rand.NewPCG(seed, 3613)))
		s, _ := own.System(written(t, text))
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			systemtest.RunOn(t, s, 12, func(w *workload.Workload) *workload.Workload { return w })
			if t.Failed() {
				t.Log(text)
			}
		})
	}
}

// No policy is faster than what is proved of all.
func TestNoPolicyBeatsTheBound(t *testing.T) {
	tried := 0
	for seed := range effort.Seeds(600) {
		r := rand.New(rand.NewPCG(seed, 3614))
		w, m, text := systemtest.Workload(r, float64(seed%50)/50), systemtest.Machine(r), randomOwn(r)
		q := train.Request{System: own.Name, Machine: m, Options: system.Published(), Policy: written(t, text)}
		q.Options.Quirks, q.Options.Iterations = quirk.Corrected(), 3
		got, err := train.Run(w, q, nil)
		if err != nil {
			t.Fatal(err)
		}
		q.System, q.Policy = train.Bound, nil
		bound, err := train.Run(w, q, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Fits {
			continue
		}
		tried++
		if got.Time() < bound.Time() {
			t.Errorf("seed %d: %d cycles, and no fewer than %d can be\n%s", seed, got.Time(), bound.Time(), text)
		}
	}
	if tried < 5 {
		t.Errorf("%d policies ran", tried)
	}
}

// A run whose policy asks for too much ends as a result that says so.
func TestPolicyGivesUp(t *testing.T) {
	c := ownCases(t)[0]
	for _, x := range []struct {
		text, want string
		work       int64
	}{
		{"evict = size / age", "gave up: the policy was asked 34 times, about 208 candidates each time; use only numbers that do not change while something waits, or raise Policy work", 20_000},
		{"score = benefit", "gave up: the policy was asked 5001 times; ask for less, or raise Policy work", 5_000},
	} {
		q := train.Request{System: own.Name, Machine: c.m, Options: system.Published(), Policy: written(t, x.text)}
		q.Options.Quirks, q.Policy.Work = quirk.Corrected(), x.work
		got, err := train.Run(c.w, q, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Fits || got.Reason != x.want || got.Policy.Work <= x.work {
			t.Errorf("%s: %q, %+v", x.text, got.Reason, got.Policy)
		}
	}
}

// Rules of two parts of the simulator do not go together, nor do they read what is not known there.
func TestPolicyPlaces(t *testing.T) {
	for text, want := range map[string]string{
		"evict = size\nscore = benefit":           "2:1: evict and score do not go together; beside evict may stand leave, host, ahead",
		"spare = expected > 1\nhost = 1 < 2":      "2:1: spare and host do not go together; beside spare may stand no other rule",
		"evict = idle":                            "1:1: idle is not known where evict is asked",
		"keep L = 0\nwhen used: L = 1\nscore = L": "2:16: used does not happen where score is asked",
		"#G10\nscore = benefit":                   "1:1: something else is called G10; give the policy a title of its own",
	} {
		_, err := policy.Parse(train.Asks(), text)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
