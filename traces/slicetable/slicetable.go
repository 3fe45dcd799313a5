// Package slicetable writes a timeline as a table: comma-separated values (RFC 4180), a row a
// slice, for programs that calculate.
package slicetable

import (
	"strconv"
	"strings"

	"spillway/sim/timeline"
)

// head names the columns. Times are picoseconds from the beginning of the run, rounded down;
// ticks is how long the slice lasts, exactly; step and object are numbers of the run, and empty
// where the slice is about none. about is empty but in the first row.
const head = "group,track,kind,begin_ps,end_ps,ticks,name,category,style,step,step_name,object,object_name,amount,unit,about\n"

// kinds are the words for kinds of tracks.
var kinds = [...]string{timeline.Work: "work", timeline.State: "state", timeline.Link: "link", timeline.Note: "note"}

// Write returns the slices of all tracks, track by track; ok is false if the file would have
// more than most bytes. about says where it comes from; tables of texts have no other place for
// that than a cell. Of a run with more slices than a timeline keeps it has those of
// [timeline.Timeline.Spread].
func Write(most int, about string, t *timeline.Timeline) (data []byte, ok bool) {
	t = t.Spread(timeline.Grains)
	b := []byte(head)
	for i := range t.Tracks {
		x := &t.Tracks[i]
		for k := range x.Begin {
			if len(b) > most {
				return nil, false
			}
			b = append(appendText(row(b, t, x, k), about), '\n')
			about = ""
		}
	}
	return b, true
}

// row appends a slice, with a comma behind it.
func row(b []byte, t *timeline.Timeline, x *timeline.Track, k int) []byte {
	number := func(n int64) {
		b = strconv.AppendInt(b, n, 10)
		b = append(b, ',')
	}
	text := func(s string) { b = append(appendText(b, s), ',') }
	text(t.Groups[x.Group].Name)
	text(x.Name)
	text(kinds[x.Kind])
	number(int64(t.Tick.Time(x.Begin[k])))
	number(int64(t.Tick.Time(x.End[k])))
	number(x.End[k] - x.Begin[k])
	cat := &t.Cats[x.Cat[k]]
	text(t.Names[x.Label[k]])
	text(cat.Label)
	text(cat.Style.String())
	for _, of := range [...]struct {
		at    int32
		names []uint32
	}{{x.Step[k], t.Steps}, {x.Ref[k], t.Objects}} {
		if of.at < 0 {
			b = append(b, ",,"...)
			continue
		}
		number(int64(of.at))
		text(t.Names[of.names[of.at]])
	}
	if x.Unit != "" {
		number(x.Amount[k])
	} else {
		b = append(b, ',')
	}
	text(x.Unit)
	return b
}

// appendText appends a text as a cell. What programs that calculate would take for a formula
// has an apostrophe before it.
func appendText(b []byte, s string) []byte {
	if s != "" && strings.Contains("=+-@\t\r", s[:1]) {
		s = "'" + s
	}
	if !strings.ContainsAny(s, ",\"\r\n") {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}
