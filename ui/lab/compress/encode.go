package compress

import "spillway/ui/jsontext"

// encode returns a result as JSON.
func encode(r *result) ([]byte, error) {
	w := written{Programs: make([]writtenProgram, len(r.Programs)), Tensors: r.Tensors, GaveUp: r.GaveUp}
	if x := r.Script; x != nil {
		w.Script = &writtenScript{x.Title, x.SHA256, x.Text, x.Future, x.Asked, x.Candidates, x.Work, x.Notes}
	}
	for i, p := range r.Programs {
		list := r.memory.programs[i].Allocations
		o := writtenProgram{
			Program: p.Program, Bytes: int64(p.Bytes), Device: int64(p.Device), Buddy: int64(p.Buddy), Metadata: int64(p.Capacity.Metadata),
			Ratio: p.Ratio(), Optimistic: p.Optimistic, Overflow: p.Overflow, Remote: p.Remote, Local: p.Local, Whole: p.Whole, Hits: p.Hits,
			Time: writtenTime(p.Time), Allocations: make([]writtenAllocation, len(list)),
		}
		for k := range list {
			o.Allocations[k] = writtenAllocation{list[k].Name, int64(list[k].Bytes), p.Targets[k]}
		}
		w.Programs[i] = o
	}
	return jsontext.MarshalIndent(w)
}
