// Package files reads files for laboratories: it asks package door what they hold, and
// hands over what it found. The program of that name does so for the page; the native
// command and tests do it here.
package files

import (
	"bytes"
	"errors"
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
		return nil, fmt.Errorf("%s takes no files", l.Title)
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
	if !o.Takers[at].Along {
		list = nil
	}
	return l.Accept(found, list)
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

// A Desk does the jobs of the program that reads files, one at a time.
type Desk struct {
	number int // of the files at hand
	files  []lab.File
	bundle *bundle.Bundle // that they are, nil if they are none
	looked bool           // it is known whether they are
	err    error          // why it cannot be opened
}

// Open gives d a set of files under a number, instead of the one it had.
func (d *Desk) Open(number int, files []lab.File) { *d = Desk{number: number, files: files} }

// Do does j. progress may be nil; it is told of bytes. A bug that makes a reader panic
// becomes the answer's error.
func (d *Desk) Do(j *exec.Job, progress lab.Progress) (a exec.Answer) {
	defer func() {
		if p := recover(); p != nil {
			a = exec.Answer{ID: j.ID, Last: true, Error: fmt.Sprintf("the reader of these files has a bug: %v", p)}
		}
	}()
	a = exec.Answer{ID: j.ID, Last: true}
	if err := d.do(j, progress, &a); err != nil {
		a.Error = err.Error()
	}
	return a
}

func (d *Desk) do(j *exec.Job, progress lab.Progress, a *exec.Answer) (err error) {
	if j.Files != 0 && j.Files != d.number {
		return errors.New("the files are no longer at hand; open them again")
	}
	switch j.Kind {
	case exec.Open:
		return d.open(j, progress, a)
	case exec.Write:
		a.Data, err = Write(j.Format, j.Handed)
		return err
	case exec.Pack:
		list, err := Pack(j.Lab, j.Handed)
		if err != nil {
			return err
		}
		for _, f := range list {
			a.Packed = append(a.Packed, exec.File{Name: f.Name, Data: f.Data})
		}
		a.Set, a.Of = j.Set, j.Set
		a.Takers, err = Takers(list, j.Lab)
		return err
	case exec.Bundle:
		return d.bind(j, a)
	case exec.Check:
		b, err := d.bound(nil)
		switch {
		case err != nil:
			return err
		case b == nil || j.Order == nil:
			return errors.New("the opened files are no bundle")
		case j.Order.Part < 0 || j.Order.Part >= len(b.Info().Parts):
			return fmt.Errorf("the bundle has no part %d", j.Order.Part)
		}
		a.Verdict = b.Compare(j.Order)
		return nil
	}
	return fmt.Errorf("there is no work of kind %d with files", j.Kind)
}

// bound returns the bundle that the files at hand are, nil if they are none.
func (d *Desk) bound(progress lab.Progress) (*bundle.Bundle, error) {
	if d.looked {
		return d.bundle, d.err
	}
	list, quiet, err := exec.Counted(d.files, progress)
	if err == nil {
		d.files = list
		d.bundle, err = bundle.Unbind(list)
		quiet()
	}
	d.looked, d.err = true, err
	return d.bundle, err
}

// open says who takes the files at hand.
func (d *Desk) open(j *exec.Job, progress lab.Progress, a *exec.Answer) error {
	list, quiet, err := exec.Counted(d.files, progress)
	if err != nil {
		return err
	}
	defer quiet()
	if j.Joins < 0 || j.Joins >= len(list) {
		j.Joins = 0
	}
	all := list
	list = all[j.Joins:]
	d.files = list
	b, err := bundle.Unbind(list)
	d.bundle, d.looked, d.err = b, true, err
	if err != nil {
		return err
	}
	if b == nil {
		// Files that only those take who take any bytes at all are an error, beside who they are.
		a.Takers, err = Takers(list, j.Lab)
		if x := joined(all, j.Joins, j.Lab, a.Takers, err); x != nil {
			d.files, a.Takers, a.Joined, err = all, x, true, nil
		}
		return err
	}
	a.Bundle = b.Info()
	if list = b.Workload(); list != nil {
		if a.Takers, err = Takers(list, a.Bundle.Lab); err != nil {
			a.Bundle.Wrong = err.Error() // which is said when its runs are checked
		}
	}
	return nil
}

// joined are the takers of all files, where those behind the first, which were open before,
// belong with these in the laboratory that is shown: it takes them, or takes them with the
// others. takers and err are what Takers says of them alone.
func joined(all []lab.File, first int, shown string, takers []exec.Taker, err error) []exec.Taker {
	if first == 0 || len(takers) > 0 && takers[0].Lab != shown && err == nil {
		return nil
	}
	o, wrong := door.Open(dropped(all), shown, mostOpened)
	if wrong != nil || o.Unknown != nil || o.Takers[0].Lab != shown {
		return nil
	}
	if err != nil { // alone they are nothing: then they are among what nobody takes
		for _, n := range o.Notes {
			for _, f := range all[first:] {
				if strings.Contains(n, f.Name) {
					return nil
				}
			}
		}
	}
	list, wrong := takersOf(o)
	switch {
	case wrong != nil:
		return nil
	case err != nil && refused(list[0].Handed, err):
		return nil
	case err == nil && !hasAll(list[0].Found, takers[0].Found): // beside others they may be left out
		return nil
	}
	return list
}

// hasAll reports whether all of some names are in a list.
func hasAll(list, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(list, name) })
}

// refused reports whether what was refused alone is refused beside others: a laboratory is
// told so in the same words, but for what to do.
func refused(handed []byte, err error) bool {
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSuffix(strings.TrimSpace(line), door.Again); bytes.Contains(handed, []byte(line)) {
			return true
		}
	}
	return false
}

// MostBundled is how many bytes the files in a bundle may have.
const MostBundled = 64 << 20

// bind makes a bundle of what an order has, and of the files at hand.
func (d *Desk) bind(j *exec.Job, a *exec.Answer) (err error) {
	if j.Order == nil {
		return errors.New("there is nothing to make a bundle of")
	}
	a.References = bundle.References(j.Order)
	if list := j.Order.Redone; len(list) == 1 && list[0] != nil && list[0].Claims != nil {
		return nil // of a paper without runs
	}
	if j.Files == 0 {
		a.Data, err = bundle.Write(j.Order, nil)
		return err
	}
	b, err := d.bound(nil)
	if err != nil {
		return err
	}
	list := d.files
	if b != nil {
		list = b.Workload()
	}
	if list, err = Whole(list); err == nil {
		a.Data, err = bundle.Write(j.Order, list)
	}
	return err
}

// Whole returns files with all of their bytes, for a bundle.
func Whole(files []lab.File) ([]lab.File, error) {
	var sum int64
	for i := range files {
		sum += files[i].Bytes()
	}
	if sum > MostBundled {
		return nil, fmt.Errorf("the opened files have more than %d MiB, too much for a bundle; open only those that are needed", MostBundled>>20)
	}
	list := make([]lab.File, len(files))
	for i := range files {
		data, err := files[i].All(MostBundled)
		if err != nil {
			return nil, err
		}
		list[i] = lab.File{Name: files[i].Name, Data: data}
	}
	return list, nil
}

// Takers says which laboratories can run something of files, and what stands for these
// there. Of several that are as sure the one called shown comes first. Where only those take
// them who take any bytes at all, and none of these is shown, the error says what they are.
func Takers(list []lab.File, shown string) ([]exec.Taker, error) {
	o, err := door.Open(dropped(list), shown, mostOpened)
	if err != nil {
		return nil, err
	}
	takers, err := takersOf(o)
	if err != nil {
		return nil, err
	}
	if o.Takers[0].Lab == shown {
		return takers, nil
	}
	return takers, o.Unknown
}

// takersOf are those of opened files, with what stands for the files there.
func takersOf(o *door.Opened) ([]exec.Taker, error) {
	takers := make([]exec.Taker, len(o.Takers))
	for i := range o.Takers {
		t := &o.Takers[i]
		takers[i] = exec.Taker{Lab: t.Lab, Title: t.Title}
		for _, f := range t.Found {
			takers[i].Found = append(takers[i].Found, f.Name)
		}
		found, err := wire.Marshal(t.Workload)
		if err != nil {
			return nil, err
		}
		takers[i].Handed, takers[i].Along = lab.Handed(found).Data, t.Along
	}
	return takers, nil
}
