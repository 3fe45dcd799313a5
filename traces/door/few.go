package door

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// fewLines is how many wrong lines of one file are said one by one.
const fewLines = 3

// few says of a file with many wrong lines only the first, how many more were read, and where
// the last of them is: what is wrong with one is mostly wrong with all. An error that names
// no line stays.
func few(err error) error {
	all := leaves(err)
	count := map[string]int{} // wrong lines by file
	second, last := map[string]int64{}, map[string]int64{}
	for _, e := range all {
		if file, line, ok := placed(e); ok {
			if count[file]++; count[file] == 2 {
				second[file] = line
			}
			last[file] = max(last[file], line)
		}
	}
	var kept []error
	said := map[string]bool{}
	for _, e := range all {
		file, _, ok := placed(e)
		if !ok || count[file] <= fewLines {
			kept = append(kept, e)
			continue
		}
		if !said[file] {
			said[file] = true
			kept = append(kept, e, fmt.Errorf("%s, lines %d to %d: %d more like it", file, second[file], last[file], count[file]-1))
		}
	}
	if len(kept) == len(all) {
		return err
	}
	return errors.Join(kept...)
}

// leaves are the errors that were joined into one, in their order.
func leaves(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var list []error
	for _, e := range joined.Unwrap() {
		list = append(list, leaves(e)...)
	}
	return list
}

// placed takes the file and the line from an error that begins with FILE:LINE and a colon.
func placed(err error) (file string, line int64, ok bool) {
	place, _, _ := strings.Cut(err.Error(), ": ")
	at := strings.LastIndexByte(place, ':')
	if at < 1 {
		return "", 0, false
	}
	line, e := strconv.ParseInt(place[at+1:], 10, 64)
	return place[:at], line, e == nil
}
