package question

import (
	"math"
	"strconv"
	"strings"

	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/model/form"
	"spillway/ui/model/state"
)

// Shown is what the page shows of a question: numbers and words, made anew when something
// has changed.
type Shown struct {
	*Question
	Fields   []form.Field
	Progress Progress
	Answer   chart.Answer
	// Tables are what came out in numbers.
	Tables []report.Table
	// Found are what searches have found, nil where nothing is searched.
	Found []Found

	effects []Effect
	matters []Matter
	zone    string // style of what seeds do
}

// Matters are what half and twice as much of each setting do, and the style of what other seeds do.
func (c *Shown) Matters() ([]Matter, string) { return c.matters, c.zone }

// Follow takes over what the form of a question shows, and how far its runs are.
func (c *Shown) Follow(q *Question) { c.Question, c.Fields, c.Progress = q, q.Fields(), q.Progress() }

// Conclude makes what came out so far.
func (c *Shown) Conclude() {
	c.Answer, c.Found, c.effects, c.matters, c.Tables = chart.Answer{}, nil, nil, nil, nil
	switch {
	case c.Problem() != "":
	case c.Kind() == state.Effects, c.Kind() == state.Buy:
		c.effects = c.Gains()
		c.Tables = []report.Table{c.effectsTable()}
	case c.Kind() == state.Matters:
		c.matters, c.zone = c.turns.Matters()
		c.Tables = []report.Table{c.mattersTable()}
	default:
		if c.Kind() == state.Find {
			c.Found = c.Question.Found()
		}
		c.Answer = c.Asked()
		c.Tables = c.Answer.Tables
	}
}

// Weighs reports whether the question is what changes bring, one after the other.
func (c *Shown) Weighs() bool { return c.effects != nil }

// Idle reports whether a row of what changes bring is of one that brings nothing.
func (c *Shown) Idle(row int) bool { return c.effects[row].Reason != "" }

// CanRun reports whether there is something to run.
func (c *Shown) CanRun() bool {
	return c.Problem() == "" && !c.Progress.Active && (c.Progress.Known < c.Progress.All || c.Progress.All == 0 || c.Progress.Failed > 0)
}

// RunLabel is what the button would do.
func (c *Shown) RunLabel() string {
	n := c.Progress.All - c.Progress.Known
	switch {
	case c.Problem() != "":
		return "Run"
	case c.Progress.Active:
		return "Running…"
	case n == 0 && c.Progress.Failed == 1:
		return "Try 1 run again"
	case n == 0 && c.Progress.Failed > 0:
		return "Try " + chart.Count(int64(c.Progress.Failed)) + " runs again"
	case n == 0:
		return "All runs are done"
	case n == 1:
		return "Run 1 run"
	}
	return "Run " + chart.Count(int64(n)) + " runs"
}

// State says how far the runs are, and how long they still take.
func (c *Shown) State() string {
	p := &c.Progress
	if p.All == 0 {
		return ""
	}
	text := chart.Count(int64(p.Known)) + " of " + chart.Count(int64(p.All)) + " runs"
	if p.Known < p.All && p.Seconds > 0 {
		text += ", about " + chart.Digits(math.Max(1, math.Round(p.Seconds)), 2) + " s"
		if p.Active {
			text += " more"
		}
	}
	return text + "."
}

// Says is the finding.
func (c *Shown) Says() string {
	switch {
	case c.Problem() != "":
		return c.Problem()
	case c.Progress.All > 0 && c.Progress.Known == 0 && !c.Progress.Active:
		return "Not run yet: " + chart.Count(int64(c.Progress.All)) + " runs answer this."
	}
	text := c.Answer.Says
	if kind := c.Kind(); text != "" && c.Progress.Known < c.Progress.All && (kind == state.Vary || kind == state.Find || kind == state.Rank) {
		text = c.saysUnfinished()
	}
	switch c.Kind() {
	case state.Effects:
		text = c.saysEffects()
	case state.Buy:
		text = c.saysBuy()
	case state.Matters:
		text = c.saysMatters()
	}
	text = strings.TrimSpace(strings.TrimSpace(text+" "+c.Backwards()) + " " + c.score() + c.saysFailed())
	if text == "" {
		return "Computing…"
	}
	return text
}

// saysUnfinished stands for the finding while runs are missing, which could turn it
// over.
func (c *Shown) saysUnfinished() string {
	text := chart.Count(int64(c.Progress.Known)) + " of " + chart.Count(int64(c.Progress.All)) + " runs are there; "
	if c.Progress.Active {
		return text + "what they say follows when all are."
	}
	return text + "run the others to hear what they say."
}

// saysFailed is what went wrong, empty if nothing; of what is varied the gaps say it.
func (c *Shown) saysFailed() string {
	if c.Progress.Failed == 0 || c.Progress.Active || c.Kind() == state.Vary {
		return ""
	}
	return chart.Count(int64(c.Progress.Failed)) + " of the runs failed: " + strings.TrimSuffix(c.Progress.Error, ".") + "."
}

// Announced is what screen readers hear: only what is complete.
func (c *Shown) Announced() string {
	if c.Progress.Active || c.Progress.Known < c.Progress.All {
		return ""
	}
	return c.Says()
}

// FoundText says what a search has found.
func (c *Shown) FoundText(f Found) string {
	if f.Failed != "" {
		return f.System.Title + ": a run failed: " + f.Failed
	}
	switch {
	case f.Over:
		return f.Says
	case c.Progress.Active:
		return f.System.Title + ": searching…"
	case f.SoFar != "":
		return f.System.Title + ": stopped; so far " + chart.With(f.SoFar, c.Searched().Unit)
	case c.Progress.Known == 0:
		return f.System.Title + ": not run yet"
	}
	return f.System.Title + ": stopped"
}

// AdoptLabel is what the button beside that does.
func (c *Shown) AdoptLabel(f Found) string {
	return "Use " + chart.With(f.Value, c.Searched().Unit) + " in Explore"
}

// effectsTable is the table of what changes bring, as files have it.
func (c *Shown) effectsTable() report.Table {
	heads, priced := c.effectsHeads()
	t := report.Table{Title: "Change of " + c.asked().Label, Head: heads}
	for i := range c.effects {
		e := &c.effects[i]
		cells := []report.Cell{{Text: e.From}, {Text: e.To}}
		if priced {
			cells = append(cells, report.Cell{Text: c.price(e)}, report.Cell{Text: relative(e.Worth)})
		}
		if e.Reason != "" {
			cells = append(cells, report.Cell{Text: e.Reason})
		} else {
			for k := range e.Parts {
				cells = append(cells, report.Cell{Text: e.Parts[k].Say(), Best: k == e.Best})
			}
		}
		t.Rows = append(t.Rows, report.Row{Head: e.Label, Cells: cells})
	}
	return t
}

// effectsHeads are the heads of that table; priced: parts with prices.
func (c *Shown) effectsHeads() (heads []string, priced bool) {
	price, worth := c.Prices()
	heads = []string{"Setting", "Now", "Then"}
	if c.Kind() == state.Buy {
		heads[0] = "Part"
		if priced = price >= 0 && worth >= 0; priced {
			heads = append(heads, "Costs", c.room.Info.Quantities[worth].Label)
		}
	}
	for _, s := range c.Compared() {
		heads = append(heads, s.Title)
	}
	return heads, priced
}

// price is what a part costs more.
func (c *Shown) price(e *Effect) string {
	if math.IsNaN(e.Price) {
		return chart.Dash
	}
	at, _ := c.Prices()
	q := &c.room.Info.Quantities[at]
	text := chart.With(chart.Cell(q, math.Abs(e.Price)), q.Unit)
	switch {
	case e.Price > 0:
		return "+" + text
	case e.Price < 0:
		return "−" + text
	}
	return text
}

func relative(x float64) string {
	if math.IsNaN(x) {
		return chart.Dash
	}
	return Signed(x)
}

// saysEffects is the finding about the settings.
func (c *Shown) saysEffects() string {
	nothing := 0
	for i := range c.effects {
		if c.effects[i].Reason != "" {
			nothing++
		}
	}
	text := ""
	if e := c.top(); e != nil {
		more := " more "
		if e.Turned < 0 {
			more = " less "
		}
		text = strings.TrimPrefix(Signed(math.Abs(e.Turned)), "+") + more + lowered(e.Label) + " brings most: " + c.says1(e) + "."
		if e.Best < 0 {
			text = "No setting helps by itself; what changes most is " + lowered(e.Label) + "."
		}
	} else if c.Progress.Known == c.Progress.All && c.Progress.Failed == 0 && len(c.effects) > 0 {
		text = "A little more of any one setting changes nothing."
	}
	if nothing > 0 && c.Progress.Known == c.Progress.All {
		text += " " + strconv.Itoa(nothing) + " of " + strconv.Itoa(len(c.effects)) + " settings do nothing here."
	}
	return c.soFar(text)
}

// saysBuy is the finding about parts.
func (c *Shown) saysBuy() string {
	e := c.top()
	if e == nil || e.Best < 0 {
		if len(c.effects) > 0 && c.Progress.Known == c.Progress.All && c.Progress.Failed == 0 {
			if budget := c.budget(); budget != "" {
				return "No other single part for up to " + budget + " more makes anything better."
			}
			return "No other single part makes anything better."
		}
		return ""
	}
	text := e.To + " instead of " + e.From + " brings most for the money"
	if budget := c.budget(); budget != "" {
		text += " for up to " + budget
	}
	text += ": " + c.says1(e) + c.forPrice(e) + "."
	most := e
	for i := range c.effects {
		if x := &c.effects[i]; x.Known && x.Reason == "" && x.Best >= 0 && x.Parts[x.Best].Gain > most.Parts[most.Best].Gain+least {
			most = x
		}
	}
	if most != e {
		text += " The most of all: " + most.To + " instead of " + most.From + c.forPrice(most) + ": " + c.says1(most) + "."
	}
	return c.soFar(text)
}

// budget is what a part may cost more, empty if any amount.
func (c *Shown) budget() string {
	u := c.room.State.Ask
	if u.Text(state.BudgetKey) == state.AnyPrice {
		return ""
	}
	return u.Knob(state.BudgetKey).Choice(u.Text(state.BudgetKey)).Label
}

// Part says which part can be put into the machine; empty if none helps.
func (c *Shown) Part() string {
	if c.Kind() != state.Buy {
		return ""
	}
	if e := c.top(); e != nil && e.Best >= 0 {
		return "Use " + e.To + " in Explore"
	}
	return ""
}

// AdoptPart puts the part that Part names into the machine.
func (c *Shown) AdoptPart() {
	if e := c.top(); e != nil {
		c.adopt(e.Key, e.Choice)
	}
}

// least is what is worth to be told of a change, as a share.
const least = 0.005

// forPrice says what a part costs, behind what it brings.
func (c *Shown) forPrice(e *Effect) string {
	at, _ := c.Prices()
	if math.IsNaN(e.Price) || at < 0 {
		return ""
	}
	q := &c.room.Info.Quantities[at]
	if e.Price == 0 {
		return ", at the same price"
	}
	if e.Price < 0 {
		return ", for " + chart.With(chart.Cell(q, -e.Price), q.Unit) + " less"
	}
	return ", for " + chart.With(chart.Cell(q, e.Price), q.Unit) + " more"
}

func (c *Shown) soFar(text string) string {
	if text != "" && c.Progress.Known < c.Progress.All {
		return "So far: " + text
	}
	return text
}

// top is the change that helps a system most, else one that only hurts; nil if
// none does anything.
func (c *Shown) top() *Effect {
	var top *Effect
	for i := range c.effects {
		e := &c.effects[i]
		if e.Reason != "" || !e.Known || e.Failed && e.Best < 0 {
			continue
		}
		if top != nil && top.Best >= 0 && e.Coarse() && !top.Coarse() {
			continue // of another size
		}
		if top == nil || e.Best >= 0 && (top.Best < 0 || e.rank(false) > top.rank(false)) {
			top = e
		}
	}
	return top
}

// says1 says what a change brings the system that it helps most.
func (c *Shown) says1(e *Effect) string {
	if e.Best < 0 {
		return "nothing better"
	}
	p := &e.Parts[e.Best]
	s, err := c.room.Info.System(p.System)
	if err != nil {
		return ""
	}
	if p.Text != "" {
		return s.Title + " " + p.Text
	}
	return s.Title + " " + p.Say() + " in " + lowered(c.asked().Label)
}

// lowered is a label as it stands inside a sentence.
func lowered(label string) string {
	if len(label) > 1 && label[1] >= 'a' && label[1] <= 'z' {
		return strings.ToLower(label[:1]) + label[1:]
	}
	return label
}
