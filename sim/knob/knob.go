// Package knob describes one adjustable setting: its key, unit, range or choices
// and source. Forms, links, command-line flags, config files, validation and
// documentation all follow from one list of knobs, so a new parameter is one
// entry.
//
// A laboratory declares its list over its own settings struct, as Knob[S]. Those
// that know nothing of that struct see the same list as [Info] and the settings
// as a [Setup]: text by key.
package knob

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// A Knob is one parameter inside a settings struct S: an integer, unless Word is
// set.
type Knob[S any] struct {
	Info
	// Get and Set access the integer.
	Get func(*S) int64
	Set func(*S, int64)
	// Word accesses the text of a knob that is no number; a One without it chooses
	// among numbers, which are the keys. Kind says which texts there are.
	Word func(*S) *string
}

// Lift makes a knob of a part of the settings one of the settings.
func Lift[S, T any](k Knob[T], part func(*S) *T) Knob[S] {
	out := Knob[S]{Info: k.Info}
	if k.Word != nil {
		out.Word = func(s *S) *string { return k.Word(part(s)) }
		return out
	}
	out.Get = func(s *S) int64 { return k.Get(part(s)) }
	out.Set = func(s *S, v int64) { k.Set(part(s), v) }
	return out
}

// Int makes a knob of an integer, which ref points at.
func Int[S any, T ~int64](i Info, ref func(*S) *T) Knob[S] {
	return Knob[S]{Info: i, Get: func(s *S) int64 { return int64(*ref(s)) }, Set: func(s *S, v int64) { *ref(s) = T(v) }}
}

// Bool makes a knob of a switch: 1 is yes, 0 no.
func Bool[S any](i Info, ref func(*S) *bool) Knob[S] {
	i.Scale, i.Max = 1, 1
	return Knob[S]{Info: i, Get: func(s *S) int64 {
		if *ref(s) {
			return 1
		}
		return 0
	}, Set: func(s *S, v int64) { *ref(s) = v != 0 }}
}

// Text returns the value: a number in k.Unit, as an exact decimal without the
// unit; any other as it is.
func (k *Knob[S]) Text(s *S) string {
	if k.Word != nil {
		return *k.Word(s)
	}
	return Decimal(k.Get(s), k.Scale)
}

// Parse reads a decimal number in k.Unit, or one of the knob's texts, and stores
// it in s. On error s keeps its value. The error says what is allowed.
func (k *Knob[S]) Parse(s *S, text string) error {
	if k.Word != nil || k.Kind == One {
		text, err := k.Canon(text)
		if err != nil {
			return err
		}
		if k.Word != nil {
			*k.Word(s) = text
			return nil
		}
	}
	v, err := ParseDecimal(text, k.Scale)
	if err != nil {
		return unread(err, k.Label, k.Min, k.Max, k.Scale)
	}
	if err := k.check(v); err != nil {
		return err
	}
	k.Set(s, v)
	return nil
}

// Check reports whether the value in s is in range.
func (k *Knob[S]) Check(s *S) error {
	if k.Word != nil || k.Kind == One {
		_, err := k.Canon(k.Text(s))
		return err
	}
	return k.check(k.Get(s))
}

func (k *Knob[S]) check(v int64) error {
	if !k.spans(v) {
		return fmt.Errorf("%s is %s; want %s to %s", k.Label,
			strings.TrimSpace(Decimal(v, k.Scale)+" "+k.Unit), Decimal(k.Min, k.Scale), Decimal(k.Max, k.Scale))
	}
	return nil
}

// CheckAll checks every knob and joins the errors.
func CheckAll[S any](knobs []Knob[S], s *S) error {
	var errs []error
	for i := range knobs {
		errs = append(errs, knobs[i].Check(s))
	}
	return errors.Join(errs...)
}

// Decimal prints v/scale as the shortest decimal that ParseDecimal reads as v.
func Decimal(v, scale int64) string {
	sign, n, d := "", uint64(v), uint64(scale)
	if v < 0 {
		sign, n = "-", -n
	}
	whole, rest := n/d, n%d
	if rest == 0 {
		return sign + strconv.FormatUint(whole, 10)
	}
	places, power := 1, uint64(10)
	for places < 18 && rounded(rounded(rest, power, d), d, power) != rest {
		places, power = places+1, power*10
	}
	return fmt.Sprintf("%s%d.%0*d", sign, whole, places, rounded(rest, power, d))
}

// rounded is a·b/c, rounded to the nearest integer.
func rounded(a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	q, r := bits.Div64(hi, lo, c)
	if r >= c-r {
		q++
	}
	return q
}

// A tooLarge is a text of a number that is beyond what can be counted.
type tooLarge string

// Error implements error.
func (e tooLarge) Error() string { return strconv.Quote(string(e)) + " is too large" }

// unread says of which setting a text is no number, and where it is one that is too large, what
// may be asked for.
func unread(err error, label string, least, most, scale int64) error {
	if large := tooLarge(""); errors.As(err, &large) {
		return fmt.Errorf("%s: %w; want %s to %s", label, err, Decimal(least, scale), Decimal(most, scale))
	}
	return fmt.Errorf("%s: %w", label, err)
}

// ParseDecimal reads a plain decimal number (digits, at most one point,
// optional sign and exponent) and returns it times scale, rounded to the
// nearest integer. With scale 1 the number must be whole.
func ParseDecimal(text string, scale int64) (int64, error) {
	s := strings.TrimSpace(text)
	if s == "" {
		return 0, errors.New("enter a number")
	}
	bad := fmt.Errorf("%q is not a number; use digits with a decimal point, like 15.754", text)
	neg := false
	if s[0] == '-' || s[0] == '+' {
		neg, s = s[0] == '-', s[1:]
	}
	exp := 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		n, err := strconv.Atoi(s[i+1:])
		switch {
		case err != nil && !errors.Is(err, strconv.ErrRange):
			return 0, bad
		case n > 30:
			return 0, tooLarge(text)
		case n < -30:
			return 0, fmt.Errorf("%q is too small", text)
		}
		exp, s = n, s[:i]
	}
	whole, frac, _ := strings.Cut(s, ".")
	digits := whole + frac
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, bad
	}
	digits = strings.TrimLeft(digits, "0")
	exp -= len(frac)
	// value = digits × 10^exp × scale, in 128 bits.
	if len(digits) > 18 {
		cut := len(digits) - 18
		digits, exp = digits[:18], exp+cut
	}
	var n uint64
	if digits != "" {
		n, _ = strconv.ParseUint(digits, 10, 64)
	}
	hi, lo := bits.Mul64(n, uint64(scale))
	for ; exp > 0; exp-- {
		if hi != 0 || lo > (1<<63)/10 {
			return 0, tooLarge(text)
		}
		lo *= 10
	}
	up := false
	for ; exp < 0; exp++ {
		var r uint64
		q := hi / 10
		lo, r = bits.Div64(hi%10, lo, 10)
		hi = q
		up = r >= 5
		if r != 0 && scale == 1 {
			return 0, fmt.Errorf("%q is not a whole number", text)
		}
	}
	if up {
		lo++
	}
	if hi != 0 || lo > 1<<63-1 {
		return 0, tooLarge(text)
	}
	if neg {
		return -int64(lo), nil
	}
	return int64(lo), nil
}
