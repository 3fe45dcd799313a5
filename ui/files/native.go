package files

import (
	"errors"
	"fmt"

	"spillway/ui/exec"
	"spillway/ui/lab"
)

// A Native does the jobs of one laboratory and those about files, as the page has its
// programs do them: what one hands over the other gets.
type Native struct {
	bench exec.Executor
	desk  Desk
	sets  map[int]*set
	at    int // the set that the bench has
}

// A set is opened files, and what was found in them.
type set struct {
	files  []lab.File
	handed []byte // for the laboratory, nil before that is known
	along  bool
	err    error
}

// NewNative returns one for a laboratory.
func NewNative(l lab.Lab) *Native {
	return &Native{bench: exec.Executor{Lab: l}, sets: map[int]*set{}}
}

// Open gives it a set of files under a number.
func (n *Native) Open(number int, files []lab.File) { n.sets[number], n.at = &set{files: files}, 0 }

// Do does j; see exec.Bench.
func (n *Native) Do(j *exec.Job, p lab.Progress) exec.Answer {
	s := n.sets[j.Files]
	if j.Kind.OfFiles() {
		if s != nil && n.desk.number != j.Files {
			n.desk.Open(j.Files, s.files)
		}
		a := n.desk.Do(j, p)
		switch {
		case j.Kind == exec.Open && s != nil:
			s.keep(n.bench.Lab.Name, &a)
		case j.Kind == exec.Pack && a.Error == "":
			made := &set{}
			for _, f := range a.Packed {
				made.files = append(made.files, lab.File{Name: f.Name, Data: f.Data})
			}
			made.keep(n.bench.Lab.Name, &a)
			n.sets[a.Set] = made
		}
		return a
	}
	if s != nil && n.at != j.Files {
		if s.handed == nil && s.err == nil {
			n.desk.Open(j.Files, s.files)
			a := n.desk.Do(&exec.Job{Kind: exec.Open, Lab: n.bench.Lab.Name, Files: j.Files}, p)
			s.keep(n.bench.Lab.Name, &a)
		}
		if s.err != nil {
			return exec.Answer{ID: j.ID, Last: true, Error: s.err.Error()}
		}
		n.bench.Open(j.Files, s.lent())
		n.at = j.Files
	}
	a := n.bench.Do(j, p)
	if len(a.Handed) > 0 && (j.Kind == exec.List || j.Kind == exec.Join) {
		from := n.sets[a.Of]
		n.sets[a.Set] = &set{files: from.files, handed: lab.Handed(a.Handed).Data, along: from.along}
	}
	return a
}

// errorOf is why a laboratory gets nothing.
func errorOf(a *exec.Answer, name string) error {
	switch {
	case a.Error != "":
		return errors.New(a.Error)
	case a.Bundle != nil && a.Bundle.Wrong != "":
		return errors.New(a.Bundle.Wrong)
	}
	return fmt.Errorf("the laboratory %s takes nothing of these files", name)
}

// keep keeps what was found for a laboratory.
func (s *set) keep(name string, a *exec.Answer) {
	for i := range a.Takers {
		if t := &a.Takers[i]; t.Lab == name {
			s.handed, s.along = t.Handed, t.Along
			return
		}
	}
	s.err = errorOf(a, name)
}

// lent is the set as the laboratory gets it.
func (s *set) lent() []lab.File {
	list := []lab.File{{Data: s.handed}}
	if s.along {
		list = append(list, s.files...)
	}
	return list
}
