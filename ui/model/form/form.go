// Package form is the fields and sliders of settings.
package form

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/script"
	"spillway/ui/lab"
	"spillway/ui/model/files"
	"spillway/ui/model/workspace"
)

// A Field is one knob as the page shows it.
type Field struct {
	Key, Label, Unit string
	Kind             knob.Kind
	Text             string // as typed, else the value
	Error            string // what is wrong with Text, empty if nothing
	Help             string // meaning, range and source
	Hint             string // what stands below the field; may be empty
	Default          string // what reset goes back to, with unit
	Changed          bool   // differs from the default
	Mark             string // why the value does not matter now, or what 0 leaves it to; may be empty
	Why              string // why some choices are not possible now, empty if all are
	Options          []Option
	Sets             []Option // of a Many: names for several options at once
	Columns          []string // of a Many that is a table, and its rows
	Rows             []Row
	Group            string
}

// An Option is a choice of a field.
type Option struct {
	Key, Label, Help, Source string
	Chosen, Off              bool
	Why                      string // it is off, empty if it is not
}

// A Row is one of a table of options: a cell for each column.
type Row struct {
	Label string
	Cells []Cell
}

// A Cell is an option of a table; one without a key is empty.
type Cell struct {
	Key, Says, Name, Help string
	On                    bool
}

// A Group is the fields under one heading.
type Group struct {
	Name   string
	Fields []Field
}

// A Panel is one panel of knobs.
type Panel struct {
	lab.Panel
	Groups  []Group
	Changed bool // something can be reset
	Writes  bool // a policy is written in it
}

// Form is the fields and sliders of a laboratory's settings.
type Form struct {
	// Latest is the newest report, for what it says of the settings; nil before the first.
	Latest *report.Report

	room  *workspace.Workspace
	files *files.Files
}

// New returns the form of a laboratory.
func New(w *workspace.Workspace, f *files.Files) *Form { return &Form{room: w, files: f} }

// Forms returns the panels.
func (f *Form) Forms() []Panel {
	base := f.room.State.Setup.Base()
	list := make([]Panel, len(f.room.Info.Panels))
	for i, p := range f.room.Info.Panels {
		list[i] = f.panel(p, f.room.State.Setup, base)
	}
	return list
}

func (f *Form) panel(p lab.Panel, u, base *knob.Setup) Panel {
	list := Panel{Panel: p}
	for i := range u.Knobs() {
		k := &u.Knobs()[i]
		if k.Panel != p.Key || k.Key == f.room.Info.Entry {
			continue
		}
		if f.files.Own(k.Key) == nil && (u.Hidden(k.Key) || f.elsewhere(k)) {
			continue
		}
		if len(list.Groups) == 0 || list.Groups[len(list.Groups)-1].Name != k.Group {
			list.Groups = append(list.Groups, Group{Name: k.Group})
		}
		g := &list.Groups[len(list.Groups)-1]
		field := f.FieldOf(k, u, base)
		list.Changed = list.Changed || field.Changed && !workspace.BringsOthers(k)
		list.Writes = list.Writes || k.Kind == knob.Script
		g.Fields = append(g.Fields, field)
	}
	return list
}

// elsewhere reports whether a knob that the shown entry has not is about another workload than
// the one that is shown: of other entries, or of bundled ones while an entry is shown.
func (f *Form) elsewhere(k *knob.Info) bool {
	if slices.Contains(f.room.Info.EntryKnobs, k.Key) {
		return true
	}
	return f.room.Entry() != "" && k.Panel == f.room.State.Setup.Knob(f.room.Info.Entry).Panel
}

// Field returns the knob with this key as the page shows it.
func (f *Form) Field(key string) Field {
	return f.FieldOf(f.room.State.Setup.Knob(key), f.room.State.Setup, f.room.State.Setup.Base())
}

// FieldOf returns a knob of a setup, which goes back to base, as the page shows it.
func (f *Form) FieldOf(k *knob.Info, u, base *knob.Setup) Field {
	text := u.Text(k.Key)
	x := Field{
		Key: k.Key, Label: k.Label, Unit: k.Unit, Kind: k.Kind, Group: k.Group, Text: text,
		Default: report.WithUnit(base.Text(k.Key), k.Unit), Mark: u.Moot(k.Key), Help: help(k),
		Changed: !k.Derived && text != base.Text(k.Key),
	}
	switch k.Kind {
	case knob.Number, knob.Word, knob.Rules, knob.Script:
		if o := f.files.Own(k.Key); o != nil && len(o.Choices) > 0 {
			x.Kind = knob.One
			x.Options = Offered(o.Choices, text)
			break
		}
		var err error
		if x.Text, err = f.typed(k.Key, u); err != nil {
			x.Error, x.Changed = err.Error(), true
		}
		if l := u.Limit(k.Key); l != nil {
			x.Hint = l.Hint
		}
		if _, ok := f.room.Drafts[k.Key]; k.Zero != "" && u.Text(k.Key) == "0" && x.Error == "" {
			if x.Mark = cmp.Or(x.Mark, k.Zero); !ok {
				x.Text = ""
			}
		}
		if number, unit := k.Short(x.Text); k.Kind == knob.Number && unit != k.Unit && f.room.Drafts[k.Key] != x.Text {
			x.Text, x.Unit = report.WithUnit(number, unit), "" // so that typing into it means the same
		}
		if number, unit := k.Short(base.Text(k.Key)); k.Kind == knob.Number {
			x.Default = report.WithUnit(number, unit)
			if number == "0" && k.Zero != "" {
				x.Default = k.Zero
			}
		}
	case knob.One:
		l := u.Limit(k.Key)
		for _, c := range k.Choices {
			o := Option{Key: c.Key, Label: workspace.Label(&c), Help: c.Help, Source: c.Source, Chosen: c.Key == text}
			if o.Chosen {
				x.Hint = c.Help
				x.Help = strings.TrimSpace(x.Help + " " + c.More)
				if c.Source != "" {
					x.Help += " Source: " + c.Source + "."
				}
			}
			if l != nil && len(l.Choices) > 0 {
				o.Off = !slices.Contains(l.Choices, c.Key)
			}
			if o.Off {
				o.Why = fmt.Sprintf("There is no %q with %s.", o.Label, workspace.Limiter(u, k.Key))
				if l.Why != "" {
					o.Why = prose.Capital(l.Why) + "."
				}
				if !strings.Contains(x.Why, o.Why) { // one limit shuts out several
					x.Why = strings.TrimSpace(x.Why + " " + o.Why)
				}
			}
			x.Options = append(x.Options, o)
		}
		if k.Derived && text == "" {
			x.Options = append([]Option{{Label: "custom", Chosen: true, Off: true}}, x.Options...)
			x.Help += " The numbers below are those of no listed part."
		}
	case knob.Many:
		on := k.Members(text)
		for _, c := range k.Choices {
			x.Options = append(x.Options, Option{Key: c.Key, Label: workspace.Label(&c), Help: c.Help, Source: c.Source, Chosen: slices.Contains(on, c.Key)})
		}
		for _, c := range k.Sets {
			o := Option{Key: c.Key, Label: workspace.Label(&c), Help: c.Help, Chosen: c.Key == text}
			if o.Chosen {
				x.Hint = c.Help
			}
			x.Sets = append(x.Sets, o)
		}
		if k.Grid != nil {
			tabulate(&x, k, on)
		}
		if x.Hint == "" {
			x.Hint = fmt.Sprintf("%d of %d are on.", len(on), len(k.Choices))
		}
	}
	return x
}

// tabulate fills the table of a Many.
func tabulate(x *Field, k *knob.Info, on []string) {
	for _, c := range k.Grid.Columns {
		x.Columns = append(x.Columns, c.Label)
	}
	for _, r := range k.Grid.Rows {
		row := Row{Label: r.Label}
		for _, c := range k.Grid.Columns {
			cell := Cell{}
			if o := k.Choice(c.Key + "." + r.Key); o != nil {
				cell = Cell{Key: o.Key, Says: k.Grid.Off, Help: o.Help, On: slices.Contains(on, o.Key)}
				if cell.On {
					cell.Says = k.Grid.On
				}
				cell.Name = workspace.Label(o) + ": " + cell.Says
			}
			row.Cells = append(row.Cells, cell)
		}
		x.Rows = append(x.Rows, row)
	}
	if x.Hint == "" {
		x.Hint = fmt.Sprintf("Cells: %d %s, %d %s.", len(on), k.Grid.On, len(k.Choices)-len(on), k.Grid.Off)
	}
}

// Offered are the choices of an entry for a Word, and its text if that is none.
func Offered(choices []knob.Choice, text string) []Option {
	var list []Option
	found := false
	for i := range choices {
		c := &choices[i]
		list = append(list, Option{Key: c.Key, Label: workspace.Label(c), Help: c.Help, Chosen: c.Key == text})
		found = found || c.Key == text
	}
	if !found {
		list = append(list, Option{Key: text, Label: text + " (not there)", Chosen: true})
	}
	return list
}

// help is the whole explanation of a knob in one paragraph.
func help(k *knob.Info) string {
	parts := []string{k.Help}
	if k.Kind == knob.Number {
		parts = append(parts, "Range: "+k.Range()+".")
	}
	if k.Source != "" {
		parts = append(parts, "Source: "+k.Source+".")
	}
	if k.Config != "" {
		parts = append(parts, "In config files: "+k.Config+".")
	}
	return strings.Join(parts, " ")
}

// typed returns what a field shows and why it is wrong. A valid draft of another
// value than the setup has is stale: the value changed another way.
func (f *Form) typed(key string, u *knob.Setup) (string, error) {
	draft, ok := f.room.Drafts[key]
	if k := u.Knob(key); k != nil && k.Kind == knob.Script {
		return f.written(key, draft, ok, u)
	}
	if !ok {
		return u.Text(key), nil
	}
	if k := u.Knob(key); draft == "" && k.Zero != "" && u.Text(key) == "0" {
		return "", nil
	}
	if err := u.Valid(key, draft); err != nil {
		return draft, err
	}
	if text, _ := u.Knob(key).Canon(draft); text != u.Text(key) {
		return u.Text(key), nil
	}
	return draft, nil
}

// written returns what the field of a policy shows and why it is wrong. What was typed stays
// until something else is chosen.
func (f *Form) written(key, draft string, typed bool, u *knob.Setup) (string, error) {
	if !typed {
		draft = u.Text(key)
		draft = cmp.Or(f.room.Spaced.About(draft), script.Lines(draft))
	} else if err := u.Valid(key, draft); err != nil {
		return draft, err
	}
	if says := f.room.Wrong.About(draft); says != "" {
		return draft, errors.New(says)
	}
	return draft, nil
}

// Wrong are the fields whose text is wrong, in the order of the panels.
func (f *Form) Wrong() []Field {
	var list []Field
	if len(f.room.Drafts) == 0 {
		return nil
	}
	base := f.room.State.Setup.Base()
	for i := range f.room.State.Setup.Knobs() {
		k := &f.room.State.Setup.Knobs()[i]
		if _, ok := f.room.Drafts[k.Key]; !ok {
			continue
		}
		if x := f.FieldOf(k, f.room.State.Setup, base); x.Error != "" {
			list = append(list, x)
		}
	}
	return list
}

// Brief is the line that says what all numbers are about, in pieces; trust are
// those that say how far they can be trusted.
func (f *Form) Brief() (pieces, trust []string) {
	return split(brief(f.room.Info, f.room.State.Setup, f.Latest, f.files.Lost()))
}

// Brief says the same of settings and the report of a run.
func Brief(i *lab.Info, u *knob.Setup, x *report.Report) (pieces, trust []string) {
	return split(brief(i, u, x, false))
}

// A piece is one of those that say what all numbers are about, of which knobs it says something.
type piece struct {
	text  string
	keys  []string
	trust bool
}

func split(list []piece) (pieces, trust []string) {
	for i := range list {
		pieces = append(pieces, list[i].text)
		if list[i].trust {
			trust = append(trust, list[i].text)
		}
	}
	return pieces, trust
}

// brief says what numbers are about. about is a report, nil if there is none yet; lost
// says that the files of the entry are not here.
func brief(info *lab.Info, u *knob.Setup, about *report.Report, lost bool) (pieces []piece) {
	base, entry := u.Base(), ""
	if info.Entry != "" {
		entry = u.Text(info.Entry)
	}
	for i, b := range info.Brief {
		lacks, keys := false, slices.Clone(b.Parts)
		text := fill(b.Text, func(key string) string {
			key, optional := strings.CutSuffix(key, "?")
			if len(b.Parts) == 0 {
				keys = append(keys, key)
			}
			w, said := word(about, key)
			switch k := u.Knob(key); {
			case lost && k != nil && k.Panel == u.Knob(info.Entry).Panel:
				w, optional = "", false // the file decides, and it is not here
			case !said:
				w = workspace.Words(u, key)
			}
			lacks = lacks || w == "" && !optional
			return w
		})
		if i == 0 && entry != "" && of(u, keys, u.Knob(info.Entry).Panel) {
			text = entry
		}
		text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), " ,", ",") // what stood before the comma may be nothing
		if text == "" || lacks && (i > 0 || entry == "") {
			continue
		}
		if b.Panel != "" && matters(b.Panel, u, base) {
			text = cmp.Or(built(&b, u, base), text+", changed")
		}
		pieces = append(pieces, piece{text, keys, b.Trust})
	}
	return pieces
}

// of reports whether one of the knobs is in a panel.
func of(u *knob.Setup, keys []string, panel string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { k := u.Knob(key); return k != nil && k.Panel == panel })
}

// matters reports whether something in a panel that has an effect now is not what
// it goes back to.
func matters(panel string, u, base *knob.Setup) bool {
	for i := range u.Knobs() {
		k := &u.Knobs()[i]
		if k.Panel == panel && !k.Derived && !workspace.BringsOthers(k) && u.Text(k.Key) != base.Text(k.Key) && u.Moot(k.Key) == "" && !u.Hidden(k.Key) {
			return true
		}
	}
	return false
}

// built says what a changed panel holds: its parts, or the numbers of those that
// are no listed one's; "" if the piece has no parts.
func built(b *lab.Brief, u, base *knob.Setup) string {
	var list []string
	of := map[string]bool{} // numbers of parts
	for _, key := range b.Parts {
		k := u.Knob(key)
		if k == nil || u.Moot(key) != "" {
			continue
		}
		text := workspace.Words(u, key)
		for i := range k.Choices {
			pairs, _ := knob.Pairs(k.Choices[i].Set) // lab.New has checked it
			for _, p := range pairs {
				if text == "" && !of[p.Key] {
					list = append(list, u.Knob(p.Key).Label+" "+workspace.Words(u, p.Key))
				}
				of[p.Key] = true
			}
		}
		if text != "" {
			list = append(list, text)
		}
	}
	for i := range u.Knobs() {
		if k := &u.Knobs()[i]; len(list) > 0 && k.Panel == b.Panel && k.Kind == knob.Number && !of[k.Key] && u.Text(k.Key) != base.Text(k.Key) && u.Moot(k.Key) == "" {
			return strings.Join(list, ", ") + ", changed"
		}
	}
	return strings.Join(list, ", ")
}

// word returns what a report says instead of a knob's value, and whether it does.
func word(about *report.Report, key string) (string, bool) {
	if about == nil {
		return "", false
	}
	for _, w := range about.Words {
		if w.Key == key {
			return w.Text, true
		}
	}
	return "", false
}

// fill replaces what stands in braces.
func fill(text string, of func(key string) string) string {
	for {
		before, rest, ok := strings.Cut(text, "{")
		key, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			return text
		}
		text = before + of(key) + after
	}
}
