package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// How often a progress says what is under way, on a terminal and elsewhere.
const (
	rewritten = 200 * time.Millisecond
	repeated  = 5 * time.Second
)

// again goes to the beginning of a terminal's line and empties it.
const again = "\r\x1b[K"

// A progress says what is done and how long it took, a line for each step. Of steps
// that last it says in between how far they are: on a terminal in one line that is
// rewritten, elsewhere in a line every few seconds. A nil progress is silent.
type progress struct {
	mu       sync.Mutex
	to       io.Writer
	terminal bool
	now      func() time.Time
	said     time.Time
	steps    []*step // under way, in the order in which they began
}

// A step is one part of the work. Several can be under way at a time. A nil step is
// silent.
type step struct {
	of          *progress
	name        string
	begun       time.Time
	done, total int64
	share       bool // say the share that is done, not the number
}

// newProgress returns a progress on standard output, and what ends it.
func newProgress() (p *progress, end func()) {
	info, err := os.Stdout.Stat()
	p = &progress{to: os.Stdout, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0, now: time.Now, said: time.Now()}
	ticker := time.NewTicker(rewritten)
	go func() {
		for range ticker.C {
			p.tick()
		}
	}()
	return p, func() {
		ticker.Stop()
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.steps = nil; p.terminal { // after a failure something still stands there
			fmt.Fprint(p.to, again)
		}
	}
}

// begin starts a step of total like parts; 0 when it has none.
func (p *progress) begin(name string, total int) *step {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &step{of: p, name: name, begun: p.now(), total: int64(total)}
	if len(p.steps) == 0 {
		p.said = s.begun // until now there was nothing to say
	}
	p.steps = append(p.steps, s)
	return s
}

// add notes that n more parts are done.
func (s *step) add(n int64) {
	if s == nil {
		return
	}
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.done += n
}

// end says that the step is done and how long it took.
func (s *step) end() {
	if s == nil {
		return
	}
	p := s.of
	p.mu.Lock()
	defer p.mu.Unlock()
	p.steps = slices.DeleteFunc(p.steps, func(x *step) bool { return x == s })
	p.line(fmt.Sprintf("%s: done in %.1f s", s.name, p.now().Sub(s.begun).Seconds()))
}

// say is a line of its own.
func (p *progress) say(format string, args ...any) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line(fmt.Sprintf(format, args...))
}

// do is a step without parts.
func (p *progress) do(name string, run func() error) error {
	s := p.begin(name, 0)
	if err := run(); err != nil {
		return err
	}
	s.end()
	return nil
}

// line writes a whole line, in place of the one that is rewritten.
func (p *progress) line(text string) {
	if p.terminal {
		fmt.Fprint(p.to, again)
	}
	fmt.Fprintln(p.to, "site: "+text)
	p.said = p.now()
}

// tick says what is under way, when it is time to.
func (p *progress) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.steps) == 0 {
		return
	}
	var parts []string
	for _, s := range p.steps {
		parts = append(parts, s.state(p.now()))
	}
	text := strings.Join(parts, "; ")
	switch {
	case p.terminal:
		const most = 73 // with what stands before; a longer line would not be rewritten but repeated
		if r := []rune(text); len(r) > most {
			text = string(r[:most-1]) + "…"
		}
		fmt.Fprint(p.to, again+"site: "+text)
	case p.now().Sub(p.said) >= repeated:
		p.line(text)
	}
}

// state says how far a step is.
func (s *step) state(now time.Time) string {
	far := ""
	switch {
	case s.share && s.total > 0:
		far = fmt.Sprintf("%d %%, ", 100*s.done/s.total)
	case s.total > 0:
		far = fmt.Sprintf("%d done, ", s.done)
	}
	return fmt.Sprintf("%s: %s%.0f s", s.name, far, now.Sub(s.begun).Seconds())
}
