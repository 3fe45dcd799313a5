// Package presets has the test that every platform gives the same results of all presets.
package presets

import (
	"testing"

	"spillway/ui/lab"
	labs "spillway/ui/lab/all"
	"spillway/ui/lab/labtest"
)

// The results of every preset on every system that is compared with it have these hashes,
// natively and as WebAssembly; build/platforms compares some with those on arm64.
func TestPresetsAreAlikeEverywhere(t *testing.T) {
	var open []func() lab.Lab
	for _, door := range labs.Labs {
		open = append(open, door.New)
	}
	labtest.Presets(t, open...)
}
