package filesys

import (
	"math/bits"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// Operations notes what calls do, to show a typical one of each code: its Note is a
// [Watch.Steps].
type Operations struct {
	skip  int64
	codes [call.Codes]kinds
}

// kinds are the plans of one code that are met most, by what they have in common.
type kinds struct {
	count int64
	list  []likes
}

// likes are plans that differ in pages only.
type likes struct {
	hash  uint64
	count int64
	steps []plan.Step
}

// mostKinds of plans are told apart for a code; a new one takes the place of the rarest.
const mostKinds = 16

// NewOperations returns operations that begin after so many calls, when caches are warm.
func NewOperations(skip int64) *Operations { return &Operations{skip: skip} }

// Note notes the steps of a call as they are planned.
func (o *Operations) Note(c *call.Call, steps []plan.Step) {
	if o.skip > 0 {
		o.skip--
		return
	}
	hash := uint64(14695981039346656037)
	for i := range steps {
		s := &steps[i]
		for _, v := range [...]uint64{uint64(s.Kind)<<8 | uint64(s.Structure), uint64(s.N), uint64(bits.OnesCount64(s.Lines)), uint64(s.For)} {
			hash = (hash ^ v) * 1099511628211
		}
	}
	k := &o.codes[c.Code]
	k.count++
	rarest := 0
	for i := range k.list {
		if k.list[i].hash == hash {
			k.list[i].count++
			return
		}
		if k.list[i].count < k.list[rarest].count {
			rarest = i
		}
	}
	if len(k.list) < mostKinds {
		k.list = append(k.list, likes{})
		rarest = len(k.list) - 1
	}
	l := &k.list[rarest]
	l.hash, l.count, l.steps = hash, l.count+1, append(l.steps[:0], steps...)
}

// An Operation is what a typical call of a code does.
type Operation struct {
	Code  call.Code
	Count int64 // calls of the code that were noted
	Alike int64 // of them about, those with the same steps but for pages
	Steps []plan.Step
	// Bytes are what the steps move between host and device, by structure.
	Bytes [plan.Structures][device.Interfaces][device.Directions]int64
	// Later is what the background writes, in bytes by structure: all that it wrote in the
	// run, in equal parts for all calls that change something; 0 if this one does not.
	Later [plan.Structures]int64
	// Pages are the pages of flash that are programmed for it, in thousandths: of those of
	// a structure as much as it writes of all that is written of it.
	Pages [plan.Structures]int64
}

// changes reports whether a call changes a file or directory, or makes a change durable.
func changes(c call.Code) bool {
	switch c {
	case call.Open, call.Read, call.Close, call.Stat:
		return false
	}
	return true
}

// Explain returns what a typical call of a code does in the run with a result.
func (o *Operations) Explain(code call.Code, r *Result) Operation {
	k := &o.codes[code]
	op := Operation{Code: code, Count: k.count}
	for i := range k.list {
		if l := &k.list[i]; l.count > op.Alike {
			op.Alike, op.Steps = l.count, l.steps
		}
	}
	for i := range op.Steps {
		switch s := &op.Steps[i]; s.Kind {
		case plan.BlockRead:
			op.Bytes[s.Structure][device.Block][device.Reads] += int64(s.N) * int64(unit.Page)
		case plan.BlockWrite:
			op.Bytes[s.Structure][device.Block][device.Writes] += int64(s.N) * int64(unit.Page)
		case plan.ByteRead:
			op.Bytes[s.Structure][device.Byte][device.Reads] += int64(bits.OnesCount64(s.Lines)) * line
		case plan.ByteWrite:
			op.Bytes[s.Structure][device.Byte][device.Writes] += int64(bits.OnesCount64(s.Lines)) * line
		}
	}
	var changing int64
	for c := range r.Tallies {
		if changes(call.Code(c)) {
			changing += r.Tallies[c].Count
		}
	}
	for s := range op.Later {
		all := r.Device.Bytes[s][device.Block][device.Writes] + r.Device.Bytes[s][device.Byte][device.Writes]
		later := all
		for c := range r.Tallies {
			later -= r.Tallies[c].Bytes[s][device.Block][device.Writes] + r.Tallies[c].Bytes[s][device.Byte][device.Writes]
		}
		if changes(code) && changing > 0 {
			op.Later[s] = later / changing
		}
		own := op.Bytes[s][device.Block][device.Writes] + op.Bytes[s][device.Byte][device.Writes] + op.Later[s]
		if all > 0 {
			op.Pages[s] = unit.MulDiv(r.Device.Programmed[s]*1000, own, all)
		}
	}
	return op
}
