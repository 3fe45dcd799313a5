package sim_test

import (
	"testing"

	"spillway/sim"
	"spillway/sim/system/systemtest"
)

func TestSystems(t *testing.T) {
	for _, s := range sim.Systems {
		t.Run(s.Name, func(t *testing.T) { systemtest.Run(t, s) })
	}
}
