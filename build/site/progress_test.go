package main

import (
	"strings"
	"testing"
	"time"
)

// Every step has a line when it is done; of those that last something is said in between.
func TestProgress(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		var out strings.Builder
		at := time.Unix(0, 0)
		p := &progress{to: &out, terminal: terminal, now: func() time.Time { return at }, said: at}
		later := func(d time.Duration) { at = at.Add(d); p.tick() }

		later(time.Minute) // nothing is under way
		programs := p.begin("compiling 13 programs", 13)
		files := p.begin("compressing 210 files", 1000)
		files.share = true
		later(time.Second)
		programs.add(4)
		files.add(370)
		later(repeated)
		programs.end()
		later(time.Second)
		files.end()
		later(time.Minute)
		p.say("all is well")

		want := "site: compiling 13 programs: 4 done, 6 s; compressing 210 files: 37 %, 6 s\n" +
			"site: compiling 13 programs: done in 6.0 s\nsite: compressing 210 files: done in 7.0 s\nsite: all is well\n"
		if terminal {
			want = again + "site: compiling 13 programs: 0 done, 1 s; compressing 210 files: 0 %, 1 s" +
				again + "site: compiling 13 programs: 4 done, 6 s; compressing 210 files: 37 %, 6 s" +
				again + "site: compiling 13 programs: done in 6.0 s\n" + again + "site: compressing 210 files: 37 %, 7 s" +
				again + "site: compressing 210 files: done in 7.0 s\n" + again + "site: all is well\n"
		}
		if got := out.String(); got != want {
			t.Errorf("on a terminal %v:\n%q, want\n%q", terminal, got, want)
		}
	}
}

// A line that is rewritten is not longer than a terminal is wide.
func TestProgressFits(t *testing.T) {
	var out strings.Builder
	p := &progress{to: &out, terminal: true, now: func() time.Time { return time.Unix(0, 0) }}
	p.begin(strings.Repeat("é", 100), 0)
	p.tick()
	if n := len([]rune(strings.TrimPrefix(out.String(), again))); n > 79 {
		t.Errorf("%d characters", n)
	}
}

// Nobody has to listen.
func TestNoProgress(t *testing.T) {
	var p *progress
	s := p.begin("x", 1)
	s.add(1)
	s.end()
	p.say("x")
	if err := p.do("x", func() error { return nil }); err != nil {
		t.Error(err)
	}
}
