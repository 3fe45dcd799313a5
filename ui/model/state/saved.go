package state

import "spillway/ui/lab"

// A Kept is a run with a name: one system with the settings of one setup text.
type Kept struct{ Name, System, Setup string }

// MostShown is how many runs can stand beside the one at hand.
const MostShown = 8

// Beside are the kept runs that stand beside the one at hand, the first is its other side; nil
// where it is compared with something else.
func (s *State) Beside() []Kept {
	if s.View == Explore && s.Look.Text(lab.WhyKey) == lab.WhyKept {
		return s.Shown
	}
	return nil
}
