package cxlssd

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	core "spillway/sim/cxlssd"
	"spillway/sim/knob"
	"spillway/traces/address"
	reader "spillway/ui/files"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// A timeline has all the time of the result: each cause of all cores, on cores and on
// threads, and all compactions. Slices of a track follow each other.
func TestTimeline(t *testing.T) {
	if testing.Short() {
		t.Skip("reads files of 10 MiB")
	}
	l := New()
	origin := lab.Origin{Title: "a <workload>", Mode: "artifact", Link: "https://example.org/#v=3", Version: "1234abcd"}
	for _, system := range []string{"skybyte-full", "dram-only", "base-cssd", "skybyte-w"} {
		data, err := l.Export(timelineExport, setOf(t, &l, small), system, nil, origin, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkTimeline(t, system, data, resultOf(t, &l, small, system), &origin)
	}
}

func checkTimeline(t *testing.T, system string, data []byte, r *core.Result, o *lab.Origin) {
	t.Helper()
	var file struct {
		OtherData   map[string]string
		TraceEvents []struct {
			Ph, Name string
			Pid, Tid int
			TS, Dur  float64
			Args     map[string]any
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if d := file.OtherData; d["link"] != o.Link || d["mode"] != o.Mode || !strings.HasSuffix(d["title"], o.Title) || d["generator"] != "Spillway "+o.Version {
		t.Errorf("%v", d)
	}
	spent := map[int]*[core.Causes]int64{coreGroup: {}, threadGroup: {}}
	ends, names := map[string]float64{}, 0
	var compactions, slots int64
	for _, e := range file.TraceEvents {
		switch {
		case e.Ph == "M" && e.Name == "thread_name" && e.Pid != deviceGroup:
			names++
		case e.Ph == "C" && strings.HasPrefix(e.Name, "Log"):
			slots = max(slots, int64(e.Args["slots"].(float64)))
		case e.Ph == "X" && e.Pid == deviceGroup:
			compactions++
		case e.Ph == "X":
			track := fmt.Sprint(e.Pid, " ", e.Tid)
			if e.TS < ends[track]-0.0015 || e.Dur < 0 {
				t.Fatalf("%s: %+v begins before %f", system, e, ends[track])
			}
			ends[track] = e.TS + e.Dur
			for c, key := range causeKeys {
				if v, ok := e.Args[key]; ok {
					spent[e.Pid][c] += int64(v.(float64))
				}
			}
		}
	}
	for c, want := range r.Ledger {
		if got := spent[coreGroup][c]; got != int64(want) {
			t.Errorf("%s: cores: %s is %d ps, in the result %d", system, causeNames[c], got, want)
		}
		if got := spent[threadGroup][c]; core.Cause(c) != core.Idle && got > int64(want) {
			t.Errorf("%s: threads: %s is %d ps, in the result %d", system, causeNames[c], got, want)
		}
	}
	if names != r.Cores+r.Threads || compactions != r.Compactions || slots > r.Slots {
		t.Errorf("%s: %d tracks, %d compactions of %d, %d slots of %d", system, names, compactions, r.Compactions, slots, r.Slots)
	}
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
	if _, err := l.Export(timelineExport, setOf(t, &l, small), "nobody", nil, lab.Origin{}, nil); err == nil {
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
