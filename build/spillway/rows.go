package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"spillway/sim/report"
	"spillway/sim/sweep"
	"spillway/traces/jsonx"
	"spillway/ui/exec"
)

// A sweepRun is the JSON of one run of a sweep. Names and meanings are stable.
type sweepRun struct {
	exec.Record
	At      map[string]string `json:"at" help:"the values of the settings that are varied"`
	Problem string            `json:"problem,omitempty" help:"what contradicts in its settings, so that nothing ran; missing if nothing does"`
}

const csvHelp = "With lab=, --csv prints a line a run below a line with names: the settings that are varied, system, status (ok, cannot run or contradicts), why it cannot, the quantities with the units of their values, and the hash. An empty field is a value that the run does not have."

// reading is what the run says, without a value.
func (r *sweepRun) reading() *sweep.Reading {
	return &sweep.Reading{Problem: r.Problem, Fits: r.Fits, Reason: r.Reason}
}

// An outForm is how runs are printed: a table for people if neither is set.
type outForm struct{ json, csv bool }

// formFlags adds the flags of the forms, which are described where it is said.
func formFlags(fs *flag.FlagSet, where string) *outForm {
	f := &outForm{}
	fs.BoolVar(&f.json, "json", false, "print JSON, described "+where)
	fs.BoolVar(&f.csv, "csv", false, "print comma-separated values, described "+where)
	return f
}

func (f *outForm) check() error {
	if f.json && f.csv {
		return errors.New("--json and --csv; want one of them")
	}
	return nil
}

// A runWriter takes the runs of a sweep in their order.
type runWriter interface {
	begin(p *plan) error
	row(r *sweepRun) error
	end() error
}

// writer returns what prints to the shell.
func (p *plan) writer(s *shell, f *outForm) runWriter {
	w := s.out
	switch {
	case f.json:
		return &jsonWriter{w: w, program: s.program}
	case f.csv:
		return &csvWriter{w: csv.NewWriter(w)}
	}
	return &tableWriter{w: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
}

// A jsonWriter prints an array.
type jsonWriter struct {
	w       io.Writer
	program string
	rows    int
}

func (j *jsonWriter) begin(*plan) error { return nil }

func (j *jsonWriter) row(r *sweepRun) error {
	r.Program = j.program
	data, err := jsonx.MarshalIndent(r)
	if err != nil {
		return err
	}
	before := ",\n  "
	if j.rows == 0 {
		before = "[\n  "
	}
	j.rows++
	_, err = j.w.Write(append([]byte(before), bytes.ReplaceAll(data, []byte("\n"), []byte("\n  "))...))
	return err
}

func (j *jsonWriter) end() error {
	text := "\n]\n"
	if j.rows == 0 {
		text = "[]\n"
	}
	_, err := io.WriteString(j.w, text)
	return err
}

// A csvWriter prints comma-separated values.
type csvWriter struct {
	w    *csv.Writer
	plan *plan
}

func (c *csvWriter) begin(p *plan) error {
	c.plan = p
	var names []string
	for i := range p.Axes {
		names = append(names, p.Axes[i].Key)
	}
	names = append(names, "system", "status", "reason")
	return c.write(append(append(names, p.Columns...), "hash"))
}

func (c *csvWriter) row(r *sweepRun) error {
	var cells []string
	for i := range c.plan.Axes {
		cells = append(cells, r.At[c.plan.Axes[i].Key])
	}
	y := r.reading()
	cells = append(cells, r.System, y.Status(), y.Why())
	for _, key := range c.plan.Columns {
		cells = append(cells, number(r.Values, key))
	}
	return c.write(append(cells, r.Hash))
}

// number is the value of a quantity in full, "" if there is none.
func number(values map[string]float64, key string) string {
	v, ok := values[key]
	if !ok {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// write writes a line at once, for those who look on.
func (c *csvWriter) write(cells []string) error {
	if err := c.w.Write(report.Cells(cells)); err != nil {
		return err
	}
	c.w.Flush()
	return c.w.Error()
}

func (c *csvWriter) end() error { return nil }

// A tableWriter prints a table for people, when all is known.
type tableWriter struct {
	w    *tabwriter.Writer
	plan *plan
}

func (t *tableWriter) begin(p *plan) error {
	t.plan = p
	for i := range p.Axes {
		fmt.Fprintf(t.w, "%s\t", p.Axes[i].Key)
	}
	fmt.Fprint(t.w, "system")
	for _, key := range p.Table {
		fmt.Fprintf(t.w, "\t%s", key)
	}
	_, err := fmt.Fprintln(t.w)
	return err
}

func (t *tableWriter) row(r *sweepRun) error {
	for i := range t.plan.Axes {
		fmt.Fprintf(t.w, "%s\t", r.At[t.plan.Axes[i].Key])
	}
	fmt.Fprint(t.w, r.System)
	for _, key := range t.plan.Table {
		text := r.reading().Status()
		if text == sweep.OK {
			text = "–"
		}
		if v, ok := r.Values[key]; ok {
			text = fmt.Sprintf("%.10g", v)
		}
		fmt.Fprintf(t.w, "\t%s", text)
	}
	_, err := fmt.Fprintln(t.w)
	return err
}

func (t *tableWriter) end() error { return t.w.Flush() }
