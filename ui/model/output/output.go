// Package output is files to take away: results, what happened in a run, bundles.
package output

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"spillway/ui/chart"
	"spillway/ui/exec"
	"spillway/ui/jsontext"
	"spillway/ui/lab"
	"spillway/ui/model/calls"
	"spillway/ui/model/files"
	"spillway/ui/model/form"
	"spillway/ui/model/runs"
	"spillway/ui/model/workspace"
)

// Output is what can be taken away of a laboratory.
type Output struct {
	room    *workspace.Workspace
	files   *files.Files
	form    *form.Form
	runs    *runs.Runs
	desk    *calls.Desk
	version func() string // of the program, as bundles name it

	exporting *export
	writing   *calls.Call // a run on its way into a file of another format
	binding   *binding    // a bundle on its way into a file
}

// New returns the output of a laboratory. version is that of the program, as bundles name
// it.
func New(w *workspace.Workspace, f *files.Files, g *form.Form, r *runs.Runs, d *calls.Desk, version func() string) *Output {
	return &Output{room: w, files: f, form: g, runs: r, desk: d, version: version}
}

// ExportRun asks a worker for the run of a system in a format of the laboratory; done gets
// it. Meanwhile the page says what it waits for, and then why there is no file. What was
// asked for before is given up.
func (o *Output) ExportRun(format *lab.Export, system *lab.System, from lab.Origin, done func(data []byte)) {
	calls.Stop(o.writing)
	waits := "Running " + system.Title + " again for the file…"
	if format.Workload {
		waits = "Writing the file…"
	}
	o.room.Say(waits)
	pieces, trust := o.form.Brief()
	from.Title, from.Mode = strings.Join(pieces[:min(1, len(pieces))], ""), strings.Join(trust, " · ")
	j := &exec.Job{Kind: exec.Export, Key: format.Key, Setup: o.files.Runs(), System: system.Name, Files: o.files.NumberNow(), Origin: from}
	// said takes the file, or says why there is none.
	said := func(a *exec.Answer) {
		if problem := cmp.Or(a.Error, strings.Join(a.Problems, "; ")); problem != "" {
			o.room.Say("There is no file: " + strings.TrimSuffix(problem, ".") + ".")
			return
		}
		o.room.Say("")
		done(a.Data)
	}
	o.writing = o.desk.Start(j, calls.Shown, func(a *exec.Answer) {
		if format.Format == "" || a.Error != "" || len(a.Problems) > 0 {
			said(a)
			return
		}
		o.writing = o.desk.Start(&exec.Job{Kind: exec.Write, Format: format.Format, Handed: a.Data}, calls.Shown, said)
	})
}

// resultsVersion is that of the format of exported results.
const resultsVersion = 3

// An export is results on their way into a file.
type export struct {
	waiting []*calls.Call // for results
	left    int           // of them, still to come
	file    exportFile
	failed  string
	done    func(text, problem string)
}

// Export asks the workers for all results as JSON text; done gets it, or says why
// there is none. The reports that the page has are thinned, so the runs are
// repeated. schema is the address of the file's schema; it may be empty.
func (o *Output) Export(schema string, done func(text, problem string)) {
	if o.exporting != nil {
		calls.Stop(o.exporting.waiting...)
	}
	x := &export{done: done}
	o.exporting = x
	pieces, _ := o.form.Brief()
	x.file = exportFile{Schema: schema, Format: "spillway-results", Version: resultsVersion, Lab: o.room.Info.Name, Link: o.files.RunLink(), Setup: o.files.Runs()}
	if len(pieces) > 0 {
		x.file.Workload = pieces[0]
	}
	_, x.file.Origin = o.runs.About()
	for i := range o.runs.List {
		run := &o.runs.List[i]
		if !run.On {
			continue
		}
		x.file.Runs = append(x.file.Runs, exportRun{Record: exec.RecordOf(o.room.Info, run.System.Name, o.room.State.Setup), Title: run.System.Title, Status: cmp.Or(run.Status(), "ok"), Error: run.Error})
		now := &x.file.Runs[len(x.file.Runs)-1]
		now.Program, now.Workload, now.Setup = Program(o.version()), x.file.Workload, x.file.Setup
		if run.Report == nil {
			continue
		}
		at := len(x.file.Runs) - 1
		x.left++
		x.waiting = append(x.waiting, o.desk.Start(&exec.Job{
			Kind: exec.Raw, Setup: x.file.Setup, System: run.System.Name, Files: o.files.NumberNow(), Hash: true,
		}, calls.Shown, func(a *exec.Answer) { o.exported(&x.file.Runs[at], a) }))
	}
	o.finishExport()
}

// exported takes the result of a run.
func (o *Output) exported(run *exportRun, a *exec.Answer) {
	x := o.exporting
	x.left--
	run.Result = jsontext.Raw(a.JSON)
	if a.Report != nil {
		run.Say(o.room.Info, a.Report, a.Hash)
	}
	if bad := cmp.Or(a.Error, strings.Join(a.Problems, "; ")); bad != "" {
		x.failed = bad
	}
	o.finishExport()
}

// An exportFile is the file: everything in it that is no result.
type exportFile struct {
	Schema   string      `json:"$schema,omitempty" help:"where this schema is"`
	Format   string      `json:"format"` // "spillway-results"
	Version  int         `json:"version"`
	Lab      string      `json:"lab" help:"name of the laboratory, which decides what a result has"`
	Link     string      `json:"link" help:"behind the # of the page's address it shows the same"`
	Setup    string      `json:"setup" help:"all settings that are not as by default, and some that always are there"`
	Workload string      `json:"workload" help:"what ran, in a few words"`
	Origin   string      `json:"origin" help:"where that comes from"`
	Runs     []exportRun `json:"runs" help:"the compared systems, in the page's order"`
}

type exportRun struct {
	exec.Record
	Title  string       `json:"title" help:"its name for people"`
	Status string       `json:"status" help:"ok, or why there is no result or none of a run that fits"`
	Error  string       `json:"error,omitempty" help:"what went wrong"`
	Result jsontext.Raw `json:"result,omitempty" help:"the laboratory's own; missing where nothing ran"`
}

// ResultsFile is the type of the file, for its schema.
func ResultsFile() reflect.Type { return reflect.TypeFor[exportFile]() }

func (o *Output) finishExport() {
	x := o.exporting
	if x.left > 0 {
		return
	}
	o.exporting = nil
	if x.failed != "" {
		x.done("", x.failed)
		return
	}
	text, err := jsontext.MarshalIndent(&x.file)
	if err != nil {
		x.done("", err.Error())
		return
	}
	x.done(string(text), "")
}

// A binding is a bundle on its way into a file.
type binding struct {
	order   exec.BundleRequest
	setup   string
	files   int           // number of the set that it has, 0 for none
	waiting []*calls.Call // what was asked for
	left    int           // runs that are still to come
	done    func(data []byte, problem string)
}

// Bundle asks for the runs of the compared systems and for a bundle of them, with the charts
// of their runs as svg draws them; done gets it, or why there is none.
func (o *Output) Bundle(charts []chart.View, svg func(*chart.View) string, done func(data []byte, problem string)) {
	if o.binding != nil {
		calls.Stop(o.binding.waiting...)
		o.binding = nil
	}
	if why := o.runs.Blocked(); why != "" {
		done(nil, strings.TrimSuffix(why, "."))
		return
	}
	var figures []exec.Drawn
	for i := range charts {
		if v := &charts[i]; v.Figure != nil {
			figures = append(figures, exec.Drawn{Name: v.ID, SVG: svg(v)})
		}
	}
	b := &binding{
		order: exec.BundleRequest{Systems: slices.Clone(o.room.State.On), Link: o.files.RunLink(), Version: o.version(), Environment: workspace.Environment, Figures: figures},
		setup: o.files.Runs(), files: o.files.NumberNow(), done: done,
	}
	o.binding = b
	if b.files == 0 {
		o.redo(b)
		return
	}
	o.ask(b, &exec.Job{Kind: exec.Carry, Setup: b.setup, Files: b.files}, func(a *exec.Answer) {
		if len(a.Handed) == 0 {
			o.redo(b)
			return
		}
		// It has not what was opened but what was made of it: that is run.
		b.order.Figures = nil // they show the recording, which the bundle has not
		o.ask(b, &exec.Job{Kind: exec.Pack, Handed: a.Handed, Set: o.files.Fresh()}, func(a *exec.Answer) {
			b.files = a.Set
			o.redo(b)
		})
	})
}

// ask asks for something on the way to a bundle: what goes wrong ends it.
func (o *Output) ask(b *binding, j *exec.Job, then func(*exec.Answer)) {
	b.waiting = append(b.waiting, o.desk.Start(j, calls.Shown, func(a *exec.Answer) {
		switch {
		case o.binding != b:
		case a.Error != "":
			calls.Stop(b.waiting...)
			o.binding = nil
			b.done(nil, a.Error)
		default:
			then(a)
		}
	}))
}

// redo asks for the runs, and for the bundle when all are there.
func (o *Output) redo(b *binding) {
	b.left = len(b.order.Systems)
	b.order.Redone = make([]*exec.Redone, b.left)
	if b.left == 0 {
		o.bind(b)
	}
	for i, system := range b.order.Systems {
		o.ask(b, &exec.Job{Kind: exec.Again, Ask: &exec.Ask{Setup: b.setup, System: system}, Files: b.files}, func(a *exec.Answer) {
			b.order.Redone[i] = a.Redone
			if b.left--; b.left == 0 {
				o.bind(b)
			}
		})
	}
}

// bind asks for the bundle.
func (o *Output) bind(b *binding) {
	o.ask(b, &exec.Job{Kind: exec.Bundle, Files: b.files, Order: &b.order}, func(a *exec.Answer) {
		o.binding = nil
		b.done(a.Data, "")
	})
}
