// Package presets has the test that every platform gives the same results of all presets.
package presets

import (
	"fmt"
	"testing"

	"spillway/build/effort"
	"spillway/build/golden"
	"spillway/build/golden/change"
	"spillway/ui/lab"
	labs "spillway/ui/lab/all"
)

// systems are those that are compared with a preset.
func systems(l *lab.Lab, p *lab.Preset) (list []string) {
	if len(p.Systems) > 0 {
		return p.Systems
	}
	for i := range l.Systems {
		if !l.Systems[i].Off {
			list = append(list, l.Systems[i].Name)
		}
	}
	return list
}

// result runs a system on a preset. Of its values it has the first: what the laboratory is
// about, which is in the hash like all others.
func result(l *lab.Lab, p *lab.Preset, system string) (hash string, values []change.Value, err error) {
	u, err := l.Read(p.Set)
	if err != nil {
		return "", nil, err
	}
	r, raw, err := l.Run(u, system, nil, nil)
	switch {
	case err != nil:
		return "", nil, err
	case !r.Fits:
		return l.Hash(raw), []change.Value{change.Cannot(r.Reason)}, nil
	}
	return l.Hash(raw), change.Report(l.Quantities, r, l.Quantities[0].Key), nil
}

// The results of every preset on every system that is compared with it have these hashes,
// natively and as WebAssembly; build/platforms compares some with those on arm64. Each time
// there is a share of them, and all at night.
func TestPresetsAreAlikeEverywhere(t *testing.T) {
	var runs []golden.Run
	for _, door := range labs.Labs {
		l := door.New()
		for i := range l.Presets {
			p := &l.Presets[i]
			for _, system := range systems(&l, p) {
				name := l.Name + " " + p.Key + " " + system
				runs = append(runs, golden.Run{Run: change.Run{Name: name}})
				if !golden.Update() && !effort.Takes(len(runs), 8) {
					continue
				}
				hash, values, err := result(&l, p, system)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				r := &runs[len(runs)-1]
				r.Line, r.Values = fmt.Sprintf("%.32s %s", hash, name), values
			}
		}
	}
	golden.Runs(t, runs)
}
