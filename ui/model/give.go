package model

import (
	"errors"
	"slices"

	"spillway/sim/knob"
	"spillway/ui/model/link"
)

// Give gives several knobs texts at once: settings, the compared systems
// ("systems"), knobs of the view. What comes with a choice comes only with one that
// was not chosen already. When one text cannot be, nothing changes.
func (r *Room) Give(pairs []knob.Pair) error {
	s := r.State.Clone()
	var setup, stand, look []knob.Pair
	var errs []error
	for _, p := range pairs {
		k := s.Setup.Knob(p.Key)
		switch {
		case p.Key == "systems":
			errs = append(errs, link.ReadSystems(&s, r.Info, p.Text))
		case s.Look.Knob(p.Key) != nil:
			look = append(look, p)
		case k != nil && k.Kind == knob.One && s.Setup.Text(p.Key) == p.Text:
			stand = append(stand, p)
		default:
			setup = append(setup, p)
		}
	}
	errs = append(errs, s.Setup.Apply(setup), s.Look.Apply(look))
	for _, p := range stand { // unless another choice has brought something else
		if s.Setup.Text(p.Key) != p.Text {
			errs = append(errs, s.Setup.Apply(append([]knob.Pair{p}, setup...)))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if s.Setup.Equal(r.State.Setup) && s.Look.Equal(r.State.Look) && slices.Equal(s.On, r.State.On) {
		return nil
	}
	r.Change("", func() {
		r.State = s
		for _, p := range pairs {
			delete(r.drafts, p.Key)
		}
	})
	return nil
}
