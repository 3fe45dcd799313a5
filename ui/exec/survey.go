package exec

import (
	"errors"
	"sync"

	"spillway/sim/knob"
	"spillway/ui/lab"
)

// list says what opened files hold, and what stands for them.
func (b *Executor) list(j *Job, files lab.Files, progress lab.Progress, a *Answer) (err error) {
	if files == nil {
		return errors.New("there are no files to list")
	}
	if c, ok := files.(lab.Compactor); ok {
		if a.Handed, err = c.Condensed(progress); err != nil {
			return err
		}
	}
	a.Set, a.Of = j.Files, j.Files
	a.Entries, a.Notes = files.Entries(), files.Notes()
	return nil
}

// survey goes through a part of an entry's bytes, or puts all parts together.
func (b *Executor) survey(j *Job, files lab.Files, progress lab.Progress, a *Answer) error {
	s, ok := files.(lab.Surveyor)
	if !ok {
		return errors.New("nothing in the opened files needs all of their bytes")
	}
	if j.Kind == Survey {
		data, err := s.Survey(j.Entry, j.Portion, progress)
		a.Data = data
		return err
	}
	found, err := s.Join(j.Entry, j.Found)
	if err != nil {
		return err
	}
	joined, err := b.Lab.Accept(found, b.files)
	if err != nil {
		return err
	}
	a.Handed, a.Set, a.Of, a.Entries, a.Notes = found, j.Set, j.Files, joined.Entries(), joined.Notes()
	return nil
}

// Lent are the files of a set as a worker gets them: what stands for them, and the files
// themselves behind it where a laboratory reads them too.
func Lent(handed []byte, along []lab.File) []lab.File {
	return append([]lab.File{lab.Handed(handed)}, along...)
}

// Surveyed returns what opened files hold after the survey that a setup of an entry
// needs; without a need it returns what it was given. So many parts are done at a time.
// along are the files themselves, where further surveys may come. progress may be nil; it
// is told of bytes, by one at a time.
func Surveyed(l *lab.Lab, u *knob.Setup, files lab.Files, along []lab.File, crew int, progress lab.Progress) (lab.Files, error) {
	s, ok := files.(lab.Surveyor)
	if !ok || l.Entry == "" {
		return files, nil
	}
	for _, e := range files.Entries() {
		if e.Name != u.Text(l.Entry) || e.Survey == nil || e.Survey.Parts <= 0 || !e.Survey.Needs(u) {
			continue
		}
		found, err := surveyed(s, &e, crew, progress)
		if err != nil {
			return nil, err
		}
		joined, err := s.Join(e.Name, found)
		if err != nil {
			return nil, err
		}
		return l.Accept(joined, along)
	}
	return files, nil
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
