package workspace

import (
	"errors"
	"slices"

	"spillway/sim/knob"
	"spillway/ui/model/link"
)

// SetAll gives several knobs texts at once: settings, the compared systems
// ("systems"), knobs of the view. What comes with a choice comes only with one that
// was not chosen already. When one text cannot be, nothing changes.
func (w *Workspace) SetAll(pairs []knob.Pair) error {
	s := w.State.Clone()
	var setup, stand, look []knob.Pair
	var errs []error
	for _, p := range pairs {
		k := s.Setup.Knob(p.Key)
		switch {
		case p.Key == "systems":
			errs = append(errs, link.ReadSystems(&s, w.Info, p.Text))
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
	if s.Setup.Equal(w.State.Setup) && s.Look.Equal(w.State.Look) && slices.Equal(s.On, w.State.On) {
		return nil
	}
	w.Change("", func() {
		w.State = s
		for _, p := range pairs {
			delete(w.Drafts, p.Key)
		}
	})
	return nil
}
