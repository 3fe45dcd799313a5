package pool

import (
	"slices"
	"testing"
)

const (
	again  = "Run again; if it happens again the workload may be too large for a browser tab's memory."
	gone   = "A worker stopped unexpectedly (out of memory)"
	reload = gone + " and cannot be started again. Reload the page."
)

func TestOrder(t *testing.T) {
	h := newFake(0) // one worker
	h.start(train(1))
	h.wants(t, "start #1 train", "send 1 to #1") // before it is ready
	h.start(bulk(2))
	h.start(train(3))
	h.start(bulk(4))
	h.start(train(5))
	h.w(1).ready()
	h.wants(t)
	for range 5 {
		h.w(1).done()
	}
	h.wants(t, "answer 1 done", "send 3 to #1", "answer 3 done", "send 5 to #1", "answer 5 done",
		"send 2 to #1", "answer 2 done", "send 4 to #1", "answer 4 done")
}

func TestReadyLateOrNever(t *testing.T) {
	h := newFake(0)
	h.start(train(1))
	h.start(train(2))
	h.w(1).say("half", false)
	h.w(1).done() // never said that it was ready
	h.w(1).ready()
	h.w(1).ready()
	h.wants(t, "start #1 train", "send 1 to #1", "progress 1 half", "answer 1 done", "send 2 to #1")
}

func TestHostReportsBeforeStartReturns(t *testing.T) {
	h := newFake(8)
	h.onStart = func(w *fakeWorker) { w.ready() }
	h.start(train(1))
	h.wants(t, "start #1 train", "send 1 to #1")

	h = newFake(0)
	h.onStart = func(w *fakeWorker) {
		if w.number == 1 { // the one of the boot script had died
			w.crash()
		}
	}
	h.start(train(1))
	h.wants(t, "start #1 train", "crashed: "+gone+" while it had nothing to do. It was replaced; nothing is lost.",
		"start #2 train", "send 1 to #2", "end #1")

	h = newFake(0)
	h.onStart = func(w *fakeWorker) { w.crash() }
	h.start(train(1))
	if last := h.log[len(h.log)-4:]; !slices.Contains(last, "crashed: "+reload) || len(h.workers) != 3 {
		t.Errorf("%d starts, then %q", len(h.workers), last)
	}
	h.holds(t)
}

func TestAnswerOfUnreadableTask(t *testing.T) {
	h := newFake(0)
	h.start(train(1))
	h.w(1).task = nil
	h.w(1).handle.Message(0, []byte("what?"), true)
	h.wants(t, "start #1 train", "send 1 to #1", "answer 1 what?")
}

func TestStopQueued(t *testing.T) {
	h := newFake(0)
	h.start(train(1))
	h.start(train(2))
	h.start(train(3))
	h.stop(2)
	h.pass(pause)
	h.w(1).done()
	h.wants(t, "start #1 train", "send 1 to #1", "answer 1 done", "send 3 to #1")
}

func TestStopNothing(t *testing.T) {
	h := newFake(0)
	h.stop()
	h.start(train(1))
	h.wants(t, "start #1 train", "send 1 to #1") // without a pause
}

// Each case: a ready worker runs task 1, which is stopped; task 2 waits.
func TestPatienceAndQuiet(t *testing.T) {
	running := []string{"start #1 train", "send 1 to #1"}
	for _, tt := range []struct {
		name string
		do   func(h *fakeHost)
		want []string
	}{
		{"not yet impatient", func(h *fakeHost) { h.pass(patience - 1) }, nil},
		{"replaced, quiet still", func(h *fakeHost) { h.pass(pause - 1) }, []string{"end #1", "start #2 train"}},
		{"replaced, then given", func(h *fakeHost) { h.pass(pause) }, []string{"end #1", "start #2 train", "send 2 to #2"}},
		{"done in time", func(h *fakeHost) { h.pass(patience - 1); h.w(1).done(); h.pass(pause) }, []string{"send 2 to #1"}},
		{"its progress is dropped", func(h *fakeHost) { h.w(1).say("half", false) }, nil},
		{"typing on", func(h *fakeHost) {
			h.w(1).done()
			for id := 3; id < 7; id++ {
				h.pass(pause - 1)
				h.stop(id - 1)
				h.start(train(id))
			}
			h.pass(pause)
		}, []string{"send 6 to #1"}},
		{"stopped twice", func(h *fakeHost) { h.pass(20); h.stop(1); h.pass(patience) }, []string{"end #1", "start #2 train"}},
		{"a crash of what nobody waits for", func(h *fakeHost) { h.w(1).crash(); h.pass(pause) }, []string{"end #1", "start #2 train", "send 2 to #2"}},
		{"an answer that comes too late", func(h *fakeHost) { h.pass(patience); h.w(1).done(); h.w(1).ready(); h.w(1).crash() }, []string{"end #1", "start #2 train"}},
		{"another task in time keeps its worker", func(h *fakeHost) {
			h.quiet, h.pool.quiet = 0, 0
			h.w(1).done() // task 2 begins before the patience with task 1 ends
			h.pass(2 * pause)
		}, []string{"send 2 to #1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newFake(0)
			h.start(train(1))
			h.w(1).ready()
			h.wants(t, running...)
			h.stop(1)
			h.start(train(2))
			tt.do(h)
			h.wants(t, tt.want...)
		})
	}
}

// Who types while the first worker loads does not make it load again and again.
func TestOutdatedWhileLoading(t *testing.T) {
	h := newFake(0)
	h.start(train(1))
	for id := 2; id < 20; id++ {
		h.stop(id - 1)
		h.start(train(id))
		h.pass(30)
	}
	h.wants(t, "start #1 train", "send 1 to #1")
	h.w(1).ready()
	h.pass(patience - 1)
	h.wants(t)
	h.w(1).done()
	h.pass(pause)
	h.wants(t, "send 19 to #1")

	h = newFake(0)
	h.start(train(1))
	h.stop(1)
	h.pass(1000)
	h.w(1).ready()
	h.pass(patience)
	h.wants(t, "start #1 train", "send 1 to #1", "end #1", "start #2 train")
}

// A timer may come early by the browser's rounding.
func TestEarlyTimer(t *testing.T) {
	h := newFake(0)
	h.stop(7)
	h.start(train(1))
	h.timers[0].at -= 0.5
	h.pass(pause - 0.1)
	h.wants(t, "start #1 train")
	h.pass(0.1)
	h.wants(t, "send 1 to #1")
}

// A timer that fires early meets the end of the pause: it may end between two looks at
// the clock.
func TestPauseEndsMeanwhile(t *testing.T) {
	for early := range 40 {
		h := newFake(0)
		h.stop(7)
		h.start(train(1))
		h.timers[0].at -= float64(early) * 0.05
		h.tick = 0.1
		for range 10 {
			h.pass(pause)
		}
		if got := h.log[len(h.log)-1]; got != "send 1 to #1" {
			t.Errorf("%.2f ms early: %q", float64(early)*0.05, h.log)
		}
	}
}

// Workers load during the pause, one for each task; one timer waits for its end.
func TestLoadingDuringPause(t *testing.T) {
	h := newFake(8)
	h.stop(9)
	for id := 1; id <= 3; id++ {
		h.start(train(id))
	}
	h.w(2).ready()
	h.wants(t, "start #1 train", "start #2 train", "start #3 train")
	if len(h.timers) != 1 {
		t.Errorf("%d timers wait", len(h.timers))
	}
	h.pass(pause)
	h.wants(t, "send 1 to #2", "send 2 to #1", "send 3 to #3")
}

func TestCrash(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(h *fakeHost)
		want []string
	}{
		{"before ready, with a task", func(h *fakeHost) { h.start(train(1)); h.start(train(2)); h.w(1).crash() }, []string{
			"start #1 train", "send 1 to #1", "end #1",
			"crashed: " + gone + " before it began its run. It was replaced; nothing is lost.",
			"start #2 train", "send 1 to #2",
		}},
		{"before ready, without", func(h *fakeHost) { h.stop(9); h.start(train(1)); h.w(1).crash(); h.pass(pause) }, []string{
			"start #1 train", "end #1",
			"crashed: " + gone + " while it had nothing to do. It was replaced; nothing is lost.",
			"start #2 train", "send 1 to #2",
		}},
		{"idle", func(h *fakeHost) { h.start(train(1)); h.w(1).done(); h.w(1).crash(); h.start(train(2)) }, []string{
			"start #1 train", "send 1 to #1", "answer 1 done", "end #1",
			"crashed: " + gone + " while it had nothing to do. It was replaced; nothing is lost.",
			"start #2 train", "send 2 to #2",
		}},
		{"during a task", func(h *fakeHost) { h.start(train(1)); h.start(train(2)); h.w(1).ready(); h.w(1).crash() }, []string{
			"start #1 train", "send 1 to #1", "end #1",
			"failed 1: " + gone + " during this run and was replaced. " + again,
			"crashed: " + gone + ". It was replaced.",
			"start #2 train", "send 2 to #2",
		}},
		{"during each task", func(h *fakeHost) {
			for id := 1; id <= 5; id++ { // more than mostFailures
				h.start(train(id))
				h.w(id).ready()
				h.w(id).crash()
				h.log = nil
			}
			h.start(train(6))
		}, []string{"send 6 to #6"}},
		{"three times in a row", func(h *fakeHost) {
			h.start(train(1))
			h.start(train(2))
			h.start(of("serve", 3)) // waits for the place
			h.w(1).crash()
			h.w(2).crash()
			h.log = nil
			h.w(3).crash()
		}, []string{"end #3", "failed 1: " + reload, "failed 2: " + reload, "crashed: " + reload, "start #4 serve", "send 3 to #4"}},
		{"tried again for a new task", func(h *fakeHost) {
			h.start(train(1))
			h.w(1).crash()
			h.w(2).crash()
			h.w(3).crash()
			h.log = nil
			h.start(train(2))
			h.w(4).crash() // once
			h.start(train(3))
			h.w(5).done()
		}, []string{
			"start #4 train", "send 2 to #4", "end #4", "failed 2: " + reload, "crashed: " + reload,
			"start #5 train", "send 3 to #5", "answer 3 done",
		}},
		{"idle, again and again", func(h *fakeHost) {
			h.start(train(1))
			h.w(1).done()
			for i := 1; i <= 4; i++ { // the first did a task and does not count
				h.w(i).ready()
				h.log = nil
				h.w(i).crash()
			}
		}, []string{"end #4", "crashed: " + reload}},
		{"a good start between two bad ones", func(h *fakeHost) {
			h.start(train(1))
			h.w(1).crash()
			h.w(2).crash()
			h.w(3).done()
			h.w(3).crash()
			h.w(4).crash()
			h.log = nil
			h.w(5).crash()
		}, []string{"end #5", "crashed: " + gone + " while it had nothing to do. It was replaced; nothing is lost.", "start #6 train"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newFake(0)
			tt.do(h)
			h.wants(t, tt.want...)
		})
	}
}

// Workers that fail to start at the same time have failed once, not thrice.
func TestFailingTogether(t *testing.T) {
	h := newFake(4)
	for id := 1; id <= 3; id++ {
		h.start(train(id))
	}
	for n := 1; n <= 3; n++ {
		h.w(n).crash()
	}
	if len(h.workers) != 6 {
		t.Errorf("%d starts, want 6: %q", len(h.workers), h.log)
	}
	h.holds(t)
}

// One worker goes on when no second one can be started.
func TestOthersGoOn(t *testing.T) {
	h := newFake(3)
	h.start(train(1))
	h.w(1).ready()
	h.start(train(2))
	for n := 2; n <= 3; n++ {
		h.w(n).crash()
	}
	h.log = nil
	h.w(4).crash()
	h.wants(t, "end #4", "crashed: "+gone+" before it began its run. Others do its work; nothing is lost.")
	h.w(1).done()
	h.wants(t, "answer 1 done", "send 2 to #1")
	h.w(1).crash() // the program works: it is started again
	h.wants(t, "end #1", "failed 2: "+gone+" during this run and was replaced. "+again, "crashed: "+gone+". It was replaced.", "start #5 train")
}

// The first worker that gets ready gives hope for those that did not start, and
// they get as many tries as at first.
func TestHopeAgain(t *testing.T) {
	h := newFake(4)
	h.start(train(1))
	h.start(train(2))
	for n := 2; n <= 4; n++ {
		h.w(n).crash()
	}
	h.log = nil
	h.w(1).ready()
	h.wants(t, "start #5 train", "send 2 to #5")
	h.w(5).crash()
	h.w(6).crash()
	h.log = nil
	h.w(7).crash()
	h.wants(t, "end #7", "crashed: "+gone+" before it began its run. Others do its work; nothing is lost.")
}

func TestGrowth(t *testing.T) {
	interactive := func(n int) []Task {
		var list []Task
		for id := range n {
			list = append(list, train(id+1))
		}
		return list
	}
	for _, tt := range []struct {
		name  string
		cores int
		tasks []Task
		want  int // workers
	}{
		{"one task", 8, interactive(1), 1},
		{"two tasks", 8, interactive(2), 2},
		{"the budget", 8, interactive(20), 4},
		{"a core is the page's", 4, interactive(3 + longQueue), 3},
		{"a long queue", 4, interactive(3 + longQueue + 1), 4},
		{"bulk", 4, []Task{bulk(1), bulk(2), bulk(3), bulk(4), bulk(5)}, 4},
		{"two cores", 2, interactive(5), 1},
		{"two cores, bulk", 2, []Task{bulk(1), bulk(2), bulk(3)}, 2},
		{"one core", 1, []Task{bulk(1), bulk(2), bulk(3)}, 1},
		{"unknown", 0, interactive(20), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newFake(tt.cores)
			for _, task := range tt.tasks {
				h.start(task)
			}
			if got := len(h.workers); got != tt.want {
				t.Errorf("got %d workers, want %d: %q", got, tt.want, h.log)
			}
			h.holds(t)
		})
	}
}

// A worker that is about to be free is waited for.
func TestNoNewWorkerForOutdated(t *testing.T) {
	h := newFake(4)
	h.start(train(1))
	h.w(1).ready()
	h.stop(1)
	h.start(train(2))
	h.w(1).done()
	h.pass(pause)
	h.wants(t, "start #1 train", "send 1 to #1", "send 2 to #1")
}

func TestPrograms(t *testing.T) {
	h := newFake(4) // three workers
	h.start(of("train", 1))
	h.start(of("serve", 2))
	h.start(of("train", 3))
	h.start(of("cache", 4))
	h.wants(t, "start #1 train", "send 1 to #1", "start #2 serve", "send 2 to #2", "start #3 train", "send 3 to #3")
	h.w(3).done() // its place is needed
	h.wants(t, "answer 3 done", "end #3", "start #4 cache", "send 4 to #4")
	h.w(2).done()
	h.w(1).done()
	h.start(of("cache", 5)) // #2 has rested longest
	h.wants(t, "answer 2 done", "answer 1 done", "end #2", "start #5 cache", "send 5 to #5")
	h.start(of("train", 6))
	h.wants(t, "send 6 to #1")
}

// A task that waits for the pause keeps the worker it will have.
func TestClaimedWorkerStays(t *testing.T) {
	h := newFake(0)
	h.start(of("train", 1))
	h.w(1).done()
	h.stop(9)
	h.start(of("train", 2))
	h.start(of("serve", 3))
	h.wants(t, "start #1 train", "send 1 to #1", "answer 1 done")
	h.pass(pause)
	h.wants(t, "send 2 to #1")
	h.w(1).done()
	h.wants(t, "answer 2 done", "end #1", "start #2 serve", "send 3 to #2")
}

// What is not bulk takes even the last worker of the laboratory in use.
func TestEarlierTaskOfAnotherProgram(t *testing.T) {
	h := newFake(3)
	h.start(of("train", 1))
	h.start(of("serve", 2))
	h.start(of("train", 3))
	h.start(of("serve", 4))
	h.w(2).done()
	h.wants(t, "start #1 train", "send 1 to #1", "start #2 serve", "send 2 to #2", "answer 2 done", "end #2", "start #3 train", "send 3 to #3")
	h.w(1).done()
	h.wants(t, "answer 1 done", "end #1", "start #4 serve", "send 4 to #4")
}

// Bulk leaves one worker to the laboratory in use.
func TestBulkBesideInteractive(t *testing.T) {
	h := newFake(2)
	for id := 1; id <= 4; id++ {
		h.start(bulk(id))
	}
	h.start(of("serve", 5))
	h.log = nil
	h.w(1).done()
	h.wants(t, "answer 1 done", "end #1", "start #3 serve", "send 5 to #3")
	h.w(3).done()
	h.w(2).done()
	h.wants(t, "answer 5 done", "answer 2 done", "send 3 to #2")
	h.start(of("serve", 6))
	h.wants(t, "send 6 to #3")
	h.w(3).done()
	h.start(of("train", 7)) // which somebody uses again
	h.wants(t, "answer 6 done", "end #3", "start #4 train", "send 7 to #4")

	h = newFake(3)
	h.start(of("serve", 1))
	h.start(of("serve", 2))
	h.w(1).done()
	h.w(2).done()
	h.log = nil
	for id := 3; id <= 6; id++ { // of two idle workers, bulk takes one
		h.start(bulk(id))
	}
	h.wants(t, "start #3 train", "send 3 to #3", "end #1", "start #4 train", "send 4 to #4")

	h = newFake(1)
	h.start(of("serve", 1))
	h.start(bulk(2))
	h.log = nil
	h.w(1).done() // bulk with no worker takes the last
	h.wants(t, "answer 1 done", "end #1", "start #2 train", "send 2 to #2")
}

func TestFiles(t *testing.T) {
	with := func(id, files int) Task { return Task{ID: id, Program: "train", Files: files} }
	h := newFake(0)
	h.start(with(1, 0))
	h.w(1).done()
	h.open(1)
	for id := 2; id < 4; id++ {
		h.start(with(id, 1))
		h.w(1).done()
	}
	h.wants(t, "start #1 train", "send 1 to #1", "answer 1 done", "send 2 to #1 with files", "answer 2 done", "send 3 to #1", "answer 3 done")
	h.open(2)
	h.start(with(4, 1)) // of the old set, which the worker still has
	h.w(1).done()
	h.start(with(5, 2))
	h.w(1).done()
	h.start(with(6, 1)) // of the old set again, which the host still has
	h.w(1).done()
	h.start(with(66, 3)) // of a set that nobody has: the program says so
	h.w(1).done()
	h.wants(t, "send 4 to #1", "answer 4 done", "send 5 to #1 with files", "answer 5 done", "send 6 to #1 with files", "answer 6 done", "send 66 to #1", "answer 66 done")
	h.w(1).crash()
	h.log = nil
	h.start(with(7, 2))
	h.wants(t, "send 7 to #2 with files")
	h.w(2).crash() // not yet ready: the task goes on, and the files with it
	h.wants(t, "end #2", "crashed: "+gone+" before it began its run. It was replaced; nothing is lost.", "start #3 train", "send 7 to #3 with files")
	h.w(3).ready()
	h.stop(7)
	h.start(with(8, 2))
	h.pass(pause)
	h.wants(t, "end #3", "start #4 train", "send 8 to #4 with files")
}

// What the page does when it hears of an answer comes before the pool goes on.
func TestCallsFromCallbacks(t *testing.T) {
	h := newFake(0)
	h.onAnswer = func(id int, last bool) {
		if id == 1 && last {
			h.stop(2)
			h.start(train(3))
		}
	}
	h.start(train(1))
	h.start(train(2))
	h.w(1).done()
	h.pass(pause)
	h.wants(t, "start #1 train", "send 1 to #1", "answer 1 done", "send 3 to #1")

	h = newFake(0)
	h.onFailed = func(id int) {
		if id == 1 {
			h.stop(2)
			h.start(train(3))
		}
	}
	h.start(train(1))
	h.start(train(2))
	for n := 1; n <= 3; n++ {
		h.w(n).crash()
	}
	h.pass(pause)
	h.w(4).done()
	if !h.tasks[3].over {
		t.Errorf("%q", h.log)
	}
	h.holds(t)
}

// What is raised goes before all that is one of many, in the order of the calls of Start, and
// is neither lost nor done twice, whether it waits, is under way or is over.
func TestRaise(t *testing.T) {
	h := newFake(2)
	for id := 1; id <= 6; id++ {
		h.start(bulk(id))
	}
	h.start(train(7))
	h.raise(6)
	h.raise(4)
	h.raise(1) // is under way
	h.raise(9) // is none
	var order []int
	for range 20 {
		h.pass(pause)
		for _, w := range h.alive() {
			if w.task != nil {
				order = append(order, w.task.ID)
				w.done()
			}
		}
	}
	h.raise(2) // is over
	at := func(id int) int { return slices.Index(order, id) }
	if len(order) != 7 || at(4) > at(6) || at(6) > at(7) || at(7) > at(3) || at(3) > at(5) {
		t.Errorf("done in the order %v", order)
	}
	h.holds(t)
}
