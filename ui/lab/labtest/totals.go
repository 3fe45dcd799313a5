package labtest

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"testing"

	"spillway/sim/report"
	"spillway/ui/lab"
)

// totals checks that what a file holds adds up to the quantities that its format says, of a
// report of the same run.
func totals(t testing.TB, l *lab.Lab, about string, x *lab.Export, data []byte, r *report.Report) {
	t.Helper()
	list := l.Totals(x.Key)
	if len(list) == 0 {
		return
	}
	rows, err := rowsOf(x.Mime, data)
	if err != nil {
		t.Errorf("%s: %s cannot be read: %v", about, x.Key, err)
		return
	}
	for i := range list {
		sum := &list[i]
		at := l.Quantity(sum.Quantity)
		if at < 0 {
			t.Errorf("%s: %s has a total of %q, which is no quantity", about, x.Key, sum.Quantity)
			continue
		}
		want, ok := r.Value(at)
		if !ok {
			continue
		}
		got, err := added(rows, sum)
		if err != nil {
			t.Errorf("%s: %s: %v", about, x.Key, err)
		}
		if math.Abs(got-want) > 1e-6*max(1, math.Abs(want)) {
			t.Errorf("%s: in %s %s adds up to %v, in the report it is %v", about, x.Key, sum.Quantity, got, want)
		}
	}
}

// added is a total as the rows of a file have it.
func added(rows []map[string]string, x *lab.Total) (float64, error) {
	sum, over := 0.0, map[string]bool{}
	among := x.Among
	if among == nil {
		among = x.Where
	}
	for _, row := range rows {
		if has(row, among) {
			over[row[x.Over]] = true
		}
		if !has(row, x.Where) {
			continue
		}
		if row[x.Column] == "" {
			continue
		}
		v, err := strconv.ParseFloat(row[x.Column], 64)
		if err != nil {
			return 0, fmt.Errorf("column %s: %w", x.Column, err)
		}
		sum += v
	}
	sum /= x.Unit
	if x.Over != "" {
		sum /= float64(max(1, len(over)))
	}
	return sum, nil
}

// has reports whether a row has these texts.
func has(row, texts map[string]string) bool {
	for column, text := range texts {
		if row[column] != text {
			return false
		}
	}
	return true
}

// rowsOf are the rows of a table, or the slices of a timeline with what they say.
func rowsOf(mime string, data []byte) (rows []map[string]string, err error) {
	if mime == "text/csv" {
		lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil || len(lines) == 0 {
			return nil, err
		}
		for _, line := range lines[1:] {
			row := map[string]string{}
			for i, text := range line {
				row[lines[0][i]] = text
			}
			rows = append(rows, row)
		}
		return rows, nil
	}
	var file struct {
		TraceEvents []struct {
			Ph, Name string
			Pid, Tid json.Number
			Args     map[string]any
		}
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&file); err != nil {
		return nil, err
	}
	for i := range file.TraceEvents {
		e := &file.TraceEvents[i]
		if e.Ph != "X" {
			continue
		}
		row := map[string]string{"name": e.Name, "pid": e.Pid.String(), "tid": e.Tid.String()}
		for key, v := range e.Args {
			row[key] = fmt.Sprint(v)
		}
		if row["ticks"] != "" {
			row["kind"] = "state"
		}
		rows = append(rows, row)
	}
	return rows, nil
}
