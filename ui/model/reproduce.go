package model

import (
	"fmt"
	"slices"
	"time"

	study "spillway/sim/train/papers/g10"
	"spillway/sim/workload"
	"spillway/ui/job"
)

// A View is a page of the page.
type View string

// The views.
const (
	Explore   View = "explore"
	Reproduce View = "reproduce"
)

// ClaimsID is the Reproduction's last item: the numbers of the paper's text.
const ClaimsID = "claims"

// A Reproduction runs the published evaluation and compares it with the paper.
// Each run happens once, however many figures share it.
type Reproduction struct {
	Figures []study.Figure
	// Rev counts changes of what is known.
	Rev  int
	revs []int // of each figure

	session  *Session
	points   [][]study.Point // by figure
	claims   []study.Claim
	runs     []paperRun
	byJob    map[int]int    // job ID to index in runs
	byName   map[string]int // name of a run to index in runs
	compared []comparison   // by figure
	begun    time.Time      // when the newest run of work began
	took     time.Duration  // how long it took, when over
}

// A comparison is what is known of one figure.
type comparison struct {
	fresh                bool
	rows                 []study.Row
	claims               []ClaimRow
	exact, within, gap   int
	holds, near, differs int
}

// A paperRun is one simulation of the evaluation, or one analysis for Figures
// 2 to 4.
type paperRun struct {
	name    string // study.Point.Run; empty for an analysis
	need    study.Need
	points  []study.Point
	figures uint64 // bit set of the figures that show it
	wanted  uint64 // of the figures that ask for it now
	id      int    // of the job, 0 if none
	done    float64

	// What is known, and of which workload.
	outcome  *study.Outcome
	memory   *study.Memory
	err      string
	source   job.Source
	measured bool // with kernel times that came with files
}

func (r *paperRun) known() bool { return r.outcome != nil || r.memory != nil || r.err != "" }

// newReproduction knows nothing yet.
func newReproduction(n *Session) *Reproduction {
	p := &Reproduction{Figures: study.Figures(), session: n, claims: study.Claims(), byJob: map[int]int{}, byName: map[string]int{}}
	p.compared, p.revs = make([]comparison, len(p.Figures)), make([]int, len(p.Figures))
	all := study.All()
	for i, f := range p.Figures {
		p.points = append(p.points, slices.DeleteFunc(slices.Clone(all), func(x study.Point) bool { return x.Figure != f.ID }))
		if f.Memory() {
			for _, need := range study.Studied() {
				p.add("", need, i)
			}
			continue
		}
		for _, x := range p.points[i] {
			k := p.add(x.Run(), study.Need{Model: x.Model, Batch: x.Batch}, i)
			p.runs[k].points = append(p.runs[k].points, x)
		}
	}
	return p
}

// add returns the index of the run with this name, or of the analysis of need.
func (p *Reproduction) add(name string, need study.Need, figure int) int {
	key := name
	if name == "" {
		key = need.String()
	}
	i, ok := p.byName[key]
	if !ok {
		i = len(p.runs)
		p.byName[key] = i
		p.runs = append(p.runs, paperRun{name: name, need: need})
	}
	p.runs[i].figures |= 1 << figure
	return i
}

// changed says that something is known, or no longer known, about figures.
func (p *Reproduction) changed(figures uint64) {
	p.Rev++
	for i := range p.compared {
		if figures&(1<<i) != 0 {
			p.compared[i].fresh = false
			p.revs[i]++
		}
	}
}

// source returns the workload to use: the opened files' if they have it, else
// the bundled reconstruction.
func (p *Reproduction) source(need study.Need) (s job.Source, measured bool) {
	f := &p.session.Files
	best := -1
	for i := range f.Entries {
		e := &f.Entries[i]
		if e.Model == need.Model && e.Batch == need.Batch && e.Error == "" && (best < 0 || e.Setup == nil && f.Entries[best].Setup != nil) {
			best = i
		}
	}
	if best >= 0 && !f.Opening {
		return job.Source{Entry: f.Entries[best].Name, Files: f.Number}, true
	}
	s = Default().Source // with the paper's GPU
	s.Model, s.Batch, s.Times = need.Model, need.Batch, workload.ColdModel
	return s, false
}

// Measured says how many of the needed workloads the opened files hold, of how many.
func (p *Reproduction) Measured() (have, need int) {
	seen := map[study.Need]bool{}
	for i := range p.runs {
		if w := p.runs[i].need; !seen[w] {
			seen[w] = true
			if _, measured := p.source(w); measured {
				have++
			}
		}
	}
	return have, len(seen)
}

// filesChanged forgets what was known about workloads that are now others.
func (p *Reproduction) filesChanged() {
	for i := range p.runs {
		r := &p.runs[i]
		if s, _ := p.source(r.need); s != r.source && (r.known() || r.id != 0) {
			p.stop(i)
			r.outcome, r.memory, r.err = nil, nil, ""
		}
	}
	p.changed(p.all())
	p.feed()
}

// mostAtOnce is how many jobs are handed to the runner: enough to keep its
// workers busy, few enough that other work does not wait long.
const mostAtOnce = 6

// Run asks for the figures with these bits.
func (p *Reproduction) want(bits uint64) {
	if !p.Active() {
		p.begun, p.took = time.Now(), 0
	}
	for i := range p.runs {
		r := &p.runs[i]
		if r.figures&bits == 0 {
			continue
		}
		if r.err != "" { // try again
			r.err = ""
		}
		if !r.known() {
			r.wanted |= r.figures & bits
		}
	}
	p.changed(bits)
	p.feed()
	p.finish()
}

// all is the bit set of every figure.
func (p *Reproduction) all() uint64 { return 1<<len(p.Figures) - 1 }

// Run reproduces a figure; what is known already is not run again. The item of
// claims, and an unknown one, reproduce everything.
func (p *Reproduction) Run(id string) { p.want(p.bits(id)) }

// bits is the bit set of one figure, or of all.
func (p *Reproduction) bits(id string) uint64 {
	if i := p.index(id); i >= 0 {
		return 1 << i
	}
	return p.all()
}

func (p *Reproduction) index(id string) int {
	return slices.IndexFunc(p.Figures, func(f study.Figure) bool { return f.ID == id })
}

// Cancel stops what only this figure waits for; the item of claims stops all.
func (p *Reproduction) Cancel(id string) {
	bits := p.bits(id)
	for i := range p.runs {
		r := &p.runs[i]
		if r.wanted &^= bits; r.wanted == 0 {
			p.stop(i)
		}
	}
	p.Rev++
	p.feed()
	p.finish()
}

// Forget drops everything known, so that it can be run again.
func (p *Reproduction) Forget() {
	p.ForgetFigure(ClaimsID)
	p.begun, p.took = time.Time{}, 0
}

// ForgetFigure drops what is known about a figure; others that share its runs
// lose them too.
func (p *Reproduction) ForgetFigure(id string) {
	p.Cancel(id)
	bits := p.bits(id)
	for i := range p.runs {
		if r := &p.runs[i]; r.figures&bits != 0 {
			p.stop(i)
			r.outcome, r.memory, r.err, r.wanted = nil, nil, "", 0
		}
	}
	p.changed(p.all())
}

// stop ends the run's job, if it has one. The run stays wanted.
func (p *Reproduction) stop(i int) {
	r := &p.runs[i]
	if r.id != 0 {
		delete(p.byJob, r.id)
		p.session.runner.Stop([]int{r.id})
		r.id, r.done = 0, 0
	}
}

// feed hands wanted runs to the runner.
func (p *Reproduction) feed() {
	if p.session.Files.Opening {
		return
	}
	for i := range p.runs {
		if len(p.byJob) >= mostAtOnce {
			return
		}
		r := &p.runs[i]
		if r.wanted == 0 || r.id != 0 || r.known() {
			continue
		}
		n := p.session
		n.nextID++
		r.id, r.done = n.nextID, 0
		r.source, r.measured = p.source(r.need)
		p.byJob[r.id] = i
		n.runner.Start(job.Job{ID: r.id, Source: r.source, Study: r.name, Memory: r.name == ""})
	}
}

// answer takes what a worker said; it reports whether it was about one of the
// runs here.
func (p *Reproduction) answer(a job.Answer) bool {
	i, ok := p.byJob[a.ID]
	if !ok {
		return false
	}
	r := &p.runs[i]
	if !a.Last {
		if a.Total > 0 {
			r.done = float64(a.Done) / float64(a.Total)
		}
		return true
	}
	delete(p.byJob, a.ID)
	r.id, r.wanted, r.done = 0, 0, 0
	r.outcome, r.memory, r.err = a.Outcome, a.Memory, a.Error
	if !r.known() || r.outcome != nil && r.outcome.Fits && len(r.outcome.Values) != len(r.points) {
		r.outcome, r.err = nil, "the worker answered something else"
	}
	p.changed(r.figures)
	p.feed()
	p.finish()
	return true
}

// finish stops the clock when nothing is wanted any more.
func (p *Reproduction) finish() {
	if p.took == 0 && !p.begun.IsZero() && !p.Active() {
		p.took = time.Since(p.begun)
	}
}

// Active reports whether anything waits or computes.
func (p *Reproduction) Active() bool {
	return slices.ContainsFunc(p.runs, func(r paperRun) bool { return r.wanted != 0 })
}

// Elapsed is how long the newest work has taken; 0 if there was none.
func (p *Reproduction) Elapsed() time.Duration {
	switch {
	case p.begun.IsZero():
		return 0
	case p.took > 0:
		return p.took
	}
	return time.Since(p.begun)
}

// A Standing says how far a figure, or everything, is and what came out.
type Standing struct {
	Runs, Known, Waiting int // simulations; Waiting are wanted and not known
	done                 float64
	Errors               int
	Measured             int // of the known ones, with times from files
	Points, Compared     int
	Exact, Within, Gap   int // of the compared ones
	Claims               int
	Holds, Near, Differs int
	Error                string // the first
}

// Percent is the progress from 0 to 100.
func (s *Standing) Percent() int {
	if s.Runs == 0 {
		return 0
	}
	return int(100 * (float64(s.Known) + s.done) / float64(s.Runs))
}

// Reconstructed reports whether any of the known runs used bundled workloads.
func (s *Standing) Reconstructed() bool { return s.Known-s.Errors > s.Measured }

// Standing tells about a figure, or about everything.
func (p *Reproduction) Standing(id string) Standing {
	var s Standing
	bits := p.bits(id)
	for i := range p.runs {
		r := &p.runs[i]
		if r.figures&bits == 0 {
			continue
		}
		s.Runs++
		switch {
		case r.err != "":
			s.Known++
			if s.Errors++; s.Error == "" {
				s.Error = r.err
			}
		case r.known():
			s.Known++
			if r.measured {
				s.Measured++
			}
		case r.wanted&bits != 0:
			s.Waiting++
			s.done += r.done
		}
	}
	for i := range p.Figures {
		if bits&(1<<i) == 0 {
			continue
		}
		c := p.compare(i)
		s.Points, s.Compared = s.Points+len(p.points[i]), s.Compared+len(c.rows)
		s.Exact, s.Within, s.Gap = s.Exact+c.exact, s.Within+c.within, s.Gap+c.gap
		s.Claims, s.Holds, s.Near, s.Differs = s.Claims+len(c.claims), s.Holds+c.holds, s.Near+c.near, s.Differs+c.differs
	}
	return s
}

// A Verdict is a conclusion in words and a class that colors it.
type Verdict struct{ Text, Class string }

// Verdict concludes from a standing.
func (s *Standing) Verdict() Verdict {
	switch {
	case s.Waiting > 0:
		return Verdict{fmt.Sprintf("%d of %d runs", s.Known, s.Runs), "busy"}
	case s.Errors > 0:
		return Verdict{fmt.Sprintf("%d runs failed", s.Errors), "bad"}
	case s.Known == 0:
		return Verdict{"not run", "none"}
	case s.Known < s.Runs:
		return Verdict{fmt.Sprintf("%d of %d runs", s.Known, s.Runs), "none"}
	case s.Points == 0:
		return s.ClaimVerdict()
	case s.Reconstructed():
		class := "ok"
		if s.Gap > 0 {
			class = "warn"
		}
		return Verdict{fmt.Sprintf("%d of %d within %d %%", s.Compared-s.Gap, s.Compared, int(100*study.Reconstruction)), class}
	case s.Exact == s.Compared:
		return Verdict{"exact", "ok"}
	case s.Gap == 0:
		return Verdict{fmt.Sprintf("%d exact, %d within 0.5 %%", s.Exact, s.Within), "ok"}
	}
	return Verdict{fmt.Sprintf("%d exact, %d within, %d off", s.Exact, s.Within, s.Gap), "warn"}
}

// ClaimVerdict concludes from the claims alone.
func (s *Standing) ClaimVerdict() Verdict {
	if s.Holds+s.Near+s.Differs == 0 {
		return Verdict{"not run", "none"}
	}
	v := Verdict{fmt.Sprintf("%d of %d hold", s.Holds, s.Claims), "ok"}
	if s.Near > 0 {
		v.Text += fmt.Sprintf(", %d near", s.Near)
	}
	if s.Differs > 0 {
		v.Class = "warn"
	}
	return v
}

// ours is a study.Look at the outcomes.
func (p *Reproduction) ours(x *study.Point) (value float64, fits, known bool) {
	k, ok := p.byName[x.Run()]
	if !ok || p.runs[k].outcome == nil {
		return 0, false, false
	}
	r := &p.runs[k]
	if !r.outcome.Fits {
		return 0, false, true
	}
	for i := range r.points {
		if r.points[i].Figure == x.Figure && r.points[i].Quantity == x.Quantity {
			return r.outcome.Values[i], true, true
		}
	}
	return 0, false, false
}

// compare judges what is known of a figure.
func (p *Reproduction) compare(figure int) *comparison {
	c := &p.compared[figure]
	if c.fresh {
		return c
	}
	*c = comparison{fresh: true}
	judged := map[int][]study.Row{} // by run
	for _, x := range p.points[figure] {
		k := p.byName[x.Run()]
		r := &p.runs[k]
		if r.outcome == nil {
			continue
		}
		if judged[k] == nil {
			judged[k] = r.outcome.Rows(r.points, !r.measured)
		}
		for _, row := range judged[k] {
			if row.Figure == x.Figure && row.Quantity == x.Quantity {
				c.rows = append(c.rows, row)
				c.count(row.Status)
			}
		}
	}
	c.claims = p.claimsOf(figure)
	for i := range c.claims {
		switch row := &c.claims[i]; {
		case !row.Known:
		case row.Verdict == study.Holds:
			c.holds++
		case row.Verdict == study.Near:
			c.near++
		default:
			c.differs++
		}
	}
	return c
}

func (c *comparison) count(s study.Status) {
	switch s {
	case study.Exact:
		c.exact++
	case study.Within:
		c.within++
	default:
		c.gap++
	}
}

// RevOf counts changes of what is known about a figure.
func (p *Reproduction) RevOf(id string) int {
	if i := p.index(id); i >= 0 {
		return p.revs[i]
	}
	return p.Rev
}

// Rows compares every known point of a figure.
func (p *Reproduction) Rows(id string) []study.Row {
	if i := p.index(id); i >= 0 {
		return p.compare(i).rows
	}
	return nil
}

// memory returns the analysis of a workload, nil if not known.
func (p *Reproduction) memory(need study.Need) *study.Memory {
	return p.runs[p.byName[need.String()]].memory
}

// A ClaimRow compares a number of the paper's text.
type ClaimRow struct {
	study.Claim
	Published string // what the published values give, empty if there are none
	Ours      string // empty if not known
	Known     bool
	Value     float64
	Verdict   study.Verdict
}

// Claims returns the claims about a figure, or all.
func (p *Reproduction) Claims(id string) []ClaimRow {
	if i := p.index(id); i >= 0 {
		return p.compare(i).claims
	}
	var rows []ClaimRow
	for i := range p.Figures {
		rows = append(rows, p.compare(i).claims...)
	}
	return rows
}

func (p *Reproduction) claimsOf(figure int) []ClaimRow {
	var rows []ClaimRow
	points := p.points[figure]
	tolerance := study.ClaimTolerance
	if p.reconstructed(figure) {
		tolerance = study.Reconstruction
	}
	for _, c := range p.claims {
		if c.Figure != p.Figures[figure].ID {
			continue
		}
		row := ClaimRow{Claim: c}
		text := func(v float64) string { return digits(v, 4) + "\u00a0" + c.Unit }
		if c.FromMemory() {
			row.Value, row.Known = c.ValueOf(p.memory)
		} else {
			if v, known := c.Value(points, study.AsPublished); known {
				row.Published = text(v)
			}
			row.Value, row.Known = c.Value(points, p.ours)
		}
		if row.Known {
			row.Ours, row.Verdict = text(row.Value), c.Judge(row.Value, tolerance)
		}
		rows = append(rows, row)
	}
	return rows
}

// reconstructed reports whether the i-th figure used bundled workloads.
func (p *Reproduction) reconstructed(i int) bool {
	return slices.ContainsFunc(p.runs, func(r paperRun) bool { return r.figures&(1<<i) != 0 && r.known() && !r.measured })
}

// Times says where the kernel times of a figure come from.
func (p *Reproduction) Times(id string) string {
	bits := p.bits(id)
	known, measured, have, all := 0, 0, 0, 0
	for i := range p.runs {
		r := &p.runs[i]
		if r.figures&bits == 0 {
			continue
		}
		all++
		if _, m := p.source(r.need); m {
			have++
		}
		if r.known() {
			known++
			if r.measured {
				measured++
			}
		}
	}
	if known == 0 { // what it would be
		known, measured = all, have
	}
	switch measured {
	case known:
		return "Measured kernel times from the opened files."
	case 0:
		return fmt.Sprintf("Reconstruction: bundled networks with modelled kernel times; tolerance %d %%.", int(100*study.Reconstruction))
	}
	return fmt.Sprintf("%d of %d runs with measured kernel times from the opened files, the others a reconstruction with modelled ones.", measured, known)
}
