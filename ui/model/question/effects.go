package question

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/order"
	"spillway/sim/report"
	"spillway/sim/sweep"
	"spillway/ui/model/results"
	"spillway/ui/model/state"
	"spillway/ui/model/workspace"
)

// A change is one setting, or part, that is turned.
type change struct {
	key, label, group string
	from, to          string  // for people
	choice            string  // of a part
	setup             string  // the settings then
	runs              bool    // they are run
	turned            float64 // by which share of what it was; 0 of a part
	reason            string  // why it is not run
}

// turns are settings that are turned, and parts that are exchanged, one at a time.
type turns struct{ *core }

// planEffects plans the settings as they are, and with ten percent more of every
// number.
func (a *turns) planEffects(p *plan) {
	u := p.setup
	p.base = u.String()
	sense := sweep.NewSensitivity(u, p.systems)
	p.adaptive = []*adaptiveSearch{{asks: sense, after: func() { a.turned(p, sense) }}}
	a.turned(p, sense)
}

// turned takes over how each number is turned, as far as that is known.
func (a *turns) turned(p *plan, sense *sweep.Sensitivity) {
	u := p.setup
	p.changes = p.changes[:0]
	for _, e := range sense.Effects() {
		k := u.Knob(e.Key)
		c := change{key: e.Key, label: k.Label, group: k.Group, from: report.WithUnit(e.From, k.Unit), reason: e.Why}
		if e.To != "" {
			v := u.Clone()
			_ = v.Apply([]knob.Pair{{Key: e.Key, Text: e.To}}) // it was possible
			c.to, c.setup, c.runs, c.turned = report.WithUnit(e.To, k.Unit), v.String(), true, e.Share
			if e.Share < 0 {
				c.to += ", less: more contradicts"
			}
			if coarse(e.Share) {
				c.to += " (" + Signed(e.Share) + ", its smallest step)"
			}
		}
		p.changes = append(p.changes, c)
	}
}

// planBuy plans every other product of every part.
func (a *turns) planBuy(p *plan) {
	if !a.parts() {
		p.problem = a.room.Info.Title + " has no parts to choose among."
		return
	}
	u := p.setup
	p.base = u.String()
	p.variants = []variant{{setup: p.base, can: true}}
	for i := range u.Knobs() {
		k := &u.Knobs()[i]
		if !sold(k) || u.Hidden(k.Key) {
			continue
		}
		from := u.Text(k.Key)
		was := "the one that is set"
		if c := k.Choice(from); c != nil {
			was = workspace.Label(c)
		}
		for n := range k.Choices {
			choice := &k.Choices[n]
			x, _ := a.change(k.Key, choice.Key)
			if choice.Key == from || x.can && x.setup == p.base {
				continue
			}
			c := change{key: k.Key, label: k.Label, from: was, to: workspace.Label(choice), choice: choice.Key, setup: x.setup, runs: x.can, reason: x.problem}
			p.variants = append(p.variants, x)
			p.changes = append(p.changes, c)
		}
	}
}

// parts reports whether there is anything to buy.
func (a *turns) parts() bool {
	return slices.ContainsFunc(a.room.Info.Knobs, func(k knob.Info) bool { return sold(&k) })
}

// sold reports whether a knob's choices are parts that can be bought.
func sold(k *knob.Info) bool { return k.Derived || k.Product }

// told is the least gain that is worth to be told, as a share: what Signed can say.
const told = 0.0005

// changesNothing is the reason of what was turned to no effect.
const changesNothing = "changes nothing here"

// An Effect is what one change brings.
type Effect struct {
	Key, Label, Group string
	From, To, Choice  string
	Reason            string  // why it brings nothing, or cannot be
	Turned            float64 // by which share of what it was; below 0 where more is not possible, 0 of a part
	Known             bool    // all systems have run
	Failed            bool    // something went wrong with a run
	Parts             []Share // by the compared systems
	Best              int     // of Parts, whom it helps most; -1 if nobody
	// Price is what the machine then costs more, as the quantity has it; not a number
	// if that is unknown. Worth is by how much more the machine then does for its
	// price, relative to now, on the system that is best now.
	Price, Worth float64
}

// A Share is what a change brings one system.
type Share struct {
	System   string
	Known    bool
	Relative float64 // change of the quantity, 0.1 is ten percent more; not a number if there is none
	Gain     float64 // the same, above 0 if it is better
	Text     string  // in place of a number
}

// Gains lists what each change brings, the largest first, then coarse ones, then
// those that bring nothing.
func (a *turns) Gains() []Effect {
	if a.now == nil || a.now.kind != state.Effects && a.now.kind != state.Buy {
		return nil
	}
	return a.gains(a.now)
}

func (a *turns) gains(p *plan) []Effect {
	of := a.Of()
	better := 1.0
	if of >= 0 && a.room.Info.Quantities[of].Better < 0 {
		better = -1
	}
	list := make([]Effect, len(p.changes))
	for i := range p.changes {
		c := &p.changes[i]
		e := Effect{Key: c.key, Label: c.label, Group: c.group, From: c.from, To: c.to, Choice: c.choice, Reason: c.reason, Turned: c.turned, Known: true, Best: -1, Price: math.NaN(), Worth: math.NaN()}
		if c.runs {
			a.weigh(p, c, &e, of, better)
		}
		list[i] = e
	}
	order.Stable(list, func(x, y Effect) int {
		return cmp.Or(cmp.Compare(x.class(), y.class()), cmp.Compare(y.rank(p.kind == state.Effects), x.rank(p.kind == state.Effects)))
	})
	return list
}

// weigh compares a change with the settings as they are.
func (a *turns) weigh(p *plan, c *change, e *Effect, of int, better float64) {
	some, lead := false, a.lead(p, of, better)
	for i, name := range p.systems {
		s := Share{System: name, Relative: math.NaN(), Gain: math.NaN()}
		was, is := a.outcome(task{p.base, name}), a.outcome(task{c.setup, name})
		s.Known = was != nil && is != nil
		e.Known = e.Known && s.Known
		if s.Known {
			a.share(&s, was, is, of, better)
			e.Failed = e.Failed || was.Error != "" || is.Error != ""
			if is.Problem != "" && !is.Unfit {
				e.Reason = is.Problem
			}
		}
		some = some || s.Text != "" || s.Relative != 0
		e.Parts = append(e.Parts, s)
		sys, _ := a.room.Info.System(name) // the state has known ones only
		if n := len(e.Parts) - 1; s.Gain >= told && !sys.Bound && (lead < 0 || i == lead) && (e.Best < 0 || s.Gain > e.Parts[e.Best].Gain) {
			e.Best = n
		}
	}
	if e.Known && !some && e.Reason == "" {
		e.Reason = changesNothing
	}
	a.weighPrice(p, c, e, lead)
}

// lead is the system that is best now: what is bought, is bought for it. It is below 0 where none runs, or of
// settings.
func (a *turns) lead(p *plan, of int, better float64) int {
	best, lead := math.Inf(-1), -1
	for i, name := range p.systems {
		sys, _ := a.room.Info.System(name)
		if v, ok := a.outcome(task{p.base, name}).Value(of); ok && !sys.Bound && p.kind == state.Buy && better*v > best {
			best, lead = better*v, i
		}
	}
	return lead
}

func (*turns) share(s *Share, was, is *results.Outcome, of int, better float64) {
	x, okX := was.Value(of)
	y, okY := is.Value(of)
	switch {
	case was.Error != "" || is.Error != "":
		s.Text = "failed"
	case okX && okY && x != 0:
		s.Relative = y/x - 1
		s.Gain = better * s.Relative
	case okX && okY && y == 0:
		s.Relative, s.Gain = 0, 0
	case was.Unfit && is.Unfit:
		s.Relative, s.Gain = 0, 0
	case was.Unfit && is.Values != nil:
		s.Text, s.Gain = "fits then", math.MaxFloat64
	case is.Unfit:
		s.Text = "does not fit then"
	default:
		s.Text = "–"
	}
}

// coarsest is the largest share by which a setting is turned where that still can
// be compared with a tenth.
const coarsest = 0.25

// coarse reports whether a turn is much more than a tenth, as of 1 to 2.
func coarse(turned float64) bool { return math.Abs(turned) > coarsest }

// Coarse reports whether the setting is turned so much, for want of a value
// between, that others which are turned by a tenth cannot be compared with it.
func (e *Effect) Coarse() bool { return coarse(e.Turned) }

// class orders effects before their rank does.
func (e *Effect) class() int {
	switch {
	case e.Reason != "":
		return 2
	case e.Coarse():
		return 1
	}
	return 0
}

// rank orders effects of a class: by the largest gain on any system, or what
// settings do by the largest change.
func (e *Effect) rank(changes bool) float64 {
	most := -math.MaxFloat64
	for i := range e.Parts {
		switch g := e.Parts[i].Gain; {
		case math.IsNaN(g):
		case changes:
			most = max(most, math.Abs(g))
		default:
			most = max(most, g)
		}
	}
	if e.Price > 0 && e.Best >= 0 {
		return e.Parts[e.Best].Gain / e.Price // of what is bought: for the money
	}
	return most
}

// AskEffects finds out what each setting brings, as long as the settings stay; what
// failed is tried again.
func (a *turns) AskEffects() {
	a.store.ForgetFailed()
	a.effects = a.make(state.Effects)
	a.Rev++
	a.feed()
}

// TurnEffects asks what each setting brings, or stops that.
func (a *turns) TurnEffects() {
	if a.EffectsProgress().Active {
		a.CancelEffects()
		return
	}
	a.AskEffects()
}

// EffectsLabel is what TurnEffects would do, and how far it is.
func (a *turns) EffectsLabel() string {
	switch p := a.EffectsProgress(); {
	case p.Active:
		return fmt.Sprintf("Trying each setting: %d %%. Stop", p.Percent())
	case p.All > 0:
		return "Try each setting again"
	}
	return "What does 10 % more of each bring?"
}

// EffectsProgress says how far that is; All is 0 if nobody asked.
func (a *turns) EffectsProgress() Progress { return a.progress(a.effects) }

// CancelEffects stops it.
func (a *turns) CancelEffects() {
	a.effects = nil
	a.Rev++
	a.feed()
}

// Effect says in a few words what a little more of a setting brings, empty as
// long as that is not known.
func (a *turns) Effect(key string) string {
	p := a.effects
	if p == nil && a.now != nil && a.now.kind == state.Effects && a.now.key == a.planKey(state.Effects) {
		p = a.now
	}
	if p == nil || p.problem != "" {
		return ""
	}
	for i := range p.changes {
		c := &p.changes[i]
		if c.key != key {
			continue
		}
		one := *p
		one.changes = p.changes[i : i+1]
		return a.effectText(&a.gains(&one)[0])
	}
	return ""
}

func (a *turns) effectText(e *Effect) string {
	switch {
	case e.Reason == changesNothing:
		return "does nothing here"
	case e.Reason != "":
		return e.Reason
	case !e.Known:
		return ""
	}
	at := e.Best
	for i := range e.Parts {
		if at < 0 && e.Parts[i].Relative != 0 {
			at = i
		}
	}
	if at < 0 {
		return "does nothing here"
	}
	sys, _ := a.room.Info.System(e.Parts[at].System)
	return Signed(e.Turned) + ": " + sys.Title + " " + e.Parts[at].Say()
}

// Say is the change in words.
func (s *Share) Say() string {
	switch {
	case !s.Known:
		return "…"
	case s.Text != "":
		return s.Text
	}
	return Signed(s.Relative)
}

// Signed prints a relative change in percent, or by how many times where it is
// tenfold and more.
func Signed(x float64) string {
	text := strings.TrimSuffix(knob.Decimal(int64(math.Round(x*1000)), 10), ".0")
	switch {
	case x == 0:
		return "0"
	case x >= 9:
		return "×" + strconv.FormatFloat(x+1, 'f', 0, 64)
	case math.Abs(x) < 0.0005:
		return "< 0.1 %"
	case x > 0:
		return "+" + text + " %"
	}
	return "−" + strings.TrimPrefix(text, "-") + " %"
}

// weighPrice says what a change costs and what its result is then worth.
func (a *turns) weighPrice(p *plan, c *change, e *Effect, lead int) {
	price, worth := a.Prices()
	if price < 0 || p.kind != state.Buy {
		return
	}
	for i, name := range p.systems {
		was, is := a.outcome(task{p.base, name}), a.outcome(task{c.setup, name})
		x, okX := was.Value(price)
		y, okY := is.Value(price)
		if okX && okY && math.IsNaN(e.Price) {
			e.Price = y - x
		}
		x, okX = was.Value(worth)
		y, okY = is.Value(worth)
		if okX && okY && x != 0 && (lead < 0 || i == lead) && !(y/x-1 <= e.Worth) {
			e.Worth = y/x - 1
		}
	}
	most, err := strconv.ParseFloat(a.text(state.BudgetKey), 64)
	switch {
	case e.Reason != "" || !e.Known:
	case math.IsNaN(e.Price):
		e.Reason = "has no price"
	case e.Price <= 0:
		e.Reason = "is nothing to buy"
	case err == nil && e.Price > most: // not any price
		e.Reason = "costs more than that"
	}
}
