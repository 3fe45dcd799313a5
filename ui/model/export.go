package model

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"spillway/ui/exec"
	"spillway/ui/lab"
)

// A fileExport is a run on its way into a file of another format.
type fileExport struct {
	job  int
	done func(data []byte, problem string)
}

// ExportRun asks a worker for the run of a system in a format of the laboratory;
// done gets it, or says why there is none. What was asked for before is given up.
func (r *Room) ExportRun(key, system string, o lab.Origin, done func(data []byte, problem string)) {
	if r.writing != nil {
		r.session.host.Stop([]int{r.writing.job})
	}
	pieces, trust := r.Brief()
	o.Title, o.Mode = strings.Join(pieces[:min(1, len(pieces))], ""), strings.Join(trust, " · ")
	r.writing = &fileExport{r.session.id(), done}
	r.session.host.Start(&exec.Job{
		ID: r.writing.job, Lab: r.Info.Name, Kind: exec.Export, Key: key, Setup: r.runs(), System: system, Files: r.number(), Origin: o,
	}, false)
}

func (r *Room) writtenAnswer(a *exec.Answer) bool {
	x := r.writing
	if x == nil || a.ID != x.job {
		return false
	}
	if a.Last {
		r.writing = nil
		problem := cmp.Or(a.Error, strings.Join(a.Problems, "; "))
		x.done(a.Data, strings.TrimSuffix(problem, "."))
	}
	return true
}

// exported is the version of the format of exported results.
const exported = 3

// An export is results on their way into a file.
type export struct {
	waiting []int       // jobs whose results are still to come
	places  map[int]int // of their systems in file
	file    exportFile
	failed  string
	done    func(text, problem string)
}

// Export asks the workers for all results as JSON text; done gets it, or says why
// there is none. The reports that the page has are thinned, so the runs are
// repeated. schema is the address of the file's schema; it may be empty.
func (r *Room) Export(schema string, done func(text, problem string)) {
	if r.exporting != nil {
		r.session.host.Stop(r.exporting.waiting)
	}
	x := &export{places: map[int]int{}, done: done}
	r.exporting = x
	pieces, _ := r.Brief()
	x.file = exportFile{Schema: schema, Format: "spillway-results", Version: exported, Lab: r.Info.Name, Link: r.RunLink(), Setup: r.runs()}
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
		if run.Report != nil {
			id := r.session.id()
			x.waiting, x.places[id] = append(x.waiting, id), len(x.file.Runs)-1
		}
	}
	for _, id := range slices.Clone(x.waiting) {
		r.session.host.Start(&exec.Job{
			ID: id, Lab: r.Info.Name, Kind: exec.Raw, Setup: x.file.Setup, System: x.file.Runs[x.places[id]].System, Files: r.number(), Hash: true,
		}, false)
	}
	r.finishExport()
}

func (r *Room) exportAnswer(a *exec.Answer) bool {
	x := r.exporting
	if x == nil || !slices.Contains(x.waiting, a.ID) {
		return false
	}
	if a.Last {
		x.waiting = slices.DeleteFunc(x.waiting, func(id int) bool { return id == a.ID })
		run := &x.file.Runs[x.places[a.ID]]
		run.Result = json.RawMessage(a.JSON)
		if a.Report != nil {
			run.Say(r.Info, a.Report, a.Hash)
		}
		if bad := cmp.Or(a.Error, strings.Join(a.Problems, "; ")); bad != "" {
			x.failed = bad
		}
		r.finishExport()
	}
	return true
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
	if len(x.waiting) > 0 {
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
