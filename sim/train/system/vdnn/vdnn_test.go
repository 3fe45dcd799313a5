package vdnn_test

import (
	"testing"

	"spillway/sim/train/system/systemtest"
	"spillway/sim/train/system/vdnn"
)

func TestConformance(t *testing.T) { systemtest.Run(t, vdnn.System) }
