package traces

import (
	"errors"
	"path"
	"strings"

	"spillway/sim/workload"
	"spillway/traces/recording"
	"spillway/traces/snapshot"
)

// openTorch reads the files that PyTorch records of one job.
func openTorch(list []item) (*Source, error) {
	var recs []*recording.Recording
	var errs []error
	for i := range list {
		r, err := readTorch(&list[i])
		if err != nil {
			errs = append(errs, at(list[i].Name, err))
		}
		recs = append(recs, r...)
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

// readTorch reads one file.
func readTorch(f *item) ([]*recording.Recording, error) {
	r, err := f.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	name := path.Base(f.Name)
	switch recognize(f.Data) {
	case memorySnapshot:
		s, err := snapshot.Read(r, nil)
		if err != nil {
			return nil, err
		}
		return s.Recordings(name), nil
	case memoryTimeline:
		t, err := snapshot.ReadTimeline(r, nil)
		if err != nil {
			return nil, err
		}
		return []*recording.Recording{t.Recording(name)}, nil
	}
	return nil, errors.New("this format cannot be read yet")
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
