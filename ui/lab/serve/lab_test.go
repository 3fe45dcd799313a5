package serve

import (
	"math"
	"strings"
	"testing"

	"spillway/sim/knob"
	core "spillway/sim/serve"
	"spillway/sim/unit"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// small is a setup that runs in moments, in which tiers matter.
const small = "gpu=rtx-4090 weights=fp8 kv=fp8 spare=9000 requests=100 input=6400 output=20 groups=24 shared=6000 rate=1"

func setOf(t testing.TB, l *lab.Lab, set string) *knob.Setup {
	t.Helper()
	u, err := l.Read(set)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func value(t testing.TB, l *lab.Lab, set, system, key string) float64 {
	t.Helper()
	r, _, err := l.Run(setOf(t, l, set), system, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	v, ok := r.Value(l.Quantity(key))
	if !ok {
		t.Fatalf("%s, %s: no %s: %s", set, system, key, r.Reason)
	}
	return v
}

// TensorRT-LLM's row of 1000 tokens in and out on an H100 is met by the settings that people set.
func TestTable(t *testing.T) {
	l := New()
	got := value(t, &l, "arrivals=burst model=llama3-8b gpu=h100-sxm gpus=1 tensor=1 engine=trtllm weights=fp8 kv=fp8 input=1000 output=1000 requests=3000", core.Systems()[0].Key, "output_tokens_s")
	if want := 15220.0; math.Abs(got/want-1) > 0.05 {
		t.Errorf("%.0f tokens a second, published %.0f", got, want)
	}
}

// One request alone waits for its own prompt, and nothing else; users are what Little's law says.
func TestAlone(t *testing.T) {
	l := New()
	for _, key := range []string{"queue_s", "memory_s", "load_host_s", "load_drive_s", "interference_s"} {
		if v := value(t, &l, "requests=1 engine=trtllm", core.Systems()[0].Key, key); v != 0 {
			t.Errorf("%s is %v", key, v)
		}
	}
	u := setOf(t, &l, small)
	_, raw, err := l.Run(u, core.Systems()[0].Key, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	k := raw.(*result).knee
	if want := float64(k.best.rate) / 1000 * seconds(k.best.e2e+30*unit.Second); k.best.rate == 0 || math.Abs(k.users()-want) > 1e-9*want {
		t.Errorf("%v users at %d, want %v", k.users(), k.best.rate, want)
	}
	if k.best.good < keeps {
		t.Errorf("of the best load %d of 1000 keep the limits", k.best.good)
	}
}

// Longer pauses are more users, looser limits no fewer, and none is lost by more tiers.
func TestKnee(t *testing.T) {
	l := New()
	base := value(t, &l, small, core.Systems()[0].Key, "served_rps")
	if v := value(t, &l, small+" pause=60", core.Systems()[0].Key, "served_rps"); v != base {
		t.Errorf("a longer pause serves %v requests a second instead of %v", v, base)
	}
	if v := value(t, &l, small+" ttft=10", core.Systems()[0].Key, "served_rps"); v < base {
		t.Errorf("users who wait longer are served %v requests a second instead of %v", v, base)
	}
	if v := value(t, &l, small, "host-ssd", "served_rps"); v < base {
		t.Errorf("with more tiers %v requests a second instead of %v", v, base)
	}
}

// No system serves more than the bound, with a tour's requests and where tiers matter: strangers saw host memory and
// drives pass it, by a chance of the order of requests and by answers that took longer.
func TestBound(t *testing.T) {
	l := New()
	for _, set := range []string{presets()[0].Set, small + " pause=0 ttft=10"} {
		rate, users := value(t, &l, set, bound(), "served_rps"), value(t, &l, set, bound(), "users")
		for _, system := range []string{"hbm", "host", "host-ssd"} {
			if v := value(t, &l, set, system, "served_rps"); v > rate {
				t.Errorf("%s: %s serves %v requests a second, the bound %v", set, system, v, rate)
			}
			if v := value(t, &l, set, system, "users"); v > users {
				t.Errorf("%s: %s serves %v users, the bound %v", set, system, v, users)
			}
		}
	}
}

// Systems share the requests at a rate: they are made once.
func TestRatesAreShared(t *testing.T) {
	s := standard()
	w, err := load(&s, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, system := range []string{"hbm", "host", "no-prefix"} {
		if _, err := w.knee(&s, system, nil); err != nil {
			t.Fatal(err)
		}
	}
	loads := map[*core.Workload]bool{}
	for _, system := range []string{"hbm", "host"} {
		for _, p := range w.knees[kneeKey(&s, system)].points {
			x, err := w.at(&s, p.rate)
			if err != nil {
				t.Fatal(err)
			}
			loads[x] = true
		}
	}
	if n := len(w.knees[kneeKey(&s, "hbm")].points); len(loads) != n {
		t.Errorf("%d lists of requests at %d rates", len(loads), n)
	}
}

// A recorded list at a rate has that rate in the mean, and requests in their order.
func TestPaced(t *testing.T) {
	s := standard()
	s.Workload, s.Arrivals, s.Recipe.Requests = mooncake, recorded, 500
	w, err := load(&s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Requests) != 500 || w.Check() != nil {
		t.Fatalf("%d requests, %v", len(w.Requests), w.Check())
	}
	fast, err := w.paced(&s, 2500)
	if err != nil || fast.Check() != nil {
		t.Fatal(err, fast.Check())
	}
	n := int64(len(fast.Requests))
	if last := fast.Requests[n-1].At; last/unit.Second != unit.Time(n*1000/2500) {
		t.Errorf("%d requests at 2.5 a second come within %v", n, last)
	}
	s.Pace = 200
	double, err := load(&s, nil)
	if err != nil || double.Requests[499].At != w.Requests[499].At/2 {
		t.Errorf("at twice the pace the last comes at %v instead of %v: %v", double.Requests[499].At, w.Requests[499].At, err)
	}
}

// What contradicts is said with the setting to change.
func TestContradictions(t *testing.T) {
	l := New()
	for set, want := range map[string]string{
		"arrivals=file":                      "open a list of requests",
		"groups=3 shared=2000 input=1000":    "set input above shared",
		"gpus=6 tensor=4":                    "set gpus or tensor",
		"gpu_share=70 host_share=60":         "at most 100 %",
		"entry=gone":                         "open them again",
		"model=llama3-70b gpus=1 gpu=t4":     "",
		"model=llama3-405b gpus=8 gpu=h200":  "",
		"model=llama3-8b tensor=auto gpus=8": "",
	} {
		_, _, err := l.Run(setOf(t, &l, set), core.Systems()[0].Key, nil, nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", set, err, want)
		}
	}
}

// Waits say what they came of; every link about a slice is about one that is there.
func TestChain(t *testing.T) {
	l := New()
	h, err := l.Timeline(setOf(t, &l, small+" rate=6"), "host-ssd", nil, lab.Window{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]int{}
	words := []string{"Meanwhile the engine computes", "keys and values of"}
	for track := range h.Tracks {
		for i := range h.Tracks[track].Begin {
			labtest.Chain(t, h, track, i, words, said)
		}
	}
	labtest.Said(t, words, said)
}

// BenchmarkRun is a run of the first preset with all of its loads.
func BenchmarkRun(b *testing.B) {
	for name, set := range map[string]string{"mooncake": presets()[0].Set, "made": "requests=10000", "conversations": "weights=fp8 kv=fp8 rate=4 requests=2000 turns=5"} {
		for _, system := range []string{"hbm", "host-ssd"} {
			b.Run("workload="+name+"/system="+system, func(b *testing.B) {
				for b.Loop() {
					l := New()
					if _, _, err := l.Run(setOf(b, &l, set), system, nil, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkCompared is what the page does at once: four systems of one work, with all of their loads.
func BenchmarkCompared(b *testing.B) {
	for name, set := range map[string]string{"mooncake": presets()[0].Set, "conversations": "weights=fp8 kv=fp8 rate=4 requests=2000 turns=5"} {
		b.Run("workload="+name, func(b *testing.B) {
			for b.Loop() {
				l := New()
				for _, system := range []string{"ideal", "no-prefix", "hbm", "host", "host-ssd"} {
					if _, _, err := l.Run(setOf(b, &l, set), system, nil, nil); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// Lengths of a histogram are drawn anew with each seed, at every rate and all at once, and have no times of their own.
func TestHistogram(t *testing.T) {
	l := New()
	const set = "workload=azure-code weights=fp8 kv=fp8 rate=8 requests=500"
	one, two := value(t, &l, set, "hbm", "ttft_p90_s"), value(t, &l, set+" seed=2", "hbm", "ttft_p90_s")
	if one == two {
		t.Errorf("with another seed it is the same, %v", one)
	}
	if v := value(t, &l, set, "hbm", "served_rps"); v <= 0 {
		t.Errorf("%v requests a second", v)
	}
	if _, _, err := l.Run(setOf(t, &l, set+" arrivals=file"), "hbm", nil, nil); err == nil || !strings.Contains(err.Error(), "open a list of requests") {
		t.Error(err)
	}
}

// What one turn, one copy and no groups leave nothing to change is told, with what would help.
func TestIgnored(t *testing.T) {
	l := New()
	for text, want := range map[string]string{
		"think=5":                    "one turn each, and nobody waits: set turns above 1, or arrivals to closed",
		"think=5 turns=2":            "",
		"think=5 arrivals=closed":    "",
		"affinity=3":                 "one copy of the model: set gpus above tensor",
		"affinity=3 gpus=2 tensor=2": "one copy of the model: set gpus above tensor",
		"affinity=3 gpus=2":          "",
		"shared=100":                 "no groups share: set groups above 0",
	} {
		u := l.Setup()
		if err := u.Read("requests=20 input=500 output=20 " + text); err != nil {
			t.Fatal(err)
		}
		r, _, err := l.Run(u, "host-ssd", nil, nil)
		if err != nil || len(r.Ignored) > 0 != (want != "") || want != "" && !strings.Contains(r.Notes[len(r.Notes)-1], "; "+want+").") {
			t.Errorf("%s: %v, %v, %q", text, err, r.Ignored, r.Notes)
		}
	}
}
