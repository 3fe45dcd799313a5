// Package opstrace reads and writes traces of operations on an object store for
// GPU memory (sim/store/ops), as CSV or as JSON Lines, one operation a line.
// FORMAT.md next to this file describes the format for those who write it.
//
// Both are read by a reader of their own. The lines are flat, there may be a
// million of them, and what is not in FORMAT.md is an error that names the line;
// a general JSON library would add a quarter of a megabyte or more to the page
// to do that more slowly.
package opstrace

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"spillway/sim/store/ops"
	"spillway/sim/unit"
)

// A Form is one of the two ways to write a trace.
type Form uint8

// The forms.
const (
	CSV Form = iota
	JSONLines
)

// Header is the first line of a CSV trace, and lists the keys of JSON Lines.
const Header = "time_us,client,op,tensor,bytes,next"

// MaxBytes is the longest file that is read.
const MaxBytes = 256 << 20

// problems is how many errors are listed before reading stops.
const problems = 20

// The columns, in the order of Header.
const (
	colTime = iota
	colClient
	colOp
	colTensor
	colBytes
	colNext
	columns
)

var keys = strings.Split(Header, ",")

var byteOrderMark = []byte("\ufeff")

// Sniff reports whether data begins like a trace of operations: with the CSV
// header, or with an object that has the keys "op" and "tensor" in its first line.
func Sniff(data []byte) bool {
	line, _ := cut(bytes.TrimPrefix(data[:min(len(data), 4096)], byteOrderMark))
	if string(line) == Header {
		return true
	}
	line = bytes.TrimLeft(line, " \t")
	return bytes.HasPrefix(line, []byte("{")) && bytes.Contains(line, []byte(`"op"`)) && bytes.Contains(line, []byte(`"tensor"`))
}

// cut returns the first line without its end, and what follows.
func cut(data []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(data, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), rest
}

// Decode reads a trace; name is the file's, for messages. They have the form
// file:line: what is wrong; up to twenty are given at once. The trace is valid
// and canonical. What its clients do wrong with their tensors is not looked at:
// that is found by running it.
func Decode(name string, data []byte) (*ops.Trace, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%s: has %d bytes; at most %d are read", name, len(data), MaxBytes)
	}
	data = bytes.TrimPrefix(data, byteOrderMark)
	d := decoder{file: name, ids: map[string]int32{}, trace: &ops.Trace{}}
	first, rest := cut(data)
	split := splitJSON
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return nil, fmt.Errorf("%s: the file is empty; want the header %s, or JSON Lines with these keys", name, Header)
	case bytes.HasPrefix(bytes.TrimLeft(first, " \t"), []byte("{")):
	case string(first) == Header:
		split, data, d.line = splitCSV, rest, 1
	default:
		return nil, fmt.Errorf("%s:1: the first line is %.80q; want the header %s, or JSON Lines with these keys", name, first, Header)
	}
	d.trace.Ops = make([]ops.Op, 0, min(bytes.Count(data, []byte("\n"))+1, ops.MaxOps))
	d.read(data, split)
	if len(d.errs) == 0 && len(d.trace.Ops) == 0 {
		d.errs = append(d.errs, fmt.Errorf("%s: has no operations", name))
	}
	if len(d.errs) > 0 {
		return nil, errors.Join(d.errs...)
	}
	return d.trace, nil
}

// A decoder holds what has been read.
type decoder struct {
	file  string
	line  int
	errs  []error
	trace *ops.Trace
	// Numbers of clients, and of tensors after the byte of their client.
	ids     map[string]int32
	key     []byte
	clock   [ops.MaxClients]unit.Time
	number  [ops.MaxClients]int32
	fields  [columns][]byte
	scratch []byte // for fields that must be unescaped
}

func (d *decoder) read(data []byte, split func(*decoder, []byte) error) {
	for len(data) > 0 && len(d.errs) < problems {
		var line []byte
		line, data = cut(data)
		d.line++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if len(d.trace.Ops) == ops.MaxOps {
			d.bad(fmt.Errorf("more than %d operations", ops.MaxOps))
			return
		}
		d.fields = [columns][]byte{}
		d.scratch = d.scratch[:0]
		err := split(d, line)
		if err == nil {
			err = d.operation()
		}
		if err != nil {
			d.bad(err)
		}
	}
}

func (d *decoder) bad(err error) {
	d.errs = append(d.errs, fmt.Errorf("%s:%d: %w", d.file, d.line, err))
}

// operation adds the operation of the fields.
func (d *decoder) operation() error {
	f := &d.fields
	at, err := parseMicroseconds(f[colTime])
	if err != nil {
		return fmt.Errorf("time_us: %w", err)
	}
	kind, ok := kindOf(f[colOp])
	if !ok {
		_, err := ops.ParseKind(string(f[colOp]))
		return fmt.Errorf("op: %w", err)
	}
	o := ops.Op{Kind: kind}
	if o.Bytes, err = parseBytes(f[colBytes], kind); err != nil {
		return fmt.Errorf("bytes: %w", err)
	}
	if o.Next, err = parseNext(f[colNext], kind); err != nil {
		return fmt.Errorf("next: %w", err)
	}
	c, err := d.clientOf(f[colClient])
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	o.Client = uint8(c)
	if o.Tensor, err = d.tensorOf(f[colTensor], o.Client); err != nil {
		return fmt.Errorf("tensor: %w", err)
	}
	if at < d.clock[c] {
		return fmt.Errorf("time_us: is %s, before %s of this client's last operation", f[colTime], microseconds(d.clock[c]))
	}
	if n := d.number[c] + 1; o.Next.Order != 0 && o.Next.Order <= n {
		return fmt.Errorf("next: is operation %d of client %s, but this is its operation %d already", o.Next.Order, d.trace.Clients[c], n)
	}
	o.Think = at - d.clock[c]
	d.clock[c] = at
	d.number[c]++
	d.trace.Ops = append(d.trace.Ops, o)
	return nil
}

func (d *decoder) clientOf(name []byte) (int32, error) {
	d.key = append(d.key[:0], 0xff) // no name begins so, nor does a tensor's key
	d.key = append(d.key, name...)
	if id, ok := d.ids[string(d.key)]; ok {
		return id, nil
	}
	s := string(name)
	if err := ops.CheckName(s); err != nil {
		return 0, err
	}
	if len(d.trace.Clients) == ops.MaxClients {
		return 0, fmt.Errorf("%q is one more than the %d clients that are supported", s, ops.MaxClients)
	}
	id := int32(len(d.trace.Clients))
	d.ids[string(d.key)] = id
	d.trace.Clients = append(d.trace.Clients, s)
	return id, nil
}

func (d *decoder) tensorOf(name []byte, client uint8) (int32, error) {
	d.key = append(d.key[:0], client)
	d.key = append(d.key, name...)
	if id, ok := d.ids[string(d.key)]; ok {
		return id, nil
	}
	key := string(d.key) // the name shares its memory
	if err := ops.CheckName(key[1:]); err != nil {
		return 0, err
	}
	id := int32(len(d.trace.Tensors))
	d.ids[key] = id
	d.trace.Tensors = append(d.trace.Tensors, ops.Tensor{Name: key[1:], Client: client})
	return id, nil
}

func kindOf(s []byte) (ops.Kind, bool) {
	for k := range ops.Kinds {
		if string(s) == k.String() {
			return k, true
		}
	}
	return 0, false
}

func parseBytes(s []byte, k ops.Kind) (unit.Bytes, error) {
	if !k.Allocates() {
		if len(s) > 0 {
			return 0, fmt.Errorf("%s has no size, found %.40q", k, s)
		}
		return 0, nil
	}
	n, ok := parseWhole(s)
	if !ok || n < 1 || n > int64(ops.MaxTensor) {
		return 0, fmt.Errorf("%.40q is not a size; want a whole number of bytes, 1 to %d", s, ops.MaxTensor)
	}
	return unit.Bytes(n), nil
}

// parseNext reads "78", "+36ms" or "78+36ms".
func parseNext(s []byte, k ops.Kind) (n ops.Next, err error) {
	if len(s) == 0 {
		return n, nil
	}
	if k != ops.Put {
		return n, fmt.Errorf("only put has one, found %.40q", s)
	}
	bad := func() (ops.Next, error) {
		return ops.Next{}, fmt.Errorf("%.40q is neither the number of an operation (78, at most %d) nor a time from now (+36ms, at most %d s), nor both (78+36ms)", s, ops.MaxOps, ops.MaxTime/unit.Second)
	}
	order, after, timed := bytes.Cut(s, []byte("+"))
	if len(order) > 0 {
		v, ok := parseWhole(order)
		if !ok || v < 1 || v > ops.MaxOps {
			return bad()
		}
		n.Order = int32(v)
	}
	if timed {
		for _, u := range units {
			if number, ok := bytes.CutSuffix(after, []byte(u.name)); ok {
				t, ok := parseDecimal(number, u.scale, u.places)
				if !ok || t < 1 || t > ops.MaxTime {
					return bad()
				}
				n.Time = t
				return n, nil
			}
		}
		return bad()
	}
	return n, nil
}

// units of times in next; "s" is last because the others end in it.
var units = []struct {
	name   string
	scale  unit.Time
	places int
}{
	{"ms", unit.Millisecond, 9},
	{"us", unit.Microsecond, 6},
	{"ns", unit.Nanosecond, 3},
	{"ps", unit.Picosecond, 0},
	{"s", unit.Second, 12},
}

func parseMicroseconds(s []byte) (unit.Time, error) {
	t, ok := parseDecimal(s, unit.Microsecond, 6)
	if !ok || t > ops.MaxTime {
		return 0, fmt.Errorf("%.40q is not a time; want microseconds, 0 to %d, with at most 6 decimals", s, ops.MaxTime/unit.Microsecond)
	}
	return t, nil
}

// parseWhole reads digits, at most 18.
func parseWhole(s []byte) (n int64, ok bool) {
	if len(s) == 0 || len(s) > 18 {
		return 0, false
	}
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}

// parseDecimal reads digits, and perhaps a point and at most so many more, as
// scale times the number; it fails beyond about 10¹⁸.
func parseDecimal(s []byte, scale unit.Time, places int) (unit.Time, bool) {
	whole, decimals, point := bytes.Cut(s, []byte("."))
	n, ok := parseWhole(whole)
	if !ok || point && len(decimals) == 0 || len(decimals) > places || n > int64(1e18/scale) {
		return 0, false
	}
	t := unit.Time(n) * scale
	for _, c := range decimals {
		if c < '0' || c > '9' {
			return 0, false
		}
		scale /= 10
		t += unit.Time(c-'0') * scale
	}
	return t, true
}

// splitCSV cuts a line at its commas. A field in double quotes may have commas
// in it, and quotes if they are doubled.
func splitCSV(d *decoder, line []byte) error {
	n := 0
	for more := true; more; n++ {
		var field []byte
		if len(line) > 0 && line[0] == '"' {
			var err error
			if field, line, err = d.quoted(line); err != nil {
				return err
			}
			if more = len(line) > 0; more {
				if line[0] != ',' {
					return fmt.Errorf("want a comma after the quoted field %d, found %.40q", n+1, line)
				}
				line = line[1:]
			}
		} else {
			field, line, more = bytes.Cut(line, []byte(","))
		}
		if n < columns {
			d.fields[n] = field
		}
	}
	if n != columns {
		return fmt.Errorf("has %d fields; want %d: %s", n, columns, Header)
	}
	return nil
}

// quoted reads the quoted field that line begins with.
func (d *decoder) quoted(line []byte) (field, rest []byte, err error) {
	from := len(d.scratch)
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] != '"':
			d.scratch = append(d.scratch, line[i])
		case i+1 < len(line) && line[i+1] == '"':
			d.scratch = append(d.scratch, '"')
			i++
		default:
			return d.scratch[from:len(d.scratch):len(d.scratch)], line[i+1:], nil
		}
	}
	return nil, nil, fmt.Errorf("the quote before %.40q is not closed", line[1:])
}

// Encode writes a trace so that Decode yields it again, if it is canonical;
// else with clients and tensors in another order and without those that no
// operation names.
func Encode(t *ops.Trace, f Form) ([]byte, error) {
	if err := t.Validate(); err != nil {
		return nil, fmt.Errorf("the trace cannot be saved: %w", err)
	}
	var buf []byte
	if f == CSV {
		buf = append(buf, Header+"\n"...)
	}
	var clock [ops.MaxClients]unit.Time
	for i := range t.Ops {
		o := &t.Ops[i]
		clock[o.Client] += o.Think
		client, tensor, at := t.Clients[o.Client], t.Tensors[o.Tensor].Name, microseconds(clock[o.Client])
		size := ""
		if o.Kind.Allocates() {
			size = strconv.FormatInt(int64(o.Bytes), 10)
		}
		if f == CSV {
			buf = append(append(buf, at...), ',')
			buf = append(appendCSV(buf, client), ',')
			buf = append(append(buf, o.Kind.String()...), ',')
			buf = append(appendCSV(buf, tensor), ',')
			buf = append(append(buf, size...), ',')
			buf = append(append(buf, next(o.Next)...), '\n')
			continue
		}
		buf = append(append(buf, `{"time_us":`...), at...)
		buf = appendString(append(buf, `,"client":`...), client)
		buf = append(append(append(buf, `,"op":"`...), o.Kind.String()...), '"')
		buf = appendString(append(buf, `,"tensor":`...), tensor)
		if size != "" {
			buf = append(append(buf, `,"bytes":`...), size...)
		}
		switch n := o.Next; {
		case n == ops.Next{}:
		case n.Time == 0:
			buf = append(append(buf, `,"next":`...), next(n)...)
		default:
			buf = append(append(append(buf, `,"next":"`...), next(n)...), '"')
		}
		buf = append(buf, "}\n"...)
	}
	return buf, nil
}

// microseconds writes a time with at most six decimals.
func microseconds(t unit.Time) string { return decimal(t, unit.Microsecond) }

func decimal(t, scale unit.Time) string {
	s := strconv.FormatInt(int64(t/scale), 10)
	rest := t % scale
	if rest == 0 {
		return s
	}
	digits := strconv.FormatInt(int64(scale+rest), 10)[1:]
	return s + "." + strings.TrimRight(digits, "0")
}

func next(n ops.Next) string {
	s := ""
	if n.Order > 0 {
		s = strconv.Itoa(int(n.Order))
	}
	if n.Time > 0 {
		s += "+" + decimal(n.Time, unit.Millisecond) + "ms"
	}
	return s
}

func appendCSV(buf []byte, s string) []byte {
	if !strings.ContainsAny(s, `",`) {
		return append(buf, s...)
	}
	buf = append(buf, '"')
	buf = append(buf, strings.ReplaceAll(s, `"`, `""`)...)
	return append(buf, '"')
}

// appendString writes a name as a JSON string; names have no control characters.
func appendString(buf []byte, s string) []byte {
	buf = append(buf, '"')
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' {
			buf = append(buf, '\\')
		}
		buf = append(buf, s[i])
	}
	return append(buf, '"')
}
