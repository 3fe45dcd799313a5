package llm

import (
	"fmt"

	core "spillway/sim/llm"
	"spillway/sim/llm/offload"
	"spillway/sim/machine"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/sim/vitality"
)

// memory shows how much of every GPU's tensors is where.
func (v *view) memory() (*report.Section, error) {
	r, no, err := v.focus()
	if err != nil || no != nil {
		return no, err
	}
	out := &report.Section{}
	rows := []func(s *offload.Sample) unit.Bytes{
		func(s *offload.Sample) unit.Bytes { return s.Bytes[offload.GPU] },
		func(s *offload.Sample) unit.Bytes { return s.Bytes[offload.Host] },
		func(s *offload.Sample) unit.Bytes { return s.Bytes[offload.SSD] },
		func(s *offload.Sample) unit.Bytes { return s.Active },
	}
	t := report.Table{Key: "memory", Title: "The most of each, by GPU", Head: []string{"GPU", "On the GPU", "In host memory", "On drives", "In use by a kernel", "Kernels", "Evicted on demand", "Kernels that waited"}}
	for g, samples := range r.Memory {
		row := report.Row{Head: fmt.Sprintf("GPU %d", g)}
		for _, of := range rows {
			most := unit.Bytes(0)
			for k := range samples {
				most = max(most, of(&samples[k]))
			}
			row.Cells = append(row.Cells, size64(most))
		}
		row.Cells = append(row.Cells, report.CountCell(int64(len(r.Job.Parts[g].Kernels))), count(r.GPUs[g].Demand), count(r.GPUs[g].Late))
		t.Rows = append(t.Rows, row)
	}
	out.Tables = []report.Table{t}
	use := r.active()
	waiting := ""
	if use.mean < 0.1 {
		waiting = ": almost all tensors wait for their turn, most of the time"
	}
	out.Text = []string{fmt.Sprintf("%s holds %v of tensors on a GPU at the most, of %v that are for tensors. A kernel uses %s of that in the mean and %s at the most%s.",
		v.system.Title, unit.Bytes(float64(unit.GiB)*r.peak()).Aligned(), v.s.Node.Usable(), prose.Percent(use.mean), prose.Percent(use.most), waiting)}
	out.Notes = []string{"Of tensors only: what a system gathers or buffers in its own way besides is in GPU memory and host memory of the table of all numbers."}
	return out, nil
}

// peak is the most that one GPU holds, in GiB.
func (r *result) peak() float64 {
	most := unit.Bytes(0)
	for i := range r.GPUs {
		most = max(most, r.GPUs[i].Peak)
	}
	return gib(most)
}

// size64 is a cell of memory.
func size64(n unit.Bytes) report.Cell {
	if n == 0 {
		return report.DashCell().Exactly(n)
	}
	return report.Textf("%v", n)
}

// count is a cell of how many.
func count(n int64) report.Cell {
	if n == 0 {
		return report.DashCell().Exactly(n)
	}
	return report.CountCell(n)
}

// links shows what every link carries.
func (v *view) links() (*report.Section, error) {
	r, no, err := v.focus()
	if err != nil || no != nil {
		return no, err
	}
	t := report.Table{Key: "links", Title: "Links, in an iteration", Head: []string{"Link", "At most", "Carries", "Busy", "Of what it could carry"}}
	full, most := -1, 0.0 // the link that is nearest to what it could carry
	for i := range r.Links {
		l, u := &r.Node.Links[i], &r.Links[i]
		if u.Bytes == 0 {
			continue
		}
		could := float64(l.Rate) * inSeconds(r.Time)
		used := ratio(float64(u.Bytes), could)
		t.Rows = append(t.Rows, report.Row{Head: l.Name, Cells: []report.Cell{report.Textf("%v", l.Rate), bytesCell(u.Bytes), report.ShareCell(part(u.Busy, r.Time)), report.ShareCell(used)}})
		if full < 0 || used > most {
			full, most = i, used
		}
	}
	if full < 0 {
		return &report.Section{Text: []string{v.system.Title + " moves nothing here."}}, nil
	}
	return &report.Section{Tables: []report.Table{t}, Text: []string{fmt.Sprintf("The fullest link of %s is “%s”: it carries %s, %s of what it could, and something in %s of the time.",
		v.system.Title, r.Node.Links[full].Name, amount(r.Links[full].Bytes), prose.Percent(most), prose.Percent(part(r.Links[full].Busy, r.Time)))}}, nil
}

// spans are classes of inactive periods by their upper end.
var spans = []unit.Time{unit.Millisecond, 10 * unit.Millisecond, 100 * unit.Millisecond, unit.Second, 10 * unit.Second, 100 * unit.Second, 1 << 62}

// spanName is what the i-th of them is called.
func spanName(i int) string {
	switch i {
	case 0:
		return "to " + spans[0].String()
	case len(spans) - 1:
		return "over " + spans[i-1].String()
	}
	return fmt.Sprintf("%v to %v", spans[i-1], spans[i])
}

// inactive is about the periods in which tensors are not used.
func (v *view) inactive() (*report.Section, error) {
	v.of = 1
	ideal, err := v.plain(core.Systems[0].Name)
	if err != nil {
		return nil, err
	}
	if !ideal.Ran() {
		return &report.Section{Text: []string{v.s.Arch.Title + " has no kernels here: " + ideal.Reason}}, nil
	}
	w := ideal.Job.Parts[0]
	a := vitality.Analyze(w)
	begin := make([]unit.Time, len(w.Kernels)+1)
	for k := range w.Kernels {
		begin[k+1] = begin[k] + w.Kernels[k].Time
	}
	all := begin[len(w.Kernels)]
	read, write := arrayRates(ideal.Node)
	type class struct {
		periods, movable   int64
		bytes, movableSize unit.Bytes
	}
	classes := make([]class, len(spans))
	var total class
	for _, p := range a.Periods {
		length := begin[p.End] - begin[p.Start]
		if p.Wraps {
			length += all
		}
		at := 0
		for length > spans[at] {
			at++
		}
		size := w.Tensors[p.Tensor].Bytes
		for _, c := range []*class{&classes[at], &total} {
			c.periods++
			c.bytes += size
			if read > 0 && length >= read.Time(size)+write.Time(size) {
				c.movable++
				c.movableSize += size
			}
		}
	}
	drives := read > 0
	t := report.Table{Key: "periods", Title: "Inactive periods of the first GPU's tensors, by length", Head: []string{"Length", "Periods", "Share", "Size of their tensors", "Share"}}
	if drives {
		t.Head = append(t.Head, "Long enough for drives", "Of the size")
	}
	for i := range classes {
		c := &classes[i]
		if c.periods == 0 {
			continue
		}
		row := report.Row{Head: spanName(i), Cells: []report.Cell{
			report.CountCell(c.periods), report.ShareCell(part(c.periods, total.periods)), bytesCell(c.bytes), report.ShareCell(part(c.bytes, total.bytes)),
		}}
		if drives {
			row.Cells = append(row.Cells, report.ShareCell(part(c.movable, c.periods)), report.ShareCell(part(c.movableSize, c.bytes)))
		}
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) == 0 {
		return &report.Section{Text: []string{"No tensor has a period in which it is not used."}}, nil
	}
	finding := fmt.Sprintf("The first GPU's tensors have %s in an iteration of %v of kernels", prose.Count(total.periods, "inactive period"), all)
	notes := []string{"Lengths are of kernels alone, as on a GPU that holds everything. Kernels and tensors are those of TERAIO's pipeline, whatever system is in focus; ZeRO and FSDP cut the model in their own way."}
	if drives {
		finding += fmt.Sprintf("; %s of them, with %s of the bytes, are long enough for the tensor to go to the GPU's drives and back", prose.Percent(part(total.movable, total.periods)), prose.Percent(part(total.movableSize, total.bytes)))
		notes = append(notes, "Long enough means: longer than one write and one read of the tensor with nothing else on the drives. That periods are long enough one by one does not say that drives carry all of them together.")
	} else {
		finding += "; this machine has no drives to which they could go"
	}
	return &report.Section{Text: []string{finding + "."}, Tables: []report.Table{t}, Notes: notes}, nil
}

// arrayRates is what the first GPU's drives read and write, 0 without drives.
func arrayRates(n *machine.Node) (read, write unit.Bandwidth) {
	a := n.Array(0)
	if a == nil {
		return 0, 0
	}
	return n.Links[a.Read].Rate, n.Links[a.Write].Rate
}
