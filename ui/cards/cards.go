// Package cards makes of the questions that What if has ready what stands on them: a small
// chart and the answer in a sentence or two. They are recorded beside each laboratory, because
// some take seconds, and drawn when the site is built: the page's program knows nothing of them.
package cards

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/model/question"
	"spillway/ui/model/session"
	"spillway/ui/model/state"
)

// A Picture is what came out of one question.
type Picture struct {
	Question string
	Says     string   // the answer
	Quantity string   // what is drawn, with its unit
	X        string   `json:",omitempty"` // what is varied, with its unit; empty where Labels are of rows
	Labels   []string // of the points, or of rows from the top
	Now      int      // which of these is set; -1 if none is
	Lines    []Line
}

// A Line is one system at all points, with four digits.
type Line struct {
	Name   string
	Role   string     // A and B are compared; others have none
	Values []*float64 // nil where it has none
	// Low and High are the lowest and the highest of three seeds, of A and B where the workload is
	// random and they differ anywhere.
	Low, High []*float64 `json:",omitempty"`
}

// The roles of lines.
const (
	A = "a"
	B = "b"
)

// Gains of parts that are told, as shares.
const (
	least = 0.01
	most  = 10
)

// mostRows is how many rows a chart has room for.
const mostRows = 7

// Of draws the question that a session has answered.
func Of(n *session.Session, title string) Picture {
	of := n.State.Ask.Text(state.OfKey)
	q := &n.Info.Quantities[n.Info.Quantity(of)]
	p := Picture{Question: title, Quantity: bracketed(q.Label, q.Unit), Now: -1}
	switch axes := n.Question.Axes(); {
	case n.Question.Kind() == state.Buy:
		buys(n, &p)
	case n.Question.Kind() == state.Rank:
		ranks(n, &p, q)
	case len(axes) == 2:
		x, y := &axes[0], &axes[1]
		p.Labels, p.Now = brief(x.Labels), slices.Index(x.Texts, x.Now)
		if x.Xs != nil {
			p.X = bracketed(x.Knob.Label, x.Knob.Unit)
		}
		for k := range y.Texts {
			l := Line{Name: chart.With(y.Labels[k], y.Knob.Unit)}
			if y.Texts[k] == y.Now {
				l.Role = A
			} else if k == 0 {
				l.Role = B
			}
			for i := range x.Texts {
				l.Values = append(l.Values, value(q, n.Question.At(n.Focus(), i, k).Value))
			}
			p.Lines = append(p.Lines, l)
		}
		p.Says = strings.TrimSpace(pair(&p, q, n.Info.Systems[system(n, n.Focus())].Title) + " " + n.Question.Backwards())
	default:
		x := &axes[0]
		p.Labels, p.Now = brief(x.Labels), slices.Index(x.Texts, x.Now)
		if x.Xs != nil {
			p.X = bracketed(x.Knob.Label, x.Knob.Unit)
		}
		for _, s := range n.Question.Compared() {
			if s.Bound {
				continue
			}
			if s.Yardstick {
				continue
			}
			l := Line{Name: s.Title, Role: role(n, s.Name)}
			for i := range x.Texts {
				l.Values = append(l.Values, value(q, n.Question.At(s.Name, i, 0).Value))
			}
			if x.Xs != nil {
				banded(n, &l, s.Name, q, len(x.Texts))
			}
			p.Lines = append(p.Lines, l)
		}
		decides := q.Key == n.Info.Say.Quantity
		p.Says = strings.TrimSpace(answer(&p, q, amounts(x.Knob.Label, x.Knob.Unit), decides) + " " + n.Question.Backwards())
		if over := n.Info.Say.Over; over != "" && decides && slices.ContainsFunc(p.Lines, above100) {
			p.Says += " " + capital(over) + "."
		}
	}
	return p
}

func above100(l Line) bool {
	return slices.ContainsFunc(l.Values, func(v *float64) bool { return v != nil && *v > 100 })
}

// brief leaves out what stands in brackets, where labels differ without it.
func brief(labels []string) []string {
	list := make([]string, len(labels))
	for i, l := range labels {
		l, _, _ = strings.Cut(l, " (")
		if slices.Contains(list, l) {
			return labels
		}
		list[i] = l
	}
	return list
}

func bracketed(label, unit string) string {
	if unit == "" {
		return label
	}
	return label + ", " + unit
}

func system(n *session.Session, name string) int {
	for i := range n.Info.Systems {
		if n.Info.Systems[i].Name == name {
			return i
		}
	}
	return 0
}

// role says how a system is drawn: that in focus is A; B is the one that everybody knows.
func role(n *session.Session, name string) string {
	switch {
	case name == n.Focus():
		return A
	case n.Info.Systems[system(n, name)].Usual:
		return B
	}
	return ""
}

// value is a value as people see it, with four digits; nil if there is none.
func value(q *report.Quantity, v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	x, _ := strconv.ParseFloat(strconv.FormatFloat(q.Shown(v), 'g', 4, 64), 64) // it was printed so
	return &x
}

// banded gives a line with a role its band of other seeds, if it has one.
func banded(n *session.Session, l *Line, system string, q *report.Quantity, points int) {
	apart := false
	var low, high []*float64
	for i := range points {
		a, b := n.Question.Band(system, i)
		low, high = append(low, value(q, a)), append(high, value(q, b))
		apart = apart || a < b
	}
	if apart && l.Role != "" {
		l.Low, l.High = low, high
	}
}

// ranks draws systems in their order.
func ranks(n *session.Session, p *Picture, q *report.Quantity) {
	type one struct {
		name, role string
		v          *float64
	}
	var all []one
	for _, s := range n.Question.Compared() {
		if s.Bound {
			continue
		}
		if v := value(q, n.Question.At(s.Name, 0, 0).Value); v != nil {
			all = append(all, one{s.Title, role(n, s.Name), v})
		}
	}
	slices.SortStableFunc(all, func(a, b one) int { return cmp.Compare(*b.v*better(q), *a.v*better(q)) })
	all = all[:min(len(all), mostRows)]
	for i, x := range all {
		p.Labels = append(p.Labels, x.name)
		l := Line{Role: x.role, Values: make([]*float64, len(all))}
		l.Values[i] = x.v
		p.Lines = append(p.Lines, l)
	}
	if len(all) > 1 {
		p.Says = fmt.Sprintf("%s: %s. %s has %s; %s, %s.", all[0].name, said(*all[0].v, q.Unit), all[1].name, said(*all[1].v, q.Unit), all[len(all)-1].name, said(*all[len(all)-1].v, q.Unit))
	}
}

// buys draws what other parts bring.
func buys(n *session.Session, p *Picture) {
	p.Quantity = "Gain, %"
	l := Line{Role: A}
	for _, e := range n.Question.Gains() {
		at := slices.IndexFunc(e.Parts, func(s question.Share) bool { return s.System == n.Focus() })
		if at < 0 || e.Reason != "" || len(p.Labels) == mostRows || !(e.Parts[at].Gain >= least && e.Parts[at].Gain <= most) {
			continue
		}
		x := math.Round(1000*e.Parts[at].Gain) / 10
		p.Labels, l.Values = append(p.Labels, part(&e)), append(l.Values, &x)
	}
	p.Lines = []Line{l}
	name := n.Info.Systems[system(n, n.Focus())].Title
	p.Says = "Nothing: no part makes " + name + " even 1 % faster."
	if len(l.Values) > 0 {
		p.Says = fmt.Sprintf("%s: %s gains %s.", p.Labels[0], name, said(*l.Values[0], "%"))
		if len(l.Values) > 1 {
			p.Says += fmt.Sprintf(" Next, %s: %s.", p.Labels[1], said(*l.Values[1], "%"))
		}
	}
}

// part names a part, with what it is where its own name is a number.
func part(e *question.Effect) string {
	if _, err := strconv.Atoi(e.To); err == nil {
		return amounts(e.Label, "")(e.To)
	}
	return e.To
}

func better(q *report.Quantity) float64 {
	if q.Better < 0 {
		return -1
	}
	return 1
}

func said(x float64, unit string) string {
	digits := 2
	if math.Abs(x) >= 100 {
		digits = 3
	}
	return chart.With(chart.Digits(x, digits), unit)
}

// worse says how much worse x is than the best, as a share of it; 0 if it is not.
func worse(q *report.Quantity, x, best float64) float64 {
	if points(q) {
		return max(0, (best-x)*better(q)/100)
	}
	if better(q) < 0 {
		x, best = best, x
	}
	if x <= 0 {
		return math.Inf(1)
	}
	return max(0, prose.More(best, x))
}

// loses says how much of the best is lost with x: of 95 that are 64 a third, of 2 s that are 3 s a half.
func loses(q *report.Quantity, x, best float64) string {
	share := prose.Less(x, best)
	if better(q) < 0 {
		share = prose.More(x, best)
	}
	return amount(q, worse(q, x, best), share)
}

// brings says how much the best is better than x: of 64 that are 95 half as much again, of 3 s that are 2 s a third.
func brings(q *report.Quantity, best, x float64) string {
	share := prose.More(best, x)
	if better(q) < 0 {
		share = prose.Less(best, x)
	}
	return amount(q, worse(q, x, best), share)
}

// points reports whether a quantity is compared by differences: percent that may be below 0.
func points(q *report.Quantity) bool { return q.Unit == "%" && q.Better < 0 }

// amount says a share, and by what factor two values differ where they do by twofold; w is by how much ([worse]).
func amount(q *report.Quantity, w, share float64) string {
	switch {
	case points(q):
		return chart.Digits(100*w, 2) + " points"
	case math.IsInf(w, 0):
		return "everything"
	case w >= 0.95:
		return "a factor of " + chart.Digits(1+w, 2)
	case share < 0.01:
		return "under 1 %"
	}
	return chart.Digits(100*share, 2) + " %"
}

// What is level, and what is as good as the best that a setting brings.
const (
	level = 0.02
	full  = 0.05
)

// best is the place of the best of values, -1 if there is none.
func best(q *report.Quantity, values []*float64) int {
	at := -1
	for i, v := range values {
		if v != nil && (at < 0 || *v*better(q) > *values[at]*better(q)) {
			at = i
		}
	}
	return at
}

// of is the line with a role, nil if there is none.
func (p *Picture) of(role string) *Line {
	for i := range p.Lines {
		if p.Lines[i].Role == role {
			return &p.Lines[i]
		}
	}
	return nil
}

// amounts says how values of a setting are called: with its unit; without one a label in the plural follows the
// number ("16 channels"), and another leads it ("batch size 8").
func amounts(label, unit string) func(value string) string {
	if unit != "" {
		return func(value string) string { return chart.With(value, unit) }
	}
	first, rest, _ := strings.Cut(label, " ")
	if len(first) > 1 && first[1] >= 'a' && first[1] <= 'z' {
		first = strings.ToLower(first[:1]) + first[1:]
	}
	one, many := strings.CutSuffix(first, "s")
	many = many && !strings.HasSuffix(one, "s")
	return func(value string) string {
		switch {
		case many && value == "1":
			return strings.TrimSpace("1 " + one + " " + rest)
		case many:
			return strings.TrimSpace(value + " " + first + " " + rest)
		}
		return strings.TrimSpace(first+" "+rest) + " " + value
	}
}

// answer says what one setting does to A, and who leads in what decides.
func answer(p *Picture, q *report.Quantity, amount func(string) string, decides bool) string {
	a := p.of(A)
	if a == nil {
		return ""
	}
	at := func(i int) string { return amount(p.Labels[i]) }
	top := best(q, a.Values)
	if top < 0 {
		return a.Name + " cannot run with any of these."
	}
	if q.Better > 0 && *a.Values[top] == 0 {
		return strings.TrimSpace(a.Name + ": " + said(0, q.Unit) + " with all of these.")
	}
	text := ""
	if p.X == "" {
		text = choices(p, q, a, top)
	} else {
		text = along(q, a, top, at)
	}
	if decides {
		text += " " + leads(p, q, a, at)
	}
	return strings.TrimSpace(text)
}

// choices says which choice is best for A.
func choices(p *Picture, q *report.Quantity, a *Line, top int) string {
	last := -1
	for i, v := range a.Values {
		if v != nil && (last < 0 || *v*better(q) < *a.Values[last]*better(q)) {
			last = i
		}
	}
	if worse(q, *a.Values[last], *a.Values[top]) < level {
		return a.Name + " changes by under 2 %."
	}
	most, least := said(*a.Values[top], q.Unit), said(*a.Values[last], q.Unit)
	if most == least { // they differ by more than level
		most, least = chart.With(chart.Digits(*a.Values[top], 3), q.Unit), chart.With(chart.Digits(*a.Values[last], 3), q.Unit)
	}
	return fmt.Sprintf("%s: %s with %s, %s with %s.", a.Name, most, p.Labels[top], least, p.Labels[last])
}

// along says what a number does to A.
func along(q *report.Quantity, a *Line, top int, at func(int) string) string {
	n := len(a.Values)
	fits := func(i int) bool { return a.Values[i] != nil && worse(q, *a.Values[i], *a.Values[top]) < full }
	first, last := 0, n-1
	for a.Values[first] == nil {
		first++
	}
	for a.Values[last] == nil {
		last--
	}
	from, to := last, first // all from there on, and all up to there, are as good as the best
	for from > first && fits(from-1) && fits(last) {
		from--
	}
	for to < last && fits(to+1) && fits(first) {
		to++
	}
	cannot := ""
	if first > 0 {
		cannot = fmt.Sprintf(" At %s it does not run.", at(first-1))
	} else if last < n-1 {
		cannot = fmt.Sprintf(" At %s it does not run.", at(last+1))
	}
	lost := func(i int) string { return loses(q, *a.Values[i], *a.Values[top]) }
	switch {
	case fits(first) && fits(last) && from == first:
		if w, _ := extreme(q, a, top); w < level {
			return a.Name + " changes by under 2 %." + cannot
		}
		return a.Name + " changes by under 5 %." + cannot
	case fits(last) && from < last:
		return fmt.Sprintf("%s. Beyond that %s gains under 5 %%; at %s it loses %s.%s", capital(at(from)), a.Name, at(first), lost(first), cannot)
	case fits(last) && math.IsInf(worse(q, *a.Values[first], *a.Values[top]), 0):
		return fmt.Sprintf("The more the better: %s has %s at %s, and %s at %s.%s", a.Name, said(*a.Values[last], q.Unit), at(last), said(*a.Values[first], q.Unit), at(first), cannot)
	case fits(last):
		return fmt.Sprintf("The more the better: %s instead of %s brings %s %s.%s", at(last), at(first), a.Name, brings(q, *a.Values[top], *a.Values[first]), cannot)
	case fits(first) && to > first:
		return fmt.Sprintf("Up to %s %s loses under 5 %%; at %s, %s.%s", at(to), a.Name, at(last), lost(last), cannot)
	case fits(first):
		return fmt.Sprintf("The less the better: %s instead of %s costs %s %s.%s", at(last), at(first), a.Name, lost(last), cannot)
	}
	return fmt.Sprintf("%s is best for %s; at %s it loses %s, at %s %s.%s", capital(at(top)), a.Name, at(first), lost(first), at(last), lost(last), cannot)
}

// extreme is how much worse than the best A gets, and what it has there.
func extreme(q *report.Quantity, a *Line, top int) (w, far float64) {
	far = *a.Values[top]
	for _, v := range a.Values {
		if v != nil && worse(q, *v, *a.Values[top]) > w {
			w, far = worse(q, *v, *a.Values[top]), *v
		}
	}
	return w, far
}

// leads says who is best where, if that is not A, or not everywhere. Who is under 2 % behind the best is level with it,
// and nobody leads among equals; points where the best has 0 are nobody's.
func leads(p *Picture, q *report.Quantity, a *Line, at func(int) string) string {
	var who []string // at every point: who leads alone, "" if nobody
	points, alone, ours, shared := 0, 0, 0, 0
	zero := false               // somewhere the best has 0
	others := map[string]bool{} // who are level with A anywhere
	for i := range p.Labels {
		var column []*float64
		for k := range p.Lines {
			column = append(column, p.Lines[k].Values[i])
		}
		who = append(who, "")
		top := best(q, column)
		if top < 0 {
			continue
		}
		if q.Better > 0 && *column[top] == 0 {
			zero = true
			continue
		}
		points++
		var list []*Line
		for k := range p.Lines {
			if v := column[k]; v != nil && worse(q, *v, *column[top]) < level {
				list = append(list, &p.Lines[k])
			}
		}
		switch {
		case len(list) == 1:
			alone++
			who[i] = list[0].Name
			if list[0] == a {
				ours++
			}
		case slices.Contains(list, a):
			shared++
			for _, l := range list {
				others[l.Name] = true
			}
		}
	}
	if len(p.Lines) < 2 || points == 0 {
		return ""
	}
	everywhere := "everywhere"
	if points < len(p.Labels) {
		if everywhere = "wherever any runs"; zero {
			everywhere = "wherever any has more than 0"
		}
	}
	kinds := slices.Compact(slices.DeleteFunc(slices.Clone(who), func(s string) bool { return s == "" }))
	with := "others are" // level with A
	if delete(others, a.Name); len(others) == 1 {
		for name := range others {
			with = name + " is"
		}
	}
	switch {
	case ours == points:
		return "It leads " + everywhere + "."
	case shared == points:
		return capital(with) + " level with it " + everywhere + "."
	case ours+shared == points:
		return fmt.Sprintf("It leads in %d of %d; %s level with it in the rest.", ours, points, with)
	case len(kinds) == 1 && ours+shared == 0 && alone == points:
		return kinds[0] + " leads " + everywhere + "."
	case shared > 0:
		text := fmt.Sprintf("None is better in %d of %d", ours+shared, points)
		if behind := slices.DeleteFunc(kinds, func(s string) bool { return s == a.Name }); len(behind) == 1 && alone+shared == points {
			text += "; " + behind[0] + " leads in the rest"
		}
		return text + "."
	case p.X == "" || len(kinds) != 2 || alone < len(who):
		return fmt.Sprintf("It leads in %d of %d.", ours, points)
	}
	turn := slices.Index(who, kinds[1])
	return fmt.Sprintf("Below %s, %s leads; from there on, %s.", at(turn), kinds[0], kinds[1])
}

// pair says what one setting does with two values of another.
func pair(p *Picture, q *report.Quantity, name string) string {
	var parts []string
	for i := range p.Lines {
		l := &p.Lines[i]
		top := best(q, l.Values)
		if top < 0 {
			continue
		}
		w, far := extreme(q, l, top)
		switch {
		case w < level:
			parts = append(parts, fmt.Sprintf("with %s, %s changes by under 2 %%", l.Name, name))
		default:
			parts = append(parts, fmt.Sprintf("with %s, %s brings most: %s", l.Name, p.Labels[top], brings(q, *l.Values[top], far)))
		}
	}
	text := strings.Join(parts, "; ")
	if text == "" {
		return ""
	}
	return capital(text) + "."
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
