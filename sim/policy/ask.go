package policy

import (
	"fmt"
	"slices"
)

// A Reader is an engine that knows features.
type Reader interface {
	// Read writes a feature of things into out, which is as long as things. Of a rule about no
	// thing there is one, 0. A condition is 1 or 0.
	Read(feature int, things []int32, out []float64)
}

// A One is a [Reader] that also knows a feature of one thing by itself, which is faster.
type One interface {
	ReadOne(feature int, thing int32) float64
}

// An Asker asks one policy during one run. It counts work in integers: the same on every
// platform.
type Asker struct {
	Policy *Policy
	State  State
	Doubts Doubts

	Asked      int64 // questions
	Candidates int64 // in all questions
	Most       int64 // in one
	Work       int64 // operations, and numbers that were read

	reader  Reader
	single  One // the reader, or nil
	limit   int64
	width   int           // of columns: no more than there are things
	frames  [][]float64   // by code
	columns [][][]float64 // by code
	scores  [Width]float64
	one     [1]int32
}

// NewAsker returns what asks a policy about so many things. Beyond its work it is [Asker.Over].
// The reader knows the dials, too.
func NewAsker(c *Chosen, r Reader, things int) *Asker {
	p := c.Policy
	single, _ := r.(One)
	return &Asker{
		single: single, Policy: p, State: p.state(things), reader: r, limit: c.Work, width: min(Width, max(1, things)),
		frames: make([][]float64, p.codes), columns: make([][][]float64, p.codes),
	}
}

// Over reports whether the policy asked for more work than it may. The engine ends the run.
func (a *Asker) Over() bool { return a.Work > a.limit }

// Says is why a run ends where the policy is [Asker.Over].
func (a *Asker) Says() string {
	mean := a.Candidates / max(1, a.Asked)
	if mean <= 1 {
		return fmt.Sprintf("the policy was asked %d times; ask for less, or raise Policy work", a.Asked)
	}
	return fmt.Sprintf("the policy was asked %d times, about %d candidates each time; use only numbers that do not change while something waits, or raise Policy work", a.Asked, mean)
}

// Notes say what is allowed and perhaps not meant.
func (a *Asker) Notes() []string {
	var list []string
	add := func(n int64, one, many string) {
		switch {
		case n == 1:
			list = append(list, one)
		case n > 1:
			list = append(list, fmt.Sprintf(many, n))
		}
	}
	add(a.Doubts.Divided, "The policy divided by zero once; that counts as 0.", "The policy divided by zero %d times; that counts as 0.")
	add(a.Doubts.Rooted, "The policy took a root of a negative number once; that counts as 0.", "The policy took roots of negative numbers %d times; that counts as 0.")
	add(a.Doubts.NoNumber, "One score was no number; such a one is the least.", "%d scores were no numbers; such are the least.")
	return list
}

// Value asks a rule about one thing.
func (a *Asker) Value(c *Code, thing int32) float64 {
	a.count(c, 1)
	return a.evaluate(c, thing)[c.out[0].at]
}

// Yes asks a condition about one thing.
func (a *Asker) Yes(c *Code, thing int32) bool { return a.Value(c, thing) != 0 }

// Score asks a rule about one thing; the greater integer is the greater score.
func (a *Asker) Score(c *Code, thing int32) int64 { return a.order(a.Value(c, thing)) }

func (a *Asker) order(x float64) int64 {
	if x != x {
		a.Doubts.NoNumber++
	}
	return Order(x)
}

func (a *Asker) count(c *Code, candidates int) {
	n := int64(candidates)
	a.Asked++
	a.Candidates += n
	a.Most = max(a.Most, n)
	a.Work += n * c.Cost()
}

// evaluate computes code for one thing and returns the registers.
func (a *Asker) evaluate(c *Code, thing int32) []float64 {
	f := a.frames[c.number]
	if f == nil {
		f = c.frame()
		a.frames[c.number] = f
		a.one[0] = thing
		for i, in := range c.Inputs {
			if !slices.Contains(c.changing, i) {
				a.reader.Read(in, a.one[:], f[i:i+1])
			}
		}
	}
	for _, i := range c.changing {
		switch in := c.Inputs[i]; {
		case in < 0:
			f[i] = a.State.get(^in, thing)
		case a.single != nil:
			f[i] = a.single.ReadOne(in, thing)
		default:
			a.one[0] = thing
			a.reader.Read(in, a.one[:], f[i:i+1])
		}
	}
	c.run(f, &a.Doubts)
	return f
}

// Happens changes what is kept, as the text says of an event. It costs nothing where that says nothing.
func (a *Asker) Happens(event *Code, thing int32) {
	if event == nil {
		return
	}
	a.Work += event.Cost()
	f := a.evaluate(event, thing)
	for _, r := range event.out {
		a.State.set(r.kept, thing, f[r.at])
	}
}

// Best asks a rule about all things and returns the one of the greatest score, -1 if there are
// none. Of equal scores it is the one of the greatest tie, times sign, if there is a rule for
// ties, and then that of the smallest number; never is it by the order in which they stand.
func (a *Asker) Best(c, tie *Code, sign float64, things []int32) int32 {
	return a.best(c, tie, sign, things, false)
}

// First is Best for things whose order means something: of equal scores it is the one that stands
// first.
func (a *Asker) First(c *Code, things []int32) int32 { return a.best(c, nil, 0, things, true) }

func (a *Asker) best(c, tie *Code, sign float64, things []int32, ordered bool) int32 {
	if len(things) == 0 {
		return -1
	}
	a.count(c, len(things))
	if tie != nil {
		a.Work += int64(len(things)) * tie.Cost()
	}
	best, score, second := int32(-1), int64(0), int64(0)
	for len(things) > 0 {
		n := min(len(things), Width)
		part := things[:n]
		things = things[n:]
		scores := a.column(c, part)
		var ties []float64
		if tie != nil {
			copy(a.scores[:], scores)
			scores, ties = a.scores[:n], a.column(tie, part)
		}
		for i, t := range part {
			s, second2 := a.order(scores[i]), int64(0)
			if best >= 0 && s < score {
				continue
			}
			if tie != nil {
				second2 = a.order(sign * ties[i])
			}
			if best < 0 || s > score || second2 > second || second2 == second && t < best && !ordered {
				best, score, second = t, s, second2
			}
		}
	}
	return best
}

// column computes code for up to Width things.
func (a *Asker) column(c *Code, things []int32) []float64 {
	f := a.columns[c.number]
	if f == nil {
		f = c.columns(a.width)
		a.columns[c.number] = f
		a.one[0] = things[0]
		for i, in := range c.Inputs {
			if !slices.Contains(c.changing, i) {
				a.reader.Read(in, a.one[:], f[i][:1])
				for k := range f[i] {
					f[i][k] = f[i][0]
				}
			}
		}
	}
	n := len(things)
	for _, i := range c.changing {
		if in := c.Inputs[i]; in >= 0 {
			a.reader.Read(in, things, f[i][:n])
		} else {
			a.State.column(^in, things, f[i])
		}
	}
	c.runColumns(f, n, &a.Doubts)
	return f[c.out[0].at][:n]
}

// A State is what is kept. It can be saved and put back, where an engine replays.
type State struct {
	kept []Kept
	run  []float64   // by kept number; of those that are kept once
	of   [][]float64 // by kept number and thing
}

// state returns the first values.
func (p *Policy) state(things int) State {
	s := State{kept: p.Kept, run: make([]float64, len(p.Kept)), of: make([][]float64, len(p.Kept))}
	for i, k := range p.Kept {
		s.run[i] = k.First
		if k.Thing != "" {
			s.of[i] = make([]float64, things)
			for t := range s.of[i] {
				s.of[i][t] = k.First
			}
		}
	}
	return s
}

// Reset gives what is kept of a thing its first values: it is another from now on.
func (s *State) Reset(thing int32) {
	for i, list := range s.of {
		if list != nil {
			list[thing] = s.kept[i].First
		}
	}
}

// Save returns a copy that nothing changes.
func (s *State) Save() State {
	c := State{kept: s.kept, run: append([]float64(nil), s.run...), of: make([][]float64, len(s.of))}
	for i, list := range s.of {
		if list != nil {
			c.of[i] = append([]float64(nil), list...)
		}
	}
	return c
}

func (s *State) get(k int, thing int32) float64 {
	if s.of[k] != nil {
		return s.of[k][thing]
	}
	return s.run[k]
}

func (s *State) set(k int, thing int32, v float64) {
	if s.of[k] != nil {
		s.of[k][thing] = v
		return
	}
	s.run[k] = v
}

func (s *State) column(k int, things []int32, out []float64) {
	list := s.of[k]
	for i, t := range things {
		if list != nil {
			out[i] = list[t]
		} else {
			out[i] = s.run[k]
		}
	}
}
