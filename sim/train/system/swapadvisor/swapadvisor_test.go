package swapadvisor_test

import (
	"testing"

	"spillway/sim/train/system/swapadvisor"
	"spillway/sim/train/system/systemtest"
)

func TestConformance(t *testing.T) { systemtest.Run(t, swapadvisor.System) }
