package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const mergeForm = `PART... [--csv | --json]`

const mergeAbout = `Joins the parts of a sweep and prints what the sweep would have printed without
--shard: the same bytes. PART is a file that sweep --shard has made, or a folder
with such files. A part that is missing, there twice, cut off, damaged or of
another sweep is named, and nothing is printed on standard output: exit code 2.
`

func (s *shell) merge(args []string) error {
	fs := s.flags("merge", mergeForm, mergeAbout,
		doc{"A part is a file of lines, each a JSON object. The first says what it is part of:", partHead{}},
		doc{"The next are its runs, in the order of the sweep, each with", partRow{}},
		doc{"The last ends it:", partFoot{}})
	form := formFlags(fs, "at sweep")
	files, err := parse(fs, args)
	if err != nil {
		return err
	}
	if err := form.check(); err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	files, err = partFiles(files)
	if err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	parts, err := gather(files)
	if err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	// Once without printing: the checksum of a part says that it is as it was written, not
	// that this program can print what it says.
	unprinted := *s
	unprinted.out, unprinted.data = io.Discard, io.Discard
	if err := unprinted.join(parts, form); err != nil {
		return err
	}
	return s.join(parts, form)
}

// join prints the runs of whole parts in the order of their sweep.
func (s *shell) join(parts []*cursor, form *outForm) error {
	for i, c := range parts {
		parts[i] = &cursor{file: c.file, head: c.head}
	}
	head := parts[0].head
	w := head.Sweep.writer(s, form)
	if err := w.begin(&head.Sweep); err != nil {
		return err
	}
	systems := len(head.Sweep.Systems)
	for i := range head.All {
		if err := s.context().Err(); err != nil {
			return failed{errors.New("stopped")}
		}
		r, err := parts[i/systems%head.Of].row()
		if err == nil {
			err = w.row(r)
		}
		if err != nil {
			return fmt.Errorf("merge: %w", err)
		}
	}
	return w.end()
}

// partFiles lists files, with those of folders; a folder without parts is listed
// itself.
func partFiles(names []string) ([]string, error) {
	var files []string
	for _, name := range names {
		inside, _ := os.ReadDir(name) // in the order of names; what is wrong with it is said when it is read as a part
		before := len(files)
		for _, e := range inside {
			if strings.HasSuffix(e.Name(), partSuffix) {
				files = append(files, filepath.Join(name, e.Name()))
			}
		}
		if len(files) == before {
			files = append(files, name)
		}
	}
	if len(files) == 0 {
		return nil, errors.New("name the parts, or folders with them")
	}
	return files, nil
}

// gather reads all parts and returns them by shard. The error names every part
// that is missing, there twice, cut off, damaged or of another sweep.
func gather(files []string) ([]*cursor, error) {
	var errs []error
	var whole []*cursor
	for _, file := range files {
		head, err := readPart(file)
		if err != nil {
			var missing *fs.PathError
			if errors.As(err, &missing) {
				err = fmt.Errorf("%s: %w", file, missing.Err)
			}
			errs = append(errs, err)
			continue
		}
		whole = append(whole, &cursor{file: file, head: head})
	}
	if len(whole) == 0 {
		return nil, errors.Join(errs...)
	}
	head := common(whole)
	parts := make([]*cursor, head.Of)
	for _, c := range whole {
		switch {
		case c.head.ID != head.ID || c.head.Of != head.Of:
			errs = append(errs, fmt.Errorf("%s is of another sweep: %s", c.file, foreign(head, c.head)))
		case parts[c.head.Shard-1] != nil:
			errs = append(errs, fmt.Errorf("%s and %s are the same part, %d of %d; name one of them", parts[c.head.Shard-1].file, c.file, c.head.Shard, head.Of))
		default:
			parts[c.head.Shard-1] = c
		}
	}
	for k, c := range parts {
		if c == nil {
			errs = append(errs, fmt.Errorf("%s is missing: make it with sweep --shard %d/%d", head.name(k+1), k+1, head.Of))
		}
	}
	return parts, errors.Join(errs...)
}

// common returns the head of the sweep that most of the parts are of, the first of
// equals.
func common(parts []*cursor) *partHead {
	count := map[string]int{}
	key := func(h *partHead) string { return fmt.Sprint(h.ID, h.Of) }
	most := 0
	for _, c := range parts {
		count[key(c.head)]++
		most = max(most, count[key(c.head)])
	}
	at := slices.IndexFunc(parts, func(c *cursor) bool { return count[key(c.head)] == most })
	return parts[at].head
}

// foreign says in what a part differs from the others.
func foreign(a, b *partHead) string {
	axes := func(p *plan) string {
		var list []string
		for i := range p.Axes {
			list = append(list, p.Axes[i].Key+"="+strings.Join(p.Axes[i].Values, ","))
		}
		return strings.Join(list, " ")
	}
	files := func(p *plan) string { return fmt.Sprint(p.Files) }
	for _, x := range []struct{ what, a, b string }{
		{"lab", a.Sweep.Lab, b.Sweep.Lab},
		{"settings", a.Sweep.Settings, b.Sweep.Settings},
		{"systems", strings.Join(a.Sweep.Systems, ","), strings.Join(b.Sweep.Systems, ",")},
		{"what is varied", axes(&a.Sweep), axes(&b.Sweep)},
		{"quantities", strings.Join(a.Sweep.Table, ","), strings.Join(b.Sweep.Table, ",")},
		{"shards", fmt.Sprint(a.Of), fmt.Sprint(b.Of)},
	} {
		if x.a != x.b {
			return fmt.Sprintf("%s: %.300q, and the others have %.300q", x.what, x.b, x.a)
		}
	}
	if files(&a.Sweep) != files(&b.Sweep) {
		return "its files have other content"
	}
	return "it was made by a program that computes other results"
}
