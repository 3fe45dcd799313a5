package main

import (
	"errors"
	"fmt"
	"io"

	"spillway/ui/cite"
)

const citeForm = `[lab=LAB [system=NAME,...]]`

const citeAbout = `Prints the papers that systems are from as BibTeX: of those that are named, of a
laboratory's, or of all. Remarks of systems are no papers; Spillway itself is cited as
CITATION.cff says, and a figure as Share on the page does.
`

func (s *shell) cite(args []string) error {
	fs := s.flags("cite", citeForm, citeAbout)
	rest, err := parse(fs, args)
	if err != nil {
		return err
	}
	q, err := readRequest("", rest)
	switch {
	case err != nil:
		return fmt.Errorf("cite: %w", err)
	case len(q.pairs) > 0 || len(q.files) > 0 || q.lab == "" && len(q.systems) > 0:
		return errors.New("cite: want lab=LAB and system=NAME,... at most")
	case q.lab == "":
		_, err = io.WriteString(s.out, cite.BibTeX(cite.Entries()))
		return err
	}
	door, err := s.door(q.lab)
	if err != nil {
		return err
	}
	l := door.New()
	var from []string
	for i := range l.Systems {
		if x := &l.Systems[i]; len(q.systems) == 0 {
			from = append(from, x.Paper)
		}
	}
	for _, name := range q.systems {
		x, err := l.System(name)
		if err != nil {
			return fmt.Errorf("cite: %w", err)
		}
		from = append(from, x.Paper)
	}
	_, err = io.WriteString(s.out, cite.BibTeX(cite.Of(from...)))
	return err
}
