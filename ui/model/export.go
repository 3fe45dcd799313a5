package model

import (
	"cmp"
	"encoding/json"
	"reflect"
	"strings"

	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/calls"
)

// ExportRun asks a worker for the run of a system in a format of the laboratory;
// done gets it, or says why there is none. What was asked for before is given up.
func (r *Room) ExportRun(key, system string, o lab.Origin, done func(data []byte, problem string)) {
	calls.Stop(r.writing)
	pieces, trust := r.Brief()
	o.Title, o.Mode = strings.Join(pieces[:min(1, len(pieces))], ""), strings.Join(trust, " · ")
	j := &exec.Job{Kind: exec.Export, Key: key, Setup: r.runs(), System: system, Files: r.number(), Origin: o}
	r.writing = r.call(j, calls.Shown, func(a *exec.Answer) {
		problem := cmp.Or(a.Error, strings.Join(a.Problems, "; "))
		done(a.Data, strings.TrimSuffix(problem, "."))
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
func (r *Room) Export(schema string, done func(text, problem string)) {
	if r.exporting != nil {
		calls.Stop(r.exporting.waiting...)
	}
	x := &export{done: done}
	r.exporting = x
	pieces, _ := r.Brief()
	x.file = exportFile{Schema: schema, Format: "spillway-results", Version: resultsVersion, Lab: r.Info.Name, Link: r.RunLink(), Setup: r.runs()}
	if len(pieces) > 0 {
		x.file.Workload = pieces[0]
	}
	_, x.file.Origin = r.About()
	for i := range r.Runs {
		run := &r.Runs[i]
		if !run.On {
			continue
		}
		x.file.Runs = append(x.file.Runs, exportRun{Record: exec.RecordOf(r.Info, run.System.Name, r.State.Setup), Title: run.System.Title, Status: cmp.Or(run.Status(), "ok"), Error: run.Error})
		now := &x.file.Runs[len(x.file.Runs)-1]
		now.Program, now.Workload, now.Setup = Program(r.session.Version), x.file.Workload, x.file.Setup
		if run.Report == nil {
			continue
		}
		at := len(x.file.Runs) - 1
		x.left++
		x.waiting = append(x.waiting, r.call(&exec.Job{
			Kind: exec.Raw, Setup: x.file.Setup, System: run.System.Name, Files: r.number(), Hash: true,
		}, calls.Shown, func(a *exec.Answer) { r.exported(&x.file.Runs[at], a) }))
	}
	r.finishExport()
}

// exported takes the result of a run.
func (r *Room) exported(run *exportRun, a *exec.Answer) {
	x := r.exporting
	x.left--
	run.Result = json.RawMessage(a.JSON)
	if a.Report != nil {
		run.Say(r.Info, a.Report, a.Hash)
	}
	if bad := cmp.Or(a.Error, strings.Join(a.Problems, "; ")); bad != "" {
		x.failed = bad
	}
	r.finishExport()
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
	Title  string          `json:"title" help:"its name for people"`
	Status string          `json:"status" help:"ok, or why there is no result or none of a run that fits"`
	Error  string          `json:"error,omitempty" help:"what went wrong"`
	Result json.RawMessage `json:"result,omitempty" help:"the laboratory's own; missing where nothing ran"`
}

// ResultsFile is the type of the file, for its schema.
func ResultsFile() reflect.Type { return reflect.TypeFor[exportFile]() }

func (r *Room) finishExport() {
	x := r.exporting
	if x.left > 0 {
		return
	}
	r.exporting = nil
	if x.failed != "" {
		x.done("", x.failed)
		return
	}
	text, err := json.MarshalIndent(&x.file, "", "  ")
	if err != nil {
		x.done("", err.Error())
		return
	}
	x.done(string(text), "")
}
