package files

import (
	"slices"
	"time"

	"spillway/sim/knob"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/calls"
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
	under []*portion
	join  *calls.Call // puts the parts together
	begun time.Time   // when it began or went on
	first int64       // bytes that were known then
}

// A portion is a part that a worker goes through.
type portion struct {
	part int
	call *calls.Call // bytes
}

// Done is how many of the bytes have been gone through.
func (s *Survey) Done() int64 {
	done := s.size * int64(s.known)
	for _, p := range s.under {
		done += int64(p.call.Done)
	}
	return min(done, s.Bytes)
}

// Percent is that from 0 to 100.
func (s *Survey) Percent() int { return int(100 * float64(s.Done()) / float64(max(1, s.Bytes))) }

// Active reports whether it waits or computes.
func (s *Survey) Active() bool { return len(s.under) > 0 || s.join.Active() }

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
func (f *Files) surveyed(u *knob.Setup) (*lab.Entry, *lab.Survey) {
	if f.room.Info.Entry == "" || f.Opening {
		return nil, nil
	}
	name := u.Text(f.room.Info.Entry)
	at := slices.IndexFunc(f.Entries, func(e lab.Entry) bool { return e.Name == name })
	if name == "" || at < 0 {
		return nil, nil
	}
	e := &f.Entries[at]
	if s := e.Survey; e.Error == "" && s != nil && s.Parts > 0 && s.Needs(u) {
		return e, s
	}
	return nil, nil
}

// Meanwhile is what runs of a setup: itself, or what can be said while its survey is
// not done.
func (f *Files) Meanwhile(u *knob.Setup) *knob.Setup {
	_, s := f.surveyed(u)
	if s == nil {
		return u
	}
	u = u.Clone()
	_ = u.Read(s.Until) // if it cannot be read the run says what is missing
	return u
}

// Runs is the setup text of jobs about what is shown.
func (f *Files) Runs() string { return f.Meanwhile(f.room.State.Setup).String() }

// RunLink is the link of what runs, for files with its results: while a survey is not
// done it is not the link of what is set.
func (f *Files) RunLink() string {
	s := f.room.State
	s.Setup = f.Meanwhile(s.Setup)
	return f.room.Codec.Encode(&s)
}

// Survey is what is shown waits for, nil if nothing.
func (f *Files) Survey() *Survey {
	e, _ := f.surveyed(f.room.State.Setup)
	if e == nil {
		return nil
	}
	return f.surveys[e.Name]
}

// Follow goes on with what is shown, and stops what is not: what other entries
// need, or files that were open before.
func (f *Files) Follow() {
	e, need := f.surveyed(f.room.State.Setup)
	for name, s := range f.surveys {
		if e == nil || name != e.Name {
			s.pause()
		}
	}
	if e == nil {
		return
	}
	s := f.surveys[e.Name]
	if s == nil || len(s.found) != need.Parts {
		if f.surveys == nil {
			f.surveys = map[string]*Survey{}
		}
		s = &Survey{Entry: e.Name, Bytes: need.Bytes, found: make([][]byte, need.Parts), size: (need.Bytes + int64(need.Parts) - 1) / int64(need.Parts)}
		f.surveys[e.Name] = s
	}
	if !s.Cancelled && s.Error == "" {
		f.feed(s)
	}
}

// feed asks for the next parts, or for all of them to be put together.
func (f *Files) feed(s *Survey) {
	if s.join.Active() {
		return
	}
	if !s.Active() {
		s.begun, s.first = time.Now(), s.Done()
	}
	j := exec.Job{Entry: s.Entry, Files: f.Number}
	if s.known == len(s.found) {
		j.Kind, j.Found, j.Set = exec.Join, s.found, f.count.Next()
		s.join = f.desk.Start(&j, calls.Shown, func(a *exec.Answer) { f.surveyedAll(s, a) })
		return
	}
	for i := range s.found {
		if len(s.under) >= ahead {
			return
		}
		if s.found[i] == nil && !s.has(i) {
			one := j
			one.Kind, one.Portion = exec.Survey, i
			p := &portion{part: i}
			p.call = f.desk.Start(&one, calls.Behind, func(a *exec.Answer) { f.surveyedPart(s, p, a) })
			s.under = append(s.under, p)
		}
	}
}

// has reports whether a part is under way.
func (s *Survey) has(part int) bool {
	return slices.ContainsFunc(s.under, func(p *portion) bool { return p.part == part })
}

// pause stops what is under way of a survey. What was found stays.
func (s *Survey) pause() {
	stop := []*calls.Call{s.join}
	for _, p := range s.under {
		stop = append(stop, p.call)
	}
	s.under, s.join = nil, nil
	calls.Stop(stop...)
}

// Pause stops all surveys of the files that are open.
func (f *Files) Pause() {
	for _, s := range f.surveys {
		s.pause()
	}
}

// CancelSurvey stops what is shown waits for: what can be said without it stays.
func (f *Files) CancelSurvey() {
	if s := f.Survey(); s != nil && s.Active() {
		s.pause()
		s.Cancelled = true
		f.room.Rev++
	}
}

// GoOn goes on with a survey that was cancelled or broke off.
func (f *Files) GoOn() {
	if s := f.Survey(); s != nil {
		s.Cancelled, s.Error = false, ""
		f.room.Refresh()
	}
}

// surveyedPart takes what was found in a part.
func (f *Files) surveyedPart(s *Survey, p *portion, a *exec.Answer) {
	s.under = slices.DeleteFunc(s.under, func(o *portion) bool { return o == p })
	if f.room.Rev++; a.Error != "" {
		s.fail(a)
		return
	}
	s.found[p.part] = a.Data
	s.known++
	f.feed(s)
}

// fail stops the survey for what a worker said.
func (s *Survey) fail(a *exec.Answer) {
	s.pause()
	s.Error = a.Error
}

// surveyedAll takes the files in which an entry needs no survey any more: they are the
// open ones from now on.
func (f *Files) surveyedAll(s *Survey, a *exec.Answer) {
	if f.room.Rev++; a.Error != "" {
		s.fail(a)
		return
	}
	delete(f.surveys, s.Entry)
	f.became[f.Number] = a.Set
	if f.room.Files == f.Number {
		f.room.Files = a.Set
	}
	f.Number, f.Entries, f.Notes = a.Set, a.Entries, a.Notes
	f.room.Refresh()
}
