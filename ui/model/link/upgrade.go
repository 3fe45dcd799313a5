package link

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/ui/lab"
	"spillway/ui/model/state"
)

// upgrades make pairs of the next format out of those of an older one, the first
// of format 2 out of those of format 1. None of them changes what it is given, and
// what it returns is usable even with an error. What older formats meant in one
// laboratory only is in its Info.
var upgrades = []func(*lab.Info, []knob.Pair) ([]knob.Pair, error){from1, from2, from3}

// upgraded returns pairs of today's format, without that of their own. Newer
// pairs are left as they are.
func upgraded(i *lab.Info, pairs []knob.Pair) (now []knob.Pair, newer bool, err error) {
	from := version
	if v, err := strconv.Atoi(remove(&pairs, "v")); err == nil {
		from = v
	}
	var errs []error
	for k := max(from, 1); k < version; k++ {
		var err error
		pairs, err = upgrades[k-1](i, pairs)
		errs = append(errs, err)
	}
	return pairs, from > version, errors.Join(errs...)
}

// older is what the laboratory says of links of a format.
func older(i *lab.Info, format int) *lab.Upgrade {
	for k := range i.Older {
		if i.Older[k].Format == format {
			return &i.Older[k]
		}
	}
	return &lab.Upgrade{}
}

// from1 is of the format that knew one laboratory and one paper, named the systems
// that are off, and showed one figure when none was named.
func from1(i *lab.Info, pairs []knob.Pair) ([]knob.Pair, error) {
	u := older(i, 1)
	pairs, on := slices.Clone(pairs), slices.Clone(u.Systems)
	var errs []error
	for name := range strings.FieldsFuncSeq(remove(&pairs, "without"), func(r rune) bool { return r == ',' }) {
		at := slices.Index(on, name)
		if at < 0 {
			errs = append(errs, fmt.Errorf("unknown system %q", name))
			continue
		}
		on = slices.Delete(on, at, at+1)
	}
	pairs = append(pairs, knob.Pair{Key: "systems", Text: strings.Join(on, ",")})
	paper, first, _ := strings.Cut(u.Figure, ".")
	pairs = append(pairs, knob.Pair{Key: "figure", Text: paper + "." + cmp.Or(remove(&pairs, "figure"), first)})
	return meant(u, pairs), errors.Join(errs...)
}

// from2 is of the format until which some settings that a link leaves out were
// others.
func from2(i *lab.Info, pairs []knob.Pair) ([]knob.Pair, error) {
	return meant(older(i, 2), slices.Clone(pairs)), nil
}

// from3 is of the format that knew no presets: runs were what they differ in from
// the defaults.
func from3(i *lab.Info, pairs []knob.Pair) ([]knob.Pair, error) {
	u := older(i, 3)
	pairs = meant(u, slices.Clone(pairs))
	if u.Focus != "" && !slices.ContainsFunc(pairs, func(p knob.Pair) bool { return p.Key == state.FocusKey }) {
		pairs = append(pairs, knob.Pair{Key: state.FocusKey, Text: u.Focus})
	}
	var bad []error
	for k := range pairs {
		p := &pairs[k]
		if base, err := knob.Pairs(p.Text); p.Key == "base" && err == nil {
			p.Text = knob.Join(brought(u, base), " ")
		}
		if p.Key != "run" {
			continue
		}
		run, err := knob.Pairs(p.Text)
		if err != nil || len(run) < 2 || run[0].Key != "name" || run[1].Key != "system" {
			bad = append(bad, fmt.Errorf("a run: %.60q does not begin with a name and a system", p.Text))
			p.Key = ""
			continue
		}
		run = append([]knob.Pair{{Key: run[1].Text, Text: run[0].Text}, {Key: "preset", Text: none}}, run[2:]...)
		p.Text = knob.Join(run, " ")
	}
	return slices.DeleteFunc(pairs, func(p knob.Pair) bool { return p.Key == "" }), errors.Join(bad...)
}

// meant renames keys and adds what links of a format mean without saying it.
func meant(u *lab.Upgrade, pairs []knob.Pair) []knob.Pair {
	for k := range pairs {
		for _, r := range u.Renamed {
			if pairs[k].Key == r.Key {
				pairs[k].Key = r.Text
			}
		}
	}
	always, _ := knob.Pairs(u.Meant) // lab.New has checked it
	return add(brought(u, pairs), always)
}

// brought adds what settings of a format brought along.
func brought(u *lab.Upgrade, pairs []knob.Pair) []knob.Pair {
	for _, w := range u.Were {
		if slices.Contains(pairs, w.Setting) {
			more, _ := knob.Pairs(w.Meant) // checked, too
			pairs = add(pairs, more)
		}
	}
	return pairs
}

// add adds pairs with keys that are not there.
func add(pairs, more []knob.Pair) []knob.Pair {
	for _, a := range more {
		if !slices.ContainsFunc(pairs, func(p knob.Pair) bool { return p.Key == a.Key }) {
			pairs = append(pairs, a)
		}
	}
	return pairs
}
