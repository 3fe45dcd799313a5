package exec

import (
	"errors"
	"sync"

	"spillway/sim/knob"
	"spillway/ui/lab"
)

// list says what opened files hold, and what stands for them.
func (b *Bench) list(j *Job, files lab.Files, progress lab.Progress, a *Answer) error {
	if files == nil {
		return errors.New("there are no files to list")
	}
	if c, ok := files.(lab.Condenser); ok && b.bundle == nil { // a bundle is asked for as it is
		list, err := c.Condensed(progress)
		if err != nil {
			return err
		}
		b.lend(j.Files, list, files, a)
	}
	a.Set, a.Of = j.Files, j.Files
	a.Entries, a.Notes = files.Entries(), files.Notes()
	return nil
}

// lend has the page lend these files from now on.
func (b *Bench) lend(number int, list []lab.File, files lab.Files, a *Answer) {
	for _, f := range list {
		a.Condensed = append(a.Condensed, File{f.Name, f.Data})
	}
	_, a.Along = files.(lab.Surveyor)
	for i := range b.Lab.Sections {
		a.Along = a.Along || b.Lab.Sections[i].Bytes
	}
}

// survey goes through a part of an entry's bytes, or puts all parts together.
func (b *Bench) survey(j *Job, files lab.Files, progress lab.Progress, a *Answer) error {
	s, ok := files.(lab.Surveyor)
	if !ok {
		return errors.New("nothing in the opened files needs all of their bytes")
	}
	if j.Kind == Survey {
		data, err := s.Survey(j.Entry, j.Portion, progress)
		a.Data = data
		return err
	}
	list, err := s.Join(j.Entry, j.Found)
	if err != nil {
		return err
	}
	joined, err := b.Lab.Open(list)
	if err != nil {
		return err
	}
	b.lend(j.Set, list, files, a)
	a.Set, a.Of, a.Entries, a.Notes = j.Set, j.Files, joined.Entries(), joined.Notes()
	return nil
}

// Lent are the files of a set as they are lent after an answer: what an answer put in
// the place of those that were opened, and these behind it, unread.
func Lent(a *Answer, opened []lab.File) []lab.File {
	if len(a.Condensed) == 0 {
		return opened
	}
	var list []lab.File
	for _, f := range a.Condensed {
		list = append(list, lab.File{Name: f.Name, Data: f.Data})
	}
	if a.Along {
		list = append(list, opened...)
	}
	return list
}

// Surveyed returns what opened files hold after the survey that a setup of an entry
// needs, and small files that hold the same; without a need it returns what it was
// given, and no files. So many parts are done at a time. progress may be nil; it is
// told of bytes, by one at a time.
func Surveyed(l *lab.Lab, u *knob.Setup, files lab.Files, crew int, progress lab.Progress) ([]lab.File, lab.Files, error) {
	s, ok := files.(lab.Surveyor)
	if !ok || l.Entry == "" {
		return nil, files, nil
	}
	for _, e := range files.Entries() {
		if e.Name != u.Text(l.Entry) || e.Survey == nil || e.Survey.Parts <= 0 || !e.Survey.Needs(u) {
			continue
		}
		found, err := surveyed(s, &e, crew, progress)
		if err != nil {
			return nil, nil, err
		}
		list, err := s.Join(e.Name, found)
		if err != nil {
			return nil, nil, err
		}
		joined, err := l.Open(list)
		return list, joined, err
	}
	return nil, files, nil
}

// surveyed goes through all parts of an entry.
func surveyed(s lab.Surveyor, e *lab.Entry, crew int, progress lab.Progress) ([][]byte, error) {
	found := make([][]byte, e.Survey.Parts)
	var mutex sync.Mutex // of what follows
	var failed error
	next, done := 0, 0
	take := func() int { // the next part, -1 if there is none
		mutex.Lock()
		defer mutex.Unlock()
		if failed != nil || next == len(found) {
			return -1
		}
		next++
		return next - 1
	}
	do := func(i int) error {
		before := 0
		data, err := s.Survey(e.Name, i, func(n, _ int) {
			mutex.Lock()
			defer mutex.Unlock()
			done, before = done+n-before, n
			if progress != nil {
				progress(done, int(e.Survey.Bytes))
			}
		})
		found[i] = data
		return err
	}
	var group sync.WaitGroup
	for range max(1, min(crew, len(found))) {
		group.Go(func() {
			for i := take(); i >= 0; i = take() {
				if err := do(i); err != nil {
					mutex.Lock()
					failed = err
					mutex.Unlock()
				}
			}
		})
	}
	group.Wait()
	return found, failed
}
