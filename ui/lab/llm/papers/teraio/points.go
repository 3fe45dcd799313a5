package teraio

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spillway/sim/study"
)

// The models, by their names in the laboratory.
const (
	llama8  = "llama3-8b"
	granite = "granite-8b"
	llama70 = "llama3-70b"
	gpt2    = "gpt2-40b"
	t5      = "t5-11b"
)

var called = map[string]string{llama8: "Llama3-8B", granite: "Granite-8B", llama70: "Llama3-70B", gpt2: "GPT2-40B", t5: "T5-11B"}

// A setting is a model with a batch and a sequence; micro is how many sequences a micro-batch
// has.
type setting struct {
	model                  string
	batch, sequence, micro int
	peak                   float64 // M of Figure 7, in percent
}

// settings are the fifteen of Figure 7, which has three of them twice. Micro-batches are
// inferred from M: 8192 tokens of Llama3-8B, 16,384 of Granite, two sequences of Llama3-70B.
//
// The last two are of batch 16, as the axis of the figure's second row says. M there begins with
// 942.10 %, which is that of batch 32; but with the 940.85 % of batch 16 M rises by exactly 150.95
// points from 2048 tokens to 3072 and to 4096, as stage outputs of 16 sequences make it (of 32
// sequences the two steps could not be equal to batch 16's). So 942.10 is taken for a misprint.
var settings = []setting{
	{llama8, 32, 2048, 4, 187.56},
	{llama8, 64, 2048, 4, 188.81},
	{llama8, 128, 2048, 4, 191.32},
	{llama8, 64, 1024, 8, 187.56},
	{llama8, 64, 4096, 2, 191.32},
	{granite, 32, 4096, 4, 379.34},
	{granite, 64, 4096, 4, 381.84},
	{granite, 128, 4096, 4, 386.84},
	{granite, 64, 2048, 8, 379.34},
	{granite, 64, 8192, 2, 386.85},
	{llama70, 8, 2048, 2, 940.23},
	{llama70, 16, 2048, 2, 940.85},
	{llama70, 32, 2048, 2, 942.10},
	{llama70, 16, 3072, 2, 1091.80},
	{llama70, 16, 4096, 2, 1242.75},
}

// studied are those of Figures 1 to 3 (§2). Micro-batches are inferred from the legend of Figure 2: most
// tensors of Llama3-70B are of 10 to 100 MB, which one sequence makes and two do not, so that this study
// has other micro-batches than Figure 7; so it is of GPT2-40B, and of T5-11B two sequences
// make most of 50 to 100 MB.
var studied = []setting{
	{llama8, 128, 4096, 2, 0}, {gpt2, 16, 1024, 2, 0}, {llama70, 256, 2048, 1, 0}, {t5, 64, 512, 2, 0},
}

var nan = math.NaN()

// settingsOf returns the settings of a model in Figure 7.
func settingsOf(model string) (list []setting) {
	for _, s := range settings {
		if s.model == model {
			list = append(list, s)
		}
	}
	return list
}

// at says the batch and the sequence, short for charts.
func (s *setting) at() string { return fmt.Sprintf("bs%d seq%d", s.batch, s.sequence) }

// set is the setup with what differs from the default.
func (s *setting) set(differs ...string) string {
	text := fmt.Sprintf("model=%s batch=%d sequence=%d", s.model, s.batch, s.sequence)
	if s.micro != 0 {
		text += fmt.Sprintf(" micro=%d", s.micro)
	}
	return strings.Join(append([]string{text}, differs...), " ")
}

// slower is another reading of how fast an array is: drives that read and write at once have half of
// their rates, four of them 12 GB/s each way at most, and the path to host memory has 8.
var slower = []string{"array_cap=12", "array_share=50", "host_path=8"}

// 170 and 770 GB of host memory, in GiB.
const (
	hostSmall = "host_limit=158.325"
	hostLarge = "host_limit=717.118"
)

// as is the setup of a system: as published, TERAIO evicts on demand where its plan does not
// fit, and Mixed uses as much host memory as ZeRO-Infinity (§4.1), 170 and 770 GB (§4.4); of
// Granite, which is as large as Llama3-8B, that is taken to be the same. The setting is in GiB. ZeRO's
// buffers are of 540 M elements where a tensor does not fit in 300 M (Appendix B).
func (s *setting) as(system string, differs ...string) string {
	large := s.model == llama70
	var own []string
	switch system {
	case ssd:
		own = append(own, "fallback=demand")
	case mixed:
		own = append(own, "fallback=demand", hostSmall)
		if large {
			own[len(own)-1] = hostLarge
		}
	case zeroHost, infinity:
		if large {
			own = append(own, "buffer_size=540")
		}
	}
	for i, x := range own {
		key, _, _ := strings.Cut(x, "=")
		if slices.ContainsFunc(differs, func(y string) bool { return strings.HasPrefix(y, key+"=") }) {
			own[i] = ""
		}
	}
	own = slices.DeleteFunc(own, func(x string) bool { return x == "" })
	return s.set(append(own, differs...)...)
}

// A grid is all that is published and all that is measured besides.
type grid struct {
	list, probes []study.Point
	at           map[place]int // in probes
}

// A place is what makes a probe one of its own.
type place struct{ figure, quantity, system, set string }

// probe measures what is not published of a run.
func (g *grid) probe(figure, quantity, system, set, of, at string) {
	key := place{figure, quantity, system, set}
	if _, ok := g.at[key]; !ok {
		g.at[key] = len(g.probes)
		g.probes = append(g.probes, study.Point{Figure: figure, Quantity: quantity, System: system, Set: set, Of: of, At: at, Fits: true, Unpublished: true})
	}
}

// find is a probe, nil if there is none.
func (g *grid) find(figure, quantity, system, set string) *study.Point {
	if i, ok := g.at[place{figure, quantity, system, set}]; ok {
		return &g.probes[i]
	}
	return nil
}

// A finder finds values of a figure's probes; known is false as soon as one is missing.
type finder struct {
	grid   *grid
	look   study.Look
	figure string
	known  bool
}

// value is that of a probe; fits is false where the system cannot run it.
func (f *finder) value(quantity, system, set string) (v float64, fits bool) {
	p := f.grid.find(f.figure, quantity, system, set)
	if p == nil {
		f.known = false
		return math.NaN(), false
	}
	v, fits, known := f.look(p)
	f.known = f.known && known
	if !fits {
		return math.NaN(), false
	}
	return v, fits
}

// must is the value of a run that fits.
func (f *finder) must(quantity, system, set string) float64 {
	v, fits := f.value(quantity, system, set)
	f.known = f.known && fits
	return v
}

// share is the throughput of a system in percent of Ideal's.
func (f *finder) share(system string, s *setting) float64 {
	return 100 * f.must(speed, system, s.as(system)) / f.must(speed, ideal, s.as(ideal))
}

// gain is how many times as fast TERAIO-Mixed is as another, NaN where that cannot run.
func (f *finder) gain(rival string, s *setting) float64 {
	v, fits := f.value(speed, rival, s.as(rival))
	own := f.must(speed, mixed, s.as(mixed))
	if !fits {
		return math.NaN()
	}
	return own / v
}

// made is what a finder computes of the probes of a figure.
func (g *grid) made(figure string, of func(f *finder) float64) *study.Derivation {
	return &study.Derivation{Value: func(look study.Look) (float64, bool) {
		f := &finder{g, look, figure, true}
		v := of(f)
		return v, f.known && !math.IsNaN(v) && !math.IsInf(v, 0)
	}}
}

// average is the mean over a list, without what is NaN.
func average[T any](list []T, of func(*T) float64) float64 {
	sum, n := 0.0, 0
	for i := range list {
		if v := of(&list[i]); !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	return sum / float64(n)
}

func least[T any](list []T, of func(*T) float64) float64 {
	v := math.Inf(1)
	for i := range list {
		if x := of(&list[i]); !math.IsNaN(x) {
			v = min(v, x)
		}
	}
	return v
}

func most[T any](list []T, of func(*T) float64) float64 {
	return -least(list, func(x *T) float64 { return -of(x) })
}

// mostOf is the largest of what is a number.
func mostOf(list ...float64) float64 {
	return most(list, func(x *float64) float64 { return *x })
}

// Figures that are not the paper's own, or not with its number.
const (
	peaks    = "memory"
	byLlama  = "7-llama3-8b"
	byGran   = "7-granite-8b"
	byLarge  = "7-llama3-70b"
	tiers    = "10-memory"
	hosts    = "host"
	others   = "zero"
	readings = "readings"
	slowed   = "rate"
)

var figureOf = map[string]string{llama8: byLlama, granite: byGran, llama70: byLarge}

// all returns the points in the order of the paper.
func all() *grid {
	g := &grid{at: map[place]int{}}
	g.studied()
	g.bandwidths()
	g.throughput()
	g.swept()
	g.hostTraffic()
	g.priced()
	g.read()
	g.asItRan()
	g.probe(others, iteration, zeroHost, zenflow, "Llama-2 7B", "4 A100")
	g.publish()
	return g
}

// studied are the probes of Figures 1 and 2.
func (g *grid) studied() {
	for i := range broken {
		g.probe("1", activeMean, ideal, broken[i].set(), called[broken[i].model], broken[i].at())
	}
	for i := range studied {
		s := &studied[i]
		for _, q := range []string{activeMean, activeMost, kernels} {
			g.probe("1", q, ideal, s.set(), called[s.model], "")
		}
		for _, q := range []string{middle, idle, movable} {
			g.probe("2", q, ideal, s.set(), called[s.model], "")
		}
		for k, c := range legends[s.model] {
			g.probe("2", fmt.Sprintf("%s%d", sizes, k), ideal, s.set(), called[s.model], c.name)
		}
	}
}

// The rates of Figure 3, in GB/s, and how they are set: drives of that rate, one for each GPU,
// of which the array moves all.
var rates = []int{8, 16, 24, 32, 48, 64}

func rated(rate int) []string {
	return []string{"drives=1", fmt.Sprintf("ssd_read=%d", rate), fmt.Sprintf("ssd_write=%d", rate), "array_share=100", "array_cap=0"}
}

// roofed are the settings of Figure 3 here: smaller batches of the two Llamas than §2's.
var roofed = []setting{
	{llama8, 32, 2048, 4, 0}, {llama70, 16, 2048, 2, 0}, {t5, 64, 512, 2, 0}, {gpt2, 16, 1024, 2, 0},
}

func (g *grid) bandwidths() {
	for i := range roofed {
		s := &roofed[i]
		g.probe("3", speed, ideal, s.as(ideal), called[s.model], "")
		for _, rate := range rates {
			g.probe("3", speed, ssd, s.as(ssd, rated(rate)...), called[s.model], fmt.Sprintf("%d GB/s", rate))
		}
	}
}

// broken are the settings of Figure 8; the paper does not say which.
var broken = []setting{settings[1], settings[6], settings[11]}

// parts are the quantities of Figure 8.
var parts = []string{alone, overlapped, waiting, stall}

// throughput are the probes of Figures 7, 8 and 10.
func (g *grid) throughput() {
	for i := range settings {
		s := &settings[i]
		for _, system := range systems {
			g.probe(figureOf[s.model], speed, system, s.as(system), called[s.model], s.at())
			g.probe("7", speed, system, s.as(system), called[s.model], s.at())
		}
	}
	for i := range broken {
		s := &broken[i]
		for _, system := range systems {
			for _, q := range append(slices.Clone(parts), iteration) {
				g.probe("8", q, system, s.as(system), called[s.model], s.at())
			}
		}
		if s.model != llama8 {
			g.probe("10", busy, mixed, s.as(mixed), called[s.model], s.at())
			g.probe(tiers, iteration, mixed, s.as(mixed), called[s.model], s.at())
		}
		g.probe(hosts, hostPeak, infinity, s.as(infinity), called[s.model], s.at())
		g.probe(hosts, hostPeak, mixed, s.as(mixed), called[s.model], s.at())
	}
}

// A sweep is one chart of Figure 9.
type sweep struct {
	setting
	hosts []int // GiB of host memory: the paper's axis has powers of two, as modules of memory have
}

var (
	sweeps     = []sweep{{settings[0], []int{16, 32, 64, 128}}, {settings[11], []int{128, 256, 512, 1024}}}
	driveCount = []int{2, 3, 4}
)

// drivesOf is how a setup differs with so many drives for each GPU and so much host memory.
func drivesOf(drives, host int) []string {
	list := []string{fmt.Sprintf("host_limit=%d", host)}
	if drives != 4 {
		list = append(list, fmt.Sprintf("drives=%d", drives))
	}
	return list
}

// swept are the probes of Figure 9.
func (g *grid) swept() {
	for i := range sweeps {
		s := &sweeps[i]
		g.probe("9", speed, ideal, s.as(ideal), called[s.model], "")
		g.probe("9", speed, infinity, s.as(infinity), called[s.model], "")
		for _, drives := range driveCount {
			for _, host := range s.hosts {
				g.probe("9", speed, mixed, s.as(mixed, drivesOf(drives, host)...), called[s.model], fmt.Sprintf("%d drives, %d GiB", drives, host))
			}
		}
	}
}

// hosted is the setting of Figure 11, which the paper does not say: what moves most.
var hosted = settings[10]

// bouncing are how many drives each GPU has in Figure 11.
var bouncing = []int{1, 2, 3, 4}

func bounced(drives int) []string {
	list := []string{"gds=0"}
	if drives != 4 {
		list = append(list, fmt.Sprintf("drives=%d", drives))
	}
	return list
}

// hostTraffic are the probes of Figure 11.
func (g *grid) hostTraffic() {
	for _, drives := range bouncing {
		g.probe("11", dramMost, ssd, hosted.as(ssd, bounced(drives)...), called[llama70], fmt.Sprintf("%d drives, no GDS", drives))
	}
	g.probe("11", dramMost, ssd, hosted.as(ssd), called[llama70], "4 drives, GDS")
}

// priced are the probes of Table 3.
func (g *grid) priced() {
	s := &settings[10]
	g.probe("T3", price, ssd, s.as(ssd, "host_memory=128"), called[llama70], "128 GB")
	g.probe("T3", price, mixed, s.as(mixed, "host_memory=1024"), called[llama70], "1 TB")
}

// A reading is one of what the paper leaves open, which our numbers hang on.
type reading struct {
	name    string
	differs []string
	of      []string // systems that it is about; the others are as in all figures
}

// alternatives are the readings, the first as in all other figures.
var alternatives = []reading{
	{"as in all figures", nil, nil},
	{"drives by halves", []string{"array_share=50"}, []string{mixed, ssd, infinity}},
	{"arrays 12, path 8", slower, []string{mixed, ssd, infinity}},
	{"arrays 16, path 8", []string{"host_path=8"}, []string{mixed}},
	{"one path of 3", []string{"pinned=3"}, []string{zeroHost, infinity}},
	{"one path of 50.4", []string{"host_path=50.4"}, []string{mixed}},
	{"collectives 12", []string{"collective=12"}, []string{zeroHost, infinity}},
	{"stretched plan", []string{"fallback=stretch"}, []string{mixed, ssd}},
	{"weights not rewritten", []string{"rewrite=0"}, []string{mixed, ssd}},
}

// otherRates are readings that Figure 7's numbers of Llama3-70B are computed under again: what
// differs, and what of it concerns ZeRO-Infinity.
var otherRates = []struct {
	name           string
	differs, rival []string
}{
	{"arrays 12, path 8", slower, slower},
	{"path 5", []string{"host_path=5"}, nil},
}

// under is the setup of a system under a reading.
func (a *reading) under(s *setting, system string) string {
	if !slices.Contains(a.of, system) {
		return s.as(system)
	}
	return s.as(system, a.differs...)
}

// readOf are the settings of readings, and the systems that each compares.
var readOf = []struct {
	setting
	systems []string
}{
	{settings[5], []string{mixed, ssd, zeroHost}}, {settings[10], []string{mixed, ssd, infinity}},
}

// read are the probes of the readings, and of numbers of the text with slower arrays.
func (g *grid) read() {
	for i := range settings {
		s := &settings[i]
		switch s.model {
		case granite:
			g.probe(slowed, speed, ideal, s.as(ideal), called[s.model], s.at())
			g.probe(slowed, speed, ssd, s.as(ssd, slower...), called[s.model], s.at())
		case llama70:
			g.probe(slowed, speed, ideal, s.as(ideal), called[s.model], s.at())
			for _, x := range otherRates {
				g.probe(slowed, speed, mixed, s.as(mixed, x.differs...), called[s.model], s.at())
				g.probe(slowed, speed, infinity, s.as(infinity, x.rival...), called[s.model], s.at())
			}
		}
	}
	for _, differs := range [][]string{drivesOf(2, 512), drivesOf(4, 128), drivesOf(4, 1024)} {
		s := &sweeps[1]
		g.probe(slowed, speed, mixed, s.as(mixed, append(differs, slower...)...), called[s.model], "of Figure 9")
	}
	for i := range readOf {
		s := &readOf[i]
		g.probe(readings, speed, ideal, s.as(ideal), called[s.model], "")
		for k := range alternatives {
			a := &alternatives[k]
			for _, system := range s.systems {
				g.probe(readings, speed, system, a.under(&s.setting, system), called[s.model], a.name)
			}
		}
	}
}
