package cxlssd

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"spillway/sim/cxlssd/stream"
	"spillway/sim/unit"
)

// TestFlashAgainstDescription books at random, compaction ahead of time, and compares
// when everything is done, the clocks, and the estimates.
func TestFlashAgainstDescription(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := Default()
		s.Channels, s.Dies, s.Blocks, s.Pages = 1+r.Int64N(9), 1+r.Int64N(4), 300, 8+r.Int64N(8)
		if seed%2 == 0 {
			s.Quirks &^= RunAhead
		}
		if seed%3 != 0 {
			s.Quirks &^= OneLUN
		}
		if seed%5 == 0 {
			s.ChannelRate = unit.Bandwidth(400+r.IntN(2000)) * unit.MBps
		}
		pages := 1 + r.Int32N(100)
		n := newNAND(&s, pages, true)
		m := newNaiveFlash(&s, pages)
		now, cursor := unit.Time(0), unit.Time(0)
		for step := range 200 {
			now += unit.Time(r.Int64N(int64(40 * unit.Microsecond)))
			cursor = max(now, cursor)
			page := uint32(r.Int32N(pages))
			var got, want unit.Time
			what := ""
			switch r.IntN(5) {
			case 0:
				what = "read"
				got, _ = n.read(page, now)
				want, _ = m.read(page, now)
			case 1:
				what = "program"
				n.program(page, now)
				m.program(page, now)
			case 2:
				what = "compaction read"
				got = n.compactRead(page, cursor)
				want = m.compactRead(page, cursor)
				cursor = got
			case 3:
				if r.IntN(4) == 0 {
					page = foreign
				}
				what = "compaction program"
				got = n.compactProgram(page, cursor)
				want = m.compactProgram(page, cursor)
			case 4:
				what = "estimate"
				got, want = n.estimate(page, now), m.estimate(page, now)
			}
			if got != want {
				t.Fatalf("seed %d, step %d: %s of page %d at %v: %v; want %v", seed, step, what, page, now, got, want)
			}
			for c := range m.user {
				if s := n.servers[c]; s.user != m.user[c] || s.flush != m.flush[c] {
					t.Fatalf("seed %d, step %d: after %s server %d is free at %v and %v; want %v and %v", seed, step, what, c, s.user, s.flush, m.user[c], m.flush[c])
				}
			}
		}
		if n.erases > 0 {
			t.Fatalf("seed %d: collected", seed)
		}
	}
}

// aged is a small device full of old pages.
func aged(precondition int64) Setup {
	s := Default()
	s.Channels, s.Dies, s.Blocks, s.Pages = 4, 2, 60, 32
	s.Preconditioned = precondition
	return s
}

func TestOldPagesAddUp(t *testing.T) {
	for _, tt := range []struct{ blocks, pages int32 }{{8192 * 8 / 10, 4096}, {100, 1 << 18}, {90, 128}, {8, mostPages}} {
		for _, share := range []int64{50, 300, 600, 900} {
			want := int64(tt.blocks) * int64(tt.pages) * share / 1000
			valid := oldBlocks(tt.blocks, tt.pages, want)
			sum, before := int64(0), tt.pages
			for i, v := range valid {
				if v < 0 || v > before {
					t.Fatalf("block %d has %d valid pages, the younger one %d", i, v, before)
				}
				sum, before = sum+int64(v), v
			}
			if off := want - sum; off < 0 || off > int64(tt.blocks)+want/500 {
				t.Errorf("%d blocks of %d pages: %d valid; want %d", tt.blocks, tt.pages, sum, want)
			}
		}
	}
}

// TestOldPagesAreCollected checks that a device full of old pages begins collection at
// once, ends it, and copies the more the fuller it is.
func TestOldPagesAreCollected(t *testing.T) {
	before := int64(-1)
	for _, share := range []int64{100, 300, 500, 600} {
		s := aged(share)
		if err := s.checkFlash(100); err != nil {
			t.Fatal(err)
		}
		n := newNAND(&s, 100, false)
		if !n.due {
			t.Errorf("%d‰: collection is not about to begin", share)
		}
		now := unit.Time(0)
		for ; n.due; now += unit.Millisecond {
			if now > unit.Second {
				t.Fatalf("%d‰: collection goes on after %v", share, now)
			}
			n.read(0, now)
		}
		t.Logf("%d‰: collected %d blocks and copied %d pages in %v", share, n.erases, n.collectionPrograms, now)
		if n.collectionPrograms <= before {
			t.Errorf("%d‰: %d pages copied; a device less full copied %d", share, n.collectionPrograms, before)
		}
		before = n.collectionPrograms
	}
}

func TestFlashThatCannotRunIsRefused(t *testing.T) {
	for want, change := range map[string]func(*Setup){
		"it would never end":     func(s *Setup) { s.Preconditioned = 650 },
		"must each be 1 or more": func(s *Setup) { s.Dies = 0 },
		"more than 2147483647":   func(s *Setup) { s.Dies, s.Planes, s.Blocks, s.Pages = 1<<40, 1<<40, 1<<40, 1<<40 },
		"superblocks; coll":      func(s *Setup) { s.Dies, s.Blocks = 1, 3 },
		"superblocks; a run":     func(s *Setup) { s.Blocks = 1 << 19 },
		"planes of dies that":    func(s *Setup) { s.Channels, s.Dies, s.Pages, s.Quirks = 1024, 128, 1, 0 },
		"pages; a run has room":  func(s *Setup) { s.Blocks, s.Pages = 8, 1<<20 },
	} {
		s := aged(0)
		change(&s)
		if err := s.checkFlash(100); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v; want one with %q", err, want)
		}
		if s.Validate() == nil { // else a sweep or a search over such a setting ends at a run that breaks off
			t.Errorf("%s: the settings are valid", want)
		}
	}
	s, p := Default(), Paper()
	for _, s := range []*Setup{&s, &p} {
		if err := s.checkFlash(200_000); err != nil {
			t.Error(err)
		}
	}
}

// TestScansCatchUp: after an hour without an access one makes up for a few scans only.
func TestScansCatchUp(t *testing.T) {
	s := Default()
	s.Quirks &^= StayArmed
	d := &device{pages: make([]page, 1000), scale: 1, design: Design{Promote: TPP}, setup: &s}
	d.host.init(d, 1000, &s)
	d.sampled(3, unit.Second*3600)
	if d.host.scan != unit.Second*3600+unit.Second/10 {
		t.Errorf("the next scan is at %v", d.host.scan)
	}
	var want stream.Random
	for range mostScans * 65536 {
		want.Next()
	}
	if d.random != want {
		t.Error("an hour of scans has not drawn the pages of 64")
	}
}

// TestCollectionKeepsEveryPage writes a device round and round, and checks that what
// collection did is in every account: pages, erases, and time of the servers.
func TestCollectionKeepsEveryPage(t *testing.T) {
	for _, estimate := range []bool{true, false} {
		for _, dies := range []bool{true, false} {
			t.Run(fmt.Sprint("estimate ", estimate, " dies ", dies), func(t *testing.T) {
				s := aged(500)
				if dies {
					s.Quirks &^= OneLUN
				}
				const pages, writes = 100, 20_000
				n := newNAND(&s, pages, estimate)
				r := rand.New(rand.NewPCG(3, 3))
				now, reads, worst := unit.Time(0), unit.Time(0), unit.Time(0)
				for range writes {
					now += 100 * unit.Microsecond
					page := uint32(r.Int32N(pages))
					if r.IntN(4) == 0 {
						page = foreign
					}
					n.program(page, now)
					done, took := n.read(uint32(r.Int32N(pages)), now)
					if done < now+took {
						t.Fatalf("a read at %v is done at %v", now, done)
					}
					worst = max(worst, done-now)
					reads += took
				}
				if n.erases == 0 || n.collectionReads != n.collectionPrograms {
					t.Errorf("%d erases, %d pages read and %d programmed by collection", n.erases, n.collectionReads, n.collectionPrograms)
				}
				busy := unit.Time(0)
				var got Result
				n.report(&got)
				for _, b := range got.ChannelBusy {
					busy += b
				}
				want := reads + writes*s.Program + unit.Time(n.collectionPrograms)*(s.Read+s.Program) + unit.Time(n.erases)*s.Erase
				if busy != want {
					t.Errorf("servers have worked %v; reads, programs, copies and erases take %v", busy, want)
				}
				if most := s.Read + s.Program + 2*s.Erase; worst > most {
					t.Errorf("a read took %v; want at most %v: a copy or an erase under way", worst, most)
				}
				t.Logf("%d blocks erased, %d pages copied for %d programs; longest read %v", n.erases, n.collectionPrograms, writes, worst)
			})
		}
	}
}
