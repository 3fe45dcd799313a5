package view

import (
	"cmp"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/vugu/vugu"

	"spillway/sim/knob"
	"spillway/ui/chart"
	"spillway/ui/draw"
	"spillway/ui/embed"
	"spillway/ui/lab"
	"spillway/ui/model/form"
	"spillway/ui/model/session"
	"spillway/ui/table"
)

// A Page is what the components need from the browser.
type Page interface {
	// Save offers a text file for download.
	Save(name, mime, text string)
	// SaveChart offers the drawn chart for download as PNG, which carries data: what
	// it shows, as CSV.
	SaveChart(id, name, data string)
	// Drawing says how a file shows the chart as it is drawn here: the theme, what is
	// hidden, the link to what is shown and the version.
	Drawing(id string) draw.Options
	// SaveTables is Save of tables in a format.
	SaveTables(name string, format *table.Format, f *table.File)
	// SaveZip is SaveBytes of files, by name, as one archive.
	SaveZip(name string, files [][2]string)
	// SaveBytes is Save of what is no text.
	SaveBytes(name, mime string, data []byte)
	// Address is that of the page, without what it shows; empty if it is a file on
	// somebody's computer.
	Address() string
	// Share opens the dialog with the link, with code to embed it and how to cite it.
	Share()
	// Pick opens the file chooser, for a folder if folder is true.
	Pick(folder bool)
	// Theme switches between dark and light.
	Theme()
	// Narrow reports whether the window has no room for the settings at the side, where
	// Dock shows or hides them, and keeps that for the next visit.
	Narrow() bool
	Dock(shown bool)
	// Show scrolls to the element with the id and focuses it.
	Show(id string)
	// Focus focuses the element with the id; Near scrolls as little as makes all of
	// it visible.
	Focus(id string)
	Near(id string)
	// Help opens the help dialog, Find the search in everything the page has.
	Help()
	Find()
}

// App is what all components share.
type App struct {
	*session.Session
	Page Page

	// frame is what the page shows inside another one, nil if it stands by itself.
	frame *embed.Options

	// open holds the names of open sections, help texts and tables; closed those
	// of panels that are closed.
	open, closed map[string]bool
	drawer       bool // the settings lie over the results, where there is no room beside them

	room  *session.Laboratory // that what follows is about
	rev   int
	runs  []chart.Run
	views []chart.View
	board chart.Board // how the runs rank
	// account is where the time of two of them goes; says what the change since the baseline did,
	// or else who wins, and why its cause.
	account   chart.Account
	beside    string     // how the run in focus compares with a kept one, or with the baseline
	lag       chart.View // where it loses time against what was chosen
	sides     []form.Option
	says, why string
	forms     []form.Panel
}

// NewApp returns the page's components' common ground.
func NewApp(s *session.Session, p Page) *App {
	return &App{Session: s, Page: p, open: map[string]bool{}, closed: map[string]bool{}, rev: -1}
}

// OpenDrawer shows the settings where they are out of sight: beside the results, or over them
// in a narrow window.
func (a *App) OpenDrawer() {
	if a.drawer = a.Page.Narrow(); !a.drawer {
		a.Page.Dock(true)
	}
	a.Page.Focus("settings")
}

// CloseDrawer puts them out of sight again where they lie over the results.
func (a *App) CloseDrawer() {
	if a.drawer {
		a.drawer = false
		a.Page.Focus("open-settings")
	}
}

// PutAway puts the settings out of sight, wherever they are.
func (a *App) PutAway() {
	if !a.drawer {
		a.Page.Dock(false)
		a.Page.Focus("open-settings")
	}
	a.CloseDrawer()
}

// here reports whether the laboratory that is wanted is the one that is there: nothing of another is
// shown under its name.
func (a *App) here() bool { return a.Laboratory != nil && a.Wanted() == a.Info.Name }

// title is what the laboratory that is wanted is called.
func (a *App) title() string {
	for _, t := range a.Tabs {
		if t.Name == a.Wanted() {
			return t.Title
		}
	}
	return "Laboratories"
}

// behind is the inert attribute of what the drawer lies over.
func (a *App) behind() any {
	if a.drawer {
		return "inert"
	}
	return nil
}

// folding is the name under which it is noted that a panel is closed:
// laboratories have panels of the same key.
func (a *App) folding(panel string) string { return a.Info.Name + " " + panel }

// Jump goes to the field of a knob, wherever it is.
func (a *App) Jump(key string) {
	if panel := a.PanelOf(key); panel != "" {
		a.closed[a.folding(panel)] = false
		a.OpenDrawer()
		if k := a.Info.Script(); k != nil && k.Key == key {
			a.Proof.Look()
		}
		a.Page.Show("f-" + key)
	}
}

// IsOpen reports whether the part with this name is open.
func (a *App) IsOpen(name string) bool { return a.open[name] }

// ToggleOpen opens the part with this name or closes it.
func (a *App) ToggleOpen(name string) { a.open[name] = !a.open[name] }

// Expanded is IsOpen as an attribute value.
func (a *App) Expanded(name string) string { return boolText(a.open[name]) }

// fresh computes again what the charts and forms show, if anything has changed.
func (a *App) fresh() {
	if a.room == a.Laboratory && a.rev == a.Rev {
		return
	}
	a.room, a.rev = a.Laboratory, a.Rev
	a.runs = a.Runs.ChartRuns()
	c := a.Compared(a.runs)
	a.beside, a.lag, a.sides = chart.Compared(c, a.runs), a.Lag(c, a.runs), a.Sides()
	a.views = chart.Views(c, a.runs)
	a.board, a.account = chart.Standings(c, a.runs), chart.AccountOf(c, a.runs)
	if a.says, a.why = chart.Before(c, a.runs), ""; a.says == "" {
		a.says, a.why = chart.Verdict(a.Info, a.runs)
	}
	a.forms = a.Form.Forms()
}

// Note says what all numbers are about.
func (a *App) Note() string {
	pieces, _ := a.Form.Brief()
	return strings.Join(pieces, " · ")
}

// Name returns a file name for a download about what.
func (a *App) Name(what, ext string) string {
	pieces, _ := a.Form.Brief()
	first := a.Info.Name
	if len(pieces) > 0 {
		first = pieces[0]
	}
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return '-'
	}, strings.ToLower(first))
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	return "spillway-" + strings.Trim(name, "-") + "-" + what + "." + ext
}

// saveChart downloads a chart, as it is drawn in the place with the id.
func (a *App) saveChart(id, kind, name string, v *chart.View, data string) {
	if kind != "svg" {
		a.Page.SaveChart(id, name, cmp.Or(data, v.CSV()))
		return
	}
	o := a.Page.Drawing(id)
	o.Data = data
	a.Page.Save(name, "image/svg+xml", draw.SVG(v, o))
}

// SaveCSV downloads all numbers.
func (a *App) SaveCSV() {
	a.fresh()
	a.Page.Save(a.Name("results", "csv"), "text/csv", chart.CSV(a.Runs.ChartContext(), a.alongside()))
}

// alongside are the runs with those that stand beside them.
func (a *App) alongside() []chart.Run { return append(slices.Clone(a.runs), a.Saved.Columns()...) }

// SaveJSON downloads the settings and all results, when the workers have made
// them again.
func (a *App) SaveJSON() {
	name := a.Name("results", "json")
	schema := a.Page.Address() // none where the page is a file
	if schema != "" {
		schema = schema[:strings.LastIndexByte(schema, '/')+1] + "schema/results-3.json"
	}
	a.Output.Export(schema, func(text, problem string) {
		if problem != "" {
			a.Tell("The results cannot be saved: " + problem + ".")
			return
		}
		a.Page.Save(name, "application/json", text)
	})
}

func boolText(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

// off is the value of a disabled attribute: nil leaves the attribute out.
func off(b bool) any {
	if b {
		return nil
	}
	return "disabled"
}

// hidden is the value of a hidden attribute.
func hidden(b bool) any {
	if b {
		return "hidden"
	}
	return nil
}

// broughtHTML is the policy that is followed, so that who opens a link reads what runs.
func (a *App) broughtHTML() vugu.HTML {
	name, text := a.Proof.Brought()
	if text == "" {
		return ""
	}
	return vugu.HTML(`<details class="brought" id="brought"><summary>The policy: ` + html.EscapeString(name) + `</summary><pre tabindex="0">` + html.EscapeString(text) + `</pre></details>`)
}

// swatch is the style of a system's mark: its color.
func swatch(s *lab.System) string { return chart.SystemLook(s).Style() }

// swatchClass says which pattern the mark has.
func swatchClass(s *lab.System) string {
	return "swatch pattern-" + strconv.Itoa(chart.SystemLook(s).Pattern)
}

// Kinds of field, for the markup.
func isText(f form.Field) bool {
	return f.Kind != knob.One && f.Kind != knob.Many
}

func isScript(f form.Field) bool { return f.Kind == knob.Script }

// radios is how many choices stand side by side; more make a list.
const radios = 3

func isRadio(f form.Field) bool {
	return f.Kind == knob.One && len(f.Options) <= radios && f.Options[0].Key != ""
}

func isSelect(f form.Field) bool { return f.Kind == knob.One && !isRadio(f) }

func isMany(f form.Field) bool { return f.Kind == knob.Many }
