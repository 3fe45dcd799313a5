package cxlssd

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/sim/cxlssd/stream"
	"spillway/sim/policy"
	"spillway/sim/policy/policytest"
	"spillway/sim/unit"
)

// written gives a setup a policy of a text.
func written(t testing.TB, s Setup, text string) *Setup {
	t.Helper()
	p, err := policy.Parse(Asks(), text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	s.Script = &policy.Chosen{Policy: p, Dials: [policy.Dials]float64{1, 1, 1, 1}, Work: 1e15}
	return &s
}

// numbers is a whole result as JSON, but for who it is of and for the threshold of promotion, which a
// policy keeps itself.
func numbers(t testing.TB, r *Result) string {
	t.Helper()
	bare := *r
	bare.System, bare.PromoteAt, bare.Script = "", 0, nil
	text, err := json.Marshal(&bare)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// SkyByte's mechanisms as texts.
const (
	adaptive = "keep down = 0\nkeep benefit = 0\nkeep seen = 0\npromote = hits >= most - down\nwhen access: seen = seen + 1\n" +
		"when hit: benefit = benefit + (hits if promoted else 0), down = 0 if seen >= reset else (max(down - 1, 0) if LOW else (min(down + 1, most - 1) if HIGH and promoted else down)), benefit = 0 if seen >= reset else benefit, seen = 0 if seen >= reset else seen\n"
	farRule  = "switch = wait >= threshold if latency_known or merged else wait > threshold\n"
	halfRule = "compact = log_used >= log_half\n"
)

// adaptiveOf is the threshold of promotion as quirks have it.
func adaptiveOf(s *Setup) string {
	low, high := "benefit * 4 <= seen", "benefit * 4 >= seen * 3"
	if s.Quirks.Has(IntegerRatio) {
		low, high = "benefit < seen", "benefit >= seen"
	}
	return strings.NewReplacer("LOW", low, "HIGH", high).Replace(adaptive)
}

// asScripts are designs of SkyByte, with their mechanisms as texts in place of the setup's.
var asScripts = []struct {
	system string
	text   func(*Setup) string
	own    Design // what the text does not say
}{
	{"skybyte-p", adaptiveOf, Design{}},
	{"skybyte-c", func(*Setup) string { return farRule }, Design{}},
	{"skybyte-w", func(*Setup) string { return halfRule }, Design{}},
	{"skybyte-full", func(s *Setup) string { return adaptiveOf(s) + farRule + halfRule }, Design{}},
	{"skybyte-full", func(s *Setup) string { return adaptiveOf(s) }, Design{Log: true, Switch: true}},
	{"skybyte-full", func(*Setup) string { return farRule + halfRule }, Design{Promote: Adaptive}},
	{"skybyte-wct", func(*Setup) string { return farRule + halfRule }, Design{Promote: TPP}},
	{"astriflash-cxl", func(*Setup) string { return farRule }, Design{Promote: AstriFlash}},
}

// SkyByte's mechanisms, written as a text, have the results that they have, byte for byte: on all
// recipes, as the artifact and as the paper has them.
func TestScriptsAreTheMechanisms(t *testing.T) {
	effort.Natively(t)
	list := stream.Recipes()
	for k := range list {
		if testing.Short() && k%4 != 0 {
			continue
		}
		w := recipe(t, list[k].Name)
		for i, s := range []Setup{Default(), Paper()} {
			s.Scale = 64
			for _, x := range asScripts {
				want, err := Run(w, &s, x.system, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				s.Own = x.own
				got, err := Run(w, written(t, s, x.text(&s)), OwnPolicy, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				if numbers(t, got) != numbers(t, want) {
					t.Errorf("%s on %s, setup %d:%s", x.system, w.Name, i, differences(got, want))
				}
			}
		}
	}
}

// The same on random streams and setups, with all quirks.
func TestScriptsAreTheMechanismsAnywhere(t *testing.T) {
	for seed := range many(800) {
		d := draw(seed + 361_000)
		for _, x := range asScripts {
			want, err := simulate(d.w, &d.s, x.system, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			s := d.s
			s.Own = x.own
			got, err := simulate(d.w, written(t, s, x.text(&s)), OwnPolicy, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if numbers(t, got) != numbers(t, want) {
				t.Errorf("%v, as %s:%s", d, x.system, differences(got, want))
			}
		}
		if t.Failed() {
			return
		}
	}
}

// Without a policy the system does as Own design.
func TestOwnWithoutAPolicy(t *testing.T) {
	for seed := range many(200) {
		d := draw(seed + 362_000)
		d.system = OwnDesign
		want := d.run(t)
		d.system = OwnPolicy
		if got := d.run(t); got.Script != nil || numbers(t, got) != numbers(t, want) || got.PromoteAt != want.PromoteAt {
			t.Errorf("%v:%s", d, differences(got, want))
		}
	}
}

// randomPolicy writes a policy of any of the rules.
func randomPolicy(r *rand.Rand) string {
	w := policytest.New(r)
	plain := []string{"most", "reset", "room", "capacity", "log_used", "log_slots", "log_half", "backlog", "threshold", "waiting", "cores", "now", "p1", "2", "3us", "L", "(1 if latency_known else 0)"}
	paged := append([]string{"hits", "hits", "read", "written", "dirty", "logged", "age", "total", "H", "H", "(1 if promoted else 0)"}, plain...)
	loads := append([]string{"wait", "wait", "(1 if merged else 0)"}, paged...)
	var text strings.Builder
	text.WriteString("keep L = 0\nkeep H of page = 1\n")
	for _, event := range []string{"access", "hit", "miss", "promoted", "evicted"} {
		if r.IntN(3) == 0 {
			text.WriteString("when " + event + ": H = " + w.Pick("H + 1", "0", "hits", w.Number(1, paged...)) + ", L = " + w.Pick("L + 1", "max(L, H)", w.Number(1, paged...)) + "\n")
		}
	}
	rules := 0
	for rules == 0 {
		if r.IntN(3) > 0 {
			text.WriteString("promote = " + w.Condition(1, paged...) + "\n")
			rules++
		}
		if r.IntN(2) == 0 {
			text.WriteString("switch = " + w.Condition(1, loads...) + "\n")
			rules++
		}
		if r.IntN(2) == 0 {
			text.WriteString("compact = " + w.Condition(1, plain...) + "\n")
			rules++
		}
	}
	return text.String()
}

// Whatever somebody writes, the laws hold, twice the same comes out, whoever watches changes nothing, and
// nothing is faster than the bound.
func TestRandomPoliciesKeepTheLaws(t *testing.T) {
	promotions, compactions, switches := int64(0), int64(0), int64(0)
	for seed := range many(1500) {
		d := draw(seed + 363_000)
		text := randomPolicy(rand.New(rand.NewPCG(seed, 363)))
		d.s, d.system = *written(t, d.s, text), OwnPolicy
		got := d.run(t)
		if broken := laws(t, d.w, &d.s, d.system, got); broken != "" {
			t.Errorf("%v:%s\n%s", d, broken, text)
		}
		watch := &Watch{Page: func(uint32, string, unit.Time) {}, Switch: func(int, int, int, uint32, unit.Time, unit.Time) {}}
		again, err := simulate(d.w, &d.s, d.system, watch, nil)
		if err != nil || !reflect.DeepEqual(got, again) {
			t.Errorf("%v: watched it is another run: %v%s\n%s", d, err, differences(again, got), text)
		}
		if least, err := boundOf(d.w, &d.s); err != nil || got.Time < least {
			t.Errorf("%v: %v is faster than the bound, %v; %v\n%s", d, got.Time, least, err, text)
		}
		promotions, compactions, switches = promotions+got.Promotions, compactions+got.Compactions, switches+got.Switches
		if t.Failed() {
			return
		}
	}
	if promotions == 0 || compactions == 0 || switches == 0 {
		t.Errorf("%d promotions, %d compactions, %d switches", promotions, compactions, switches)
	}
}

// byHand are rules, and what they say of the naive device.
var byHand = []struct {
	text  string
	naive func(*naive)
}{
	{"promote = hits >= 2 and read + written > 3", func(n *naive) {
		n.promotes = func(p *naivePage) bool { return p.count >= 2 && len(p.read)+len(p.wrote) > 3 }
	}},
	{"switch = wait > 5us and waiting > 0 or merged", func(n *naive) {
		n.switches = func(a answer) bool {
			return n.waits(a) > 5*unit.Microsecond && len(n.queue) > 0 || a.kind == Merged
		}
	}},
	{"promote = hits > dirty + logged\nswitch = wait > 8us or wait < threshold\nkeep hot of page = 0\nwhen promoted: hot = hits\nwhen evicted: hot = 0", func(n *naive) {
		n.promotes = func(p *naivePage) bool {
			logged := 0
			for i := range n.log {
				if x := &n.log[i]; !x.dead && int64(x.page) == p.page {
					logged++
				}
			}
			return p.count > int64(len(p.dirty)+logged)
		}
		n.switches = func(a answer) bool { return n.waits(a) > 8*unit.Microsecond || n.waits(a) < n.s.Threshold }
	}},
}

// waits is how long a load waits, as far as the device knows.
func (n *naive) waits(a answer) unit.Time {
	if a.kind == Missed && !n.s.Quirks.Has(TrueLatency) {
		return a.estimate
	}
	return a.after
}

// A policy's run is that of the naive device, which does the same by hand, in every field.
func TestPoliciesAgainstNaive(t *testing.T) {
	for seed := range many(600) {
		d := draw(seed + 364_000)
		x := byHand[seed%uint64(len(byHand))]
		d.s, d.system = *written(t, d.s, x.text), OwnPolicy
		if d.s.Own.Promote == OnMiss || d.s.Own.Promote == AstriFlash {
			d.s.Own.Promote = NoPromotion
		}
		got := d.run(t)
		got.Script = nil
		want := runNaiveWith(d.w, d.s, design(t, &d.s, d.system), d.system, x.naive)
		if got.PromoteAt == 0 {
			want.PromoteAt = 0
		}
		if diff := differences(got, want); diff != "" {
			t.Fatalf("%v, on %+v:%s\n%s", d, d.s, diff, x.text)
		}
	}
}

// A run whose policy asks for too much ends as a result that says where and why: while the log is
// warmed, or later, at the same request everywhere.
func TestGivingUp(t *testing.T) {
	w, s := recipe(t, "ycsb-b"), Default()
	s.Scale = 64
	for work, want := range map[int64]string{
		1000:   "gave up at request 0 of 88543: the policy was asked 225 times; ask for less, or raise Policy work",
		40_000: "gave up at request 5532 of 88543: the policy was asked 8888 times; ask for less, or raise Policy work",
	} {
		x := written(t, s, "promote = hits > 3\nkeep n = 0\nwhen access: n = n + 1")
		x.Script.Work = work
		got, err := Run(w, x, OwnPolicy, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.GaveUp != want || got.Time != 0 || got.Script.Work <= work || got.Script.Work > work+20 {
			t.Errorf("%s, %+v", got.GaveUp, got.Script)
		}
	}
}

// What a policy knows is what the device has: every feature is what its help says.
func TestFeatures(t *testing.T) {
	w, s := recipe(t, "ycsb-b"), Default()
	s.Scale = 64
	for _, x := range []string{
		"promote = not (most == 7 and reset == 10000 and capacity == 8192 and room <= capacity and cores == 8 and threshold == 2us and p1 == 1 and p4 == 1)",
		"promote = hits < 1 or read + written < 1 or read > 64 or promoted or not latency_known or merged or total < 1",
		"promote = logged > 64 or dirty > 0 or age > now or log_half * 2 > log_slots or log_used > log_slots or wait + backlog - backlog != 0",
		"switch = wait < 1us and not merged or wait > 1s or hits > 0 or waiting < 0 or now < age",
	} {
		s.Own = Design{Log: true, Switch: strings.HasPrefix(x, "switch")}
		got, err := Run(w, written(t, s, x), OwnPolicy, nil, nil)
		if err != nil || got.Promotions+got.Switches != 0 || got.Script.Asked < 100 || got.Script.Future != strings.Contains(x, "total") {
			t.Errorf("%s: %d promotions, %d switches, %+v, %v", x, got.Promotions, got.Switches, got.Script, err)
		}
	}
	_, err := policy.Parse(Asks(), "compact = hits > 3")
	if want := "1:11: hits is of a page, and the rule compact is not about one"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = policy.Parse(Asks(), "x = hits > 3\ncompact = x")
	if want := "2:11: x has hits in it, which is of a page, and the rule compact is not about one"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// BenchmarkOwn runs what somebody wrote beside the design that does the same.
func BenchmarkOwn(b *testing.B) {
	for _, name := range []string{"dlrm", "ycsb-b"} {
		w, err := stream.Find(name)
		if err != nil {
			b.Fatal(err)
		}
		s := Default()
		s.Scale = 16
		x := written(b, s, adaptiveOf(&s)+farRule+halfRule)
		for _, system := range []string{"skybyte-full", OwnPolicy} {
			b.Run(fmt.Sprintf("workload=%s/system=%s", name, system), func(b *testing.B) {
				for b.Loop() {
					if _, err := Run(w, x, system, nil, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
