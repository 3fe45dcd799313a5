package ui

import (
	"strings"

	"spillway/sim/workload"
	"spillway/ui/job"
	"spillway/ui/model"
)

// A Page is what the components need from the browser.
type Page interface {
	// Save offers a text file for download.
	Save(name, mime, text string)
	// SaveChart offers the drawn chart for download, kind is "png" or "svg".
	SaveChart(id, kind, name string)
	// CopyLink puts the page's own link into the clipboard.
	CopyLink()
	// Pick opens the file chooser, for a folder if folder is true.
	Pick(folder bool)
	// Theme switches between dark and light.
	Theme()
	// Narrow reports whether the window has room for one column only.
	Narrow() bool
	// Show scrolls to the element with the id and focuses it.
	Show(id string)
	// Help opens the help dialog.
	Help()
}

// Runner does jobs; see model.Runner. In the browser it is a pool of workers.
type Runner = model.Runner

// App is what all components share.
type App struct {
	*model.Session
	Page Page

	// Copied is true for a moment after the link was copied.
	Copied bool
	// open holds the names of open sections, help texts and tables.
	open map[string]bool

	charts    []model.Chart
	chartsRev int
}

// NewApp returns the page's components' common ground.
func NewApp(s *model.Session, p Page) *App {
	a := &App{Session: s, Page: p, chartsRev: -1, open: map[string]bool{}}
	for _, panel := range []string{"workload", "systems", "hardware", "fidelity", "options"} {
		// Where settings and results are below each other, results come soon.
		a.open[panel] = !p.Narrow() || panel == "workload"
	}
	return a
}

// IsOpen reports whether the part with this name is open.
func (a *App) IsOpen(name string) bool { return a.open[name] }

// ToggleOpen opens the part with this name or closes it.
func (a *App) ToggleOpen(name string) { a.open[name] = !a.open[name] }

// Expanded is IsOpen as an attribute value.
func (a *App) Expanded(name string) string { return boolText(a.open[name]) }

// Chart returns the i-th chart as of now.
func (a *App) Chart(i int) *model.Chart {
	if a.chartsRev != a.Rev {
		a.charts, a.chartsRev = a.Charts(), a.Rev
	}
	return &a.charts[i]
}

// Name returns a file name for a download about what.
func (a *App) Name(what, ext string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return '-'
	}, strings.ToLower(a.WorkloadName()))
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	return "spillway-" + strings.Trim(name, "-") + "-" + what + "." + ext
}

// SaveCSV downloads all numbers.
func (a *App) SaveCSV() {
	if text, err := a.CSV(); err == nil {
		a.Page.Save(a.Name("results", "csv"), "text/csv", text)
	}
}

// SaveJSON downloads the settings and all results.
func (a *App) SaveJSON() {
	if text, err := a.JSON(); err == nil {
		a.Page.Save(a.Name("results", "json"), "application/json", text)
	}
}

func boolText(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

// timesHelp explains a time source.
func timesHelp(t workload.TimeSource) string {
	switch t {
	case workload.Estimated:
		return "A clean roofline model of the GPU: what a warm, well-measured kernel takes."
	case workload.ColdModel:
		return "A model of the paper's own profile, which timed every kernel cold. Iterations become 2 to 100 times longer; that hides transfers and decides conclusions, so compare with Estimated."
	}
	return "Measured: the profile that came with the files."
}

// modelOf returns the bundled model at hand; an empty one for a file.
func (a *App) modelOf() *job.Model {
	m, err := job.FindModel(a.State.Source.Model)
	if err != nil {
		return &job.Model{}
	}
	return m
}
