package decode

import (
	"fmt"
	"strings"
	"testing"

	"spillway/sim/model"
	"spillway/sim/unit"
)

func find(t *testing.T, name string) *model.Arch {
	t.Helper()
	a, err := model.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return &a
}

// TestDeepNVMe: DeepSpeed's blog of June 2025 (blogs/deepnvme/06-2025) reports tokens a second of
// Llama-3 70B in bf16, batch 96, prompt 512, 32 more tokens, for three arrays; the first on a node with A100, the others
// with H200. Matrix products at 0.6 of the data sheets' dense peak are assumed: nothing is fitted.
func TestDeepNVMe(t *testing.T) {
	const a100, h200 = 312e12 / 10 * 6, 989e12 / 10 * 6
	for _, tt := range []struct {
		read      unit.Bandwidth
		flops     int64
		published int64 // tokens a second
		want      string
		without   string // arithmetic, which then also makes the prefill a step like the others
	}{
		{10 * unit.GBps, a100, 7, "6.48", "6.80"},
		{27 * unit.GBps, h200, 17, "17.70", "18.36"},
		{48 * unit.GBps, h200, 26, "29.92", "32.65"},
	} {
		c := Case{Arch: find(t, "llama3-70b"), Bytes: 2, Batch: 96, Prompt: 512, Output: 32, Stream: tt.read, FLOPS: tt.flops}
		r, err := c.Run()
		if err != nil {
			t.Fatal(err)
		}
		if got := tokens(r); got != tt.want {
			t.Errorf("%v: %s tokens a second, want %s", tt.read, got, tt.want)
		}
		if off := r.MilliTokens - 1000*tt.published; off > 250*tt.published || off < -250*tt.published {
			t.Errorf("%v: %s tokens a second, published %d: more than a quarter off", tt.read, tokens(r), tt.published)
		}
		c.FLOPS = 0
		if r, err = c.Run(); err != nil || tokens(r) != tt.without {
			t.Errorf("%v without arithmetic: %v tokens a second, %v, want %s", tt.read, tokens(r), err, tt.without)
		}
	}
}

func tokens(r *Result) string {
	return fmt.Sprintf("%d.%02d", r.MilliTokens/1000, r.MilliTokens%1000/10)
}

// TestKV: bytes of keys and values of a token in bf16.
func TestKV(t *testing.T) {
	for name, want := range map[string]unit.Bytes{"llama3-8b": 131_072, "llama3-70b": 327_680, "gpt2-xl": 2 * 48 * 1600 * 2} {
		if got := KVToken(find(t, name), 2); got != want {
			t.Errorf("%s: %d bytes a token, want %d", name, got, want)
		}
	}
	c := Case{Arch: find(t, "llama3-70b"), Bytes: 2, Batch: 96, Prompt: 512, Output: 32, Stream: unit.GBps}
	if r, err := c.Run(); err != nil || r.KV != 96*544*327_680 || r.Weights != 2*70_553_706_496 {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestLaws: a faster stream or GPU never takes longer; a batch that is larger never makes fewer tokens a second; a
// time is the prefill and all other steps.
func TestLaws(t *testing.T) {
	for _, a := range model.Models() {
		for _, batch := range []int64{1, 8, 64, 512} {
			for _, rate := range []unit.Bandwidth{unit.GBps, 20 * unit.GBps, 400 * unit.GBps} {
				run := func(c Case) *Result {
					r, err := c.Run()
					if err != nil {
						t.Fatal(a.Name, err)
					}
					if r.Time != r.Prefill+unit.Time(c.Output-1)*r.Step || r.Prefill < r.Step {
						t.Errorf("%s: %+v", a.Name, r)
					}
					return r
				}
				c := Case{Arch: &a, Bytes: 2, Batch: batch, Prompt: 128, Output: 16, Stream: rate, FLOPS: 100e12}
				r := run(c)
				faster, stronger, wider := c, c, c
				faster.Stream *= 2
				stronger.FLOPS *= 2
				wider.Batch *= 2
				if run(faster).Time > r.Time || run(stronger).Time > r.Time {
					t.Errorf("%s: a faster node takes longer", a.Name)
				}
				if run(wider).MilliTokens+1 < r.MilliTokens {
					t.Errorf("%s: batch %d makes fewer tokens a second than %d", a.Name, wider.Batch, batch)
				}
			}
		}
	}
}

func TestErrors(t *testing.T) {
	good := Case{Arch: find(t, "gpt2-xl"), Bytes: 2, Batch: 1, Prompt: 1, Output: 1, Stream: 1, FLOPS: 1}
	for want, change := range map[string]func(*Case){
		"no model":          func(c *Case) { c.Arch = nil },
		"bytes of a weight": func(c *Case) { c.Bytes = 0 },
		"batch":             func(c *Case) { c.Batch = 1 << 40 },
		"prompt":            func(c *Case) { c.Prompt = 0 },
		"output":            func(c *Case) { c.Output = -1 },
		"stream":            func(c *Case) { c.Stream = 0 },
		"operations":        func(c *Case) { c.FLOPS = -1 },
		"too long":          func(c *Case) { c.Output = 1 << 24; c.Batch = 1 << 20 },
	} {
		c := good
		change(&c)
		if r, err := c.Run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %+v, %v", want, r, err)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	a, err := model.Find("llama3-70b")
	if err != nil {
		b.Fatal(err)
	}
	c := Case{Arch: &a, Bytes: 2, Batch: 96, Prompt: 512, Output: 32, Stream: unit.GBps, FLOPS: 1e15}
	for b.Loop() {
		if _, err := c.Run(); err != nil {
			b.Fatal(err)
		}
	}
}
