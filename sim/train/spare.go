package train

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A spare is a part of what a machine has that a run may leave unused.
type spare struct {
	name  string // for people
	parts int64  // that are used, in hundredths
	leave func(m *machine.Machine, parts int64)
}

// spares are tried one after the other.
var spares = []spare{
	{"GPU memory", 98, spareMemory},
	{"GPU memory", 95, spareMemory},
	{"GPU memory", 90, spareMemory},
	{"the SSD's read rate", 80, func(m *machine.Machine, parts int64) { slower(&m.SSDRead, parts) }},
	{"the SSD's read rate", 60, func(m *machine.Machine, parts int64) { slower(&m.SSDRead, parts) }},
	{"the SSD's write rate", 80, func(m *machine.Machine, parts int64) { slower(&m.SSDWrite, parts) }},
	{"the SSD's write rate", 60, func(m *machine.Machine, parts int64) { slower(&m.SSDWrite, parts) }},
	{"the links' rates", 93, spareLinks},
	{"the links' rates", 80, spareLinks},
	{"host memory", 80, func(m *machine.Machine, parts int64) { m.HostMemory = m.HostMemory / 100 * unit.Bytes(parts) }},
}

func spareMemory(m *machine.Machine, parts int64) {
	m.GPUMemory = m.GPUMemory / 100 * unit.Bytes(parts)
}

func spareLinks(m *machine.Machine, parts int64) {
	slower(&m.GPULink, parts)
	slower(&m.HostLink, parts)
	m.SSDRead, m.SSDWrite = min(m.SSDRead, m.HostLink), min(m.SSDWrite, m.HostLink)
}

// slower leaves so many hundredths of a rate.
func slower(rate *unit.Bandwidth, parts int64) {
	*rate = unit.Bandwidth(unit.MulDiv(int64(*rate), parts, 100))
}

// mostSpared is how many parts are left unused at most.
const mostSpared = 4

// spares reports whether a request asks for runs with less ([system.Spare]). As published
// there are none.
func (q *Request) spares(s *system.System) bool {
	return slices.Contains(s.Params, &system.Spare) && system.Spare.Of(&q.Options) != 0 && q.Options.Quirks == quirk.Corrected()
}

// sparing is run of a system that may leave parts of the machine unused.
//
// What a machine has it need not use, so that a run of one with less is one of it, too. Plans
// of whole tensors are made greedily, and decisions made while time passes follow what came
// first: with a faster SSD others may leave, and return late. So runs with less of each part
// are tried, and again from the fastest, as long as that helps. The result says what is left
// unused. The fastest runs once more only where somebody wants its record.
func sparing(w *workload.Workload, q Request, progress func(done, total int)) (*result.Result, error) {
	const runs = 2 // at least: of all, and of the fastest
	total := runs + mostSpared*len(spares)
	r, err := alone(w, q, partOf(progress, 0, total))
	if err != nil || !r.Fits {
		return r, err
	}
	least, time, unused, fastest := q.Machine, r.Time(), []string(nil), r
	for round := range mostSpared {
		from, name := least, ""
		for i := range spares {
			if time <= r.Ideal+r.Ideal/1000 { // next to nothing is to be gained
				break
			}
			x := q
			x.Machine, x.Record, x.Inspect = from, nil, nil
			spares[i].leave(&x.Machine, spares[i].parts)
			if x.Machine == from || x.Machine.Validate() != nil {
				continue
			}
			o, err := alone(w, x, partOf(progress, 1+round*len(spares)+i, total))
			if err != nil {
				return nil, err
			}
			if o.Fits && o.Time() < time {
				least, time, fastest, name = x.Machine, o.Time(), o, fmt.Sprintf("%d %% of %s", 100-spares[i].parts, spares[i].name)
			}
		}
		if name == "" {
			break
		}
		unused = append(unused, name)
	}
	if unused == nil {
		return r, nil
	}
	more := float64(r.Time())/float64(time) - 1
	r = fastest
	if last := partOf(progress, total-1, total); q.Record != nil || q.Inspect != nil {
		q.Machine = least
		if r, err = alone(w, q, last); err != nil {
			return nil, err
		}
	} else if last != nil {
		last(1, 1)
	}
	r.Notes = append(r.Notes, fmt.Sprintf("It leaves %s unused: with all of it, it decides otherwise, and takes %.1f %% longer.", strings.Join(unused, ", "), 100*more))
	return r, nil
}
