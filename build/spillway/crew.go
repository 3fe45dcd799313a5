package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"spillway/ui/lab"
	"spillway/ui/lab/all"
)

// A crew runs things of one laboratory on all processors. Every processor has a
// laboratory of its own, because a laboratory holds the workload at hand.
type crew struct {
	shell *shell
	door  all.Entry
	labs  []*lab.Lab
	// told is how far everything is that the crew does, if that is not known before;
	// nil if what is done at once is all.
	told *progress
}

func (s *shell) crew(door all.Entry) *crew { return &crew{shell: s, door: door} }

// hire sees that there are n laboratories.
func (c *crew) hire(n int) {
	for len(c.labs) < n {
		l := c.door.New()
		c.labs = append(c.labs, &l)
	}
}

// window is how many groups a processor may be ahead of what has been given on.
const window = 64

// ordered calls do with 0 to n-1 and gives what it returns to emit in that order.
// A processor takes a group of neighbours at a time, whose workload is the same,
// if there are enough groups. It ends with the first error in that order.
func ordered[T any](c *crew, n, group int, do func(l *lab.Lab, i int) (T, error), emit func(i int, v T) error) error {
	procs := runtime.GOMAXPROCS(0)
	if n < 4*procs*group {
		group = 1
	}
	groups := (n + group - 1) / group
	workers := min(groups, procs)
	c.hire(workers)
	ctx, cancel := context.WithCancel(c.shell.context())
	defer cancel()

	feed, room := make(chan int), make(chan struct{}, window*max(workers, 1))
	go func() {
		defer close(feed)
		for k := range groups {
			select {
			case room <- struct{}{}:
			case <-ctx.Done():
				return
			}
			select {
			case feed <- k:
			case <-ctx.Done():
				return
			}
		}
	}()
	results := make(chan outcome[T], workers)
	var wg sync.WaitGroup
	for k := range workers {
		wg.Go(func() {
			for at := range feed {
				for i := at * group; i < min((at+1)*group, n) && ctx.Err() == nil; i++ {
					v, err := guarded(do, c.labs[k], i)
					results <- outcome[T]{i, v, err}
				}
			}
		})
	}
	go func() {
		wg.Wait()
		close(results)
	}()
	done, err := collect(c.progress(n), results, func(r outcome[T]) error {
		if r.err == nil {
			r.err = emit(r.i, r.v)
		}
		if r.err == nil && ((r.i+1)%group == 0 || r.i+1 == n) {
			<-room
		}
		return r.err
	}, cancel)
	if err == nil && done < n {
		return failed{errors.New("stopped")}
	}
	return err
}

// An outcome is what came of one call.
type outcome[T any] struct {
	i   int
	v   T
	err error
}

// collect gives results on in their order and returns how many. After an error it
// cancels the rest.
func collect[T any](p *progress, results <-chan outcome[T], give func(outcome[T]) error, cancel func()) (next int, err error) {
	defer p.end()
	waiting := map[int]outcome[T]{}
	for {
		select {
		case <-p.tick():
			p.show()
		case r, ok := <-results:
			if !ok {
				return next, err
			}
			if err != nil {
				continue
			}
			waiting[r.i] = r
			p.done++
			for r, ok := waiting[next]; ok && err == nil; r, ok = waiting[next] {
				delete(waiting, next)
				if err = give(r); err != nil {
					cancel()
				}
				next++
			}
		}
	}
}

// each calls do with 0 to n-1 on all processors until one fails.
func each(c *crew, n int, do func(l *lab.Lab, i int) error) error {
	return ordered(c, n, 1, func(l *lab.Lab, i int) (struct{}, error) { return struct{}{}, do(l, i) },
		func(int, struct{}) error { return nil })
}

// guarded makes an error of a bug that makes the simulator panic.
func guarded[T any](do func(l *lab.Lab, i int) (T, error), l *lab.Lab, i int) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = failed{fmt.Errorf("the simulator has a bug: %v\n%s", p, debug.Stack())}
		}
	}()
	return do(l, i)
}

// A progress tells how far something is, when it takes longer than a second: on a
// terminal in one line that is written again, elsewhere in a line now and then.
type progress struct {
	shell   *shell
	total   int // 0 if nobody knows
	done    int
	start   time.Time
	last    time.Time
	ticker  *time.Ticker
	written bool
	bytes   bool // they are counted, not runs
}

// patience is how long nothing is said.
const patience = time.Second

// progress returns that of n things that the crew does now.
func (c *crew) progress(n int) *progress {
	p := c.told
	if p == nil {
		p = &progress{shell: c.shell, total: n}
	}
	if c.shell.now != nil {
		p.ticker = time.NewTicker(patience / 4)
		if p.start.IsZero() {
			p.start = c.shell.now()
		}
	}
	return p
}

// tick is when to look again; never without a clock.
func (p *progress) tick() <-chan time.Time {
	if p.ticker == nil {
		return nil
	}
	return p.ticker.C
}

// show says how much is done.
func (p *progress) show() {
	now := p.shell.now()
	passed := now.Sub(p.start)
	every := 10 * time.Second
	if p.shell.terminal {
		every = 0
	}
	if passed < patience || p.written && now.Sub(p.last) < every {
		return
	}
	text := fmt.Sprintf("%d runs, %v", p.done, passed.Round(time.Second))
	switch {
	case p.bytes:
		text = fmt.Sprintf("%.1f of %.1f GB, %v", float64(p.done)/1e9, float64(p.total)/1e9, passed.Round(time.Second))
	case p.total > 0:
		text = fmt.Sprintf("%d of %d runs, %v", p.done, p.total, passed.Round(time.Second))
	}
	if p.total > 0 && p.done > 0 {
		left := time.Duration(float64(passed) / float64(p.done) * float64(p.total-p.done))
		text += fmt.Sprintf(", about %v left", left.Round(time.Second))
	}
	if p.shell.terminal {
		text = "\r\x1b[K" + text
	} else {
		text += "\n"
	}
	_, _ = io.WriteString(p.shell.lines, text)
	p.last, p.written = now, true
}

// end clears the line.
func (p *progress) end() {
	if p.ticker != nil {
		p.ticker.Stop()
	}
	if p.written && p.shell.terminal {
		_, _ = io.WriteString(p.shell.lines, "\r\x1b[K")
	}
}
