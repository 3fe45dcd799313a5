package sweep

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"spillway/sim/report"
)

// A Test says how a quantity is judged.
type Test uint8

// The tests of a [Want].
const (
	Fits    Test = iota // the system can run it; the quantity is only shown
	Within              // at most Share worse than that of another system
	AtLeast             // at least Bound, or that of another system
	AtMost              // at most Bound, or that of another system
)

// A Want is what must hold.
type Want struct {
	Quantity report.Quantity
	Test     Test
	Share    float64 // of Within: 0.05 is 5 %
	Bound    float64 // in the quantity's own unit
}

// holds reports whether y is as wanted; than is that of the system compared with,
// or the bound.
func (w *Want) holds(y, than Reading) bool {
	if w.Test == Fits {
		return y.Problem == "" && y.Fits
	}
	if !y.ok() || !than.ok() {
		return false
	}
	slack := float64(w.Share * max(than.Value, -than.Value))
	up, down := y.Value >= than.Value-slack, y.Value <= than.Value+slack
	switch w.Test {
	case AtLeast:
		return y.Value >= than.Value
	case AtMost:
		return y.Value <= than.Value
	}
	return (w.Quantity.Better < 0 || up) && (w.Quantity.Better > 0 || down)
}

// say is what is wanted, for people, behind the system's name; than is the name
// of the system compared with, empty for the bound.
func (w *Want) say(than string) string {
	if than == "" {
		than = w.value(w.Bound, w.exact(w.Bound))
	}
	switch w.Test {
	case Within:
		return fmt.Sprintf("is within %s %% of %s in %s", strconv.FormatFloat(w.Share*100, 'g', 6, 64), than, w.name())
	case AtLeast:
		return fmt.Sprintf("has at least %s in %s", than, w.name())
	case AtMost:
		return fmt.Sprintf("has at most %s in %s", than, w.name())
	}
	return "can run it"
}

// gives is say of what gives a system that: "brings P within 5 % of Ideal in speed".
func (w *Want) gives(system, than string) string {
	if than == "" {
		than = w.value(w.Bound, w.exact(w.Bound))
	}
	switch w.Test {
	case Within:
		return fmt.Sprintf("brings %s within %s %% of %s in %s", system, strconv.FormatFloat(w.Share*100, 'g', 6, 64), than, w.name())
	case AtLeast:
		return fmt.Sprintf("gives %s at least %s in %s", system, than, w.name())
	case AtMost:
		return fmt.Sprintf("gives %s at most %s in %s", system, than, w.name())
	}
	return "lets " + system + " run it"
}

// name is the quantity's label inside a sentence.
func (w *Want) name() string { return lower(w.Quantity.Label) }

// moreDigits is how many decimals more than usual a value has at most.
const moreDigits = 12

// value is a value of the quantity with its unit, for people: with the quantity's
// decimals, or as many more as it takes until its text is enough.
func (w *Want) value(v float64, enough func(text string) bool) string {
	text := w.digits(v, 0)
	for more := 1; more <= moreDigits && !enough(text); more++ {
		text = w.digits(v, more)
	}
	if w.Quantity.Unit != "" {
		text += " " + w.Quantity.Unit
	}
	return text
}

// digits is a value with so many decimals more than the quantity's.
func (w *Want) digits(v float64, more int) string {
	return strconv.FormatFloat(w.Quantity.Shown(v), 'f', w.Quantity.Places+more, 64)
}

// exact asks for a text that is v, but for the noise of its conversion.
func (w *Want) exact(v float64) func(string) bool {
	return func(text string) bool {
		shown := w.Quantity.Shown(v)
		read, err := strconv.ParseFloat(text, 64)
		return err != nil || math.Abs(read-shown) <= 1e-9*math.Abs(shown)
	}
}

// apart asks for a text that is not what v rounds to.
func (w *Want) apart(v float64) func(string) bool {
	return func(text string) bool {
		_, decimals, _ := strings.Cut(text, ".")
		return text != w.digits(v, len(decimals)-w.Quantity.Places)
	}
}

// lower is a label as it stands inside a sentence: names of one word begin small.
func lower(label string) string {
	if len(label) > 1 && label[0] >= 'A' && label[0] <= 'Z' && label[1] >= 'a' && label[1] <= 'z' {
		return string(label[0]+'a'-'A') + label[1:]
	}
	return label
}
