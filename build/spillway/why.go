package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"spillway/sim/report"
	"spillway/ui/lab"
)

const whyForm = `lab=LAB system=NAME [against=NAME|baseline] [base=SETTINGS] [file=PATH ...] [KEY=VALUE ...] [--quick] [--json]`

const whyAbout = `Says why a system is slower or faster than another: what makes it wait, and where.
Without against= the other is the system that everybody knows, or what could be at
best. Both run again with each cause cured, with all and with every combination;
what that brings is divided as Shapley's values, which add up exactly. Cured is
planned anew. against=baseline compares with the settings of base=, a setup text;
against=NAME with base= compares with that system and those settings, as with a
run that was kept.
--quick makes only the runs that say which cause costs most.
`

// A whyJSON is the JSON of an answer. Names and meanings are stable.
type whyJSON struct {
	Program string    `json:"program" help:"name and version of the command, Go version, platform, as spillway version prints them"`
	Lab     string    `json:"lab" help:"name of the laboratory"`
	System  string    `json:"system" help:"name of the system"`
	Against string    `json:"against" help:"as asked; usual without"`
	Setup   string    `json:"setup" help:"all other settings, as a setup text"`
	Title   string    `json:"title" help:"the question; empty where there is nothing to say"`
	Says    []string  `json:"says" help:"the answer, a sentence each"`
	Notes   []string  `json:"notes" help:"how far it holds"`
	Falls   []whyFall `json:"falls" help:"waterfalls: causes (what makes it wait) and places (where), as far as there are"`
	Runs    []whyRun  `json:"runs" help:"all runs that were made"`
}

type whyFall struct {
	ID    string    `json:"id" help:"causes or places"`
	Title string    `json:"title" help:"for people"`
	Unit  string    `json:"unit" help:"of all values"`
	Steps []whyStep `json:"steps" help:"from one to the other"`
}

type whyStep struct {
	Key   string  `json:"key" help:"of the cause; rest for how they decide, else for what is below a hundredth; empty of a total"`
	Name  string  `json:"name" help:"for people"`
	Total bool    `json:"total" help:"true of the first and the last, whose value is all of it"`
	Value float64 `json:"value" help:"what the step adds"`
}

type whyRun struct {
	System string   `json:"system" help:"name of the system"`
	Setup  string   `json:"setup" help:"as a setup text"`
	Value  *float64 `json:"value" help:"of the quantity that is explained, in its own unit; null if there is none"`
	Reason string   `json:"reason" help:"why there is none; empty if there is"`
}

func (s *shell) why(args []string) error {
	fs := s.flags("why", whyForm, whyAbout, doc{"--json prints an object:", whyJSON{}})
	asJSON := fs.Bool("json", false, "print JSON, described below")
	quick := fs.Bool("quick", false, "only the runs for the sentence")
	s.forceFlag(fs)
	rest, err := parse(fs, args)
	if err != nil {
		return err
	}
	against, base := lab.WhyUsual, ""
	var settings []string
	for _, a := range rest {
		switch key, text, _ := strings.Cut(a, "="); key {
		case "against":
			against = text
		case "base":
			base = text
		default:
			settings = append(settings, a)
		}
	}
	q, err := readRequest("", settings)
	switch {
	case err != nil:
		return fmt.Errorf("why: %w", err)
	case q.lab == "" || len(q.systems) != 1:
		return errors.New("why: want lab=LAB and one system=NAME")
	}
	x, err := s.open(q)
	if err != nil {
		return err
	}
	ask := &lab.Question{Lab: x.lab, System: q.systems[0], Against: against}
	if ask.Setup, err = setup(x.lab, x.files, q.pairs); err != nil {
		return err
	}
	if base != "" {
		if ask.Base, err = x.lab.Read(base); err != nil {
			return fmt.Errorf("why: base: %w", err)
		}
	}
	if x.files, err = s.surveyed(x.lab, x.files, nil, ask.Setup); err != nil {
		return err
	}
	picks, enough, err := ask.Picks()
	if err != nil {
		return fmt.Errorf("why: %w", err)
	}
	if *quick {
		picks = picks[:enough]
	}
	known := make([]lab.Known, len(picks))
	crew := s.crew(x.door)
	crew.told = &progress{shell: s}
	err = ordered(crew, len(picks), 1, func(l *lab.Lab, i int) (lab.Known, error) {
		k, err := l.Know(picks[i], x.files)
		if problem := much(err); problem != "" {
			return lab.Known{Reason: problem}, nil
		}
		return k, err
	}, func(i int, k lab.Known) error {
		known[i] = k
		return nil
	})
	if err != nil {
		return err
	}
	ask.Files = x.files
	answer, err := ask.Answer(known)
	switch {
	case err != nil:
		return fmt.Errorf("why: %w", err)
	case !*asJSON:
		return printSection(s.out, answer)
	}
	out := whyJSON{
		Program: s.program, Lab: x.lab.Name, System: ask.System, Against: against, Setup: x.lab.SetupText(ask.Setup),
		Title: answer.Title, Says: answer.Text, Notes: append([]string{}, answer.Notes...), Falls: []whyFall{}, Runs: []whyRun{},
	}
	for _, f := range answer.Falls {
		fall := whyFall{f.ID, f.Title, f.Unit, nil}
		for _, step := range f.Steps {
			fall.Steps = append(fall.Steps, whyStep{step.Key, step.Name, step.Total, step.Value})
		}
		out.Falls = append(out.Falls, fall)
	}
	at := x.lab.Quantity(x.lab.Why.Time)
	for i, p := range picks {
		run := whyRun{System: p.System, Setup: p.Setup, Reason: known[i].Reason}
		if r := (report.Report{Fits: true, Values: known[i].Values}); run.Reason == "" {
			if v, ok := r.Value(at); ok {
				run.Value = &v
			}
		}
		out.Runs = append(out.Runs, run)
	}
	return printJSON(s.out, out)
}

// printSection writes an answer as text.
func printSection(w io.Writer, a *report.Section) error {
	if a.Title != "" {
		fmt.Fprintln(w, a.Title)
	}
	for _, t := range a.Text {
		fmt.Fprintln(w, t)
	}
	for _, f := range a.Falls {
		fmt.Fprintf(w, "\n%s\n", f.Title)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		for _, s := range f.Steps {
			fmt.Fprintf(t, "  %s\t%s\t\n", s.Name, s.Text)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	for i, x := range a.Tables {
		fmt.Fprintln(w)
		if i > 0 { // the first is the waterfalls' twin
			fmt.Fprintln(w, x.Title)
		}
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, strings.Join(x.Head, "\t"))
		for _, r := range x.Rows {
			fmt.Fprint(t, r.Head)
			for _, c := range r.Cells {
				fmt.Fprint(t, "\t"+c.Text)
			}
			fmt.Fprintln(t)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	if len(a.Notes) > 0 {
		fmt.Fprintln(w)
	}
	for _, t := range a.Notes {
		fmt.Fprintln(w, t)
	}
	return nil
}
