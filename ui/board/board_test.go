package board

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"spillway/sim/study"
)

// The scoreboard is well formed whatever a paper's names are, has every number once and every
// figure with numbers, and is empty while nothing is known.
func TestHTML(t *testing.T) {
	p := &study.Paper{
		Key: "p", Systems: []string{"a", "b"}, Names: map[string]string{"a": "A & <B>", "b": "B", "q": "q"}, Tolerance: 0.1,
		Figures: []study.Figure{{ID: "1", Title: "Times & \"more\"", Kind: study.Table}, {ID: "raw", Title: "Nothing", Kind: study.Table}},
		Points: []study.Point{
			{Figure: "1", Quantity: "q", System: "a", Set: "x=1", Of: "<X>", Fits: true, Value: 2},
			{Figure: "1", Quantity: "q", System: "b", Set: "x=1", Of: "<X>", Fits: true, Value: 4, Note: study.Doubtful + "not so"},
		},
	}
	of := func(outcomes ...study.Outcome) string {
		tallies, scores, err := p.Tallies(outcomes)
		if err != nil {
			t.Fatal(err)
		}
		return HTML(p, tallies, scores)
	}
	if text := of(); text != "" {
		t.Error(text)
	}
	text := of(study.Outcome{Run: "a x=1", Fits: true, Values: []float64{2.1}}, study.Outcome{Run: "b x=1", Fits: true, Values: []float64{100}})
	d := xml.NewDecoder(strings.NewReader("<div>" + text + "</div>"))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
	for what, n := range map[string]int{"h0": 2, "<path class=\"dots doubted\"": 1, "data-rows=\"1\"": 1, "<li>": 1, "data-figure=\"p.1\"": 2, "1 of 2 published numbers are met": 1, "100 % of 1 pair<": 1, " 14.0h0\"": 1} {
		if strings.Count(text, what) != n {
			t.Errorf("%q is there %d times, want %d, in %s", what, strings.Count(text, what), n, text)
		}
	}
}
