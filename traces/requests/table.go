package requests

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"spillway/sim/unit"
)

// What columns of a table may say.
const (
	colTime = iota
	colInput
	colOutput
	columns
)

// head finds columns by their names.
func (d *decoder) head(b []byte, names [columns]string) bool {
	list := bytes.Split(b, []byte(","))
	d.columns = [columns]int{-1, -1, -1}
	for i, field := range list {
		for c, name := range names {
			if strings.EqualFold(string(bytes.Trim(field, "\" \t\r")), name) && d.columns[c] < 0 {
				d.columns[c] = i
			}
		}
	}
	for _, at := range d.columns {
		if at < 0 {
			return false
		}
	}
	d.fields = list
	return true
}

func (d *decoder) azureHead(b []byte) bool {
	return d.head(b, [columns]string{"TIMESTAMP", "ContextTokens", "GeneratedTokens"})
}

func (d *decoder) burstHead(b []byte) bool {
	return d.head(b, [columns]string{"Timestamp", "Request tokens", "Response tokens"})
}

// tableLine takes a line of a table.
func (d *decoder) tableLine(b []byte) error {
	want := len(d.fields)
	list := bytes.Split(b, []byte(","))
	if len(list) != want {
		return fmt.Errorf("has %d fields; the first line has %d", len(list), want)
	}
	field := func(c int) []byte { return bytes.Trim(list[d.columns[c]], "\" \t\r") }
	at, err := d.when(field(colTime))
	if err != nil {
		return fmt.Errorf("%s: %w", d.names()[colTime], err)
	}
	input, err := tokens(field(colInput))
	if err != nil {
		return fmt.Errorf("%s: %w", d.names()[colInput], err)
	}
	output, err := tokens(field(colOutput))
	if err != nil {
		return fmt.Errorf("%s: %w", d.names()[colOutput], err)
	}
	return d.add(at, input, output, nil)
}

// names are the columns' names in the file.
func (d *decoder) names() (list [columns]string) {
	for c, at := range d.columns {
		list[c] = string(bytes.Trim(d.fields[at], "\" \t\r"))
	}
	return list
}

// when reads a time: seconds in BurstGPT's tables, a date in Azure's, which counts from the
// first that was read.
func (d *decoder) when(b []byte) (unit.Time, error) {
	if d.format.seconds {
		return decimal(b, unit.Second)
	}
	second, rest, err := date(b)
	if err != nil {
		return 0, err
	}
	if !d.dated {
		d.epoch, d.dated = second, true
	}
	const day = 86400
	if from := second - d.epoch; from < -day || from > int64(longest/unit.Second)-day {
		return 0, fmt.Errorf("%.40q is too far from the first: a list may take %d days", b, longest/unit.Second/day)
	}
	return unit.Time(second-d.epoch)*unit.Second + rest, nil
}

// date reads a time as 2023-11-16 18:17:03.9799600, with a zone behind it or not, which does
// not matter, as seconds and a part of one.
func date(b []byte) (second int64, rest unit.Time, err error) {
	err = fmt.Errorf("%.40q is not a time; want it as 2023-11-16 18:17:03.9799600", b)
	if len(b) < 19 || b[4] != '-' || b[7] != '-' || b[10] != ' ' && b[10] != 'T' || b[13] != ':' || b[16] != ':' {
		return 0, 0, err
	}
	var n [6]int64 // year, month, day, hour, minute, second
	for i, part := range [][]byte{b[:4], b[5:7], b[8:10], b[11:13], b[14:16], b[17:19]} {
		v, ok := whole(part)
		if !ok {
			return 0, 0, err
		}
		n[i] = int64(v)
	}
	if n[1] < 1 || n[1] > 12 || n[2] < 1 || n[2] > 31 || n[3] > 23 || n[4] > 59 || n[5] > 60 {
		return 0, 0, err
	}
	if places := b[19:]; len(places) > 0 && places[0] == '.' {
		scale := unit.Second
		for _, c := range places[1:] {
			if c < '0' || c > '9' || scale == 1 {
				break
			}
			scale /= 10
			rest += unit.Time(c-'0') * scale
		}
	}
	return ((days(n[0], n[1], n[2])*24+n[3])*60+n[4])*60 + n[5], rest, nil
}

// days counts days, from a day that does not matter.
func days(year, month, day int64) int64 {
	if month <= 2 { // the year begins in March
		year, month = year-1, month+12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day
}

// longest is how long a list may take: some 104 days.
const longest = 9_000_000 * unit.Second

// tokens reads a number of tokens, which some tables write as 217.0.
func tokens(b []byte) (int64, error) {
	b = bytes.TrimSuffix(b, []byte(".0"))
	v, ok := whole(b)
	if !ok || v > math.MaxInt32 {
		return 0, fmt.Errorf("%.40q is not a number of tokens", b)
	}
	return int64(v), nil
}

// whole reads digits.
func whole(b []byte) (v uint64, ok bool) {
	if len(b) == 0 || len(b) > 20 {
		return 0, false
	}
	for _, c := range b {
		x := uint64(c - '0')
		if x > 9 || v > (math.MaxUint64-x)/10 {
			return 0, false
		}
		v = 10*v + x
	}
	return v, true
}

// decimal reads digits, and perhaps a point and more, as scale times the number.
func decimal(b []byte, scale unit.Time) (unit.Time, error) {
	front, places, point := bytes.Cut(b, []byte("."))
	n, ok := whole(front)
	if !ok || point && len(places) == 0 || n > uint64(longest/scale) {
		return 0, fmt.Errorf("%.40q is not a time from 0 to %d s", b, longest/unit.Second)
	}
	t := unit.Time(n) * scale
	for _, c := range places {
		if c < '0' || c > '9' {
			return 0, fmt.Errorf("%.40q is not a time", b)
		}
		scale /= 10
		t += unit.Time(c-'0') * scale
	}
	return t, nil
}
