package train

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"spillway/sim/report"
	"spillway/sim/train/machine"
	"spillway/sim/unit"
	"spillway/traces/recording"
)

// A line is a picture of memory against so much GPU memory: what lies above has to be elsewhere.
type line struct {
	Above unit.Bytes // at the moment at which the most is in use
	// Moved is the least that has to leave and to come back if blocks are touched when they are
	// taken and before they are freed, and never between: the best case. Hidden is what of it
	// lies for as long as its way out and back takes.
	Moved, Hidden unit.Bytes
	// Held is what no block accounts for that could leave.
	Held unit.Bytes
}

// A lying is what of a block has not left yet, and how long it lies untouched.
type lying struct {
	bytes unit.Bytes
	gap   unit.Time
}

// ever is how long blocks lie that were there before or are there at the end: nobody knows, so it is
// taken to be enough.
const ever = unit.Time(math.MaxInt64)

// above lays a line through a picture. A moment at which too little has left makes those blocks leave
// that are freed last, which cover the most moments after it; as parts of blocks may leave, no other
// choice moves less. Blocks that are no lives of their own are taken as one that is always there, which
// never moves more than they would. It takes O(moments + blocks · log blocks) time.
func above(p *recording.Picture, memory unit.Bytes, link unit.Bandwidth) (l line) {
	n := len(p.Times)
	lives := slices.Clone(p.Lives)
	slices.SortStableFunc(lives, func(a, b recording.Life) int { return cmp.Compare(a.From, b.From) })
	last := func(t unit.Time) int { // the last moment at which a block that is freed then is there
		if t < 0 {
			return n - 1
		}
		return sort.Search(n, func(i int) bool { return p.Times[i] > t }) - 1
	}
	there := make([][]lying, n)     // that could leave, by their last moment
	back := make([]unit.Bytes, n+1) // what of those that left comes back, by that
	var out unit.Bytes              // that has left
	next, far := 0, -1
	if p.Rest > 0 && n > 0 {
		far = n - 1
		there[far] = []lying{{p.Rest, ever}}
	}
	for i := range n {
		if i > 0 {
			out -= back[i-1]
		}
		for ; next < len(lives) && lives[next].From <= p.Times[i]; next++ {
			b := &lives[next]
			at, gap := last(b.To), ever
			if b.From >= 0 && b.To >= 0 {
				gap = b.To - b.From
			}
			if at >= i {
				there[at], far = append(there[at], lying{b.Bytes, gap}), max(far, at)
			}
		}
		needs := sumAt(p, i) - memory
		l.Above = max(l.Above, needs)
		for needs > out && far >= i {
			k := len(there[far]) - 1
			if k < 0 {
				far--
				continue
			}
			b := &there[far][k]
			part := min(b.bytes, needs-out)
			out, back[far], l.Moved = out+part, back[far]+part, l.Moved+part
			if b.gap == ever || 2*link.Time(part) <= b.gap {
				l.Hidden += part
			}
			if b.bytes -= part; b.bytes == 0 {
				there[far] = there[far][:k]
			}
		}
		l.Held = max(l.Held, needs-out)
	}
	return l
}

// takePicture is what a picture of memory would take: a bound, as it has no kernels.
func takePicture(v *seen) *report.Section {
	x := v.Workload.imported
	p, m := &x.Picture, &v.Settings.Machine
	_, most := peakOf(p)
	most = max(most, x.Memory.Peak)
	link := min(m.GPULink, m.HostLink)
	s := &report.Section{Text: []string{fmt.Sprintf("%v are in use at most.", most)}}
	if most > m.GPUMemory {
		s.Text = append(s.Text, saysLine(p, above(p, m.GPUMemory, link), m.GPUMemory, link))
	} else {
		s.Text = append(s.Text, fmt.Sprintf("The GPU has %v, so nothing has to move.", m.GPUMemory))
	}
	if pieces := inPieces(x.Recording, m.GPUMemory); pieces != "" {
		s.Text = append(s.Text, pieces)
	}
	table := report.Table{Key: "line", Title: "What has to be elsewhere, and how long the link has to move it at least", Head: []string{"GPU memory", "Memory", "Above the line", "Leaves and comes back", "On the link", "Lies long enough", "If what outlives the recording stays"}}
	within := *p
	within.Lives = slices.DeleteFunc(slices.Clone(p.Lives), func(b recording.Life) bool { return b.From < 0 || b.To < 0 })
	row := func(head string, memory unit.Bytes) {
		r := report.Row{Head: head, Cells: []report.Cell{report.Textf("%v", memory)}}
		l := above(p, memory, link)
		switch none := report.DashCell(); {
		case l.Above <= 0:
			r.Cells = append(r.Cells, report.Textf("holds it"), none, none, none, none)
		case len(p.Lives) == 0 || l.Held > 0:
			r.Cells = append(r.Cells, aboveCell(l.Above, most), report.Textf("not known"), report.Textf("at least %v", link.Time(l.Above)).Exactly(link.Time(l.Above)), none, report.Textf("not known"))
		default:
			long := none
			if p.Clocked {
				long = report.Textf("%v%s", l.Hidden, share(int64(l.Hidden), int64(l.Moved))).Exactly(l.Hidden)
				long.Share = float64(l.Hidden) / float64(max(1, l.Moved))
			}
			stays := report.Textf("not enough")
			if f := above(&within, memory, link); f.Held <= 0 {
				stays = report.Textf("%v, %v", f.Moved, link.Time(f.Moved)).Part("moved", float64(f.Moved), "B").Part("link", float64(link.Time(f.Moved))/float64(unit.Second), "s")
			}
			r.Cells = append(r.Cells, aboveCell(l.Above, most), report.Textf("%v", l.Moved), report.Textf("%v", link.Time(l.Moved)), long, stays)
		}
		table.Rows = append(table.Rows, r)
	}
	row("This machine's", m.GPUMemory)
	for _, share := range shares {
		row(fmt.Sprintf("%d %% of what is in use", share), unit.Bytes(unit.MulDiv(int64(most), int64(share), 100)))
	}
	for _, part := range machine.Slots()[0].Parts {
		g := machine.Machine{}
		part.Fit(&g)
		row(part.Name, g.GPUMemory)
	}
	s.Tables = append(s.Tables, table)
	s.Notes = append(s.Notes,
		"A bound, not a simulation: without kernels nobody knows when a block is touched. It is taken to be touched when it is taken and when it is freed and never between, which is the best case; what was there before, or is there at the end, is taken to lie long enough. Blocks leave that are freed last, which moves the fewest bytes. In the last column weights and states, which are there before and after, stay where they are.",
		fmt.Sprintf("The link moves %v each way at once; host memory is taken to be large enough. Times of the recording are the host's, with the cost of recording in them.", link))
	if p.Rest > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("The %d largest blocks are told apart. All others, %v at once at most, are taken as one that is always there and may leave, in the last column too.", len(p.Lives), p.Rest))
	}
	return s
}

// aboveCell is how much lies above a line, of what is in use.
func aboveCell(above, most unit.Bytes) report.Cell {
	c := report.Textf("%v", above)
	c.Share = float64(above) / float64(max(1, most))
	return c
}

// saysLine is what a line means, in a sentence or two.
func saysLine(p *recording.Picture, l line, memory unit.Bytes, link unit.Bandwidth) string {
	says := fmt.Sprintf("The GPU has %v: %v lie above that.", memory, l.Above)
	if len(p.Lives) == 0 || l.Held > 0 {
		return says + fmt.Sprintf(" They have to leave and to come back, which takes the link %v each way at least; when blocks are taken and freed is not known.", link.Time(l.Above))
	}
	says += fmt.Sprintf(" At least %v leave and come back, which keeps the link busy for %v each way", l.Moved, link.Time(l.Moved))
	if !p.Clocked || len(p.Times) == 0 || p.Times[len(p.Times)-1] == p.Times[0] {
		return says + "; the recording has no times to compare that with."
	}
	took := p.Times[len(p.Times)-1] - p.Times[0]
	says += fmt.Sprintf(", of %v that the recording took", took)
	switch needs := link.Time(l.Moved); {
	case needs > took:
		return says + fmt.Sprintf(": it would be %.1f times as slow at least.", float64(needs)/float64(max(took, 1)))
	case l.Hidden == l.Moved:
		return says + ". All of it lies untouched for long enough to move meanwhile, as far as one can tell without kernels."
	}
	return says + fmt.Sprintf("; %v of it (%s) do not lie untouched for as long as their way out and back takes, so something waits for them.", l.Moved-l.Hidden, recording.Percent(int64(l.Moved-l.Hidden), int64(l.Moved)))
}

// inPieces says what the allocator held of the driver if that is more than was in use; empty if it is
// not known, or no tenth more.
func inPieces(r *recording.Recording, memory unit.Bytes) string {
	held, used := r.Picture.Reserved, r.Memory.Peak
	if !r.Memory.Known || held <= used+used/10 {
		return ""
	}
	says := fmt.Sprintf("The allocator held %v of the driver at most, in pieces of which %v at most were in use at once", held, used)
	if used <= memory && held > memory {
		return says + ": with expandable segments (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True) it would fit; without it may run out of memory."
	}
	return says + "; expandable segments (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True) would hold less."
}
