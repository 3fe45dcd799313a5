package measured

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/kerneltime"
)

// The columns of what was measured.
const (
	columnTime = "time_us"       // of a kernel
	columnRate = "per_s_per_gpu" // of an iteration
)

// Sniff reports whether data begins as a table of measurements: a line of columns with a GPU, a
// class of kernels or a network, and what was measured.
func Sniff(data []byte) bool {
	line, _, _ := bytes.Cut(data[:min(len(data), 4096)], []byte("\n"))
	columns := strings.Split(strings.ToLower(strings.TrimSpace(strings.TrimPrefix(string(line), "\uFEFF"))), ",")
	has := func(name string) bool { return slices.Contains(columns, name) }
	return has("gpu") && (has("class") && has(columnTime) || has("net") && has(columnRate))
}

// Compare says how a table of measurements agrees with the law, by GPU and class, GPUs and classes
// as they come. Rows without a measurement or an estimate are counted in a note with the first
// reason; a cell that cannot be read is an error with name:line.
func Compare(in io.Reader, name string) (list []kerneltime.Agreement, notes []string, err error) {
	t, err := open(in, name)
	if err != nil {
		return nil, nil, err
	}
	type key struct{ gpu, class string }
	type rows struct {
		longer  []float64
		inside  int64
		kernels bool
	}
	var order []key
	groups := map[key]*rows{}
	missing, why := 0, ""
	for {
		_, row, err := t.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		longer, x, err := row.compare()
		if err != nil {
			if _, ok := errors.AsType[*Unknown](err); !ok {
				return nil, nil, fmt.Errorf("%s:%d: %w", name, t.line(), err)
			}
			if missing++; missing == 1 {
				short, _, _ := strings.Cut(err.Error(), ";") // without all that there would be
				why = fmt.Sprintf("line %d: %s", t.line(), short)
			}
			continue
		}
		k := key{x.GPU.Key, x.Class + x.Network}
		g := groups[k]
		if g == nil {
			g = &rows{kernels: x.Class != ""}
			groups[k], order = g, append(order, k)
		}
		g.longer = append(g.longer, longer)
		if off := 1/longer - 1; off <= float64(x.Band)/100 && -off <= float64(x.Band)/100 {
			g.inside++
		}
	}
	if missing > 0 {
		notes = append(notes, fmt.Sprintf("rows without an estimate: %d (%s)", missing, why))
	}
	for _, k := range order {
		g := groups[k]
		list = append(list, kerneltime.Agree(k.gpu, k.class, g.kernels, g.longer, g.inside))
	}
	if len(list) == 0 {
		return nil, nil, fmt.Errorf("%s: no row has a measurement and an estimate; %s", name, why)
	}
	return list, notes, nil
}

// compare is how much longer a row's measurement is than the law's time, which x says.
func (r Row) compare() (longer float64, x *Result, err error) {
	if x, err = Estimate(r); err != nil {
		return 0, nil, err
	}
	column := columnTime
	if x.Class == "" {
		column = columnRate
	}
	text := r.get(column)
	if text == "" {
		return 0, nil, &Unknown{"nothing in " + column}
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0 && v < 1e15) {
		return 0, nil, &Wrong{column, text, "a number above 0"}
	}
	if longer = v / x.Value; x.Class == "" { // a rate
		longer = x.Value / v
	}
	return longer, x, nil
}
