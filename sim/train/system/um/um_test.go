package um_test

import (
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/system"
	"spillway/sim/train/system/um"
	"spillway/sim/unit"
)

// Every parameter reaches the engine.
func TestRuntime(t *testing.T) {
	o := system.Published()
	want := engine.BlockRules{Usable: 1_000_000, PerFault: 4300, Counted: 1700 * unit.Nanosecond, PerBlock: 30 * unit.Microsecond, Window: 800, Warm: 6, Seed: 1}
	rt, ok := um.System.Runtime(&o).(engine.Blocks)
	if !ok || rt.Pager != nil || rt.BlockRules != want {
		t.Errorf("runtime is %+v, want %+v", rt, want)
	}
	seen := map[engine.BlockRules]bool{want: true}
	for _, p := range um.System.Params {
		v := system.Published()
		p.Set(&v, p.Default/2)
		if p.Default/2 == p.Default {
			p.Set(&v, p.Max)
		}
		if b := um.System.Runtime(&v).(engine.Blocks).BlockRules; seen[b] {
			t.Errorf("%s changes nothing", p.Key)
		} else {
			seen[b] = true
		}
	}
	o.Seed = 5
	if b := um.System.Runtime(&o).(engine.Blocks).BlockRules; b.Seed != 5 {
		t.Errorf("seed is %d", b.Seed)
	}
}
