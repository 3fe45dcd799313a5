package cxlssd

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	core "spillway/sim/cxlssd"
	"spillway/sim/knob"
	"spillway/sim/timeline"
	"spillway/sim/unit"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// Of dies that work by themselves a channel's track shows what most of them do, without gaps between
// what overlaps.
func TestMerge(t *testing.T) {
	r := timeline.Record(timeline.Picosecond, 1000, categories()...)
	first := tracks(r, "Channels", false, "Channel", timeline.Work, 2)
	tracks(r, "Compaction", false, "Channel", timeline.Work, 2)
	c := newChannels(r, first, 2)
	for _, x := range []struct {
		server   int
		what     core.FlashWork
		from, to unit.Time
	}{{0, core.ReadPage, 0, 30}, {2, core.ProgramPage, 10, 110}, {4, core.ProgramPage, 20, 120}, {6, core.ReadPage, 200, 230}, {1, core.CompactProgram, 5, 105}} {
		c.note(x.server, x.what, x.from, x.to)
	}
	c.merge()
	x := r.End()
	if err := x.Check(); err != nil {
		t.Fatal(err)
	}
	type slice struct {
		from, to int64
		what     core.FlashWork
	}
	want := [][]slice{{{0, 20, core.ReadPage}, {20, 120, core.ProgramPage}, {200, 230, core.ReadPage}}, nil, nil, {{5, 105, core.CompactProgram}}}
	for k, list := range want {
		track := &x.Tracks[first+k]
		if len(track.Begin) != len(list) {
			t.Errorf("track %d has %d slices, want %d", k, len(track.Begin), len(list))
			continue
		}
		for i, s := range list {
			if track.Begin[i] != s.from || track.End[i] != s.to || track.Cat[i] != firstWork+uint8(s.what) {
				t.Errorf("track %d: slice %d from %d to %d of %d, want %+v", k, i, track.Begin[i], track.End[i], track.Cat[i]-firstWork, s)
			}
		}
	}
}

// A device that is full of old pages collects, and its dies are drawn by channel.
func TestCollectionIsDrawn(t *testing.T) {
	l := New()
	const set = "workload=srad scale=64 precondition=60 mode=paper"
	u := labtest.Setup(t, &l, set)
	h, err := l.Timeline(u, "base-cssd", nil, lab.Window{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Check(); err != nil {
		t.Fatal(err)
	}
	r := resultOf(t, &l, set, "base-cssd")
	var pages int64
	channels := 0
	for i := range h.Tracks {
		x := &h.Tracks[i]
		if strings.HasPrefix(x.Name, "Dies of channel") && len(x.Begin) > 0 {
			channels++
		}
		for k := range x.Begin {
			if x.Name == "Garbage collection" {
				pages += x.Amount[k]
			}
		}
	}
	if r.CollectionPrograms == 0 || pages > r.CollectionPrograms || channels == 0 {
		t.Errorf("%d pages of %d are collected, %d channels do something", pages, r.CollectionPrograms, channels)
	}
}

// The page that is asked for most is where its requests find it, and is the one that the section
// about pages shows.
func TestPageOverTime(t *testing.T) {
	l := New()
	for _, system := range []string{"skybyte-full", "base-cssd", "skybyte-w"} {
		u := labtest.Setup(t, &l, "workload=srad scale=64")
		h, err := l.Timeline(u, system, nil, lab.Window{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Check(); err != nil {
			t.Fatal(err)
		}
		s, err := l.Section(pageKey, knob.NewSetup(l.Info.Section(pageKey).Knobs), u, system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		sums := map[string]int64{}
		for i := range h.Tracks {
			for _, n := range h.Tracks[i].Amount {
				sums[h.Tracks[i].Name] += n
			}
		}
		// A request for which a thread is switched is asked again.
		found := sums["In the cache"] + sums["In host DRAM"]
		var number int
		var asked int64
		if _, err := fmt.Sscanf(s.Text[0], "Page %d is asked for %d times", &number, &asked); err != nil {
			t.Fatal(s.Text[0], err)
		}
		name := fmt.Sprintf("Page %d, which is asked for most", number)
		if !slices.ContainsFunc(h.Groups, func(g timeline.Group) bool { return g.Name == name }) || found < asked || found > asked && system != "skybyte-full" {
			t.Errorf("%s: %s; %v", system, s.Text[0], sums)
		}
	}
}
