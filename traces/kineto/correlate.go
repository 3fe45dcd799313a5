package kineto

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"

	"spillway/sim/unit"
	"spillway/traces/recording"
)

// finish makes a Trace of the tables.
func (rd *reading) finish() (*Trace, error) {
	t := &Trace{
		Format: Format, Process: rd.process, Strings: rd.names.texts, Threads: rd.threads,
		Shapes: rd.shapes, signatures: rd.signatures.texts, least: unit.Microsecond, mtia: rd.mtia, captures: rd.captures,
	}
	if rd.fractional {
		t.least = unit.Nanosecond
	}
	if len(t.Strings) == 0 {
		t.Strings = []string{""}
	}
	big := rd.ops.n > mostRows/16
	rd.placeOps(t)
	if big {
		runtime.GC() // a tab keeps what it once took: use the rows' room again
	}
	t.nest()
	externals := rd.placeKernels(t)
	t.byExternal(externals)
	if len(t.Kernels) == 0 && rd.mtia == 0 && rd.shapes && rd.r.Repairs.Unclosed == 0 {
		t.imagine()
	}
	rd.placeDevices(t) // also of a GPU that was not watched
	if t.estimated && rd.memory.n == 0 {
		if rd.crowded {
			return nil, fmt.Errorf(tooMany, mostRows, "memory events")
		}
		rd.memory = rd.hosted
	}
	rd.placeMemory(t)
	rd.account(t)
	if big {
		runtime.GC()
	}
	for i := range t.Ops {
		t.last = max(t.last, t.Ops[i].end())
	}
	for i := range t.Kernels {
		t.last = max(t.last, t.Kernels[i].Start+t.Kernels[i].Time)
	}
	if n := len(t.levels); n > 0 {
		t.last = max(t.last, t.levels[n-1].at)
	}
	return t, nil
}

// placeOps sorts the operators by thread, start, the longer first.
func (rd *reading) placeOps(t *Trace) {
	n := rd.ops.n
	first := make([]int, len(rd.threads)+1)
	for _, c := range rd.ops.chunks {
		for i := range c {
			first[c[i].thread+1]++
		}
	}
	for i := range rd.threads {
		first[i+1] += first[i]
	}
	t.Ops, t.order = make([]Op, n), make([]side, n)
	next := slices.Clone(first)
	rd.ops.drain(func(r *opRow) {
		i := next[r.thread]
		next[r.thread]++
		t.Ops[i] = Op{
			Name: r.name, Thread: r.thread, Parent: -1, Kind: r.kind,
			Start: unit.Time(r.start - rd.smallest), Time: unit.Time(r.time), Record: r.record,
		}
		t.order[i] = side{r.external, r.sequence, r.signature, r.backward}
	})
	for k := range rd.threads {
		sortOps(t.Ops[first[k]:first[k+1]], t.order[first[k]:first[k+1]])
	}
}

// before orders operators of one thread.
func before(a, b *Op) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.Time, a.Time))
}

// sortOps sorts a thread's operators and what belongs to them.
func sortOps(ops []Op, order []side) {
	sorted := true
	for i := 1; i < len(ops) && sorted; i++ {
		sorted = before(&ops[i-1], &ops[i]) <= 0
	}
	if sorted {
		return
	}
	to := make([]int32, len(ops))
	for i := range to {
		to[i] = int32(i)
	}
	slices.SortFunc(to, func(a, b int32) int { return cmp.Or(before(&ops[a], &ops[b]), cmp.Compare(a, b)) })
	// Follow the cycles of the permutation, so that no second copy is needed.
	for i := range to {
		if to[i] < 0 || int(to[i]) == i {
			continue
		}
		op, s := ops[i], order[i]
		at := i
		for {
			from := int(to[at])
			to[at] = -1
			if from == i {
				break
			}
			ops[at], order[at] = ops[from], order[from]
			at = from
		}
		ops[at], order[at] = op, s
	}
}

// end returns when an operator ends.
func (o *Op) end() unit.Time { return o.Start + o.Time }

// nest finds each operator's parent.
func (t *Trace) nest() {
	// A whole number of microseconds may cut a child's end from its parent's.
	slack := unit.Time(0)
	if t.least > unit.Nanosecond {
		slack = t.least
	}
	var open []int32
	for i := range t.Ops {
		o := &t.Ops[i]
		if i > 0 && t.Ops[i-1].Thread != o.Thread {
			open = open[:0]
		}
		for len(open) > 0 {
			if top := &t.Ops[open[len(open)-1]]; top.end() > o.Start || top.end() == o.Start && o.Time == 0 {
				break
			}
			open = open[:len(open)-1]
		}
		for k := len(open) - 1; k >= 0; k-- {
			if t.Ops[open[k]].end()+slack >= o.end() {
				o.Parent = open[k]
				break
			}
		}
		open = append(open, int32(i))
	}
}

// at returns the innermost operator of a thread at a time, -1 if there is none.
func (t *Trace) at(thread int32, when unit.Time) int32 {
	n, _ := slices.BinarySearchFunc(t.Ops, when, func(o Op, when unit.Time) int {
		if o.Thread != thread {
			return cmp.Compare(o.Thread, thread)
		}
		if o.Start <= when {
			return -1
		}
		return 1
	})
	for i := int32(n - 1); i >= 0 && t.Ops[i].Thread == thread; i = t.Ops[i].Parent {
		if o := &t.Ops[i]; o.Kind == Operator && o.end() >= when {
			return i
		}
	}
	return -1
}

// placeKernels sorts the kernels and finds their launches and operators. It
// returns the kernels' external ids, -1 where there is none.
func (rd *reading) placeKernels(t *Trace) []int64 {
	launches := rd.launches.rows()
	t.launches = len(launches)
	slices.SortFunc(launches, func(a, b launchRow) int {
		return cmp.Or(cmp.Compare(a.correlation, b.correlation), boolean(a.named, b.named), cmp.Compare(a.start, b.start))
	})
	rows := rd.kernels.rows()
	slices.SortStableFunc(rows, func(a, b kernelRow) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.correlation, b.correlation))
	})
	t.Kernels = make([]Kernel, len(rows))
	t.launched = make([]unit.Time, len(rows))
	externals := make([]int64, len(rows))
	users := make([]int32, len(launches))
	by := make([]int32, len(rows)) // launches
	t.replayed = make([]bool, len(rows))
	for i, r := range rows {
		t.Kernels[i] = Kernel{
			Name: r.name, Op: -1, Device: r.device, Stream: r.stream, Kind: r.kind,
			Start: unit.Time(r.start - rd.smallest), Time: unit.Time(r.time),
		}
		t.launched[i], externals[i] = -1, -1
		if r.hasExternal {
			externals[i] = int64(r.external)
		}
		l := launchOf(launches, r.correlation)
		if by[i] = int32(l); l < 0 {
			continue
		}
		if users[l]++; users[l] == 1 {
			t.ran++
		}
		t.launched[i] = unit.Time(launches[l].start - rd.smallest)
		t.Kernels[i].Op = t.at(launches[l].thread, t.launched[i])
	}
	for i, l := range by {
		switch {
		case l >= 0 && users[l] > 10:
			t.replayed[i] = true
			t.graphs++
		case l >= 0 && users[l] > 1:
			rd.shared++
		}
	}
	return externals
}

func boolean(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// launchOf returns the launch with a correlation, the latest of those called
// launch, -1 if there is none.
func launchOf(launches []launchRow, correlation int64) int {
	n, _ := slices.BinarySearchFunc(launches, correlation, func(l launchRow, c int64) int {
		if l.correlation <= c {
			return -1
		}
		return 1
	})
	if n == 0 || launches[n-1].correlation != correlation {
		return -1
	}
	return n - 1
}

// byExternal finds operators of kernels whose launch has none by their external id,
// if such ids agree with the launches elsewhere in the file.
func (t *Trace) byExternal(externals []int64) {
	same, differ, without := 0, 0, 0
	for i, x := range externals {
		switch op := t.Kernels[i].Op; {
		case x < 0:
		case op < 0:
			without++
		case t.order[op].external == uint32(x):
			same++
		default:
			differ++
		}
	}
	if without == 0 || same == 0 || differ*20 > same {
		return
	}
	by := make([]int32, 0, len(t.Ops))
	for i := range t.Ops {
		if t.Ops[i].Kind == Operator {
			by = append(by, int32(i))
		}
	}
	slices.SortStableFunc(by, func(a, b int32) int { return cmp.Compare(t.order[a].external, t.order[b].external) })
	found := 0
	for i, x := range externals {
		if x <= 0 || t.Kernels[i].Op >= 0 {
			continue
		}
		n, ok := slices.BinarySearchFunc(by, uint32(x), func(op int32, x uint32) int { return cmp.Compare(t.order[op].external, x) })
		if !ok {
			continue
		}
		op := by[n]
		t.Kernels[i].Op = op
		if t.launched[i] < 0 {
			t.launched[i] = t.Ops[op].Start
		}
		found++
	}
	if found > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Kernels whose operators were found by their external ids, as their launches name none: %d.", found))
	}
}

// placeDevices lists the devices that ran something, with what the trace says of
// them.
func (rd *reading) placeDevices(t *Trace) {
	var ids []int32
	for i := range t.Kernels {
		if d := t.Kernels[i].Device; !slices.Contains(ids, d) {
			if ids = append(ids, d); len(ids) > 256 {
				rd.notes = append(rd.notes, "The trace names more than 256 devices; the others are left out.")
				ids = ids[:256]
				break
			}
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		d := recording.Device{ID: int(id)}
		for _, p := range rd.properties {
			if p.ID == d.ID {
				d = p
			}
		}
		if d.Name == "" && d.Memory == 0 && alike(rd.properties) {
			// AMD counts the host's processors as devices, too.
			d.Name, d.Memory = rd.properties[0].Name, rd.properties[0].Memory
		}
		t.Devices = append(t.Devices, d)
	}
}

// alike reports whether all devices are of one sort.
func alike(list []recording.Device) bool {
	for _, d := range list {
		if d.Name != list[0].Name || d.Memory != list[0].Memory {
			return false
		}
	}
	return len(list) > 0
}

// account says what was repaired and dropped.
func (rd *reading) account(t *Trace) {
	note := func(n int, format string) {
		if n > 0 {
			rd.notes = append(rd.notes, fmt.Sprintf(format, n))
		}
	}
	fix := rd.r.Repairs
	t.unended = fix.Unclosed > 0
	note(fix.Unclosed, "The file ends too early; what is there was read. Missing brackets: %d.")
	note(fix.Commas, "Commas too many, which were ignored: %d.")
	note(fix.Escapes, "Backslashes that escape nothing, taken as they are: %d.")
	note(fix.Controls, "Control characters in texts, taken as they are: %d.")
	note(fix.NotFinite, "Numbers that are NaN or Infinity, taken as missing: %d.")
	note(rd.timeless, "Events without a time, which were dropped: %d.")
	note(rd.far, "Times more than 11 days from the first, which were dropped: %d.")
	note(rd.negative, "Negative durations, taken as 0: %d.")
	note(rd.wordless, "Events without a duration, taken as 0: %d.")
	note(rd.shared, "Kernels that share the number of their launch with others: %d.")
	note(rd.names.lost, "The file has more than 64 MiB of different names. Events without one here: %d.")
	note(rd.signatures.lost, "The file has more than 64 MiB of different shapes. Operators without theirs here: %d.")
	t.Notes = append(t.Notes, rd.notes...)
}
