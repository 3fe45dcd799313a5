package lab

import (
	"slices"
	"strings"

	"spillway/sim/knob"
)

// How much is tried for ways out: settings that are changed together, changes that are tried in
// all, and remedies that are offered.
const (
	mostTogether = 3
	mostTried    = 400
	mostOffered  = 4
)

// Remedies are the smallest changes that were found with which a system can be run, as setup texts. Each
// has been tried. The laboratory's Yields come first, then the settings that the refusal names, then, where none
// of these helps, all others.
func (l *Lab) Remedies(u *knob.Setup, system string, f Files) []string {
	err := l.Ready(u, system, f)
	if err == nil {
		return nil
	}
	s := search{lab: l, system: system, files: f}
	says := strings.ToLower(err.Error())
	words := strings.FieldsFunc(says, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') })
	var first, then, rest, last []*knob.Info
	for _, key := range l.Yields {
		first = append(first, u.Knob(key))
	}
	for i := range l.Knobs {
		switch k := &l.Knobs[i]; {
		case slices.Contains(l.Yields, k.Key), k.Derived, u.Hidden(k.Key):
		case slices.ContainsFunc(k.Choices, func(c knob.Choice) bool { return c.Set != "" }):
			last = append(last, k) // much would change with it
		case slices.Contains(words, k.Key), strings.Contains(k.Label, " ") && strings.Contains(says, strings.ToLower(k.Label)):
			then = append(then, k)
		default:
			rest = append(rest, k)
		}
	}
	for _, list := range [][]*knob.Info{first, then} {
		s.each(u, list)
	}
	if len(s.found) == 0 {
		s.together(u, first, nil, []string{err.Error()})
	}
	if len(s.found) == 0 {
		s.each(u, append(rest, last...))
	}
	return s.found
}

// A search for remedies.
type search struct {
	lab    *Lab
	system string
	files  Files
	tried  int
	found  []string
}

// with is u with another text of a knob, and what is in its way; ok is false where it has that already,
// cannot have it, or enough has been tried.
func (s *search) with(u *knob.Setup, key, text string) (v *knob.Setup, err error, ok bool) {
	if v = u.Clone(); u.Text(key) == text || v.Set(key, text) != nil || s.tried == mostTried {
		return nil, nil, false
	}
	s.tried++
	return v, s.lab.Ready(v, s.system, s.files), true
}

// each finds of every knob the nearest text that helps by itself.
func (s *search) each(u *knob.Setup, knobs []*knob.Info) {
	for _, k := range knobs {
		for _, text := range texts(u, k) {
			if len(s.found) == mostOffered {
				return
			}
			if _, err, ok := s.with(u, k.Key, text); ok && err == nil {
				s.found = append(s.found, knob.Join([]knob.Pair{{Key: k.Key, Text: text}}, " "))
				break
			}
		}
	}
}

// together finds several that help: each takes one refusal away, of which others were before.
func (s *search) together(u *knob.Setup, knobs []*knob.Info, set []knob.Pair, before []string) bool {
	for _, k := range knobs {
		for _, text := range texts(u, k) {
			v, err, ok := s.with(u, k.Key, text)
			if !ok || err != nil && (len(set)+1 == mostTogether || slices.Contains(before, err.Error())) {
				continue
			}
			now := append(slices.Clone(set), knob.Pair{Key: k.Key, Text: text})
			if err == nil {
				s.found = append(s.found, knob.Join(now, " "))
				return true
			}
			if s.together(v, knobs, now, append(slices.Clone(before), err.Error())) {
				return true
			}
		}
	}
	return false
}

// texts are what a knob may be instead, the nearest first.
func texts(u *knob.Setup, k *knob.Info) (list []string) {
	switch k.Kind {
	case knob.One:
		list = append(list, u.Base().Text(k.Key))
		for i := range k.Choices {
			list = append(list, k.Choices[i].Key)
		}
	case knob.Number:
		is, err := knob.ParseDecimal(u.Text(k.Key), k.Scale)
		if err != nil {
			return nil
		}
		less, more := is, is
		for range 12 {
			less, more = less/2, more*2
			for _, v := range []int64{less, more} {
				if v >= max(k.Min, 1) && v <= k.Max {
					list = append(list, knob.Decimal(v, k.Scale))
				}
			}
		}
		if k.Zero != "" || k.Min <= 0 {
			list = append(list, "0")
		}
		list = append(list, u.Base().Text(k.Key), k.Default)
	}
	return list
}
