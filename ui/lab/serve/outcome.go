package serve

import (
	"spillway/sim/hash"
	"spillway/sim/policy"
	core "spillway/sim/serve"
	"spillway/sim/unit"
)

// An outcome is a run as it is written: numbers and names.
type outcome struct {
	System   string             `json:"system" help:"its name"`
	Refused  string             `json:"refused" help:"why it does not run; empty if it does"`
	Copies   int64              `json:"copies" help:"of the model, behind a router"`
	Time     int64              `json:"time_ps" help:"from the first arrival to the end of the last answer"`
	Requests int64              `json:"requests" help:"that were answered"`
	Good     int64              `json:"good" help:"requests that kept both limits"`
	Prompts  int64              `json:"prompt_tokens" help:"of all prompts"`
	Answers  int64              `json:"answer_tokens" help:"of all answers"`
	Tokens   [core.Tiers]int64  `json:"tokens_by_tier" help:"tokens of prompts found in GPU memory, host memory, on drives, and computed"`
	Phases   [core.Phases]int64 `json:"phases_ps" help:"to the first token, mean over the requests: front end, queue, memory, load from host, load from drives, prefill, interference"`
	TTFT     spread             `json:"ttft" help:"to the first token"`
	TPOT     spread             `json:"tpot" help:"for each further token"`
	ITL      spread             `json:"itl" help:"between two tokens"`
	E2E      spread             `json:"e2e" help:"of a whole request"`
	Steps    int64              `json:"steps" help:"of all engines"`
	Again    int64              `json:"preempted" help:"how often a request began again"`
	Peak     int64              `json:"peak_tokens" help:"most tokens in use at once, of a copy"`
	KVTokens int64              `json:"kv_tokens" help:"that a copy holds in GPU memory"`
	Weights  int64              `json:"weights_bytes" help:"on the GPUs of a copy"`
	Scratch  int64              `json:"activations_bytes" help:"on the GPUs of a copy: kept free for a step, with what driver and libraries take"`
	LinkIn   int64              `json:"link_in_bytes" help:"from host memory to GPUs"`
	LinkOut  int64              `json:"link_out_bytes" help:"from GPUs to host memory"`
	Read     int64              `json:"read_bytes" help:"from drives"`
	Written  int64              `json:"written_bytes" help:"to drives"`
	Knee     []loadOutcome      `json:"loads" help:"what the same system does at other rates"`
	Policy   *policy.Account    `json:"policy,omitempty" help:"what somebody wrote, and what it was asked; only of Yours"`
}

// A spread is what many times are.
type spread struct {
	Mean    int64 `json:"mean_ps" help:"mean"`
	P50     int64 `json:"p50_ps" help:"half are at most so long"`
	P90     int64 `json:"p90_ps" help:"nine in ten are at most so long"`
	P99     int64 `json:"p99_ps" help:"99 in 100 are at most so long"`
	Longest int64 `json:"longest_ps" help:"the longest"`
}

// A loadOutcome is what happens at a rate.
type loadOutcome struct {
	Rate    int64 `json:"rate_mrps" help:"thousandths of requests a second"`
	TTFT90  int64 `json:"ttft_p90_ps" help:"nine in ten have their first token within it"`
	TPOT    int64 `json:"tpot_mean_ps" help:"of each further token, mean"`
	Goodput int64 `json:"goodput_mrps" help:"thousandths of requests a second that keep both limits"`
	Good    int64 `json:"good_permille" help:"share of requests that keep both limits"`
}

func spreadOf(s *core.Spread) spread {
	return spread{int64(s.Mean), int64(s.P50), int64(s.P90), int64(s.P99), int64(s.Longest)}
}

// outcomeOf is a run as it is written.
func outcomeOf(r *result) outcome {
	x := outcome{
		System: r.System, Refused: r.Refused, Copies: r.Replicas, Time: int64(r.Time), Requests: int64(len(r.Requests)), Good: r.Good,
		Prompts: r.Prompts, Answers: r.Answers, Tokens: r.Tokens, TTFT: spreadOf(&r.TTFT), TPOT: spreadOf(&r.TPOT), ITL: spreadOf(&r.ITL), E2E: spreadOf(&r.E2E),
		Steps: r.Steps, Again: r.Preempted, Peak: r.PeakKV, KVTokens: r.Memory.KVTokens, Weights: int64(r.Memory.Weights), Scratch: int64(r.Memory.Activations),
		LinkIn: int64(r.In().Bytes), LinkOut: int64(r.LinkOut.Bytes), Read: int64(r.FromDrives().Bytes), Written: int64(r.Write.Bytes), Policy: r.Script,
	}
	for p := range x.Phases {
		x.Phases[p] = int64(r.phase(core.Phase(p)))
	}
	for _, p := range r.knee.points {
		x.Knee = append(x.Knee, loadOutcome{p.rate, int64(p.ttft90), int64(p.tpot), p.goodput, p.good})
	}
	return x
}

// hashOf returns the SHA-256 of a run, in hexadecimal: equal runs have equal hashes on every platform. What
// is hashed is listed here, every request among it.
func hashOf(x *outcome, r *core.Result) string {
	var t hash.Text
	t.Open('{')
	t.String("system", x.System)
	t.String("refused", x.Refused)
	for _, n := range []struct {
		key string
		v   int64
	}{
		{"copies", x.Copies},
		{"time_ps", x.Time},
		{"good", x.Good},
		{"prompt_tokens", x.Prompts},
		{"answer_tokens", x.Answers},
		{"steps", x.Steps},
		{"preempted", x.Again},
		{"peak_tokens", x.Peak},
		{"kv_tokens", x.KVTokens},
		{"weights_bytes", x.Weights},
		{"link_in_bytes", x.LinkIn},
		{"link_out_bytes", x.LinkOut},
		{"read_bytes", x.Read},
		{"written_bytes", x.Written},
	} {
		t.Int(n.key, n.v)
	}
	hash.Counts(&t, "tokens_by_tier", x.Tokens[:])
	hash.Counts(&t, "phases_ps", x.Phases[:])
	hash.List(&t, "requests", r.Requests, func(t *hash.Text, q *core.Served) {
		t.Open('{')
		for _, n := range []struct {
			key string
			v   unit.Time
		}{{"admit", q.Admit}, {"first", q.First}, {"done", q.Done}} {
			t.Int(n.key, int64(n.v))
		}
		t.Int("replica", int64(q.Replica))
		t.Close('}')
	})
	hash.List(&t, "loads", x.Knee, func(t *hash.Text, l *loadOutcome) {
		t.Open('{')
		t.Int("rate_mrps", l.Rate)
		t.Int("ttft_p90_ps", l.TTFT90)
		t.Int("tpot_mean_ps", l.TPOT)
		t.Int("goodput_mrps", l.Goodput)
		t.Int("good_permille", l.Good)
		t.Close('}')
	})
	if x.Policy != nil {
		t.Name("policy")
		t.Open('{')
		x.Policy.Named.Freeze(&t)
		x.Policy.Spent.Freeze(&t)
		t.Close('}')
	}
	t.Close('}')
	return hash.Sum(t)
}
