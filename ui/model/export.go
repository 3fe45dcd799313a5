package model

import (
	"encoding/json"
	"slices"

	"spillway/ui/work"
)

// An export is results on their way into a file.
type export struct {
	waiting []int // jobs whose results are still to come
	texts   map[int]string
	systems map[int]*Run
	order   []int
	failed  string
	done    func(text, problem string)
}

// Export asks the workers for all results as JSON text; done gets it, or says why
// there is none. The reports that the page has are thinned, so the runs are
// repeated.
func (r *Room) Export(done func(text, problem string)) {
	if r.exporting != nil {
		r.session.host.Stop(r.exporting.waiting)
	}
	x := &export{texts: map[int]string{}, systems: map[int]*Run{}, done: done}
	r.exporting = x
	for i := range r.Runs {
		run := &r.Runs[i]
		if !run.On {
			continue
		}
		id := r.session.id()
		x.order, x.systems[id] = append(x.order, id), run
		if run.Report == nil {
			continue
		}
		x.waiting = append(x.waiting, id)
	}
	for _, id := range slices.Clone(x.waiting) {
		r.session.host.Start(&work.Job{
			ID: id, Lab: r.Info.Name, Kind: work.Raw, Setup: r.State.Setup.String(), System: x.systems[id].System.Name, Files: r.number(),
		}, false)
	}
	r.finishExport()
}

func (r *Room) exportAnswer(a *work.Answer) bool {
	x := r.exporting
	if x == nil || !slices.Contains(x.waiting, a.ID) {
		return false
	}
	if a.Last {
		x.waiting = slices.DeleteFunc(x.waiting, func(id int) bool { return id == a.ID })
		x.texts[a.ID] = a.JSON
		if a.Error != "" {
			x.failed = a.Error
		}
		r.finishExport()
	}
	return true
}

// An exportFile is the file: everything in it that is no result.
type exportFile struct {
	Format   string      `json:"format"` // "spillway-results"
	Version  int         `json:"version"`
	Lab      string      `json:"lab"`
	Link     string      `json:"link"` // fragment that shows the same
	Setup    string      `json:"setup"`
	Workload string      `json:"workload"`
	Origin   string      `json:"origin"`
	Runs     []exportRun `json:"runs"`
}

type exportRun struct {
	System string          `json:"system"`
	Title  string          `json:"title"`
	Status string          `json:"status"`
	Error  string          `json:"error,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

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
	pieces, _ := r.Brief()
	f := exportFile{Format: "spillway-results", Version: version, Lab: r.Info.Name, Link: r.State.Encode(r.Info), Setup: r.State.Setup.String()}
	if len(pieces) > 0 {
		f.Workload = pieces[0]
	}
	_, f.Origin = r.About()
	for _, id := range x.order {
		run := x.systems[id]
		status := run.Status()
		if status == "" {
			status = "ok"
		}
		f.Runs = append(f.Runs, exportRun{run.System.Name, run.System.Title, status, run.Error, json.RawMessage(x.texts[id])})
	}
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		x.done("", err.Error())
		return
	}
	x.done(string(text), "")
}
