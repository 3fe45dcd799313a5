package model

import (
	"fmt"
	"slices"

	"spillway/sim/flash"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/unit"
)

// Drives lists the SSDs that can be simulated.
func Drives() []flash.Drive { return flash.Drives() }

// Drive returns the simulated drive; ok is false when the SSD is fixed rates.
func (n *Session) Drive() (d flash.Drive, ok bool) {
	d, err := flash.Find(n.State.SSD)
	return d, err == nil
}

// Simulable returns the drive that simulates the SSD in the machine, when there
// is one and it is not simulated already.
func (n *Session) Simulable() (d flash.Drive, ok bool) {
	for _, s := range machine.Slots() {
		if s.Key != "ssd" {
			continue
		}
		if d, err := flash.Find(n.Part(s).Key); err == nil && d.Key != n.State.SSD {
			return d, true
		}
	}
	return flash.Drive{}, false
}

// byDrive are the hardware settings that a simulated drive replaces.
var byDrive = []string{"ssd_read", "ssd_write", "ssd_latency"}

// MachineGroups returns the hardware fields.
func (n *Session) MachineGroups() []Group {
	base := n.State.Base()
	return n.mark(n.Machine.Groups(&n.State.Machine, &base))
}

// OptionGroups returns the fields of the systems' options.
func (n *Session) OptionGroups() []Group {
	base := Default().Options
	return n.mark(n.Options.Groups(&n.State.Options, &base))
}

// mark says which fields change nothing now, and why.
func (n *Session) mark(gs []Group) []Group {
	inert := n.State.Options.Quirks.Inert()
	why := "no effect with these quirks"
	if n.State.Options.Quirks == quirk.Published() {
		why = "no effect as published"
	}
	for i := range gs {
		for j := range gs[i].Fields {
			f := &gs[i].Fields[j]
			switch {
			case n.State.SSD != "" && slices.Contains(byDrive, f.Key):
				f.Mark = "the simulated SSD decides"
			case slices.Contains(inert, f.Key):
				f.Mark = why
			}
		}
	}
	return gs
}

// driveMetrics are the numbers of a simulated drive.
func driveMetrics() []metric {
	drive := func(m metric) metric {
		m.has = func(r *result.Result) bool { return r.SSD != nil }
		return m
	}
	ages := func(m metric) metric {
		m.has = func(r *result.Result) bool { return r.SSD != nil && r.SSD.Written > 0 }
		return m
	}
	rate := func(key, label string, f func(*result.SSD) unit.Bandwidth) metric {
		return drive(number(key+"_gb_per_s", label, "GB/s", "What the simulated drive sustains under this traffic.", 2,
			func(r *result.Result) float64 { return float64(f(r.SSD)) / float64(unit.GBps) }))
	}
	return []metric{
		rate("drive_read", "SSD reads", func(x *result.SSD) unit.Bandwidth { return x.Read }),
		rate("drive_write", "SSD writes", func(x *result.SSD) unit.Bandwidth { return x.Write }),
		drive(number("drive_latency_us", "SSD read latency", "µs", "One 4 KiB read of the idle drive.", 1,
			func(r *result.Result) float64 { return float64(r.SSD.Latency) / float64(unit.Microsecond) })),
		drive(number("drive_write_amplification", "Write amplification", "×", "Bytes the drive programs per byte written to it.", 2,
			func(r *result.Result) float64 { return thousandths(r.SSD.Amplification) })),
		ages(number("drive_writes_per_day", "Drive writes per day", "", "Of the drive's capacity, when the workload runs without pause.", 1,
			func(r *result.Result) float64 { return thousandths(r.SSD.Daily) })),
		ages(number("drive_life_years", "SSD lifetime", "years", "Until the rated endurance is used up, when the workload runs without pause.", 3,
			func(r *result.Result) float64 { return thousandths(r.SSD.Life) })),
	}
}

// lifetime prints thousandths of years.
func lifetime(n int64) string {
	switch years := thousandths(n); {
	case n == 0:
		return "less than half a day"
	case years >= 1000:
		return "more than 1000 years"
	case years < 2:
		return digits(365*years, 2) + " days"
	default:
		return digits(years, 2) + " years"
	}
}

func thousandths(n int64) float64 { return float64(n) / 1000 }

// A DriveReport is what the simulated drive delivered under each system.
type DriveReport struct {
	Title string // the drive
	Text  string // the main finding
	Note  string // what keeps a number from mattering, empty if nothing
	Table Table
}

// DriveReport returns the report; ok is false when no drive is simulated.
func (n *Session) DriveReport() (rep DriveReport, ok bool) {
	d, ok := n.Drive()
	if !ok {
		return rep, false
	}
	rep.Title = "SSD: simulated " + d.Name
	rep.Table.Head = []string{"System", "Reads, GB/s", "Writes, GB/s", "Read latency, µs", "Write amplification, ×", "Written an iteration, GB", "Drive writes a day", "Lifetime"}
	if n.State.Options.Quirks.Has(quirk.SymmetricSSD) {
		rep.Note = "As published, the SSD writes as fast as it reads (quirk symmetric-ssd): the drive's write rate has no effect until Corrected is chosen under Fidelity."
	}
	var worst, first *Run
	ms := driveMetrics()
	for _, r := range n.visible() {
		row := []string{r.System.Title, "–", "–", "–", "–", "–", "–", "–"}
		if r.Shown() && r.Result.SSD != nil {
			x := r.Result.SSD
			cell := func(i int) string {
				if ms[i].known(r.Result) {
					return ms[i].show(r.Result)
				}
				return "–"
			}
			row = []string{r.System.Title, cell(0), cell(1), cell(2), cell(3), fixed(gb(x.Written), 2), cell(4), "does not age"}
			if x.Written > 0 {
				row[7] = lifetime(x.Life)
			}
			if first == nil {
				first = r
			}
			if x.Written > 0 && (worst == nil || x.Life < worst.Result.SSD.Life) {
				worst = r
			}
		}
		rep.Table.Rows = append(rep.Table.Rows, row)
	}
	switch {
	case first == nil:
		rep.Text = "Computing…"
	case worst == nil:
		rep.Text = "No system writes to the SSD; it does not age."
	default:
		x := worst.Result.SSD
		rep.Text = fmt.Sprintf("Training without pause under %s uses up the rated endurance of %s TB in %s: %s drive writes a day; the rating is %s over %d years.",
			worst.System.Title, count(int64(x.Endurance/(1000*unit.GB))), lifetime(x.Life), digits(thousandths(x.Daily), 3), digits(thousandths(x.Rated), 3), x.Warranty)
	}
	return rep, true
}

// Remarks returns the notes of a result, without what the report of its drive says.
func Remarks(r *result.Result) []string { return r.Remarks() }
