package bytefs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"spillway/sim/study"
)

// A grid is all that is published and all that is measured besides.
type grid struct {
	list, probes []study.Point
	at           map[place]int // in probes
}

// A place is what makes a probe one of its own.
type place struct{ figure, quantity, system, set string }

// all returns the points in the order of the paper.
func all() *grid {
	g := &grid{at: map[place]int{}}
	// Values that figures and claims need come first: means are made of them.
	g.probe("abstract", speed, systems[:5], workloads)
	g.probe("abstract", written, systems[:5], workloads)
	g.probe("6", speed, systems[:5], workloads)
	g.probe(ratios, speed, systems[:5], append(slices.Clone(micros), varmail))
	for _, q := range []string{speed, readTime, readTail} {
		g.probe("7", q, systems[:5], stores)
	}
	g.probe("8", metaBytes, systems[:5], changing)
	g.probe("8", metaReads, systems[:5], changing)
	for _, s := range structures[firstMeta:] {
		g.probe("9", writtenBy+s.key, systems[:5], changing)
		g.probe("10", readBy+s.key, systems[:5], changing)
	}
	g.probe("11", pages, systems[:5], flashing)
	g.probe("12", speed, []string{ext4, dual, logged, selected, byteFS}, macros)
	for _, l := range latencies {
		g.probe("13", speed, latent, macros, l.differs...)
	}
	for _, size := range logSizes {
		g.probe("14", speed, []string{byteFS}, sized, logOf(size)...)
		g.probe("14", programs, []string{byteFS}, sized, logOf(size)...)
	}
	for _, q := range []string{writeAmp, writeAll, readAmp, readAll} {
		g.probe("T2", q, []string{ext4, f2fs}, macros)
	}
	for _, q := range []string{writeShare + "inode", readShare + "pointer", writeShare + "pointer", totalShare + "journal"} {
		g.probe("mix", q, []string{ext4, f2fs}, macros)
	}
	g.probe("mix", writeShare+"dentry", []string{ext4, f2fs}, []string{create, remove, mkdir, rmdir})
	g.probe("costs", duplicates, []string{byteFS}, macros)
	for _, v := range variants {
		g.probe(switchedFlash, duplicates, []string{byteFS}, macros, v.of(byteFS)...)
		for _, x := range []struct {
			figure, quantity   string
			systems, workloads []string
		}{
			{switchedExt4, speed, []string{ext4, byteFS}, workloads},
			{switchedF2FS, speed, systems[:5], workloads},
			{switchedBytes, metaBytes, []string{ext4, f2fs, byteFS}, changing},
			{switchedBytes, written, systems[:5], filling},
			{switchedFlash, pages, systems[:5], flashing},
		} {
			for _, s := range x.systems {
				g.probe(x.figure, x.quantity, []string{s}, x.workloads, v.of(s)...)
			}
		}
	}

	texts, _ := stated()
	for i := range texts {
		if t := &texts[i]; t.falls() {
			for _, v := range added() {
				g.probe(switchedFacts, speed, []string{t.versus, byteFS}, []string{t.of}, v.differs...)
			}
		}
	}

	for _, points := range [][]study.Point{g.texts(), g.switches(), devices(), g.amplified(), g.interfaces(), g.composition(), runs(), fractions()} {
		g.list = append(g.list, points...)
	}
	order := map[string]int{}
	for i, f := range figures(g) {
		order[f.ID] = i
	}
	slices.SortStableFunc(g.list, func(a, b study.Point) int { return order[a.Figure] - order[b.Figure] })
	return g
}

// measured are the rules that the paper is compared with, which are the device of that name: what
// can be read of how it was measured, setting by setting, so that one can differ. usual, as the
// first of what differs, leaves them out.
const (
	measured = "frontier=block page_cache=4096 warm=1 warm_time=5 f2fs_keeps=1 loaded=1 meta_share=75 full_sync=1 flowops=1 keeps_freed=1 first_fit=1 entry_loads=1 in_place=1 as_issued=1 counts_empty=1 inline=1 write_batch=1024 fresh=1 fresh_share=46"
	usual    = ""
)

// set is the setup of a workload, as it was measured, with what differs from that.
func set(workload string, differs ...string) string {
	rules := []string{"workload=" + workload, "scale=64"}
	if len(differs) > 0 && differs[0] == usual {
		differs = differs[1:]
	} else {
		rules = append(rules, strings.Fields(measured)...)
	}
	for _, d := range differs {
		key, _, _ := strings.Cut(d, "=")
		if i := slices.IndexFunc(rules, func(r string) bool { return strings.HasPrefix(r, key+"=") }); i >= 0 {
			rules[i] = d
		} else {
			rules = append(rules, d)
		}
	}
	return strings.Join(rules, " ")
}

// repeated are the seeds of the runs of a figure, as what differs. Figures 12 to 14 compare
// what differs by few percent, which a seed changes as well: each of their values is the
// mean of three.
func repeated(figure string) [][]string {
	seeds := [][]string{nil, {"seed=2"}, {"seed=3"}}
	if figure == "12" || figure == "13" || figure == "14" {
		return seeds
	}
	return seeds[:1]
}

// probe measures what is not published of systems and workloads, each once.
func (g *grid) probe(figure, quantity string, systems, workloads []string, differs ...string) {
	for _, seed := range repeated(figure) {
		for _, w := range workloads {
			for _, s := range systems {
				p := study.Point{Figure: figure, Quantity: quantity, System: s, Set: set(w, slices.Concat(differs, seed)...), Of: w, Fits: true, Unpublished: true}
				key := place{figure, quantity, s, p.Set}
				if _, ok := g.at[key]; !ok {
					g.at[key] = len(g.probes)
					g.probes = append(g.probes, p)
				}
			}
		}
	}
}

// find is a probe, nil if there is none.
func (g *grid) find(figure, quantity, system, set string) *study.Point {
	if i, ok := g.at[place{figure, quantity, system, set}]; ok {
		return &g.probes[i]
	}
	return nil
}

// A finder finds values of probes; known is false as soon as one is missing.
type finder struct {
	grid   *grid
	look   study.Look
	figure string
	known  bool
}

// value is that of a probe of a system and a workload, the mean over the seeds of the figure.
func (f *finder) value(quantity, system, workload string, differs ...string) float64 {
	sum, seeds := 0.0, repeated(f.figure)
	for _, seed := range seeds {
		p := f.grid.find(f.figure, quantity, system, set(workload, slices.Concat(differs, seed)...))
		if p == nil {
			f.known = false
			return math.NaN()
		}
		v, fits, known := f.look(p)
		f.known = f.known && fits && known
		sum += v
	}
	return sum / float64(len(seeds))
}

// gain is how many times as large a value of ByteFS is as another's, less how many times
// as small.
func (f *finder) gain(quantity, over, workload string, v variant) float64 {
	return f.value(quantity, byteFS, workload, v.of(byteFS)...) / f.value(quantity, over, workload, v.of(over)...)
}

func (f *finder) less(quantity, rival, workload string, v variant) float64 {
	return 1 / f.gain(quantity, rival, workload, v)
}

// made is what a finder computes of the probes of a figure.
func (g *grid) made(figure string, of func(f *finder) float64) *study.Derivation {
	return &study.Derivation{Value: func(look study.Look) (float64, bool) {
		f := &finder{g, look, figure, true}
		v := of(f)
		return v, f.known && !math.IsNaN(v) && !math.IsInf(v, 0)
	}}
}

func mean(list []string, of func(string) float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += float64(of(x)) // which may end with a product
	}
	return sum / float64(len(list))
}

func least(list []string, of func(string) float64) float64 {
	v := math.Inf(1)
	for _, x := range list {
		v = min(v, of(x))
	}
	return v
}

func most(list []string, of func(string) float64) float64 {
	return -least(list, func(x string) float64 { return -of(x) })
}

// A variant is the paper's measurement with one fact of it turned over: each is switched
// alone, so that what a number owes to it can be seen.
type variant struct {
	name    string
	differs []string
	feel    []string // the systems that can feel it; nil for all
}

// like is the first of variants.
var like = variant{name: "as measured"}

// variants are all of them, those that are drawn first.
var variants = []variant{
	like,
	{"nothing fitted", []string{"fresh=0"}, []string{byteFS}},
	{"settings at first", []string{usual}, nil},
	{"all channels", []string{"frontier=striped"}, nil},
	{"Ext4, F2FS wait", []string{"ack=artifact"}, []string{ext4, f2fs}},
	{"cold", []string{"warm=0", "f2fs_keeps=0", "loaded=0"}, nil},
	{"own cache", []string{"own_cache=16384"}, []string{byteFS}},
	{"random", []string{"payload=random"}, []string{byteFS}},
	{"1 GiB", []string{"page_cache=1024"}, nil},
	{"O_DSYNC", []string{"full_sync=0"}, nil},
	{"longer", []string{"flowops=0"}, nil},
	{"blind writes", []string{"blind_writes=1"}, []string{byteFS}},
	{"readers 80 µs", []string{"reader_burn=80"}, nil},
	{"a quarter for metadata", []string{"meta_share=25"}, nil},
	{"all channels, they wait", []string{"frontier=striped", "ack=artifact"}, nil},
	{"discards", []string{"keeps_freed=0"}, nil},
	{"next fit", []string{"first_fit=0"}, []string{nova, pmfs}},
	{"whole pages searched", []string{"entry_loads=0"}, []string{pmfs}},
	{"copies on write", []string{"in_place=0"}, []string{nova}},
	{"loads for every call", []string{"as_issued=0"}, []string{nova, pmfs}},
	{"empty pages not counted", []string{"counts_empty=0"}, []string{nova, pmfs}},
	{"six sevenths for metadata", []string{"meta_share=86"}, nil},
	{"store not cached", []string{"loaded=0"}, []string{byteFS, ext4, f2fs}},
	{"stale flags", []string{"mode=stale-dirty"}, []string{nova, pmfs}},
	{"16 channels", []string{"channels=16"}, nil},
	{"nothing in nodes", []string{"inline=0"}, []string{f2fs}},
	{"batches of 32", []string{"write_batch=32"}, nil},
	{"warm-ups as long as runs", []string{"warm_time=0"}, nil},
	{"files prepared and counted", []string{"prepared=1"}, nil},
}

// drawn is how many of the variants figures draw: there are no more colors. The others are in
// their tables.
const drawn = 8

// of is how a system's setup differs under a variant. A test holds that others than feel do
// not feel it.
func (v variant) of(system string) []string {
	if v.feel != nil && !slices.Contains(v.feel, system) {
		return nil
	}
	return v.differs
}

// facts are what can be read of the measurement, in the order in which they are added to the
// settings at first: those of the device, of the script, of Filebench, and what is fitted.
var facts = []variant{
	{name: "settings at first"},
	{name: "one write pointer", differs: []string{"frontier=block"}},
	{name: "freed pages kept", differs: []string{"keeps_freed=1"}},
	{name: "NOVA and PMFS as there", differs: []string{"first_fit=1", "entry_loads=1", "in_place=1", "as_issued=1", "counts_empty=1"}},
	{name: "4 GiB of cache", differs: []string{"page_cache=4096"}},
	{name: "warm caches", differs: []string{"warm=1", "warm_time=5", "f2fs_keeps=1", "loaded=1"}},
	{name: "as Linux does", differs: []string{"meta_share=75", "inline=1", "write_batch=1024"}},
	{name: "O_SYNC", differs: []string{"full_sync=1"}},
	{name: "all operations count", differs: []string{"flowops=1"}},
	{name: "fresh pages compared", differs: []string{"fresh=1", "fresh_share=46"}},
}

// added are the facts one after the other, each with those before it.
func added() (list []variant) {
	differs := []string{usual}
	for _, f := range facts {
		differs = append(slices.Clone(differs), f.differs...)
		list = append(list, variant{name: f.name, differs: differs})
	}
	return list
}

// falls reports whether a number of the text is shown as facts are added: those of one workload.
func (t *text) falls() bool { return t.quantity == speed && slices.Contains(workloads, t.of) }

// A text is a number that the text of the paper states.
type text struct {
	figure, quantity, system, versus, of, at, unit string
	value, limit                                   float64
	compute                                        func(f *finder, v variant) float64
	high                                           bool // confidence
}

// systemOf is the laboratory's name of a published file system.
func systemOf(name string) string { return strings.ToLower(name) }

// limits are those of numbers that a model is held to.
const (
	strict = Tolerance
	loose  = 0.25 // of create over F2FS
)

// stated are the numbers of the text that runs yield, in the order of paper_claims.csv;
// asides are those that none does.
func stated() (list []text, asides []study.Point) {
	for _, f := range table("paper_claims.csv") {
		figure, metric, workload, versus, value, unit, high := f[0], f[1], f[2], f[3], study.Number(f[4]), f[5], f[6] == "high"
		if unit == "x" {
			unit = "×"
		}
		t := text{figure: strings.TrimPrefix(figure, "fig"), versus: systemOf(versus), of: strings.ToLower(workload), value: value, unit: unit, limit: strict, high: high, system: byteFS}
		rival := t.versus
		switch {
		case metric == "throughput, best":
			t.quantity, t.at, t.versus = speed, "over the best of the others", ""
			t.compute = func(f *finder, v variant) float64 {
				return most(workloads, func(w string) float64 {
					return least(rivals, func(s string) float64 { return f.gain(speed, s, w, v) })
				})
			}
		case strings.HasPrefix(metric, "SSD write traffic"):
			t.quantity, t.at, t.versus = written, "less than another, at most", ""
			t.compute = func(f *finder, v variant) float64 {
				return most(filling, func(w string) float64 {
					return most(rivals, func(s string) float64 { return f.less(written, s, w, v) })
				})
			}
		case metric == "throughput" && workload == "micro average":
			t.figure, t.quantity, t.of, t.at = ratios, speed, "mean of 5 micro", "over "+versus
			t.compute = func(f *finder, v variant) float64 {
				return mean(micros, func(w string) float64 { return f.gain(speed, rival, w, v) })
			}
		case metric == "throughput" && t.figure == "6":
			w := t.of
			t.quantity, t.at = speed, "over "+versus
			if rival != ext4 {
				t.figure = ratios
			}
			if w == create && rival == f2fs {
				t.limit = loose
			}
			t.compute = func(f *finder, v variant) float64 { return f.gain(speed, rival, w, v) }
		case t.figure == "6/7":
			t.figure, t.of, t.at = "7", "mean of YCSB", "over "+versus
			q := map[string]string{"throughput": speed, "average read latency reduction": readTime, "tail read latency reduction": readTail}[metric]
			t.quantity = q
			t.compute = func(f *finder, v variant) float64 {
				return mean(stores, func(w string) float64 {
					if q == speed {
						return f.gain(q, rival, w, v)
					}
					return f.less(q, rival, w, v)
				})
			}
		case strings.HasPrefix(metric, "metadata traffic"):
			t.figure, t.quantity, t.of, t.at = "8", metaBytes, "mean of 7", "less than "+versus
			over := mean
			if strings.HasSuffix(metric, "max") {
				t.of, over = "most", most
			}
			t.compute = func(f *finder, v variant) float64 {
				return over(changing, func(w string) float64 { return f.less(metaBytes, rival, w, v) })
			}
		case metric == "metadata read reduction":
			t.figure, t.quantity, t.of, t.at, t.unit = "8", metaReads, "mean of 7", "less than "+versus, "%"
			t.compute = func(f *finder, v variant) float64 {
				return mean(changing, func(w string) float64 { return 100 * (1 - f.gain(metaReads, rival, w, v)) })
			}
		case t.figure == "11":
			t.quantity, t.of, t.at = pages, "mean of 9", "less than "+versus
			t.compute = func(f *finder, v variant) float64 {
				return mean(flashing, func(w string) float64 { return f.less(pages, rival, w, v) })
			}
		case strings.HasPrefix(metric, "duplicate pages"):
			t.figure, t.quantity, t.of, t.at, t.unit, t.versus = "costs", duplicates, "mean of 5 macro", "", "%", ""
			t.compute = func(f *finder, v variant) float64 {
				return mean(macros, func(w string) float64 { return f.value(duplicates, byteFS, w, v.of(byteFS)...) })
			}
		default:
			asides = append(asides, asideOf(metric, value, unit))
			continue
		}
		list = append(list, t)
	}
	return list, asides
}

// asideOf is a number of the text that no run yields.
func asideOf(metric string, value float64, unit string) study.Point {
	for _, x := range []struct{ begins, figure, of, quantity, why string }{
		{"recovery", "recovery", "256 MB log", "recovery", "a sum: of it 0.9 and 2.7 s are inputs of the model of recovery, and nothing says what the other 0.6 s are"},
		{"of which load", "recovery", "256 MB log", "load", "an input of the model of recovery: the device's DRAM is read at the rate that this gives"},
		{"of which scan", "recovery", "256 MB log", "scan", "an input of the model of recovery: lines are scanned at the rate that a full log gives"},
		{"log index lookup", "costs", "256 MB log", "lookup", "part of the 0.6 µs of a store and of the 4.8 µs of a load, which are inputs: the index is not a part of the model"},
		{"log index size", "costs", "256 MB log", "index", "the index is not a part of the model, and takes none of the DRAM here"},
		{"XOR", "costs", "4 KB", "xor", "an input: compare=0.35 is these cycles at 2.7 GHz"},
	} {
		if strings.HasPrefix(metric, x.begins) {
			return study.Point{Figure: x.figure, Quantity: x.quantity, Of: x.of, Fits: true, Value: value, Unit: unit, NotComputed: x.why, Note: doubtful + secondHand, Source: "paper_claims.csv"}
		}
	}
	panic("bytefs: a number of the text that nobody knows: " + metric)
}

// point makes a point of what a text states, computed from the probes of a figure under
// a variant.
func (g *grid) point(t *text, figure string, v variant) study.Point {
	p := study.Point{
		Figure: figure, Quantity: t.quantity, System: t.system, Of: t.of, At: t.at, Fits: true, Value: t.value, Unit: t.unit, Limit: t.limit,
		Source: "paper_claims.csv", Derived: g.made(figure, func(f *finder) float64 { return t.compute(f, v) }),
	}
	if !t.high {
		p.Note = doubtful + secondHand
	}
	return p
}

// texts are the numbers of the text.
func (g *grid) texts() (list []study.Point) {
	texts, asides := stated()
	for i := range texts {
		list = append(list, g.point(&texts[i], texts[i].figure, like))
	}
	return append(list, asides...)
}

// switched reports whether a number of the text is shown under all variants: those of
// Filebench, but for what is read, which hangs on none of them. Table 2 and the composition
// of traffic are of Ext4 and F2FS alone, which feel neither payload nor fresh pages.
func (t *text) switched() bool {
	return slices.Contains([]string{"abstract", "6", ratios, "8", "11", "costs"}, t.figure) && t.quantity != metaReads
}

// switches are the numbers of the text under every variant.
func (g *grid) switches() (list []study.Point) {
	texts, _ := stated()
	for i := range texts {
		t := &texts[i]
		if !t.switched() {
			continue
		}
		for _, v := range variants {
			p := g.point(t, t.under(), v)
			p.Of, p.At, p.Note, p.Duplicate = t.label(), v.name, "", true
			list = append(list, p)
		}
		if !t.falls() {
			continue
		}
		for _, v := range added() {
			p := g.point(t, switchedFacts, v)
			p.Of, p.At, p.Note, p.Duplicate = t.label(), v.name, "", true
			list = append(list, p)
		}
	}
	return list
}

// The figures of numbers under every variant: one of all of them has no room for their
// names.
const (
	switchedFacts = "switches-facts"
	switchedExt4  = "switches-ext4"
	switchedF2FS  = "switches-others"
	switchedBytes = "switches-bytes"
	switchedFlash = "switches-flash"
)

// ratios is the figure of those numbers about Figure 6 that are not one workload's over Ext4.
const ratios = "6-ratios"

// under is the figure that has a number of the text under every variant.
func (t *text) under() string {
	switch {
	case t.quantity == metaBytes || t.quantity == written:
		return switchedBytes
	case t.quantity != speed:
		return switchedFlash
	case t.versus == ext4:
		return switchedExt4
	}
	return switchedF2FS
}

// label names what a number of the text is about, in a list of several quantities.
func (t *text) label() string {
	what, rival := t.of, t.versus
	switch {
	case t.figure == "abstract":
		what, rival = map[string]string{speed: "best", written: "written"}[t.quantity], "others"
	case t.figure == "11":
		what = "flash"
	case t.quantity == duplicates:
		return "duplicates"
	case t.of == "most":
		what = "meta, most"
	case t.figure == "8":
		what = "metadata"
	case strings.HasPrefix(t.of, "mean"):
		what = "micro"
	}
	return what + " / " + cmp.Or(titles[rival], rival)
}

// devices are those of Table 1.
func devices() (list []study.Point) {
	for _, f := range table("paper_table1_devices.csv") {
		for k, q := range []string{"latency_read", "latency_write", "rate_read", "rate_write", "price"} {
			if f[1+k] == "" {
				continue
			}
			why := "no run has this device"
			if strings.HasPrefix(f[0], "M-SSD") {
				why = map[string]string{
					"latency_read": "an input: line_read", "latency_write": "an input: line_write", "rate_read": "an input: transfer is 4 KiB at this rate",
					"rate_write": "the link takes writes at the rate of reads here, and flash programs 0.55 GB/s at most: 8 channels with a page in 60 µs", "price": "nothing here costs money",
				}[q]
			}
			list = append(list, study.Point{
				Figure: "T1", Quantity: q, Of: f[0], Fits: true, Value: study.Number(f[1+k]), Unit: []string{"µs", "µs", "GB/s", "GB/s", "$/GB"}[k],
				NotComputed: why, Note: doubtful + secondHand, Source: "paper_table1_devices.csv",
			})
		}
	}
	return list
}

// amplified are the numbers of Table 2: of one workload, or the least and the most of
// several. The paper does not say what traffic is divided by: what programs asked for, or
// the traffic of data.
func (g *grid) amplified() (list []study.Point) {
	for _, f := range table("paper_table2_amplification.csv") {
		system, low, high := systemOf(f[0]), study.Number(f[3]), study.Number(f[4])
		over, what := macros, "all"
		switch {
		case strings.HasPrefix(f[2], "others"):
			over, what = []string{webproxy, webserver, oltp}, "webproxy, webserver, oltp"
		case low == high:
			what = strings.ToLower(f[2])
			over = []string{what}
		}
		for _, q := range map[string][]string{"write": {writeAmp, writeAll}, "read": {readAmp, readAll}}[f[1]] {
			add := func(at string, value float64, of func([]string, func(string) float64) float64) {
				list = append(list, study.Point{
					Figure: "T2", Quantity: q, System: system, Of: what, At: at, Duplicate: q == writeAll || q == readAll, Fits: true, Value: value, Unit: "×", Limit: strict, Note: doubtful + secondHand, Source: "paper_table2_amplification.csv",
					Derived: g.made("T2", func(f *finder) float64 {
						moving := slices.DeleteFunc(slices.Clone(over), func(w string) bool { return f.value(q, system, w) == 0 }) // those that move data
						return of(moving, func(w string) float64 { return f.value(q, system, w) })
					}),
				})
			}
			if low == high {
				add("", low, least)
				continue
			}
			add("least", low, least)
			add("most", high, most)
		}
	}
	return list
}

// interfaces are the cells of Table 3 as shares of bytes: 0 % by bytes is what goes in
// blocks. They are of varmail, which has all structures, with cold caches, so that it reads them.
func (g *grid) interfaces() (list []study.Point) {
	of := map[string]string{
		"block list (bitmap)": "block_bitmap", "inode list (bitmap)": "inode_bitmap", "inode": "inode", "directory entry": "dentry",
	}
	why := map[string]string{
		"bitmap":       "bitmaps are in memory from the beginning",
		"superblock":   "nothing reads or writes it while a workload runs",
		"data pointer": "extents are a part of the inode here: its lines have them",
		"page cache":   "both: the rule of an eighth decides for each page",
		"data block":   "both, of direct accesses, of which no workload of the paper has any",
		"data journal": "ByteFS journals no data here",
	}
	for _, f := range table("paper_table3_interface.csv") {
		for k, q := range []string{byteReads, byteWrites} {
			p := study.Point{Figure: "T3", Of: f[0], At: f[1+k], Fits: true, Unit: "%", Limit: strict, Note: doubtful + secondHand, Source: "paper_table3_interface.csv"}
			switch p.At {
			case "byte":
				p.Value = 100
			case "block+byte": // without a share
				p.Value, p.Unit = 2, "interfaces"
			}
			switch key := of[f[0]]; {
			case strings.HasSuffix(f[0], "(bitmap)") && q == byteReads:
				p.Quantity, p.NotComputed = "read_interface", why["bitmap"]
			case key != "":
				p.Quantity, p.System, p.Set, p.Source = q+key, byteFS, set(varmail, "warm=0"), ""
			default:
				p.Quantity, p.NotComputed = []string{"read_interface", "write_interface"}[k], why[f[0]]
			}
			if p.Unit != "%" {
				p.Quantity = []string{"read_both", "write_both"}[k]
			}
			list = append(list, p)
		}
	}
	return list
}

// composition is what traffic consists of.
func (g *grid) composition() (list []study.Point) {
	for _, f := range table("paper_traffic_composition.csv") {
		share := map[string]string{"write": writeShare, "read": readShare, "total": totalShare}[f[2]]
		q := share + map[string]string{"inode": "inode", "journal": "journal", "directory entry": "dentry", "data pointer": "pointer"}[f[1]]
		over, of := macros, "mean of 5 macro"
		if strings.HasPrefix(f[4], "micro") {
			over, of = []string{create, remove, mkdir, rmdir}, "mean of 4 micro"
		}
		for name := range strings.SplitSeq(f[0], "/") {
			system := systemOf(name)
			list = append(list, study.Point{
				Figure: "mix", Quantity: q, System: system, Of: of, Fits: true, Value: study.Number(f[3]), Unit: "%", Limit: strict, Note: doubtful + secondHand, Source: "paper_traffic_composition.csv",
				Derived: g.made("mix", func(f *finder) float64 { return mean(over, func(w string) float64 { return f.value(q, system, w) }) }),
			})
		}
	}
	return list
}

// runSets are the setups of the artifact's runs: its branch has fewer threads than the one
// whose workloads run by default. It has one for delete, which its own report contradicts:
// 49 998 a second of 0.150 ms each are 7.5 at once, as in mkdir (7.8) and rmdir (7.7), which
// have eight; so has delete here.
var runSets = map[string]string{
	create: set(create, "threads=1"), remove: set(remove, "threads=8"), mkdir: set(mkdir, "threads=8"), rmdir: set(rmdir, "threads=8"), stat: set(stat, "threads=8"),
}

// created is of how many files the counters of the run of create are: 250 000 before it
// and about as many until it was stopped.
const created = 500_000

// counters are the columns of the artifact's reports that are compared, by name that
// changes.
var counters = []struct {
	column   int
	quantity string
}{
	{4, blockReads},
	{5, blockWrites},
	{6, loadsName},
	{7, storesName},
	{8, blockReadKB},
	{9, blockWriteKB},
	{10, loadKB},
	{11, storeKB},
	{14, partial},
	{15, hits},
	{16, directReads},
	{17, cleanReads},
	{18, namePrograms},
}

// runs are the artifact's own. Their counters are of the whole run with what was there
// before.
func runs() (list []study.Point) {
	for _, f := range table("artifact_micro_runs.csv") {
		name, variant, _ := strings.Cut(f[0], ".")
		names, why := study.Number(cmp.Or(f[1], "0")), ""
		switch {
		case variant == "2ext":
			why = "the same test with fewer reads, probably as the host caches metadata; it is the same run here, and compared with the first variant"
		case name == create:
			names = created
		case name == remove:
			names, why = 1e6, "of the million files that are made first, and few deletes: by file"
		case name == stat:
			names, why = 10_000, "of the files, which are made before it: by file"
		}
		add := func(quantity string, value float64, unit, why string) {
			p := study.Point{Figure: "runs", Quantity: quantity, Of: name, At: f[0], Fits: true, Value: value, Unit: unit, Note: doubtful + early, Source: "artifact_micro_runs.csv", NotComputed: why}
			if why == "" {
				p.System, p.Set, p.Limit, p.Source = byteFS, runSets[name], strict, ""
			}
			list = append(list, p)
		}
		again := ""
		if variant == "2ext" {
			again = why
		}
		if f[2] != "" {
			add(speed, study.Number(f[2])/1000, "thousand/s", again)
			add(callTime, study.Number(f[3]), "ms", again)
		}
		for _, c := range counters {
			value, unit := study.Number(f[c.column])/names, ""
			if strings.HasSuffix(c.quantity, "_kb") {
				value, unit = value/1000, "KB"
			}
			add(c.quantity, value, unit, why)
		}
		add("log_writes", study.Number(f[12]), "", "the same number as that of its stores")
		add("log_reads", study.Number(f[13]), "", "the same number as that of its loads")
		add("cleanings", study.Number(f[19]), "", "one ring is emptied at once there, and two halves take turns here")
	}
	return list
}

// fractions are histograms of the artifact's runs.
func fractions() (list []study.Point) {
	for _, f := range table("artifact_micro_modified_fraction.csv") {
		for k, q := range []string{"share_read", "share_write"} {
			list = append(list, study.Point{
				Figure: "fractions", Quantity: q, Of: f[0], At: fmt.Sprintf("%s %% of lines", f[1]), Fits: true, Value: study.Number(f[2+k]), Unit: "%",
				NotComputed: "not compared: the histograms are filled where nothing was cleaned, and contradict the counters of the same runs", Note: doubtful + "filled even in runs without a cleaning", Source: "artifact_micro_modified_fraction.csv",
			})
		}
	}
	return list
}

// What Figures 13 and 14 vary.
var (
	latent    = []string{f2fs, nova, byteFS}
	latencies = []struct {
		read    float64 // µs
		differs []string
	}{
		{3, []string{"read_latency=3", "program_latency=80"}},
		{20, []string{"read_latency=20", "program_latency=30"}},
		{40, nil},
		{80, []string{"read_latency=80", "program_latency=120"}},
		{40, []string{"line_read=175", "line_write=175"}},
		{3, []string{"read_latency=3", "program_latency=80", "line_read=175", "line_write=175"}},
	}
	logSizes = []int{64, 128, 256, 512}
	sized    = []string{mkdir, varmail, webproxy}
)

// logOf is how a setup with a log of so many MB differs.
func logOf(mb int) []string {
	if mb == 256 {
		return nil
	}
	return []string{fmt.Sprintf("ssd_dram=%d", mb)}
}
