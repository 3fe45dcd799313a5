package traces

import (
	"errors"
	"io"
	"path"
	"strings"

	"spillway/sim/workload"
	"spillway/traces/archive"
	"spillway/traces/chakra"
	"spillway/traces/recording"
	"spillway/traces/torch"
	"spillway/traces/xplane"
)

// openTorch reads the files that PyTorch records of one job.
func openTorch(list []archive.Item) (*Source, error) {
	files := make([]torch.File, len(list))
	for i := range list {
		files[i] = torch.File{Name: list[i].Name, Size: list[i].Packed(), Open: list[i].Open}
	}
	recs, notes, err := torch.Open(files, nil) // progress is that of what is read
	if err != nil {
		return nil, err
	}
	return fromRecordings(recs, notes), nil
}

// eachRecorded opens a format whose files are recordings each for itself.
func eachRecorded(read func(r io.Reader, name string) ([]*recording.Recording, error)) func(list []archive.Item) (*Source, error) {
	one := func(f *archive.Item) ([]*recording.Recording, error) {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		recs, err := read(r, path.Base(f.Name))
		return recs, errors.Join(err, r.Close())
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
