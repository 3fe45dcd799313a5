package compress

import (
	"fmt"
	"strings"

	core "spillway/sim/compress"
	"spillway/sim/compress/buddy"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/ui/lab"
	paper "spillway/ui/lab/compress/papers/buddy"
)

// A ran is a run of a system, with what went into it.
type ran = lab.Run[settings, *memory, *result]

// measures are the numbers of a run.
func measures() []report.Measure[*ran] {
	return report.Lift(report.Keep(list(), map[string]report.Law{
		"time": {Knob: "link", Lowers: true, Ratio: true}, "slowdown_percent": {Knob: "link", Lowers: true, Ratio: true},
		"worst_slowdown_percent": {Ratio: true}, "gpu_percent": {Ratio: true}, "metadata_percent": {Ratio: true}, "buddy_percent": {Ratio: true},
	}), func(r *ran) *result { return r.Result })
}

// targetKey is the key of the bytes that have a target.
func targetKey(t buddy.Target) string {
	return "target_" + strings.ReplaceAll(t.String(), ".", "_") + "_bytes"
}

// sectorKey is the key of the share of entries that take so many sectors.
func sectorKey(n int) string { return fmt.Sprintf("entries_of_%d_sectors_percent", n) }

func list() []report.Measure[*result] {
	var ns []report.Measure[*result]
	add := func(key, label, unitName, help string, places, better int, f func(r *result) float64) *report.Measure[*result] {
		ns = append(ns, report.Number(report.Quantity{Key: key, Label: label, Unit: unitName, Help: help, Places: places, Better: better}, f))
		return &ns[len(ns)-1]
	}
	percent := func(key, label, help string, places, better int, f func(r *result) float64) {
		add(key, label, "%", help, places, better, func(r *result) float64 { return 100 * f(r) })
	}
	bytes := func(key, label, help string, better int, f func(r *result) unit.Bytes) {
		add(key, label, "GiB", help, 3, better, func(r *result) float64 { return float64(f(r)) }).Scale = float64(unit.GiB)
	}
	add("ratio", "Compression ratio", "×", "How much more fits: bytes over their slots in GPU memory. For several programs, the geometric mean.", 3, 1, func(r *result) float64 { return r.sum.Ratio })
	add("optimistic_ratio", "Optimistic ratio", "×", "The ratio if each entry took one of eight sizes, without slots (the paper's Figure 3).", 3, 0, func(r *result) float64 {
		if r.sum.Optimistic == 0 { // zeros alone take nothing
			return report.None()
		}
		return r.sum.Optimistic
	})
	percent("buddy_access_percent", "Accesses to the buddy memory", "Accesses to entries that do not fit into their slots, if all entries are accessed equally often. For several programs, the mean.", 2, -1, func(r *result) float64 { return r.sum.Overflow })
	signed := len(ns)
	percent("slowdown_percent", "Slowdown", "Extra time against a GPU that holds everything uncompressed; negative is faster. For several programs, the mean.", 2, -1, func(r *result) float64 { return r.sum.Slowdown })
	percent("worst_slowdown_percent", "Slowdown of the slowest program", "The largest over the programs.", 2, -1, func(r *result) float64 { return r.sum.WorstSlowdown })
	for i := signed; i < len(ns); i++ {
		ns[i].Signed = true
	}
	add("time", "Time", "%", "Relative to a GPU that holds everything uncompressed.", 2, -1, func(r *result) float64 { return 1 + r.sum.Slowdown }).Scale = 0.01
	ns = append(ns, lab.Headroom[*result]("No design can be below 1."))
	percent("gpu_percent", "GPU", "Computing, and compressed traffic to GPU memory.", 2, -1, func(r *result) float64 { return r.sum.GPU })
	percent("metadata_percent", "Metadata", "Lines of metadata that were not in the cache.", 3, -1, func(r *result) float64 { return r.sum.Metadata })
	percent("metadata_hits_percent", "Metadata in the cache", "Accesses whose metadata is in the cache. For several programs, the mean.", 2, 1, func(r *result) float64 {
		if r.sum.Hits == 0 && r.sum.Capacity.Metadata == 0 { // needs none
			return report.None()
		}
		return r.sum.Hits
	})
	percent("buddy_percent", "Buddy memory", "Traffic to the buddy memory at the link's rate.", 2, -1, func(r *result) float64 { return r.sum.Link })
	const ofLargest = " For a suite, whose programs run one at a time, that of its largest program."
	bytes("footprint_bytes", "Uncompressed", "What the allocations hold."+ofLargest, 0, func(r *result) unit.Bytes { return r.largest().Bytes })
	bytes("device_bytes", "GPU memory", "Slots of all entries."+ofLargest, -1, func(r *result) unit.Bytes { return r.largest().Device })
	bytes("buddy_bytes", "Buddy memory, reserved", "Places for what may not fit."+ofLargest, -1, func(r *result) unit.Bytes { return r.largest().Buddy })
	bytes("metadata_bytes", "Metadata, stored", "4 bits for every entry, in GPU memory."+ofLargest, -1, func(r *result) unit.Bytes { return r.largest().Capacity.Metadata })
	for t := range buddy.Targets {
		bytes(targetKey(t), "Target "+t.String(), "GPU memory of the allocations with this target."+ofLargest, 0, func(r *result) unit.Bytes { return r.withTarget(t) })
	}
	for n := range buddy.Sectors + 1 {
		label := fmt.Sprintf("%d sectors", n)
		switch n {
		case 0:
			label = "zeros"
		case 1:
			label = "1 sector"
		}
		percent(sectorKey(n), "Entries: "+label, "Entries that take so many sectors of 32 bytes when they are compressed.", 1, 0, func(r *result) float64 { return r.sectors(n) })
	}
	return ns
}

// most is the number of the largest program, the same for every design, and largest
// what came out for it.
func (r *result) most() (at int) {
	for i := range r.Programs {
		if r.Programs[i].Bytes > r.Programs[at].Bytes {
			at = i
		}
	}
	return at
}

func (r *result) largest() *core.Result { return r.Programs[r.most()] }

// withTarget sums the slots of its allocations with a target.
func (r *result) withTarget(t buddy.Target) (n unit.Bytes) {
	at := r.most()
	p := r.Programs[at]
	for k := range p.Targets {
		if p.Targets[k] == t {
			c := buddy.Sum(r.memory.programs[at].Allocations[k:k+1], p.Targets[k:k+1])
			n += c.Device
		}
	}
	return n
}

// sectors is the share of entries that take n sectors, by bytes.
func (r *result) sectors(n int) float64 {
	var sum, all float64
	for i := range r.memory.programs {
		for _, a := range r.memory.programs[i].Allocations {
			for k := range a.Snapshots {
				h := &a.Snapshots[k]
				weight := float64(a.Bytes) / float64(len(a.Snapshots))
				sum += weight * float64(h.Sectors[n]) / float64(max(1, h.Entries))
				all += weight
			}
		}
	}
	if all == 0 {
		return report.None()
	}
	return sum / all
}

func charts() []report.Chart {
	var targets, sectors []string
	for t := range buddy.Targets {
		targets = append(targets, targetKey(t))
	}
	for n := range buddy.Sectors + 1 {
		sectors = append(sectors, sectorKey(n))
	}
	return []report.Chart{
		{ID: "ratio", Title: "How much larger memory becomes", Kind: report.Bars, Of: []string{"ratio"}, Unit: "×", Say: "makes it largest"},
		{ID: "capacity", Title: "GPU memory by target", Help: "For a suite, whose programs run one at a time, that of its largest program.", Kind: report.Stacks, Of: append(targets, "metadata_bytes"), Unit: "GiB", Say: "takes most", Limit: "gpu_memory", LimitLabel: "GPU memory"},
		{ID: "access", Title: "Accesses that need the buddy memory", Kind: report.Bars, Of: []string{"buddy_access_percent"}, Unit: "%", Say: "needs it most", None: "No access needs it."},
		{ID: "time", Title: "Time against a GPU that holds everything", Kind: report.Stacks, Sum: "time", Of: []string{"gpu_percent", "metadata_percent", "buddy_percent"}, Unit: "%", Say: "takes longest"},
		{ID: "links", Title: "Slowdown over the rate of the link", Kind: report.Lines, X: "link, GB/s", Y: "slowdown, %", Unit: "%", Help: "For the chosen targets; negative is faster than a GPU that holds everything uncompressed. Circles are what the paper publishes for these contents.", Say: "is highest"},
		{ID: "sectors", Title: "What entries take when compressed", Kind: report.Stacks, Of: sectors, Unit: "%", Max: 100, Say: "has most", Help: "What memory holds decides it, not the design."},
	}
}

// linkRates are where the curve over the link's rate is drawn, GB/s: PCIe 3 to
// NVLink 4.
var linkRates = []int64{16, 20, 25, 32, 40, 50, 64, 75, 100, 125, 150, 200, 250, 300, 400, 450}

// curves draws the slowdown over the link's rate, and what is published about the
// contents.
func curves(s *settings, r *result) []report.Curve {
	c := report.Curve{Chart: "links"}
	for _, rate := range linkRates {
		link := unit.Bandwidth(rate) * unit.GBps
		if link > r.setup.Memory {
			break
		}
		// Only the buddy's part hangs on it, in inverse proportion.
		buddy := r.sum.Link * float64(r.setup.Link) / float64(link)
		c.X = append(c.X, float64(rate))
		c.Y = append(c.Y, 100*(r.sum.GPU+r.sum.Metadata+buddy-1))
	}
	if len(c.X) < 2 {
		return nil
	}
	list := []report.Curve{c}
	if marks := published(s, r); len(marks.X) > 0 {
		list = append(list, marks)
	}
	return list
}

// published are the slowdowns that the paper states of the contents with its design.
func published(s *settings, r *result) report.Curve {
	c := report.Curve{Chart: "links", Name: "published", Published: true}
	if s.Entry != "" || r.variant.Name != paper.Design {
		return c
	}
	for _, x := range paper.Slowdowns(s.Contents) {
		c.X, c.Y = append(c.X, float64(x.Link/unit.GBps)), append(c.Y, x.Percent)
	}
	return c
}
