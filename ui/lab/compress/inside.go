package compress

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	core "spillway/sim/compress"
	"spillway/sim/compress/bpc"
	"spillway/sim/compress/buddy"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/sim/unit"
)

func insideKnobs() []knob.Info {
	return []knob.Info{
		{Key: insideOf, Label: "Allocation", Help: "A tensor of the opened file, by its name, part of its name, or its number; without a file, made-up data.", Kind: knob.Word},
		{Key: insideAt, Label: "Entry", Help: "Number of the entry in the allocation, from 0; an entry has 128 bytes.", Kind: knob.Number, Scale: 1, Max: 1 << 40, Default: "0"},
	}
}

// wrapped is a place as the only allocation of a program.
func wrapped(p *place, h *buddy.Histogram) *memory {
	a := buddy.Allocation{Name: p.key, Bytes: unit.Bytes(p.size), Snapshots: []buddy.Histogram{*h}}
	return &memory{programs: []core.Program{{Name: p.key, Allocations: []buddy.Allocation{a}}}}
}

// inside shows how an entry is compressed, plane by plane and code by code.
func inside(v *seen) (*report.Section, error) {
	view, w := v.Look, v.Workload
	list, err := w.places()
	if err != nil {
		return &report.Section{Text: []string{"No entry: " + err.Error() + "."}}, nil
	}
	at, said := find(list, view.Text(insideOf), usualInside)
	p := &list[at]
	out := &report.Section{Offers: offers(insideOf, list, usualInside)}
	n, _ := strconv.ParseInt(view.Text(insideAt), 10, 64)
	if last := p.entries() - 1; n > last {
		out.Notes = append(out.Notes, fmt.Sprintf("There is no entry %d; the last is %d.", n, last))
		n = last
	}
	var e [bpc.Entry]byte
	have := min(p.size-n*bpc.Entry, bpc.Entry)
	if err := p.read(n*bpc.Entry, e[:have]); err != nil {
		return nil, err
	}
	out.Text = []string{fmt.Sprintf("Entry %d of %d of %s: %s", n, p.entries(), p.name(), verdict(&e))}
	if p.tensor < 0 {
		out.Text = append(out.Text, p.about+" "+madeUp)
	}
	if have < bpc.Entry {
		out.Notes = append(out.Notes, fmt.Sprintf("The allocation ends here: %d bytes are its own, the rest count as zeros.", have))
	}
	if said != "" {
		out.Notes = append(out.Notes, said)
	}
	out.Maps = []report.Map{planes(&e)}
	out.Tables = []report.Table{words(&e, p.dtype), codes(&e), slots(&e)}
	return out, nil
}

// verdict says what becomes of an entry.
func verdict(e *[bpc.Entry]byte) string {
	h := one(e)
	bits := bpc.Bits(e)
	text := fmt.Sprintf("%d bits of %d", bits, bpc.RawBits)
	switch {
	case h.Zero > 0:
		return text + "; as all of it is zero, nothing is stored."
	case bits >= bpc.RawBits:
		return text + ": it is kept as it is, in 4 sectors, and fits into a slot of 1x only."
	}
	sectors := slices.Index(h.Sectors[:], 1)
	for t := buddy.X16; ; t-- {
		if h.Overflow(t) == 0 {
			return fmt.Sprintf("%s, %d bytes, %s: it fits into a slot of %v.", text, buddy.Stored(bits, false), sectorNames[sectors], t)
		}
	}
}

// one is the histogram of an entry.
func one(e *[bpc.Entry]byte) *buddy.Histogram {
	var h buddy.Histogram
	h.Measure(e[:])
	return &h
}

// planes are the bit planes of an entry's differences.
func planes(e *[bpc.Entry]byte) report.Map {
	const count, columns = 33, 31
	m := report.Map{
		ID: "planes", Title: "The 33 bit planes", X: "difference", Y: "bit plane", From: 1, Columns: columns,
		Grids: []string{"DBP, as they are", "DBX, xored with the plane above"}, Classes: []string{"bit clear", "bit set"},
		Help:  "A row is one bit of all 31 differences, the highest on top. Empty planes of DBX cost almost nothing.",
		Cells: make([]byte, 2*count*columns),
	}
	var dbx [count]uint32
	for _, c := range bpc.Codes(e) {
		dbx[c.Plane] |= c.DBX
	}
	var dbp uint32
	for row := range count {
		plane := count - 1 - row
		dbp ^= dbx[plane]
		m.Rows = append(m.Rows, strconv.Itoa(plane))
		for j := range columns {
			m.Cells[row*columns+j] = byte(dbp >> j & 1)
			m.Cells[(count+row)*columns+j] = byte(dbx[plane] >> j & 1)
		}
	}
	return m
}

// codes lists the codes of an entry in the order of its bitstream.
func codes(e *[bpc.Entry]byte) report.Table {
	t := report.Table{Key: "codes", Title: "Codes in their order: the first word, then the planes of DBX from the highest", Head: []string{"Plane", "Code", "DBX, in hexadecimal", "Bits", "Code's bits"}}
	for _, c := range bpc.Codes(e) {
		plane, text, bits := strconv.Itoa(c.Plane), fmt.Sprintf("%08x", c.DBX), int64(c.DBX)
		switch {
		case c.Kind == bpc.Base:
			bits = int64(binary.LittleEndian.Uint32(e[:]))
			plane, text = "first word", fmt.Sprintf("%08x", bits)
		case c.Planes > 1:
			plane, text = fmt.Sprintf("%d to %d", c.Plane, c.Plane-c.Planes+1), "0 in each"
			bits = 0
		case c.Kind == bpc.ZeroRun:
			text, bits = "0", 0
		}
		t.Rows = append(t.Rows, report.Row{Head: plane, Cells: []report.Cell{
			{Text: c.Kind.String()},
			report.Cell{Text: text}.Exactly(bits),
			report.Cell{Text: strconv.Itoa(c.Bits), Share: float64(c.Bits) / 33}.Exactly(c.Bits),
			report.Cell{Text: fmt.Sprintf("%0*b", c.Bits, c.Value)}.Exactly(int64(c.Value)),
		}})
	}
	return t
}

// slots says where the entry's sectors lie with each target.
func slots(e *[bpc.Entry]byte) report.Table {
	t := report.Table{Key: "slots", Title: "Where it lies with each target, in sectors of 32 bytes", Head: []string{"Target", "Slot in GPU memory", "Place in buddy memory", "Read from GPU memory", "Read from the buddy", "Fits"}}
	h := one(e)
	for k := range buddy.Targets {
		fits := "yes"
		if h.Overflow(k) > 0 {
			fits = "no"
		}
		place := k.Buddy()
		if k == buddy.X1 {
			place = 0
		}
		sectors := func(share float64) string { return strconv.FormatFloat(share*buddy.Sectors, 'f', 0, 64) }
		t.Rows = append(t.Rows, report.Row{Head: k.String(), Cells: []report.Cell{
			report.Textf("%d bytes", k.Slot()).With(float64(k.Slot()), "B"),
			report.Textf("%d bytes", place).With(float64(place), "B"),
			report.Textf("%s", sectors(h.Local(k))).AsWritten(),
			report.Textf("%s", sectors(h.Remote(k))).AsWritten(),
			{Text: fits},
		}})
	}
	return t
}
