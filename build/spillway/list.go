package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"spillway/sim/knob"
	"spillway/traces/jsonx"
	"spillway/ui/lab"
)

// A listing is the JSON of spillway list. Names and meanings are stable.
type listing struct {
	Program string     `json:"program" help:"name and version of the command, Go version, platform, as spillway version prints them"`
	Labs    []labEntry `json:"labs" help:"in the order of the page"`
}

type labEntry struct {
	Name       string          `json:"name" help:"stable: lab=NAME"`
	Title      string          `json:"title" help:"for people"`
	About      string          `json:"about" help:"what it is, one sentence"`
	Files      string          `json:"files,omitempty" help:"which files it takes as file=PATH; missing if none"`
	Entry      string          `json:"entry,omitempty" help:"key of the setting that chooses among what the files hold; missing if there is none"`
	Systems    []systemEntry   `json:"systems" help:"what can be run and compared"`
	Quantities []quantityEntry `json:"quantities" help:"what a run may be measured by"`
	Knobs      []knobEntry     `json:"knobs" help:"the settings: key=value"`
	Papers     []paperEntry    `json:"papers" help:"what can be verified"`
	Exports    []exportEntry   `json:"exports" help:"in what formats spillway export writes a run; none if the laboratory has none"`
}

type systemEntry struct {
	Name   string `json:"name" help:"stable: system=NAME"`
	Title  string `json:"title" help:"for people"`
	About  string `json:"about" help:"what it does"`
	Paper  string `json:"paper" help:"where it comes from"`
	Family string `json:"family" help:"what it belongs to in lists of many"`
	Bound  bool   `json:"bound" help:"an ideal that others are compared with"`
	Off    bool   `json:"off" help:"not compared unless it is named"`
}

type quantityEntry struct {
	Key    string  `json:"key" help:"stable: the member of a run's values, its unit included"`
	Label  string  `json:"label" help:"for people"`
	Unit   string  `json:"unit" help:"in which people see it"`
	Scale  float64 `json:"scale" help:"value / scale is in unit"`
	Help   string  `json:"help" help:"what it is"`
	Better int     `json:"better" help:"1: higher is better, -1: lower is, 0: neither"`
}

type knobEntry struct {
	Key     string        `json:"key" help:"stable"`
	Label   string        `json:"label" help:"for people"`
	Panel   string        `json:"panel" help:"where the page has it"`
	Unit    string        `json:"unit" help:"of min, max, default and values; empty if none"`
	Kind    string        `json:"kind" help:"number: a decimal number; one: the key of a choice; many: keys of choices with commas between them, or the key of a set; word: any text"`
	Min     *float64      `json:"min,omitempty" help:"of a number, where other settings are as by default"`
	Max     *float64      `json:"max,omitempty" help:"of a number, where other settings are as by default"`
	Limited []string      `json:"limited_by,omitempty" help:"keys of settings whose choices allow it other values: see limits of choices"`
	Choices []choiceEntry `json:"choices,omitempty" help:"of one and many"`
	Sets    []choiceEntry `json:"sets,omitempty" help:"of many: names for several choices; members as in choices"`
	Default string        `json:"default" help:"its value when it is not set; empty if it follows from other settings"`
	Derived bool          `json:"derived" help:"it is a name for values of other settings, and choosing sets them"`
	Help    string        `json:"help" help:"what it means"`
	Source  string        `json:"source,omitempty" help:"where the default comes from"`
	Config  string        `json:"config,omitempty" help:"its key in files of the program that was simulated"`
}

type choiceEntry struct {
	Key    string `json:"key" help:"stable"`
	Label  string `json:"label" help:"for people"`
	Help   string `json:"help,omitempty" help:"what it means"`
	Source string `json:"source,omitempty" help:"where its numbers come from"`
	Set    string `json:"set,omitempty" help:"the settings that come with it, as a setup text; of a set its choices"`

	Limits []limitEntry `json:"limits,omitempty" help:"what other settings may be with it"`
}

type limitEntry struct {
	Key     string   `json:"key" help:"of the other setting"`
	Min     *float64 `json:"min,omitempty" help:"of a number"`
	Max     *float64 `json:"max,omitempty" help:"of a number"`
	Choices []string `json:"choices,omitempty" help:"keys of those that are possible"`
}

type paperEntry struct {
	Key     string        `json:"key" help:"stable: verify --paper KEY"`
	Title   string        `json:"title" help:"of the publication"`
	About   string        `json:"about" help:"what is reproduced"`
	Systems []string      `json:"systems" help:"names of those that it compares"`
	Figures []figureEntry `json:"figures" help:"figures and tables"`
}

type exportEntry struct {
	Key   string `json:"key" help:"stable: spillway export KEY"`
	Title string `json:"title" help:"for people"`
	Ext   string `json:"ext" help:"how its file's name ends"`
	About string `json:"about" help:"what it holds and what reads it"`
}

type figureEntry struct {
	Name    string `json:"name" help:"stable, among all papers: verify --figures NAME"`
	Title   string `json:"title" help:"for people"`
	Section string `json:"section" help:"of the paper"`
	Points  int    `json:"points" help:"published numbers"`
	Claims  int    `json:"claims" help:"numbers that the text states about it"`
}

var listDoc = doc{"--json prints one object:", listing{}}

func (s *shell) list(args []string) error {
	fs := s.flags("list", "[LAB...] [--json]",
		"Lists the laboratories, or those that are named with all of their settings.", listDoc)
	asJSON := fs.Bool("json", false, "print everything as one JSON object")
	names, err := parse(fs, args)
	if err != nil {
		return err
	}
	doors := s.labs
	if len(names) > 0 {
		doors = nil
		for _, name := range names {
			d, err := s.door(strings.TrimPrefix(name, "lab="))
			if err != nil {
				return err
			}
			doors = append(doors, d)
		}
	}
	all := listing{Program: s.program}
	for _, d := range doors {
		l := d.New()
		all.Labs = append(all.Labs, entry(&l))
	}
	if *asJSON {
		return printJSON(s.out, &all)
	}
	return all.print(s.out, len(names) > 0)
}

// printJSON prints v as JSON, for people too.
func printJSON(w io.Writer, v any) error {
	data, err := jsonx.MarshalIndent(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// entry is a laboratory as it is listed.
func entry(l *lab.Lab) labEntry {
	i := l.Complete()
	e := labEntry{Name: i.Name, Title: i.Title, About: i.About, Files: i.Drop, Entry: i.Entry, Papers: []paperEntry{}, Exports: []exportEntry{}}
	for k := range i.Systems {
		x := &i.Systems[k]
		e.Systems = append(e.Systems, systemEntry{Name: x.Name, Title: x.Title, About: x.About, Paper: x.Paper, Family: x.Family, Bound: x.Bound, Off: x.Off})
	}
	for k := range i.Quantities {
		q := &i.Quantities[k]
		scale := q.Scale
		if scale == 0 {
			scale = 1
		}
		e.Quantities = append(e.Quantities, quantityEntry{Key: q.Key, Label: q.Label, Unit: q.Unit, Scale: scale, Help: q.Help, Better: q.Better})
	}
	for k := range i.Knobs {
		e.Knobs = append(e.Knobs, setting(&i.Knobs[k]))
		e.Knobs[k].unsaid(&i)
		e.Knobs[k].limited(&i)
	}
	for _, x := range i.Exports {
		e.Exports = append(e.Exports, exportEntry{Key: x.Key, Title: x.Title, Ext: x.Ext, About: x.About})
	}
	for _, p := range l.Studies() {
		o := p.Outline()
		list := paperEntry{Key: o.Key, Title: o.Title, About: o.About, Systems: o.Systems}
		for _, f := range o.Figures {
			list.Figures = append(list.Figures, figureEntry{Name: f.Name, Title: f.Title, Section: f.Section, Points: f.Points, Claims: f.Claims})
		}
		e.Papers = append(e.Papers, list)
	}
	return e
}

var kinds = map[knob.Kind]string{knob.Number: "number", knob.One: "one", knob.Many: "many", knob.Word: "word", knob.Rules: "rules", knob.Script: "script"}

// setting is a knob as it is listed.
func setting(k *knob.Info) knobEntry {
	e := knobEntry{
		Key: k.Key, Label: k.Label, Panel: k.Panel, Unit: k.Unit, Kind: kinds[k.Kind], Default: k.Default, Derived: k.Derived,
		Help: k.Help, Source: k.Source, Config: k.Config, Choices: choices(k.Choices), Sets: choices(k.Sets),
	}
	if k.Kind == knob.Number {
		least, most := float64(k.Min)/float64(k.Scale), float64(k.Max)/float64(k.Scale)
		e.Min, e.Max = &least, &most
	}
	return e
}

// unsaid says what the setting is where nobody says it, if that is not its default.
func (k *knobEntry) unsaid(i *lab.Info) {
	for _, x := range i.Unsaid {
		if x.Key == k.Key {
			k.Help += fmt.Sprintf(" Where nobody says it, it is %s, but %s with %s and no files, or with the file that such a workload was made of.", x.Text, k.Default, x.Unless)
			k.Default = ""
		}
	}
}

// limited says what the setting may be where others are as by default, and which others say.
func (k *knobEntry) limited(i *lab.Info) {
	u := i.Setup()
	if l := u.Limit(k.Key); l != nil && k.Min != nil {
		of := u.Knob(k.Key)
		*k.Min, *k.Max = float64(l.Min)/float64(of.Scale), float64(l.Max)/float64(of.Scale)
	}
	for n := range i.Knobs {
		other := &i.Knobs[n]
		for c := range other.Choices {
			for _, l := range other.Choices[c].Limits {
				if l.Key == k.Key && !slices.Contains(k.Limited, other.Key) {
					k.Limited = append(k.Limited, other.Key)
				}
				of := u.Knob(l.Key)
				if other.Key != k.Key || of == nil {
					continue
				}
				x := limitEntry{Key: l.Key, Choices: l.Choices}
				if of.Kind == knob.Number {
					least, most := float64(l.Min)/float64(of.Scale), float64(l.Max)/float64(of.Scale)
					x.Min, x.Max = &least, &most
				}
				k.Choices[c].Limits = append(k.Choices[c].Limits, x)
			}
		}
	}
}

func choices(list []knob.Choice) []choiceEntry {
	var out []choiceEntry
	for i := range list {
		c := &list[i]
		out = append(out, choiceEntry{Key: c.Key, Label: c.Label, Help: c.Help, Source: c.Source, Set: c.Set})
	}
	return out
}

// print lists for people; full adds quantities and settings.
func (l *listing) print(w io.Writer, full bool) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i := range l.Labs {
		e := &l.Labs[i]
		fmt.Fprintf(tw, "%s: %s. %s\n", e.Name, e.Title, e.About)
		fmt.Fprint(tw, "\n  SYSTEM\t\tFROM\n")
		for _, x := range e.Systems {
			remark := ""
			if x.Bound {
				remark = " (ideal)"
			} else if x.Off {
				remark = " (only if named)"
			}
			fmt.Fprintf(tw, "  %s\t%s%s\t%s\n", x.Name, x.Title, remark, x.Paper)
		}
		if full {
			fmt.Fprint(tw, "\n  SETTING\tDEFAULT\tVALUES\n")
			for _, k := range e.Knobs {
				fmt.Fprintf(tw, "  %s\t%s\t%s\n", k.Key, k.Default, k.values())
			}
			fmt.Fprint(tw, "\n  QUANTITY\tUNIT\t\n")
			for _, q := range e.Quantities {
				fmt.Fprintf(tw, "  %s\t%s\t%s\n", q.Key, q.Unit, q.Label)
			}
		}
		if len(e.Papers) > 0 {
			fmt.Fprint(tw, "\n  PAPER\t\tFIGURES\n")
		}
		for _, p := range e.Papers {
			var names []string
			for _, f := range p.Figures {
				names = append(names, f.Name)
			}
			fmt.Fprintf(tw, "  %s\t%s\t%s\n", p.Key, p.Title, strings.Join(names, " "))
		}
		if i+1 < len(l.Labs) {
			fmt.Fprintln(tw)
		}
	}
	return tw.Flush()
}

// values says in few words what a setting takes.
func (k *knobEntry) values() string {
	if k.Min != nil {
		plain := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
		text := strings.TrimSpace(plain(*k.Min) + " to " + plain(*k.Max) + " " + k.Unit)
		if len(k.Limited) > 0 {
			text += "; others with another " + strings.Join(k.Limited, ", ")
		}
		return text
	}
	var names []string
	for _, list := range [][]choiceEntry{k.Sets, k.Choices} {
		for _, c := range list {
			names = append(names, c.Key)
		}
	}
	switch {
	case k.Kind == kinds[knob.Script]:
		return "a policy, @ between its lines"
	case len(names) == 0:
		return "any text"
	case k.Kind == kinds[knob.Many]:
		return "some of " + strings.Join(names, ", ")
	case k.Kind == kinds[knob.Rules]:
		return "rules, pattern=" + strings.Join(names, ", pattern=")
	}
	return strings.Join(names, ", ")
}
