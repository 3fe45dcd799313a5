package form

import (
	"strconv"

	"spillway/sim/knob"
)

// A Token is a piece of the sentence that says what is given; pressed it is a menu.
type Token struct {
	Key, Text string
	of        []string // whose choices the menu has
}

// A Turn is a knob in the menu of a token, with what it can be.
type Turn struct {
	Key, Label string
	Options    []Option
	More       string // what leads to the setting itself
}

// Of more than crowd choices a menu has the first ones and the chosen one.
const crowd, first = 24, 12

// Tokens are the pieces of Brief.
func (f *Form) Tokens() (list []Token) {
	for i, p := range brief(f.room.Info, f.room.State.Setup, f.Latest, f.files.Lost()) {
		list = append(list, Token{strconv.Itoa(i), p.text, p.keys})
	}
	return list
}

// Turns are the knobs of a token: choices, and of a number half of it and twice as much.
func (f *Form) Turns(t *Token) (list []Turn) {
	u := f.room.State.Setup
	for _, key := range t.of {
		k := u.Knob(key)
		if k == nil || u.Hidden(key) || f.elsewhere(k) && f.files.Own(key) == nil || k.Key == f.room.Info.Entry {
			continue
		}
		field := f.Field(key)
		x := Turn{Key: key, Label: field.Label, More: "Settings…"}
		switch k.Kind {
		case knob.One:
			n := len(field.Options)
			many := n > crowd
			for _, o := range field.Options {
				if !o.Off && (!many || o.Chosen || len(x.Options) < first) {
					x.Options = append(x.Options, o)
				}
			}
			if many {
				x.More = "All " + strconv.Itoa(n) + "…"
			}
		case knob.Number:
			is, err := knob.ParseDecimal(u.Text(key), max(k.Scale, 1))
			for _, to := range []int64{is / 2, is, 2 * is} {
				if text := knob.Decimal(to, k.Scale); err == nil && to >= k.Min && to <= k.Max && (to == is || to > 0) && u.Clone().Set(key, text) == nil {
					x.Options = append(x.Options, Option{Key: text, Label: text + " " + k.Unit, Chosen: to == is})
				}
			}
		default:
			continue
		}
		list = append(list, x)
	}
	return list
}

// Take gives the knob of a turn one of its options.
func (f *Form) Take(key, option string) {
	if f.room.State.Setup.Knob(key).Kind != knob.Number {
		f.room.Choose(key, option)
		return
	}
	f.room.Change("", func() {
		delete(f.room.Drafts, key)
		if err := f.room.State.Setup.Set(key, option); err != nil {
			f.room.Warn(err)
		}
		f.room.Chosen = key
	})
}
