package llm

import (
	"strings"
	"testing"

	"spillway/ui/lab/labtest"
)

// TestStand: GPUs stand in nodes, as many as are set or in eights, and what one node has is there as often; products in
// 8 bits are refused where a GPU has none; a recipe on several nodes opens on as many.
func TestStand(t *testing.T) {
	l := New()
	rate := func(set, system string) float64 {
		t.Helper()
		_, r, err := l.Run(labtest.Setup(t, &l, set), system, nil, nil)
		if err != nil {
			t.Fatal(set, err)
		}
		return float64(r.(*result).TokenRate()) / 1000
	}
	const eight = "node=dgx-h100 model=llama3-8b micro=1 batch=64 sequence=2048 precision=bf16 recompute=full"
	if a, b := rate(eight+" gpus=64", "fsdp"), rate(eight+" nodes=8", "fsdp"); a != b || a == 0 {
		t.Errorf("64 GPUs make %v, eight nodes %v tokens/s", a, b)
	}
	if slow, fast := rate(eight+" nodes=2 network=0.5", "fsdp"), rate(eight+" nodes=2 nic=ndr-400", "fsdp"); slow > fast/2 {
		t.Errorf("over 4 Gb/s %v, over 400 %v tokens/s", slow, fast)
	}
	if slow, fast := rate(eight+" nodes=2 data=16 zero=3 network=0.5", "ideal"), rate(eight+" nodes=2 data=16 zero=3", "ideal"); slow > fast/2 {
		t.Errorf("simulated, over 4 Gb/s %v, over 400 %v tokens/s", slow, fast)
	}
	r, _, err := l.Run(labtest.Setup(t, &l, eight+" gpus=64"), "teraio-mixed", nil, nil)
	if err != nil || !strings.Contains(strings.Join(r.Caveats, " ")+r.Lead+r.Reason, "cannot make the 64 stages") {
		t.Errorf("%v, %+v", err, r)
	}
	for set, want := range map[string]string{
		"node=dgx-h100 gpus=12":                "set nodes under Machine",
		"node=eight-a100 precision=fp8":        "multiplies no numbers of 8 bits",
		"node=dgx-h100 nodes=2 shared=1":       "cannot be one array",
		"node=dgx-h100 nodes=2 tensor=3":       "does not divide 16",
		"node=dgx-h100 nodes=600 gpus=8":       "GPUs in all",
		"node=dgx-h100 gpus=128 nodes=1":       "is not between 1 and 64",
		"node=dgx-h100 layers=4 precision=fp8": "4 layers cannot make the 8 stages",
	} {
		if err := l.Check(labtest.Setup(t, &l, set)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", set, err)
		}
	}
	s := standard()
	s.Node.Nodes = 4
	m, err := s.resolved(nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.apart(&m.Node); s.Node.Nodes != 4 || s.Node.GPUs != standard().Node.GPUs || s.Node.Host != standard().Node.Host {
		t.Errorf("of four nodes one is %+v", s.Node)
	}
	s.Node.Nodes, s.Node.GPUs = 0, 32
	if m, err = s.resolved(nil); err != nil || m.Node.Nodes != 4 || m.Node.GPUs != 32 {
		t.Fatal(err, m.Node)
	}
	if s.apart(&m.Node); s.Node.Nodes != 0 || s.Node.GPUs != 32 {
		t.Errorf("of 32 GPUs: %+v", s.Node)
	}
}

// A GPU without bf16 says what runs instead; one with it says nothing.
func TestWithoutBF16(t *testing.T) {
	l := New()
	for text, want := range map[string]bool{
		"gpu=t4 precision=bf16": true, "gpu=v100-32 precision=bf16": true, "gpu=t4 precision=fp32": false, "gpu=a10 precision=bf16": false,
	} {
		r, _, err := l.Run(labtest.Setup(t, &l, "model=gpt2-xl batch=2 "+text), "ideal", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(r.Notes, " "), "has no bf16"); got != want {
			t.Errorf("%s: %q", text, r.Notes)
		}
	}
}
