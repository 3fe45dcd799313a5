package main

import (
	"errors"
	"flag"
	"fmt"
	"strings"

	"spillway/ui/lab"
	"spillway/ui/lab/all"
)

// door returns the laboratory with this name. The error says which there are.
func (s *shell) door(name string) (all.Entry, error) {
	var names []string
	for _, d := range s.labs {
		if d.Name == name {
			return s.forced(d), nil
		}
		names = append(names, d.Name)
	}
	return all.Entry{}, fmt.Errorf("unknown laboratory %q; there are %s", name, strings.Join(names, ", "))
}

// forced is a laboratory that runs whatever work it is, if --force is given; if it could
// be, one that says so when it refuses.
func (s *shell) forced(d all.Entry) all.Entry {
	if !s.forcible {
		return d
	}
	enter := d.New
	d.New = func() lab.Lab {
		l := enter()
		if s.force {
			l.Unbound()
		} else {
			l.Pass(forceHelp)
		}
		return l
	}
	return d
}

// forceHelp says how a run passes the limit.
const forceHelp = "--force runs it all the same."

// forceFlag adds --force.
func (s *shell) forceFlag(fs *flag.FlagSet) {
	s.forcible = true
	fs.BoolVar(&s.force, "force", false, "also run what is more work than a run may be, however long it takes")
}

// much is what an error says of a run that is too much work to begin, or "".
func much(err error) string {
	var m *lab.Much
	if errors.As(err, &m) {
		return m.Error()
	}
	return ""
}
