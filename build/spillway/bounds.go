package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"spillway/sim/bound"
	"spillway/ui/lab"
)

// boundsLab and boundsFormat are where certificates come from.
const (
	boundsLab    = "train"
	boundsFormat = "certificate"
)

// bounds checks certificates with whole numbers: those of files, or of the laboratory's
// presets, which it computes first.
func (s *shell) bounds(paths []string) error {
	if len(paths) > 0 {
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err == nil {
				err = s.proof(path, data)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	door, err := s.door(boundsLab)
	if err != nil {
		return err
	}
	l := door.New()
	for i := range l.Presets {
		p := &l.Presets[i]
		u, err := l.Read(p.Set)
		if err != nil {
			return err
		}
		if u.Text("mode") != "corrected" {
			fmt.Fprintf(s.out, "%s: as published, so nothing can be proved\n", p.Key)
			continue
		}
		data, err := l.Export(boundsFormat, u, l.Floor.System, nil, lab.Origin{}, nil)
		if err == nil {
			err = s.proof(p.Key, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// proof checks a certificate and says what it proves.
func (s *shell) proof(name string, data []byte) error {
	var d bound.Document
	if err := json.Unmarshal(data, &d); err != nil {
		return fmt.Errorf("%s is no certificate of a bound: %w", name, err)
	}
	proven, err := d.Check()
	if err != nil {
		return failed{errors.Join(fmt.Errorf("%s proves nothing", name), err)}
	}
	even := ""
	if d.Recompute {
		even = " even if it computes values again,"
	}
	fmt.Fprintf(s.out, "%s: %s: no schedule takes less than %.6f s,%s as %d prices prove\n",
		name, d.Workload, float64(proven)/float64(d.Clock), even, (2+bound.Channels)*len(d.Moments))
	return nil
}
