package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/knob"
)

// An Axis is one knob with the texts that it takes, each as the knob prints it.
type Axis struct {
	Key   string
	Texts []string
}

// maxTexts bounds one axis.
const maxTexts = 100_000

// A TextError says what is wrong with the text of an axis or a range. People who
// see which setting it is about need Err alone.
type TextError struct {
	Text string // KEY=VALUES
	Err  error
}

func (e *TextError) Error() string { return e.Text + ": " + e.Err.Error() }

func (e *TextError) Unwrap() error { return e.Err }

// ParseAxis reads an axis as people type it, for the knobs of u:
//
//	ssd_read=1.6,3.2,6.4    these values
//	ssd_read=1.6..12.8/8    8 values, evenly from the first to the last
//	ssd_read=1.6..12.8x4    4 values, each by the same factor above the one before
//	batch=32..512*2         32, 64, 128 and so on, up to 512
//	batch=32..512+32        32, 64, 96 and so on, up to 512
//	part-ssd=*              all choices; mode=* all sets
//	part-ssd=990-pro,p5800x these choices
//
// Numbers and ranges can stand beside each other with commas between them. What
// lies between the ends of a range is rounded to four digits where these tell the
// values apart. Of a knob that takes several choices at once a list of its sets
// is as many values, and any other list is one. A value that comes twice counts
// once.
func ParseAxis(u *knob.Setup, text string) (Axis, error) {
	key, list, ok := strings.Cut(text, "=")
	if !ok || key == "" {
		return Axis{}, fmt.Errorf("%q is no axis; want KEY=VALUE,VALUE or KEY=FIRST..LAST/COUNT", text)
	}
	k := u.Knob(key)
	if k == nil {
		return Axis{}, fmt.Errorf("unknown setting %q", key)
	}
	a := Axis{Key: key}
	var err error
	switch {
	case k.Kind == knob.Number:
		err = a.numbers(k, list)
	case list == "*":
		err = a.all(u, k)
	case k.Kind == knob.One, k.Kind == knob.Many && allSets(k, list):
		for item := range strings.SplitSeq(list, ",") {
			err = errors.Join(err, a.add(k, strings.TrimSpace(item)))
		}
	default:
		err = a.add(k, list)
	}
	if err != nil {
		return Axis{}, &TextError{text, err}
	}
	a.once()
	return a, nil
}

// ParseAxes reads several axes. Those of the same knob are one.
func ParseAxes(u *knob.Setup, texts []string) ([]Axis, error) {
	var axes []Axis
	for _, text := range texts {
		a, err := ParseAxis(u, text)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(axes, func(b Axis) bool { return a.Key == b.Key })
		if at < 0 {
			axes = append(axes, a)
			continue
		}
		axes[at].Texts = append(axes[at].Texts, a.Texts...)
		axes[at].once()
	}
	return axes, nil
}

// once leaves every text where it comes first.
func (a *Axis) once() {
	seen := make(map[string]bool, len(a.Texts))
	a.Texts = slices.DeleteFunc(a.Texts, func(text string) bool {
		before := seen[text]
		seen[text] = true
		return before
	})
}

// add adds one text as it was typed.
func (a *Axis) add(k *knob.Info, text string) error {
	text, err := k.Canon(text)
	if err == nil {
		a.Texts = append(a.Texts, text)
	}
	return err
}

// all adds every choice that the limits of u allow, or every set.
func (a *Axis) all(u *knob.Setup, k *knob.Info) error {
	choices := k.Choices
	if k.Kind == knob.Many {
		choices = k.Sets
	}
	l := u.Limit(k.Key)
	for i := range choices {
		if l == nil || len(l.Choices) == 0 || slices.Contains(l.Choices, choices[i].Key) {
			a.Texts = append(a.Texts, choices[i].Key)
		}
	}
	if len(a.Texts) == 0 {
		return fmt.Errorf("%s has no list of values to take all of; name some", k.Label)
	}
	return nil
}

// allSets reports whether every item of a list is the name of a set of k.
func allSets(k *knob.Info, list string) bool {
	for item := range strings.SplitSeq(list, ",") {
		if !slices.ContainsFunc(k.Sets, func(c knob.Choice) bool { return c.Key == strings.TrimSpace(item) }) {
			return false
		}
	}
	return true
}

// numbers adds numbers and ranges of them.
func (a *Axis) numbers(k *knob.Info, list string) error {
	if list == "*" {
		return fmt.Errorf("%s is a number; want values or a range like %s=%s..%s/8", k.Label, k.Key, knob.Decimal(k.Min, k.Scale), knob.Decimal(k.Max, k.Scale))
	}
	for item := range strings.SplitSeq(list, ",") {
		from, rest, isRange := strings.Cut(item, "..")
		if !isRange {
			if err := a.add(k, item); err != nil {
				return err
			}
			continue
		}
		r := span{info: k}
		if err := r.read(from, rest); err != nil {
			return err
		}
		values, err := r.values()
		if err != nil {
			return err
		}
		for _, v := range values {
			a.Texts = append(a.Texts, knob.Decimal(v, k.Scale))
		}
	}
	if len(a.Texts) > maxTexts {
		return fmt.Errorf("%d values; want at most %d", len(a.Texts), maxTexts)
	}
	return nil
}

// A span is a range with what tells its values.
type span struct {
	info   *knob.Info
	lo, hi int64
	how    byte   // one of '/', 'x', '*' and '+'
	by     string // what stands behind it
}

// number reads one number of the knob, within its range.
func number(k *knob.Info, text string) (int64, error) {
	text, err := k.Canon(text)
	if err != nil {
		return 0, err
	}
	return knob.ParseDecimal(text, k.Scale)
}

// read takes FIRST and LAST/COUNT apart.
func (r *span) read(from, rest string) (err error) {
	at := strings.IndexAny(rest, "/x*+")
	if at <= 0 || at+1 == len(rest) {
		return fmt.Errorf("%s..%s does not say which values; want %[1]s..LAST/8 (8, evenly), x8 (8, by a factor), *2 (doubling) or +1 (steps)", from, rest)
	}
	r.how, r.by = rest[at], rest[at+1:]
	if r.lo, err = number(r.info, from); err != nil {
		return err
	}
	if r.hi, err = number(r.info, rest[:at]); err != nil {
		return err
	}
	if r.lo >= r.hi {
		return fmt.Errorf("%s..%s ends before it begins; put the smaller number first", from, rest[:at])
	}
	return nil
}

// values lists the range's values, upwards.
func (r *span) values() ([]int64, error) {
	switch r.how {
	case '+':
		return r.steps()
	case '*':
		return r.powers()
	}
	n, err := strconv.Atoi(r.by)
	if err != nil || n < 2 || n > maxTexts {
		return nil, fmt.Errorf("%q is no number of values; want a whole number from 2 to %d", r.by, maxTexts)
	}
	if r.how == 'x' && r.lo <= 0 {
		return nil, errors.New("a range by a factor cannot begin at 0 or below; begin above, or use / for even steps")
	}
	byFactor, digits := r.how == 'x', exactly
	if byFactor {
		digits = 2
	}
	return spread(r.info, r.lo, r.hi, n, byFactor, digits), nil
}

// steps lists lo, lo+by and so on.
func (r *span) steps() ([]int64, error) {
	by, err := knob.ParseDecimal(r.by, r.info.Scale)
	if err != nil || by <= 0 {
		return nil, fmt.Errorf("%q is no step; want a number above 0", r.by)
	}
	if (r.hi-r.lo)/by >= maxTexts {
		return nil, fmt.Errorf("these are more than %d values; take larger steps", maxTexts)
	}
	var list []int64
	for v := r.lo; v <= r.hi && v >= r.lo; v += by {
		list = append(list, v)
	}
	return list, nil
}

// powers lists lo, lo·by, lo·by² and so on.
func (r *span) powers() ([]int64, error) {
	by, err := strconv.ParseFloat(r.by, 64)
	if err != nil || !(by > 1 && by <= 1e9) {
		return nil, fmt.Errorf("%q is no factor; want a number above 1", r.by)
	}
	if r.lo <= 0 {
		return nil, errors.New("a range by a factor cannot begin at 0 or below; begin above, or use / for even steps")
	}
	list := []int64{r.lo}
	n := 0
	for x := float64(r.lo) * by; x < float64(r.hi)+0.5; x *= by {
		if n++; n == maxTexts {
			return nil, fmt.Errorf("these are more than %d values; take a larger factor", maxTexts)
		}
		if v := min(int64(x+0.5), r.hi); v > list[len(list)-1] {
			list = append(list, v)
		}
	}
	return list, nil
}

// exactly is how many digits values have that need not be round.
const exactly = 4

// spread returns n values from lo to hi, both included, evenly or by about one factor: those
// between them have as few digits as they can and still differ, digits at least. Fewer if there
// are no n.
func spread(k *knob.Info, lo, hi int64, n int, byFactor bool, digits int) []int64 {
	exact := make([]int64, n)
	factor, x := 1.0, float64(lo)
	if byFactor {
		factor = root(float64(hi)/x, n-1)
	}
	for i := range exact {
		exact[i] = min(int64(x+0.5), hi)
		if byFactor {
			x *= factor
		} else {
			step := float64(float64(hi-lo) * (float64(i+1) / float64(n-1)))
			x = float64(lo) + step
		}
	}
	exact[n-1] = hi
	if round := rounds(k, exact); byFactor && digits < exactly && increase(round) {
		return round
	}
	for short := slices.Clone(exact); digits <= exactly; digits++ {
		for i := 1; i < n-1; i++ {
			short[i] = rounded(k, exact[i], digits)
		}
		if increase(short) {
			return short
		}
	}
	return slices.Compact(exact)
}

// plain are the digits that people buy and set things in.
var plain = []int64{100, 120, 150, 160, 200, 240, 250, 300, 320, 400, 480, 500, 600, 640, 800, 960, 1000}

// rounds returns values with those between the ends as the nearest of plain, by their ratio,
// in the knob's unit: 8, 12, 16, 24.
func rounds(k *knob.Info, exact []int64) []int64 {
	list := slices.Clone(exact)
	for i := 1; i < len(list)-1; i++ {
		size := k.Scale // of 100 units of plain, in units of the knob, times 100
		v := list[i]
		for size > 1 && v < size {
			size /= 10
		}
		for v/10 >= size {
			size *= 10
		}
		best, far := v, 0.0
		for _, p := range plain {
			if p*size%100 != 0 {
				continue
			}
			x := p * size / 100
			ratio := max(float64(x)/float64(v), float64(v)/float64(x))
			if far == 0 || ratio < far {
				best, far = x, ratio
			}
		}
		list[i] = best
	}
	return list
}

// increase reports whether every value is above the one before.
func increase(list []int64) bool {
	for i := 1; i < len(list); i++ {
		if list[i] <= list[i-1] {
			return false
		}
	}
	return true
}

// rounded returns v rounded to so many decimal digits in the knob's unit, or v
// itself where the knob has no such value.
func rounded(k *knob.Info, v int64, digits int) int64 {
	text := strconv.FormatFloat(float64(v)/float64(k.Scale), 'e', digits-1, 64)
	r, err := knob.ParseDecimal(text, k.Scale)
	if err != nil {
		return v
	}
	return r
}

// root returns the n-th root of x, 1 or more, by halving: powers of the math
// package are not the same on every platform.
func root(x float64, n int) float64 {
	lo, hi := 1.0, x
	for range 200 {
		mid := lo + float64((hi-lo)/2)
		if power := raise(mid, n); power > x {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo
}

// raise returns x to the n-th power.
func raise(x float64, n int) float64 {
	p := 1.0
	for range n {
		p *= x
	}
	return p
}

// A Range is a number knob with the values among which something is looked for,
// in the knob's base units, both included.
type Range struct {
	Key      string
	From, To int64
}

// ParseRange reads KEY or KEY=FIRST..LAST. Without the values it is all that the
// knob can have in u: its own range, what the choices allow, and not above the
// knob that caps it.
func ParseRange(u *knob.Setup, text string) (Range, error) {
	key, list, typed := strings.Cut(text, "=")
	k := u.Knob(key)
	switch {
	case k == nil:
		return Range{}, fmt.Errorf("unknown setting %q", key)
	case k.Kind != knob.Number:
		return Range{}, fmt.Errorf("%s is no number, so that none of its values is the smallest or largest; vary it instead", k.Label)
	}
	r := allowed(u, k)
	if !typed {
		return r, nil
	}
	from, to, ok := strings.Cut(list, "..")
	if !ok {
		return Range{}, &TextError{text, fmt.Errorf("want %s=FIRST..LAST", key)}
	}
	for _, end := range []struct {
		text string
		v    *int64
	}{{from, &r.From}, {to, &r.To}} {
		v, err := number(k, end.text)
		if err == nil {
			err = u.Valid(key, knob.Decimal(v, k.Scale))
		}
		if err != nil {
			return Range{}, &TextError{text, err}
		}
		*end.v = v
	}
	if r.From >= r.To {
		return Range{}, &TextError{text, errors.New("ends before it begins; put the smaller number first")}
	}
	return r, nil
}

// allowed is all that the knob can have in u without contradicting.
func allowed(u *knob.Setup, k *knob.Info) Range {
	r := Range{k.Key, k.Min, k.Max}
	if l := u.Limit(k.Key); l != nil {
		r.From, r.To = max(r.From, l.Min), min(r.To, l.Max)
	}
	if k.Ceiling != "" {
		if most, err := knob.ParseDecimal(u.Text(k.Ceiling), u.Knob(k.Ceiling).Scale); err == nil {
			r.To = max(r.From, min(r.To, most))
		}
	}
	return r
}
