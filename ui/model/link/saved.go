package link

import (
	"errors"

	"spillway/sim/knob"
	"spillway/ui/lab"
	"spillway/ui/model/state"
)

// SavedText is a kept run as the browser's storage has it.
func SavedText(k *state.Kept) string {
	text := knob.Join([]knob.Pair{{Key: "name", Text: k.Name}, {Key: "system", Text: k.System}}, " ")
	if k.Setup != "" {
		text += " " + k.Setup
	}
	return text
}

// ReadSaved is the inverse of SavedText. What it returns can be run.
func ReadSaved(i *lab.Info, text string) (state.Kept, error) {
	pairs, err := knob.Pairs(text)
	if err != nil {
		return state.Kept{}, err
	}
	if len(pairs) < 2 || pairs[0].Key != "name" || pairs[1].Key != "system" {
		return state.Kept{}, errors.New("it does not begin with a name and a system")
	}
	if _, err := i.System(pairs[1].Text); err != nil {
		return state.Kept{}, err
	}
	u := i.Setup()
	if err := u.Apply(pairs[2:]); err != nil {
		return state.Kept{}, err
	}
	return state.Kept{Name: pairs[0].Text, System: pairs[1].Text, Setup: u.String()}, nil
}
