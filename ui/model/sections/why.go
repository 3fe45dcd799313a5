package sections

import (
	"fmt"
	"time"

	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/results"
	"spillway/ui/model/state"
)

// patience is how long runs may take before somebody is asked.
const patience = 10 * time.Second

// asking is who asks for the runs that a section takes beside the one that is shown. They are
// ordinary ones: they wait behind all that is shown, several workers share them, and whoever needs
// one of them later has it.
type asking struct {
	store *results.Store
	asker *results.Asker
	under *sectionState // whose runs they are
	begun time.Time     // when the first was there; zero before
	done  int           // since
}

func (s *Sections) asks(st *results.Store) {
	s.store, s.asker = st, st.ValueAsker()
	s.asker.Ended = func(list []*results.Want) {
		if s.begun.IsZero() {
			s.begun = time.Now() // before that a program may have begun, too
		} else {
			s.done += len(list)
		}
		s.feed(s.under)
		s.room.Rev++
		s.room.Draw()
	}
}

// rival says with what the section that asks why compares: the system that the page compares
// with where nobody chose another, and the baseline's settings.
func (s *Sections) rival(j *exec.Job) {
	switch s.room.State.Look.Text(lab.WhyKey) {
	case lab.WhyUsual:
		if name := chart.Rival(s.runs.ChartContext(), s.runs.ChartRuns()); name != "" {
			j.View = lab.WhyKey + "=" + name
		}
	case lab.WhyBaseline:
		if base := s.runs.Baseline.Base(); base != nil {
			j.Base = s.files.Meanwhile(base).String()
		}
	case lab.WhyKept:
		j.View = lab.WhyKey + "=" + lab.WhyUsual
		if beside := s.room.State.Beside(); len(beside) > 0 {
			j.View, j.Base = lab.WhyKey+"="+beside[0].System, beside[0].Setup
		}
	}
}

// feed asks for the runs that are not known yet, or where all are for what they say.
func (s *Sections) feed(x *sectionState) {
	var missing []results.Run
	known := make([]lab.Known, len(x.picks))
	for i, run := range x.picks {
		if o := s.store.Outcome(run); o != nil {
			known[i] = lab.Known{Values: o.Values, Reason: o.Problem + o.Error}
		} else {
			missing = append(missing, run)
		}
	}
	x.says = fmt.Sprintf("%d runs to go.", len(missing))
	if len(missing) == 0 {
		j := *x.job
		j.Known = known
		x.says, x.picks = "", nil
		s.start(x, &j)
	} else if s.done > 0 && !x.agreed {
		if left := time.Since(s.begun) / time.Duration(s.done) * time.Duration(len(missing)); left > patience {
			x.says = fmt.Sprintf("%d more runs take about %d s here.", len(missing), left/time.Second)
			missing = nil
		}
	}
	s.asker.Wants(missing)
}

// stop ends the runs of a section.
func (s *Sections) stop(x *sectionState) {
	if s.under == x {
		s.asker.Wants(nil)
		x.picks, x.says, x.agreed = nil, "", false
	}
}

// Rest stops what is under way in a laboratory that is left.
func (s *Sections) Rest() {
	if x := s.under; x != nil && x.says != "" {
		s.stop(x)
		x.key = ""
	}
}

// act is what can be done about the runs of a section.
func (s *Sections) act(x *sectionState) string {
	switch {
	case x.says == "":
		return ""
	case s.asker.Active():
		return "Cancel"
	}
	return "Run them"
}

// Act does it.
func (s *Sections) Act(key string) {
	x := s.section(key)
	if x.agreed = !s.asker.Active(); x.agreed {
		s.feed(x)
	} else {
		s.asker.Wants(nil)
	}
}

// Link is that of what is shown with other settings, or of a place of the run over time; nil where
// there is neither.
func (s *Sections) Link(r report.Row) any {
	to := s.room.State
	if r.Set != "" {
		u, err := s.room.Info.Read(r.Set)
		if err != nil {
			return nil
		}
		to.Setup = u
	}
	switch {
	case r.At != "":
		to.View, to.At, to.Against = state.Timeline, r.At, ""
	case r.Set == "":
		return nil
	}
	return "#" + s.room.Codec.Encode(&to)
}
