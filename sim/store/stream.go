package store

import "spillway/sim/unit"

// stream is the GPU's computing that clients share in equal parts. Attained is
// how much each client that has been there from the start would have got; a
// client is done when it has attained what it had at its arrival and its
// thinking more. The picoseconds that do not divide by the number of clients
// are carried on, so a client is at most one off for each that comes or goes.
type stream struct {
	now      unit.Time
	attained unit.Time
	rest     unit.Time // elapsed, not yet attained; less than the number of clients
	jobs     []due     // heap, the earliest first
}

// join lets a client compute from now on (stream.now) for so long, which is not 0.
func (s *stream) join(c int32, think unit.Time) {
	s.jobs = pushDue(s.jobs, due{s.attained + think, c})
}

// next returns when the first client is done if none comes.
func (s *stream) next() (unit.Time, bool) {
	if len(s.jobs) == 0 {
		return 0, false
	}
	return s.now + (s.jobs[0].at-s.attained)*unit.Time(len(s.jobs)) - s.rest, true
}

// finish goes to the time of next and returns the client that is done.
func (s *stream) finish() due {
	at, _ := s.next()
	d := s.jobs[0]
	s.now, s.attained, s.rest = at, d.at, 0
	s.jobs = popDue(s.jobs)
	return due{at, d.client}
}

// advance goes to a time, not later than next.
func (s *stream) advance(to unit.Time) {
	if n := unit.Time(len(s.jobs)); n > 0 {
		got := to - s.now + s.rest
		s.attained += got / n
		s.rest = got % n
	}
	s.now = to
}

// A due is a client and a time.
type due struct {
	at     unit.Time
	client int32
}

func (d due) before(e due) bool { return d.at < e.at || d.at == e.at && d.client < e.client }

// pushDue adds to a heap that has the earliest first.
func pushDue(h []due, d due) []due {
	h = append(h, d)
	i := len(h) - 1
	for i > 0 && d.before(h[(i-1)/2]) {
		h[i], i = h[(i-1)/2], (i-1)/2
	}
	h[i] = d
	return h
}

// popDue removes the first.
func popDue(h []due) []due {
	n := len(h) - 1
	d := h[n]
	h = h[:n]
	i := 0
	for c := 1; c < n; c = 2*i + 1 {
		if c+1 < n && h[c+1].before(h[c]) {
			c++
		}
		if !h[c].before(d) {
			break
		}
		h[i], i = h[c], c
	}
	if n > 0 {
		h[i] = d
	}
	return h
}
