package slicetable_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"spillway/sim/timeline"
	"spillway/traces/slicetable"
)

func TestWrite(t *testing.T) {
	r := timeline.Record(timeline.Cycle(1_200_000_000), 100, timeline.Category{Label: "runs"}, timeline.Category{Label: "=waits, long", Style: timeline.Waiting}, timeline.Category{Label: "moves", Style: timeline.Moving})
	r.Object(`tensor "0"`)
	r.Step("-step")
	r.Group("GPU", false)
	state := r.Track("does", timeline.State, "")
	r.Slice(state, timeline.Slice{End: 7, Ref: -1, Step: 0})
	r.Slice(state, timeline.Slice{Begin: 7, End: 9, Cat: 1, Ref: -1, Step: -1})
	r.Group("link", false)
	r.Slice(r.Track("in", timeline.Link, "bytes"), timeline.Slice{Begin: 1, End: 1, Cat: 2, Ref: 0, Step: -1, Name: r.Name("a\nb"), Amount: 5})
	x := r.End()
	data, ok := slicetable.Write(1<<10, "G10, BERT", x)
	if !ok {
		t.Fatal("too large")
	}
	rows, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range rows[1:] {
		got = append(got, strings.Join(row, "|"))
	}
	want := []string{
		"GPU|does|state|0|5833|7||runs|work|0|'-step||||" + "|G10, BERT",
		"GPU|does|state|5833|7500|2||'=waits, long|wait||||||" + "|",
		"link|in|link|833|833|0|a\nb|moves|migration|||0|tensor \"0\"|5|bytes|",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || len(rows[0]) != 16 {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if _, ok := slicetable.Write(200, "", x); ok {
		t.Error("a file may be larger than allowed")
	}
}
