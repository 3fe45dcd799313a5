package compress

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"spillway/build/effort"
	"spillway/sim/compress/buddy"
	"spillway/sim/policy"
	"spillway/sim/policy/policytest"
	"spillway/sim/unit"
)

// written is a policy of a text.
func written(t testing.TB, text string) *policy.Chosen {
	t.Helper()
	p, err := policy.Parse(Asks(), text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return &policy.Chosen{Policy: p, Dials: [policy.Dials]float64{1, 1, 1, 1}, Work: 1e15}
}

// asScripts are designs of the paper as texts.
var asScripts = []struct{ name, text string }{
	{"per-allocation-16x", "allow = overflow <= threshold"},
	{"per-allocation-16x", "allow = overflow <= threshold\nbig = tiny >= mostly_zero"},
	{"per-allocation", "allow = overflow <= threshold\nbig = 1 < 0"},
}

// randomMachine is a setup of any numbers.
func randomMachine(r *rand.Rand) Setup {
	s := Published()
	s.Link = unit.Bandwidth(1+r.IntN(900)) * unit.GBps
	s.Threshold, s.Tiny, s.MaxRatio = Thousandths(r.IntN(1001)), Thousandths(r.IntN(1001)), Thousandths(1000+r.IntN(15001))
	s.Bound, s.Written = Thousandths(r.IntN(1001)), Thousandths(r.IntN(1001))
	s.Pattern = Pattern{Thousandths(r.IntN(1001)), Thousandths(r.IntN(1001))}
	s.Alike = r.IntN(2) == 0
	return s
}

// The paper's designs, written as a text, give the same results in every field: as published, and
// on random machines with all thresholds.
func TestScriptsAreTheDesigns(t *testing.T) {
	for seed := range effort.Seeds(60) {
		s := Published()
		if seed > 0 {
			s = randomMachine(rand.New(rand.NewPCG(seed, 365)))
		}
		for _, x := range asScripts {
			v, err := Find(x.name)
			if err != nil {
				t.Fatal(err)
			}
			o := NewOwn(written(t, x.text))
			for _, suite := range Suites() {
				programs := suite.Programs()
				for i := range programs {
					if got, want := o.Run(&programs[i], &s), Run(&programs[i], &s, &v); !reflect.DeepEqual(got, want) {
						t.Errorf("seed %d: %s of %s: %+v\nwant %+v", seed, x.text, programs[i].Name, got, want)
					}
				}
			}
			if a := o.Account(); o.GaveUp() != "" || a.Asked == 0 || a.Future || len(a.Notes) > 0 {
				t.Errorf("%s: %+v", x.text, a)
			}
		}
	}
}

// randomPolicy writes a policy of both rules.
func randomPolicy(r *rand.Rand) string {
	w := policytest.New(r)
	names := []string{
		"overflow", "mean", "start", "local", "remote", "tiny", "size", "(1 if idle else 0)", "ratio", "footprint", "allocations", "threshold",
		"mostly_zero", "max_ratio", "memory", "link", "bound", "p1", "0.5", "3", "1.5", "ratio", "overflow", "L", "H",
	}
	text := "keep L = 0\nkeep H of allocation = 1\nwhen given: H = " + w.Number(1, names...) + ", L = L + " + w.Pick(names...) + "\n"
	text += "allow = " + w.Number(1, names...) + w.Pick(" < ", " <= ", " > ") + w.Pick(names...) + "\n"
	if r.IntN(2) == 0 {
		text += "big = " + w.Number(1, names...) + w.Pick(" < ", " > ") + w.Pick(names...) + "\n"
	}
	return text
}

// Whatever somebody writes, nothing is faster than the bound, twice the same comes out, all parts of a
// program's memory are somewhere, and 16x stays within the largest ratio.
func TestRandomPoliciesKeepTheLaws(t *testing.T) {
	compared, targets := 0, map[buddy.Target]int{}
	for seed := range effort.Seeds(300) {
		r := rand.New(rand.NewPCG(seed, 366))
		text, s := randomPolicy(r), randomMachine(r)
		o, again := NewOwn(written(t, text)), NewOwn(written(t, text))
		for _, suite := range Suites() {
			programs := suite.Programs()
			for i := range programs {
				p := &programs[i]
				s.GPU = pick(r, 0, unit.Bytes(r.Int64N(int64(p.Bytes())*5/4)))
				got := o.Run(p, &s)
				if !reflect.DeepEqual(got, again.Run(p, &s)) {
					t.Errorf("seed %d: not the same twice\n%s", seed, text)
				}
				least, ok := Bound(p, &s)
				if time := 1 + got.Time.Slowdown(); fits(got, &s) {
					if compared++; !ok || time < least {
						t.Errorf("seed %d: %s: %.6f, the bound is %.6f, %v\n%s", seed, p.Name, time, least, ok, text)
					}
				}
				big := false
				for _, target := range got.Targets {
					targets[target]++
					big = big || target == buddy.X16
				}
				if len(got.Targets) != len(p.Allocations) || got.Capacity != buddy.Sum(p.Allocations, got.Targets) || big && got.Ratio() > s.MaxRatio.Float() {
					t.Errorf("seed %d: %s: %+v\n%s", seed, p.Name, got, text)
				}
			}
		}
		if !reflect.DeepEqual(o.Account(), again.Account()) {
			t.Errorf("seed %d: not asked the same twice\n%s", seed, text)
		}
	}
	if compared == 0 || len(targets) < 4 && effort.Nightly() { // a share of the draws may have no 2x
		t.Errorf("%d compared, targets %v", compared, targets)
	}
}

// pick returns one of some values.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// A policy that asks for too much ends with a sentence, and is asked no more.
func TestGivingUp(t *testing.T) {
	suite, err := FindSuite("dl")
	if err != nil {
		t.Fatal(err)
	}
	c := written(t, "allow = overflow + mean + start < 0")
	c.Work = 100
	o, s, results := NewOwn(c), Published(), 0
	programs := suite.Programs()
	for i := range programs {
		if o.Run(&programs[i], &s) != nil {
			results++
		}
	}
	if want := "gave up at allocation 5 of 22 of BigLSTM: the policy was asked 17 times; ask for less, or raise Policy work"; o.GaveUp() != want || results > 1 || o.Account().Work > 110 {
		t.Errorf("%q, want %q; %d results, %+v", o.GaveUp(), want, results, o.Account())
	}
}

// What a policy knows is what its help says, and events come in order.
func TestFeatures(t *testing.T) {
	var small, large buddy.Histogram
	small.Add(8, true, 25) // zeros
	small.Add(256, false, 50)
	small.Add(1024, false, 25)
	large.Add(256, false, 50)
	large.Add(600, false, 50)
	p := &Program{Name: "x", Allocations: []buddy.Allocation{
		{Name: "a", Bytes: 12_800, Snapshots: []buddy.Histogram{small, large}},
		{Name: "b", Bytes: 1280, Snapshots: []buddy.Histogram{small}, Idle: true},
	}}
	s := Published()
	for text, want := range map[string][2]buddy.Target{
		"allow = overflow == 0.5 and mean == 0.375 and start == 0.25 and ratio == 4":                                       {buddy.X4, buddy.X1},
		"allow = overflow == 0.25 and ratio < 2 and tiny == 0 or idle and ratio == 4 and tiny == 0.25 and remote == 0":     {buddy.X133, buddy.X4},
		"allow = footprint == 14080 and size < 2000 and allocations == 2 and ratio < 2":                                    {buddy.X1, buddy.X133},
		"allow = remote == 0.21875 and abs(local - 0.25) < 1 and threshold == 0.3 and mostly_zero == 0.99 and bound > 0.2": {buddy.X4, buddy.X1},
		"allow = memory == 900e9 and link == 150GB and max_ratio == 4 and p1 == 1 and p4 == 1":                             {buddy.X4, buddy.X4},
		"keep n = 0\nwhen given: n = n + ratio\nallow = n == 1":                                                            {buddy.X1, buddy.X4},
	} {
		got := NewOwn(written(t, text+"\nbig = 1 < 0")).Run(p, &s)
		if [2]buddy.Target(got.Targets) != want {
			t.Errorf("%s: %v, want %v", text, got.Targets, want)
		}
	}
}
