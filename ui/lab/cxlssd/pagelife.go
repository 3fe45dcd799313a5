package cxlssd

import (
	"fmt"

	"spillway/sim/timeline"
	"spillway/sim/unit"
)

// Where a page may be beside flash.
const (
	inCache = iota
	inHost
	inLog
	places
)

// A pageLife draws where a page is over time.
type pageLife struct {
	t     *timeline.Recorder
	page  uint32
	first int                    // its first track
	open  [places]timeline.Slice // what goes on; without an end while nothing does
	is    [places]bool
}

// livesOf begins the tracks of the page that is asked for most.
func livesOf(t *timeline.Recorder, w *trace, scale int64, threads int) (*pageLife, error) {
	s, err := w.At(scale).Streams(threads)
	if err != nil {
		return nil, err
	}
	asked := make([]int32, s.Pages)
	for _, list := range s.Threads {
		for _, q := range list {
			asked[q.Page()]++
		}
	}
	page := most(asked)
	if page < 0 {
		return nil, nil
	}
	l := &pageLife{t: t, page: uint32(page)}
	t.Group(fmt.Sprintf("Page %d, which is asked for most", page), true)
	for i, x := range [places][2]string{{"In the cache", "requests"}, {"In host DRAM", "requests"}, {"In the log", "lines"}} {
		if k := t.Track(x[0], timeline.Note, x[1]); i == 0 {
			l.first = k
		}
	}
	return l, nil
}

// told is told what happens to a page.
func (l *pageLife) told(page uint32, what string, at unit.Time) {
	if page != l.page {
		return
	}
	switch what {
	case "miss", "hit":
		l.here(inCache, at, 1)
	case "evict":
		l.gone(inCache, at)
	case "promote":
		l.here(inHost, at, 0)
	case "host":
		l.here(inHost, at, 1)
	case "demote":
		l.gone(inHost, at)
	case "append":
		l.here(inLog, at, 1)
	case "program":
		l.gone(inLog, at)
	}
}

// here says that the page is in a place, where so many requests or lines find it.
func (l *pageLife) here(place int, at unit.Time, count int64) {
	s := &l.open[place]
	if !l.is[place] {
		*s, l.is[place] = timeline.Slice{Begin: max(int64(at), s.End), Cat: holds, Ref: -1, Step: -1}, true
	}
	s.Amount += count
}

// gone ends that.
func (l *pageLife) gone(place int, at unit.Time) {
	s := &l.open[place]
	if l.is[place] {
		s.End = max(int64(at), s.Begin)
		l.t.Slice(l.first+place, *s)
		l.is[place] = false
	}
}

// end ends what goes on with the run.
func (l *pageLife) end(at unit.Time) {
	for place := range l.is {
		l.gone(place, at)
	}
}
