package autotm_test

import (
	"testing"

	"spillway/sim/train/system/autotm"
	"spillway/sim/train/system/systemtest"
)

func TestConformance(t *testing.T) { systemtest.Run(t, autotm.System) }
