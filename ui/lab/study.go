package lab

import (
	"fmt"
	"strings"

	"spillway/sim/report"
	"spillway/sim/study"
)

// A Study is a paper that can be reproduced, built when it is asked for. [Reproduce] makes
// one that takes more from runs than values of reports.
type Study[S, W, R any] struct {
	PaperInfo
	Build func() *study.Paper

	outcome func(p *study.Paper, run string, r *report.Report, values study.Values, of *Run[S, W, R]) (*study.Outcome, error)
	analyze func(run string, w W) (*study.Outcome, error)
}

// Reproduce is a study with a reader, which knows the simulator's types: work and result
// are what of the laboratory's it reads, nil where it reads nothing of that.
func Reproduce[S, W, R, W2, R2 any](info PaperInfo, build func() *study.Paper, read study.Reader[W2, R2], work func(W) W2, result func(*Run[S, W, R]) R2) Study[S, W, R] {
	s := Study[S, W, R]{PaperInfo: info, Build: build}
	s.outcome = func(p *study.Paper, run string, r *report.Report, values study.Values, of *Run[S, W, R]) (*study.Outcome, error) {
		var own R2
		if result != nil {
			own = result(of)
		}
		return read.Outcome(p, run, r, values, own)
	}
	if read.Analyze != nil {
		s.analyze = func(run string, w W) (*study.Outcome, error) { return read.Analyze(run, work(w)) }
	}
	return s
}

// read takes from a run what p needs of it.
func (s *Study[S, W, R]) read(p *study.Paper, run string, r *report.Report, values study.Values, of *Run[S, W, R]) (*study.Outcome, error) {
	if s.outcome != nil {
		return s.outcome(p, run, r, values, of)
	}
	var plain study.Reader[W, R]
	return plain.Outcome(p, run, r, values, of.Result)
}

// papers are those of a laboratory, each built when it is asked for.
type papers struct {
	list  []PaperInfo
	build []func() *study.Paper
	built []*study.Paper
}

// at returns paper i.
func (p *papers) at(i int) *study.Paper {
	if p.built[i] == nil {
		p.built[i] = p.build[i]()
	}
	return p.built[i]
}

// Paper returns the paper with this key.
func (l *Lab) Paper(key string) (*study.Paper, error) {
	for i := range l.studies.list {
		if l.studies.list[i].Key == key {
			return l.studies.at(i), nil
		}
	}
	return nil, fmt.Errorf("unknown paper %q; there are %s", key, strings.Join(names(l.studies.list, func(p *PaperInfo) string { return p.Key }), ", "))
}

// Studies returns all papers.
func (l *Lab) Studies() []*study.Paper {
	list := make([]*study.Paper, len(l.studies.list))
	for i := range list {
		list[i] = l.studies.at(i)
	}
	return list
}
