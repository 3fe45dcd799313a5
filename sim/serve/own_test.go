package serve

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/sim/policy"
	"spillway/sim/unit"
)

// written is a policy as a setting has it.
func written(t *testing.T, text string, work int64) *policy.Chosen {
	t.Helper()
	p, err := policy.Parse(Asks(), text)
	if err != nil {
		t.Fatal(err)
	}
	return &policy.Chosen{Policy: p, Dials: [policy.Dials]float64{10, 1, 1, 1}, Work: work}
}

// TestSameByRule: a policy that says what engines do without one does the same, to the picosecond.
func TestSameByRule(t *testing.T) {
	ran, asked := 0, int64(0)
	for seed := range effort.Seeds(400) {
		w, s := random(t, seed)
		text := "evict = -last\nroute = p1 * share - requests\n"
		if s.WriteOnSecond {
			text += "write = uses > 1\n"
		}
		if w.Users == 0 && !slices.ContainsFunc(w.Requests, func(r Request) bool { return r.After >= 0 }) {
			text += "admit = -number\n"
		}
		s.Affinity = 10_000
		if w.Block == 0 || s.System == free() {
			continue
		}
		want, err := Run(w, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Policy = written(t, text, 1e12)
		got, err := Run(w, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Ran() {
			continue
		}
		ran, asked = ran+1, asked+got.Script.Asked
		got.Script, got.Samples, want.Samples = nil, nil, nil
		for i := range got.Requests {
			if got.Requests[i] != want.Requests[i] {
				t.Fatalf("seed %d (%s): request %d:\n%+v by rule\n%+v", seed, s.System, i, got.Requests[i], want.Requests[i])
			}
		}
		if !reflect.DeepEqual(got, want) {
			got.Requests, want.Requests = nil, nil
			t.Errorf("seed %d (%s): another result by rule:\n%+v\n%+v", seed, s.System, got, want)
		}
	}
	t.Logf("%d ran, %d questions", ran, asked)
}

// TestRanked: a rule that only a block's use changes gives the same, whether the first of a tier is kept at the front or all are asked.
func TestRanked(t *testing.T) {
	ran := 0
	for seed := range effort.Seeds(200) {
		w, s := random(t, seed)
		if w.Block == 0 {
			continue
		}
		rule := []string{"-last", "uses", "depth - uses", "tier * last - depth", "H - uses", "0"}[seed%6]
		head := "keep H of block = 0\nwhen used: H = H / 2 + last\n"
		s.Policy = written(t, head+"evict = "+rule, 1e12)
		if !s.Policy.Rule("evict").Fixed {
			t.Fatalf("%q is not fixed", rule)
		}
		got, err := Run(w, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Policy = written(t, head+"evict = "+rule+" + 0 * now", 1e12)
		want, err := Run(w, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Ran() {
			continue
		}
		ran++
		got.Script, got.Samples, want.Script, want.Samples = nil, nil, nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d (%s): %q gives another result where it is not asked each time", seed, s.System, rule)
		}
	}
	t.Logf("%d ran", ran)
}

// TestRankedHost: host memory with room for all prefixes forgets some for who gives back GPU memory, by rule as well.
func TestRankedHost(t *testing.T) {
	for seed := range uint64(300) { // two of them need it
		w, s := random(t, seed)
		full, sys, e, err := s.resolve()
		if err != nil {
			t.Fatal(err)
		}
		if w.Block == 0 || !sys.Host {
			continue
		}
		m := full.footprint(e, sys, 1)
		_, names := name(w)
		s.HostKV = m.KVToken * unit.Bytes(int64(w.Block)*int64(names))
		want, err := Run(w, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Policy = written(t, "evict = -last", 1e12)
		got, err := Run(w, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Requests, want.Requests) {
			t.Errorf("seed %d (%s): another result by rule", seed, s.System)
		}
	}
}

// TestRules: every rule changes what happens, breaks no law, and may not work without end.
func TestRules(t *testing.T) {
	recipe := Recipe{
		Arrivals: Poisson, Requests: 400, Rate: 12_000, Input: Length{Mean: 2000, Sigma: 800, Max: 8000}, Output: Length{Mean: 100, Sigma: 800, Max: 600},
		Groups: 40, Shared: 1500, Zipf: 500, Block: 64, Seed: 3,
	}
	w, err := recipe.Workload()
	if err != nil {
		t.Fatal(err)
	}
	s := Standard()
	s.System = "host-ssd"
	s.Node = Server(gpu(t, "h100-sxm"), 2)
	full, sys, e, err := s.resolve()
	if err != nil {
		t.Fatal(err)
	}
	m := full.footprint(e, sys, 1)
	s.Activations = full.Activations + m.KV - 20_000*m.KVToken
	s.HostKV, s.DriveKV = 30_000*m.KVToken, 100_000*m.KVToken
	plain := served(t, w, &s)
	for _, text := range []string{
		"evict = uses", "evict = depth + age", "write = uses > 2", "admit = -prompt", "admit = at_hand - prompt + waited", "admit = -answer",
		"route = share", "route = free - waiting * prompt",
		"keep L = 0\nkeep H of block = 0\nwhen used: H = L + uses\nevict = -H",
	} {
		s.Policy = written(t, text, 1e12)
		r, err := Run(w, &s, nil)
		if err != nil || !r.Ran() {
			t.Fatal(text, err, r.Refused)
		}
		keeps(t, 0, w, &s, r)
		if slices.Equal(r.Requests, plain.Requests) && r.Write == plain.Write {
			t.Errorf("%q changes nothing", text)
		}
		if r.Script == nil || r.Script.Asked == 0 {
			t.Errorf("%q: %+v", text, r.Script)
		}
	}
	s.Policy = written(t, "evict = -last", 10)
	if r, err := Run(w, &s, nil); err != nil || r.Ran() || !strings.Contains(r.Refused, "raise Policy work") {
		t.Errorf("a policy that may not work: %v, %+v", err, r)
	}
}
