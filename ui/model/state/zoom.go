package state

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
)

// A Zoom is the part of a chart's horizontal axis that is shown, in hundredths of
// a percent of all of it.
type Zoom struct {
	Chart    string // its ID
	From, To int64
}

// whole is all of an axis.
const whole = 100_00

// mostZooms is how many charts a link says are zoomed into.
const mostZooms = 16

// ZoomText is the inverse of ReadZoom: "memory:12.5-40,occupancy:0-3.33".
func ZoomText(list []Zoom) string {
	texts := make([]string, len(list))
	for i, z := range list {
		texts[i] = z.Chart + ":" + knob.Decimal(z.From, 100) + "-" + knob.Decimal(z.To, 100)
	}
	return strings.Join(texts, ",")
}

// ReadZoom zooms into charts as a link says.
func (s *State) ReadZoom(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		chart, bounds, _ := strings.Cut(part, ":")
		low, high, _ := strings.Cut(bounds, "-")
		from, err := knob.ParseDecimal(low, 100)
		to, err2 := knob.ParseDecimal(high, 100)
		if err != nil || err2 != nil || chart == "" || from < 0 || to > whole || from >= to {
			return fmt.Errorf("%.40q is no part of a chart", part)
		}
		s.ZoomInto(Zoom{chart, from, to})
	}
	return nil
}

// ZoomInto shows a part of a chart; all of it is not worth saying.
func (s *State) ZoomInto(z Zoom) {
	at := slices.IndexFunc(s.Zoom, func(x Zoom) bool { return x.Chart == z.Chart })
	everything := z.From <= 0 && z.To >= whole
	list := slices.Clone(s.Zoom) // steps that undo brings back share it
	switch {
	case at >= 0 && everything:
		s.Zoom = slices.Delete(list, at, at+1)
	case at >= 0:
		list[at] = z
		s.Zoom = list
	case !everything && len(list) < mostZooms:
		s.Zoom = append(list, z)
	}
}

// Zoomed is what charts are zoomed into, as links have it; empty if nothing is.
func (s *State) Zoomed() string { return ZoomText(s.Zoom) }

// mostAt is how long the text of a place in a run may be.
const mostAt = 60

// ReadAt shows a part of a run as a link says: numbers in base 36 with points between them, or what
// a chart leads to: "k" and a step, "t" and picoseconds, "w" and the name of a wait.
func (s *State) ReadAt(text string) error {
	parts := strings.Split(text, ".")
	for _, part := range parts {
		if part == "" || strings.Trim(part, "0123456789abcdefghijklmnopqrstuvwxyz") != "" || len(text) > mostAt || len(parts) != 2 && len(parts) != 4 && (len(parts) != 1 || !strings.ContainsAny(part[:1], "ktw")) {
			return fmt.Errorf("%.60q is no part of a run", text)
		}
	}
	s.At = text
	return nil
}
