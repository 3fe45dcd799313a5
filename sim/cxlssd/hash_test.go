package cxlssd

import (
	"testing"

	"spillway/sim/hash/hashtest"
)

func TestHashSeesEverything(t *testing.T) { hashtest.Fields(t, Hash, nil) }
