package traces

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"spillway/sim/workload"
	"spillway/traces/archive"
	"spillway/traces/chakra"
	"spillway/traces/recording"
	"spillway/traces/torch"
	"spillway/traces/xplane"
)

// openTorch reads the files that PyTorch records. Files that lie loose beside each other are of one
// run as far as they say so, and so is an archive; of several archives each is a run of its own, as
// capture.py writes them.
func openTorch(list []archive.Item) (*Source, error) {
	var recs []*recording.Recording
	var notes []string
	var errs []error
	groups := byArchive(list)
	for _, group := range groups {
		files := make([]torch.File, len(group))
		for i := range group {
			files[i] = torch.File{Name: group[i].Name, Size: group[i].Packed(), Open: group[i].Open}
		}
		some, more, err := torch.Open(files, nil) // progress is that of what is read
		if err != nil {
			errs = append(errs, err)
			continue
		}
		called(some, group)
		recs, notes = append(recs, some...), append(notes, more...)
	}
	if len(recs) == 0 {
		return nil, errors.Join(errs...)
	}
	for _, err := range errs {
		notes = append(notes, err.Error())
	}
	return fromRecordings(recs, notes), nil
}

// byArchive groups files by the archive that they came out of, in the order in which these come; all
// are one group where there are fewer than two archives.
func byArchive(list []archive.Item) (groups [][]archive.Item) {
	var names []string
	for i := range list {
		at := slices.Index(names, list[i].Archive)
		if at < 0 {
			at = len(names)
			names, groups = append(names, list[i].Archive), append(groups, nil)
		}
		groups[at] = append(groups[at], list[i])
	}
	if len(names) < 2 || len(names) == 2 && slices.Contains(names, "") {
		return [][]archive.Item{list}
	}
	return groups
}

// called gives the recordings of one archive its name, where they are of one run: what is in it is
// called the same in each.
func called(recs []*recording.Recording, from []archive.Item) {
	name := from[0].Archive
	if name == "" || len(recs) == 0 || slices.ContainsFunc(from, func(f archive.Item) bool { return f.Archive != name }) {
		return
	}
	device := func(r *recording.Recording) (of, which string) {
		if at := strings.LastIndex(r.Name, ", GPU "); at >= 0 {
			return r.Name[:at], r.Name[at:]
		}
		return r.Name, ""
	}
	whole, _ := device(recs[0])
	for _, r := range recs {
		if of, _ := device(r); of != whole {
			return
		}
	}
	for _, r := range recs {
		_, which := device(r)
		r.Name = name + which
	}
}

// eachRecorded opens a format whose files are recordings each for itself.
func eachRecorded(read func(r io.Reader, name string) ([]*recording.Recording, error)) func(list []archive.Item) (*Source, error) {
	one := func(f *archive.Item) ([]*recording.Recording, error) {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		recs, err := read(r, path.Base(f.Name))
		if err != nil {
			err = spoiled(f.Data, err)
		}
		return recs, cmp.Or(err, r.Close())
	}
	return func(list []archive.Item) (*Source, error) {
		var recs []*recording.Recording
		var errs []error
		for i := range list {
			more, err := one(&list[i])
			if err != nil {
				errs = append(errs, archive.At(list[i].Name, err))
				continue
			}
			recs = append(recs, more...)
		}
		if len(recs) == 0 {
			return nil, errors.Join(errs...)
		}
		var notes []string
		for _, err := range errs {
			notes = append(notes, err.Error())
		}
		return fromRecordings(recs, notes), nil
	}
}

// replaced stands where a conversion to text found bytes that are no text: U+FFFD.
var replaced = []byte("\xef\xbf\xbd")

// spoiled says of a binary file that cannot be read that it went through a conversion to text, if it
// did; nothing brings its numbers back.
func spoiled(data []byte, err error) error {
	n := bytes.Count(data, replaced)
	if n < 3 {
		return err
	}
	of := ""
	if bytes.Contains(data, []byte("/device:TPU")) {
		of = " It was a profile of TPUs, whose memory is not simulated here."
	}
	return fmt.Errorf("this file went through a conversion to text, which put a question mark (U+FFFD) in %d places of its first MiB where bytes were no text: download it again, as it is.%s (%w)", n, of, err)
}

// readChakra reads a trace of MLCommons Chakra.
func readChakra(r io.Reader, name string) ([]*recording.Recording, error) {
	t, err := chakra.Read(r, nil)
	if err != nil {
		return nil, err
	}
	return []*recording.Recording{t.Recording(name)}, nil
}

// readXplane reads a profile of JAX.
func readXplane(r io.Reader, name string) ([]*recording.Recording, error) {
	t, err := xplane.Read(r, nil)
	if err != nil {
		return nil, err
	}
	return t.Recordings(name), nil
}

// fromRecordings lists recordings.
func fromRecordings(recs []*recording.Recording, notes []string) *Source {
	s := &Source{Notes: notes}
	for _, r := range recs {
		s.Entries = append(s.Entries, Entry{
			Name: r.Name, Detail: detail(r), Batch: r.Batch, Recording: r,
			Load: func() (*workload.Workload, error) {
				w, _, err := r.Fold(recording.Choices{})
				return w, err
			},
		})
	}
	return s
}

// detail says what a recording is and which files it comes from.
func detail(r *recording.Recording) string {
	names := make([]string, len(r.Files))
	for i, f := range r.Files {
		names[i] = path.Base(f)
	}
	text := r.Format + ", label " + string(r.Label)
	if len(names) > 0 {
		text += ": " + strings.Join(names, ", ")
	}
	return text
}
