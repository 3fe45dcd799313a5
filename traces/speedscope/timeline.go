package speedscope

import (
	"strconv"

	"spillway/sim/timeline"
	"spillway/sim/unit"
	"spillway/traces/quote"
)

// Timeline returns a file with a profile of every State track, in the order of time: the stack
// is the step and below it what its time goes to. Times are nanoseconds with three decimals. Of
// a run with more slices than a timeline keeps it has those of [timeline.Timeline.Spread].
func Timeline(name, exporter string, t *timeline.Timeline) []byte {
	t = t.Spread(timeline.Grains)
	f := newFrames()
	var body []byte
	for i := range t.Tracks {
		x := &t.Tracks[i]
		if x.Kind != timeline.State {
			continue
		}
		if len(body) > 0 {
			body = append(body, ',')
		}
		body = appendTrack(body, t, x, f)
	}
	return file(name, exporter, f, body)
}

// appendTrack writes a track as an evented profile.
func appendTrack(b []byte, t *timeline.Timeline, x *timeline.Track, f *frames) []byte {
	b = append(b, "\n{\"type\":\"evented\",\"unit\":\"nanoseconds\",\"name\":"...)
	b = quote.Append(b, t.Groups[x.Group].Name+": "+x.Name)
	b = append(b, `,"startValue":0,"endValue":`...)
	b = appendTime(b, t.Tick.Time(t.End))
	b = append(b, `,"events":[`...)
	some := false
	event := func(kind string, frame int, at int64) {
		if some {
			b = append(b, ',')
		}
		some = true
		b = append(b, `{"type":"`+kind+`","frame":`...)
		b = strconv.AppendInt(b, int64(frame), 10)
		b = append(b, `,"at":`...)
		b = appendTime(b, t.Tick.Time(at))
		b = append(b, '}')
	}
	step, ended := int32(-1), int64(0) // the step that is open, and when its last slice ended
	leave := func() {
		if step >= 0 {
			event("C", f.of(t.Names[t.Steps[step]]), ended)
		}
		step = -1
	}
	for k := range x.Begin {
		if s := x.Step[k]; s != step {
			leave()
			if step = s; s >= 0 {
				event("O", f.of(t.Names[t.Steps[s]]), x.Begin[k])
			}
		}
		what := f.of(t.Cats[x.Cat[k]].Label)
		event("O", what, x.Begin[k])
		event("C", what, x.End[k])
		ended = x.End[k]
	}
	leave()
	return append(b, "]}"...)
}

// appendTime writes a time in nanoseconds.
func appendTime(b []byte, t unit.Time) []byte {
	b = strconv.AppendInt(b, int64(t/unit.Nanosecond), 10)
	if rest := int64(t % unit.Nanosecond); rest != 0 {
		b = append(b, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
	}
	return b
}
