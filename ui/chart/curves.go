package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/order"
	"spillway/sim/portable"
	"spillway/sim/report"
)

// curvesHeight is the height of a chart of curves with n names over it.
func curvesHeight(n int) int { return 300 + 20*(max(n-1, 0)/6) }

// variant returns what the horizontal axis counts, if there is a choice.
func (d *drawing) variant() *report.Variant {
	by := d.chart.By
	if len(by) == 0 {
		return nil
	}
	key := d.Variant[d.chart.ID]
	if at := slices.IndexFunc(by, func(v report.Variant) bool { return v.Key == key }); at >= 0 {
		return &by[at]
	}
	return &by[0]
}

// axes starts a chart of curves.
func (d *drawing) axes() *Panels {
	x := d.chart.X
	if v := d.variant(); v != nil {
		d.view.By, d.view.Variant = d.chart.By, v.Key
		if v.X != "" {
			x = v.X
		}
	}
	return &Panels{
		Names: []string{""}, Zoom: true,
		X: Axis{Name: x}, Y: Axis{Name: d.chart.Y, Unit: d.chart.Unit, Log: d.chart.LogY},
	}
}

// of returns the run's curves in this chart.
func (d *drawing) of(r *Run) []*report.Curve {
	if !r.shown() {
		return nil
	}
	return d.drawn(r.Report)
}

// drawn returns a report's curves in this chart that have a point to draw.
func (d *drawing) drawn(r *report.Report) []*report.Curve {
	by := d.variant()
	var cs []*report.Curve
	for i := range r.Curves {
		c := &r.Curves[i]
		if c.Chart != d.chart.ID || c.By != "" && (by == nil || c.By != by.Key) {
			continue
		}
		if xs, _, _ := clean(c, d.chart.LogY); len(xs) > 0 {
			cs = append(cs, c)
		}
	}
	return cs
}

// A span is the least and the greatest of some numbers.
type span struct {
	low, high float64
	any       bool
}

func (s *span) add(x float64) {
	if !s.any {
		s.low, s.high, s.any = x, x, true
	}
	s.low, s.high = min(s.low, x), max(s.high, x)
}

// clean returns the points that can be drawn, and their picks.
func clean(c *report.Curve, logY bool) (xs, ys, picks []float64) {
	n := min(len(c.X), len(c.Y))
	xs, ys = make([]float64, 0, n), make([]float64, 0, n)
	for i := range n {
		x, y := c.X[i], c.Y[i]
		if !finite(x) || !finite(y) || logY && y <= 0 {
			continue
		}
		xs, ys = append(xs, x), append(ys, y)
		if i < len(c.Picks) {
			picks = append(picks, float64(c.Picks[i]))
		}
	}
	return xs, ys, picks
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// fit gives the axes their ends. Where a chart of curves begins is not left to
// the library, so that all of them look alike.
func (p *Panels) fit(x, y span) {
	if !x.any {
		return
	}
	p.X.Max = new(x.high)
	if p.X.Min = new(x.low); x.low >= 0 && x.low <= 0.3*x.high {
		p.X.Min = new(float64(0))
	}
	if *p.X.Min == *p.X.Max {
		p.X.Max = new(x.low + 1)
	}
	switch {
	case p.Y.Log:
		p.Y.Min = new(math.Pow10(int(math.Floor(portable.Log10(y.low)))))
		if y.high <= *p.Y.Min {
			p.Y.Max = new(10 * *p.Y.Min)
		}
	case y.low >= 0:
		p.Y.Min = new(float64(0))
	}
}

// A track is what the words say about one curve.
type track struct {
	run  *Run
	name string // besides the system's
	y    span
	at   float64 // where it is highest
	mean float64
	keep float64 // the last of its points before one is over the limit
	over bool    // one is
	none bool    // the first is
}

// keeps sets up to where a track is within a limit.
func (t *track) keeps(xs, ys []float64, limit float64) {
	for i, y := range ys {
		if y > limit {
			t.over, t.none = true, i == 0
			return
		}
		t.keep = xs[i]
	}
}

// curves draws lines of all systems.
func (d *drawing) curves() {
	v, f := &d.view, &Figure{Panels: d.axes()}
	p := f.Panels
	shape := Line
	if d.chart.Kind == report.Steps {
		shape = Step
	}
	v.head("curve", orElse(p.X.Name, "x"), orElse(p.Y.Name, "y"))
	var tracks []track
	var x, y span
	var owners []*Run // of the series
	v.Results = 0
	var stated strings.Builder // what was published
	expected := 0
	for _, r := range d.runs {
		if r.System.Bound && !d.chart.Bound {
			continue
		}
		expected++
		cs := d.of(r)
		if len(cs) == 0 && r.waits() { // its place in the legend, so that nothing moves when it comes
			p.Series = append(p.Series, Series{Name: d.title(r, ""), Shape: shape, Look: d.look(r, 0), Points: f.add(), Picks: f.add()})
		}
		if len(cs) > 0 {
			v.Results++
		}
		for k, c := range cs {
			s := Series{Name: d.title(r, c.Name), Shape: shape, Look: d.look(r, k), Faded: r.Stale}
			xs, ys, picks := clean(c, d.chart.LogY)
			switch {
			case c.Published:
				s.Shape, s.Look = Rings, d.look(r, 0) // as the line that they are compared with
				stated.WriteString(" " + sentence(s.Name+": "+d.places(xs, ys)))
			case c.Picks != nil:
				s.Shape, v.Picks = Marks, true
			}
			s.Points, s.Picks = f.points(xs, ys), f.add(picks...)
			if c.Line() {
				if list := d.along(r, k, xs, ys); len(list) > 0 {
					s.Band = f.add(list...)
					d.seeded()
				}
			}
			p.Series = append(p.Series, s)
			t := follow(r, c.Name, xs, ys, shape == Step)
			if most, ok := d.limitAt(); ok {
				t.keeps(xs, ys, most)
			}
			for i := range xs {
				x.add(xs[i])
				y.add(ys[i])
			}
			v.points = append(v.points, points{r.System.Name, c.Name, xs, ys})
			if t.y.any && c.Line() {
				tracks = append(tracks, t)
			}
		}
		for len(owners) < len(p.Series) {
			owners = append(owners, r)
		}
	}
	for i := range p.Series {
		p.Legend = append(p.Legend, p.Series[i].Name)
	}
	for _, r := range d.runs {
		if !r.System.Bound || d.chart.Bound {
			d.ghosts(f, r, shape, &x, &y)
		}
		for len(owners) < len(p.Series) {
			owners = append(owners, r)
		}
	}
	v.Height = curvesHeight(expected)
	if d.chart.Split {
		d.split(p, owners)
	}
	limit, far := d.limit(p, y)
	p.fit(x, y)
	v.Figure = f
	v.Table = d.tracksTable(tracks)
	v.Alt = d.sayLimit() + d.say(func(r *Run) string { return d.sayTracks(r, tracks) }) + stated.String()
	v.Text = d.sayCurves(tracks, limit, far)
	if v.Results == 0 && slices.ContainsFunc(d.runs, (*Run).shown) {
		d.nothing()
	}
}

// places says where points are: "35 % at 50, 6.5 % at 150".
func (d *drawing) places(xs, ys []float64) string {
	said := make([]string, len(xs))
	for i := range xs {
		said[i] = With(Digits(ys[i], 4), d.chart.Unit) + " at " + Digits(xs[i], 4)
	}
	return strings.Join(said, ", ")
}

// split gives every system that is no bound a small chart of its own; owners are
// the series' systems.
func (d *drawing) split(p *Panels, owners []*Run) {
	var runs []*Run
	for _, r := range d.runs {
		if !r.System.Bound && slices.Contains(owners, r) {
			runs = append(runs, r)
		}
	}
	if len(runs) < 2 {
		return
	}
	all := p.Series
	p.Names, p.Series, p.Legend, p.Together = nil, nil, nil, true
	for k, r := range runs {
		p.Names = append(p.Names, r.System.Title)
		for i := range all {
			if owners[i] != r && !owners[i].System.Bound {
				continue
			}
			s := all[i]
			s.Panel = k
			p.Series = append(p.Series, s)
			if k == 0 && owners[i].System.Bound && !s.Ghost {
				p.Legend = append(p.Legend, s.Name)
			}
		}
	}
	d.view.Height = 40 + 150*((len(runs)+1)/2)
}

// past returns the baseline's curves of a run.
func (d *drawing) past(r *Run) []*report.Curve {
	if r.Before == nil || !r.Before.Fits {
		return nil
	}
	return d.drawn(r.Before)
}

// ghosts adds the baseline's lines of a run, where they are others.
func (d *drawing) ghosts(f *Figure, r *Run, shape Shape, x, y *span) {
	now := d.of(r)
	for k, c := range d.past(r) {
		if !c.Line() || k < len(now) && slices.Equal(c.X, now[k].X) && slices.Equal(c.Y, now[k].Y) {
			continue
		}
		xs, ys, _ := clean(c, d.chart.LogY)
		for i := range xs {
			x.add(xs[i])
			y.add(ys[i])
		}
		f.Panels.Series = append(f.Panels.Series, Series{Name: d.title(r, c.Name), Shape: shape, Look: d.look(r, k), Ghost: true, Points: f.points(xs, ys), Picks: f.add()})
	}
}

// ghostSum adds the upper edge of the baseline's bands.
func (d *drawing) ghostSum(f *Figure, r *Run, x, y *span) {
	was, _ := d.layers(d.past(r))
	xs := grid(was)
	if len(xs) == 0 {
		return
	}
	sums := make([]float64, len(xs))
	for _, c := range was {
		for i, z := range sampled(c, xs) {
			sums[i] += max(z, 0)
		}
	}
	for i := range xs {
		x.add(xs[i])
		y.add(sums[i])
	}
	f.Panels.Series = append(f.Panels.Series, Series{Name: "Together", Shape: Line, Look: Look{Color: "--text"}, Ghost: true, Points: f.points(xs, sums), Picks: f.add()})
}

// nothing says that there are results, but none to be drawn here.
func (d *drawing) nothing() {
	d.view.Empty = "Nothing to draw: no result has a curve here."
	switch {
	case slices.ContainsFunc(d.runs, (*Run).waits):
		d.view.Empty = orElse(d.Waiting, "Computing…")
	case d.chart.None != "":
		d.view.Empty = sentence(d.chart.None)
	}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// title names a curve.
func (d *drawing) title(r *Run, name string) string {
	s := r.System.Title
	if name != "" {
		s += ", " + name
	}
	if r.System.Bound && !d.chart.Plain {
		s += " (demand)"
	}
	return s
}

// look is that of the system's k-th curve; those of bounds are dashed.
func (*drawing) look(r *Run, k int) Look {
	l := SystemLook(r.System)
	l.Pattern = (l.Pattern + k) % patterns
	if r.System.Bound && l.Pattern == 0 {
		l.Pattern = 1
	}
	return l
}

// follow measures a curve.
func follow(r *Run, name string, xs, ys []float64, steps bool) track {
	t := track{run: r, name: name}
	area := 0.0
	for i, y := range ys {
		if !t.y.any || y > t.y.high {
			t.at = xs[i]
		}
		t.y.add(y)
		if i == 0 {
			continue
		}
		if w := xs[i] - xs[i-1]; steps {
			area += float64(w * ys[i-1])
		} else {
			area += float64(w * (y + ys[i-1]) / 2)
		}
	}
	if n := len(xs); n > 0 {
		t.mean = ys[0]
		if w := xs[n-1] - xs[0]; w > 0 {
			t.mean = area / w
		}
	}
	return t
}

// limitAt returns where the chart's limit is, in its unit.
func (d *drawing) limitAt() (at float64, ok bool) {
	if d.chart.Limit == "" || d.Setup == nil {
		return 0, false
	}
	at, err := strconv.ParseFloat(d.Setup.Text(d.chart.Limit), 64)
	return at, err == nil && finite(at)
}

func (d *drawing) limitText(at float64) string {
	if d.chart.Unit == "ms" && at >= 1000 {
		return d.limitName() + " " + With(Digits(at/1000, 4), "s")
	}
	return strings.TrimSpace(d.limitName() + " " + With(Digits(at, 4), d.chart.Unit))
}

func (d *drawing) limitName() string {
	if d.chart.LimitLabel != "" {
		return d.chart.LimitLabel
	}
	return "limit"
}

// limit draws the limit across, unless the curves would be flat beside it.
func (d *drawing) limit(p *Panels, y span) (at float64, far bool) {
	at, ok := d.limitAt()
	if !ok {
		return 0, false
	}
	if !y.any || at > 4*y.high && !d.chart.LogY {
		return at, y.any
	}
	p.Limit = &Limit{at, d.limitText(at)}
	return at, false
}

func (d *drawing) sayLimit() string {
	at, ok := d.limitAt()
	if !ok {
		return ""
	}
	return capital(d.limitName()) + ": " + With(Digits(at, 4), d.chart.Unit) + ". "
}

func (d *drawing) sayTracks(r *Run, tracks []track) string {
	var said []string
	for i := range tracks {
		if t := &tracks[i]; t.run == r {
			said = append(said, strings.TrimSpace("at most "+With(Digits(t.y.high, 4), d.chart.Unit)+" "+t.name))
		}
	}
	return strings.Join(said, ", ")
}

// sayCurves says how the demand compares with the limit and who is highest.
func (d *drawing) sayCurves(tracks []track, limit float64, far bool) string {
	var said []string
	var top *track
	plain := d.chart.Plain && limit > 0 // curves of what systems do, and not of what is asked of them
	if plain {
		said = append(said, d.sayKept(tracks, limit))
	}
	for i := range tracks {
		t := &tracks[i]
		if !t.run.System.Bound && (top == nil || t.y.high > top.y.high) {
			top = t
		}
		if t.run.System.Bound && limit > 0 && t.name == "" && !plain {
			said = append(said, "Demand peaks at "+With(Digits(t.y.high, 4), d.chart.Unit)+", "+Digits(t.y.high/limit, 3)+"× the "+d.limitName()+".")
		}
	}
	if top != nil && d.chart.Say != "" {
		highest := func(r *Run) (text string, ok bool) {
			high := span{}
			for i := range tracks {
				if tracks[i].run == r {
					high.add(tracks[i].y.high)
				}
			}
			return With(Digits(high.high, 4), d.chart.Unit), high.any
		}
		text := d.alike(highest)
		switch {
		case top.y.high == 0 && top.y.low == 0 && d.chart.None != "":
			text = sentence(d.chart.None)
		case text == "":
			most, _ := highest(top.run)
			text = sentence(d.leads(top.run, d.chart.Say+d.levelIn(top.run, highest)+": ") + most)
		}
		said = append(said, text)
	}
	if far {
		said = append(said, sentence("the "+d.limitText(limit)+" is far above what is drawn"))
	}
	return strings.Join(said, " ")
}

// sayKept says how far systems keep a limit: the one that keeps it longest, and the one that breaks it first.
func (d *drawing) sayKept(tracks []track, limit float64) string {
	var best, worst *track
	level := ""
	for i := range tracks {
		t := &tracks[i]
		switch {
		case t.run.System.Bound:
			continue
		case best == nil || t.keep > best.keep || t.keep == best.keep && best.over && !t.over:
			best, level = t, ""
		case t.keep == best.keep && t.over == best.over:
			level = ", and others do, too"
		}
		if worst == nil || t.keep < worst.keep || t.keep == worst.keep && worst.over && t.none {
			worst = t
		}
	}
	kept := d.limitText(limit)
	at := func(t *track) string { return Digits(t.keep, 3) + " " + d.chart.X }
	switch {
	case best == nil:
		return ""
	case best.none:
		return "Nobody keeps the " + kept + "."
	case !worst.over && best.keep == worst.keep:
		return "All keep the " + kept + " at every load."
	}
	reach := " at every load"
	if best.over {
		reach = " up to " + at(best)
	}
	text := sentence(best.run.System.Title + " keeps the " + kept + reach + level)
	switch {
	case worst.keep == best.keep:
	case worst.none:
		text += " " + sentence(worst.run.System.Title+" never does")
	case worst.over:
		text += " " + sentence(worst.run.System.Title+" does up to "+Digits(worst.keep, 3))
	}
	return text
}

func (d *drawing) tracksTable(tracks []track) report.Table {
	t := report.Table{Head: []string{
		"System", join("Lowest", d.chart.Unit), join("Mean over the axis", d.chart.Unit), join("Highest", d.chart.Unit), "Where it is highest",
	}}
	for i := range tracks {
		k := &tracks[i]
		cells := []report.Cell{{Text: Digits(k.y.low, 4)}, {Text: Digits(k.mean, 4)}, {Text: Digits(k.y.high, 4)}, {Text: Digits(k.at, 4)}}
		if was := d.pastTrack(k); was != nil {
			cells[0].Change = change{known: true, was: was.y.low, is: k.y.low}.text()
			cells[1].Change = change{known: true, was: was.mean, is: k.mean}.text()
			cells[2].Change = change{known: true, was: was.y.high, is: k.y.high}.text()
		}
		t.Rows = append(t.Rows, report.Row{Head: k.run.System.Title, Sub: k.name, Cells: cells})
	}
	return t
}

// pastTrack is the same curve of the baseline, nil if there is none.
func (d *drawing) pastTrack(t *track) *track {
	for _, c := range d.past(t.run) {
		if c.Name != t.name || !c.Line() {
			continue
		}
		xs, ys, _ := clean(c, d.chart.LogY)
		if was := follow(t.run, c.Name, xs, ys, d.chart.Kind == report.Steps); was.y.any {
			return &was
		}
	}
	return nil
}

// bands draws the curves of one system on one another, and marks over them.
func (d *drawing) bands() {
	v, f := &d.view, &Figure{Panels: d.axes()}
	p := f.Panels
	v.Height = curvesHeight(len(d.chart.Names))
	v.head("curve", orElse(p.X.Name, "x"), orElse(p.Y.Name, "y"))
	v.Table.Head = []string{"Part", join("Highest", d.chart.Unit), join("At the peak of all", d.chart.Unit)}
	v.Figure, v.Results = f, 0
	r := d.focus()
	if r == nil {
		return
	}
	v.Title += ": " + r.System.Title
	cs := d.of(r)
	bands, marks := d.layers(cs)
	if len(bands) == 0 && len(marks) == 0 {
		if s := r.status(); s != "" {
			v.Empty = sentence(r.System.Title + ": " + s)
		} else {
			d.nothing()
		}
		return
	}
	v.Results = 1
	xs := grid(bands)
	var x, y span
	tops := make([]float64, len(xs))
	levels := make([][]float64, len(bands))
	for k, c := range bands {
		levels[k] = sampled(c, xs)
		for i, z := range levels[k] {
			tops[i] += max(z, 0)
			x.add(xs[i])
			y.add(tops[i])
		}
		v.points = append(v.points, points{r.System.Name, c.Name, xs, levels[k]})
		p.Series = append(p.Series, Series{Name: c.Name, Shape: Area, Look: d.bandLook(c.Name, k), Faded: r.Stale, Points: f.points(xs, tops), Picks: f.add()})
		p.Legend = append(p.Legend, c.Name)
	}
	for _, c := range marks {
		mx, my, picks := clean(c, d.chart.LogY)
		for i := range mx {
			x.add(mx[i])
			y.add(my[i])
		}
		v.points = append(v.points, points{r.System.Name, c.Name, mx, my})
		p.Series = append(p.Series, Series{Name: c.Name, Shape: Marks, Look: Look{Color: "--text"}, Faded: r.Stale, Points: f.points(mx, my), Picks: f.add(picks...)})
		p.Legend = append(p.Legend, c.Name)
		v.Picks = v.Picks || len(picks) > 0
	}
	d.ghostSum(f, r, &x, &y)
	at, far := d.limit(p, y)
	p.fit(x, y)
	d.sayBands(r, bands, xs, levels, tops)
	if far {
		v.Text += " " + sentence("the "+d.limitText(at)+", is far above what is drawn")
	}
}

// focus is the run whose bands are drawn: the one asked for, or the first that
// has some.
func (d *drawing) focus() *Run {
	if d.Focus != "" {
		if at := slices.IndexFunc(d.runs, func(r *Run) bool { return r.System.Name == d.Focus }); at >= 0 {
			return d.runs[at]
		}
	}
	for _, bound := range []bool{false, true} {
		if at := slices.IndexFunc(d.runs, func(r *Run) bool { return r.System.Bound == bound && len(d.of(r)) > 0 }); at >= 0 {
			return d.runs[at]
		}
	}
	return nil
}

// layers splits curves into bands, in the chart's order, and marks.
func (d *drawing) layers(cs []*report.Curve) (bands, marks []*report.Curve) {
	for _, c := range cs {
		if c.Picks != nil {
			marks = append(marks, c)
		} else {
			bands = append(bands, c)
		}
	}
	rank := func(c *report.Curve) int {
		if i := slices.Index(d.chart.Names, c.Name); i >= 0 {
			return i
		}
		return len(d.chart.Names)
	}
	order.Stable(bands, func(a, b *report.Curve) int { return rank(a) - rank(b) })
	return bands, marks
}

// bandLook is the look of a band: by its name, that it stays the same.
func (d *drawing) bandLook(name string, k int) Look {
	if i := slices.Index(d.chart.Names, name); i >= 0 {
		k = i
	}
	return d.partLook(k)
}

// grid returns the places of all the curves' points, in order.
func grid(cs []*report.Curve) []float64 {
	var xs []float64
	for i, c := range cs {
		if i > 0 && slices.Equal(c.X, cs[0].X) {
			continue
		}
		for _, x := range c.X {
			if finite(x) {
				xs = append(xs, x)
			}
		}
	}
	slices.Sort(xs)
	return slices.Compact(xs)
}

// sampled returns c at the places xs: straight lines between its points, nothing
// outside them.
func sampled(c *report.Curve, xs []float64) []float64 {
	px, py, _ := clean(c, false)
	out := make([]float64, len(xs))
	i := 0
	for k, x := range xs {
		for i < len(px) && px[i] < x {
			i++
		}
		switch {
		case i == len(px):
		case px[i] == x:
			for i+1 < len(px) && px[i+1] == x {
				i++
			}
			out[k] = py[i]
		case i > 0:
			out[k] = py[i-1] + (py[i]-py[i-1])*(x-px[i-1])/(px[i]-px[i-1])
		}
	}
	return out
}

func (d *drawing) sayBands(r *Run, bands []*report.Curve, xs []float64, levels [][]float64, tops []float64) {
	if len(bands) == 0 || len(xs) == 0 {
		return
	}
	peak := 0
	for i, y := range tops {
		if y > tops[peak] {
			peak = i
		}
	}
	v, unit := &d.view, d.chart.Unit
	top := 0
	said := make([]string, 0, len(bands))
	for k, c := range bands {
		if levels[k][peak] > levels[top][peak] {
			top = k
		}
		highest := slices.Max(levels[k])
		said = append(said, inner(c.Name)+" at most "+With(Digits(highest, 4), unit))
		v.Table.Rows = append(v.Table.Rows, report.Row{Head: c.Name, Cells: []report.Cell{
			{Text: Digits(highest, 4)}, {Text: Digits(levels[k][peak], 4), Share: share(levels[k][peak], tops[peak])},
		}})
	}
	v.Alt = d.sayLimit() + sentence(r.System.Title+": at most "+With(Digits(tops[peak], 4), unit)+" together; "+strings.Join(said, ", "))
	if tops[peak] <= 0 {
		v.Text = sentence(d.chart.None)
		return
	}
	v.Text = r.System.Title + " peaks at " + With(Digits(tops[peak], 4), unit) + "; " + inner(bands[top].Name) + " " +
		orElse(d.chart.Say, "takes most") + ", " + Percent(levels[top][peak], tops[peak]) + " of it."
}

func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return min(max(part/whole, 0), 1)
}
