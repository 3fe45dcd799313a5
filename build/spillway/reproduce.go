package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"spillway/sim/hash"
	"spillway/sim/study"
	"spillway/ui/bundle"
	"spillway/ui/chart"
	"spillway/ui/draw"
	"spillway/ui/exec"
	"spillway/ui/lab"
	pages "spillway/ui/review"
	"spillway/ui/wire"
)

const reproduceForm = `PAPER -o FOLDER`

const reproduceAbout = `Runs everything that a paper measured and writes into a folder: figures/ as SVG,
tables/ of every figure's and all claims' numbers as CSV, report.html with all verdicts
for reviewers, a bundle that spillway check computes again, references.bib, and
README.md, which says what came out and what is left. Each run is kept in runs/ as soon
as it is done: the same command goes on where it was stopped, with the same version.
spillway list names the papers.
`

// A keptRun is a run of a paper as runs/ keeps it, for the program that wrote it.
type keptRun struct {
	Version string
	Done    exec.Redone
}

func (s *shell) reproduce(args []string) error {
	fs := s.flags("reproduce", reproduceForm, reproduceAbout)
	out := fs.String("o", "", "write into `FOLDER`")
	rest, err := parse(fs, args)
	switch {
	case err != nil:
		return err
	case len(rest) != 1:
		return errors.New("reproduce: name one paper; spillway list has them")
	case *out == "":
		return errors.New("reproduce: say where to with -o FOLDER")
	}
	list, err := s.reviews(rest[0], "")
	if err != nil {
		return fmt.Errorf("reproduce: %w", err)
	}
	r := list[0]
	for _, folder := range []string{"runs", "figures", "tables"} {
		if err := os.MkdirAll(filepath.Join(*out, folder), 0o755); err != nil {
			return err
		}
	}
	runs := r.paper.Runs()
	parts := make([]bundle.Part, len(runs))
	var todo []int
	for i := range runs {
		if parts[i] = s.kept(*out, &runs[i]); parts[i] == nil {
			todo = append(todo, i)
		}
	}
	if n := len(runs) - len(todo); n > 0 {
		fmt.Fprintf(s.errs, "%d of %d runs are there already\n", n, len(runs))
	}
	err = each(s.crew(r.door), len(todo), func(l *lab.Lab, i int) error {
		run := &runs[todo[i]]
		p, err := bundle.Measure(l, r.paper, run)
		if err == nil {
			err = s.keep(*out, run, p)
		}
		if err == nil { // what is not kept is left
			parts[todo[i]] = p
		}
		return err
	})
	if err != nil {
		left := 0
		for _, p := range parts {
			if p == nil {
				left++
			}
		}
		return failed{fmt.Errorf("%d of %d runs are left; the same command goes on with them: %w", left, len(runs), err)}
	}
	r.outcomes = nil
	for _, p := range parts {
		r.outcomes = append(r.outcomes, *p.Outcome)
	}
	return s.written(*out, r, parts)
}

// keptName is where a run is kept.
func keptName(folder string, run *study.Run) string {
	return filepath.Join(folder, "runs", hash.Sum([]byte(run.Name))[:16])
}

// kept returns a run that this version has kept, nil if there is none.
func (s *shell) kept(folder string, run *study.Run) bundle.Part {
	data, err := os.ReadFile(keptName(folder, run))
	if err != nil {
		return nil
	}
	k, err := wire.Read[keptRun](data)
	if err != nil || k.Version != s.version || k.Done.Run == nil || k.Done.Outcome == nil || k.Done.Run.Run != run.Name {
		return nil // of another version, or cut off: it is run anew
	}
	return &k.Done
}

// keep keeps a run: all of it, or nothing.
func (s *shell) keep(folder string, run *study.Run, p bundle.Part) error {
	data, err := wire.Marshal(&keptRun{s.version, *p})
	if err != nil {
		return err
	}
	return replace(keptName(folder, run), data)
}

// written writes all that there is to say of a paper, and prints what came out.
func (s *shell) written(folder string, r *review, parts []bundle.Part) error {
	p, err := r.sheets()
	if err != nil {
		return err
	}
	drawn := func(sheet *study.Sheet) string {
		if len(sheet.Drawing.Panels) == 0 {
			return ""
		}
		v := chart.Sheet(sheet, &r.lab.Info)
		return draw.SVG(&v, draw.Options{Version: s.version})
	}
	zip, references, err := bundle.BindPaper(&r.lab, r.paper, s.order(), parts)
	if err != nil {
		return err
	}
	files := pages.Files(p, pages.Options{Version: s.version, Environment: s.environment(), Figure: drawn, Bundle: zip, References: references}, chart.SheetCSV)
	for _, f := range files {
		if err := replace(filepath.Join(folder, filepath.FromSlash(f[0])), []byte(f[1])); err != nil {
			return err
		}
	}
	_, text, _ := strings.Cut(files[0][1], "\n\n")
	fmt.Fprintf(s.out, "%s: %d files in %s\n\n%s", r.paper.Short, len(files), folder, text)
	return nil
}
