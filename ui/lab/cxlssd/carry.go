//go:build !lean

package cxlssd

import (
	"bytes"
	"path"
	"strings"

	"spillway/sim/cxlssd/stream"
	"spillway/sim/knob"
	"spillway/traces/address"
	"spillway/ui/lab"
)

// Carry implements lab.Carrier: a bundle has the one recording, without addresses.
func (s *source) Carry(u *knob.Setup) ([]lab.File, lab.Files, error) {
	r, err := s.find(u.Text("entry"))
	if err != nil {
		return nil, nil, nil // nothing of the files is used
	}
	f, err := condense(r)
	if err != nil {
		return nil, nil, err
	}
	back, err := address.Read(f.Name, bytes.NewReader(f.Data))
	return []lab.File{f}, &source{list: []*stream.Recording{back}, handed: true}, err
}

// condense writes a recording so that it has the same name when it is read.
func condense(r *stream.Recording) (lab.File, error) {
	var b bytes.Buffer
	if err := address.Write(&b, r, address.Binary); err != nil {
		return lab.File{}, err
	}
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' {
			return c
		}
		return '-'
	}, path.Base(r.Name))
	return lab.File{Name: strings.TrimLeft(name[:min(len(name), 80)], ".") + ".address", Data: b.Bytes()}, nil
}
