package table

import (
	"testing"

	"spillway/sim/report"
)

func TestJSON(t *testing.T) {
	f := &File{Title: "Times", Mode: "corrected", Link: "https://example.org/#v=3", Tables: []report.Table{{Title: "Of its own", Head: []string{"System", "Time, s"}, Rows: []report.Row{
		{Head: "a <b>", Sub: "sub", Cells: []report.Cell{{Text: "1.5", Change: "+8 % better"}, {Text: "\"q\""}}}, {Head: "c"},
	}}}}
	text, err := f.JSON()
	const want = `{"title":"Times","mode":"corrected","link":"https://example.org/#v=3","tables":[{"title":"Times","head":["System","Time, s",""],"rows":[["a \u003cb\u003e (sub)","1.5 (+8 % better)","\"q\""],["c","",""]]}]}`
	if err != nil || text != want {
		t.Errorf("%s, %v", text, err)
	}
	f.Tables = append(f.Tables, report.Table{Head: []string{"a"}})
	if d := f.document(); d.Tables[0].Title != "Of its own" || d.Tables[1].Title != "Times" {
		t.Errorf("%+v", d)
	}
}
