package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/prose"
)

// Subject says what was changed, as a sentence begins, and whether that is plural.
func Subject(ds []knob.Difference) (text string, many bool) {
	if text, many := scaled(ds); text != "" {
		return text, many
	}
	if len(ds) != 1 {
		return fmt.Sprintf("These %d changes together", len(ds)), true
	}
	d := &ds[0]
	switch d.Knob.Kind {
	case knob.One:
		text = Value(d.Knob, d.Is) + " instead of " + Value(d.Knob, d.Was)
		if c := d.Knob.Choice(d.Is); !d.Knob.Derived && (c == nil || c.Set == "") { // else it is a thing with a name
			text = d.Knob.Label + " " + text
		}
		return text, false
	case knob.Many:
		return members(d)
	}
	return fmt.Sprintf("%s %s instead of %s", d.Knob.Label, orElse(Value(d.Knob, d.Is), "nothing"), orElse(Value(d.Knob, d.Was), "nothing")), false
}

// scaled is Subject of numbers that all changed by the same factor.
func scaled(ds []knob.Difference) (text string, many bool) {
	factor := 0.0
	var names []string
	for i := range ds {
		was, err1 := strconv.ParseFloat(ds[i].Was, 64)
		is, err2 := strconv.ParseFloat(ds[i].Is, 64)
		if ds[i].Knob.Kind != knob.Number || err1 != nil || err2 != nil || was <= 0 || is <= 0 {
			return "", false
		}
		if f := is / was; i > 0 && math.Abs(f-factor) > 0.01*factor {
			return "", false
		} else if i == 0 {
			factor = f
		}
		name := inner(ds[i].Knob.Label)
		if strings.Contains(ds[i].Knob.Unit, "/s") {
			name += " rate"
		}
		names = append(names, name)
	}
	if len(names) == 0 || len(names) > 3 {
		return "", false
	}
	return times(factor) + prose.List(names), len(names) > 1
}

// times says a factor before what it is of: "Twice the ".
func times(f float64) string {
	for _, x := range []struct {
		factor float64
		text   string
	}{{2, "Twice"}, {3, "Three times"}, {4, "Four times"}, {10, "Ten times"}, {0.5, "Half"}, {0.25, "A quarter of"}, {0.1, "A tenth of"}} {
		if math.Abs(f/x.factor-1) < 0.002 {
			return x.text + " the "
		}
	}
	switch {
	case f > 2:
		return Digits(f, 3) + " times the "
	case f > 1:
		return Digits(100*(f-1), 2) + " % more "
	case f > 0.5:
		return Digits(100*(1-f), 2) + " % less "
	}
	return Digits(100*f, 2) + " % of the "
}

// members is Subject of one difference of a Many: who came, who went.
func members(d *knob.Difference) (text string, many bool) {
	k := d.Knob
	if k.Choice(d.Is) != nil && k.Choice(d.Was) != nil { // both have a name
		return k.Label + " " + Value(k, d.Is) + " instead of " + Value(k, d.Was), false
	}
	was, is := k.Members(d.Was), k.Members(d.Is)
	var came, went []string
	for _, key := range is {
		if !slices.Contains(was, key) {
			came = append(came, Value(k, key))
		}
	}
	for _, key := range was {
		if !slices.Contains(is, key) {
			went = append(went, Value(k, key))
		}
	}
	switch n := len(came) + len(went); {
	case n > 3:
		return fmt.Sprintf("%d changes of %s", n, inner(k.Label)), true
	case len(went) == 0:
		return "Turning on " + prose.List(came), false
	case len(came) == 0:
		return "Turning off " + prose.List(went), false
	}
	return fmt.Sprintf("%s instead of %s", prose.List(came), prose.List(went)), false
}

// Value is a knob's text as people say it.
func Value(k *knob.Info, text string) string {
	switch k.Kind {
	case knob.One, knob.Many:
		c := k.Choice(text)
		switch {
		case c == nil && k.Kind == knob.Many:
			return fmt.Sprintf("%d of %d", len(k.Members(text)), len(k.Choices))
		case c == nil:
			return orElse(text, "custom")
		case c.Word != "" && strings.EqualFold(c.Word, c.Label): // as it stands inside a sentence
			return c.Word
		}
		return orElse(c.Label, c.Key)
	case knob.Number:
		return With(text, k.Unit)
	}
	return text
}

// Steps lists what was changed, from what to what: "host memory 128 → 64 GiB".
func Steps(ds []knob.Difference) []string {
	var list []string
	for i := range ds {
		d := &ds[i]
		name := inner(d.Knob.Label)
		if d.Knob.Kind == knob.Number {
			list = append(list, name+" "+d.Was+" → "+With(d.Is, d.Knob.Unit))
			continue
		}
		list = append(list, name+" "+orElse(Value(d.Knob, d.Was), "none")+" → "+orElse(Value(d.Knob, d.Is), "none"))
	}
	return list
}
