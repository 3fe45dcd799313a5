package sentinel_test

import (
	"testing"

	"spillway/sim/train/system/sentinel"
	"spillway/sim/train/system/systemtest"
)

func TestConformance(t *testing.T) { systemtest.Run(t, sentinel.System) }
