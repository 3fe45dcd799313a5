package train_test

import (
	"reflect"
	"testing"

	"spillway/sim/train"
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/blocks"
	"spillway/sim/train/engine/paged"
	"spillway/sim/train/engine/pool"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/unit"
)

// The cost of a transfer changes every system that moves tensors, but none that moves pages on
// faults or blocks, which have costs of their own, nor those of the G10 artifact as published.
func TestWhoPaysForTransfers(t *testing.T) {
	for _, mode := range []quirk.Set{quirk.Published(), quirk.Corrected()} {
		o := system.Published()
		o.Quirks = mode
		for i := range train.Systems {
			s := &train.Systems[i]
			free := s.Floor || s.Bound(&o) || s.Name == "uvm" || engine.Is[blocks.Memory](s.Runtime(&o)) ||
				mode == quirk.Published() && (engine.Is[paged.Memory](s.Runtime(&o)) || engine.Is[pool.Memory](s.Runtime(&o)))
			pays := false
			for seed := uint64(0); seed < 12 || !free && !pays && seed < 100; seed++ {
				w, m := small(seed)
				m.TransferCost = 0
				without := modeless(t, w, s.Name, m, o)
				m.TransferCost = 50 * unit.Microsecond
				pays = pays || !reflect.DeepEqual(without, modeless(t, w, s.Name, m, o))
			}
			if pays == free {
				t.Errorf("%v, %s: pays for transfers is %v", mode, s.Name, pays)
			}
		}
	}
}
