package filesys

import (
	"strconv"

	"spillway/sim/filesys/device"
	"spillway/sim/unit"
	"spillway/traces/handed"
	"spillway/ui/lab"
	"spillway/ui/lab/timefiles"
)

// Formats of exports.
const (
	trafficExport = "traffic"
	samplesExport = "samples"
	callsExport   = "calls"
)

func exports() []format {
	return append(timefiles.Of("What every thread spends its time on, step by step, its calls, locks that others wait for, the background, channels of the SSD, and the log", nil, timed), []format{
		{Write: trafficCSV, Totals: trafficTotals(), Export: lab.Export{
			Key: trafficExport, Title: "Traffic (CSV)", Ext: "csv", Mime: "text/csv",
			About: "Bytes and accesses between host and SSD by structure, interface and direction, and pages of flash by reason.",
		}},
		{Write: samplesCSV, Export: lab.Export{
			Key: samplesExport, Title: "Log over time (CSV)", Ext: "csv", Mime: "text/csv",
			About: "The log, dirty pages, calls and flash over the run, a row for each sample.",
		}},
		{Write: calls, Export: lab.Export{
			Format: handed.CallTrace,
			Key:    callsExport, Title: "Calls (trace)", Ext: "fscalls.txt", Mime: "text/plain", Workload: true,
			About: "All calls of all threads in the order in which they are made, as a trace that this laboratory opens again.",
		}},
	}...)
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
func trafficCSV(v *seen) ([]byte, error) {
	r, err := v.Run()
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

// trafficTotals are the quantities that it adds up to.
func trafficTotals() []lab.Total {
	of := func(quantity, column, by, way string, unit float64) lab.Total {
		return lab.Total{Quantity: quantity, Column: column, Where: map[string]string{"interface": by, "direction": way}, Unit: unit}
	}
	return []lab.Total{
		of("block_write_mb", "bytes", "block", "write", 1e6), of("block_read_mb", "bytes", "block", "read", 1e6),
		of("byte_write_mb", "bytes", "byte", "write", 1e6), of("byte_read_mb", "bytes", "byte", "read", 1e6),
		of("flash_programs", "pages", "flash", "write", 1), of("flash_reads", "pages", "flash", "read", 1),
	}
}

// samplesCSV lists the samples of a run. Times are in ns from its beginning.
func samplesCSV(v *seen) ([]byte, error) {
	r, err := v.Run()
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
