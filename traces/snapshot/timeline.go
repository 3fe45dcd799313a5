package snapshot

import (
	"errors"
	"fmt"
	"io"

	"spillway/sim/unit"
	"spillway/traces/jsonstream"
	"spillway/traces/recording"
)

// A Timeline is a memory timeline of the PyTorch profiler
// (export_memory_timeline), which has amounts by category, and no blocks.
type Timeline struct {
	Rows        int
	LevelBefore unit.Bytes
	Peak        unit.Bytes
	Allocations int
	Notes       []string
	picture     recording.Picture
}

// categories are the profiler's, by number.
var categories = []string{
	"parameters", "optimizer state", "inputs", "temporary", "activations", "gradients", "autograd details", "unknown",
}

// A row is [time, action, bytes, category].
type row struct {
	time     int64 // ns, -1 before the recording
	action   uint8
	category uint8
	bytes    int64
}

// The profiler's actions.
const (
	preexisting = 1
	created     = 2
	destroyed   = 4
)

// ReadTimeline reads a timeline, a list of rows. tell may be nil; it is told now
// and then how many bytes are read.
func ReadTimeline(r io.Reader, tell func(bytes int64)) (*Timeline, error) {
	j := jsonstream.NewReader(r, tell)
	t := &Timeline{}
	var rows []row
	left := 0
	if j.Peek() == jsonstream.Array && j.Array() {
		for j.Elem() {
			one, ok := readRow(j)
			if !ok {
				left++
				continue
			}
			if len(rows) == maxEntries {
				j.Fail("more than %d rows", maxEntries)
			}
			rows = append(rows, one)
		}
	}
	if err := j.Err(); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errors.New("not a memory timeline: want a list of rows [time, action, bytes, category]")
	}
	if left > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d rows are not [time, action, bytes, category] and were left out.", left))
	}
	if j.Cut() {
		t.Notes = append(t.Notes, "The file was cut off; what is in it was read.")
	}
	t.Rows = len(rows)
	return t, t.draw(rows)
}

// readRow reads a row, and reports whether it is one.
func readRow(j *jsonstream.Reader) (r row, ok bool) {
	if !j.Array() {
		return r, false
	}
	var v [4]int64
	n, good := 0, true
	for j.Elem() {
		i, ok := j.Int()
		good = good && ok
		if n < 4 {
			v[n] = i
		}
		n++
	}
	good = good && n == 4 && v[1] >= preexisting && v[1] <= destroyed && v[3] >= 0 && v[3] < int64(len(categories)) &&
		v[2] > -maxSize && v[2] < maxSize
	return row{v[0], uint8(v[1]), uint8(v[3]), v[2]}, good
}

// draw follows the levels of the categories.
func (t *Timeline) draw(rows []row) error {
	s := newSketch(len(categories), len(rows))
	from, dipped := int64(-1), 0
	var before int
	for before < len(rows) && rows[before].action == preexisting {
		dipped += s.add(&rows[before])
		before++
	}
	t.LevelBefore = s.total
	if s.total > maxLevel {
		return errTooMuch
	}
	s.point(0)
	for i := before; i < len(rows); {
		at := rows[i].time
		if at >= 0 && (from < 0 || at < from) {
			from = at
		}
		// What happens at one time is one change: a tensor that changes its category
		// is taken from one and added to the other.
		for ; i < len(rows) && rows[i].time == at; i++ {
			if rows[i].action == created {
				t.Allocations++
			}
			dipped += s.add(&rows[i])
		}
		if s.total > maxLevel {
			return errTooMuch
		}
		t.Peak = max(t.Peak, s.total)
		s.point(unit.Time(min(max(0, at-from), 1<<62/int64(unit.Nanosecond))) * unit.Nanosecond)
	}
	t.Peak = max(t.Peak, t.LevelBefore)
	if dipped > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d rows take more out of a category than is in it; it is counted as empty.", dipped))
	}
	t.picture = s.picture(categories)
	return nil
}

var errTooMuch = errors.New("the memory in use is more than an exbibyte")

// add changes a level that cannot fall below nothing, and returns 1 if it would.
func (s *sketch) add(r *row) int {
	by := unit.Bytes(r.bytes)
	short := s.levels[r.category]+by < 0
	if short {
		by = -s.levels[r.category]
	}
	s.levels[r.category] += by
	s.total += by
	if short {
		return 1
	}
	return 0
}

// Recording returns the picture. name is the file's, without folders.
func (t *Timeline) Recording(name string) *recording.Recording {
	return &recording.Recording{
		Name: name, Format: "PyTorch memory timeline", Files: []string{name}, Label: recording.M,
		Memory:  recording.Memory{Known: true, LevelBefore: t.LevelBefore, Peak: t.Peak, Allocations: t.Allocations},
		Notes:   t.Notes,
		Advice:  []string{"A memory timeline has amounts by category, and neither tensors nor kernels, so there is nothing to simulate. Export the profiler's trace (export_chrome_trace) with record_shapes and profile_memory instead."},
		Picture: t.picture,
	}
}
