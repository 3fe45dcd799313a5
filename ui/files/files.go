// Package files reads files for laboratories: it asks package door what they hold, and
// hands over what it found. The program of that name does so for the page; the native
// command and tests do it here.
package files

import (
	"fmt"
	"slices"
	"strings"

	"spillway/traces/door"
	"spillway/ui/bundle"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/wire"
)

// Open opens files for a laboratory. The error says what they are and what would be
// taken, or which laboratory takes them.
func Open(l *lab.Lab, list []lab.File) (lab.Files, error) {
	if l.Accept == nil {
		if l.Open == nil {
			return nil, fmt.Errorf("%s takes no files", l.Title)
		}
		return l.Open(list)
	}
	o, err := door.Open(dropped(list), l.Name, 0)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(o.Takers, func(t door.Taker) bool { return t.Lab == l.Name })
	switch {
	case at < 0 && o.Unknown != nil:
		return nil, o.Unknown
	case at < 0:
		return nil, others(o)
	}
	found, err := wire.Marshal(o.Takers[at].Workload)
	if err != nil {
		return nil, err
	}
	return l.Accept(found)
}

// others says which laboratories take what was found.
func others(o *door.Opened) error {
	var lines []string
	for _, t := range o.Takers {
		name := "the file"
		if len(t.Found) > 0 {
			name = t.Found[0].Name
		}
		lines = append(lines, fmt.Sprintf("%s: the laboratory %s takes it", name, t.Title))
	}
	return fmt.Errorf("%s", strings.Join(append(lines, o.Notes...), "\n"))
}

// dropped are files as package door takes them.
func dropped(list []lab.File) []door.File {
	files := make([]door.File, len(list))
	for i, f := range list {
		files[i] = door.File(f)
	}
	return files
}

// mostOpened is how many bytes files may have of which a tab holds all that matters.
const mostOpened = 1 << 30

// Do says which laboratories take files: it does a job of the kind exec.Open. Of several
// laboratories that are as sure the job's comes first. Files that only those take who take
// any bytes at all are an error elsewhere, beside who they are.
func Do(j *exec.Job, list []lab.File, progress lab.Progress) (a exec.Answer) {
	defer func() {
		if p := recover(); p != nil {
			a = exec.Answer{ID: j.ID, Last: true, Error: fmt.Sprintf("the reader of these files has a bug: %v", p)}
		}
	}()
	a = exec.Answer{ID: j.ID, Last: true}
	if err := open(j, list, progress, &a); err != nil {
		a.Error = err.Error()
	}
	return a
}

func open(j *exec.Job, list []lab.File, progress lab.Progress, a *exec.Answer) error {
	list, quiet, err := exec.Counted(list, progress)
	if err != nil {
		return err
	}
	defer quiet()
	bound, err := bundle.Binder{}.Unbind(list)
	if err != nil {
		return err
	}
	if bound == nil {
		a.Takers, err = Takers(list, j.Lab)
		return err
	}
	a.Bundle = bound.Info()
	if list = bound.Workload(); list != nil {
		// What is wrong with it is said when its runs are checked.
		a.Takers, _ = Takers(list, a.Bundle.Lab)
	}
	return nil
}

// Takers says which laboratories can run something of files, and what stands for these
// there. Of several that are as sure the one called shown comes first. Where only those take
// them who take any bytes at all, and none of these is shown, the error says what they are.
func Takers(list []lab.File, shown string) ([]exec.Taker, error) {
	o, err := door.Open(dropped(list), shown, mostOpened)
	if err != nil {
		return nil, err
	}
	takers := make([]exec.Taker, len(o.Takers))
	for i := range o.Takers {
		t := &o.Takers[i]
		takers[i] = exec.Taker{Lab: t.Lab, Title: t.Title}
		for _, f := range t.Found {
			takers[i].Found = append(takers[i].Found, f.Name)
		}
		if t.Workload == nil {
			continue
		}
		found, err := wire.Marshal(t.Workload)
		if err != nil {
			return nil, err
		}
		takers[i].Handed = lab.Handed(found).Data
	}
	if o.Takers[0].Lab == shown {
		return takers, nil
	}
	return takers, o.Unknown
}
