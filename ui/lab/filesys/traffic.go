package filesys

import (
	"fmt"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/plan"
	"spillway/sim/prose"
	"spillway/sim/report"
)

// traffic shows what goes over the link.
func (v *view) traffic() (*report.Section, error) {
	systems := v.compared()
	results, err := v.each(systems)
	if err != nil {
		return nil, err
	}
	var own, byteFS *core.Result
	for i, x := range systems {
		if x == v.system {
			own = results[i]
		}
		if x.Main {
			byteFS = results[i]
		}
	}
	return &report.Section{
		Text:   []string{v.moves(own, byteFS)},
		Tables: []report.Table{v.structures(own), beside(systems, results), amplified(systems, results), flashTable(systems, results)},
		Notes: []string{
			"Everything is of the measured part of the run, including what is still to be written when it ends. Inode and block bitmaps include F2FS's segment table and Ext4's group descriptors; pointers are extents, block trees, F2FS's node addresses and NOVA's write entries.",
			"“Written over asked” is what the SSD got over what programs wrote, whether or not the page cache ever wrote it back. “Over data moved” divides by the data that did reach the SSD: where files are deleted before they are written, the two are far apart.",
		},
	}, nil
}

// moves is the finding.
func (v *view) moves(r, byteFS *core.Result) string {
	w, d := moved(&r.Device, plan.Data, device.Writes), moved(&r.Device, plan.Data, device.Reads)
	if w+d == 0 {
		return v.system.Title + " moves nothing between host and SSD here."
	}
	most := plan.Data
	total := func(s plan.Structure) (n int64) {
		for i := range device.Interfaces {
			n += r.Device.Bytes[s][i][device.Reads] + r.Device.Bytes[s][i][device.Writes]
		}
		return n
	}
	for s := range plan.Structures {
		if total(s) > total(most) {
			most = s
		}
	}
	said := fmt.Sprintf("%s writes %s to the SSD and reads %s; %s of both is %s.", v.system.Title, prose.Bytes(float64(w)), prose.Bytes(float64(d)), prose.Percent(part(total(most), w+d)), structures[most].label)
	if r == byteFS {
		bytes := byInterface(&r.Device, device.Byte, device.Writes)
		return said + fmt.Sprintf(" %s of what it writes goes by bytes.", prose.Percent(part(bytes, w)))
	}
	if m := meta(&byteFS.Device); m > 0 && meta(&r.Device) > 0 {
		said += fmt.Sprintf(" It moves %s as much metadata as ByteFS.", times(float64(meta(&r.Device))/float64(m)))
	}
	return said
}

// structures is the focus' traffic.
func (v *view) structures(r *core.Result) report.Table {
	t := report.Table{Key: "structures", Title: "What " + v.system.Title + " moves", Head: []string{"Structure", "Written as blocks", "Written by bytes", "Read as blocks", "Read by bytes", "Of all"}}
	b := &r.Device.Bytes
	all := moved(&r.Device, plan.Data, device.Writes) + moved(&r.Device, plan.Data, device.Reads)
	var sums [4]int64
	for s := range structures {
		list := [4]int64{b[s][device.Block][device.Writes], b[s][device.Byte][device.Writes], b[s][device.Block][device.Reads], b[s][device.Byte][device.Reads]}
		if list == [4]int64{} {
			continue
		}
		t.Rows = append(t.Rows, four(prose.Capital(structures[s].label), list, all))
		for i, n := range list {
			sums[i] += n
		}
	}
	t.Rows = append(t.Rows, four("All", sums, all))
	return t
}

// four is a row of amounts with their share of all.
func four(head string, list [4]int64, all int64) report.Row {
	r := report.Row{Head: head}
	var sum int64
	for _, n := range list {
		r.Cells = append(r.Cells, report.BytesCell(float64(n)))
		sum += n
	}
	r.Cells = append(r.Cells, shareCell(sum, all))
	return r
}

// beside compares systems.
func beside(systems []*core.System, results []*core.Result) report.Table {
	t := report.Table{Key: "systems", Title: "Data and metadata, by system", Head: []string{"System", "Data written", "Data read", "Metadata written", "Metadata read", "Metadata, ByteFS = 1", "By bytes"}}
	var base float64
	for i, x := range systems {
		if x.Main {
			base = float64(meta(&results[i].Device))
		}
	}
	for i, x := range systems {
		c := &results[i].Device
		w, r := moved(c, plan.Data, device.Writes), moved(c, plan.Data, device.Reads)
		mw, mr := moved(c, plan.Data+1, device.Writes), moved(c, plan.Data+1, device.Reads)
		than := report.DashCell()
		if base > 0 {
			than = report.Textf("%s", prose.ThreeDigits(float64(mw+mr)/base)).With(float64(mw+mr)/base, "")
		}
		bytes := byInterface(c, device.Byte, device.Writes) + byInterface(c, device.Byte, device.Reads)
		t.Rows = append(t.Rows, report.Row{Head: x.Title, Cells: []report.Cell{
			report.BytesCell(float64(w - mw)), report.BytesCell(float64(r - mr)), report.BytesCell(float64(mw)), report.BytesCell(float64(mr)), than, shareCell(bytes, w+r),
		}})
	}
	return t
}

// amplified is written and read over asked, by two definitions.
func amplified(systems []*core.System, results []*core.Result) report.Table {
	t := report.Table{Key: "amplification", Title: "Amplification, by both definitions", Head: []string{"System", "Written over asked", "Written over data moved", "Read over asked", "Read over data moved"}}
	over := func(n, of int64) report.Cell {
		if of == 0 {
			return report.DashCell()
		}
		return report.Textf("%s", times(float64(n)/float64(of))).With(float64(n)/float64(of), "")
	}
	for i, x := range systems {
		r := results[i]
		row := report.Row{Head: x.Title}
		for _, d := range []device.Direction{device.Writes, device.Reads} {
			n := moved(&r.Device, plan.Data, d)
			row.Cells = append(row.Cells, over(n, r.Asked[d]), over(n, n-moved(&r.Device, plan.Data+1, d)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// flashTable is pages of flash by reason.
func flashTable(systems []*core.System, results []*core.Result) report.Table {
	t := report.Table{Key: "flash", Title: "Flash pages, by reason", Head: []string{"System"}}
	for _, x := range whys {
		t.Head = append(t.Head, "Programs for "+x.label, "Reads for "+x.label)
	}
	t.Head = append(t.Head, "All")
	for i, x := range systems {
		c := &results[i].Device
		row := report.Row{Head: x.Title}
		for w := range whys {
			row.Cells = append(row.Cells, countCell(c.FlashPrograms[w]), countCell(c.FlashReads[w]))
		}
		row.Cells = append(row.Cells, countCell(flashPages(c)))
		t.Rows = append(t.Rows, row)
	}
	return t
}

// countCell is a count, of which nothing is a report.DashCell().
func countCell(n int64) report.Cell {
	if n == 0 {
		return report.DashCell().Exactly(n)
	}
	return report.CountCell(n)
}
