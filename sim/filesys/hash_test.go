package filesys

import (
	"testing"

	"spillway/sim/hash/hashtest"
)

func TestHashSeesEverything(t *testing.T) {
	hashtest.Fields(t, Hash, map[string]string{
		"Behind": "a part of the ledger that results learned to hold later", "Through": "a part of Asked that results learned to hold later",
	})
}
