package pool

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// play lets the bytes decide what happens, then lets everything come to its end.
func play(t *testing.T, script []byte) {
	h := newFake(0)
	next := func() int {
		if len(script) == 0 {
			return 0
		}
		b := script[0]
		script = script[1:]
		return int(b)
	}
	cores, manner := next()%7, next()
	h = newFake(cores)
	programs := []string{"train", "serve", "cache"}[:1+next()%3]
	id := 0
	start := func(b int) {
		id++
		h.start(Task{ID: id, Program: programs[b%len(programs)], Bulk: b/4%4 == 0, Files: max(0, b/16%4-1)})
	}
	h.onStart = func(w *fakeWorker) {
		switch manner & 3 {
		case 1:
			w.ready()
		case 2:
			if next()%4 == 0 {
				w.crash()
			}
		}
	}
	h.onAnswer = func(_ int, last bool) {
		if last && manner&4 != 0 && next()%4 == 0 {
			start(next())
		}
		if manner&8 != 0 && next()%8 == 0 {
			h.stop(1 + next()%max(id, 1))
		}
	}
	h.onFailed = func(id int) {
		if manner&16 != 0 {
			h.stop(id + 1)
		}
	}
	for len(script) > 0 {
		event(h, next, start, id)
		if len(h.broken) > 0 {
			break
		}
	}
	h.onStart, h.onAnswer, h.onFailed = nil, nil, nil
	drain(h)
	for id, f := range h.tasks {
		if !f.over && !f.stopped {
			h.breach("task %d has no end", id)
		}
	}
	if len(h.pool.queue) > 0 {
		h.breach("%d tasks wait at the end", len(h.pool.queue))
	}
	if len(h.broken) > 0 {
		for _, line := range h.log {
			t.Log(line)
		}
	}
	h.holds(t)
}

// event does one thing that can happen.
func event(h *fakeHost, next func() int, start func(b int), id int) {
	what := next()
	var w *fakeWorker
	if alive := h.alive(); len(alive) > 0 {
		w = alive[next()%len(alive)]
	}
	switch what % 17 {
	case 0, 1, 2:
		start(next())
	case 3:
		h.stop(1 + next()%(id+1))
	case 4: // the newest: somebody types
		h.stop(max(id-1, 1), id)
	case 5:
		h.pass(float64(next() % 128))
	case 6:
		h.open(h.number + 1)
	case 7: // a timer comes early
		for i := range h.timers {
			h.timers[i].at -= 0.5
		}
	case 16: // somebody looks at what was one of many
		h.raise(1 + next()%(id+1))
	case 8: // of workers that are no more
		for _, w := range h.workers {
			if w.dead || w.ended {
				w.handle.Ready()
				w.handle.Message(1+next()%(id+1), nil, true)
				w.handle.Stopped("again")
			}
		}
	}
	if w == nil {
		return
	}
	switch what % 17 {
	case 9:
		w.ready()
	case 10:
		if w.task != nil {
			w.say("half", false)
		}
	case 11, 12, 13:
		if w.task != nil {
			w.done()
		}
	case 14: // said twice, or about nothing
		old := 1 + next()%(id+1)
		if w.task == nil || w.task.ID != old {
			w.heard = true
			w.handle.Message(old, nil, true)
		}
	case 15:
		w.crash()
	}
}

// drain lets every worker do its task until nothing happens any more.
func drain(h *fakeHost) {
	for range 10 * (len(h.tasks) + 10) {
		before := len(h.log)
		h.pass(2 * pause)
		for _, w := range h.alive() {
			if w.task != nil {
				w.done()
			}
		}
		if len(h.broken) > 0 || len(h.log) == before && len(h.timers) == 0 {
			return
		}
	}
}

// Whatever happens, in whatever order, every task gets one end and no worker two
// tasks; see the checks of fakeHost.
func TestAnyOrder(t *testing.T) {
	rounds := uint64(4000)
	if testing.Short() {
		rounds = 300
	}
	for seed := range rounds {
		r := rand.New(rand.NewPCG(seed, 0))
		script := make([]byte, 8+r.IntN(4+int(seed)/4))
		for i := range script {
			script[i] = byte(r.Uint32())
		}
		if !t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { play(t, script) }) {
			return // the smallest
		}
	}
}

func FuzzPool(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 8 {
		script := make([]byte, 40*(n+1))
		for i := range script {
			script[i] = byte(r.Uint32())
		}
		f.Add(script)
	}
	f.Add(slices.Repeat([]byte{0, 0, 0, 15}, 20))
	f.Fuzz(func(t *testing.T, script []byte) { play(t, script[:min(len(script), 4000)]) })
}
