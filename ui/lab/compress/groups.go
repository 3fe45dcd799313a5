package compress

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/compress/buddy"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// groupsKnob says whether allocations are shown one by one.
func groupsKnob() knob.Info {
	return knob.Info{
		Key: "allocations_by", Label: "Rows", Help: "A group is all allocations whose names differ only in numbers.", Kind: knob.One, Default: "group",
		Choices: []knob.Choice{{Key: "group", Label: "groups by name"}, {Key: "single", Label: "single allocations"}},
	}
}

// pattern is a name with * for every part of it that is a number:
// "model.layers.*.mlp.down_proj.weight".
func pattern(name string) string {
	var b strings.Builder
	for len(name) > 0 {
		n := strings.IndexAny(name, "./_-: ")
		if n < 0 {
			n = len(name)
		}
		if part := name[:n]; part != "" && strings.Trim(part, "0123456789") == "" {
			b.WriteByte('*')
		} else {
			b.WriteString(part)
		}
		b.WriteString(name[n:min(n+1, len(name))])
		name = name[min(n+1, len(name)):]
	}
	return b.String()
}

// A group is allocations that stand in one row.
type group struct {
	name, dtype string
	count       int
	capacity    buddy.Capacity
	bytes       unit.Bytes
	targets     [buddy.Targets]int
	// Sums over entries, weighted by bytes: shares by sectors, the share that
	// overflows, and the variance of that of 4 sectors.
	sectors            [buddy.Sectors + 1]float64
	overflow, variance float64
	sampled            bool
	entries, all       int64 // that were compressed, and that there are
}

// add takes an allocation in; t is what was measured of it, nil if it is no tensor.
func (g *group) add(a *buddy.Allocation, target buddy.Target, t *tensor) {
	g.count++
	g.targets[target]++
	c := buddy.Sum([]buddy.Allocation{*a}, []buddy.Target{target})
	g.bytes += a.Bytes
	g.capacity.Device += c.Device
	g.capacity.Buddy += c.Buddy
	n := buddy.Entries(a.Bytes)
	g.all += n
	if t != nil {
		n = t.Entries
	}
	g.entries += n
	weight := float64(a.Bytes) / float64(max(1, len(a.Snapshots)))
	for i := range a.Snapshots {
		h := &a.Snapshots[i]
		for n := range h.Sectors {
			g.sectors[n] += float64(weight * part(h.Sectors[n], h.Entries))
		}
		g.overflow += float64(weight * h.Overflow(target))
	}
	if t == nil {
		return
	}
	if g.count == 1 {
		g.dtype = t.Type
	} else if g.dtype != t.Type {
		g.dtype = "several"
	}
	e := float64(a.Bytes) * float64(t.Error) / 1000
	g.variance += float64(e * e)
	g.sampled = g.sampled || t.Entries*buddy.EntryBytes < t.Bytes
}

// share is a sum over the group's bytes as a share of them.
func (g *group) share(sum float64) float64 { return sum / max(1, float64(g.bytes)) }

// target names the targets of the group: "2x", or how many have which.
func (g *group) target() report.Cell {
	var said []string
	for t, n := range g.targets {
		if x := buddy.Target(t); n == g.count {
			return report.Textf("%s", x).With(float64(buddy.EntryBytes)/float64(x.Slot()), "")
		}
		if n > 0 {
			said = append(said, fmt.Sprintf("%d × %v", n, buddy.Target(t)))
		}
	}
	return report.Textf("%s", strings.Join(said, ", "))
}

// row is the group in a table.
func (g *group) row(files bool) report.Row {
	r := report.Row{Head: g.name}
	if g.count > 1 {
		r.Sub = "× " + strconv.Itoa(g.count)
	}
	put := func(c report.Cell, share float64) {
		c.Share = share
		r.Cells = append(r.Cells, c)
	}
	put(report.Textf("%v", g.bytes), 0)
	put(g.target(), 0)
	put(report.Textf("%s", percent(g.share(g.overflow))).WithShare(g.share(g.overflow)), g.share(g.overflow))
	var stack []float64
	for _, sum := range g.sectors {
		stack = append(stack, g.share(sum))
	}
	parts := report.Cell{Text: g.shares(stack), Stack: stack}
	for sectors, share := range stack {
		parts = parts.Part(strconv.Itoa(sectors), 100*share, "%")
	}
	if g.sampled {
		parts = parts.Part("error", 100*g.share(math.Sqrt(g.variance)), "%")
	}
	r.Cells = append(r.Cells, parts)
	put(report.Textf("%v", g.capacity.Device), min(1, part(int64(g.capacity.Device), int64(g.bytes))))
	put(report.Textf("%v", g.capacity.Buddy), 0)
	all := report.Textf("%s", count(g.all)).With(float64(g.all), "")
	if g.sampled {
		all = report.Textf("%s of %s", count(g.entries), count(g.all)).Part("measured", float64(g.entries), "").With(float64(g.all), "")
	}
	put(all, 0)
	if files {
		put(report.Textf("%s", cmp.Or(g.dtype, "unknown")), 0)
	}
	return r
}

// shares writes the shares by sectors, that of 4 with its standard error if it is of
// a sample: "39 / 0 / 0 / 46.2 / 14.8 ± 0.8".
func (g *group) shares(list []float64) string {
	var parts []string
	for _, x := range list {
		parts = append(parts, strings.TrimSuffix(strconv.FormatFloat(100*x, 'f', 1, 64), ".0"))
	}
	text := strings.Join(parts, " / ")
	if g.sampled {
		text += " ± " + strconv.FormatFloat(100*g.share(math.Sqrt(g.variance)), 'f', 1, 64)
	}
	return text
}

// count writes a number of entries.
func count(n int64) string {
	if n < 100_000 {
		return strconv.FormatInt(n, 10)
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " million"
}

// grouped are the rows of a program, the largest first.
func grouped(list []buddy.Allocation, targets []buddy.Target, tensors []tensor, single bool) []*group {
	var groups []*group
	at := map[string]*group{}
	for k := range list {
		name := list[k].Name
		g := at[pattern(name)]
		if g == nil || single {
			if g = (&group{name: name}); !single {
				g.name = pattern(name)
				at[g.name] = g
			}
			groups = append(groups, g)
		}
		var t *tensor
		if k < len(tensors) {
			t = &tensors[k]
		}
		g.add(&list[k], targets[k], t)
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Compare(b.bytes, a.bytes) })
	return groups
}

// mostRows is how many rows a table of allocations has.
const mostRows = 200

// allocations lists them with their targets.
func allocations(v *seen) (*report.Section, error) {
	view, s, w, system := v.Look, v.Settings, v.Workload, v.System
	r, err := whole(run(w, s, system, nil))
	if err != nil {
		return nil, err
	}
	single, files := view.Text("allocations_by") == "single", len(w.tensors) > 0
	out := &report.Section{Text: []string{summary(r)}}
	sampled := false
	for i, p := range r.Programs {
		groups := grouped(w.programs[i].Allocations, p.Targets, w.tensors, single)
		t := report.Table{Key: report.Slug(p.Program, "program"), Title: p.Program, Head: []string{"Allocation"}}
		if !single {
			t.Head[0] = "Allocations by name"
		}
		t.Head = append(t.Head, "Size", "Target", "Overflow", "0 / 1 / 2 / 3 / 4 sectors, %", "GPU", "Buddy", "Entries")
		if files {
			t.Head = append(t.Head, "Type")
		}
		for k, g := range groups {
			if k == mostRows {
				out.Notes = append(out.Notes, p.Program+": "+rest(groups, single))
				break
			}
			sampled = sampled || g.sampled
			t.Rows = append(t.Rows, g.row(files))
		}
		out.Tables = append(out.Tables, t)
	}
	if sampled {
		out.Notes = append(out.Notes, "Entries of a sample; ± is the standard error of the share of 4 sectors, estimated between pages.")
	}
	return out, nil
}

// rest says what a table leaves out.
func rest(groups []*group, single bool) string {
	var bytes unit.Bytes
	for _, g := range groups[mostRows:] {
		bytes += g.bytes
	}
	what := "groups"
	if single {
		what = "allocations"
	}
	return fmt.Sprintf("the largest %d of %d %s; the other %d have %v in all.", mostRows, len(groups), what, len(groups)-mostRows, bytes)
}

// summary says how many allocations got which target.
func summary(r *result) string {
	var counts [buddy.Targets]int
	all := 0
	for _, p := range r.Programs {
		for _, t := range p.Targets {
			counts[t]++
			all++
		}
	}
	var parts []string
	for t, n := range counts {
		switch {
		case n == 0:
		case n == all && all == 1:
			parts = append(parts, fmt.Sprintf("the only allocation has %v", buddy.Target(t)))
		case n == all:
			parts = append(parts, fmt.Sprintf("all %d allocations have %v", n, buddy.Target(t)))
		case n == 1:
			parts = append(parts, fmt.Sprintf("1 has %v", buddy.Target(t)))
		default:
			parts = append(parts, fmt.Sprintf("%d have %v", n, buddy.Target(t)))
		}
	}
	of := ""
	if len(parts) > 1 {
		of = fmt.Sprintf("of %d allocations ", all)
	}
	return fmt.Sprintf("%s: %s%s; memory becomes %s times as large.", r.variant.Title, of, strings.Join(parts, ", "), strconv.FormatFloat(r.sum.Ratio, 'f', 2, 64))
}
