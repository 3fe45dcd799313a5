package lms_test

import (
	"testing"

	"spillway/sim/train/system/lms"
	"spillway/sim/train/system/systemtest"
)

func TestLaws(t *testing.T) { systemtest.Run(t, lms.System) }
