package sections

import (
	"fmt"
	"time"

	"spillway/ui/chart"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/results"
)

// Runs that a section takes beside the one that is shown are ordinary ones: they wait behind
// all that is shown, several workers share them, and whoever needs one of them later has it.

// patience is how long runs may take before somebody is asked.
const patience = 10 * time.Second

// runsFor are the runs that a section takes.
type runsFor struct {
	job    *exec.Job
	picks  []results.Run
	enough int  // of them for a first answer
	told   int  // how many the answer that is shown knows of
	agreed bool // somebody said that they may take long
	asks   string
}

// asking is who asks for them.
type asking struct {
	store *results.Store
	asker *results.Asker
	under *sectionState // whose runs are under way
	begun time.Time
	done  int
}

func (s *Sections) asks(st *results.Store) {
	s.store, s.asker = st, st.ValueAsker()
	s.asker.Ended = func(list []*results.Want) {
		s.done += len(list)
		s.feed(s.under)
		s.room.Rev++
		s.room.Draw()
	}
}

// rival says with what the section that asks why compares: the system that the page compares
// with where nobody chose another, and the baseline's settings.
func (s *Sections) rival(of *lab.Section, j *exec.Job) {
	if of.Key != lab.WhyKey {
		return
	}
	switch s.room.State.Look.Text(lab.WhyKey) {
	case lab.WhyUsual:
		if name := chart.Rival(s.runs.ChartContext(), s.runs.ChartRuns()); name != "" {
			j.View = lab.WhyKey + "=" + name
		}
	case lab.WhyBaseline:
		if base := s.runs.Baseline.Base(); base != nil {
			j.Base = s.files.Meanwhile(base).String()
		}
	}
}

// take notes which runs a section takes, and asks for those that are not known.
func (s *Sections) take(x *sectionState, j *exec.Job, a *exec.Answer) {
	r := &x.runs
	r.job, r.enough, r.picks = j, a.Enough, nil
	for _, p := range a.Picks {
		r.picks = append(r.picks, results.Run{Setup: p.Setup, System: p.System, Files: j.Files})
	}
	s.feed(x)
}

// feed asks for runs that are not known, or for the section when all are that it can say more of.
func (s *Sections) feed(x *sectionState) {
	r := &x.runs
	if x.call.Active() || r.told == len(r.picks) {
		return
	}
	want := r.picks
	if r.told < r.enough {
		want = want[:r.enough]
	}
	missing := s.missing(want)
	if len(missing) == 0 {
		j := *r.job
		j.Known = make([]lab.Known, len(want))
		for i, run := range want {
			o := s.store.Outcome(run)
			j.Known[i] = lab.Known{Values: o.Values, Reason: o.Problem + o.Error}
		}
		r.told = len(want)
		s.start(x, &j)
		return
	}
	if !s.asker.Active() {
		s.under, s.begun, s.done = x, time.Now(), 0
	}
	if left := s.left(len(missing)); left > patience && !r.agreed {
		s.asker.Wants(nil)
		r.asks = fmt.Sprintf("%d more runs take about %d s here.", len(missing), int(left.Seconds()))
		return
	}
	s.asker.Wants(missing)
}

// left is how long so many runs will take, 0 if nobody knows yet.
func (s *Sections) left(n int) time.Duration {
	if s.done > 0 {
		return time.Since(s.begun) / time.Duration(s.done) * time.Duration(n)
	}
	if rate := s.store.Rate(); rate > 0 {
		return time.Duration(float64(n) / rate * float64(time.Second))
	}
	return 0
}

// missing are the runs that nothing is known of.
func (s *Sections) missing(list []results.Run) (missing []results.Run) {
	for _, run := range list {
		if s.store.Outcome(run) == nil {
			missing = append(missing, run)
		}
	}
	return missing
}

// stop ends the runs of a section.
func (s *Sections) stop(x *sectionState) {
	if s.under == x {
		s.asker.Wants(nil)
	}
	x.runs = runsFor{}
}

// Rest stops what is under way in a laboratory that is left.
func (s *Sections) Rest() {
	if x := s.under; x != nil && s.asker.Active() {
		s.stop(x)
		x.key = ""
	}
}

// costs says how far the runs of a section are, and what can be done about them.
func (s *Sections) costs(x *sectionState) (says, act string) {
	r := &x.runs
	switch {
	case r.asks != "":
		return r.asks, "Run them"
	case s.under == x && s.asker.Active():
		n := len(r.picks)
		return fmt.Sprintf("Run %d of %d…", n-len(s.missing(r.picks)), n), "Cancel"
	}
	return "", ""
}

// Act does what can be done about the runs of a section: it begins them or stops them.
func (s *Sections) Act(key string) {
	x := s.section(key)
	r := &x.runs
	if r.agreed = r.asks != ""; r.agreed {
		r.asks = ""
		s.feed(x)
		return
	}
	s.asker.Wants(nil)
	r.asks = fmt.Sprintf("%d more runs are left.", len(s.missing(r.picks)))
}

// Link is that of what is shown with other settings, empty where there are none.
func (s *Sections) Link(setup string) string {
	if setup == "" {
		return ""
	}
	u, err := s.room.Info.Read(setup)
	if err != nil {
		return ""
	}
	state := s.room.State
	state.Setup = u
	return "#" + s.room.Codec.Encode(&state)
}
