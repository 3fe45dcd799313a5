package cxlssd

import (
	"spillway/sim/cxlssd/stream"
	"spillway/sim/knob"
	"spillway/traces/handed"
	"spillway/ui/wire"
)

// Carry implements lab.Carrier: a bundle has the one recording, without addresses.
func (s *source) Carry(u *knob.Setup) ([]byte, error) {
	r, err := s.find(u.Text("entry"))
	if err != nil {
		return nil, nil // nothing of the files is used
	}
	return wire.Marshal(&handed.Accesses{Recordings: []*stream.Recording{r}})
}
