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
	Nowhere // not made yet, or freed
)

const places = 3

// String returns the place's name.
func (p Place) String() string { return [...]string{"user", "Raven on GPU", "Raven in host"}[p] }

// timelinePoints is how many intervals a timeline has at most.
const timelinePoints = 512

// A Timeline is memory over time. Interval i goes from i·Step to (i+1)·Step and
// holds GPU memory as it was at the instant within when most of it was in use,
// and host memory likewise; so no peak is lost, and what belongs to one memory
// adds up.
type Timeline struct {
	Step unit.Time
	// Bytes has three rows a client, by Place: row 3·client + place.
	Bytes [][]unit.Bytes
	// GPU and Host are all that is in the two memories, page tables not counted:
	// the sums of the rows.
	GPU, Host []unit.Bytes
}

// recorder makes a timeline as time passes.
type recorder struct {
	step    unit.Time
	at      int // the last interval
	clients int
	now     []unit.Bytes // rows, then the sums of GPU and host
	rows    [][]unit.Bytes
}

func newRecorder(clients int) *recorder {
	n := places*clients + 2
	k := &recorder{step: unit.Microsecond, clients: clients, now: make([]unit.Bytes, n), rows: make([][]unit.Bytes, n)}
	for i := range k.rows {
		k.rows[i] = make([]unit.Bytes, 1, timelinePoints)
	}
	return k
}

// sum is the row of the sum that a place belongs to.
func (k *recorder) sum(p Place) int {
	if p == InHost {
		return places*k.clients + 1
	}
	return places * k.clients
}

// move takes bytes of a client from one place to another at a time that is not
// before that of the last call.
func (k *recorder) move(t unit.Time, client int, from, to Place, n unit.Bytes) {
	k.reach(t)
	if from < Nowhere {
		k.now[places*client+int(from)] -= n
		k.now[k.sum(from)] -= n
	}
	if to < Nowhere {
		k.now[places*client+int(to)] += n
		s := k.sum(to)
		if k.now[s] += n; k.now[s] > k.rows[s][k.at] {
			k.keep(to, k.at, k.now)
		}
	}
}

// keep makes the interval hold one memory as it is in from.
func (k *recorder) keep(p Place, at int, from []unit.Bytes) {
	s := k.sum(p)
	k.rows[s][at] = from[s]
	for c := range k.clients {
		if p == InHost {
			i := places*c + int(InHost)
			k.rows[i][at] = from[i]
			continue
		}
		for _, q := range [...]Place{User, InGPU} {
			i := places*c + int(q)
			k.rows[i][at] = from[i]
		}
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
	column := make([]unit.Bytes, len(k.rows))
	for j := 0; j <= k.at; j += 2 {
		for _, p := range [...]Place{InGPU, InHost} {
			from, s := j, k.sum(p)
			if j < k.at && k.rows[s][j+1] > k.rows[s][j] {
				from = j + 1
			}
			for i := range k.rows {
				column[i] = k.rows[i][from]
			}
			k.keep(p, j/2, column)
		}
	}
	k.at /= 2
	for i := range k.rows {
		k.rows[i] = k.rows[i][:k.at+1]
	}
}

func (k *recorder) timeline(end unit.Time) Timeline {
	k.reach(end)
	n := places * k.clients
	return Timeline{Step: k.step, Bytes: k.rows[:n], GPU: k.rows[n], Host: k.rows[n+1]}
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
