//go:build !lean

package filesys

import (
	"fmt"
	"strconv"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
	"spillway/ui/lab"
)

// export runs one system and writes what happened.
func export(key string, w *work, s *settings, system string, _ lab.Origin, _ lab.Progress) ([]byte, error) {
	m := w.machine(s)
	switch key {
	case trafficExport:
		return trafficCSV(w, &m, system)
	case samplesExport:
		return samplesCSV(w, &m, system)
	case callsExport:
		return calls(w, &m, system)
	}
	return nil, fmt.Errorf("no export %q", key)
}

// row writes cells with commas between them.
func row(b []byte, cells ...string) []byte {
	for i, x := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, x...)
	}
	return append(b, '\n')
}

func integer(n int64) string { return strconv.FormatInt(n, 10) }

// trafficCSV lists what went over the link, and pages of flash by reason.
func trafficCSV(w *work, m *machine.Setup, system string) ([]byte, error) {
	r, err := core.Run(w.Workload, m, system, nil, nil)
	if err != nil {
		return nil, err
	}
	b := []byte("what,interface,direction,accesses,bytes,pages\n")
	ways := [device.Directions]string{"read", "write"}
	for s := range structures {
		for i, name := range [device.Interfaces]string{"block", "byte"} {
			for d, way := range ways {
				b = row(b, structures[s].label, name, way, integer(r.Device.Accesses[s][i][d]), integer(r.Device.Bytes[s][i][d]), "")
			}
		}
	}
	for x := range whys {
		b = row(b, "for "+whys[x].label, "flash", "read", "", integer(r.Device.FlashReads[x]*int64(unit.Page)), integer(r.Device.FlashReads[x]))
		b = row(b, "for "+whys[x].label, "flash", "write", "", integer(r.Device.FlashPrograms[x]*int64(unit.Page)), integer(r.Device.FlashPrograms[x]))
	}
	return b, nil
}

// samplesCSV lists the samples of a run. Times are in ns from its beginning.
func samplesCSV(w *work, m *machine.Setup, system string) ([]byte, error) {
	r, err := core.Run(w.Workload, m, system, nil, nil)
	if err != nil {
		return nil, err
	}
	b := []byte("at_ns,calls,log_bytes,cleaning,dirty_pages,cached_pages,duplicates,flash_reads,flash_programs\n")
	for i := range r.Samples {
		s := &r.Samples[i]
		cleaning := "0"
		if s.Cleaning {
			cleaning = "1"
		}
		b = row(b, integer(int64(s.At/unit.Nanosecond)), integer(s.Calls), integer(s.Log), cleaning, integer(s.Dirty), integer(s.Cached), integer(s.Duplicates), integer(s.Reads), integer(s.Programs))
	}
	return b, nil
}
