package llm

import (
	"strings"
	"testing"

	"spillway/ui/lab/labtest"
)

// TestShareable: GPUs share sequences and experts as settings say; what cannot be is refused by the setting to change, and
// an answer says that no measurement of it was held out.
func TestShareable(t *testing.T) {
	l := New()
	const (
		long    = "node=dgx-h100 model=llama3-8b layers=4 micro=1 batch=8 sequence=32768 precision=bf16 recompute=full "
		mixture = "node=dgx-h100 model=mixtral-8x7b layers=4 micro=1 batch=16 sequence=2048 precision=bf16 recompute=full "
	)
	for _, x := range []struct {
		set, system string
		said        bool
	}{
		{long + "context=8", "ideal", true},
		{long + "context=4 tensor=2", "teraio-mixed", true},
		{long + "data=8", "ideal", false},
		{long + "context=8", "fsdp", true},
		{long + "context=4 method=lora", "fsdp-offload", true},
		{long + "context=2", "ddp", true},
		{mixture + "data=8 expert=8", "teraio-ssd", true},
		{mixture + "data=4 context=2 expert=8 zero=1", "ideal", true},
		{mixture + "context=2 expert=2 layout=auto", "ideal", false},
	} {
		r, _, err := l.Run(labtest.Setup(t, &l, x.set), x.system, nil, nil)
		if err != nil || !r.Fits {
			t.Fatal(x.set, err, r)
		}
		if said := strings.Contains(strings.Join(r.Caveats, " "), "no measured row was held out"); said != x.said && !strings.Contains(x.set, "auto") {
			t.Errorf("%s, %s: %v", x.set, x.system, r.Caveats)
		}
	}
	for _, x := range []struct{ set, system, want string }{
		{long + "context=8", "zero-infinity", "shares no sequences"},
		{long + "context=8", "zero-offload", "shares no sequences"},
		{long + "context=8", "fsdp-offload", "shares no sequences"},
		{mixture + "data=8 expert=8", "fsdp", "splits no experts"},
	} {
		r, _, err := l.Run(labtest.Setup(t, &l, x.set), x.system, nil, nil)
		if err != nil || r.Fits || !strings.Contains(r.Reason, x.want) {
			t.Errorf("%s: %v %+v", x.system, err, r)
		}
	}
	for set, want := range map[string]string{
		long + "context=3":                                         "which does not divide 8",
		long + "context=8 sequence=1000":                           "two pieces for each of 8 GPUs",
		long + "data=2 expert=2":                                   "has no experts",
		mixture + "data=2 expert=4":                                "there are 2 of data and context",
		mixture + "data=8 expert=8 zero=2":                         "ZeRO's stage 1",
		mixture + "data=8 expert=3":                                "8 experts cannot be split",
		"node=dgx-h100 model=mixtral-8x7b nodes=2 data=8 expert=8": "not modelled",
	} {
		if err := l.Check(labtest.Setup(t, &l, set)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", set, err, want)
		}
	}
}
