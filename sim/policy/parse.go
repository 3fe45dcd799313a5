package policy

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/hash"
	"spillway/sim/script"
)

// What a text may be at most.
const (
	mostText    = 4096 // bytes as typed
	mostName    = 24   // characters of a name, a number, a title
	mostNesting = 40
	mostOps     = 512 // operations of one expression, lets put in
	mostKept    = 8
	mostLines   = 100 // lets, rules and events
)

// A Policy is a text that was read, checked and compiled for a place.
type Policy struct {
	Title string // as the text has it, or ""
	Text  string // as settings and links have it: see package script
	// Future reports whether a rule reads what nobody who decides can know.
	Future bool
	Seam   string // of all its rules
	Kept   []Kept

	place  *Place
	rules  []*Code // by rule of the place; nil where neither text nor place has it
	given  []bool  // by rule: the text has it
	events []*Code // by event; nil where nothing changes
	codes  int     // how many of them there are
}

// A Kept is a number that is kept during a run.
type Kept struct {
	Name, Thing string // Thing is empty of what is kept once
	First       float64
	at          token
}

// Place returns what the policy is for.
func (p *Policy) Place() *Place { return p.place }

// Rule returns the code of a rule, nil if there is none.
func (p *Policy) Rule(name string) *Code { return p.rules[p.place.rule(name)] }

// Given reports whether the text has the rule, and no default stands for it.
func (p *Policy) Given(name string) bool { return p.given[p.place.rule(name)] }

// Without returns the policy as if its text had not the rule.
func (p *Policy) Without(name string) *Policy {
	c, at := *p, p.place.rule(name)
	c.rules, c.given = slices.Clone(p.rules), slices.Clone(p.given)
	c.rules[at], c.given[at] = nil, false
	return &c
}

// Event returns what an event changes, nil if nothing.
func (p *Policy) Event(name string) *Code { return p.events[p.place.event(name)] }

// SHA256 returns the hash of the text, in hexadecimal; its first eight digits name it.
func (p *Policy) SHA256() string { return hash.Sum([]byte(p.Text)) }

// Reads reports whether a rule, or what it keeps, reads the feature.
func (p *Policy) Reads(feature string) bool {
	at := p.place.Feature(feature)
	for _, list := range [][]*Code{p.rules, p.events} {
		for _, c := range list {
			if c != nil && c.reads(at) {
				return true
			}
		}
	}
	return false
}

// An op is what an expression does.
type op uint8

const (
	opNumber op = iota
	opFeature
	opKept
	opNeg
	opNot
	opAbs
	opFloor
	opSqrt
	opAdd
	opSub
	opMul
	opDiv
	opMin
	opMax
	opLess
	opLessEqual
	opGreater
	opGreaterEqual
	opEqual
	opUnequal
	opAnd
	opOr
	opIf // kids: condition, then, else
)

// An expr is an expression. Expressions share what a let stands for.
type expr struct {
	op    op
	cond  bool // it is a condition, not a number
	kids  []*expr
	value float64 // of a number
	ref   int     // feature of the place, or kept number
	at    token   // where it begins
	ops   int     // operations in it, lets put in
}

// A let is a name for an expression.
type let struct {
	name string
	e    *expr
	at   token
	used bool
}

// parser reads one text for one place.
type parser struct {
	place  *Place
	tokens []token // without comments, and without line ends inside parentheses
	at     int
	depth  int
	thing  string // of the rule or event that is read
	what   string // "rule evict", "event put"
	lets   []let
	policy *Policy
	rules  []*expr
	events [][]change
	lines  int
}

// A change gives a kept number a value.
type change struct {
	kept int
	e    *expr
}

// Parse reads a text for a place. The error is an [*Error], the first there is.
func Parse(place *Place, text string) (*Policy, error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{
		place: place, policy: &Policy{Text: script.Join(text), place: place},
		rules: make([]*expr, len(place.Rules)), events: make([][]change, len(place.Events)),
	}
	if p.policy.Title = script.Title(p.policy.Text); p.policy.Title != "" {
		title := strings.Join(strings.Fields(p.policy.Title), " ")
		for _, taken := range append([]string{Yours, Bound}, place.Taken...) {
			if strings.EqualFold(taken, title) {
				return nil, tokens[0].fails("something else is called %s; give the policy a title of its own", taken)
			}
		}
	}
	if p.tokens, err = plain(tokens); err != nil {
		return nil, err
	}
	for p.peek().kind != end {
		if p.peek().kind == newline {
			p.at++
			continue
		}
		if err := p.line(); err != nil {
			return nil, err
		}
	}
	if err := p.whole(); err != nil {
		return nil, err
	}
	if n := len(p.policy.Text); n > script.Most {
		return nil, &Error{1, 1, fmt.Sprintf("%d bytes without comments and blanks are more than %d", n, script.Most)}
	}
	if err := p.together(); err != nil {
		return nil, err
	}
	return p.policy, p.compile()
}

// plain leaves out comments, and line ends inside parentheses.
func plain(tokens []token) ([]token, error) {
	var open []token
	list := make([]token, 0, len(tokens))
	for _, t := range tokens {
		switch {
		case t.is("("):
			open = append(open, t)
		case t.is(")") && len(open) == 0:
			return nil, t.fails("nothing was opened that this closes")
		case t.is(")"):
			open = open[:len(open)-1]
		case t.kind == comment || t.kind == newline && len(open) > 0:
			continue
		case t.kind == end && len(open) > 0:
			return nil, open[len(open)-1].fails("this is not closed")
		}
		list = append(list, t)
	}
	return list, nil
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != end {
		p.at++
	}
	return t
}

// take takes the next token if it is this word or sign.
func (p *parser) take(text string) bool {
	if p.peek().is(text) {
		p.at++
		return true
	}
	return false
}

// said is how an error names a token.
func (t token) said() string {
	switch t.kind {
	case newline, end:
		return "the line ends"
	}
	return fmt.Sprintf("%q stands", t.text)
}

// line reads one line.
func (p *parser) line() error {
	if p.lines++; p.lines > mostLines {
		return p.peek().fails("more than %d lines", mostLines)
	}
	var err error
	switch {
	case p.take("keep"):
		err = p.keep()
	case p.take("when"):
		err = p.when()
	default:
		err = p.assign()
	}
	if err != nil {
		return err
	}
	switch t := p.peek(); {
	case t.is("if"):
		return t.fails(`"if" needs "else": x if condition else y`)
	case t.kind != newline && t.kind != end:
		return t.fails("here the line should end, but %s", t.said())
	}
	return nil
}

// words of the language: names are others. Those that mean nothing yet are kept, so that a
// later version breaks no text.
var (
	words    = []string{"keep", "when", "of", "if", "else", "and", "or", "not", "min", "max", "abs", "floor", "sqrt"}
	reserved = []string{
		"in", "is", "for", "while", "def", "return", "let", "param", "true", "false", "none", "import", "ceil", "round",
		"exp", "log2", "pow", "sum", "mean", "count", "any", "all", "random",
	}
)

// own reads a name that the text may give something.
func (p *parser) own(what string) (token, error) {
	t := p.next()
	switch {
	case t.kind != word:
		return t, t.fails("here should be %s, but %s", what, t.said())
	case slices.Contains(words, t.text):
		return t, t.fails("%s is a word of the language", t.text)
	case slices.Contains(reserved, strings.ToLower(t.text)):
		return t, t.fails("%s is kept for later; take another name", t.text)
	}
	return t, nil
}

// fresh reports an error if a name has a meaning already that the text gave it, or is a rule.
func (p *parser) fresh(t token) error {
	if p.place.rule(t.text) >= 0 {
		return t.fails("%s is a rule", t.text)
	}
	if k := p.kept(t.text); k >= 0 {
		return t.fails("%s is kept already, since line %d", t.text, p.policy.Kept[k].at.line)
	}
	if l := p.let(t.text); l != nil {
		return t.fails("%s is there already, in line %d", t.text, l.at.line)
	}
	return nil
}

func (p *parser) kept(name string) int {
	for i := range p.policy.Kept {
		if p.policy.Kept[i].Name == name {
			return i
		}
	}
	return -1
}

func (p *parser) let(name string) *let {
	for i := range p.lets {
		if p.lets[i].name == name {
			return &p.lets[i]
		}
	}
	return nil
}

// keep reads "NAME [of THING] = [-]NUMBER".
func (p *parser) keep() error {
	t, err := p.own("the name of what is kept")
	if err != nil {
		return err
	}
	if err := p.fresh(t); err != nil {
		return err
	}
	k := Kept{Name: t.text, at: t}
	if p.take("of") {
		of := p.next()
		things := p.place.Things()
		if len(things) == 0 {
			return of.fails("nothing that is kept is of a thing here; write keep %s = 0", t.text)
		}
		if of.kind != word || !slices.Contains(things, of.text) {
			return of.fails("things here are %s", strings.Join(things, ", "))
		}
		k.Thing = of.text
	}
	if e := p.next(); !e.is("=") {
		return e.fails("%s needs a first value: keep %s = 0", t.text, t.text)
	}
	negative := p.take("-")
	v := p.next()
	if v.kind != number {
		return v.fails("the first value is a number")
	}
	if k.First, err = value(v.text); err != nil {
		return v.fails("%s", err)
	}
	if negative {
		k.First = -k.First
	}
	if len(p.policy.Kept) == mostKept {
		return t.fails("more than %d numbers are kept", mostKept)
	}
	p.policy.Kept = append(p.policy.Kept, k)
	return nil
}

// when reads "EVENT: NAME = expr, ...".
func (p *parser) when() error {
	t := p.next()
	at := -1
	if t.kind == word {
		at = p.place.event(t.text)
	}
	if at < 0 {
		var names []string
		for i := range p.place.Events {
			names = append(names, p.place.Events[i].Name)
		}
		if len(names) == 0 {
			return t.fails("nothing happens here that numbers could be kept of")
		}
		if t.kind != word {
			return t.fails("here should be what happens, one of %s, but %s", strings.Join(names, ", "), t.said())
		}
		return t.fails("nothing happens that is called %q; there are %s", t.text, strings.Join(names, ", "))
	}
	if c := p.next(); !c.is(":") {
		return c.fails("here should be a colon, but %s", c.said())
	}
	p.thing, p.what = p.place.Events[at].Thing, "event "+t.text
	for {
		n := p.next()
		if n.kind != word {
			return n.fails("here should be a number that is kept, but %s", n.said())
		}
		k := p.kept(n.text)
		if k < 0 {
			return n.fails("%q is not kept; write before it: keep %s = 0", n.text, n.text)
		}
		if err := p.about(k, n); err != nil {
			return err
		}
		if e := p.next(); !e.is("=") {
			return e.fails("here should be =, but %s", e.said())
		}
		e, err := p.number(n.text)
		if err != nil {
			return err
		}
		p.events[at] = append(p.events[at], change{k, e})
		if len(p.events[at]) > mostLines {
			return n.fails("more than %d changes", mostLines)
		}
		if !p.take(",") {
			return nil
		}
	}
}

// about reports an error if a number is kept of things that are not spoken of.
func (p *parser) about(k int, t token) error {
	if thing := p.policy.Kept[k].Thing; thing != "" && thing != p.thing {
		return t.fails("%s is kept of a %s, and the %s is not about one", t.text, thing, p.what)
	}
	return nil
}

// assign reads a rule or a let.
func (p *parser) assign() error {
	t, err := p.own("the name of a rule")
	if err != nil {
		return err
	}
	if p.peek().is(":") && p.place.event(t.text) >= 0 {
		return t.fails("write: when %s: ...", t.text)
	}
	if e := p.next(); !e.is("=") {
		return e.fails("here should be =, but %s", e.said())
	}
	r := p.place.rule(t.text)
	if r < 0 {
		if err := p.fresh(t); err != nil {
			return err
		}
		p.thing, p.what = anything, "let"
		e, err := p.all()
		if err != nil {
			return err
		}
		p.lets = append(p.lets, let{t.text, e, t, false})
		return nil
	}
	if before := p.rules[r]; before != nil {
		return t.fails("%s is there already, in line %d", t.text, before.at.line)
	}
	p.thing, p.what = p.place.Rules[r].Thing, "rule "+t.text
	var e *expr
	if p.place.Rules[r].Condition {
		if e, err = p.all(); err == nil && !e.cond {
			err = t.fails("%s is a condition; this is a number. Compare it with something", t.text)
		}
	} else {
		e, err = p.number(t.text)
	}
	if err != nil {
		return err
	}
	rule := *e // a let that stands alone has another place
	rule.at = t
	p.rules[r] = &rule
	return nil
}

// anything is the thing of a let, which is checked where it is used.
const anything = "*"

// number reads an expression that is a number, for a name.
func (p *parser) number(name string) (*expr, error) {
	at := p.tokens[p.at-2] // the name
	e, err := p.all()
	if err == nil && e.cond {
		return nil, at.fails("%s is a number; this is a condition. Write (1 if ... else 0)", name)
	}
	return e, err
}

// whole reports what is missing or too much once all is read.
func (p *parser) whole() error {
	some := false
	for _, r := range p.rules {
		some = some || r != nil
	}
	for i := range p.lets {
		if l := &p.lets[i]; !l.used {
			var names []string
			for r := range p.place.Rules {
				names = append(names, p.place.Rules[r].Name)
			}
			return l.at.fails("%s is used nowhere%s", l.name, perhaps(l.name, names))
		}
	}
	if !some {
		var names []string
		for r := range p.place.Rules {
			names = append(names, p.place.Rules[r].Name)
		}
		return p.peek().fails("no rule; give one of %s", strings.Join(names, ", "))
	}
	return nil
}

// together reports rules that no one part of an engine asks, and what such rules may not read.
func (p *parser) together() error {
	first := -1
	for i, r := range p.rules {
		if r != nil && (first < 0 || r.at.before(p.rules[first].at)) {
			first = i
		}
	}
	seam := p.place.Rules[first].Seam
	p.policy.Seam = seam
	for i, r := range p.rules {
		if r != nil && p.place.Rules[i].Seam != seam {
			return r.at.fails("%s and %s do not go together; beside %s may stand %s", p.place.Rules[first].Name, p.place.Rules[i].Name, p.place.Rules[first].Name, p.place.beside(first))
		}
	}
	var wrong *expr
	seen := map[*expr]bool{}
	var look func(*expr)
	look = func(e *expr) {
		if wrong != nil || e == nil || seen[e] {
			return
		}
		seen[e] = true
		if e.op == opFeature {
			if s := p.place.Features[e.ref].Seams; s != nil && !slices.Contains(s, seam) {
				wrong = e
				return
			}
		}
		for _, k := range e.kids {
			look(k)
		}
	}
	for _, r := range p.rules {
		look(r)
	}
	for i, list := range p.events {
		for _, c := range list {
			if s := p.place.Events[i].Seam; s != "" && s != seam {
				return c.e.at.fails("%s does not happen where %s is asked", p.place.Events[i].Name, p.place.Rules[first].Name)
			}
			look(c.e)
		}
	}
	if wrong != nil {
		return wrong.at.fails("%s is not known where %s is asked", p.place.Features[wrong.ref].Name, p.place.Rules[first].Name)
	}
	return nil
}

// before reports whether t stands before o.
func (t token) before(o token) bool {
	return t.line < o.line || t.line == o.line && t.column < o.column
}

// beside names the rules that may stand with a rule.
func (p *Place) beside(rule int) string {
	var names []string
	for i := range p.Rules {
		if i != rule && p.Rules[i].Seam == p.Rules[rule].Seam {
			names = append(names, p.Rules[i].Name)
		}
	}
	if names == nil {
		return "no other rule"
	}
	return strings.Join(names, ", ")
}
