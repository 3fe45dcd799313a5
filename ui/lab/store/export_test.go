package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"spillway/sim/knob"
	core "spillway/sim/store"
	over "spillway/sim/timeline"
	"spillway/sim/unit"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// The timeline of every policy has what the result sums up: each client's parts,
// and the bytes that went out and came back. Slices of a track follow each other.
func TestTimeline(t *testing.T) {
	l := New()
	origin := lab.Origin{Title: "a <mix>", Mode: "prefetch", Link: "https://example.org/#v=3", Version: "1234abcd"}
	for i, system := range l.Running() {
		for k, set := range []string{"workload=pairs", "shared_compute=0", ""} {
			if i != k && k > 0 {
				continue // each of the longer ones with one policy
			}
			u := setOf(t, &l, set)
			data, err := l.Export("timeline", u, system.Name, nil, origin, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, raw, err := l.Run(u, system.Name, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			checkTimeline(t, data, raw.(*result).Result, &origin)
		}
	}
}

// State tracks are what the time of all clients goes to, links carry what the result says, and a
// window is that part of the whole; of every policy, of what fails early too.
func TestTimelineIsTheLedger(t *testing.T) {
	l := New()
	for i, system := range l.Running() {
		for k, set := range []string{"workload=pairs", "shared_compute=0", ""} {
			if i != k && k > 0 {
				continue
			}
			u := setOf(t, &l, set)
			_, raw, err := l.Run(u, system.Name, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			record := func(w over.Window) *over.Timeline {
				h, err := l.Timeline(u, system.Name, nil, lab.Window(w), nil)
				if err != nil {
					t.Fatal(err)
				}
				return h.Timeline
			}
			x, r := record(over.Window{}), raw.(*result).Result
			ledger := make([]int64, len(x.Cats))
			for c := range r.Clients {
				for p, took := range r.Clients[c].Parts {
					ledger[p] += int64(took)
				}
			}
			labtest.Timeline(t, system.Name, x, ledger)
			busy, server := int64(0), &x.Tracks[len(r.Clients)+2]
			for k := range server.Begin {
				busy += server.End[k] - server.Begin[k]
			}
			if busy != int64(r.Busy()) {
				t.Errorf("%s: %s take %d ps, in the result %d", system.Name, server.Name, busy, r.Busy())
			}
			labtest.Windows(t, system.Name, x, record)
		}
	}
}

func setOf(t *testing.T, l *lab.Lab, set string) *knob.Setup {
	t.Helper()
	u := l.Setup()
	pairs, err := knob.Pairs(set)
	if err == nil {
		err = u.Apply(pairs)
	}
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func checkTimeline(t *testing.T, data []byte, r *core.Result, o *lab.Origin) {
	t.Helper()
	var file struct {
		OtherData   map[string]string
		TraceEvents []struct {
			Ph, Name, Cat string
			Pid, Tid      int
			TS, Dur       float64
			Args          map[string]any
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if d := file.OtherData; d["link"] != o.Link || d["mode"] != o.Mode || !strings.HasSuffix(d["title"], o.Title) || d["generator"] != "Spillway "+o.Version {
		t.Errorf("%v", d)
	}
	parts := make([]map[string]int64, len(r.Clients))
	for c := range parts {
		parts[c] = map[string]int64{}
	}
	ends, bytes, names := map[string]float64{}, map[int]unit.Bytes{}, 0
	for _, e := range file.TraceEvents {
		switch {
		case e.Ph == "M" && e.Name == "thread_name" && e.Pid == 1:
			if e.Args["name"] != r.Clients[e.Tid-1].Name {
				t.Errorf("track %d is %v", e.Tid, e.Args)
			}
			names++
		case e.Ph == "X":
			track := fmt.Sprint(e.Pid, " ", e.Tid)
			if e.TS < ends[track]-0.0015 || e.Dur < 0 {
				t.Fatalf("%+v begins before %f", e, ends[track])
			}
			ends[track] = e.TS + e.Dur
			switch e.Pid {
			case clientGroup:
				parts[e.Tid-1][e.Name] += int64(e.Args["ticks"].(float64))
			case linkGroup:
				bytes[e.Tid] += unit.Bytes(e.Args["bytes"].(float64))
			}
		}
	}
	for c := range r.Clients {
		for p, want := range r.Clients[c].Parts {
			if got := parts[c][core.Part(p).String()]; got != int64(want) {
				t.Errorf("%s: %v is %d ps, in the result %d", r.Clients[c].Name, core.Part(p), got, want)
			}
		}
	}
	if names != len(r.Clients) || bytes[1] != r.Evicted || bytes[2] != r.Fetched+r.Prefetched {
		t.Errorf("%d clients, %v out, %v back; want %v and %v", names, bytes[1], bytes[2], r.Evicted, r.Fetched+r.Prefetched)
	}
}

func TestTimelineErrors(t *testing.T) {
	l := New()
	for _, tt := range []struct{ key, set, system, want string }{
		{"stalls", "", "lru", `no export "stalls"`},
		{"timeline", "workload=networks clients=3 gpu_memory=1", "lru", "cannot run it: operation"},
		{"timeline", "", "nobody", "unknown"},
	} {
		if _, err := l.Export(tt.key, setOf(t, &l, tt.set), tt.system, nil, lab.Origin{}, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}
