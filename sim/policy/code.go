package policy

import (
	"math"
	"slices"
)

// A Code is an expression, or the changes of an event, compiled for registers: first the
// inputs, then constants, then what is computed, in the order of the steps. A step is one
// operation, so no two are ever rounded together.
type Code struct {
	// Inputs are what a caller puts into the first registers: a feature of the place, or of a
	// kept number k the number ^k.
	Inputs []int
	// Fixed reports whether the value can change only when something happens to the thing it is
	// about: no feature is live, and all that is kept is kept of things.
	Fixed bool

	number    int   // among those of its policy
	changing  []int // inputs that are read for every candidate, by place
	constants []float64
	steps     []step
	registers int
	out       []result
}

// A step computes one register of up to three others.
type step struct {
	op          op
	quiet       bool // of a division that stands behind a condition: its zeros are not counted
	to, a, b, c uint16
}

// A result is where the value is, and of an event for which kept number.
type result struct {
	kept int
	at   uint16
}

// Cost is how much work one candidate is: operations, and numbers that are read; at least 1, for
// whoever answers the same each time is asked nonetheless.
func (c *Code) Cost() int64 { return max(1, int64(len(c.steps)+len(c.Inputs))) }

func (c *Code) reads(feature int) bool {
	return slices.Contains(c.Inputs, feature)
}

// compiler makes code of expressions.
type compiler struct {
	code     *Code
	inputs   map[int]int    // by what is read
	constant map[uint64]int // by bits
	done     map[placed]int // what is computed already
	now      map[int]int    // of kept numbers that an event changed: where they are
	steps    []virtual
	out      []int // values that are results
}

// placed is an expression, behind a condition or not.
type placed struct {
	e     *expr
	quiet bool
}

// virtual is a step whose operands are values: inputs from 0, constants from 1<<20, steps
// from 1<<21.
type virtual struct {
	op    op
	quiet bool
	args  [3]int
	n     int // of them
}

const (
	ofConstant = 1 << 20
	ofStep     = 1 << 21
)

// compile makes the code of all rules and events.
func (p *parser) compile() error {
	policy := p.policy
	policy.rules, policy.given = make([]*Code, len(p.rules)), make([]bool, len(p.rules))
	for i, e := range p.rules {
		policy.given[i] = e != nil
	}
	if err := p.defaults(); err != nil {
		return err
	}
	for i, e := range p.rules {
		if e != nil {
			policy.rules[i] = p.code([]change{{-1, e}})
		}
	}
	policy.events = make([]*Code, len(p.events))
	for i, list := range p.events {
		if len(list) > 0 {
			policy.events[i] = p.code(list)
		}
	}
	for i := range p.place.Features {
		if p.place.Features[i].Future && policy.Reads(p.place.Features[i].Name) {
			policy.Future = true
		}
	}
	return nil
}

// code makes the code of changes, done in order.
func (p *parser) code(list []change) *Code {
	c := &compiler{
		code: &Code{Fixed: true, number: p.policy.codes}, inputs: map[int]int{}, constant: map[uint64]int{}, now: map[int]int{},
	}
	p.policy.codes++
	values := make([]int, len(list))
	for i, x := range list {
		c.done = map[placed]int{}
		values[i] = c.value(x.e, false)
		if x.kept >= 0 {
			c.now[x.kept] = values[i]
		}
	}
	for i, x := range list {
		if x.kept < 0 || c.now[x.kept] == values[i] { // the last of each
			c.code.out = append(c.code.out, result{kept: x.kept})
			c.out = append(c.out, values[i])
		}
	}
	for i, in := range c.code.Inputs {
		if in < 0 || !p.place.Features[in].Constant {
			c.code.changing = append(c.code.changing, i)
		}
		if in >= 0 && p.place.Features[in].Live || in < 0 && p.policy.Kept[^in].Thing == "" {
			c.code.Fixed = false
		}
	}
	c.place()
	return c.code
}

// value computes an expression and returns where its value is.
func (c *compiler) value(e *expr, quiet bool) int {
	switch e.op {
	case opNumber:
		bits := math.Float64bits(e.value)
		at, ok := c.constant[bits]
		if !ok {
			at = ofConstant + len(c.code.constants)
			c.constant[bits] = at
			c.code.constants = append(c.code.constants, e.value)
		}
		return at
	case opFeature:
		return c.input(e.ref)
	case opKept:
		if at, ok := c.now[e.ref]; ok {
			return at
		}
		return c.input(^e.ref)
	}
	key := placed{e, quiet}
	if at, ok := c.done[key]; ok {
		return at
	}
	v := virtual{op: e.op, quiet: quiet}
	for i, k := range e.kids {
		behind := e.op == opIf && i > 0 || (e.op == opAnd || e.op == opOr) && i > 0
		v.args[i] = c.value(k, quiet || behind)
	}
	v.n = len(e.kids)
	c.steps = append(c.steps, v)
	at := ofStep + len(c.steps) - 1
	c.done[key] = at
	return at
}

// input is where a number that is read is.
func (c *compiler) input(what int) int {
	at, ok := c.inputs[what]
	if !ok {
		at = len(c.code.Inputs)
		c.inputs[what] = at
		c.code.Inputs = append(c.code.Inputs, what)
	}
	return at
}

// place gives every value a register; that of a step is free again after its last use.
func (c *compiler) place() {
	const always = 1 << 30
	last := make([]int, len(c.steps))
	for i, v := range c.steps {
		for _, a := range v.args[:v.n] {
			if a >= ofStep {
				last[a-ofStep] = i
			}
		}
	}
	for _, a := range c.out {
		if a >= ofStep {
			last[a-ofStep] = always
		}
	}
	code := c.code
	fixed := len(code.Inputs) + len(code.constants)
	code.registers = fixed
	register := make([]int, len(c.steps))
	where := func(a int) uint16 {
		switch {
		case a >= ofStep:
			return uint16(register[a-ofStep])
		case a >= ofConstant:
			return uint16(len(code.Inputs) + a - ofConstant)
		}
		return uint16(a)
	}
	var free []int
	for i, v := range c.steps {
		s := step{op: v.op, quiet: v.quiet}
		for k, a := range v.args[:v.n] {
			switch k {
			case 0:
				s.a = where(a)
			case 1:
				s.b = where(a)
			case 2:
				s.c = where(a)
			}
		}
		for k, a := range v.args[:v.n] {
			if a >= ofStep && last[a-ofStep] == i && !slices.Contains(v.args[:k], a) {
				free = append(free, register[a-ofStep])
			}
		}
		if n := len(free); n > 0 {
			register[i], free = free[n-1], free[:n-1]
		} else {
			register[i] = code.registers
			code.registers++
		}
		s.to = uint16(register[i])
		code.steps = append(code.steps, s)
	}
	for i, a := range c.out {
		code.out[i].at = where(a)
	}
}
