package knob

import "slices"

// A Difference is one thing in which two setups are not alike: a knob and its
// text in each. What comes with a choice is part of the choice's difference.
type Difference struct {
	Knob    *Info
	Was, Is string
}

// Differ returns how one setup became another, in the order of the knobs. A part
// with a name says what its numbers would, where both setups have such a part.
func Differ(was, is *Setup) []Difference {
	open := make([]bool, len(is.infos)) // knobs whose difference nothing explains yet
	for i := range is.infos {
		k := &is.infos[i]
		open[i] = !k.Derived && was.texts[i] != is.texts[i] && (!was.Hidden(k.Key) || !is.Hidden(k.Key))
	}
	said := slices.Clone(open)
	for _, derived := range []bool{false, true} {
		for i := range is.infos {
			k := &is.infos[i]
			if k.Kind != One || k.Derived != derived || !derived && !open[i] {
				continue
			}
			a, b := k.Choice(was.Text(k.Key)), k.Choice(is.Text(k.Key))
			if a == nil || b == nil || a.Key == b.Key {
				continue
			}
			some := is.explain(b.Set, open, said)
			said[i] = !derived || some
		}
	}
	var list []Difference
	for i := range is.infos {
		if key := is.infos[i].Key; said[i] {
			list = append(list, Difference{&is.infos[i], was.Text(key), is.Text(key)})
		}
	}
	return list
}

// explain takes off both lists the knobs that are as a choice's Set says, and
// reports whether there were any on the first.
func (u *Setup) explain(set string, open, said []bool) (some bool) {
	pairs, err := Pairs(set)
	if err != nil {
		return false
	}
	for _, p := range pairs {
		if at := u.index(p.Key); at >= 0 && open[at] && u.texts[at] == u.capped(at, p.Text) {
			open[at], said[at], some = false, false, true
		}
	}
	return some
}

// Apart returns how many characters the settings have in which u differs from
// base: From has no fewer.
func (u *Setup) Apart(base *Setup) (n int) {
	for i := range u.infos {
		if !u.infos[i].Derived && u.texts[i] != base.texts[i] {
			n += len(u.infos[i].Key) + len(u.texts[i]) + 2
		}
	}
	return n
}

// From returns the pairs from which Apply makes u out of base: what differs, and
// what the choices among that would bring along.
func (u *Setup) From(base *Setup) []Pair {
	in := make([]bool, len(u.infos))
	for i := range u.infos {
		in[i] = !u.infos[i].Derived && u.texts[i] != base.texts[i]
	}
	for {
		var list []Pair
		for i := range u.infos {
			if in[i] {
				list = append(list, Pair{u.infos[i].Key, u.texts[i]})
			}
		}
		v, more := base.Clone(), false
		_ = v.Apply(list) // texts that a setup has are allowed
		for i := range u.infos {
			if !in[i] && !u.infos[i].Derived && u.texts[i] != v.texts[i] {
				in[i], more = true, true
			}
		}
		if !more {
			return list
		}
	}
}
