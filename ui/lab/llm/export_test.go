package llm

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spillway/sim/llm/offload"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// recordings are setups and systems whose exports are checked: one GPU and several, with sends,
// collectives, gathers and the host's optimizer.
var recordings = []struct{ setup, system string }{
	{"node=one-4090 model=llama3-8b layers=3 batch=2 micro=1 sequence=1024 gpu_memory=12", "teraio-mixed"},
	{"node=one-4090 model=llama3-8b layers=3 batch=2 micro=1 sequence=1024", "fsdp-offload"},
	{"node=teraio model=llama3-8b layers=4 batch=8 micro=1 sequence=1024 gpu_memory=14", "teraio-ssd"},
	{"node=teraio model=llama3-8b layers=4 batch=8 micro=1 sequence=1024 tensor=2", "ideal"},
	{"node=four-4090 model=llama3-8b layers=4 batch=8 micro=1 sequence=1024 buffer_size=540", "zero-infinity"},
}

// exported is an export, of which a run of the same gives the values.
func exported(t *testing.T, key, text, system string) ([]byte, *result) {
	t.Helper()
	l := New()
	u := labtest.Setup(t, &l, text)
	_, raw, err := l.Run(u, system, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := raw.(*result)
	if r.Reason != "" {
		t.Fatalf("%s %s: %s", text, system, r.Reason)
	}
	data, err := l.Export(key, u, system, nil, lab.Origin{Title: "a title", Version: "1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return data, r
}

// table is a file's rows, by the names of its columns.
func table(t *testing.T, data []byte) (rows []map[string]string) {
	t.Helper()
	all, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil || len(all) < 2 {
		t.Fatalf("%v; %q", err, data)
	}
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, c := range cells {
			row[all[0][i]] = c
		}
		rows = append(rows, row)
	}
	return rows
}

func number64(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The timeline's slices sum to the result: kernels and waits to each GPU's ledger, and nothing of a
// track overlaps.
func TestTimelineSumsToTheResult(t *testing.T) {
	for _, c := range recordings {
		data, r := exported(t, timelineExport, c.setup, c.system)
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
		if file.OtherData["generator"] != "Spillway 1" || !strings.HasSuffix(file.OtherData["title"], ", a title") || file.OtherData["iteration_ps"] != strconv.FormatInt(int64(r.Time), 10) {
			t.Errorf("%s: about %v", c.system, file.OtherData)
		}
		got := make([]map[string]int64, len(r.GPUs))
		for i := range got {
			got[i] = map[string]int64{}
		}
		type span struct{ from, to float64 }
		tracks, named := map[[2]int][]span{}, map[[2]int]bool{}
		for _, e := range file.TraceEvents {
			at := [2]int{e.Pid, e.Tid}
			switch {
			case e.Ph == "M" && e.Name == "thread_name":
				named[at] = true
			case e.Ph == "X":
				tracks[at] = append(tracks[at], span{e.TS, e.TS + e.Dur})
				if e.Tid == streamTrack {
					got[e.Pid-1][e.Args["cause"].(string)] += int64(e.Args["time_ps"].(float64))
				}
			}
		}
		for i := range r.GPUs {
			for cause, x := range causes {
				if want := int64(r.GPUs[i].Ledger[cause]); got[i][x.label] != want {
					t.Errorf("%s: GPU %d: %s sums to %d, the ledger has %d", c.system, i, x.label, got[i][x.label], want)
				}
			}
		}
		for at, list := range tracks {
			if !named[at] {
				t.Errorf("%s: track %v has no name", c.system, at)
			}
			slices.SortFunc(list, func(a, b span) int {
				if a.from < b.from || a.from == b.from && a.to < b.to {
					return -1
				}
				return 1
			})
			for i := 1; i < len(list); i++ {
				if list[i].from < list[i-1].to-1e-3 { // of a microsecond: they are read as floats
					t.Fatalf("%s: track %v: %v begins in %v", c.system, at, list[i], list[i-1])
				}
			}
		}
		if len(tracks) < 2 && c.system != "ideal" {
			t.Errorf("%s: %d tracks", c.system, len(tracks))
		}
	}
}

// Rows of kernels sum to each GPU's ledger, and of transfers to its traffic.
func TestRowsSumToTheResult(t *testing.T) {
	for _, c := range recordings {
		data, r := exported(t, waitsExport, c.setup, c.system)
		times := make([]int64, len(r.GPUs))
		waits := make([][offload.Causes]int64, len(r.GPUs))
		for _, row := range table(t, data) {
			g := number64(t, row["gpu"])
			times[g] += number64(t, row["runs_ps"])
			for cause := offload.Computes + 1; cause < offload.Causes; cause++ {
				waits[g][cause] += number64(t, row["wait_"+causes[cause].key+"_ps"])
			}
		}
		for i := range r.GPUs {
			want, sum := r.GPUs[i].Ledger, times[i]
			for cause, w := range waits[i] {
				sum += w
				if w != int64(want[cause]) && offload.Cause(cause) != offload.Computes && offload.Cause(cause) != offload.Communicate {
					t.Errorf("%s: GPU %d: %s sums to %d, the ledger has %d", c.system, i, causes[cause].label, w, want[cause])
				}
			}
			// Collectives that are kernels run, and are communication.
			if runs := int64(want[offload.Computes] + want[offload.Communicate]); sum != int64(r.Time) || times[i]+waits[i][offload.Communicate] != runs {
				t.Errorf("%s: GPU %d: rows sum to %d, want %d; kernels and communication to %d, want %d", c.system, i, sum, r.Time, times[i]+waits[i][offload.Communicate], runs)
			}
		}

		data, _ = exported(t, movesExport, c.setup, c.system)
		moved := map[string]int64{}
		if c.system != "ideal" {
			for _, row := range table(t, data) {
				moved[row["counted_as"]] += number64(t, row["bytes"])
			}
		}
		want := map[string]int64{}
		for i := range r.GPUs {
			g := &r.GPUs[i]
			want["from drives"] += int64(g.Read)
			want["to drives"] += int64(g.Written)
			want["from host memory"] += int64(g.HostRead)
			want["to host memory"] += int64(g.HostWritten)
		}
		for what, n := range want {
			if moved[what] != n {
				t.Errorf("%s: %s sums to %d, the result has %d", c.system, what, moved[what], n)
			}
		}
	}
}

// The plan has every move that programs ask for.
func TestPlanHasAllMoves(t *testing.T) {
	for _, c := range recordings {
		if c.system == "ideal" {
			continue
		}
		data, r := exported(t, programExport, c.setup, c.system)
		moves, tasks := int64(0), 0
		for _, row := range table(t, data) {
			switch row["move"] {
			case "offload", "prefetch":
				moves++
				if number64(t, row["bytes"]) <= 0 || row["what"] == "" || row["kernel"] == "" {
					t.Errorf("%s: %v", c.system, row)
				}
			default:
				tasks++
			}
		}
		if moves != r.Moves || (moves == 0) == (tasks == 0) {
			t.Errorf("%s: %d moves, %d tasks; the result has %d moves", c.system, moves, tasks, r.Moves)
		}
	}
}
