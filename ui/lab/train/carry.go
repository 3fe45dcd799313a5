//go:build !lean

package train

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/workload"
	"spillway/traces/handed"
	"spillway/traces/recording"
	"spillway/traces/spillway"
	"spillway/ui/lab"
)

// Carry implements lab.Carrier: of a recording a bundle has what was made of it.
func (s *source) Carry(u *knob.Setup) ([]lab.File, lab.Files, error) {
	name := u.Text("entry")
	at := slices.Index(s.names, name)
	if at < 0 || s.Jobs[at].Recording == nil {
		return nil, nil, nil
	}
	w, err := fold(name, s.Jobs[at].Recording, recording.Choices{Step: u.Text(stepKnob), Unknown: recording.Unknown(u.Text(unknownKnob)), Roles: u.Text(rolesKnob), GPU: u.Text("gpu")})
	if err != nil {
		return nil, nil, err
	}
	if w.imported.cannot != "" {
		return nil, nil, errors.New(w.imported.cannot)
	}
	f := lab.File{Name: fileName(name) + ".json"}
	if f.Data, err = spillway.Encode(w.told()); err != nil {
		return nil, nil, err
	}
	back, err := spillway.Decode(f.Name, f.Data)
	if err != nil {
		return nil, nil, err
	}
	h := &handed.Training{Workloads: []*workload.Workload{back}, Jobs: []handed.Job{{Name: back.Name, Detail: f.Name, Model: back.Model, Batch: back.Batch, Origin: back.Origin}}}
	return []lab.File{f}, &source{Training: h, names: names(h)}, nil
}

// fileName is a name that every system of files takes.
func fileName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name)
	return cmp.Or(strings.Trim(plain[:min(len(plain), 80)], "-"), "workload")
}
