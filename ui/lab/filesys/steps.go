package filesys

import (
	"spillway/sim/filesys/load"
	"spillway/sim/unit"
	"spillway/ui/lab"
)

// What a call costs, in steps: itself, each piece that it asks for, each page that it moves.
const (
	ofCall  = 0.3
	ofPage  = 1.0 / 64
	ofMerge = 8 // how often a store writes what it keeps
)

// steps is about how much work a run is: calls, and the pages that they read and write.
func steps(w *work, s *settings, _ string) int {
	calls := float64(w.Calls)
	const before = 3 // times what the flash holds is written before a run
	switch {
	case w.Blocks && w.recorded:
		return lab.Steps(calls, float64(ofCall+before*ofPage)) + lab.Steps(float64(w.touches/unit.Page), before*ofPage)
	case w.Blocks:
		m := s.machine()
		m = m.Scaled()
		return lab.Steps(calls, ofCall+float64(s.Pattern.Size/unit.Page)) + lab.Steps(float64(m.Device.Capacity/unit.Page), before*ofPage)
	case w.recorded:
		return lab.Steps(float64(calls*ofCall) + float64(w.touches/unit.Page))
	}
	pages, pieces := aCall(&s.Recipe, s.Workload)
	return lab.Steps(calls, float64(ofCall*pieces)+float64(ofPage*pages))
}

// aCall is how many pages a call of a workload moves, and in how many pieces, about.
func aCall(r *load.Recipe, workload string) (pages, pieces float64) {
	of := *r
	of.Name = workload
	page := float64(unit.Page)
	switch {
	case of.Store():
		return float64(r.IO+ofMerge*r.Append) / page, 1
	case workload == "oltp":
		return float64(r.IO+r.Append/32) / page, 1
	}
	if of.Uses("file_size") {
		pages += float64(float64(r.FileSize) / page)
	}
	if of.Uses("append") {
		pages += float64(float64(r.Append) / 2 / page)
	}
	pieces = 1
	if of.Uses("io") {
		pieces += float64(r.FileSize) / float64(max(1, r.IO))
	}
	return pages, pieces
}

// less says what makes a run less work.
const less = "Lower the calls or the sizes under Recipe, or raise the scale."
