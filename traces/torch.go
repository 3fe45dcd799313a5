package traces

import (
	"errors"
	"path"
	"strings"

	"spillway/sim/workload"
	"spillway/traces/recording"
)

// openTorch reads the files that PyTorch records of one job.
func openTorch(list []item) (*Source, error) {
	return nil, errors.New("not yet")
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
