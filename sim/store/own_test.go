package store

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/sim/policy"
	"spillway/sim/policy/policytest"
	"spillway/sim/store/ops"
	"spillway/sim/unit"
)

// written is a policy of a text; scan asks all candidates even where a heap would do.
func written(t testing.TB, text string, scan bool) Policy {
	t.Helper()
	p, err := policy.Parse(Asks(), text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	own := Own("own", &policy.Chosen{Policy: p, Dials: [policy.Dials]float64{1, 1, 1, 1}, Work: 1e15})
	own.script.scan = scan
	return own
}

// numbers is a whole result as JSON, but for who it is of.
func numbers(t testing.TB, r *Result) string {
	t.Helper()
	bare := *r
	bare.Policy, bare.Script = "", nil
	text, err := json.Marshal(&bare)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// asScripts are the store's policies as texts.
var asScripts = []struct{ name, text string }{
	{"fifo", "evict = -put\nfetch = -put"},
	{"lru", "evict = -last\nfetch = last"},
	{"latency-aware", "evict = due\nfetch = -due"},
	{"latency-logical", "evict = next\nfetch = -next"},
	{"oracle", "evict = truth\nfetch = -truth\ntie = truth_op"},
}

// switched are the setups of a mix in which its policies decide differently.
func switched(s Setup) (list []Setup) {
	for _, prefetch := range []int64{0, 1} {
		for _, yields := range []int64{0, 1}[:1+prefetch] {
			s.Prefetch, s.Yields = prefetch, yields
			list = append(list, s)
		}
	}
	return list
}

// The store's policies, written as a text, have the results that they have, byte for byte: on all
// mixes, without prefetch, with the published one and with one that yields, by heap and by scan.
// Belady's order has not where two clients' needs are equally far, of which the trace's numbers
// say nothing: see the exceptions.
func TestScriptsAreThePolicies(t *testing.T) {
	effort.Natively(t)
	different := []string{}
	for _, m := range Mixes() {
		trace := m.Trace()
		for _, s := range switched(m.Setup()) {
			for _, x := range asScripts {
				p, err := Find(x.name)
				if err != nil {
					t.Fatal(err)
				}
				want, err := Run(trace, s, p)
				if err != nil {
					t.Fatal(err)
				}
				for _, scan := range []bool{false, true} {
					got, err := Run(trace, s, written(t, x.text, scan))
					if err != nil {
						t.Fatal(err)
					}
					if got.Script.Future != (x.name == "oracle") {
						t.Errorf("%s knows the future: %v", x.name, got.Script.Future)
					}
					if numbers(t, got) != numbers(t, want) {
						different = append(different, fmt.Sprintf("%s %s prefetch=%d yields=%d scan=%v", x.name, m.Name, s.Prefetch, s.Yields, scan))
						t.Logf("%s: %v, want %v", different[len(different)-1], got.Time, want.Time)
					}
				}
			}
		}
	}
	want := []string{
		"oracle services prefetch=1 yields=0 scan=false", "oracle services prefetch=1 yields=0 scan=true",
		"oracle services prefetch=1 yields=1 scan=false", "oracle services prefetch=1 yields=1 scan=true",
		"oracle table-and-blocks prefetch=1 yields=1 scan=false", "oracle table-and-blocks prefetch=1 yields=1 scan=true",
	}
	if !slices.Equal(different, want) {
		t.Errorf("different are\n%s\nwant\n%s", strings.Join(different, "\n"), strings.Join(want, "\n"))
	}
}

// The same on random traces and setups, where clients err and memory runs out.
func TestScriptsAreThePoliciesAnywhere(t *testing.T) {
	for seed := range effort.Seeds(400) {
		r := rand.New(rand.NewPCG(seed, 361))
		trace, s := randomTrace(r, 20+r.IntN(100)), randomSetup(r)
		for _, x := range asScripts[:4] {
			p, err := Find(x.name)
			if err != nil {
				t.Fatal(err)
			}
			want, err := Run(trace, s, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, scan := range []bool{false, true} {
				got, err := Run(trace, s, written(t, x.text, scan))
				if err != nil {
					t.Fatal(err)
				}
				if numbers(t, got) != numbers(t, want) {
					t.Errorf("seed %d: %s, scan %v:\n%s\nwant\n%s", seed, x.name, scan, numbers(t, got), numbers(t, want))
				}
			}
		}
	}
}

// randomPolicy writes a policy of which most rules need not ask all.
func randomPolicy(r *rand.Rand) string {
	w := policytest.New(r)
	fixed := []string{"size", "uses", "last", "put", "due", "fetch_cost", "evict_cost", "capacity", "p1", "2", "1e6", "H"}
	every := append([]string{"next", "age", "now", "short", "free", "share", "truth", "truth_op", "L", "(1 if mine else 0)"}, fixed...)
	names := fixed
	if r.IntN(3) == 0 {
		names = every
	}
	text := "keep L = 0\nkeep H of tensor = 1\n"
	if r.IntN(2) == 0 {
		text += "when put: H = L + " + w.Number(1, every...) + "\nwhen evicted: L = max(L, H)\n"
	}
	if r.IntN(2) == 0 {
		text += "when got: H = H + " + w.Pick("1", "size", "age") + "\n"
	}
	text += "evict = " + w.Number(r.IntN(3)+1, names...) + "\n"
	if r.IntN(2) == 0 {
		text += "fetch = " + w.Number(r.IntN(3)+1, names...) + "\n"
	}
	if r.IntN(5) == 0 {
		text += "tie = " + w.Pick(every...) + "\n"
	}
	if r.IntN(6) == 0 {
		text += "bring = " + w.Pick("free > size * 2", "uses > 1", "mine") + "\n"
	}
	if r.IntN(6) == 0 {
		text += "admit = " + w.Pick("size < 2MiB", "uses > 0", "not mine") + "\n"
	}
	return text
}

// Whatever somebody writes, the store's laws hold, twice the same comes out, and a heap decides as
// a scan.
func TestRandomPoliciesKeepTheLaws(t *testing.T) {
	heaps := 0
	for seed := range effort.Seeds(600) {
		r := rand.New(rand.NewPCG(seed, 362))
		text := randomPolicy(r)
		trace, s := randomTrace(r, 20+r.IntN(150)), randomSetup(r)
		got, err := Run(trace, s, written(t, text, false))
		if err != nil {
			t.Fatal(err)
		}
		for _, law := range broken(trace, s, got) {
			t.Errorf("seed %d: %s\n%s", seed, law, text)
		}
		if again, _ := Run(trace, s, written(t, text, false)); numbers(t, again) != numbers(t, got) || again.Script.Work != got.Script.Work {
			t.Errorf("seed %d: not the same twice\n%s", seed, text)
		}
		if !got.Script.EvictAsksAll || !got.Script.FetchAsksAll {
			heaps++
		}
		scan, err := Run(trace, s, written(t, text, true))
		if err != nil {
			t.Fatal(err)
		}
		if numbers(t, scan) != numbers(t, got) {
			t.Errorf("seed %d: by heap\n%s\nby scan\n%s\n%s", seed, numbers(t, got), numbers(t, scan), text)
		}
	}
	if heaps == 0 {
		t.Error("no policy could use a heap")
	}
}

// The same on the mixes, with policies that are drawn once for all.
func TestRandomPoliciesOnMixes(t *testing.T) {
	effort.Natively(t)
	const policies = 150
	every := 12
	if testing.Short() {
		every = 50
	}
	for n := range policies {
		if !effort.Takes(n, every) {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(n), 363))
		text := randomPolicy(r)
		for _, m := range Mixes()[:4] {
			trace, s := m.Trace(), m.Setup()
			s.Yields = int64(n % 2)
			got, err := Run(trace, s, written(t, text, false))
			if err != nil {
				t.Fatal(err)
			}
			scan, err := Run(trace, s, written(t, text, true))
			if err != nil {
				t.Fatal(err)
			}
			if !got.Fits() || numbers(t, got) != numbers(t, scan) {
				t.Errorf("policy %d on %s: %v by heap, %v by scan, %v\n%s", n, m.Name, got.Time, scan.Time, got.Failure, text)
			}
		}
	}
}

// A run whose policy asks for too much ends as a result that says where and why.
func TestGivingUp(t *testing.T) {
	m := Mixes()[0]
	p := written(t, "evict = age\nfetch = -age", false)
	p.script.Work = 20_000
	got, err := Run(m.Trace(), m.Setup(), p)
	if err != nil {
		t.Fatal(err)
	}
	if got.Fits() || got.Failure.Reason != GaveUp || got.Script.Work <= 20_000 || got.Script.Work > 20_100 {
		t.Fatalf("%v, %+v", got.Failure, got.Script)
	}
	if want := "gave up at operation 1220 of 1708: the policy was asked 746 times, about 22 candidates each time; use only numbers that do not change while something waits, or raise Policy work"; got.Failure.String() != want {
		t.Errorf("%s\nwant %s", got.Failure, want)
	}
	for _, law := range broken(m.Trace(), m.Setup(), got) {
		t.Error(law)
	}
}

// Nothing comes early where bring says so, and what admit does not let in leaves at once.
func TestBringAndAdmit(t *testing.T) {
	m := Mixes()[0]
	trace, s := m.Trace(), m.Setup()
	without := s
	without.Prefetch = 0
	want, err := Run(trace, without, written(t, "evict = -last", false))
	if err != nil {
		t.Fatal(err)
	}
	for _, yields := range []int64{0, 1} {
		s.Yields = yields
		got, err := Run(trace, s, written(t, "evict = -last\nbring = 1 > 2", false))
		if err != nil || numbers(t, got) != numbers(t, want) {
			t.Errorf("yields %d: %v, want %v; %v", yields, got.Time, want.Time, err)
		}
	}
	puts := int64(0)
	for i := range trace.Ops {
		if trace.Ops[i].Kind == ops.Put {
			puts++
		}
	}
	got, err := Run(trace, without, written(t, "admit = 1 > 2", false))
	if err != nil || !got.Fits() || got.Evictions.Count != puts || got.Sum().Hits != 0 {
		t.Errorf("%d evictions of %d puts, %+v, %v", got.Evictions.Count, puts, got.Sum(), err)
	}
}

// What a policy knows is what the trace and the store have: every feature is what its help says.
func TestFeatures(t *testing.T) {
	s := &ops.Script{Client: "a"}
	x, y := s.Tensor("x"), s.Tensor("y")
	s.Add(ops.Create, x, 3*unit.MB)
	s.Add(ops.Create, y, 2*unit.MB)
	s.Think(unit.Second)
	s.Add(ops.Put, x, 0)
	s.Add(ops.Get, x, 0)
	s.Think(unit.Second)
	s.Add(ops.Put, x, 0)
	s.Add(ops.Put, y, 0)
	s.Think(2 * unit.Second)
	s.Add(ops.Get, y, 0)
	s.Foretell()
	trace, err := ops.Join(s)
	if err != nil {
		t.Fatal(err)
	}
	setup := smallSetup()
	setup.Prefetch, setup.Start, setup.IPC, setup.Alloc, setup.Free = 0, 0, 0, 0, 0
	at := func(put string, list map[string]string) {
		for feature, want := range list {
			number := feature
			if feature == "mine" {
				number = "(1 if mine else 0)"
			}
			p := written(t, "evict = 0\nadmit = not ("+put+") or abs("+number+" - "+want+") <= 1e-9 * "+want, false)
			got, err := Run(trace, setup, p)
			if err != nil || !got.Fits() || got.Evictions.Count != 0 {
				t.Errorf("%s: %s is not %s; %v, %v", put, feature, want, got.Failure, err)
			}
		}
	}
	at("uses == 1 and size == 3e6", map[string]string{ // the second put of x, at 2 s
		"size": "3e6", "uses": "1", "last": "4", "put": "5", "due": "1e18", "fetch_cost": "250us", "evict_cost": "4.1349ms", "capacity": "8e6",
		"clients": "1", "next": "1e18", "age": "1", "now": "2", "short": "0", "free": "3e6", "mine": "1", "share": "0.375", "truth": "1e18", "truth_op": "1e18",
		"p1": "1", "p2": "1", "p3": "1", "p4": "1",
	})
	at("uses == 0 and size == 2e6", map[string]string{ // the put of y
		"last": "2", "put": "6", "due": "4", "next": "1", "age": "2", "truth": "2", "truth_op": "7", "share": "0.625",
	})
	for i, f := range Asks().Features {
		if f.Help == "" || Asks().Feature(f.Name) != i {
			t.Errorf("feature %d, %q", i, f.Name)
		}
	}
}
