package train

import (
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/sim/knob"
	"spillway/sim/unit"
	"spillway/traces/recording"
	reader "spillway/ui/files"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// TestAbove compares what has to leave with all choices of blocks of one byte.
func TestAbove(t *testing.T) {
	const link = 1 << 40
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 34))
		n, blocks := 1+r.IntN(8), 1+r.IntN(8)
		p := recording.Picture{Roles: []string{"all"}, Levels: [][]unit.Bytes{make([]unit.Bytes, n)}, Clocked: true}
		for i := range n {
			p.Times = append(p.Times, unit.Time(10*i))
		}
		there := make([]uint, n) // by moment: which blocks are there
		for b := range blocks {
			from, to := r.IntN(n), r.IntN(n)
			from, to = min(from, to), max(from, to)
			l := recording.Life{From: unit.Time(10 * from), To: unit.Time(10 * to), Bytes: 1}
			if from == 0 {
				l.From = -1
			}
			if to == n-1 {
				l.To = -1
			}
			p.Lives = append(p.Lives, l)
			for i := from; i <= to; i++ {
				there[i] |= 1 << b
				p.Levels[0][i]++
			}
		}
		memory := unit.Bytes(r.IntN(blocks))
		got := above(&p, memory, link)
		least, most := unit.Bytes(blocks+1), unit.Bytes(0)
		for out := range uint(1) << blocks {
			fits := true
			for i := range n {
				fits = fits && unit.Bytes(bits.OnesCount(there[i]&^out)) <= memory
			}
			if fits {
				least = min(least, unit.Bytes(bits.OnesCount(out)))
			}
		}
		for i := range n {
			most = max(most, unit.Bytes(bits.OnesCount(there[i]))-memory)
		}
		if got.Moved != least || got.Above != most || got.Held != 0 || got.Hidden > got.Moved {
			t.Fatalf("seed %d: %+v above %v, want %v moved and %v above", seed, got, memory, least, most)
		}
		kept := r.IntN(blocks + 1) // the others as one: still a bound, and as much above
		p.Lives = p.Lives[:kept]
		for i := range n {
			p.Rest = max(p.Rest, unit.Bytes(bits.OnesCount(there[i]>>kept)))
		}
		if got := above(&p, memory, link); got.Moved > least || got.Moved < most || got.Above != most || got.Held != 0 {
			t.Fatalf("seed %d: %+v above %v with %v as one, want at most %v moved and %v above", seed, got, memory, p.Rest, least, most)
		}
	}
}

// TestTakePicture asks what a snapshot of a step of ResNet-50 would take.
func TestTakePicture(t *testing.T) {
	own := New()
	x, err := reader.Open(&own, []lab.File{{Name: "step.pickle.gz", Data: artifact.Sample(t, "snapshot/synthetic-resnet50-step.pickle.gz")}})
	if err != nil {
		t.Fatal(err)
	}
	l := New()
	name := knob.Join([]knob.Pair{{Key: "entry", Text: x.Entries()[0].Name}}, " ")
	for memory, want := range map[string]string{"2": "2 GiB: 898.86 MiB lie above that. At least 898.86 MiB leave and come back", "40": "nothing has to move"} {
		section, err := l.Section(takeKey, viewOf(t, &l, takeKey, ""), labtest.Setup(t, &l, name+" gpu_memory="+memory), "g10", x, nil)
		if err != nil {
			t.Fatal(err)
		}
		labtest.Section(t, takeKey, section)
		if text := strings.Join(section.Text, " "); !strings.HasPrefix(text, "2.88 GiB are in use at most. The GPU has ") || !strings.Contains(text, want) {
			t.Errorf("%s GiB: %s; want %q", memory, text, want)
		}
		if rows := section.Tables[0].Rows; len(rows) < 10 || rows[3].Cells[1].Text != "2.16 GiB" {
			t.Errorf("%s GiB: %+v", memory, rows)
		}
	}
}
