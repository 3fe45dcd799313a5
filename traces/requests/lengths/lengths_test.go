package lengths

import "testing"

// Drawn lengths are as long in the mean as the trace's 2047.8 and 27.9 tokens, within its shortest and longest, and the same each time.
func TestWorkload(t *testing.T) {
	if all := classes(); all[len(all)-1].upTo != Whole {
		t.Errorf("%d requests are counted", all[len(all)-1].upTo)
	}
	const n = 40_000
	w := Workload(n, 1)
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	prompts, answers := w.Tokens()
	if p, a := float64(prompts)/n, float64(answers)/n; p < 2007 || p > 2089 || a < 27.0 || a > 28.8 {
		t.Errorf("prompts of %.1f tokens and answers of %.1f in the mean", p, a)
	}
	for i, r := range Workload(100, 1).Requests {
		x := w.Requests[i]
		if r.Prompt != x.Prompt || r.Output != x.Output {
			t.Errorf("request %d: another time it is another", i)
		}
		if r.Prompt < 2 || r.Prompt > 8192 || r.Output < 5 || r.Output > 2048 {
			t.Errorf("request %d: %+v", i, r)
		}
	}
	if other := Workload(1, 2).Requests[0]; other.Prompt == w.Requests[0].Prompt && other.Output == w.Requests[0].Output {
		t.Error("another seed draws the same")
	}
}
