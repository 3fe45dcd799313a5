// Package alike has the test that every platform writes the same report for reviewers.
package alike

import (
	"fmt"
	"slices"
	"testing"

	"spillway/build/effort"
	"spillway/build/golden"
	"spillway/build/golden/change"
	"spillway/sim/study"
	"spillway/ui/lab"
	labs "spillway/ui/lab/all"
	"spillway/ui/review"
)

// A reader computes figures of a paper.
type reader struct {
	lab      *lab.Lab
	paper    *study.Paper
	outcomes map[string]*study.Outcome // by run, which several figures may need
}

// figure returns the hash that a report has of all numbers of a figure and its claims, and
// the claims' values.
func (r *reader) figure(id string) (hash string, values []change.Value, err error) {
	var known []study.Outcome
	for _, run := range r.paper.Runs() {
		if !slices.Contains(run.Figures, id) {
			continue
		}
		if r.outcomes[run.Name] == nil {
			o, _, err := r.lab.Measure(r.paper, run.Name, run.Set, nil, nil)
			if err != nil {
				return "", nil, fmt.Errorf("%s: %w", run.Name, err)
			}
			o.Rebuilt = r.paper.Standing != ""
			r.outcomes[run.Name] = o
		}
		known = append(known, *r.outcomes[run.Name])
	}
	sheet, err := r.paper.Sheet(id, known)
	if err != nil {
		return "", nil, err
	}
	all, err := r.paper.Sheet(study.AllClaims, known)
	if err != nil {
		return "", nil, err
	}
	all.Claims = slices.DeleteFunc(all.Claims, func(c study.ClaimLine) bool { return c.Figure != id })
	for i := range all.Claims {
		if c := &all.Claims[i]; c.Known {
			values = append(values, change.Float(c.ID, c.Ours))
		}
	}
	return review.Hash(&review.Paper{Outline: r.paper.Outline(), Sheets: []*study.Sheet{sheet}, All: all}), values, nil
}

// Every number of every paper's report has these hashes, figure by figure, natively and, at night,
// as WebAssembly; build/platforms compares two papers' with those on arm64. Some figures take a
// minute, so that there is a small share each time, and all at night.
func TestReportsAreAlikeEverywhere(t *testing.T) {
	effort.Natively(t) // ui/lab/train compares a quarter of its runs as WebAssembly each time
	const share = 24
	var runs []golden.Run
	for _, door := range labs.Labs {
		l := door.New()
		for _, p := range l.Studies() {
			r := &reader{&l, p, map[string]*study.Outcome{}}
			for i := range p.Figures {
				name := p.Name(p.Figures[i].ID)
				runs = append(runs, golden.Run{Run: change.Run{Name: name}})
				if !golden.Update() && !effort.Takes(len(runs), share) {
					continue
				}
				hash, values, err := r.figure(p.Figures[i].ID)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				x := &runs[len(runs)-1]
				x.Line, x.Values = fmt.Sprintf("%.32s %s", hash, name), values
			}
		}
	}
	golden.Runs(t, runs)
}
