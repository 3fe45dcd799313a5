package main

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/policy"
	"spillway/ui/lab"
	"spillway/ui/lab/own"
	"spillway/ui/model/link"
	"spillway/ui/model/state"
)

// scorePolicy runs a policy on the workloads of a place's challenge, with the settings that follow.
func (s *shell) scorePolicy(place *policy.Place, file string, settings []string) error {
	c := place.Challenge
	if c == nil {
		return fmt.Errorf("policy score: %s has no fixed set of workloads", place.Lab)
	}
	pairs := make([]knob.Pair, len(settings))
	for i, x := range settings {
		key, value, ok := strings.Cut(x, "=")
		if !ok || key != own.WorkKey && !slices.Contains(dials(), key) {
			return fmt.Errorf("policy score: unexpected %q; the set is fixed but for %s and the dials", x, own.WorkKey)
		}
		pairs[i] = knob.Pair{Key: key, Text: value}
	}
	text, err := readText(file)
	if err != nil {
		return err
	}
	p, err := policy.Parse(place, text)
	if err != nil {
		return fmt.Errorf("%s:%w", said(file), err)
	}
	d, err := s.door(place.Lab)
	if err != nil {
		return err
	}
	l := d.New()
	set := func(workload string) (*knob.Setup, error) {
		u, err := l.Read(c.Setup)
		if err == nil {
			err = u.Set(c.Vary, workload)
		}
		if err == nil {
			err = u.Set(own.TextKey, p.Text)
		}
		if err == nil {
			err = u.Apply(pairs)
		}
		return u, err
	}
	usual, bound := "", l.Floor.Known
	for i := range l.Systems {
		if l.Systems[i].Usual {
			usual = l.Systems[i].Name
		}
	}
	systems := []string{own.Name, usual, bound}
	fmt.Fprintf(s.out, "%-*s", scoreName, "")
	for _, name := range systems {
		fmt.Fprintf(s.out, "  %14s", name)
	}
	fmt.Fprintln(s.out)
	var sums [2]float64
	for _, workload := range c.Workloads {
		u, err := set(workload)
		if err != nil {
			return err
		}
		var values [3]float64
		for i, name := range systems {
			if values[i], err = scored(&l, u, name, c.Quantity); err != nil {
				return fmt.Errorf("%s: %w", workload, err)
			}
		}
		fmt.Fprintf(s.out, "%-*s", scoreName, workload)
		for _, v := range values {
			fmt.Fprintf(s.out, "  %14.4f", v)
		}
		fmt.Fprintln(s.out)
		for i := range sums {
			sums[i] += values[i] / values[2]
		}
	}
	n := float64(len(c.Workloads))
	fmt.Fprintf(s.out, "\nScore %.4f: the mean of %s over that of %s; %s has %.4f, and less is better.\n", sums[0]/n, c.Quantity, bound, usual, sums[1]/n)
	if p.Future {
		fmt.Fprintln(s.out, "It knows the future, so it is a bound.")
	}
	u, err := set(c.Workloads[0])
	if err != nil {
		return err
	}
	info := l.Complete()
	st := state.Opening(&info)
	st.Setup, st.View = u, state.WhatIf
	st.Compare(&info, []string{usual, bound, own.Name})
	err = st.Ask.Set(state.VaryKey, c.Vary)
	if err == nil {
		err = st.Ask.Set(state.ValuesKey, strings.Join(c.Workloads, ","))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "In a page, with all of them: #%s\n", link.Encode(&info, &st))
	return nil
}

// dials are the keys of the dials.
func dials() (list []string) {
	for i := range policy.Dials {
		list = append(list, own.DialKey(i))
	}
	return list
}

// scoreName is how wide the names of workloads are.
const scoreName = 24

// scored is what a system has of a quantity; that it cannot run is an error, for then there is no score.
func scored(l *lab.Lab, u *knob.Setup, system, quantity string) (float64, error) {
	rep, _, err := l.Run(u, system, nil, nil)
	if err != nil {
		return 0, err
	}
	v, ok := rep.Value(l.Quantity(quantity))
	if !rep.Fits || !ok {
		return 0, fmt.Errorf("%s has no result: %s", system, rep.Reason)
	}
	return v, nil
}
