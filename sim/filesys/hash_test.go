package filesys

import (
	"testing"

	"spillway/sim/hash/hashtest"
)

func TestHashSeesEverything(t *testing.T) {
	hashtest.Fields(t, Hash, map[string]string{
		"WriteLatency": "results learned to hold it later", "LongestWrite": "results learned to hold it later",
		"Behind": "a part of the ledger that results learned to hold later", "Through": "a part of Asked that results learned to hold later", "Prepared": "results learned to hold it later",
		"Idle": "a part of the ledger that results learned to hold later",
	})
}
