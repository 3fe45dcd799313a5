package job

import (
	"strings"
	"testing"
	"time"

	"spillway/sim/knob"
	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/workload"
)

// Every setting at its least and its most gives a result or a reason, soon.
func TestExtremes(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	b := &Bench{}
	source := Source{Model: "bert-base", Batch: 16, Times: workload.ColdModel}
	try := func(name string, m machine.Machine, o system.Options) {
		if m.Validate() != nil || knob.CheckAll(train.Knobs(), &o) != nil {
			return // the form says why
		}
		for _, s := range train.Systems {
			for _, q := range []quirk.Set{quirk.Published(), quirk.Corrected()} {
				o.Quirks = q
				begun := time.Now()
				a := b.Do(Job{ID: 1, Source: source, Run: &train.Request{System: s.Name, Machine: m, Options: o}}, nil)
				if a.Error != "" {
					t.Errorf("%s, %s, %s: %s", name, s.Name, q, a.Error)
				}
				if r := a.Result; r != nil && !r.Fits && strings.TrimSpace(r.Reason) == "" {
					t.Errorf("%s, %s, %s: does not fit, without a reason", name, s.Name, q)
				}
				if took := time.Since(begun); took > 5*time.Second {
					t.Errorf("%s, %s, %s: took %v", name, s.Name, q, took)
				}
			}
		}
	}
	base := machine.G10()
	base.GPUMemory /= 20
	for _, k := range machine.Knobs() {
		for _, v := range []int64{k.Min, k.Max} {
			m := base
			k.Set(&m, v)
			try(k.Key+" = "+k.Text(&m), m, system.Published())
		}
	}
	for _, k := range train.Knobs() {
		for _, v := range []int64{k.Min, k.Max} {
			o := system.Published()
			k.Set(&o, v)
			try(k.Key+" = "+k.Text(&o), base, o)
		}
	}
}
