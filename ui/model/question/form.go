package question

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/ui/model/form"
	"spillway/ui/model/state"
	"spillway/ui/model/workspace"
)

// Fields of the question that are a part of the text of an axis: the key of the
// axis, then one of these.
const (
	fromPart  = ".from"
	toPart    = ".to"
	countPart = ".count"
	howPart   = ".how"
	listPart  = ".list"
)

// The ways to space the points of a number.
const (
	byFactor = "x" // as sweep.ParseAxis writes them
	evenly   = "/"
	listed   = "list"
)

// points is the text of an axis as the form shows it.
type points struct{ from, to, count, how, list string }

// readPoints takes the text of a number's axis apart.
func readPoints(text string) points {
	from, rest, ok := strings.Cut(text, "..")
	at := strings.IndexAny(rest, "x/")
	if !ok || at < 0 || strings.ContainsAny(text, ",*+") {
		return points{how: listed, list: text}
	}
	return points{from: from, to: rest[:at], count: rest[at+1:], how: rest[at : at+1]}
}

func (p *points) text() string {
	if p.how == listed {
		return p.list
	}
	return p.from + ".." + p.to + p.how + p.count
}

// controls are the fields of the question.
type controls struct{ *core }

// A Card is what a question that is ready answers for what the laboratory opens on.
type Card struct {
	Says  string
	Chart string // SVG, with classes of the page
}

// A Ready is a question that the laboratory has ready.
type Ready struct {
	Question string
	Card          // Says is what it varies where the answer is not known
	Chosen   bool // it is asked
}

// Ready are the questions that the laboratory has ready. What they answer is known of what
// the laboratory opens on.
func (a *controls) Ready() []Ready {
	now := a.room.State.Ask.String()
	opening := state.Opening(a.room.Info)
	known := len(a.cards) == len(a.room.Info.Cards) && a.room.State.Setup.Equal(opening.Setup) && slices.Equal(a.room.State.On, opening.On)
	var list []Ready
	for i := range a.room.Info.Cards {
		c := &a.room.Info.Cards[i]
		u, err := a.card(i)
		r := Ready{Question: c.Question, Card: Card{Says: c.About}, Chosen: err == nil && u.String() == now}
		if known {
			r.Card = a.cards[i]
		}
		list = append(list, r)
	}
	return list
}

// Ship takes what the questions that are ready answer for what the laboratory opens on.
func (a *controls) Ship(list []Card) {
	a.cards = list
	a.Rev++
}

// Untouched reports whether nothing is asked yet: then the questions that are ready are all
// there is to see, and nothing runs.
func (a *core) Untouched() bool {
	return !a.opened && len(a.room.Info.Cards) > 0 && len(a.room.State.Ask.Pairs()) == 0
}

// Own reports whether what is asked is none of the questions that are ready.
func (a *controls) Own() bool {
	return !a.Untouched() && !slices.ContainsFunc(a.Ready(), func(r Ready) bool { return r.Chosen })
}

// Open shows the form, and asks what stands in it.
func (a *controls) Open() {
	a.opened = true
	a.Follow()
}

// card is what a question that is ready asks.
func (a *controls) card(i int) (*knob.Setup, error) {
	u := a.room.State.Ask.Clone()
	for _, k := range u.Knobs() {
		u.Reset(k.Key)
	}
	return u, u.Read(a.room.Info.Cards[i].Ask)
}

// Ask asks a question that is ready, and computes it.
func (a *controls) Ask(i int) {
	r := a.room
	r.Change("", func() {
		u, err := a.card(i)
		if err != nil {
			r.Warn(err)
			return
		}
		r.State.Ask = u
	})
	a.Run()
}

// Questions are the kinds of question.
func (a *controls) Questions() []form.Option {
	return slices.DeleteFunc(a.field(state.AskKey).Options, func(o form.Option) bool { return o.Key == state.Buy && !o.Chosen && !a.turns.parts() })
}

// Fields are the controls of the question that is asked.
func (a *controls) Fields() []form.Field {
	var list []form.Field
	switch a.Kind() {
	case state.Vary:
		list = append(list, a.field(state.VaryKey))
		list = append(list, a.pointFields(state.VaryKey, state.ValuesKey)...)
		list = append(list, a.field(state.Vary2Key))
		if second := a.text(state.Vary2Key); second != state.NoKnob && second != a.text(state.VaryKey) {
			list = append(list, a.pointFields(state.Vary2Key, state.Values2Key)...)
			list = append(list, a.field(state.ShowKey))
		}
		list = append(list, a.field(state.OfKey))
	case state.Find:
		list = append(list, a.field(state.FindKey))
		of := a.field(state.VaryKey)
		of.Label = "Of"
		of.Options = slices.DeleteFunc(of.Options, func(o form.Option) bool {
			return a.room.State.Setup.Knob(o.Key).Kind != knob.Number
		})
		list = append(list, of)
		list = append(list, a.rangeFields()...)
		if a.text(state.FindKey) != state.Most {
			list = append(list, a.field(state.OfKey), a.field(state.WithinKey))
		}
		list = append(list, a.field(state.AmongKey))
	case state.Rank:
		list = append(list, a.field(state.AmongKey), a.field(state.OfKey))
	case state.Buy:
		list = append(list, a.field(state.OfKey))
		if price, _ := a.turns.Prices(); price >= 0 {
			list = append(list, a.field(state.BudgetKey))
		}
	default:
		list = append(list, a.field(state.OfKey))
	}
	return list
}

// field is a knob of the question.
func (a *controls) field(key string) form.Field {
	u := a.room.State.Ask
	k := u.Knob(key)
	f := form.Field{Key: key, Label: k.Label, Unit: k.Unit, Kind: k.Kind, Text: u.Text(key), Help: k.Help}
	for i := range k.Choices {
		c := &k.Choices[i]
		o := form.Option{Key: c.Key, Label: workspace.Label(c), Chosen: c.Key == f.Text}
		if s := a.room.State.Setup; (key == state.VaryKey || key == state.Vary2Key) && c.Key != state.NoKnob {
			o.Off = s.Hidden(c.Key)
		}
		f.Options = append(f.Options, o)
	}
	a.typed(&f)
	return f
}

// typed shows what is typed into a field while it cannot be read, or says the same.
func (a *controls) typed(f *form.Field) {
	draft, ok := a.drafts[f.Key]
	if !ok {
		return
	}
	u := a.room.State.Ask.Clone()
	if err := a.set(u, f.Key, draft); err != nil {
		f.Text, f.Error = draft, prose.Capital(err.Error())
	} else if u.Equal(a.room.State.Ask) {
		f.Text = draft
	}
}

// pointFields are the controls of one axis.
func (a *controls) pointFields(of, key string) []form.Field {
	k := a.room.State.Setup.Knob(a.text(of))
	text := a.text(key)
	if text == "" {
		text = a.vary.suggest(k.Key)
	}
	if k.Kind != knob.Number {
		return []form.Field{a.choiceField(key, k, text)}
	}
	p := readPoints(text)
	part := func(name, label, text, unit string) form.Field {
		f := form.Field{Key: key + name, Label: label, Kind: knob.Word, Text: text, Unit: unit}
		a.typed(&f)
		return f
	}
	var list []form.Field
	if p.how == listed {
		list = append(list, part(listPart, "Values", p.list, k.Unit))
	} else {
		list = append(list, part(fromPart, "From", p.from, ""), part(toPart, "to", p.to, k.Unit), part(countPart, "Points", p.count, ""))
	}
	how := form.Field{Key: key + howPart, Label: "Spaced", Kind: knob.One, Text: p.how}
	for _, o := range [][2]string{{byFactor, "by a factor"}, {evenly, "evenly"}, {listed, "as listed"}} {
		how.Options = append(how.Options, form.Option{Key: o[0], Label: o[1], Chosen: o[0] == p.how})
	}
	return append(list, how)
}

// choiceField lists the choices of a knob; those that are taken are chosen.
func (a *controls) choiceField(key string, k *knob.Info, text string) form.Field {
	x, _ := a.vary.axis(k.Key, text)
	f := form.Field{Key: key, Label: "Values", Kind: knob.Many, Text: text}
	choices := k.Choices
	if k.Kind == knob.Many {
		choices = k.Sets
	}
	for i := range choices {
		c := &choices[i]
		f.Options = append(f.Options, form.Option{Key: c.Key, Label: workspace.Label(c), Chosen: slices.Contains(x.Texts, c.Key)})
	}
	return f
}

// rangeFields are the ends of what is searched.
func (a *controls) rangeFields() []form.Field {
	u := a.room.State.Setup
	k := u.Knob(a.text(state.VaryKey))
	if k.Kind != knob.Number {
		return nil
	}
	from, to := a.searched()
	list := []form.Field{
		{Key: state.RangeKey + fromPart, Label: "between", Kind: knob.Word, Text: from},
		{Key: state.RangeKey + toPart, Label: "and", Kind: knob.Word, Text: to, Unit: k.Unit},
	}
	for i := range list {
		a.typed(&list[i])
	}
	return list
}

// Type gives a control of the question a text. What cannot be read stays in the
// field, which says why.
func (a *controls) Type(key, text string) {
	r := a.room
	r.Change(key, func() {
		a.drafts[key] = text
		u := r.State.Ask.Clone()
		if a.set(u, key, text) == nil {
			r.State.Ask = u
		}
		a.last = u.String() // what was typed stays
	})
}

// Choose gives a choice of the question another value.
func (a *controls) Choose(key, text string) {
	r := a.room
	r.Change("", func() {
		u := r.State.Ask.Clone()
		if err := a.set(u, key, text); err != nil {
			r.Warn(err)
			return
		}
		r.State.Ask = u
	})
}

// Flip takes a choice among the values of an axis, or leaves it out.
func (a *controls) Flip(key, choice string) {
	of := state.VaryKey
	if key == state.Values2Key {
		of = state.Vary2Key
	}
	k := a.room.State.Setup.Knob(a.text(of))
	text := a.text(key)
	if text == "" {
		text = a.vary.suggest(k.Key)
	}
	var keys []string
	for _, o := range a.choiceField(key, k, text).Options {
		if o.Chosen != (o.Key == choice) {
			keys = append(keys, o.Key)
		}
	}
	a.Choose(key, strings.Join(keys, ","))
}

// set gives a control a text in u.
func (a *controls) set(u *knob.Setup, key, text string) error {
	for _, axis := range [][2]string{{state.ValuesKey, state.VaryKey}, {state.Values2Key, state.Vary2Key}, {state.RangeKey, state.VaryKey}} {
		if part, ok := strings.CutPrefix(key, axis[0]+"."); ok {
			return a.setPart(u, axis[0], u.Text(axis[1]), "."+part, text)
		}
	}
	before := u.Text(key)
	if err := u.Set(key, text); err != nil {
		return err
	}
	switch {
	case before == text:
	case key == state.VaryKey:
		_, _ = u.Set(state.ValuesKey, ""), u.Set(state.RangeKey, "") // any text will do
	case key == state.Vary2Key:
		_ = u.Set(state.Values2Key, "")
	case key == state.AskKey && (text == state.Rank || before == state.Rank):
		among := state.Compared
		if text == state.Rank {
			among = state.All
		}
		_ = u.Set(state.AmongKey, among)
		if text == state.Find {
			a.suit(u)
		}
	case key == state.FindKey || key == state.AskKey && text == state.Find:
		a.suit(u)
	case key == state.AskKey && text == state.Buy:
		a.absolute(u)
	}
	return nil
}

// suit chooses what is searched: of settings of the first panel, which say what
// runs, the most; of others the least.
func (a *controls) suit(u *knob.Setup) {
	i := a.room.Info
	first := func(k *knob.Info) bool { return k.Panel == i.Panels[0].Key }
	most := u.Text(state.FindKey) != state.Least
	if k := i.Setup().Knob(u.Text(state.VaryKey)); k.Kind == knob.Number && first(k) == most {
		return
	}
	at := slices.IndexFunc(i.Knobs, func(k knob.Info) bool { return k.Kind == knob.Number && first(&k) == most })
	if at >= 0 {
		_ = a.set(u, state.VaryKey, i.Knobs[at].Key)
	}
}

// absolute looks at a quantity that machines can be compared by, instead of a
// share of what the bound has on the same machine.
func (a *controls) absolute(u *knob.Setup) {
	i := a.room.Info
	at := slices.IndexFunc(i.Quantities, func(q report.Quantity) bool { return q.Better > 0 && q.Key != i.Say.Quantity })
	if i.Say.Percent && u.Text(state.OfKey) == i.Say.Quantity && at >= 0 {
		_ = u.Set(state.OfKey, i.Quantities[at].Key)
	}
}

// setPart gives a part of an axis' text, or of the searched range, a text.
func (a *controls) setPart(u *knob.Setup, key, of, part, text string) error {
	k := a.room.State.Setup.Knob(of)
	was := u.Text(key)
	if key == state.RangeKey {
		from, to := a.searched()
		if part == fromPart {
			from = text
		} else {
			to = text
		}
		all := strings.TrimSpace(from) + ".." + strings.TrimSpace(to)
		if _, err := sweepRange(a.room.State.Setup, of, all); err != nil {
			return err
		}
		return u.Set(key, all)
	}
	if was == "" {
		was = a.vary.suggest(of)
	}
	p := readPoints(was)
	text = strings.TrimSpace(text)
	var err error
	switch part {
	case fromPart:
		p.from, err = k.Canon(text) // else a comma would make a list of it
	case toPart:
		p.to, err = k.Canon(text) // else a unit's / would say how many
	case countPart:
		if p.count = text; strings.Contains(text, ",") {
			err = fmt.Errorf("%q is no number of values; want a whole number", text)
		}
	case listPart:
		p.list = text
	case howPart:
		a.respace(&p, k, was, text)
	}
	if err != nil {
		return err
	}
	if _, err := a.vary.axis(of, p.text()); err != nil {
		return err
	}
	return u.Set(key, p.text())
}

// respace spaces points another way.
func (a *controls) respace(p *points, k *knob.Info, was, how string) {
	x, err := a.vary.axis(k.Key, was)
	if err != nil || len(x.Texts) == 0 || p.how == how {
		return
	}
	switch {
	case how == listed:
		*p = points{how: listed, list: strings.Join(x.Texts, ",")}
		return
	case p.how == listed:
		p.from, p.to, p.count = x.Texts[0], x.Texts[len(x.Texts)-1], strconv.Itoa(max(len(x.Texts), 2))
	}
	p.how = how
	if v, err := knob.ParseDecimal(p.from, k.Scale); how == byFactor && err == nil && v <= 0 {
		p.from = "1" // a factor needs a beginning
	}
}

// searched are the ends of what is searched.
func (a *controls) searched() (from, to string) {
	u := a.room.State.Setup
	k := u.Knob(a.text(state.VaryKey))
	text := a.text(state.RangeKey)
	r, err := sweepRange(u, k.Key, text)
	if err != nil {
		r, err = sweepRange(u, k.Key, "")
	}
	if err != nil {
		return "", ""
	}
	return knob.Decimal(r.From, k.Scale), knob.Decimal(r.To, k.Scale)
}
