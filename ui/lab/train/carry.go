package train

import (
	"errors"
	"slices"

	"spillway/sim/knob"
	"spillway/sim/workload"
	"spillway/traces/handed"
	"spillway/ui/wire"
)

// Carry implements lab.Carrier: of a recording a bundle has what was made of it.
func (s *source) Carry(u *knob.Setup) ([]byte, error) {
	name := u.Text("entry")
	at := slices.Index(s.names, name)
	if at < 0 || s.Jobs[at].Recording == nil {
		return nil, nil
	}
	chosen := settings{Step: u.Text(stepKnob), Unknown: u.Text(unknownKnob), Roles: u.Text(rolesKnob), Recorded: u.Text(timesKnob), GPU: u.Text("gpu"), Calibrate: u.Text("calibrate")}
	w, err := fold(name, s.Jobs[at].Recording, chosen.choices(s.Jobs[at].Recording))
	if err != nil {
		return nil, err
	}
	if w.imported.cannot != "" {
		return nil, errors.New(w.imported.cannot)
	}
	return written(name, w.told())
}

// written hands over a workload under a name, for the program that writes files.
func written(name string, w *workload.Workload) ([]byte, error) {
	return wire.Marshal(&handed.Training{Workloads: []*workload.Workload{w}, Jobs: []handed.Job{{Name: name, Model: w.Model, Batch: w.Batch, Origin: w.Origin}}})
}
