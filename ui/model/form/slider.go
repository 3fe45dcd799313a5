package form

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"spillway/sim/knob"
	"spillway/sim/order"
	"spillway/ui/model/workspace"
)

// A Slider is a number that can be turned: what a slider needs besides a field.
type Slider struct {
	Field
	At    int // where the slider stands, from 0 to DialSteps
	Marks []Mark
}

// A Mark is where a product stands on a dial.
type Mark struct {
	Key, Label string
	At         int
}

// Style is where it is drawn beside the slider.
func (m *Mark) Style() string {
	return "left:" + strconv.FormatFloat(float64(m.At)*100/SliderSteps, 'f', 1, 64) + "%"
}

// SliderSteps is how many steps a slider has.
const SliderSteps = 1000

// A scale is the values that a slider has, in base units.
type scale struct {
	least, most float64
	log         bool
}

// at is where a value stands.
func (s *scale) at(v float64) int {
	v = min(max(v, s.least), s.most)
	share := (v - s.least) / (s.most - s.least)
	if s.log {
		share = math.Log(v/s.least) / math.Log(s.most/s.least)
	}
	return int(math.Round(share * SliderSteps))
}

// value is what stands at a place.
func (s *scale) value(at int) float64 {
	share := float64(min(max(at, 0), SliderSteps)) / SliderSteps
	if s.log {
		return s.least * math.Pow(s.most/s.least, share)
	}
	return s.least + share*(s.most-s.least)
}

// Dial returns the knob with this key as something to turn. part is the key of
// the derived knob with the products that it may be, "" if there is none.
func (f *Form) Dial(key, part string) Slider {
	u := f.room.State.Setup
	k := u.Knob(key)
	d := Slider{Field: f.FieldOf(k, u, u.Base())}
	s := f.scale(k, part)
	if v, err := k.Measure(u.Text(key)); err == nil {
		d.At = s.at(float64(v))
	}
	for _, m := range products(u, key, part) {
		d.Marks = append(d.Marks, Mark{m.key, m.label, s.at(m.value)})
	}
	return d
}

type product struct {
	key, label string
	value      float64
}

// products lists the choices of part that set the knob, the smallest first.
func products(u *knob.Setup, key, part string) []product {
	k, p := u.Knob(key), u.Knob(part)
	if p == nil {
		return nil
	}
	var list []product
	for i := range p.Choices {
		pairs, _ := knob.Pairs(p.Choices[i].Set) // lab.New has checked it
		for _, x := range pairs {
			if v, err := k.Measure(x.Text); x.Key == key && err == nil {
				list = append(list, product{p.Choices[i].Key, workspace.Label(&p.Choices[i]), float64(v)})
			}
		}
	}
	order.Stable(list, func(a, b product) int { return cmp.Compare(a.value, b.value) })
	return list
}

// scale is what a slider of the knob spans: some way below and above the
// products, or around what the knob goes back to, as far as it is allowed. It
// does not depend on the value, so that a slider stays while it is drawn.
func (f *Form) scale(k *knob.Info, part string) scale {
	const way = 4 // times less and more
	u := f.room.State.Setup
	var values []float64
	for _, p := range products(u, k.Key, part) {
		values = append(values, p.value)
	}
	if base, err := k.Measure(u.Base().Text(k.Key)); err == nil {
		values = append(values, float64(base))
	}
	if len(values) < 3 && len(values) > 0 {
		values = append(values, values[0]/way, values[0]*way)
	}
	values = slices.DeleteFunc(values, func(v float64) bool { return v <= 0 })
	if len(values) == 0 {
		return scale{least: float64(k.Min), most: max(float64(k.Max), float64(k.Min)+1)}
	}
	least, most := slices.Min(values)/way, slices.Max(values)*way
	lowest, highest := float64(k.Min), float64(k.Max)
	if l := u.Limit(k.Key); l != nil && l.Max > l.Min {
		lowest, highest = max(lowest, float64(l.Min)), min(highest, float64(l.Max))
	}
	if lowest == 0 && k.Min == 0 && len(values) < 3 {
		return scale{least: 0, most: min(most, highest)}
	}
	least, most = max(least, lowest), min(most, highest)
	if most <= least {
		most = least * 2
	}
	return scale{least: least, most: most, log: true}
}

// Turn gives a number what a slider says, and that of a product which is close.
func (f *Form) Turn(key, part string, at int) {
	near := SliderSteps / 100
	k := f.room.State.Setup.Knob(key)
	s := f.scale(k, part)
	v := s.value(at)
	text := ""
	for _, p := range products(f.room.State.Setup, key, part) {
		if away := max(s.at(p.value)-at, at-s.at(p.value)); away <= near {
			near = away
			text = knob.Decimal(int64(p.value), k.Scale)
		}
	}
	if text == "" {
		text = knob.Decimal(within(k, round(v/float64(k.Scale), 2)), k.Scale)
	}
	f.room.Type(key, text)
}

// Step makes a number larger or smaller by so many of its small steps: a unit of
// its second digit.
func (f *Form) Step(key string, by int) {
	u := f.room.State.Setup
	k := u.Knob(key)
	if k == nil || k.Kind != knob.Number {
		return
	}
	v, err := k.Measure(u.Text(key))
	if err != nil {
		return
	}
	x := float64(v) / float64(k.Scale)
	step := 1.0
	if x != 0 {
		step = math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-1)
	}
	if k.Scale == 1 {
		step = max(step, 1)
	}
	n := x / step
	if by > 0 {
		n = math.Floor(n+1e-9) + float64(by)
	} else {
		n = math.Ceil(n-1e-9) + float64(by)
	}
	least, most := k.Min, k.Max
	if l := u.Limit(key); l != nil && l.Max > 0 {
		least, most = max(least, l.Min), min(most, l.Max)
	}
	next := int64(math.Round(min(max(n*step*float64(k.Scale), float64(least)), float64(most))))
	f.room.Type(key, knob.Decimal(next, k.Scale))
}

// round keeps so many digits of x behind the first.
func round(x float64, digits int) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits, 64), 64)
	if err != nil {
		return x
	}
	return y
}

// within is x, in units, as base units that the knob can have.
func within(k *knob.Info, x float64) int64 {
	v := math.Round(x * float64(k.Scale))
	return int64(min(max(v, float64(k.Min)), float64(k.Max)))
}
