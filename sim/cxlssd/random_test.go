package cxlssd

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"spillway/sim/cxlssd/stream"
	"spillway/sim/unit"
)

// pick returns one of some values.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// randomRecipe is what a recording lacks: how loads overlap, and what is resident at
// the start of classes that cover the footprint.
func randomRecipe(r *rand.Rand, pages int32) stream.Recipe {
	c := stream.Recipe{
		Instructions: 1 + r.Int64N(100_000), CPI: 1 + r.Int64N(2000),
		OnChip: pick(r, 0, unit.Cycles(r.IntN(1000))), DRAM: unit.Time(20+r.IntN(100)) * unit.Nanosecond,
		Overlap: pick(r, 0, r.Int64N(1001), 1000), Outstanding: pick(r, 1, 1+r.Int64N(8)), Visits: 1 + r.Int64N(3),
		Stores: pick(r, stream.Blocking, stream.Buffered), DemoteDirty: pick(r, 0, r.Int64N(1001), 1000),
		DemoteMost: pick(r, 0, 1, r.Int64N(1<<20)), Fill: pick(r, 0, r.Int64N(1001), 1000), FillPromote: pick(r, 0, r.Int64N(1001), 1000),
		Switching: 1 + r.Int64N(12),
	}
	for left := int64(pages); left > 0; {
		k := stream.Class{Pages: 1 + r.Int64N(left), Random: r.IntN(2) == 0, Visits: r.Int64N(40), Writes: pick(r, 0, r.Int64N(1001), 1000)}
		k.Name = fmt.Sprint("class-", len(c.Classes))
		if len(c.Classes) == 3 {
			k.Pages = left
		}
		for total := int64(1_000_000); total > 0; {
			b := stream.Bucket{Millionths: 1 + r.Int64N(total), Low: 1 + r.Int32N(64)}
			b.High = b.Low + r.Int32N(65-b.Low)
			if len(k.Lines) == 2 {
				b.Millionths = total
			}
			total -= b.Millionths
			k.Lines = append(k.Lines, b)
		}
		if k.Random && r.IntN(2) == 0 {
			k.Theta = r.Int64N(900)
		}
		k.Warm = randomWarm(r, k.Pages)
		if k.Warm != nil && r.IntN(3) == 0 {
			k.NoLog = true
		} else if r.IntN(3) == 0 {
			k.WarmLog = randomWarm(r, k.Pages)
		}
		left -= k.Pages
		c.Classes = append(c.Classes, k)
	}
	return c
}

// randomWarm is a table of what is resident, rising; often none.
func randomWarm(r *rand.Rand, pages int64) (table []stream.Resident) {
	if r.IntN(2) == 0 {
		return nil
	}
	var at, share int64
	for range 1 + r.IntN(3) {
		at += 1 + r.Int64N(pages+8)
		share += r.Int64N(1_000_001 - share)
		table = append(table, stream.Resident{Pages: at, Millionths: share})
	}
	return table
}

// randomWorkload is a recording of some threads that visit pages: runs of lines, hot
// pages and cold ones, with and without writes, of very different lengths.
func randomWorkload(r *rand.Rand) *stream.Workload {
	pages := pick(r, 1, 1+r.Int32N(8), 1+r.Int32N(300))
	s := &stream.Stream{Pages: pages}
	writes := pick(r, 0, r.IntN(1001), 1000)
	gap := pick(r, 1, 100, 10_000)
	for range 1 + r.IntN(pick(r, 2, 20)) {
		var of []stream.Request
		for range pick(r, 0, 1, 1+r.IntN(30), 1+r.IntN(30)) {
			page := uint32(r.Int32N(pages))
			if r.IntN(2) == 0 {
				page = uint32(r.Int32N(1 + pages/10))
			}
			first, n := r.IntN(stream.Lines), 1+r.IntN(pick(r, 1, 10, 64))
			for i := range n {
				of = append(of, stream.NewRequest(page, uint8((first+i)%stream.Lines), r.IntN(1000) < writes, unit.Cycles(r.IntN(gap))))
			}
		}
		s.Threads = append(s.Threads, of)
		s.Count += int64(len(of))
	}
	if s.Count == 0 {
		s.Threads[0] = []stream.Request{stream.NewRequest(0, 3, writes > 500, 7)}
		s.Count = 1
	}
	return &stream.Workload{Name: "random", Title: "Random", Recipe: randomRecipe(r, pages), Recorded: s, Seed: 1}
}

// randomSetup is a small device: few sets, few slots, few pages of host DRAM, so that
// everything that can happen does.
func randomSetup(r *rand.Rand) Setup {
	s := Default()
	s.Scale, s.Seed = 1, r.Int64N(100)
	s.Cores = pick(r, 1, 1+r.Int64N(4), 8)
	s.StoreSize = pick(r, 1, 1+r.Int64N(8), 64)
	s.Scheduler = pick(r, RoundRobin, Random, Fairness, Locality, CFS)
	s.Switch = unit.Time(100+r.IntN(3900)) * unit.Nanosecond
	s.Threshold = pick(r, 0, unit.Time(r.IntN(6000))*unit.Nanosecond, 2*unit.Microsecond, unit.Second)
	s.Ways = pick[int64](r, 1, 2, 16)
	s.Log = unit.Bytes(pick(r, 72*(4+r.Int64N(4)), 72*(4+r.Int64N(64)), 72*(4+r.Int64N(3000))))
	s.DRAM = (s.Log+unit.Bytes(s.Ways*(1+r.Int64N(12)))*unit.Page)*8/7 + 64
	s.Host = unit.Bytes(pick(r, 0, 8, r.Int64N(64), 100_000)) * unit.Page
	s.PromoteAt = 1 + r.Int64N(8)
	s.PromoteReset = pick(r, 1, 1+r.Int64N(200), 10_000)
	s.ScanPeriod, s.ScanPages = pick(r, unit.Millisecond, unit.Time(1+r.IntN(9))*10*unit.Millisecond, 100*unit.Millisecond), pick(r, 1, 1+r.Int64N(100), 65_536)
	if r.IntN(3) == 0 {
		s.Copy, s.Shootdown = unit.Time(r.IntN(3000))*unit.Nanosecond, unit.Time(r.IntN(5000))*unit.Nanosecond
	}
	if r.IntN(3) == 0 {
		s.LinkRate = unit.Bandwidth(1+r.IntN(32)) * unit.GBps
	}
	s.Channels, s.Dies, s.Planes, s.Blocks, s.Pages = 1+r.Int64N(4), 1+r.Int64N(4), 1, 16+r.Int64N(64), 4+r.Int64N(28)
	if r.IntN(2) == 0 {
		s.Dies, s.Blocks, s.Pages = 1+r.Int64N(4), 4000, 256 // nothing is ever collected
	}
	s.Read = unit.Time(1+r.IntN(5)) * unit.Microsecond
	s.Program = unit.Time(5+r.IntN(100)) * unit.Microsecond
	if r.IntN(3) == 0 {
		s.Preconditioned = r.Int64N(700)
	}
	if r.IntN(4) == 0 {
		s.ChannelRate = unit.Bandwidth(400+r.IntN(2000)) * unit.MBps
	}
	switch r.IntN(3) {
	case 0:
		s.Quirks = 0
	case 1:
		for i := range Quirks {
			if r.IntN(2) == 0 {
				s.Quirks &^= 1 << i
			}
		}
	}
	s.Own = Design{Log: r.IntN(2) == 0, Switch: r.IntN(2) == 0, Promote: Promotion(r.IntN(5))}
	return s
}

// A drawn is everything of a random run.
type drawn struct {
	seed   uint64
	w      *stream.Workload
	s      Setup
	system string
}

func draw(seed uint64) drawn {
	r := rand.New(rand.NewPCG(seed, 13))
	d := drawn{seed: seed, w: randomWorkload(r), s: randomSetup(r)}
	d.system = Systems[r.IntN(len(Systems))].Name
	for d.s.checkFlash(d.w.Recorded.Pages) != nil {
		d.s.Preconditioned /= 2
		d.s.Blocks *= 2
	}
	return d
}

// String says what to draw again, and what it is.
func (d drawn) String() string {
	return fmt.Sprintf("draw(%d): %s, %d threads, %d requests, %d pages, quirks %s, own %+v", d.seed, d.system,
		len(d.w.Recorded.Threads), d.w.Recorded.Count, d.w.Recorded.Pages, Quirks.Format(d.s.Quirks), d.s.Own)
}

func (d drawn) run(t *testing.T) *Result {
	t.Helper()
	res, err := simulate(d.w, &d.s, d.system, nil, nil)
	if err != nil {
		t.Fatalf("%v: %v", d, err)
	}
	return res
}

// design returns the mechanisms of a system under a setup.
func design(t *testing.T, s *Setup, system string) Design {
	t.Helper()
	x, err := Find(system)
	if err != nil {
		t.Fatal(err)
	}
	return s.Mechanisms(x)
}

// differences names the fields in which two results differ.
func differences(got, want *Result) string {
	var b strings.Builder
	g, w := reflect.ValueOf(*got), reflect.ValueOf(*want)
	for i := range g.NumField() {
		if x, y := g.Field(i).Interface(), w.Field(i).Interface(); !reflect.DeepEqual(x, y) {
			fmt.Fprintf(&b, "\n\t%s: %v, want %v", g.Type().Field(i).Name, x, y)
		}
	}
	return b.String()
}

// sum adds up.
func sum[T ~int64](of []T) (total T) {
	for _, x := range of {
		total += x
	}
	return total
}
