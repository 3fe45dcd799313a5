package store

import "spillway/sim/unit"

// A Place is where a tensor's bytes are.
type Place uint8

// The places, as the report's states: accessible to the client; the store's,
// in GPU memory (also while they come back); evicted.
const (
	User Place = iota
	InGPU
	InHost
	nowhere
)

const places = 3

// String returns the place's name.
func (p Place) String() string { return [...]string{"user", "Raven on GPU", "Raven in host"}[p] }

// timelinePoints is how many intervals a timeline has at most.
const timelinePoints = 512

// A Timeline is memory over time. Interval i goes from i·Step to (i+1)·Step,
// and holds the greatest value within, so that no peak is lost. Values of one
// interval need not have been at the same instant.
type Timeline struct {
	Step unit.Time
	// Bytes has three rows a client, by Place: row 3·client + place.
	Bytes [][]unit.Bytes
	// GPU is all that is in GPU memory, page tables not counted: not the sum of
	// rows, whose maxima may be at different instants.
	GPU []unit.Bytes
}

// recorder makes a timeline as time passes.
type recorder struct {
	step unit.Time
	at   int          // the last interval
	now  []unit.Bytes // rows, and the GPU's sum as the last
	rows [][]unit.Bytes
}

func newRecorder(clients int) *recorder {
	k := &recorder{step: unit.Microsecond, now: make([]unit.Bytes, places*clients+1), rows: make([][]unit.Bytes, places*clients+1)}
	for i := range k.rows {
		k.rows[i] = make([]unit.Bytes, 1, timelinePoints)
	}
	return k
}

// move takes bytes of a client from one place to another at a time that is not
// before that of the last call.
func (k *recorder) move(t unit.Time, client int, from, to Place, n unit.Bytes) {
	k.reach(t)
	sum := len(k.now) - 1
	if from < nowhere {
		k.now[places*client+int(from)] -= n
	}
	if from < InHost {
		k.now[sum] -= n
	}
	if to < nowhere {
		row := places*client + int(to)
		k.now[row] += n
		k.rows[row][k.at] = max(k.rows[row][k.at], k.now[row])
	}
	if to < InHost {
		k.now[sum] += n
		k.rows[sum][k.at] = max(k.rows[sum][k.at], k.now[sum])
	}
}

// reach fills the intervals up to that of t.
func (k *recorder) reach(t unit.Time) {
	for t/k.step >= timelinePoints {
		k.halve()
	}
	at := int(t / k.step)
	if at == k.at {
		return
	}
	for i := range k.rows {
		for range at - k.at {
			k.rows[i] = append(k.rows[i], k.now[i])
		}
	}
	k.at = at
}

// halve makes two intervals one.
func (k *recorder) halve() {
	k.step *= 2
	k.at /= 2
	for i, row := range k.rows {
		n := 0
		for j := 0; j < len(row); j += 2 {
			row[n] = row[j]
			if j+1 < len(row) {
				row[n] = max(row[n], row[j+1])
			}
			n++
		}
		k.rows[i] = row[:n]
	}
}

func (k *recorder) timeline(end unit.Time) Timeline {
	k.reach(end)
	n := len(k.rows) - 1
	return Timeline{Step: k.step, Bytes: k.rows[:n], GPU: k.rows[n]}
}

// logged is how many entries a log keeps at most.
const logged = 2048

// A Log keeps every Stride-th of Count entries, from the first.
type Log[E any] struct {
	Count, Stride int64
	Kept          []E
}

// add counts e and keeps it if its turn has come.
func (l *Log[E]) add(e E) {
	if l.Stride == 0 {
		l.Stride = 1
	}
	if l.Count%l.Stride == 0 {
		if len(l.Kept) == logged {
			for i := range logged / 2 {
				l.Kept[i] = l.Kept[2*i]
			}
			l.Kept = l.Kept[:logged/2]
			l.Stride *= 2
		}
		if l.Count%l.Stride == 0 {
			l.Kept = append(l.Kept, e)
		}
	}
	l.Count++
}
