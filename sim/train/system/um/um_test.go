package um_test

import (
	"testing"

	"spillway/sim/train/engine/blocks"
	"spillway/sim/train/system"
	"spillway/sim/train/system/um"
	"spillway/sim/unit"
)

// Every parameter reaches the engine.
func TestRuntime(t *testing.T) {
	o := system.Published()
	want := blocks.Rules{Usable: 1_000_000, PerFault: 4300, Counted: 1700 * unit.Nanosecond, PerBlock: 30 * unit.Microsecond, Window: 800, Warm: 6, Seed: 1}
	rt, ok := um.System.Runtime(&o).(blocks.Memory)
	if !ok || rt.Pager != nil || rt.Rules != want {
		t.Errorf("runtime is %+v, want %+v", rt, want)
	}
	seen := map[blocks.Rules]bool{want: true}
	for _, p := range um.System.Params {
		v := system.Published()
		p.Set(&v, p.Default/2)
		if p.Default/2 == p.Default {
			p.Set(&v, p.Max)
		}
		if b := um.System.Runtime(&v).(blocks.Memory).Rules; seen[b] {
			t.Errorf("%s changes nothing", p.Key)
		} else {
			seen[b] = true
		}
	}
	o.Seed = 5
	if b := um.System.Runtime(&o).(blocks.Memory).Rules; b.Seed != 5 {
		t.Errorf("seed is %d", b.Seed)
	}
}
