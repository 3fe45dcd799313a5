package compress

import (
	"testing"

	"spillway/sim/hash/hashtest"
)

// mean is why a program's own fractions are not in the hash.
const mean = "a fraction that follows from targets and settings; the programs' mean is in the hash, to a millionth"

func TestHashSeesEverything(t *testing.T) {
	hashtest.Fields(t, hashOf, map[string]string{
		"Programs.Optimistic": "of Figure 3 alone, and follows from the contents",
		"Programs.Overflow":   mean, "Programs.Remote": mean, "Programs.Time": mean,
		"Programs.Local": "follows from what overflows", "Programs.Whole": "follows from what overflows",
		"Programs.Hits": mean,
		"Tensors.Type":  "what the file says; it does not change what was measured",
		"Tensors.Bytes": "what the file says; entries, bits and sectors are what was measured",
		"Tensors.Error": "follows from which entries were drawn", "Tensors.Errors": "follows from which entries were drawn",
		"sum":    "the programs' means; the test of goldens has them",
		"memory": "what went in", "setup": "what went in", "variant": "what went in", "reads": "follows from the policy, which is in the hash",
	})
}
