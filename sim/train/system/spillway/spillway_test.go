package spillway_test

import (
	"testing"

	"spillway/sim/train/system/spillway"
	"spillway/sim/train/system/systemtest"
)

func TestSpillway(t *testing.T) { systemtest.Run(t, spillway.System) }
