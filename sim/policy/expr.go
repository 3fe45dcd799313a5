package policy

import (
	"slices"
	"strings"
)

// node makes an expression of operands, and counts its operations.
func (p *parser) node(at token, o op, cond bool, kids ...*expr) (*expr, error) {
	e := &expr{op: o, cond: cond, kids: kids, at: at, ops: 1}
	for _, k := range kids {
		e.ops += k.ops
	}
	if e.ops > mostOps {
		return nil, at.fails("more than %d operations", mostOps)
	}
	return e, nil
}

// deeper guards against nesting without end.
func (p *parser) deeper() error {
	if p.depth++; p.depth > mostNesting {
		return p.peek().fails("nested more than %d deep", mostNesting)
	}
	return nil
}

// wants reports an error if an operand is of the other type.
func wants(t token, e *expr, cond bool) error {
	switch {
	case e.cond && !cond:
		return t.fails("%q is for numbers; beside it is a condition", t.text)
	case !e.cond && cond:
		return t.fails("%q is for conditions; beside it is a number", t.text)
	}
	return nil
}

// all reads an expression that nothing follows which would go on with it.
func (p *parser) all() (*expr, error) {
	e, err := p.expr()
	if t := p.peek(); err == nil && t.is("=") {
		return nil, t.fails(`to compare, write "=="`)
	}
	return e, err
}

// expr = or [ "if" or "else" expr ] .
func (p *parser) expr() (*expr, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	e, err := p.or()
	if err != nil || !p.peek().is("if") {
		return e, err
	}
	t := p.next()
	c, err := p.or()
	if err != nil {
		return nil, err
	}
	if err := wants(t, c, true); err != nil {
		return nil, err
	}
	if n := p.next(); !n.is("else") {
		return nil, n.fails(`"if" needs "else": x if condition else y; here %s`, n.said())
	}
	other, err := p.expr()
	if err != nil {
		return nil, err
	}
	if e.cond != other.cond {
		return nil, t.fails("before \"if\" and after \"else\" are a number and a condition; both must be of one kind")
	}
	return p.node(t, opIf, e.cond, c, e, other)
}

// or = and { "or" and } .
func (p *parser) or() (*expr, error) { return p.logic("or", opOr, p.and) }

// and = not { "and" not } .
func (p *parser) and() (*expr, error) { return p.logic("and", opAnd, p.not) }

func (p *parser) logic(name string, o op, operand func() (*expr, error)) (*expr, error) {
	e, err := operand()
	for err == nil && p.peek().is(name) {
		t := p.next()
		if err = wants(t, e, true); err != nil {
			break
		}
		var f *expr
		if f, err = operand(); err != nil {
			break
		}
		if err = wants(t, f, true); err != nil {
			break
		}
		e, err = p.node(t, o, true, e, f)
	}
	return e, err
}

// not = "not" not | comparison .
func (p *parser) not() (*expr, error) {
	t := p.peek()
	if !p.take("not") {
		return p.comparison()
	}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	e, err := p.not()
	if err != nil {
		return nil, err
	}
	if err := wants(t, e, true); err != nil {
		return nil, err
	}
	return p.node(t, opNot, true, e)
}

var comparisons = map[string]op{"<": opLess, "<=": opLessEqual, ">": opGreater, ">=": opGreaterEqual, "==": opEqual, "!=": opUnequal}

// comparison = sum [ ("<"|"<="|">"|">="|"=="|"!=") sum ] .
func (p *parser) comparison() (*expr, error) {
	e, err := p.sum()
	if err != nil {
		return nil, err
	}
	t := p.peek()
	o, ok := comparisons[t.text]
	if !ok || t.kind != sign {
		return e, nil
	}
	p.next()
	f, err := p.sum()
	if err != nil {
		return nil, err
	}
	for _, x := range []*expr{e, f} {
		if err := wants(t, x, false); err != nil {
			return nil, err
		}
	}
	if again := p.peek(); again.kind == sign && comparisons[again.text] != 0 {
		return nil, again.fails("write a < b and b < c")
	}
	return p.node(t, o, true, e, f)
}

// sum = product { ("+"|"-") product } .
func (p *parser) sum() (*expr, error) {
	return p.arithmetic(p.product, map[string]op{"+": opAdd, "-": opSub})
}

// product = unary { ("*"|"/") unary } .
func (p *parser) product() (*expr, error) {
	return p.arithmetic(p.unary, map[string]op{"*": opMul, "/": opDiv})
}

func (p *parser) arithmetic(operand func() (*expr, error), signs map[string]op) (*expr, error) {
	e, err := operand()
	for err == nil {
		t := p.peek()
		o, ok := signs[t.text]
		if !ok || t.kind != sign {
			break
		}
		p.next()
		if err = wants(t, e, false); err != nil {
			break
		}
		var f *expr
		if f, err = operand(); err != nil {
			break
		}
		if err = wants(t, f, false); err != nil {
			break
		}
		e, err = p.node(t, o, false, e, f)
	}
	return e, err
}

// unary = "-" unary | atom .
func (p *parser) unary() (*expr, error) {
	t := p.peek()
	if !p.take("-") {
		return p.atom()
	}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	e, err := p.unary()
	if err != nil {
		return nil, err
	}
	if err := wants(t, e, false); err != nil {
		return nil, err
	}
	return p.node(t, opNeg, false, e)
}

// functions are what has parentheses behind it, and of how many numbers it is at least.
var functions = map[string]struct {
	op    op
	least int
}{"min": {opMin, 2}, "max": {opMax, 2}, "abs": {opAbs, 1}, "floor": {opFloor, 1}, "sqrt": {opSqrt, 1}}

// atom = NUMBER [UNIT] | NAME | FN "(" expr { "," expr } ")" | "(" expr ")" .
func (p *parser) atom() (*expr, error) {
	t := p.next()
	switch {
	case t.kind == number:
		v, err := value(t.text)
		if err != nil {
			return nil, t.fails("%s", err)
		}
		return &expr{op: opNumber, value: v, at: t}, nil
	case t.is("("):
		e, err := p.expr()
		if err != nil {
			return nil, err
		}
		if c := p.next(); !c.is(")") {
			return nil, p.instead(c, "here should be )")
		}
		return e, nil
	case t.kind != word || slices.Contains(words, t.text) && functions[t.text].op == 0:
		if t.is("+") {
			return nil, t.fails("leave the + out")
		}
		if t.is("!=") || t.is("=") {
			return nil, t.fails(`to compare, write "=="; for a condition that is not so, "not"`)
		}
		return nil, t.fails("here should be a number, but %s", t.said())
	case functions[t.text].op != 0:
		return p.call(t)
	}
	return p.name(t)
}

// instead says what should be where a token is.
func (p *parser) instead(t token, what string) error {
	if t.is("=") {
		return t.fails(`to compare, write "=="`)
	}
	if t.is("if") {
		return t.fails(`"if" needs "else": x if condition else y`)
	}
	return t.fails("%s, but %s", what, t.said())
}

// call reads what stands behind the name of a function.
func (p *parser) call(t token) (*expr, error) {
	f := functions[t.text]
	if !p.take("(") {
		return nil, p.peek().fails("%s needs parentheses: %s(...)", t.text, t.text)
	}
	var e *expr
	n := 0
	for !p.take(")") {
		if n > 0 && !p.take(",") {
			return nil, p.instead(p.peek(), "here should be a comma or )")
		}
		x, err := p.expr()
		if err != nil {
			return nil, err
		}
		if err := wants(t, x, false); err != nil {
			return nil, err
		}
		switch {
		case n == 0:
			e = x
		case f.least == 1:
			return nil, t.fails("%s takes one number", t.text)
		default:
			if e, err = p.node(t, f.op, false, e, x); err != nil {
				return nil, err
			}
		}
		n++
	}
	switch {
	case n < f.least && f.least == 1:
		return nil, t.fails("%s takes one number, not none", t.text)
	case n < f.least:
		return nil, t.fails("%s takes %d numbers, not %d", t.text, f.least, n)
	case f.least == 1:
		return p.node(t, f.op, false, e)
	}
	return e, nil
}

// name reads what a name stands for: what the text says goes before what the place has, so that
// a feature that is added later changes no text.
func (p *parser) name(t token) (*expr, error) {
	if p.peek().is("(") {
		return nil, t.fails("there is no function %s; there are min, max, abs, floor, sqrt", t.text)
	}
	if k := p.kept(t.text); k >= 0 {
		if p.thing != anything {
			if err := p.about(k, t); err != nil {
				return nil, err
			}
		}
		return &expr{op: opKept, ref: k, at: t}, nil
	}
	if l := p.let(t.text); l != nil {
		l.used = true
		if err := p.fits(l.e, t); err != nil {
			return nil, err
		}
		return l.e, nil
	}
	if at := p.place.Feature(t.text); at >= 0 {
		if thing := p.place.Features[at].Thing; thing != "" && thing != p.thing && p.thing != anything {
			return nil, t.fails("%s is of a %s, and the %s is not about one", t.text, thing, p.what)
		}
		return &expr{op: opFeature, cond: p.place.Features[at].Condition, ref: at, at: t}, nil
	}
	return nil, p.unknown(t)
}

// fits reports an error if a let reads numbers of things that are not spoken of.
func (p *parser) fits(e *expr, t token) error {
	if p.thing == anything {
		return nil
	}
	var err error
	seen := map[*expr]bool{}
	var look func(*expr)
	look = func(e *expr) {
		if err != nil || seen[e] {
			return
		}
		seen[e] = true
		if e.op == opFeature {
			if f := &p.place.Features[e.ref]; f.Thing != "" && f.Thing != p.thing {
				err = t.fails("%s has %s in it, which is of a %s, and the %s is not about one", t.text, f.Name, f.Thing, p.what)
			}
		}
		if e.op == opKept {
			if thing := p.policy.Kept[e.ref].Thing; thing != "" && thing != p.thing {
				err = t.fails("%s has %s in it, which is kept of a %s, and the %s is not about one", t.text, p.policy.Kept[e.ref].Name, thing, p.what)
			}
		}
		for _, k := range e.kids {
			look(k)
		}
	}
	look(e)
	return err
}

// unknown is the error of a name without a meaning.
func (p *parser) unknown(t token) error {
	if p.place.rule(t.text) >= 0 {
		return t.fails("%s is a rule and no number; write what stands in it", t.text)
	}
	if p.place.event(t.text) >= 0 {
		return t.fails("%s is something that happens: when %s: ...", t.text, t.text)
	}
	lower := strings.ToLower(t.text)
	switch lower {
	case "true", "false":
		return t.fails("write a comparison: 1 == 1 is always so")
	}
	if slices.Contains(reserved, lower) {
		return t.fails("there is no %s", t.text)
	}
	var names []string
	for i := range p.policy.Kept {
		names = append(names, p.policy.Kept[i].Name)
	}
	for i := range p.lets {
		names = append(names, p.lets[i].name)
	}
	for i := range p.place.Features {
		names = append(names, p.place.Features[i].Name)
	}
	return t.fails("%s is unknown%s", t.text, perhaps(t.text, names))
}

// perhaps asks whether the name nearest to one that is unknown was meant, if one is near.
func perhaps(name string, names []string) string {
	best, least := "", 3
	for _, x := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(x)); d < least && d < len(name) && d < len(x) {
			best, least = x, d
		}
	}
	if best == "" {
		return ""
	}
	return "; do you mean " + best + "?"
}

// distance is how many letters must be put in, taken out, changed, or swapped with the next.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			d := min(rows[i-1][j], rows[i][j-1]) + 1
			same := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				same++
			}
			d = min(d, same)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}

// defaults reads the place's rules for those that the text has not.
func (p *parser) defaults() error {
	for i := range p.place.Rules {
		r := &p.place.Rules[i]
		if p.rules[i] != nil || r.Default == "" || r.Seam != p.policy.Seam {
			continue
		}
		tokens, err := lex(r.Default)
		if err != nil {
			return err
		}
		q := &parser{place: p.place, tokens: tokens, policy: &Policy{place: p.place}, thing: r.Thing, what: "rule " + r.Name}
		for k := range p.place.Rules[:i] {
			if e := p.rules[k]; e != nil {
				q.lets = append(q.lets, let{name: p.place.Rules[k].Name, e: e, at: e.at})
			}
		}
		q.policy.Kept = slices.Clone(p.policy.Kept)
		for k := range q.policy.Kept {
			q.policy.Kept[k].Name = "" // its names are the text's
		}
		if p.rules[i], err = q.expr(); err != nil {
			return err
		}
	}
	return nil
}
