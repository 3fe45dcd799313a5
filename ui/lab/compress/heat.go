package compress

import (
	"fmt"
	"strconv"

	"spillway/sim/compress/bpc"
	"spillway/sim/compress/buddy"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// Keys of the sections that look into contents, and of their knobs.
const (
	heatKey, heatOf                     = "heat", "heat_of"
	insideKey, insideOf, insideAt       = "inside", "inside_of", "inside_entry"
	usualHeat, usualInside              = "csr", "relu"
	pageEntries, mapRows          int64 = mapPage / buddy.EntryBytes, 128
)

// sectorNames are the classes of entries, in charts and tables.
var sectorNames = []string{"zeros", "1 sector", "2 sectors", "3 sectors", "4 sectors"}

func heatKnobs() []knob.Info {
	return []knob.Info{{Key: heatOf, Label: "Allocation", Help: "A tensor of the opened file, by its name, part of its name, or its number; without a file, made-up data.", Kind: knob.Word}}
}

// heat draws an allocation: a row for every page, a cell for every entry.
func heat(x *seen) (*report.Section, error) {
	view, s, w, system := x.Look, x.Settings, x.Workload, x.System
	list, err := w.places()
	if err != nil {
		return &report.Section{Text: []string{"No map: " + err.Error() + "."}}, nil
	}
	at, said := find(list, view.Text(heatOf), usualHeat)
	p := &list[at]
	out := &report.Section{Offers: offers(heatOf, list, usualHeat)}
	m, h, err := p.draw()
	if err != nil {
		return nil, err
	}
	out.Maps = []report.Map{*m}
	t, err := targetOf(p, h, s, w, system)
	if err != nil {
		return nil, err
	}
	v, err := variantOf(s, system)
	if err != nil {
		return nil, err
	}
	out.Text = []string{p.found(h, t, v.Title)}
	if p.tensor < 0 {
		out.Text = append(out.Text, p.about+" "+madeUp)
	}
	if said != "" {
		out.Notes = append(out.Notes, said)
	}
	if pages := p.pages(); pages > mapRows {
		out.Notes = append(out.Notes, fmt.Sprintf("%d of %d pages, at even distances: every cell is one entry of a page that is shown.", mapRows, pages))
	}
	return out, nil
}

func (p *place) pages() int64 { return (p.size + mapPage - 1) / mapPage }

// draw compresses the entries of the place's pages, or of some at even distances.
func (p *place) draw() (*report.Map, *buddy.Histogram, error) {
	pages := p.pages()
	rows := min(pages, mapRows)
	m := &report.Map{
		ID: "map", Title: "Sectors by entry: " + p.label(), X: "entry of the page", Y: "page", Grids: []string{""},
		Help:    "Each row is a page of 64 entries of 128 bytes, in address order; pick a cell to look inside.",
		Columns: int(pageEntries), Classes: sectorNames, Cells: make([]byte, rows*pageEntries),
		Pick: report.Pick{Section: insideKey, Set: knob.Join([]knob.Pair{{Key: insideOf, Text: p.key}}, " "), Key: insideAt},
	}
	h := &buddy.Histogram{}
	buf := make([]byte, mapPage)
	for row := range rows {
		page := unit.MulDiv(row, pages, rows)
		n := min(mapPage, p.size-page*mapPage)
		if err := p.read(page*mapPage, buf[:n]); err != nil {
			return nil, nil, err
		}
		cells := m.Cells[row*pageEntries : (row+1)*pageEntries]
		measure(buf, n, cells, h)
		m.Rows = append(m.Rows, strconv.FormatInt(page, 10))
		m.Pick.First = append(m.Pick.First, page*pageEntries)
	}
	return m, h, nil
}

// measure fills cells with the sectors of the entries in the first n bytes of a page,
// and counts them.
func measure(page []byte, n int64, cells []byte, h *buddy.Histogram) {
	clear(page[n:])
	entries := buddy.Entries(unit.Bytes(n))
	for k := int64(0); k < pageEntries; k += 2 {
		two := (*[2 * bpc.Entry]byte)(page[k*bpc.Entry:])
		a, b := bpc.Bits2(two)
		for i, bits := range []int{a, b} {
			e := (*[bpc.Entry]byte)(two[i*bpc.Entry:])
			cell := &cells[k+int64(i)]
			if *cell = report.NoCell; k+int64(i) < entries {
				zero := *e == [bpc.Entry]byte{}
				*cell = byte((buddy.Stored(bits, zero) + buddy.SectorBytes - 1) / buddy.SectorBytes)
				h.Add(bits, zero, 1)
			}
		}
	}
}

// targetOf is the target that the design gives the place; of one that is made up as
// if it were all that the GPU holds.
func targetOf(p *place, h *buddy.Histogram, s *settings, w *memory, system string) (buddy.Target, error) {
	if p.tensor < 0 {
		if h.Entries == 0 {
			return buddy.X1, nil
		}
		w = wrapped(p, h)
	}
	r, err := whole(run(w, s, system, nil))
	if err != nil {
		return 0, err
	}
	return r.Programs[0].Targets[max(p.tensor, 0)], nil
}

// found is the finding of a map.
func (p *place) found(h *buddy.Histogram, t buddy.Target, design string) string {
	of := "its"
	if h.Entries < p.entries() {
		of = "the shown"
	}
	over := "all of them fit"
	if x := h.Overflow(t); x > 0 {
		over = percent(x) + " of them overflow to the buddy memory"
	}
	return fmt.Sprintf("%s, %v: of %s %d entries %s are zeros and %s take all 4 sectors. With “%s” its target is %v, slots of %d bytes: %s.",
		p.name(), unit.Bytes(p.size), of, h.Entries, percent(part(h.Zero, h.Entries)), percent(part(h.Sectors[buddy.Sectors], h.Entries)), design, t, t.Slot(), over)
}

func part(n, of int64) float64 { return float64(n) / float64(max(of, 1)) }

// percent is a share as text.
func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 1, 64) + " %" }
