package report_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"spillway/sim/report"
	"spillway/sim/unit"
)

func TestData(t *testing.T) {
	text := report.Data([]report.Table{{Key: "times", Head: []string{"System", "Time", "Share", "Share", ""}, Rows: []report.Row{
		{Head: "=HYPERLINK(\"x\")", Sub: "1\u202f234 −1", Set: "lab=train", Cells: []report.Cell{
			report.TimeCell(1_234_567_890_123), report.ShareCell(1. / 3), report.DashCell(), report.Textf("yes, \"so\""),
		}},
		{Head: "a", Cells: []report.Cell{report.Textf("%v", 3*unit.GiB), report.CountCell(int64(1_000_000)), report.Textf("%v", 12*unit.GBps), report.Textf("1 to 2").Part("low", 1.25, "s").Part("high", 2, "s")}},
		{Head: "b", Cells: []report.Cell{report.TimeCell(0), report.BytesCell(0), report.Textf("%d", 7), {Text: "1 / 2", Stack: []float64{0.25, 0.75}}}},
	}}})
	const want = `table,line,row,about,column,value,unit,text,setup
times,1,"'=HYPERLINK(""x"")",1234 -1,time,1.234567890123,s,,lab=train
times,1,"'=HYPERLINK(""x"")",1234 -1,share,33.33333333333333,%,,lab=train
times,1,"'=HYPERLINK(""x"")",1234 -1,share_2,,,,lab=train
times,1,"'=HYPERLINK(""x"")",1234 -1,column,,,"yes, ""so""",lab=train
times,2,a,,time,3221225472,B,,
times,2,a,,share,1000000,,,
times,2,a,,share_2,12000000000,B/s,,
times,2,a,,column_low,1.25,s,,
times,2,a,,column_high,2,s,,
times,3,b,,time,0,s,,
times,3,b,,share,0,B,,
times,3,b,,share_2,7,,,
times,3,b,,column_1,25,%,,
times,3,b,,column_2,75,%,,
`
	if text != want {
		t.Errorf("got\n%s", text)
	}
	if _, err := csv.NewReader(strings.NewReader(text)).ReadAll(); err != nil {
		t.Error(err)
	}
}

// What is no number, or none that can be written, is not one.
func TestAsWritten(t *testing.T) {
	for _, text := range []string{"NaN", "+Inf", "-inf", "many"} {
		if c := (report.Cell{Text: text}).AsWritten(); len(c.Numbers()) > 0 {
			t.Errorf("%q is %v", text, c.Data)
		}
	}
	if c := (report.Cell{Text: "-1.5e3"}).AsWritten(); len(c.Numbers()) != 1 || c.Data[0].Value != "-1.5e3" {
		t.Errorf("%v", c.Data)
	}
}

func TestSlug(t *testing.T) {
	for in, want := range map[string]string{"": "other", "Read: pages": "read_pages", "$ a GiB": "dollars_a_gib", "Of it, %": "of_it_percent", "–": "other"} {
		if got := report.Slug(in, "other"); got != want {
			t.Errorf("%q is %q; want %q", in, got, want)
		}
	}
}
