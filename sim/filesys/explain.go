package filesys

import (
	"math/bits"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/plan"
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

// An Operation is what calls of a code do in a run. The steps are those of its usual call;
// all else is of every call of the code, and of the whole measured run.
type Operation struct {
	Code  call.Code
	Noted int64 // calls of the code whose steps were noted
	Alike int64 // of them about, those with the same steps but for pages
	Steps []plan.Step
	Count int64 // calls of the code in the run
	// Own is what all of them moved between host and device themselves, in bytes by
	// structure; Rest is what the run moved besides: other calls, the background and what
	// is still to be written at the end. Together they are the run's totals.
	Own  [plan.Structures][device.Interfaces][device.Directions]int64
	Rest [plan.Structures][device.Directions]int64
}

// Explain returns what calls of a code do in the run with a result.
func (o *Operations) Explain(code call.Code, r *Result) Operation {
	k, t := &o.codes[code], &r.Tallies[code]
	op := Operation{Code: code, Noted: k.count, Count: t.Count, Own: t.Bytes}
	for i := range k.list {
		if l := &k.list[i]; l.count > op.Alike {
			op.Alike, op.Steps = l.count, l.steps
		}
	}
	for s := range op.Rest {
		for d := range op.Rest[s] {
			for i := range r.Device.Bytes[s] {
				op.Rest[s][d] += r.Device.Bytes[s][i][d] - op.Own[s][i][d]
			}
		}
	}
	return op
}
