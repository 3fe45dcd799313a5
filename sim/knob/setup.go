package knob

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"spillway/sim/prose"
	"spillway/sim/unit"
)

// A Pair is one setting of a setup text.
type Pair struct{ Key, Text string }

// Pairs reads a setup text: key=value, with blanks (or &, as in links) between
// the pairs. Values are escaped as in a URL's query.
func Pairs(text string) ([]Pair, error) {
	var list []Pair
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ' ' || r == '&' || r == '\n' || r == '\t' || r == '\r' }) {
		key, value, ok := strings.Cut(part, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%.60q is no setting; want key=value", part)
		}
		plain, err := url.QueryUnescape(value)
		if err != nil {
			return nil, fmt.Errorf("the value of %s, %.60q, is damaged", key, value)
		}
		list = append(list, Pair{key, plain})
	}
	return list, nil
}

// Join is the inverse of Pairs, with sep between the pairs.
func Join(list []Pair, sep string) string {
	var b strings.Builder
	for i, p := range list {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(p.Key + "=" + escape(p.Text))
	}
	return b.String()
}

// readable gives back what escaping a query takes without need.
var readable = strings.NewReplacer("%2C", ",", "%40", "@", "%3A", ":", "%2F", "/", "%3D", "=", "%28", "(", "%29", ")", "%2A", "*")

// escape makes text safe in a link and keeps readable what may stay.
func escape(text string) string {
	return readable.Replace(url.QueryEscape(text))
}

// A Setup is one setting of every knob of a list, as text. It is what a form
// edits, a link holds and a run is named by.
type Setup struct {
	infos []Info // shared, never changed
	texts []string
	// based is what Base found last. So asking is no reading: several goroutines
	// need a copy each.
	based *based
}

// based is what a setup goes back to while its choices stand. It is never changed.
type based struct{ chosen, texts []string }

// NewSetup returns the defaults of these knobs.
func NewSetup(infos []Info) *Setup {
	u := &Setup{infos: infos, texts: make([]string, len(infos))}
	for i := range infos {
		u.texts[i] = infos[i].Default
	}
	return u
}

// Clone returns a copy.
func (u *Setup) Clone() *Setup {
	return &Setup{infos: u.infos, texts: slices.Clone(u.texts), based: u.based}
}

// Equal reports whether both have the same texts.
func (u *Setup) Equal(v *Setup) bool { return slices.Equal(u.texts, v.texts) }

// Knobs lists the knobs.
func (u *Setup) Knobs() []Info { return u.infos }

func (u *Setup) index(key string) int {
	for i := range u.infos { // no Info is copied
		if u.infos[i].Key == key {
			return i
		}
	}
	return -1
}

// Knob returns the knob with this key, or nil.
func (u *Setup) Knob(key string) *Info {
	if at := u.index(key); at >= 0 {
		return &u.infos[at]
	}
	return nil
}

// Text returns the text of the knob with this key, "" if there is none. That of
// a derived knob is the choice that holds, "" if none does.
func (u *Setup) Text(key string) string {
	at := u.index(key)
	if at < 0 {
		return ""
	}
	if u.infos[at].Derived {
		return u.derived(&u.infos[at])
	}
	return u.texts[at]
}

// derived returns the choice of a derived knob that holds, "" if none does. Of
// several it is the one of whose Also most is so: now, then in what the settings go
// back to.
func (u *Setup) derived(k *Info) string {
	var held []*Choice
	for i := range k.Choices {
		if c := &k.Choices[i]; u.holds(c.Set) {
			held = append(held, c)
		}
	}
	for _, of := range []func() *Setup{func() *Setup { return u }, u.Base} {
		if len(held) < 2 {
			break
		}
		v, most := of(), 0
		var best []*Choice
		for _, c := range held {
			switch n := v.count(c.Suggests); {
			case n > most:
				best, most = []*Choice{c}, n
			case n == most:
				best = append(best, c)
			}
		}
		held = best
	}
	if len(held) == 0 {
		return ""
	}
	return held[0].Key
}

// count returns how much of a setup text is as it is in u.
func (u *Setup) count(set string) (n int) {
	pairs, _ := Pairs(set) // lab.New has checked it
	for _, p := range pairs {
		if at := u.index(p.Key); at >= 0 && u.texts[at] == u.capped(at, p.Text) {
			n++
		}
	}
	return n
}

// holds reports whether everything in a setup text is as it is in u.
func (u *Setup) holds(set string) bool {
	pairs, err := Pairs(set)
	if err != nil {
		return false
	}
	for _, p := range pairs {
		at := u.index(p.Key)
		if at < 0 || u.texts[at] != u.capped(at, p.Text) {
			return false
		}
	}
	return true
}

// Denied reports whether what comes with a choice is chosen otherwise now, where that matters:
// settings then have the choice's numbers, and are about something else.
func (u *Setup) Denied(c *Choice) bool {
	pairs, _ := Pairs(c.Suggests) // lab.New has checked it
	return slices.ContainsFunc(pairs, func(p Pair) bool {
		k := u.Knob(p.Key)
		return k != nil && k.Kind == One && u.Text(p.Key) != p.Text && u.Moot(p.Key) == "" && !u.Hidden(p.Key)
	})
}

// capped returns text, a canonical value, lowered to the knob's cap.
func (u *Setup) capped(at int, text string) string {
	k := &u.infos[at]
	if k.Ceiling == "" {
		return text
	}
	v, err := ParseDecimal(text, k.Scale)
	most, capErr := ParseDecimal(u.Text(k.Ceiling), k.Scale)
	if err != nil || capErr != nil || v <= most {
		return text
	}
	return Decimal(most, k.Scale)
}

// Chosen returns the choices that stand now: of every One, and all members of
// every Many.
func (u *Setup) Chosen() []*Choice {
	var list []*Choice
	for i := range u.infos {
		k := &u.infos[i]
		switch {
		case k.Kind == One && !k.Derived:
			if c := k.Choice(u.texts[i]); c != nil {
				list = append(list, c)
			}
		case k.Kind == Many:
			for _, key := range k.Members(u.texts[i]) {
				if c := k.Choice(key); c != nil {
					list = append(list, c)
				}
			}
		}
	}
	return list
}

// Limit returns what the choices that stand allow the knob with this key, or nil.
// It is asked for every knob whenever one is set, so no list of choices is made.
func (u *Setup) Limit(key string) *Limit {
	var found *Limit
	for i := range u.infos {
		k := &u.infos[i]
		switch {
		case k.Kind == One && !k.Derived:
			if c := k.Choice(u.texts[i]); c != nil {
				found = both(found, c.limit(key))
			}
		case k.Kind == Many:
			for n := range k.Choices {
				c := &k.Choices[n]
				if l := c.limit(key); l != nil && slices.Contains(k.Members(u.texts[i]), c.Key) {
					found = both(found, l)
				}
			}
		}
	}
	return found
}

// both is what two limits allow, either of which may be nil: of numbers what both do, of
// choices what the first does.
func both(a, b *Limit) *Limit {
	switch {
	case a == nil:
		return b
	case b == nil || len(a.Choices) > 0 || max(a.Min, b.Min) > min(a.Max, b.Max):
		return a
	}
	l := *a
	l.Min, l.Max = max(a.Min, b.Min), min(a.Max, b.Max)
	return &l
}

// limit returns what the choice allows the knob with this key, or nil.
func (c *Choice) limit(key string) *Limit {
	for i := range c.Limits {
		if c.Limits[i].Key == key {
			return &c.Limits[i]
		}
	}
	return nil
}

// Moot says why the knob with this key changes nothing now, "" if it does.
func (u *Setup) Moot(key string) string {
	for _, c := range u.Chosen() {
		if slices.Contains(c.Ineffective, key) {
			return c.Why
		}
	}
	if k := u.Knob(key); k != nil {
		for _, x := range k.Idle {
			if pairs, err := Pairs(x.While); err == nil && !slices.ContainsFunc(pairs, func(p Pair) bool { return !u.among(p) }) {
				return x.Why
			}
		}
	}
	return ""
}

// among reports whether a knob's text is one of those of a pair of Idle.While.
func (u *Setup) among(p Pair) bool {
	k, text := u.Knob(p.Key), u.Text(p.Key)
	for one := range strings.SplitSeq(p.Text, ",") {
		if one == text {
			return true
		}
		if low, high, ok := strings.Cut(one, ".."); ok && k != nil {
			least, err := ParseDecimal(low, k.Scale)
			most, errMost := ParseDecimal(high, k.Scale)
			v, errText := ParseDecimal(text, k.Scale)
			if err == nil && errMost == nil && errText == nil && v >= least && v <= most {
				return true
			}
		}
	}
	return false
}

// Hidden reports whether the knob with this key is not of what is chosen: it
// changes nothing, and nobody wants to see it.
func (u *Setup) Hidden(key string) bool {
	return slices.ContainsFunc(u.Chosen(), func(c *Choice) bool { return slices.Contains(c.Hides, key) })
}

// canon is Info.Canon with the limits that stand now.
func (u *Setup) canon(at int, text string) (string, error) {
	k := &u.infos[at]
	text, err := k.Canon(text)
	if err != nil {
		return "", err
	}
	return text, u.within(at, text)
}

// within reports whether the limits that stand now allow the canonical text.
func (u *Setup) within(at int, text string) error {
	k := &u.infos[at]
	l := u.Limit(k.Key)
	if l == nil {
		return nil
	}
	switch k.Kind {
	case Number:
		if v, err := ParseDecimal(text, k.Scale); err == nil && (v < l.Min || v > l.Max) {
			return k.outside(v, l.Min, l.Max)
		}
	case One:
		if len(l.Choices) > 0 && !slices.Contains(l.Choices, text) {
			why := ""
			if l.Why != "" {
				why = ": " + l.Why
			}
			return fmt.Errorf("%s %q is not possible here%s; %s", k.name(), text, why, prose.Among(text, l.Choices))
		}
	}
	return nil
}

// Valid reports whether Set would take text, without changing anything.
func (u *Setup) Valid(key, text string) error {
	at := u.index(key)
	if at < 0 {
		return fmt.Errorf("unknown setting %q", key)
	}
	_, err := u.canon(at, text)
	return err
}

// Set gives a knob a text, as a person does: what comes with a choice is set
// too, and knobs that it limits are given a text that it allows. On error
// nothing changes.
func (u *Setup) Set(key, text string) error {
	at := u.index(key)
	if at < 0 {
		return fmt.Errorf("unknown setting %q", key)
	}
	text, err := u.canon(at, text)
	if err != nil {
		return err
	}
	if !u.infos[at].Derived {
		if u.texts[at] == text && u.infos[at].Kind != One {
			return nil
		}
		u.texts[at] = text
	}
	if u.infos[at].Kind == One {
		if err := u.apply(u.infos[at].Choice(text)); err != nil {
			return err
		}
	}
	u.clampToLimits()
	_ = u.moveWithin([]Pair{{key, text}}) // one pair contradicts nothing
	return nil
}

// moveWithin moves numbers that are larger than another that they have to be within: the other if
// pairs name only this one, else this one. Pairs that name both and contradict are an error.
func (u *Setup) moveWithin(pairs []Pair) error {
	var errs []error
	for at := range u.infos {
		k := &u.infos[at]
		if k.Within == "" {
			continue
		}
		other := u.index(k.Within)
		v, err := ParseDecimal(u.texts[at], k.Scale)
		most, otherErr := ParseDecimal(u.texts[other], u.infos[other].Scale)
		if err != nil || otherErr != nil || v <= most {
			continue
		}
		switch mine, others := has(pairs, k.Key), has(pairs, k.Within); {
		case mine && !others && v <= u.infos[other].Max:
			u.texts[other] = Decimal(v, u.infos[other].Scale)
		case mine && others:
			errs = append(errs, fmt.Errorf("%s=%s is more than %s=%s: %s; set %s to at most %[4]s, or %[3]s to %[2]s or more", k.Key, u.texts[at], k.Within, u.texts[other], k.WithinWhy, k.Key))
			fallthrough
		default:
			u.texts[at] = Decimal(most, k.Scale)
		}
	}
	return errors.Join(errs...)
}

// apply sets what a choice comes with.
func (u *Setup) apply(c *Choice) error {
	pairs, err := Pairs(c.Set + " " + c.Suggests)
	if err != nil {
		return err
	}
	for _, p := range pairs {
		at := u.index(p.Key)
		if at < 0 {
			return fmt.Errorf("unknown setting %q", p.Key)
		}
		if p.Text, err = u.infos[at].Canon(p.Text); err != nil {
			return err
		}
		u.texts[at] = p.Text
	}
	for at := range u.infos {
		if u.infos[at].Ceiling != "" {
			u.texts[at] = u.capped(at, u.texts[at])
		}
	}
	return nil
}

// clampToLimits gives knobs that the choices do not allow a text that they do: the
// first choice, the nearest number.
func (u *Setup) clampToLimits() {
	for at := range u.infos {
		k := &u.infos[at]
		if k.Derived || u.within(at, u.texts[at]) == nil {
			continue
		}
		switch l := u.Limit(k.Key); k.Kind {
		case One:
			u.texts[at] = l.Choices[0]
		case Number:
			v, _ := ParseDecimal(u.texts[at], k.Scale)
			u.texts[at] = Decimal(min(max(v, l.Min), l.Max), k.Scale)
		}
	}
}

// Apply sets several knobs, as a text that names a whole run does: first the
// choices that bring others with them, then every pair as it is. Of the choices
// those come first that are nothing but what they bring (a node before the GPU
// in it), but for parts of another (a machine before a drive in its place), and all in the
// order of knobs, wherever they stand. What cannot be read stays, and the error says all of it.
func (u *Setup) Apply(pairs []Pair) error {
	var errs []error
	raw := make([]bool, len(pairs))
	var choices []int // of pairs
	for i, p := range pairs {
		at := u.index(p.Key)
		if at < 0 {
			errs = append(errs, fmt.Errorf("unknown setting %q", p.Key))
			raw[i] = true
		} else if u.infos[at].Kind == One {
			choices = append(choices, i)
		}
	}
	// Derived ones, then the others, in the order of knobs, as Pairs writes them; then parts of these.
	place := make([]int, len(pairs))
	for _, i := range choices {
		at := u.index(pairs[i].Key)
		switch {
		case !u.infos[at].Derived:
			at += len(u.infos)
		case u.partOf(pairs[i], pairs):
			at += 2 * len(u.infos)
		}
		place[i] = at
	}
	slices.SortStableFunc(choices, func(i, k int) int { return place[i] - place[k] })
	for _, i := range choices {
		at := u.index(pairs[i].Key)
		text, err := u.infos[at].Canon(pairs[i].Text)
		if err == nil {
			if !u.infos[at].Derived {
				u.texts[at] = text
			}
			err = u.apply(u.infos[at].Choice(text))
		}
		if raw[i] = err != nil; err != nil {
			errs = append(errs, err)
		}
	}
	for i, p := range pairs {
		at := u.index(p.Key)
		if raw[i] || u.infos[at].Derived {
			continue
		}
		text, err := u.infos[at].Canon(p.Text)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		u.texts[at] = text
	}
	for at := range u.infos {
		if !u.infos[at].Derived {
			errs = append(errs, u.within(at, u.texts[at]))
		}
	}
	u.clampToLimits()
	return errors.Join(append(errs, u.moveWithin(pairs))...)
}

// Choose is Set of somebody who picks a choice by itself: with what stands around it as a rule,
// which it reports, unless the choice before was of its kin.
func (u *Setup) Choose(key, text string) (around bool, err error) {
	p := Pair{key, text}
	is, was := u.choice(p), u.choice(Pair{key, u.Text(key)})
	pairs := []Pair{p}
	switch {
	case is == nil || is.Companions == "":
		return false, u.Set(key, text)
	case was != nil && was.Kin == is.Kin:
		pairs = append(pairs, u.inProportion(was, is, u.Text)...)
	default:
		pairs, around = u.WithCompanions(pairs), true
	}
	v := u.Clone()
	if err := v.Apply(pairs); err != nil {
		return false, err
	}
	*u = *v
	return around, nil
}

// inProportion returns what goes with the rates of a choice that takes the place of another; of says what
// a knob had with that.
func (u *Setup) inProportion(was, is *Choice, of func(key string) string) (list []Pair) {
	old, _ := Pairs(was.Rates) // lab.New has checked both
	rates, _ := Pairs(is.Rates)
	for _, p := range rates {
		at := slices.IndexFunc(old, func(o Pair) bool { return o.Key == p.Key && o.Text != p.Text })
		if at < 0 {
			continue
		}
		k := u.Knob(p.Key)
		x, errX := ParseDecimal(p.Text, k.Scale)
		y, errY := ParseDecimal(old[at].Text, k.Scale)
		v, err := ParseDecimal(of(p.Key), k.Scale)
		if err == nil && errX == nil && errY == nil && y > 0 {
			list = append(list, Pair{p.Key, Decimal(min(unit.MulDiv(v, x, y), k.Max), k.Scale)})
		}
	}
	return list
}

// WithCompanions returns pairs that a person wrote with what stands around their choices as a
// rule put before them, as far as no pair names it and no other choice in them brings it. A choice that is named
// beside a whole takes the place of the whole's own.
func (u *Setup) WithCompanions(pairs []Pair) []Pair {
	var around []Pair
	for _, p := range pairs {
		if c := u.choice(p); c != nil {
			more, _ := Pairs(c.Companions) // lab.New has checked it
			around = append(around, more...)
		}
	}
	if len(around) == 0 {
		return pairs
	}
	named := slices.Clone(pairs)
	for _, p := range pairs {
		if c := u.choice(p); c != nil {
			brought, _ := Pairs(c.Set) // checked, too
			named = append(named, brought...)
		}
	}
	around = slices.DeleteFunc(around, func(a Pair) bool { return has(named, a.Key) })
	for _, p := range pairs {
		around = append(around, slices.DeleteFunc(u.instead(p, pairs), func(a Pair) bool { return has(pairs, a.Key) })...)
	}
	return append(around, pairs...)
}

// instead returns what goes with the rates of a choice that takes the place of the one of its kin that another
// choice among pairs brings.
func (u *Setup) instead(p Pair, pairs []Pair) []Pair {
	is := u.choice(p)
	if is == nil || is.Rates == "" {
		return nil
	}
	for _, q := range pairs {
		whole := u.choice(q)
		if whole == nil {
			continue
		}
		all, _ := Pairs(whole.Set) // lab.New has checked it
		of := func(key string) string {
			if at := slices.IndexFunc(all, func(a Pair) bool { return a.Key == key }); at >= 0 {
				return all[at].Text
			}
			return ""
		}
		if was := u.choice(Pair{p.Key, of(p.Key)}); was != nil && was.Kin == is.Kin {
			return u.inProportion(was, is, of)
		}
	}
	return nil
}

// has reports whether one of pairs is of a key.
func has(pairs []Pair, key string) bool {
	return slices.ContainsFunc(pairs, func(p Pair) bool { return p.Key == key })
}

// choice returns the choice of a One that a pair names, or nil.
func (u *Setup) choice(p Pair) *Choice {
	k := u.Knob(p.Key)
	if k == nil || k.Kind != One {
		return nil
	}
	text, err := k.Canon(p.Text)
	if err != nil {
		return nil
	}
	return k.Choice(text)
}

// partOf reports whether another choice among pairs, that is no derived one, brings all that this one brings, and
// more: a machine a part of it.
func (u *Setup) partOf(part Pair, pairs []Pair) bool {
	c := u.choice(part)
	if c == nil {
		return false
	}
	mine, _ := Pairs(c.Set) // lab.New has checked it
	return len(mine) > 0 && slices.ContainsFunc(pairs, func(p Pair) bool {
		whole := u.choice(p)
		if p.Key == part.Key || whole == nil || u.Knob(p.Key).Derived {
			return false
		}
		all, _ := Pairs(whole.Set + " " + whole.Suggests)
		return len(all) > len(mine) && !slices.ContainsFunc(mine, func(m Pair) bool { return !has(all, m.Key) })
	})
}

// Read sets what a setup text says, as Apply does.
func (u *Setup) Read(text string) error {
	pairs, err := Pairs(text)
	if err != nil {
		return err
	}
	return u.Apply(pairs)
}

// Base returns what every knob goes back to: its default, or what the choices
// that stand set it to.
func (u *Setup) Base() *Setup {
	if u.based != nil && u.chose(u.based.chosen) {
		return &Setup{infos: u.infos, texts: slices.Clone(u.based.texts)}
	}
	b := NewSetup(u.infos)
	var chosen []string
	for i := range u.infos {
		if k := &u.infos[i]; k.Kind == One && !k.Derived {
			chosen = append(chosen, u.texts[i])
			if c := k.Choice(u.texts[i]); c != nil {
				_ = b.apply(c) // lab.New has checked every Set
			}
		}
	}
	u.based = &based{chosen, slices.Clone(b.texts)}
	return b
}

// chose reports whether these are the choices that stand.
func (u *Setup) chose(chosen []string) bool {
	n := 0
	for i := range u.infos {
		if k := &u.infos[i]; k.Kind == One && !k.Derived {
			if u.texts[i] != chosen[n] {
				return false
			}
			n++
		}
	}
	return true
}

// Pairs returns the shortest list from which Apply makes u out of the defaults.
// Knobs that are Always printed come first, in their order, then the others.
func (u *Setup) Pairs() []Pair {
	b := u.Base()
	var list []Pair
	for i := range u.infos {
		k := &u.infos[i]
		if k.Derived {
			continue
		}
		if k.Always || u.texts[i] != b.texts[i] {
			list = append(list, Pair{k.Key, u.texts[i]})
		}
	}
	return list
}

// String is the setup's text.
func (u *Setup) String() string { return Join(u.Pairs(), " ") }

// Reset gives one knob the text that it goes back to.
func (u *Setup) Reset(key string) {
	if at := u.index(key); at >= 0 {
		_ = u.Set(key, u.Base().texts[at]) // a text that was allowed; settled if no longer
	}
}

// Changed reports whether the knob differs from what it goes back to.
func (u *Setup) Changed(key string) bool {
	at := u.index(key)
	return at >= 0 && !u.infos[at].Derived && u.texts[at] != u.Base().texts[at]
}
