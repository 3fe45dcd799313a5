// Package change says what differs between two states of a golden file: of the values
// that stand beside hashes, and of any other text. Tests that fail say it.
package change

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/report"
)

// A Value is one quantity of a run as text: an integer, the shortest number that is this
// float64, or words. Its key says the unit, and has no blanks.
type Value struct{ Key, Text string }

// Int returns an integer as a value.
func Int[N ~int | ~int32 | ~int64](key string, n N) Value {
	return Value{key, strconv.FormatInt(int64(n), 10)}
}

// Float returns a number as a value.
func Float(key string, x float64) Value {
	format := byte('f')
	if a := math.Abs(x); a != 0 && a < 1e-6 || a >= 1e21 {
		format = 'e'
	}
	return Value{key, strconv.FormatFloat(x, format, -1, 64)}
}

// Cannot is the value of a run that there is not, which says why.
func Cannot(reason string) Value { return Value{"cannot", strings.Join(strings.Fields(reason), " ")} }

// Report returns the quantities of a report with these keys; of one that does not fit, why.
func Report(quantities []report.Quantity, r *report.Report, keys ...string) []Value {
	if !r.Fits {
		return []Value{Cannot(r.Reason)}
	}
	var list []Value
	for _, key := range keys {
		at := slices.IndexFunc(quantities, func(q report.Quantity) bool { return q.Key == key })
		if at < 0 {
			panic("change: no quantity is called " + key)
		}
		if v, ok := r.Value(at); ok {
			list = append(list, Float(key, v))
		}
	}
	return list
}

// A Run is what values.golden says of one run.
type Run struct {
	Name   string // of no other run of the file
	Values []Value
}

// indent is before a value's key. A run's name is not indented: git shows it above each
// hunk of a diff.
const indent = "  "

// Format returns the text of values.golden: each run's name, and below it a line a value.
func Format(runs []Run) string {
	var b strings.Builder
	for _, r := range runs {
		b.WriteString(r.Name + "\n")
		for _, v := range r.Values {
			b.WriteString(indent + v.Key + " " + v.Text + "\n")
		}
	}
	return b.String()
}

// Parse reads what Format wrote.
func Parse(text string) ([]Run, error) {
	var runs []Run
	for i, line := range split(text) {
		value, is := strings.CutPrefix(line, indent)
		switch key, text, ok := strings.Cut(value, " "); {
		case !is:
			runs = append(runs, Run{Name: line})
		case len(runs) == 0 || !ok:
			return nil, fmt.Errorf("line %d: %q is no run with values; go test -update writes the file anew", i+1, line)
		default:
			last := &runs[len(runs)-1]
			last.Values = append(last.Values, Value{key, text})
		}
	}
	return runs, nil
}

// split returns the lines of a text, without an empty last one.
func split(text string) []string {
	if text = strings.TrimSuffix(text, "\n"); text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// A Delta is a value that is not what it was. Was is empty of a new one, Is of one that
// is gone.
type Delta struct{ Key, Was, Is string }

// Relative returns how far Is is from Was, in parts of Was: 0.01 is 1 % more. It is
// infinite where Was is 0, and NaN where one of them is no number.
func (d *Delta) Relative() float64 {
	was, e1 := strconv.ParseFloat(d.Was, 64)
	is, e2 := strconv.ParseFloat(d.Is, 64)
	if e1 != nil || e2 != nil {
		return math.NaN()
	}
	return (is - was) / math.Abs(was)
}

func (d *Delta) String() string {
	switch r := d.Relative(); {
	case d.Was == "":
		return fmt.Sprintf("%s %s (new)", d.Key, d.Is)
	case d.Is == "":
		return fmt.Sprintf("%s %s (gone)", d.Key, d.Was)
	case math.IsNaN(r) || math.IsInf(r, 0):
		return fmt.Sprintf("%s %s → %s", d.Key, d.Was, d.Is)
	default:
		return fmt.Sprintf("%s %s → %s (%s)", d.Key, d.Was, d.Is, Percent(r))
	}
}

// Percent writes a relative change with two digits that count: "+0.013 %".
func Percent(r float64) string {
	if p := 100 * math.Abs(r); p >= 10 && p < 1e6 {
		return fmt.Sprintf("%+.0f %%", 100*r)
	}
	return fmt.Sprintf("%+.2g %%", 100*r)
}

// rounding is how far two values may be apart that are the same: platforms may fuse a
// multiplication with an addition where a float64 is made of a run's integers.
const rounding = 1e-12

// A Change is a run that is not what it was. Without deltas only its hash is another.
type Change struct {
	Name      string
	New, Gone bool
	Deltas    []Delta
}

// few is how many deltas of a run are said, the others are counted.
const few = 3

func (c *Change) String() string {
	switch {
	case c.New:
		return c.Name + ": a new run"
	case c.Gone:
		return c.Name + ": there is no such run any more"
	case len(c.Deltas) == 0:
		return c.Name + ": another hash, the same values"
	}
	var says []string
	for i := range c.Deltas[:min(few, len(c.Deltas))] {
		says = append(says, c.Deltas[i].String())
	}
	if n := len(c.Deltas) - few; n > 0 {
		says = append(says, fmt.Sprintf("%d more", n))
	}
	return c.Name + ": " + strings.Join(says, ", ")
}

// Values returns the deltas between the values of two runs, in their order.
func Values(was, is []Value) (list []Delta) {
	find := func(in []Value, key string) string {
		if at := slices.IndexFunc(in, func(v Value) bool { return v.Key == key }); at >= 0 {
			return in[at].Text
		}
		return ""
	}
	for _, v := range is {
		d := Delta{v.Key, find(was, v.Key), v.Text}
		if d.Was != d.Is && !(math.Abs(d.Relative()) < rounding) {
			list = append(list, d)
		}
	}
	for _, v := range was {
		if find(is, v.Key) == "" {
			list = append(list, Delta{v.Key, v.Text, ""})
		}
	}
	return list
}

// A File is a file of hashes and the values beside them: line i of the one is about run
// i of the other.
type File struct {
	Lines []string
	Runs  []Run
}

// Read reads the texts of both.
func Read(hashes, values string) (*File, error) {
	runs, err := Parse(values)
	return &File{split(hashes), runs}, err
}

// Paired reports whether there are as many hashes as runs.
func (f *File) Paired() bool { return len(f.Lines) == len(f.Runs) }

// line returns line i; nothing is known of hashes where they are not paired.
func (f *File) line(i int) string {
	if !f.Paired() {
		return ""
	}
	return f.Lines[i]
}

// Between returns the runs that are not what they were, in their order, then those that
// are gone. An empty line in is is about a run that was not made now: only that there is
// one is known.
func Between(was, is *File) (list []Change) {
	before := map[string]int{}
	for i := range was.Runs {
		before[was.Runs[i].Name] = i
	}
	hashed := was.Paired() && is.Paired()
	for i := range is.Runs {
		r := &is.Runs[i]
		at, ok := before[r.Name]
		delete(before, r.Name)
		switch {
		case !ok:
			list = append(list, Change{Name: r.Name, New: true})
		case is.Paired() && is.Lines[i] == "":
		default:
			deltas := Values(was.Runs[at].Values, r.Values)
			if len(deltas) > 0 || hashed && was.line(at) != is.line(i) {
				list = append(list, Change{Name: r.Name, Deltas: deltas})
			}
		}
	}
	for _, r := range was.Runs {
		if _, gone := before[r.Name]; gone {
			list = append(list, Change{Name: r.Name, Gone: true})
		}
	}
	return list
}
