package train

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	core "spillway/sim/train"
	"spillway/sim/train/engine/blocks"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/train/system/deepum"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/ui/lab"
)

// What DeepUM knows at one moment, and what its switches do to garbage: sections that
// run it again.

// Keys of the sections and of their knobs.
const (
	learnedKey       = "learned"
	learnedKernel    = "learned_kernel"
	learnedIteration = "learned_iteration"
	switchesKey      = "switches"
)

// learningSections are the sections about DeepUM, there while it is compared.
func learningSections() []section {
	of := []string{deepum.System.Name}
	return []section{
		{Show: learned, Section: lab.Section{
			Key: learnedKey, Title: "What DeepUM learned", Run: true, Folded: true, Systems: of,
			About: "DeepUM's tables at the launch of one kernel, and the kernels that it predicts next. It runs again up to there; hiding this stops that.",
			Knobs: []knob.Info{
				{Key: learnedKernel, Label: "Kernel", Help: "Number of the kernel in the iteration, from 1; 0 for the one of which most is known.", Kind: knob.Number, Scale: 1, Min: 0, Max: 1 << 20, Default: "0"},
				{Key: learnedIteration, Label: "Iteration", Help: "From 1, warm-up included; 0 for the first after the warm-up.", Kind: knob.Number, Scale: 1, Min: 0, Max: 80, Default: "0"},
			},
		}},
		{Show: switches, Section: lab.Section{
			Key: switchesKey, Title: "Garbage with pre-eviction and invalidation off and on", Run: true, Folded: true, Systems: of,
			About: "DeepUM four times, with each of its two switches off and on. Garbage: pages that move although no tensor in them is alive. Hiding this stops it.",
		}},
	}
}

// A moment is what is known of DeepUM at the launch of a kernel.
type moment struct {
	seen      bool
	kernel    workload.KernelID
	table     deepum.Table
	learned   bool // there is a table
	chain     deepum.Chain
	records   int
	tables    int // execution IDs
	iteration int // from 0
}

// look runs DeepUM up to an iteration, from 1, and looks at it at the launch of a
// kernel, from 1; 0 is the one whose table has most entries when the iteration begins.
func look(w Workload, s *settings, kernel, iteration int, progress lab.Progress) (*moment, *result.Result, error) {
	q, err := s.request(deepum.System.Name)
	if err != nil {
		return nil, nil, err
	}
	q.SSD = "" // a drive is simulated in runs of its own; pages of DeepUM are in host memory
	warm := min(system.UMWarmup.Of(&q.Options), int64(iteration-1))
	system.UMWarmup.Set(&q.Options, warm)
	q.Options.Iterations = int64(iteration) - warm
	m := &moment{kernel: workload.KernelID(kernel - 1), iteration: iteration - 1}
	q.Inspect = func(r *blocks.Run, p blocks.Pager, k workload.KernelID) {
		x, ok := p.(*deepum.Pager)
		if !ok || m.seen || r.Iteration() != m.iteration {
			return
		}
		if m.kernel < 0 {
			m.kernel = fullest(x, k)
		}
		if k != m.kernel {
			return
		}
		m.seen = true
		m.table, m.learned = x.Table(x.Running())
		m.chain, m.records, m.tables = x.Chain(), len(x.Records(x.Running())), x.Executions()
	}
	r, err := core.Run(w.Workload, q, progress)
	return m, r, err
}

// fullest is the kernel whose table has most entries, k if there are none.
func fullest(p *deepum.Pager, k workload.KernelID) workload.KernelID {
	best, most := k, 0
	for id := range p.Executions() {
		if t, ok := p.Table(blocks.ExecID(id)); ok && len(t.Entries) > most && t.Kernel >= k {
			best, most = t.Kernel, len(t.Entries)
		}
	}
	return best
}

// whole reads a whole number of the view; its knob has checked it.
func whole(view *knob.Setup, key string) int {
	n, _ := strconv.Atoi(view.Text(key))
	return n
}

// learned is the section of that name.
func learned(v *seen) (*report.Section, error) {
	w, s, progress := v.Workload, v.Settings, v.Progress
	kernel, iteration := whole(v.Look, learnedKernel), whole(v.Look, learnedIteration)
	all := int(system.UMWarmup.Of(&s.Options) + s.Options.Iterations)
	if w.Workload == nil || len(w.Kernels) == 0 {
		return &report.Section{Text: []string{"There is nothing to run."}}, nil
	}
	chosen := choice(kernel, iteration, len(w.Kernels), all)
	if iteration == 0 {
		iteration = int(system.UMWarmup.Of(&s.Options)) + 1
	}
	kernel, iteration = min(kernel, len(w.Kernels)), min(iteration, all)
	m, r, err := look(w, s, kernel, iteration, progress)
	if err != nil {
		return nil, err
	}
	switch {
	case !r.Fits:
		return &report.Section{Text: []string{"DeepUM cannot run it: " + sentence(r.Reason)}}, nil
	case !m.seen:
		return &report.Section{Text: []string{"The kernel was not launched in that iteration."}}, nil
	}
	out := &report.Section{Text: []string{strings.TrimSpace(m.says(w, iteration, all) + " " + chosen)}}
	if x := m.band(); x != nil {
		out.Maps = append(out.Maps, *x)
	}
	if x := m.rows(); x != nil {
		out.Maps = append(out.Maps, *x)
	}
	if len(m.chain.Steps) > 0 {
		out.Tables = append(out.Tables, m.memory(), m.predicted(w))
	}
	if m.learned {
		out.Tables = append(out.Tables, m.shape(), m.entries())
	}
	out.Notes = append(out.Notes, "A block is 2 MiB of addresses; its number is its address over that. Only blocks that faulted are in a table.")
	if len(m.chain.Steps) > mostPredicted {
		out.Notes = append(out.Notes, fmt.Sprintf("%d of %d predicted kernels are in the table.", mostPredicted, len(m.chain.Steps)-1))
	}
	return out, nil
}

// choice says why not the kernel and the iteration are shown that the fields have: of
// kernels and iterations there are so many, 0 is left to be chosen.
func choice(kernel, iteration, kernels, iterations int) string {
	var said []string
	if kernel == 0 {
		said = append(said, "The kernel is chosen, as 0 asks for the one of which most is known.")
	} else if kernel > kernels {
		said = append(said, fmt.Sprintf("There is no kernel %d; the last is shown.", kernel))
	}
	if iteration == 0 {
		said = append(said, "The iteration is chosen, as 0 asks for the one after the warm-up.")
	} else if iteration > iterations {
		said = append(said, fmt.Sprintf("There is no iteration %d; the last is shown.", iteration))
	}
	return strings.Join(said, " ")
}

// says is what the moment is, in sentences.
func (m *moment) says(w Workload, iteration, all int) string {
	text := fmt.Sprintf("Kernel %d of %d, %s, when it is launched in iteration %d of %d. ", m.kernel+1, len(w.Kernels), w.Kernels[m.kernel].Name, iteration, all)
	if !m.learned {
		return text + "None of its blocks has faulted yet, so it has no table."
	}
	t := &m.table
	text += fmt.Sprintf("Its table knows %d blocks in %d of %d rows", len(t.Entries), t.RowsUsed, t.Rows)
	if t.Lost > 0 {
		text += fmt.Sprintf("; %d times a block had to make room for another in its row", t.Lost)
	}
	return text + fmt.Sprintf(". Histories of it in the execution table: %d. Executions told apart so far: %d.", m.records, m.tables)
}

// bandRows is how many cells high the band of the chain is.
const bandRows = 16

// states are those of blocks in the order of the band's classes.
var states = []deepum.State{deepum.Away, deepum.Queued, deepum.InFlight, deepum.Resident}

func stateNames() []string {
	names := make([]string, len(states))
	for i, s := range states {
		names[i] = s.String()
	}
	return names
}

// band draws the chain: a column a kernel, as high as it has blocks, those on the GPU
// below those on their way, queued and away.
func (m *moment) band() *report.Map {
	most := 0
	for i := range m.chain.Steps {
		most = max(most, len(m.chain.Steps[i].Blocks))
	}
	if most == 0 {
		return nil
	}
	each := max(1, (most+bandRows-1)/bandRows) // blocks in a cell
	high := (most + each - 1) / each
	x := &report.Map{
		ID: "chain", Title: "The chain: blocks of the running kernel and of those predicted next", X: "kernels ahead", Y: "blocks, up to",
		Help:  fmt.Sprintf("A column is a kernel, 0 the running one; a cell is %s. Whatever is on the GPU is at the bottom.", prose.Count(each, "block")),
		Grids: []string{""}, Columns: len(m.chain.Steps), Classes: stateNames(),
		Cells: slices.Repeat([]byte{report.NoCell}, high*len(m.chain.Steps)),
	}
	for row := range high {
		x.Rows = append(x.Rows, strconv.Itoa((high-row)*each))
	}
	for col := range m.chain.Steps {
		step := &m.chain.Steps[col]
		filled := 0
		for class, state := range slices.Backward(states) {
			filled += step.Count(state)
			for row := range (filled + each - 1) / each {
				if at := (high-1-row)*x.Columns + col; x.Cells[at] == report.NoCell {
					x.Cells[at] = byte(class)
				}
			}
		}
	}
	return x
}

// mostColumns is how many rows of a table stand side by side.
const mostColumns = 64

// rows draws how many entries the rows of the block table have.
func (m *moment) rows() *report.Map {
	t := &m.table
	if !m.learned || t.Rows == 0 {
		return nil
	}
	columns := min(t.Rows, mostColumns)
	high := min((t.Rows+columns-1)/columns, 256)
	used := make([]int, t.Rows)
	for i := range t.Entries {
		if r := t.Entries[i].Row; r < len(used) {
			used[r]++
		}
	}
	each := max(1, (t.Ways+report.Levels-2)/(report.Levels-1)) // entries of a class
	x := &report.Map{
		ID: "table", Title: "Rows of the kernel's block table", X: "row, and what stands at its left", Y: "row", Grids: []string{""}, Columns: columns,
		Help: fmt.Sprintf("A cell is one of %d rows, which has room for %s.", t.Rows, prose.Count(t.Ways, "block")),
	}
	x.Classes = []string{"empty"}
	for from := 1; from <= t.Ways; from += each {
		name := strconv.Itoa(from)
		if to := min(from+each-1, t.Ways); to > from {
			name += " to " + strconv.Itoa(to)
		}
		x.Classes = append(x.Classes, name)
	}
	for row := range high {
		x.Rows = append(x.Rows, strconv.Itoa(row*columns))
		for col := range columns {
			class := byte(report.NoCell)
			if at := row*columns + col; at < len(used) {
				class = byte((used[at] + each - 1) / each)
			}
			x.Cells = append(x.Cells, class)
		}
	}
	return x
}

// bar is a cell with shares of a whole.
func bar(text string, parts ...int) report.Cell {
	sum := 0
	for _, n := range parts {
		sum += n
	}
	c := report.Cell{Text: text}.Exactly(sum)
	for _, n := range parts {
		c.Stack = append(c.Stack, float64(n)/float64(max(1, sum)))
	}
	return c
}

// memory says what the blocks on the GPU are to DeepUM.
func (m *moment) memory() report.Table {
	c := &m.chain
	t := report.Table{Key: "blocks", Title: "Blocks on the GPU, by what may become of them", Head: []string{"", "Protected", "Free to leave", "Inactive", "Together"}}
	t.Rows = []report.Row{{Head: "Blocks", Sub: "of 2 MiB", Cells: []report.Cell{
		report.Cell{Text: strconv.Itoa(c.Protected)}.Exactly(c.Protected),
		report.Cell{Text: strconv.Itoa(c.Free)}.Exactly(c.Free),
		report.Cell{Text: strconv.Itoa(c.Inactive)}.Exactly(c.Inactive),
		bar(strconv.Itoa(c.Protected+c.Free+c.Inactive), c.Protected, c.Free, c.Inactive),
	}}}
	return t
}

// mostPredicted is how many predicted kernels a table has.
const mostPredicted = 64

// predicted lists the kernels of the chain.
func (m *moment) predicted(w Workload) report.Table {
	t := report.Table{Key: "predicted", Title: "The running kernel and those predicted next, with the blocks that their tables name", Head: []string{"Kernel", "Ahead", "On the GPU", "In flight", "Queued", "Away", "Blocks"}}
	for i := range min(len(m.chain.Steps), mostPredicted+1) {
		step := &m.chain.Steps[i]
		name := "kernel"
		if k := int(step.Kernel); k >= 0 && k < len(w.Kernels) {
			name = w.Kernels[k].Name
		}
		row := report.Row{Head: strconv.Itoa(int(step.Kernel) + 1), Sub: name, At: "k" + strconv.FormatInt(int64(step.Kernel), 36), Cells: []report.Cell{report.Cell{Text: strconv.Itoa(i)}.Exactly(i)}}
		var counts []int
		for _, s := range slices.Backward(states) {
			n := step.Count(s)
			counts = append(counts, n)
			row.Cells = append(row.Cells, report.Cell{Text: strconv.Itoa(n)}.Exactly(n))
		}
		row.Cells = append(row.Cells, bar(strconv.Itoa(len(step.Blocks)), counts...))
		t.Rows = append(t.Rows, row)
	}
	return t
}

// shape says how full the block table is.
func (m *moment) shape() report.Table {
	t := &m.table
	rows := make([]int, t.Ways+1)
	used := map[int]int{}
	follow := 0
	for i := range t.Entries {
		used[t.Entries[i].Row]++
		follow += len(t.Entries[i].Successors)
	}
	for _, n := range used {
		rows[min(n, t.Ways)]++
	}
	x := report.Table{Key: "table", Title: "The kernel's block table", Head: []string{"", "Number"}}
	x.Rows = append(
		x.Rows,
		fact("Rows with an entry", report.Textf("%d of %d", t.RowsUsed, t.Rows).With(float64(t.RowsUsed), "").Part("of", float64(t.Rows), "")),
		fact("Rows that are full", report.Textf("%d, of %s", rows[t.Ways], prose.Count(t.Ways, "block")).With(float64(rows[t.Ways]), "").Part("blocks", float64(t.Ways), "")),
		fact("Entries", report.Textf("%d", len(t.Entries))),
		fact("Conflicts", report.Textf("%d entries made room for others", t.Lost).With(float64(t.Lost), "")),
		fact("Successors", report.Textf("%d, of %d that an entry may have", follow, t.Successors*len(t.Entries)).With(float64(follow), "").Part("of", float64(t.Successors*len(t.Entries)), "")),
		fact("Starts", report.Textf("%s", blockList(t.Start)).AsWritten()),
	)
	if t.End != blocks.None {
		x.Rows = append(x.Rows, fact("Faulted last", report.Textf("%d", int(t.End))))
	}
	return x
}

// mostEntries is how many entries of a block table are listed.
const mostEntries = 48

// entries lists the block table from its beginning.
func (m *moment) entries() report.Table {
	t := &m.table
	n := min(len(t.Entries), mostEntries)
	x := report.Table{Key: "entries", Title: fmt.Sprintf("Entries by row, %d of %d", n, len(t.Entries)), Head: []string{"Row", "Block", "Faulted right after it, last time first"}}
	for i := range n {
		e := &t.Entries[i]
		x.Rows = append(x.Rows, report.Row{Head: strconv.Itoa(e.Row), Cells: []report.Cell{report.Cell{Text: strconv.Itoa(int(e.Block))}.Exactly(int(e.Block)), report.Cell{Text: blockList(e.Successors)}.AsWritten()}})
	}
	return x
}

// blockList prints blocks.
func blockList(list []blocks.ID) string {
	if len(list) == 0 {
		return "–"
	}
	texts := make([]string, len(list))
	for i, b := range list {
		texts[i] = strconv.Itoa(int(b))
	}
	return strings.Join(texts, ", ")
}

// switches runs DeepUM with its two switches off and on.
func switches(v *seen) (*report.Section, error) {
	w, s, progress := v.Workload, v.Settings, v.Progress
	t := report.Table{Key: "switches",
		Title: "DeepUM, in the reported iteration; garbage in percent of the bytes moved. The fastest is bold.",
		Head:  []string{"Pre-evict, invalidate", "Iteration, s", "Brought, GB", "of it garbage, %", "Taken out, GB", "of it garbage, %", "Garbage, %", "Blocks dropped", "Blocks missed"},
	}
	if w.Workload == nil || len(w.Kernels) == 0 {
		return &report.Section{Text: []string{"There is nothing to run."}}, nil
	}
	best, least := -1, 0.0
	const runs = 4
	var last *result.Result
	for i := range runs {
		early, drop := int64(i/2), int64(i%2)
		q, err := s.request(deepum.System.Name)
		if err != nil {
			return nil, err
		}
		deepum.PreEvict.Set(&q.Options, early)
		deepum.Invalidate.Set(&q.Options, drop)
		r, err := core.Run(w.Workload, q, func(done, total int) {
			if progress != nil && total > 0 {
				progress(i*1000+1000*done/total, runs*1000)
			}
		})
		if err != nil {
			return nil, err
		}
		onOff := [...]string{"off", "on"}
		row := report.Row{Head: onOff[early] + ", " + onOff[drop]}
		if !r.Fits || r.Main().Paging == nil {
			row.Cells = []report.Cell{{Text: sentence(r.Reason)}}
			t.Rows = append(t.Rows, row)
			continue
		}
		last = r
		p, took := r.Main().Paging, seconds(r, r.Time())
		if best < 0 || took < least {
			best, least = i, took
		}
		row.Cells = []report.Cell{
			report.Textf("%s", decimals(took, 3)).With(took, "s"),
			report.Textf("%s", decimals(float64(p.In)/1e9, 2)).Exactly(p.In),
			percent(p.GarbageIn, p.In),
			report.Textf("%s", decimals(float64(p.Out)/1e9, 2)).Exactly(p.Out),
			percent(p.GarbageOut, p.Out),
			report.Cell{Text: decimals(garbage(p), 1), Share: garbage(p) / 100}.With(garbage(p), "%"),
			report.Cell{Text: strconv.FormatInt(p.Dropped, 10)}.Exactly(p.Dropped),
			report.Cell{Text: strconv.FormatInt(p.Missed, 10)}.Exactly(p.Missed),
		}
		t.Rows = append(t.Rows, row)
	}
	out := &report.Section{Tables: []report.Table{t}}
	if best >= 0 {
		out.Tables[0].Rows[best].Cells[0].Best = true
		out.Notes = append(out.Notes, fmt.Sprintf("Iteration %d of %d. Links carry both directions at once, so garbage that leaves costs little time while the other direction is busier.", last.Reported+1, len(last.Iterations)))
	}
	return out, nil
}

// percent is a part in percent, a dash if there is nothing to be a part of.
func percent(part, all unit.Bytes) report.Cell {
	if all == 0 {
		return report.DashCell()
	}
	x := 100 * float64(part) / float64(all)
	return report.Textf("%s", decimals(x, 1)).With(x, "%")
}

func decimals(x float64, places int) string { return strconv.FormatFloat(x, 'f', places, 64) }
