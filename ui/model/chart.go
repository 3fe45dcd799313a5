package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spillway/sim/flash"
	"spillway/sim/train/engine"
	"spillway/sim/train/result"
	"spillway/sim/workload"
	"spillway/traces/jsonx"
	"spillway/ui/job"
)

// A Chart is one figure: what ECharts draws, and the same in words and numbers
// for those who cannot see it. Colors are names of CSS variables, so that the
// page's theme decides them.
type Chart struct {
	ID      string // stable, in file names
	Title   string // what is shown, normalized to what
	Note    string // workload, time source, fidelity and hardware
	Mode    string // time source and fidelity alone
	Alt     string // what it shows, for every system
	Text    string // the main finding, a sentence
	Rows    int    // height in rows of bars, 0 for a fixed height
	Table   Table  // the numbers
	Results int    // how many systems have results in it
	Empty   string // why there is nothing to draw, empty if there is

	options o
}

// A Table is numbers with headings. Cells are ready to be shown.
type Table struct {
	Head []string
	Rows [][]string
}

// o is a piece of an ECharts option.
type o map[string]any

// Option returns the ECharts option as JSON.
func (c *Chart) Option() string {
	text, err := jsonx.Marshal(c.options)
	if err != nil {
		return "{}"
	}
	return string(text)
}

// Charts returns every figure of the page.
func (n *Session) Charts() []Chart {
	cs := []Chart{
		n.throughput(), n.breakdown(), n.causes(), n.traffic(), n.memory(), n.distribution(),
	}
	note, results := n.Note(), 0
	for i := range n.Runs {
		if n.Runs[i].Shown() {
			results++
		}
	}
	for i := range cs {
		cs[i].Note, cs[i].Mode, cs[i].Results = note, n.Mode(), results
		if cs[i].Empty == "" && results == 0 {
			cs[i].Empty = n.emptyReason()
		}
	}
	return cs
}

func (n *Session) emptyReason() string {
	switch {
	case n.Active():
		return "Computing…"
	case !slices.ContainsFunc(n.Runs, func(r Run) bool { return r.On }):
		return "No system is selected. Choose at least one under Systems."
	default:
		return "Nothing to show: no system has a result. The list above says why."
	}
}

// Note says what all numbers are about: workload, kernel times, fidelity, machine.
func (n *Session) Note() string {
	return strings.Join([]string{n.WorkloadName(), n.Mode(), n.MachineName()}, " · ")
}

// Mode says how far the numbers can be trusted: kernel times and fidelity.
func (n *Session) Mode() string {
	times := TimesName(n.Times())
	if g, err := job.FindGPU(n.State.Source.GPU); err == nil && n.State.Source.Entry == "" && n.Times() == workload.Estimated {
		times += " for " + g.Name
	}
	return "kernel times " + times + " · " + n.State.Fidelity()
}

// WorkloadName names the workload shown.
func (n *Session) WorkloadName() string {
	if n.State.Source.Entry != "" {
		return n.State.Source.Entry
	}
	title := n.State.Source.Model
	if m, err := job.FindModel(title); err == nil {
		title = m.Title
	}
	return fmt.Sprintf("%s, batch %d", title, n.State.Source.Batch)
}

// MachineName names the hardware shown.
func (n *Session) MachineName() string {
	base := n.State.Base()
	m := n.State.Machine
	m.Name = base.Name
	name := m.Name
	if m != base {
		name += ", changed"
	}
	if d, err := flash.Find(n.State.SSD); err == nil {
		name += ", simulated SSD " + d.Name
	}
	return name
}

// Times returns where the kernel times shown come from.
func (n *Session) Times() workload.TimeSource {
	if n.State.Source.Entry == "" {
		return n.State.Source.Times
	}
	if n.Summary != nil {
		return n.Summary.Times
	}
	return workload.Measured
}

// TimesName says a time source in a few words.
func TimesName(t workload.TimeSource) string {
	switch t {
	case workload.Measured:
		return "measured"
	case workload.Estimated:
		return "estimated"
	case workload.ColdModel:
		return "as the paper measured"
	}
	return string(t)
}

// Shown reports whether the run has numbers to draw.
func (r *Run) Shown() bool { return r.On && r.Result != nil && r.Result.Fits }

// Bound reports whether the system is the bound that nothing can exceed: it
// has unlimited memory.
func (n *Session) Bound(r *Run) bool {
	return r.System.Runtime(&n.State.Options).Memory == engine.Unlimited
}

// visible returns the compared runs.
func (n *Session) visible() []*Run {
	var rs []*Run
	for i := range n.Runs {
		if n.Runs[i].On {
			rs = append(rs, &n.Runs[i])
		}
	}
	return rs
}

// color is the CSS variable of the i-th system.
func (n *Session) color(r *Run) string {
	for i := range n.Runs {
		if &n.Runs[i] == r {
			return fmt.Sprintf("var(--system-%d)", i%systemColors)
		}
	}
	return "var(--text)"
}

// systemColors is how many system colors the style sheet defines.
const systemColors = 10

// status is what stands in place of a bar.
func (r *Run) status() string {
	switch {
	case r.Result != nil && !r.Result.Fits:
		return "does not fit"
	case r.Result != nil:
		return ""
	case r.Error != "":
		return "failed"
	case r.Cancelled:
		return "cancelled"
	case r.Active():
		return "running…"
	}
	return "not run"
}

// names of runs, for an axis.
func names(rs []*Run) []string {
	out := make([]string, len(rs))
	for i, r := range rs {
		out[i] = r.System.Title
	}
	return out
}

// bars is the frame of a chart of horizontal bars, one row a system.
func bars(rs []*Run, unit string, series []o) o {
	return o{
		"grid":    o{"left": 8, "right": 76, "top": 8, "bottom": 28, "containLabel": true},
		"tooltip": o{"trigger": "axis", "axisPointer": o{"type": "shadow"}, "unit": unit},
		"xAxis":   o{"type": "value", "name": unit, "nameLocation": "middle", "nameGap": 26, "min": 0},
		"yAxis":   o{"type": "category", "inverse": true, "data": names(rs), "axisTick": o{"show": false}},
		"series":  series,
	}
}

// legend moves the plot down and shows the series' names above it.
func legend(opt o) o {
	opt["legend"] = o{"top": 0, "left": 0}
	opt["grid"].(o)["top"] = 34
	return opt
}

func (n *Session) throughput() Chart {
	rs := n.visible()
	c := Chart{ID: "throughput", Title: "Throughput, normalized to a GPU that holds everything", Rows: len(rs)}
	c.Table.Head = []string{"System", "Normalized throughput", "Iteration time", "Remark"}
	data := make([]o, len(rs))
	for i, r := range rs {
		text, value := r.status(), 0.0
		row := []string{r.System.Title, "", "", text}
		if r.Shown() {
			value = performance(r.Result)
			text = fixed(value, 3)
			row[1], row[2], row[3] = text, span(seconds(r.Result, r.Result.Time())), ""
		} else if r.Result != nil {
			row[3] = r.Result.Reason
		}
		data[i] = o{"value": round(value), "itemStyle": o{"color": n.color(r)}, "label": o{"formatter": plain(text)}}
		if r.Stale {
			data[i]["itemStyle"].(o)["opacity"] = 0.35
		}
		c.Table.Rows = append(c.Table.Rows, row)
	}
	c.options = bars(rs, "× ideal", []o{{
		"type": "bar", "name": "Throughput", "data": data, "barMaxWidth": 22,
		"label": o{"show": true, "position": "right"},
	}})
	c.options["xAxis"].(o)["max"] = 1
	c.Alt = n.each(func(r *result.Result) string { return fixed(performance(r), 3) })
	if r := n.first(); r != nil {
		c.Text = fmt.Sprintf("An iteration takes %s when everything fits.", span(seconds(r, r.Ideal)))
	}
	return c
}

// part is one stack segment of a bar chart.
type part struct {
	name, color string
	value       func(*result.Result) float64
}

// stacked draws parts of a total for every system.
func (n *Session) stacked(id, title, unit string, parts []part) Chart {
	rs := n.visible()
	c := Chart{ID: id, Title: title, Rows: len(rs) + 1}
	c.Table.Head = []string{"System"}
	rows := make([][]string, len(rs))
	for i, r := range rs {
		rows[i] = []string{r.System.Title}
	}
	totals := make([]float64, len(rs))
	var series []o
	for _, p := range parts {
		c.Table.Head = append(c.Table.Head, p.name+", "+unit)
		data := make([]any, len(rs))
		for i, r := range rs {
			data[i] = 0
			cell := ""
			if r.Shown() {
				v := p.value(r.Result)
				totals[i] += v
				data[i] = round(v)
				if r.Stale {
					data[i] = o{"value": round(v), "itemStyle": o{"opacity": 0.35}}
				}
				cell = digits(v, 4)
			}
			rows[i] = append(rows[i], cell)
		}
		series = append(series, o{"type": "bar", "name": p.name, "stack": "all", "data": data, "barMaxWidth": 22, "itemStyle": o{"color": p.color}})
	}
	// The total stands at the end of an invisible last segment.
	ends := make([]o, len(rs))
	for i, r := range rs {
		text := r.status()
		if r.Shown() {
			text = digits(totals[i], 4) + " " + unit
		}
		ends[i] = o{"value": 0, "label": o{"formatter": plain(text)}}
	}
	series = append(series, o{"type": "bar", "name": totalSeries, "stack": "all", "data": ends, "label": o{"show": true, "position": "right"}, "tooltip": o{"show": false}})
	c.Table.Rows = rows
	c.options = legend(bars(rs, unit, series))
	var shown []string
	for _, p := range parts {
		shown = append(shown, p.name)
	}
	c.options["legend"].(o)["data"] = shown
	return c
}

// totalSeries is the name of the series that carries totals; charts.js leaves
// it out of tooltips.
const totalSeries = "Total"

func (n *Session) breakdown() Chart {
	c := n.stacked("breakdown", "Iteration time, by activity", "s", []part{
		{"Compute", "var(--compute)", func(r *result.Result) float64 { return seconds(r, r.Main().Compute) }},
		{"Overlap", "var(--overlap)", func(r *result.Result) float64 { return seconds(r, r.Main().Overlap) }},
		{"Stall", "var(--stall)", func(r *result.Result) float64 { return seconds(r, r.Main().Stall) }},
	})
	c.Alt = n.each(func(r *result.Result) string {
		m := r.Main()
		return fmt.Sprintf("%s, of which %s waiting", span(seconds(r, r.Time())), percent(float64(m.Stall), float64(m.Time)))
	})
	if r, x := n.most(func(r *result.Result) float64 { return float64(r.Main().Stall) / float64(max(r.Main().Time, 1)) }); r != nil {
		c.Text = fmt.Sprintf("%s waits longest: %s of its iteration.", r.System.Title, percent(x, 1))
	}
	return c
}

func (n *Session) causes() Chart {
	parts := make([]part, result.NumCauses)
	for i := range parts {
		cause := result.Cause(i)
		parts[i] = part{
			capital(cause.String()), fmt.Sprintf("var(--cause-%d)", i),
			func(r *result.Result) float64 { return seconds(r, *r.Main().Ledger.At(cause)) },
		}
	}
	c := n.stacked("causes", "Time beyond ideal, by cause", "s", parts)
	c.Alt = n.each(func(r *result.Result) string {
		cause, share := worst(r)
		if share == 0 {
			return "nothing beyond ideal"
		}
		return fmt.Sprintf("%s beyond ideal, %s of it %s", span(seconds(r, r.Main().Ledger.Total())), percent(share, 1), cause)
	})
	if r, x := n.most(func(r *result.Result) float64 { return seconds(r, r.Main().Ledger.Total()) }); r != nil {
		cause, share := worst(r.Result)
		c.Text = fmt.Sprintf("%s loses most, %s; %s of it is %s.", r.System.Title, span(x), percent(share, 1), cause)
	}
	return c
}

func (n *Session) traffic() Chart {
	c := n.stacked("traffic", "Traffic per iteration, by link and direction", "GB", []part{
		{"SSD → GPU", "var(--ssd-in)", func(r *result.Result) float64 { return gb(r.Main().Traffic.SSDIn) }},
		{"GPU → SSD", "var(--ssd-out)", func(r *result.Result) float64 { return gb(r.Main().Traffic.SSDOut) }},
		{"Host → GPU", "var(--host-in)", func(r *result.Result) float64 { return gb(r.Main().Traffic.HostIn) }},
		{"GPU → host", "var(--host-out)", func(r *result.Result) float64 { return gb(r.Main().Traffic.HostOut) }},
	})
	c.Alt = n.each(func(r *result.Result) string {
		t := r.Main().Traffic
		return fmt.Sprintf("%s GB in, %s GB out", digits(gb(t.SSDIn+t.HostIn), 3), digits(gb(t.SSDOut+t.HostOut), 3))
	})
	if r, x := n.most(func(r *result.Result) float64 {
		t := r.Main().Traffic
		return gb(t.SSDIn + t.SSDOut + t.HostIn + t.HostOut)
	}); r != nil {
		c.Text = fmt.Sprintf("%s moves most: %s GB in one iteration.", r.System.Title, digits(x, 3))
	}
	return c
}

func (n *Session) memory() Chart {
	c := Chart{ID: "memory", Title: "GPU memory in use over an iteration"}
	c.Table.Head = []string{"System", "Peak GPU memory, GiB", "Peak host memory, GiB"}
	capacity := gib(n.State.Machine.GPUMemory)
	xName := "time since the iteration began, s"
	if n.State.Axis == ByKernel {
		xName = "kernel"
	}
	var series []o
	for i, r := range n.visible() {
		if !r.Shown() {
			continue
		}
		gpu, host := peak(r.Result)
		if n.Bound(r) {
			c.Text = fmt.Sprintf("Demand peaks at %s GiB, %s× the capacity.", digits(gib(gpu), 3), digits(gib(gpu)/capacity, 3))
		}
		c.Table.Rows = append(c.Table.Rows, []string{r.System.Title, digits(gib(gpu), 4), digits(gib(host), 4)})
		if n.Bound(r) { // all memory in the world: its curve is the demand
			series = append(series, o{"type": "line", "name": r.System.Title + " (demand)", "showSymbol": false, "data": memoryPoints(r.Result, n.State.Axis), "lineStyle": o{"width": 1.2, "type": "dashed"}, "itemStyle": o{"color": n.color(r)}})
			continue
		}
		series = append(series, o{
			"type": "line", "name": r.System.Title, "showSymbol": false, "step": "end", "data": memoryPoints(r.Result, n.State.Axis),
			"lineStyle": o{"width": 1.4, "type": dashes[i%len(dashes)]}, "itemStyle": o{"color": n.color(r)},
		})
	}
	series = append(series, o{
		"type": "line", "name": "Capacity", "data": []any{}, "silent": true, "itemStyle": o{"color": "var(--limit)"},
		"markLine": o{
			"silent": true, "symbol": "none", "lineStyle": o{"color": "var(--limit)", "type": "solid", "width": 1.5},
			"label": o{"position": "insideEndTop", "formatter": plain("capacity " + digits(capacity, 4) + " GiB"), "color": "var(--limit)"},
			"data":  []o{{"yAxis": round(capacity)}},
		},
	})
	c.options = curves(xName, "GiB", series)
	c.options["legend"].(o)["data"] = seriesNames(series[:len(series)-1])
	c.options["tooltip"].(o)["unit"] = "GiB"
	c.Alt = fmt.Sprintf("Capacity is %s GiB. ", digits(capacity, 4)) + n.each(func(r *result.Result) string {
		gpu, _ := peak(r)
		return "peak " + digits(gib(gpu), 4) + " GiB"
	})
	return c
}

var dashes = []string{"solid", "dashed", "dotted"}

// memoryPoints are (x, GiB) pairs, one a kernel.
func memoryPoints(r *result.Result, a Axis) [][2]float64 {
	ps := make([][2]float64, len(r.Kernels))
	for i := range r.Kernels {
		k := &r.Kernels[i]
		x := seconds(r, k.End)
		if a == ByKernel {
			x = float64(i)
		}
		ps[i] = [2]float64{round(x), round(gib(k.GPU))}
	}
	return ps
}

func (n *Session) distribution() Chart {
	c := Chart{ID: "slowdown", Title: "Kernel time over its ideal, kernels sorted"}
	c.Table.Head = []string{"System", "Kernels slowed by more than 1 %", "Median, ×", "90th percentile, ×", "99th percentile, ×", "Worst, ×"}
	var series []o
	for i, r := range n.visible() {
		if !r.Shown() || n.Bound(r) {
			continue
		}
		xs := slowdowns(r.Result)
		slowed := 0
		for _, x := range xs {
			if x > 1.01 {
				slowed++
			}
		}
		row := []string{r.System.Title, percent(float64(slowed), float64(len(xs)))}
		for _, q := range []float64{0.5, 0.9, 0.99, 1} {
			row = append(row, digits(quantile(xs, q), 3))
		}
		c.Table.Rows = append(c.Table.Rows, row)
		series = append(series, o{
			"type": "line", "name": r.System.Title, "showSymbol": false, "data": distributionPoints(xs),
			"lineStyle": o{"width": 1.6, "type": dashes[i%len(dashes)]}, "itemStyle": o{"color": n.color(r)},
		})
	}
	c.options = curves("kernels, %", "× ideal time (log)", series)
	y := c.options["yAxis"].(o)
	y["type"], y["min"], y["logBase"] = "log", 1, 10
	c.options["xAxis"].(o)["max"], c.options["xAxis"].(o)["axisLabel"] = 100, o{}
	c.options["tooltip"].(o)["unit"] = "×"
	c.Alt = n.each(func(r *result.Result) string {
		xs := slowdowns(r)
		return fmt.Sprintf("median %s×, worst %s×", digits(quantile(xs, 0.5), 3), digits(quantile(xs, 1), 3))
	})
	if r, x := n.most(func(r *result.Result) float64 { return quantile(slowdowns(r), 1) }); r != nil {
		c.Text = fmt.Sprintf("The kernel hit hardest runs %s× its ideal time, under %s.", digits(x, 3), r.System.Title)
	}
	if len(series) == 0 && !n.Active() {
		c.Empty = "Nothing to compare: only systems without stalls have a result."
	}
	return c
}

// distributionPoints thins sorted values to at most about 400 points and keeps
// both ends, as (percentile, value).
func distributionPoints(xs []float64) [][2]float64 {
	const most = 400
	step := max(1, len(xs)/most)
	var ps [][2]float64
	for i := range xs {
		if i%step == 0 || i == len(xs)-1 {
			ps = append(ps, [2]float64{round(100 * float64(i+1) / float64(len(xs))), round(max(xs[i], 1))})
		}
	}
	return ps
}

// curves is the frame of a chart of lines.
func curves(x, y string, series []o) o {
	if series == nil {
		series = []o{} // not null in JSON
	}
	return o{
		"grid":     o{"left": 8, "right": 20, "top": 40, "bottom": 28, "containLabel": true},
		"legend":   o{"top": 0, "left": 0},
		"tooltip":  o{"trigger": "axis"},
		"xAxis":    o{"type": "value", "name": x, "nameLocation": "middle", "nameGap": 26, "min": 0, "max": "dataMax", "axisLabel": o{"showMaxLabel": false}},
		"yAxis":    o{"type": "value", "name": y, "nameLocation": "end", "nameGap": 8},
		"dataZoom": []o{{"type": "inside", "zoomOnMouseWheel": "ctrl", "moveOnMouseMove": "shift"}},
		"series":   series,
	}
}

func seriesNames(series []o) []string {
	ns := make([]string, len(series))
	for i, s := range series {
		ns[i] = s["name"].(string)
	}
	return ns
}

// each says something about every result, except that of the bound.
func (n *Session) each(say func(*result.Result) string) string {
	var parts []string
	for _, r := range n.visible() {
		switch {
		case r.Shown() && !n.Bound(r):
			parts = append(parts, r.System.Title+": "+say(r.Result))
		case r.Result != nil && !r.Result.Fits:
			parts = append(parts, r.System.Title+": does not fit")
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + "."
}

// first returns a result that is shown, or nil.
func (n *Session) first() *result.Result {
	for _, r := range n.visible() {
		if r.Shown() {
			return r.Result
		}
	}
	return nil
}

// most returns the run, not counting the bound, for which f is largest; nil
// when f is nowhere positive.
func (n *Session) most(f func(*result.Result) float64) (best *Run, value float64) {
	for _, r := range n.visible() {
		if !r.Shown() || n.Bound(r) {
			continue
		}
		if x := f(r.Result); x > value {
			best, value = r, x
		}
	}
	return best, value
}

// worst returns the largest cause of stall and its share of all.
func worst(r *result.Result) (result.Cause, float64) {
	l := &r.Main().Ledger
	best := result.Cause(0)
	for c := range result.NumCauses {
		if *l.At(c) > *l.At(best) {
			best = c
		}
	}
	total := l.Total()
	if total <= 0 {
		return best, 0
	}
	return best, float64(*l.At(best)) / float64(total)
}

// round keeps seven significant digits: more than a pixel, less to transfer.
func round(x float64) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	p := math.Pow(10, 6-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*p) / p
}

// plain keeps ECharts from reading a text as a template.
func plain(text string) string { return strings.NewReplacer("{", "(", "}", ")").Replace(text) }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
