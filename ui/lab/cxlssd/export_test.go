package cxlssd

import (
	"bytes"
	"encoding/csv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	core "spillway/sim/cxlssd"
	"spillway/sim/knob"
	"spillway/sim/timeline"
	"spillway/traces/address"
	reader "spillway/ui/files"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
	"spillway/ui/lab/timefiles"
)

// Cores' tracks are the ledger, threads have at most that, compactions are all there, and a window
// is that part of the whole.
func TestTimeline(t *testing.T) {
	if testing.Short() {
		t.Skip("reads files of 10 MiB")
	}
	l := New()
	for _, system := range []string{"skybyte-full", "dram-only", "base-cssd", "skybyte-w"} {
		u := setOf(t, &l, small)
		r := resultOf(t, &l, small, system)
		record := func(w timeline.Window) *timeline.Timeline {
			h, err := l.Timeline(u, system, nil, lab.Window(w), nil)
			if err != nil {
				t.Fatal(err)
			}
			return h.Timeline
		}
		x := record(timeline.Window{})
		ledger := make([]int64, len(x.Cats))
		for c, took := range r.Ledger {
			ledger[c] = int64(took)
		}
		labtest.Timeline(t, system, x, ledger)
		labtest.Windows(t, system, x, record)
		spent := make([]int64, len(x.Cats))
		var compactions int64
		for i := range x.Tracks {
			k := &x.Tracks[i]
			if k.Kind == timeline.Note && k.Name != "Compactions" {
				x.Sum(i).Before(x.End, spent)
			}
			if k.Name == "Compactions" {
				compactions = int64(len(k.Begin))
			}
			for n, object := range k.Ref {
				if name := x.Names[x.Objects[max(0, object)]]; object >= 0 && (k.Kind == timeline.State) != strings.HasPrefix(name, "Thread") {
					t.Fatalf("%s: slice %d of %s is of %s", system, n, k.Name, name)
				}
			}
		}
		for c, want := range r.Ledger {
			if off := int64(want) - spent[c]; off < 0 || off > 0 && core.Cause(c) != core.Idle && core.Cause(c) != core.Switches {
				t.Errorf("%s: threads: %s is %d ps, on cores %d", system, causeNames[c], spent[c], want)
			}
		}
		if compactions != r.Compactions || len(x.Counters[0].Value) > 0 && slices.Max(x.Counters[0].Value) > r.Slots {
			t.Errorf("%s: %d compactions of %d; %d slots", system, compactions, r.Compactions, r.Slots)
		}
	}
}

// Of a run with too many slices there are bins, which are the ledger, and windows, whose slices sum
// to the bins below them.
func TestTimelineOfManySlices(t *testing.T) {
	if testing.Short() {
		t.Skip("a million slices")
	}
	l := New()
	u := setOf(t, &l, "workload=bc scale=4")
	record := func(w timeline.Window) *timeline.Timeline {
		h, err := l.Timeline(u, "skybyte-full", nil, lab.Window(w), nil)
		if err != nil {
			t.Fatal(err)
		}
		return h.Timeline
	}
	x := record(timeline.Window{})
	ledger := make([]int64, len(x.Cats))
	for c, took := range resultOf(t, &l, "workload=bc scale=4", "skybyte-full").Ledger {
		ledger[c] = int64(took)
	}
	labtest.Timeline(t, "whole", x, ledger)
	labtest.Bins(t, "whole", x, record)
}

// The list of compactions has all pages and lines that the result says were programmed,
// but for what warming left in the log.
func TestCompactions(t *testing.T) {
	l := New()
	const set = "workload=srad scale=4"
	data, err := l.Export(compactionExport, setOf(t, &l, set), "skybyte-w", nil, lab.Origin{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	r := resultOf(t, &l, set, "skybyte-w")
	var pages, lines, before int64
	for _, row := range rows[1:] {
		var n [4]int64
		for i := range n {
			if n[i], err = strconv.ParseInt(row[i], 10, 64); err != nil {
				t.Fatal(err)
			}
		}
		if n[1] < n[0] || n[0] < before {
			t.Errorf("%v begins before the one before it, or ends before it begins", row)
		}
		before, pages, lines = n[0], pages+n[2], lines+n[3]
	}
	var merged int64
	for n, of := range r.Merged {
		merged += int64(n) * of
	}
	if len(rows) < 2 || pages != r.CompactionPrograms-r.WarmPrograms || lines != merged {
		t.Errorf("%d rows, %d pages, %d lines; the result has %d and %d", len(rows)-1, pages, lines, r.CompactionPrograms-r.WarmPrograms, merged)
	}
}

// The address trace of a run is read again as the same requests, its pages numbered anew
// where some are not asked for.
func TestRequestTrace(t *testing.T) {
	l := New()
	for _, system := range []string{"base-cssd", "skybyte-full"} {
		u := setOf(t, &l, small)
		data, err := reader.Export(&l, requestsExport, u, system, nil, lab.Origin{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := address.Read("own", bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		_, raw, err := l.Run(u, system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := raw.(*result)
		want, err := r.w.At(r.setup.Scale).Streams(r.Threads)
		if err != nil {
			t.Fatal(err)
		}
		pages := map[uint32]bool{}
		for _, list := range want.Threads {
			for _, q := range list {
				pages[q.Page()] = true
			}
		}
		if int(got.Pages) != len(pages) || got.Count != want.Count || !got.Missed || len(got.Threads) != r.Threads {
			t.Fatalf("%s: %d pages, %d requests, %d threads; want %d, %d, %d", system, got.Pages, got.Count, len(got.Threads), len(pages), want.Count, r.Threads)
		}
		order := slices.Sorted(maps.Keys(pages))
		for i, list := range want.Threads {
			for k, q := range list {
				x := got.Threads[i][k]
				if order[x.Page()] != q.Page() || x.Line() != q.Line() || x.Write() != q.Write() || x.Gap() != q.Gap() {
					t.Fatalf("%s: request %d of thread %d is %#x, want %#x", system, k, i+1, x, q)
				}
			}
		}
	}
}

func TestExportErrors(t *testing.T) {
	l := New()
	if _, err := l.Export("stalls", setOf(t, &l, small), "base-cssd", nil, lab.Origin{}, nil); err == nil || !strings.Contains(err.Error(), `no export "stalls"`) {
		t.Error(err)
	}
	if _, err := l.Export(timefiles.TimelineKey, setOf(t, &l, small), "nobody", nil, lab.Origin{}, nil); err == nil {
		t.Error("nobody is exported")
	}
}

// What was exported opens as a recording, of which every section is whole, and which is
// exported as it was.
func TestExportedOpens(t *testing.T) {
	l := New()
	data, err := reader.Export(&l, requestsExport, setOf(t, &l, small), "skybyte-full", nil, lab.Origin{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := reader.Open(&l, []lab.File{{Name: "own.address.txt", Data: data}})
	if err != nil {
		t.Fatal(err)
	}
	entry := files.Entries()[0]
	u := setOf(t, &l, entry.Set+" entry="+entry.Name)
	for _, s := range l.Sections {
		if s.Key == quirksKey || s.Key == costKey {
			continue // runs of designs, as others are
		}
		got, err := l.Section(s.Key, knob.NewSetup(s.Knobs), u, "skybyte-wp", files, nil)
		if err != nil {
			t.Fatal(err)
		}
		labtest.Section(t, s.Key+" of a recording", got)
	}
	again, err := reader.Export(&l, requestsExport, u, "skybyte-wp", files, lab.Origin{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, data) {
		t.Error("a recording is exported with other requests than it has")
	}
}
