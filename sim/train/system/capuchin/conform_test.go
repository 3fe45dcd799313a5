package capuchin_test

import (
	"testing"

	"spillway/sim/train/system/capuchin"
	"spillway/sim/train/system/systemtest"
)

func TestConformance(t *testing.T) { systemtest.Run(t, capuchin.System) }
