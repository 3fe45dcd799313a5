package cxlssd

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"spillway/sim/cxlssd/stream"
)

var measureScales = flag.Bool("scales", false, "measure how far the times of Fig. 14 at smaller scales are from those at full scale, for the table in scale.go")

// far is how far a time is from that at full scale, in thousandths.
type far struct {
	by   int64
	what string
}

// timesAt returns the times of systems at a scale, in those of full scale.
func timesAt(t *testing.T, name string, scale int64, systems ...string) []int64 {
	w, err := stream.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	var list []int64
	setup := Default()
	setup.Scale = scale
	for _, system := range systems {
		r, err := Run(w, &setup, system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, int64(r.Time)*scale)
	}
	return list
}

func deviationOf(v, full int64) int64 {
	return (1000*max(v-full, full-v) + full/2) / full
}

// The table says what is measured. Without the flag its worst cell is, at one scale.
func TestScales(t *testing.T) {
	if !*measureScales {
		if testing.Short() {
			t.Skip("a run at full scale")
		}
		const scale = 4
		want := deviationAt(scale)
		name, system, _ := strings.Cut(want.where, ", ")
		full := timesAt(t, name, 1, system)
		got := deviationOf(timesAt(t, name, scale, system)[0], full[0])
		if d := max(got-want.worst, want.worst-got); d > want.worst/4 {
			t.Errorf("at 1/%d %s is %d thousandths off; the table says %d: measure it again", scale, want.where, got, want.worst)
		}
		return
	}
	scales := []int64{2, 4, 8, 16, 32, 64}
	found := make(map[int64][]far)
	for _, name := range figure14Workloads {
		full := timesAt(t, name, 1, figure14Systems...)
		for _, scale := range scales {
			for i, v := range timesAt(t, name, scale, figure14Systems...) {
				found[scale] = append(found[scale], far{deviationOf(v, full[i]), name + ", " + figure14Systems[i]})
			}
		}
	}
	for _, scale := range scales {
		list, sum := found[scale], int64(0)
		slices.SortStableFunc(list, func(a, b far) int { return int(b.by - a.by) })
		for _, f := range list {
			sum += f.by
		}
		n := int64(len(list))
		fmt.Printf("\t{%d, %d, %d, %d, %q},\n", scale, (sum+n/2)/n, list[0].by, list[1].by, list[0].what)
		for _, f := range list[1:8] {
			t.Logf("1/%d: %s %d", scale, f.what, f.by)
		}
	}
}
