package model

import (
	"slices"
	"time"

	"spillway/sim/knob"
	"spillway/ui/exec"
	"spillway/ui/lab"
)

// ahead is how many parts of a survey are asked for at a time: more than there are
// workers, so that none waits.
const ahead = 8

// A Survey is how far the bytes of an opened entry have been gone through. What was
// found stays when it is stopped, and it goes on from there.
type Survey struct {
	Entry string
	Bytes int64 // of all parts
	// Cancelled is true after Cancel, and Error says why it broke off; then it waits
	// for GoOn.
	Cancelled bool
	Error     string

	found [][]byte
	known int // of found
	size  int64
	under map[int]*portion // by the ID of its job
	join  int              // ID of the job that puts the parts together
	begun time.Time        // when it began or went on
	first int64            // bytes that were known then
}

// A portion is a part that a worker goes through.
type portion struct {
	part int
	done int64
}

// Done is how many of the bytes have been gone through.
func (s *Survey) Done() int64 {
	done := s.size * int64(s.known)
	for _, p := range s.under {
		done += p.done
	}
	return min(done, s.Bytes)
}

// Percent is that from 0 to 100.
func (s *Survey) Percent() int { return int(100 * float64(s.Done()) / float64(max(1, s.Bytes))) }

// Active reports whether it waits or computes.
func (s *Survey) Active() bool { return len(s.under) > 0 || s.join != 0 }

// Left is about how long it still takes, 0 while that cannot be said.
func (s *Survey) Left() time.Duration {
	past, did := time.Since(s.begun), s.Done()-s.first
	if !s.Active() || did <= 0 || past < time.Second {
		return 0
	}
	return time.Duration(float64(past) / float64(did) * float64(s.Bytes-s.Done()))
}

// surveyed is what a setup of an opened entry needs that is not there yet, nil if it
// can run.
func (r *Room) surveyed(u *knob.Setup) (*lab.Entry, *lab.Survey) {
	if r.Info.Entry == "" || r.Files.Opening {
		return nil, nil
	}
	name := u.Text(r.Info.Entry)
	at := slices.IndexFunc(r.Files.Entries, func(e lab.Entry) bool { return e.Name == name })
	if name == "" || at < 0 {
		return nil, nil
	}
	e := &r.Files.Entries[at]
	if s := e.Survey; e.Error == "" && s != nil && s.Parts > 0 && s.Needs(u) {
		return e, s
	}
	return nil, nil
}

// meanwhile is what runs of a setup: itself, or what can be said while its survey is
// not done.
func (r *Room) meanwhile(u *knob.Setup) *knob.Setup {
	_, s := r.surveyed(u)
	if s == nil {
		return u
	}
	u = u.Clone()
	_ = u.Read(s.Until) // if it cannot be read the run says what is missing
	return u
}

// runs is the setup text of jobs about what is shown.
func (r *Room) runs() string { return r.meanwhile(r.State.Setup).String() }

// RunLink is the link of what runs, for files with its results: while a survey is not
// done it is not the link of what is set.
func (r *Room) RunLink() string {
	s := r.State
	s.Setup = r.meanwhile(s.Setup)
	return s.Encode(r.Info)
}

// Survey is what is shown waits for, nil if nothing.
func (r *Room) Survey() *Survey {
	e, _ := r.surveyed(r.State.Setup)
	if e == nil {
		return nil
	}
	return r.Files.surveys[e.Name]
}

// refreshSurvey goes on with what is shown, and stops what is not: what other entries
// need, or files that were open before.
func (r *Room) refreshSurvey() {
	e, need := r.surveyed(r.State.Setup)
	for name, s := range r.Files.surveys {
		if e == nil || name != e.Name {
			r.pause(s)
		}
	}
	if e == nil {
		return
	}
	s := r.Files.surveys[e.Name]
	if s == nil || len(s.found) != need.Parts {
		if r.Files.surveys == nil {
			r.Files.surveys = map[string]*Survey{}
		}
		s = &Survey{Entry: e.Name, Bytes: need.Bytes, found: make([][]byte, need.Parts), size: (need.Bytes + int64(need.Parts) - 1) / int64(need.Parts), under: map[int]*portion{}}
		r.Files.surveys[e.Name] = s
	}
	if !s.Cancelled && s.Error == "" {
		r.feed(s)
	}
}

// feed asks for the next parts, or for all of them to be put together.
func (r *Room) feed(s *Survey) {
	if s.join != 0 {
		return
	}
	if !s.Active() {
		s.begun, s.first = time.Now(), s.Done()
	}
	j := exec.Job{Lab: r.Info.Name, Entry: s.Entry, Files: r.Files.Number}
	if s.known == len(s.found) {
		r.session.number++
		j.ID, j.Kind, j.Found, j.Set = r.session.id(), exec.Join, s.found, r.session.number
		s.join = j.ID
		r.session.host.Start(&j, false)
		return
	}
	for i := range s.found {
		if len(s.under) >= ahead {
			return
		}
		if s.found[i] == nil && !s.has(i) {
			one := j
			one.ID, one.Kind, one.Portion = r.session.id(), exec.Survey, i
			s.under[one.ID] = &portion{part: i}
			r.session.host.Start(&one, true)
		}
	}
}

// has reports whether a part is under way.
func (s *Survey) has(part int) bool {
	for _, p := range s.under {
		if p.part == part {
			return true
		}
	}
	return false
}

// pause stops what is under way of a survey. What was found stays.
func (r *Room) pause(s *Survey) {
	if !s.Active() {
		return
	}
	var stop []int
	for id := range s.under {
		stop = append(stop, id)
	}
	if s.join != 0 {
		stop = append(stop, s.join)
	}
	slices.Sort(stop)
	clear(s.under)
	s.join = 0
	r.session.host.Stop(stop)
}

// pauseAll stops all surveys of the files that are open.
func (r *Room) pauseAll() {
	for _, s := range r.Files.surveys {
		r.pause(s)
	}
}

// CancelSurvey stops what is shown waits for: what can be said without it stays.
func (r *Room) CancelSurvey() {
	if s := r.Survey(); s != nil && s.Active() {
		r.pause(s)
		s.Cancelled = true
		r.Rev++
	}
}

// GoOn goes on with a survey that was cancelled or broke off.
func (r *Room) GoOn() {
	if s := r.Survey(); s != nil {
		s.Cancelled, s.Error = false, ""
		r.Refresh()
	}
}

// surveyAnswer takes what a worker said, if it is about a survey.
func (r *Room) surveyAnswer(a *exec.Answer) bool {
	for _, s := range r.Files.surveys {
		p := s.under[a.ID]
		switch {
		case a.ID != s.join && p == nil:
			continue
		case !a.Last && p != nil:
			p.done = int64(a.Done)
		case !a.Last:
		case a.Error != "":
			delete(s.under, a.ID)
			s.join = 0
			r.pause(s)
			s.Error = a.Error
		case p != nil:
			delete(s.under, a.ID)
			s.found[p.part] = a.Data
			s.known++
			r.feed(s)
		default:
			r.joined(s, a)
		}
		r.Rev++
		return true
	}
	return false
}

// joined takes the files in which an entry needs no survey any more: they are the
// open ones from now on.
func (r *Room) joined(s *Survey, a *exec.Answer) {
	s.join = 0
	delete(r.Files.surveys, s.Entry)
	f := &r.Files
	f.Number, f.Entries, f.Notes = a.Set, a.Entries, a.Notes
	r.Refresh()
}
