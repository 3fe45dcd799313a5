package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/ui/lab"
)

const sectionForm = `KEY lab=LAB [system=NAME] [file=PATH ...] [KEY=VALUE ...] [--json | --csv]`

const sectionAbout = `Prints a section of the page: what a laboratory finds out besides running systems.
spillway section lab=LAB lists them. Without system= it is about the laboratory's
own. Settings of the section itself are KEY=VALUE, too. With --csv it prints the numbers of
all its tables as one, a line a number: table, line and column name it, value has all
digits, and unit is what it is in; text is what is no number.
`

// A sectionJSON is the JSON of a section. Names and meanings are stable.
type sectionJSON struct {
	Program string         `json:"program" help:"name and version of the command, Go version, platform, as spillway version prints them"`
	Lab     string         `json:"lab" help:"name of the laboratory"`
	Section string         `json:"section" help:"its key"`
	System  string         `json:"system" help:"name of the system that it is about"`
	Setup   string         `json:"setup" help:"all settings, as a setup text"`
	Says    []string       `json:"says" help:"what it finds, a paragraph each"`
	Tables  []sectionTable `json:"tables" help:"with their numbers as the page prints them and in full"`
	Notes   []string       `json:"notes" help:"small print"`
}

type sectionTable struct {
	Key   string       `json:"key" help:"names it in the section, as the column table of the CSV"`
	Title string       `json:"title" help:"for people"`
	Head  []string     `json:"head" help:"of the columns, that of the rows' names first"`
	Rows  []sectionRow `json:"rows" help:"in order"`
}

// A sectionDatum is a number of a cell.
type sectionDatum struct {
	Part  string      `json:"part,omitempty" help:"which of several of the cell"`
	Value json.Number `json:"value" help:"with all digits"`
	Unit  string      `json:"unit" help:"that it is in; empty of counts and ratios"`
}

type sectionRow struct {
	Name  string           `json:"name" help:"for people"`
	About string           `json:"about" help:"more of it; may be empty"`
	Cells []string         `json:"cells" help:"a text a column"`
	Data  [][]sectionDatum `json:"data" help:"its numbers in full, as many as the cell has, a list a column"`
	Setup string           `json:"setup" help:"a setup text that runs what the row is about; empty if there is none"`
}

func (s *shell) section(args []string) error {
	fs := s.flags("section", sectionForm, sectionAbout, doc{"--json prints an object:", sectionJSON{}})
	asJSON := fs.Bool("json", false, "print JSON, described below")
	asCSV := fs.Bool("csv", false, "print the numbers in full as CSV, as the page saves them")
	s.forceFlag(fs)
	rest, err := parse(fs, args)
	if err != nil {
		return err
	}
	key := ""
	if len(rest) > 0 && !strings.Contains(rest[0], "=") {
		key, rest = rest[0], rest[1:]
	}
	q, err := readRequest("", rest)
	switch {
	case err != nil:
		return fmt.Errorf("section: %w", err)
	case q.lab == "" || len(q.systems) > 1:
		return errors.New("section: want lab=LAB and at most one system=NAME")
	}
	x, err := s.open(q)
	if err != nil {
		return err
	}
	of := x.lab.Info.Section(key)
	if of == nil || key == lab.WhyKey {
		if key != "" {
			return fmt.Errorf("section: %s has no section %q here; spillway section lab=%s lists them", x.lab.Name, key, x.lab.Name)
		}
		for i := range x.lab.Sections {
			if c := &x.lab.Sections[i]; c.Key != lab.WhyKey {
				fmt.Fprintf(s.out, "%s: %s\n%s", c.Key, c.Title, wrap(c.About, "    "))
			}
		}
		return nil
	}
	look := knob.NewSetup(of.Knobs)
	own := slices.DeleteFunc(slices.Clone(q.pairs), func(p knob.Pair) bool { return look.Knob(p.Key) == nil })
	q.pairs = slices.DeleteFunc(q.pairs, func(p knob.Pair) bool { return look.Knob(p.Key) != nil })
	if err := look.Apply(own); err != nil {
		return fmt.Errorf("section: %w", err)
	}
	u, err := setup(x.lab, x.files, q.pairs)
	if err != nil {
		return err
	}
	if x.files, err = s.surveyed(x.lab, x.files, nil, u); err != nil {
		return err
	}
	system := ""
	for i := range x.lab.Systems {
		if c := &x.lab.Systems[i]; len(q.systems) == 0 && slices.Contains(x.Systems, c.Name) && !c.Bound && (system == "" || c.Main) {
			system = c.Name
		}
	}
	if len(q.systems) > 0 {
		system = q.systems[0]
	}
	shown, err := x.lab.Section(key, look, u, system, x.files, nil)
	switch {
	case err != nil:
		return fmt.Errorf("section: %w", err)
	case *asCSV:
		_, err = io.WriteString(s.data, shown.CSV)
		return err
	case !*asJSON:
		return printSection(s.out, shown)
	}
	out := sectionJSON{Program: s.program, Lab: x.lab.Name, Section: key, System: system, Setup: x.lab.SetupText(u), Says: append([]string{}, shown.Text...), Tables: []sectionTable{}, Notes: append([]string{}, shown.Notes...)}
	for _, t := range shown.Tables {
		table := sectionTable{Key: t.Key, Title: t.Title, Head: t.Head, Rows: []sectionRow{}}
		for _, r := range t.Rows {
			row := sectionRow{Name: r.Head, About: r.Sub, Setup: r.Set, Cells: []string{}, Data: [][]sectionDatum{}}
			for _, c := range r.Cells {
				data := []sectionDatum{}
				for _, d := range c.Numbers() {
					data = append(data, sectionDatum{d.Part, json.Number(d.Value), d.Unit})
				}
				row.Cells, row.Data = append(row.Cells, c.Text), append(row.Data, data)
			}
			table.Rows = append(table.Rows, row)
		}
		out.Tables = append(out.Tables, table)
	}
	return printJSON(s.out, out)
}
