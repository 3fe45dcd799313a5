package cxlssd

import (
	"slices"
	"testing"

	"spillway/build/effort"
	"spillway/sim/cxlssd/stream"
	"spillway/sim/unit"
)

// twice has every time of a setup and a recipe doubled, and every rate halved.
func twice(w *stream.Workload, s Setup) (*stream.Workload, Setup) {
	slow := &stream.Workload{Name: w.Name, Recipe: w.Recipe, Seed: w.Seed}
	slow.Recipe.DRAM *= 2
	s.Clock /= 2
	for _, t := range []*unit.Time{&s.Switch, &s.Threshold, &s.Access, &s.Link, &s.Index, &s.Copy, &s.Shootdown, &s.Read, &s.Program, &s.Erase, &s.ScanPeriod} {
		*t *= 2
	}
	s.LinkRate /= 2
	s.ChannelRate /= 2
	return slow, s
}

// TestTimeDoubles: where all takes twice as long a run takes exactly twice as long, and nothing
// else is another.
func TestTimeDoubles(t *testing.T) {
	list := stream.Recipes()
	for k := range list {
		if !effort.Takes(k, 2) {
			continue
		}
		w := recipe(t, list[k].Name)
		for i, s := range []Setup{Default(), Paper()} {
			s.Scale = 64
			slow, d := twice(w, s)
			for _, system := range Systems {
				a, err := Run(w, &s, system.Name, nil, nil)
				b, err2 := Run(slow, &d, system.Name, nil, nil)
				if err != nil || err2 != nil {
					t.Fatal(err, err2)
				}
				if b.Time != 2*a.Time || b.Switches != a.Switches || b.UserReads != a.UserReads || b.CompactionPrograms != a.CompactionPrograms || b.Requests != a.Requests {
					t.Errorf("%s on %s, setup %d: %v doubled is %v; %d and %d switches, %d and %d reads", system.Name, w.Name, i, a.Time, b.Time, a.Switches, b.Switches, a.UserReads, b.UserReads)
				}
			}
		}
	}
}

// TestMoreHardwareNeverHurts: a device with more or faster parts is not slower by more than random
// numbers make a difference. The mean over three seeds counts, and the spread is of both. Faster
// reads of flash come with a threshold as much lower: below it no read switches threads, so that
// with 1.5 µs instead of 3 and a threshold of 2 µs designs that switch are up to 16 % slower.
func TestMoreHardwareNeverHurts(t *testing.T) {
	better := []struct {
		name string
		set  func(*Setup)
	}{
		{"twice the channels", func(s *Setup) { s.Channels *= 2 }},
		{"twice the DRAM", func(s *Setup) { s.DRAM *= 2 }},
		{"twice the host DRAM", func(s *Setup) { s.Host *= 2 }},
		{"flash reads in half the time", func(s *Setup) { s.Read, s.Threshold = s.Read/2, s.Threshold/2 }},
		{"flash programs in half the time", func(s *Setup) { s.Program /= 2 }},
		{"half the latency of the link", func(s *Setup) { s.Link /= 2 }},
		{"switches in half the time", func(s *Setup) { s.Switch /= 2 }},
	}
	list := stream.Recipes()
	compared := 0
	for k := range list {
		w := recipe(t, list[k].Name)
		for i, system := range Systems {
			if system.DRAM || !effort.Takes(k*len(Systems)+i, 8) {
				continue
			}
			times := func(set func(*Setup)) (list []unit.Time) {
				for seed := range int64(3) {
					s := Default()
					s.Scale, s.Seed = 64, s.Seed+seed
					set(&s)
					r, err := Run(w, &s, system.Name, nil, nil)
					if err != nil {
						t.Fatal(err)
					}
					list = append(list, r.Time)
				}
				return list
			}
			before := times(func(*Setup) {})
			for _, x := range better {
				after := times(x.set)
				spread := max(slices.Max(before)-slices.Min(before), slices.Max(after)-slices.Min(after))
				if a, b := sum(before)/3, sum(after)/3; b > a+spread+a/100 {
					t.Errorf("%s on %s: with %s it takes %v, before %v", system.Name, w.Name, x.name, after, before)
				}
				compared++
			}
		}
	}
	t.Logf("%d comparisons", compared)
}
