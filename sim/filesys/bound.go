package filesys

import (
	"errors"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
)

// A Floor is a time before which no file system of [Systems] ends a workload, and what decides it.
type Floor struct {
	Time unit.Time
	By   string
}

// Bound returns the floor of a workload. It knows only workloads that read (call.Sure): of the
// others it returns why as an [Unsure]. Any other error is about the setup.
//
// # Proof
//
// What a workload asks for whatever the order of answers is in its call.Sure. The floor is the
// largest of times that each follow from one thing that does so much at a time:
//
//   - Every call costs a core what the benchmark program computes around it, and itself at least
//     what every file system charges for it: a change of names the least of their namespaces and
//     the section. So many cores work on it.
//   - One thread at a time passes the benchmark program's section.
//   - A thread does one thing at a time: all that cores do for its calls, its sections, and of a
//     read of pages that nobody touched before the reading of flash and the way there and back: as
//     a block its command, firmware and transfer, by bytes the load of a line. All threads together
//     have no more time than their number times that of the run.
//   - A page that nobody touched before is read from flash, where a channel reads one at a time.
//     Who reads is answered when the read is booked to end; what is booked before it later, a piece
//     of collection at most, may put it off beyond the end of the run. So much is left out.
//
// With the artifact's accidents a read need not wait for flash: then only the first two hold, and
// of the third what cores and the section do.
//
// It is loose where writing decides. What has to be programmed until the end is at most the
// distinct bytes that are synced or live, less what page cache, device DRAM and write buffer hold,
// and nothing where programs write zeros; where it decides nothing is shown.
func Bound(w *call.Workload, s *machine.Setup) (*Floor, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	scaled := s.Scaled()
	if err := check(w, &scaled); err != nil {
		return nil, err
	}
	if w.Sure == nil || w.Warm > 0 {
		return nil, Unsure(w.Unsure)
	}
	return floor(w.Sure, &scaled), nil
}

// Unsure is why nothing is shown of what is possible at best: there is a bound, but it is loose.
type Unsure string

func (u Unsure) Error() string { return string(u) }

// IsUnsure reports whether an error is that, and of what it speaks.
func IsUnsure(err error) (why string, ok bool) {
	var u Unsure
	ok = errors.As(err, &u)
	return string(u), ok
}

// floor is Bound of a machine at scale.
func floor(sure *call.Sure, m *machine.Setup) *Floor {
	h, d := &m.Host, &m.Device
	names := h.Section + min(h.NamespaceByteFS, h.NamespaceExt4, h.NamespaceF2FS, h.NamespaceNOVA, h.NamespacePMFS)
	costs := [call.Codes]unit.Time{
		call.Open: h.Open, call.Stat: h.Open, call.Close: h.Close, call.Read: h.ReadCall, call.Write: h.WriteCall,
		call.Create: names, call.Unlink: names,
	}
	work, calls := sure.Think+min(h.ReadPage, h.WritePage)*unit.Time(sure.Pages), int64(0)
	for code, n := range sure.Calls {
		work += (h.Generator + costs[code]) * unit.Time(n)
		calls += n
	}
	serial := h.Serial * unit.Time(calls)
	cores := Floor{work / unit.Time(h.Cores), "what cores compute"}
	threads := Floor{(work + serial) / unit.Time(sure.Threads), "what threads compute"}
	best := &cores
	if m.Quirks == 0 && sure.Cold > 0 {
		wait := d.Read + min(d.Submit+d.Firmware+d.Transfer+d.Complete, d.LineRead)
		threads = Floor{threads.Time + wait*unit.Time(sure.ColdReads)/unit.Time(sure.Threads), "what threads compute and wait for reads"}
		later := d.Erase + d.Program + 2*d.Read
		if flash := (Floor{d.Read*unit.Time(sure.Cold)/unit.Time(d.Channels) - later, "the reading of flash"}); flash.Time > best.Time {
			best = &flash
		}
	}
	for _, f := range []*Floor{&threads, {serial, "the benchmark program's section"}} {
		if f.Time > best.Time {
			best = f
		}
	}
	return best
}
