package llm

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"testing"

	core "spillway/sim/llm"
	"spillway/sim/llm/offload"
	"spillway/sim/timeline"
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

// The timeline's State tracks are the ledgers of all GPUs, links carry what the result says, and a
// GPU does nothing between its micro-batches while it waits for other stages.
func TestTimelineSumsToTheResult(t *testing.T) {
	for _, c := range recordings {
		l := New()
		u := labtest.Setup(t, &l, c.setup)
		_, raw, err := l.Run(u, c.system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := raw.(*result).setup
		r, record, err := core.Record(&s, c.system, nil)
		if err != nil || r.Reason != "" {
			t.Fatal(err, r.Reason)
		}
		x := timelineOf(&recorded{r, record}, timeline.Window{}).t
		ledger := make([]int64, len(x.Cats))
		var want [offload.QueueKinds]int64
		for i := range r.GPUs {
			g := &r.GPUs[i]
			for cause, took := range g.Ledger {
				ledger[cause] += int64(took)
			}
			want[offload.SSDRead] += int64(g.Read)
			want[offload.SSDWrite] += int64(g.Written)
			want[offload.HostRead] += int64(g.HostRead)
			want[offload.HostWrite] += int64(g.HostWritten)
		}
		labtest.Timeline(t, c.system, x, ledger)
		labtest.Windows(t, c.system, x, func(w timeline.Window) *timeline.Timeline { return timelineOf(&recorded{r, record}, w).t })
		var got [offload.QueueKinds]int64
		for i := range x.Tracks {
			k := &x.Tracks[i]
			if k.Kind == timeline.Link {
				for n, q := range k.Cat {
					if q >= firstQueue && q < firstQueue+uint8(offload.Peers) {
						got[q-firstQueue] += k.Amount[n]
					}
				}
			}
			if k.Name == "Micro-batches" {
				checkMicro(t, c.system, x, i)
			}
		}
		if got != want {
			t.Errorf("%s: links carry %d, the result has %d", c.system, got, want)
		}
		for i := range x.Counters {
			if k := &x.Counters[i]; k.Limit > 0 && k.Unit == "bytes" && len(k.Value) > 0 && slices.Max(k.Value) > k.Limit {
				t.Errorf("%s: %s is %d, of %d", c.system, k.Name, slices.Max(k.Value), k.Limit)
			}
		}
		if len(x.Tracks) < 3*len(r.GPUs) || c.system != "ideal" && len(x.Tracks) == 3*len(r.GPUs) {
			t.Errorf("%s: %d tracks", c.system, len(x.Tracks))
		}
	}
}

// checkMicro checks that no micro-batch goes on in a bubble; its GPU's waits are two tracks below.
func checkMicro(t *testing.T, about string, x *timeline.Timeline, track int) {
	t.Helper()
	micro, state := x.Sum(track), &x.Tracks[track+2]
	if len(x.Tracks[track].Begin) == 0 {
		t.Errorf("%s: no micro-batches", about)
	}
	in := make([]int64, len(x.Cats))
	for i, c := range state.Cat {
		micro.Within(state.Begin[i], state.End[i], in)
		for phase, took := range in {
			if took > 0 && c == uint8(offload.Bubble) {
				t.Fatalf("%s: %s goes on in a bubble at %d", about, x.Cats[phase].Label, state.Begin[i])
			}
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
