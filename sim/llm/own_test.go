package llm

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"spillway/build/effort"
	"spillway/sim/llm/own"
	"spillway/sim/llm/system"
	"spillway/sim/llm/system/teraio"
	"spillway/sim/machine"
	"spillway/sim/model"
	"spillway/sim/policy"
	"spillway/sim/policy/policytest"
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

// bare is a whole result as JSON, but for who it is of; with another name only.
func bare(t testing.TB, r *Result) string {
	t.Helper()
	x := *r
	x.System, x.Policy, x.Job = "", nil, nil
	text, err := json.Marshal(&x)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// asWritten runs a policy.
func asWritten(t testing.TB, s Setup, text string) *Result {
	t.Helper()
	if s.Policy = nil; text != "" {
		s.Policy = written(t, text)
	}
	r, err := Run(&s, own.Name, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TERAIO-Mixed, written as a policy or by default, has the results that it has, byte for byte: on the
// cases, and on random setups.
func TestScoreIsTERAIO(t *testing.T) {
	asked := 0
	same := func(name string, s Setup) {
		want, err := Run(&s, teraio.Mixed.Name, true, nil)
		if err != nil {
			return // the setup is not sound
		}
		for _, text := range []string{"", "score = floor(size * relief / (out + back))"} {
			got := asWritten(t, s, text)
			if bare(t, got) != bare(t, want) {
				t.Errorf("%s: %s: %v, want %v", name, text, got.Result, want.Result)
			}
			if got.Ran() && got.Policy.Asked > 0 {
				asked++
			}
		}
	}
	for _, c := range cases(t) {
		same(c.name, c.setup)
	}
	for seed := range effort.Seeds(60) {
		r := rng(seed + 36_000)
		same("random", r.anything())
	}
	if asked < 10 {
		t.Errorf("%d runs asked", asked)
	}
}

// The same on the setups of the TERAIO paper with which the language was proved.
func TestScoreIsTERAIOOnLargeModels(t *testing.T) {
	effort.Natively(t)
	for i, name := range []string{"llama3-8b", "granite-8b"} {
		if i > 0 && testing.Short() {
			break
		}
		s := Standard()
		p, err := machine.FindPreset("teraio")
		if err != nil {
			t.Fatal(err)
		}
		if s.Arch, err = model.Find(name); err != nil {
			t.Fatal(err)
		}
		s.Node, s.Layout.Batch = p.Config, 32
		want, err := Run(&s, teraio.Mixed.Name, true, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := asWritten(t, s, "")
		if !got.Ran() || bare(t, got) != bare(t, want) {
			t.Errorf("%s: %v, want %v", name, got.Time, want.Time)
		}
		t.Logf("%s: asked %d times, work %d", name, got.Policy.Asked, got.Policy.Work)
	}
}

// randomOwn writes a policy.
func randomOwn(r *rand.Rand) string {
	w := policytest.New(r)
	names := []string{"size", "idle", "span", "drive_time", "host_time", "host_limit", "capacity", "kernels", "relief", "relief", "out", "back", "away", "p1", "2", "(1 if global else 0)", "(1 if wraps else 0)", "(1 if on_host else 0)"}
	text := "score = " + w.Number(r.IntN(3)+1, names...)
	if r.IntN(2) == 0 {
		text += "\nhost = " + w.Condition(1, names...)
	}
	return text
}

// Whatever somebody writes, the laws hold, twice the same comes out, and nothing is faster than what
// is proved of TERAIO's systems.
func TestRandomPoliciesKeepTheLaws(t *testing.T) {
	ran, bounded := 0, 0
	try := func(name string, s Setup, text string) {
		s.Policy = written(t, text)
		r, err := Run(&s, own.Name, true, nil)
		if err != nil || !r.Ran() {
			return
		}
		ran++
		for _, problem := range broken(r) {
			t.Errorf("%s: %s\n%s", name, problem, text)
		}
		if again, _ := Run(&s, own.Name, true, nil); bare(t, again) != bare(t, r) || again.Policy.Work != r.Policy.Work {
			t.Errorf("%s: not the same twice\n%s", name, text)
		}
		b, err := Best(&s, nil)
		if err != nil || b.Reason != "" {
			return
		}
		for _, f := range b.Floors {
			if slices.Contains(f.Systems, &teraio.Mixed) {
				bounded++
				if r.Time < f.Time {
					t.Errorf("%s: %v, and no less than %v can be\n%s", name, r.Time, f.Time, text)
				}
			}
		}
	}
	list := cases(t)
	for seed := range effort.Seeds(60) {
		r := rand.New(rand.NewPCG(seed, 3621))
		c := list[r.IntN(len(list))]
		try(c.name, c.setup, randomOwn(r))
		any := rng(seed + 37_000)
		try("random", any.anything(), randomOwn(r))
	}
	if ran < 5 || bounded < 5 {
		t.Errorf("%d policies ran, %d with a bound", ran, bounded)
	}
}

// Plans that runs hand on to each other are none of a policy's, nor are a policy's others'.
func TestPoliciesKeepNoPlans(t *testing.T) {
	s := cases(t)[0].setup
	s.Options.Plans = &system.Plans{}
	mixed := func() string {
		r, err := Run(&s, teraio.Mixed.Name, true, nil)
		if err != nil {
			t.Fatal(err)
		}
		return bare(t, r)
	}
	none := asWritten(t, s, "score = 0")
	if want := mixed(); want == bare(t, none) || none.Moves != 0 {
		t.Errorf("%d moves", none.Moves)
	}
	if again := asWritten(t, s, "score = 0"); bare(t, again) != bare(t, none) || again.Policy.Asked == 0 {
		t.Errorf("%d moves, asked %d times", again.Moves, again.Policy.Asked)
	}
}

// Host memory takes what a policy says, and nothing of what it does not.
func TestHostRule(t *testing.T) {
	s := cases(t)[0].setup
	moved := func(text string) (host, drives int64) {
		r := asWritten(t, s, text)
		if !r.Ran() {
			t.Fatal(r.Reason)
		}
		for i := range r.GPUs {
			host, drives = host+int64(r.GPUs[i].HostWritten), drives+int64(r.GPUs[i].Written)
		}
		return host, drives
	}
	s.Options.Fallback = 1 // one plan
	allHost, _ := moved("host = 1 == 1")
	noHost, drives := moved("host = 1 == 2")
	if usual, usualDrives := moved("score = floor(size * relief / (out + back))"); noHost != usual || drives != usualDrives {
		t.Errorf("drives first: %d and %d bytes, want %d and %d", noHost, drives, usual, usualDrives)
	}
	if allHost <= noHost {
		t.Errorf("%d bytes go to host memory first, %d else", allHost, noHost)
	}
}

// A run whose policy asks for too much ends as a result that says so.
func TestPolicyGivesUp(t *testing.T) {
	s := cases(t)[0].setup
	s.Policy = written(t, "score = relief")
	s.Policy.Work = 1000
	r, err := Run(&s, own.Name, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := "gave up: the policy was asked 1001 times; ask for less, or raise Policy work"; r.Ran() || r.Reason != want || r.Policy.Work != 1001 {
		t.Errorf("%q, %+v", r.Reason, r.Policy)
	}
}
