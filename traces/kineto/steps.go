package kineto

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/traces/recording"
)

// A span is the host's time of one step.
type span struct {
	name     string
	from, to unit.Time
	complete bool
}

// forever is later than everything.
const forever = unit.Time(1<<63 - 1)

// A cutting is how the work of one device falls into steps.
type cutting struct {
	spans   []span
	kernels [][]int32 // by span; indices into Trace.Kernels
	missing []recording.Loss
	notes   []string
	// optimizing has the complete spans in which a step of the optimizer ends, or, where nothing
	// names one, in which a kernel of one runs.
	optimizing []int
}

// cut finds the steps and the kernels of each.
func (t *Trace) cut(device int32) *cutting {
	c := &cutting{}
	var all []int32
	launched := false
	for i := range t.Kernels {
		if t.Kernels[i].Device == device {
			all = append(all, int32(i))
			launched = launched || t.launched[i] >= 0
		}
	}
	when := func(k int32) unit.Time {
		if launched {
			return t.launched[k]
		}
		return t.Kernels[k].Start
	}
	if !launched && t.launches == 0 {
		c.notes = append(c.notes, "The recording has no launches: work is in steps by when the device did it.")
	}
	c.spans = t.marked("ProfilerStep#")
	if len(c.spans) == 0 {
		c.spans = t.optimized()
		if len(c.spans) > 0 {
			c.notes = append(c.notes, "The recording names no steps: they are cut where Optimizer.step ends.")
		}
	}
	if len(c.spans) == 0 && len(t.marked("Optimizer.step#")) != 1 { // else what repeats accumulates for it
		c.spans = t.repeated(all, when, c)
	}
	if len(c.spans) == 0 {
		c.spans = []span{{"whole file", 0, forever, true}}
	}
	if t.accumulates(c.spans) {
		if whole := t.optimized(); len(whole) > 2 { // between two ends is a whole iteration
			c.spans = whole
			c.notes = append(c.notes, "Several steps of the profiler accumulate gradients for one of the optimizer: iterations end where Optimizer.step ends.")
		}
	}
	for i := range c.spans {
		c.spans[i].to = min(c.spans[i].to, t.last)
	}
	c.assign(t, all, when)
	for i, s := range c.spans {
		if s.complete && (t.optimizes(s) || len(t.ends) == 0 && slices.ContainsFunc(c.kernels[i], t.updates)) {
			c.optimizing = append(c.optimizing, i)
		}
	}
	return c
}

// updates reports whether a kernel is an optimizer's.
func (t *Trace) updates(k int32) bool {
	x, op := &t.Kernels[k], ""
	if x.Op >= 0 {
		op = t.Strings[t.Ops[x.Op].Name]
	}
	return x.Kind == recording.Compute && recording.DeedOf(t.Strings[x.Name], op).Class == kerneltime.Optimizer
}

// accumulates reports whether only every second step of the profiler, or fewer, has one of the
// optimizer.
func (t *Trace) accumulates(spans []span) bool {
	with := 0
	for _, s := range spans {
		if t.optimizes(s) {
			with++
		}
	}
	return with > 0 && 2*with <= len(spans)
}

// optimizes reports whether a step of the optimizer ends in a span.
func (t *Trace) optimizes(s span) bool {
	if t.ends == nil {
		t.ends = []unit.Time{}
		for _, o := range t.marked("Optimizer.step#") {
			t.ends = append(t.ends, o.to)
		}
		slices.Sort(t.ends)
	}
	n, _ := slices.BinarySearch(t.ends, s.from)
	return n < len(t.ends) && t.ends[n] <= s.to
}

// marked returns the annotations whose names begin with prefix, in order of time.
func (t *Trace) marked(prefix string) (spans []span) {
	for i := range t.Ops {
		if o := &t.Ops[i]; o.Kind == Annotation && strings.HasPrefix(t.Strings[o.Name], prefix) {
			spans = append(spans, span{t.Strings[o.Name], o.Start, o.end(), true})
		}
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	seen := map[string]int{}
	for i := range spans {
		name := spans[i].name
		if seen[name]++; seen[name] > 1 {
			spans[i].name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
	}
	return spans
}

// optimized returns the spans from the end of one step of the optimizer to the end
// of the next.
func (t *Trace) optimized() (spans []span) {
	ends := t.marked("Optimizer.step#")
	if len(ends) < 2 {
		return nil
	}
	// Of several optimizers the last one's end is the iteration's.
	last := plainName(ends[len(ends)-1].name)
	ends = slices.DeleteFunc(ends, func(s span) bool { return plainName(s.name) != last })
	if len(ends) < 2 {
		return nil
	}
	from := unit.Time(0)
	for i, e := range ends {
		spans = append(spans, span{fmt.Sprintf("iteration %d", i+1), from, e.to, i > 0})
		from = e.to + 1
	}
	return append(spans, span{fmt.Sprintf("iteration %d", len(ends)+1), from, forever, false})
}

// plainName is a marked span's name without the number of its repetition.
func plainName(name string) string {
	name, _, _ = strings.Cut(name, " (")
	return name
}

// assign puts each kernel into the step in which it was launched.
func (c *cutting) assign(t *Trace, all []int32, when func(int32) unit.Time) {
	c.kernels = make([][]int32, len(c.spans))
	first := map[int32]unit.Time{} // start of work with a launch, by stream
	for _, k := range all {
		if s := t.Kernels[k].Stream; when(k) >= 0 {
			if _, ok := first[s]; !ok {
				first[s] = t.Kernels[k].Start
			}
		}
	}
	early := recording.Loss{Why: "their launch is before the recording"}
	unknown := recording.Loss{Why: "their launch is not in the recording"}
	outside := recording.Loss{Why: "they were launched outside the steps"}
	if c.overlap() {
		c.notes = append(c.notes, "Steps overlap: work belongs to the step that began last.")
	}
	for _, k := range all {
		at := when(k)
		loss := &outside
		switch {
		case at < 0 && earlier(first, &t.Kernels[k]):
			loss = &early
		case at < 0:
			loss = &unknown
		default:
			n, _ := slices.BinarySearchFunc(c.spans, at, func(s span, at unit.Time) int {
				if s.from <= at {
					return -1
				}
				return 1
			})
			for tries := 0; n > 0 && tries < 100; tries++ {
				n--
				if c.spans[n].to >= at {
					loss = nil
					c.kernels[n] = append(c.kernels[n], k)
					break
				}
			}
		}
		if loss != nil {
			loss.Kernels++
			loss.Time += t.Kernels[k].Time
		}
	}
	for _, l := range []recording.Loss{early, unknown, outside} {
		if l.Kernels > 0 {
			c.missing = append(c.missing, l)
		}
	}
	c.trim()
}

// earlier reports whether a kernel ran before all of its stream that have a launch.
func earlier(first map[int32]unit.Time, k *Kernel) bool {
	at, ok := first[k.Stream]
	return !ok || k.Start < at
}

// trim drops steps that launched nothing.
func (c *cutting) trim() {
	n := 0
	for i := range c.spans {
		if len(c.kernels[i]) == 0 {
			if c.spans[i].complete && n < len(c.spans) {
				c.notes = append(c.notes, fmt.Sprintf("%s launched nothing.", c.spans[i].name))
			}
			continue
		}
		c.spans[n], c.kernels[n] = c.spans[i], c.kernels[i]
		n++
	}
	c.spans, c.kernels = c.spans[:n], c.kernels[:n]
	if len(c.notes) > 12 {
		c.notes = append(c.notes[:12], fmt.Sprintf("and %d more notes of this kind.", len(c.notes)-12))
	}
}

// repeated finds iterations by the distance at which kernels' names repeat best.
func (t *Trace) repeated(all []int32, when func(int32) unit.Time, c *cutting) []span {
	const fewest = 20 // kernels of an iteration
	order := slices.DeleteFunc(slices.Clone(all), func(k int32) bool { return when(k) < 0 })
	if len(order) < 2*fewest || len(t.Ops) == 0 || t.graphs > len(order)/2 {
		return nil
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(when(a), when(b)) })
	names := make([]int32, len(order))
	for i, k := range order {
		names[i] = t.Kernels[k].Name
	}
	period, match := bestPeriod(names, fewest)
	if period == 0 || match < 0.9 {
		return nil
	}
	// A repetition inside one operator, module or annotation is of layers, not of
	// iterations.
	var spans []span
	from := unit.Time(0)
	for i := period; i < len(order); i += period {
		at := when(order[i])
		if t.within(when(order[i-1]), at) {
			return nil
		}
		spans = append(spans, span{fmt.Sprintf("iteration %d", len(spans)+1), from, at - 1, true})
		from = at
	}
	rest := len(order) % period
	spans = append(spans, span{fmt.Sprintf("iteration %d", len(spans)+1), from, forever, rest == 0})
	c.notes = append(c.notes, fmt.Sprintf("The recording names no steps: kernels' names repeat every %d kernels (%.0f %% alike), which was taken for an iteration.", period, 100*match))
	return spans
}

// within reports whether one operator, module or annotation was open at both times.
func (t *Trace) within(a, b unit.Time) bool {
	if t.outer == nil {
		t.outer = []open{}
		for i := range t.Ops {
			if o := &t.Ops[i]; o.Parent < 0 {
				t.outer = append(t.outer, open{o.Start, o.end()})
			}
		}
		slices.SortFunc(t.outer, func(x, y open) int { return cmp.Compare(x.from, y.from) })
		for i := 1; i < len(t.outer); i++ {
			t.outer[i].to = max(t.outer[i].to, t.outer[i-1].to)
		}
	}
	n, _ := slices.BinarySearchFunc(t.outer, a, func(o open, a unit.Time) int {
		if o.from <= a {
			return -1
		}
		return 1
	})
	return n > 0 && t.outer[n-1].to >= b
}

// An open is when an outermost operator begins, and the end of the one that ends
// last of those that began until then.
type open struct{ from, to unit.Time }

// bestPeriod returns the distance at which the most names are repeated, and the
// share of those that are. Distances are tried where the rarest names repeat.
func bestPeriod(names []int32, fewest int) (period int, match float64) {
	count := map[int32]int{}
	for _, n := range names {
		count[n]++
	}
	rarest, least := int32(-1), len(names)+1
	for _, n := range names { // not the map, whose order differs
		if count[n] >= 2 && count[n] < least {
			rarest, least = n, count[n]
		}
	}
	var places []int
	for i, n := range names {
		if n == rarest {
			places = append(places, i)
		}
	}
	tried := map[int]bool{}
	for i := 1; i < len(places) && len(tried) < 200; i++ {
		p := places[i] - places[0]
		if p < fewest || p > len(names)/2 || tried[p] {
			continue
		}
		tried[p] = true
		same := 0
		for k := p; k < len(names); k++ {
			if names[k] == names[k-p] {
				same++
			}
		}
		if m := float64(same) / float64(len(names)-p); m > match+0.005 {
			period, match = p, m
		}
	}
	return period, match
}

// mix spreads a number over all bits.
func mix(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15
	x = (x ^ x>>29) * 0xbf58476d1ce4e5b9
	return x ^ x>>32
}

// compare marks first and last steps that lack work the others have, and returns
// which steps differ from most.
func (c *cutting) compare(t *Trace) (differ []int) {
	if len(c.spans) < 2 {
		return nil
	}
	sums := make([]uint64, len(c.spans))
	for i, ks := range c.kernels {
		for _, k := range ks {
			if t.Kernels[k].Kind == recording.Compute {
				sums[i] += mix(uint64(t.Kernels[k].Name) + 1)
			}
		}
	}
	count := map[uint64]int{}
	for i := range sums {
		if c.spans[i].complete {
			count[sums[i]]++
		}
	}
	best, most := uint64(0), 0
	for _, sum := range sums { // not the map, whose order differs
		if count[sum] > most {
			best, most = sum, count[sum]
		}
	}
	for i := range sums {
		if sums[i] != best && c.spans[i].complete {
			differ = append(differ, i)
		}
	}
	return differ
}

// choose returns the middle complete step, never the first or last if there are
// others, nor one that differs from most. Where only some have a step of the optimizer, it is the
// largest of those: the others accumulate gradients.
func (c *cutting) choose(differ []int) int {
	complete := 0
	for _, s := range c.spans {
		if s.complete {
			complete++
		}
	}
	if list := c.optimizing; len(list) > 0 && len(list) < complete {
		best := -1
		for _, i := range list {
			if c.spans[i].complete && (best < 0 || len(c.kernels[i]) > len(c.kernels[best])) {
				best = i
			}
		}
		if best >= 0 {
			largest := ""
			if len(list) > 1 {
				largest = ", the largest of them"
			}
			c.notes = append(c.notes, fmt.Sprintf("Of %d steps %s a step of the optimizer; %s is taken%s.", len(c.spans), recording.Count(len(list), "has", "have"), c.spans[best].name, largest))
			return best
		}
	}
	odd := make([]bool, len(c.spans))
	for _, i := range differ {
		odd[i] = true
	}
	var good []int
	for i, s := range c.spans {
		if s.complete && !odd[i] {
			good = append(good, i)
		}
	}
	if len(good) == 0 {
		return max(0, len(c.spans)-1) / 2
	}
	return good[len(good)/2]
}

// only keeps the steps in a range and returns what goes with the others.
func (c *cutting) only(t *Trace, from, to int) recording.Loss {
	l := recording.Loss{Why: fmt.Sprintf("they are of other steps than the %d around the middle one; there is no room for all %d", to-from, len(c.spans))}
	for i, ks := range c.kernels {
		if i >= from && i < to {
			continue
		}
		l.Kernels += len(ks)
		for _, k := range ks {
			l.Time += t.Kernels[k].Time
		}
	}
	c.spans, c.kernels = c.spans[from:to], c.kernels[from:to]
	return l
}

// inside returns the members of list from one number to before another, counted
// from the first.
func inside(list []int, from, to int) (some []int) {
	for _, i := range list {
		if i >= from && i < to {
			some = append(some, i-from)
		}
	}
	return some
}
