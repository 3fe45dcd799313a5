// Package measured reads tables of measurements, a kernel or an iteration a row, and says
// what the law of kernel times makes of each. Columns go by their names:
//
//   - a kernel has class, gpu and precision, and the sizes of its class: batch, m, n, k; c, h,
//     w, r, s, stride, pad, groups, layout, direction; heads, seq_q, seq_kv, head_dim, causal;
//     bytes. Its time is in time_us.
//   - an iteration has gpu, policy, net, batch and mode, and what else it depends on: layout,
//     img, seq, gpus, accumulate, checkpoint, optimizer, kind. Its rate is in per_s_per_gpu.
//
// The same names are the keys of spillway estimate.
package measured

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
)

// A Row is cells by the names of their columns. A missing cell is an empty one.
type Row map[string]string

// get is a cell of the first of these columns that has one.
func (r Row) get(columns ...string) string {
	for _, c := range columns {
		if v := strings.TrimSpace(r[c]); v != "" {
			return v
		}
	}
	return ""
}

// word is a cell in lower case without what spellings differ in.
func (r Row) word(columns ...string) string { return plain(r.get(columns...)) }

// plain is a word in lower case without separators.
func plain(s string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "", "+", "").Replace(strings.ToLower(s))
}

// mostSize is the largest number of a row: products of two stay inside int64.
const mostSize = 1 << 31

// A Wrong is a cell that cannot be read.
type Wrong struct{ Column, Cell, Want string }

// Error says which and what to write instead.
func (w *Wrong) Error() string { return fmt.Sprintf("%s: %q; want %s", w.Column, w.Cell, w.Want) }

// count is a cell as a whole number from least, without where it is empty. Other programs
// write 12 as 12.0.
func (r Row) count(column string, least, without int64) (int64, error) {
	text := r.get(column)
	if text == "" {
		return without, nil
	}
	most := int64(mostSize)
	if column == "bytes" {
		most = 1 << 50
	}
	v, err := strconv.ParseFloat(text, 64) // of what is read nothing above 2^50 is taken
	if err != nil || v != math.Trunc(v) || v < float64(least) || v > float64(most) {
		return 0, &Wrong{column, text, fmt.Sprintf("a whole number from %d to %d", least, most)}
	}
	return int64(v), nil
}

// truth is a cell that says yes or no.
func (r Row) truth(column string) (bool, error) {
	switch text := r.get(column); strings.ToLower(text) {
	case "", "false", "0", "0.0", "no", "none", "off":
		return false, nil
	case "true", "1", "1.0", "yes", "on":
		return true, nil
	default:
		return false, &Wrong{column, text, "true or false"}
	}
}

// An Unknown is a reason why a row has no estimate though nothing is wrong with it.
type Unknown struct{ Why string }

// Error is the reason.
func (u *Unknown) Error() string { return u.Why }

// A Result is what the law makes of a row.
type Result struct {
	// Value is in the row's unit: microseconds of a kernel, samples or tokens a second and GPU
	// of an iteration.
	Value float64
	Unit  string
	// Band is how far eight of ten measurements are from it at most, in percent.
	Band  int64
	Notes []string
	// GPU and Estimate say on what and of what parts.
	GPU      *kerneltime.GPU
	Estimate kerneltime.Estimate
	// Class is the word of a kernel's class, Network what kind of network an iteration is of.
	Class, Network string
}

// Estimate is what the law makes of a row. The error is a *[Wrong] where a cell cannot be read,
// an *[Unknown] where the row is of something that the law does not know.
func Estimate(r Row) (*Result, error) {
	name := r.get("gpu")
	if name == "" {
		return nil, &Wrong{"gpu", "", "a GPU, such as " + someGPUs()}
	}
	g := kerneltime.Find(name)
	if g == nil {
		return nil, &Unknown{fmt.Sprintf("GPU %q is not known; there are %s", name, someGPUs())}
	}
	p := kerneltime.FP32
	if text := r.get("precision", "policy"); text != "" {
		var ok bool
		if p, ok = kerneltime.ParsePrecision(text); !ok {
			return nil, &Unknown{fmt.Sprintf("precision %q is not known; there are %s", text, strings.Join(kerneltime.Precisions(), ", "))}
		}
	}
	if p == kerneltime.FP8 && g.FP8 == 0 {
		return nil, &Unknown{fmt.Sprintf("the %s multiplies no numbers of 8 bits; ask for bf16, or take a GPU of Ada, Hopper or Blackwell", g.Name)}
	}
	x, err := (*Result)(nil), error(&Wrong{"class", "", "a class of kernels, or a network in net"})
	switch {
	case r.get("class") != "":
		x, err = kernel(g, p, r)
	case r.get("net") != "":
		x, err = iteration(g, p, r)
	}
	if says := g.Instead(p); err == nil && says != "" {
		x.Notes = append(x.Notes, says)
	}
	return x, err
}

// someGPUs lists the keys of all GPUs.
func someGPUs() string {
	var keys []string
	for _, g := range kerneltime.GPUs() {
		keys = append(keys, g.Key)
	}
	return strings.Join(keys, ", ")
}

// The columns that a table gets.
const (
	columnEstimate = "estimate"
	columnBand     = "band_percent"
	columnNote     = "note"
)

// A table is a table of measurements that is read line by line.
type table struct {
	*csv.Reader
	name    string
	columns []string // as they are
	keys    []string // the same in lower case
}

// open reads a table's line of columns.
func open(in io.Reader, name string) (*table, error) {
	t := &table{Reader: csv.NewReader(in), name: name}
	t.ReuseRecord = true
	head, err := t.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s: nothing in it; want a table with a line of columns", name)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t.columns = slices.Clone(head)
	for i := range t.columns {
		t.columns[i] = strings.TrimSpace(strings.TrimPrefix(t.columns[i], "\uFEFF"))
		t.keys = append(t.keys, strings.ToLower(t.columns[i]))
	}
	if !slices.Contains(t.keys, "gpu") || !slices.Contains(t.keys, "class") && !slices.Contains(t.keys, "net") {
		return nil, fmt.Errorf("%s:1: no column gpu with class (a kernel a row) or net (an iteration a row); there are %s", name, strings.Join(t.columns, ", "))
	}
	return t, nil
}

// next is the cells of the next line, which are good until the next call, as they are and by
// column; io.EOF behind the last.
func (t *table) next() (cells []string, row Row, err error) {
	switch cells, err = t.Read(); {
	case errors.Is(err, io.EOF):
		return nil, nil, io.EOF
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %w", t.name, err)
	}
	row = Row{}
	for i, c := range cells {
		row[t.keys[i]] = c
	}
	return cells, row, nil
}

// line is that of the cells that were read last.
func (t *table) line() int {
	line, _ := t.FieldPos(0)
	return line
}

// Table copies a table of measurements from in to out with three columns more: the estimate in
// the row's own unit, its band, and a note. A row without an estimate says why in its note. Cells
// that cannot be read are errors with name:line, all together, after the table is written.
func Table(in io.Reader, out io.Writer, name string) error {
	t, err := open(in, name)
	if err != nil {
		return err
	}
	writer := csv.NewWriter(out)
	if err := writer.Write(append(slices.Clone(t.columns), columnEstimate, columnBand, columnNote)); err != nil {
		return err
	}
	var wrong []error
	for {
		cells, row, err := t.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			wrong = append(wrong, err)
			break
		}
		answer, err := cellsOf(row)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s:%d: %w", name, t.line(), err))
		}
		if err := writer.Write(append(slices.Clone(cells), answer[:]...)); err != nil {
			return err
		}
	}
	writer.Flush()
	return errors.Join(append(wrong, writer.Error())...)
}

// cellsOf is a row's three cells. The error is of a cell that cannot be read.
func cellsOf(r Row) ([3]string, error) {
	x, err := Estimate(r)
	if err != nil {
		if _, ok := errors.AsType[*Unknown](err); ok {
			return [3]string{"", "", err.Error()}, nil
		}
		return [3]string{"", "", err.Error()}, err
	}
	return [3]string{Number(x.Value), strconv.FormatInt(x.Band, 10), strings.Join(x.Notes, "; ")}, nil
}

// Number is a value with five significant digits.
func Number(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }

// microseconds is a time in microseconds.
func microseconds(t unit.Time) float64 { return float64(t) / float64(unit.Microsecond) }
