package fscalls

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"
)

// OneThread reports whether a text that begins with head is what strace -ff writes of one thread:
// lines of strace that begin with their time, without a thread's number. The number ends the
// file's name.
func OneThread(name string, head []byte) (program, thread string, ok bool) {
	at := strings.LastIndexByte(name, '.')
	if at <= 0 || at == len(name)-1 || strings.Trim(name[at+1:], "0123456789") != "" {
		return "", "", false
	}
	for line := range strings.Lines(string(head[:min(len(head), 4096)])) {
		if _, rest, is := stamped(line); is {
			return name[:at], name[at+1:], strings.IndexByte(rest, '(') > 0
		}
		break
	}
	return "", "", false
}

// stamped returns the time that a line begins with, in microseconds, and what stands behind it;
// false if there is none, as of a line that goes on.
func stamped(line string) (micros int64, rest string, ok bool) {
	whole, rest, _ := strings.Cut(line, " ")
	seconds, part, dotted := strings.Cut(whole, ".")
	if !dotted || len(part) != 6 || len(seconds) < 9 {
		return 0, "", false
	}
	s, err := strconv.ParseInt(seconds, 10, 64)
	p, err1 := strconv.ParseInt(part, 10, 64)
	return s*1e6 + p, rest, errors.Join(err, err1) == nil && s < 1<<40
}

// A thread is the file of one, while it is read.
type thread struct {
	number string
	in     *bufio.Reader
	line   string // the next one, empty at the end
	micros int64
}

// next reads a line; one without a time has that of the line before.
func (t *thread) next() error {
	line, err := t.in.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if line != "" && !strings.HasSuffix(line, "\n") {
		line += "\n"
	}
	t.line = line
	if at, _, ok := stamped(line); ok {
		t.micros = at
	}
	return nil
}

// Together reads the files of a program's threads as strace -f -ttt writes all of them: lines in
// the order of their times, each behind its thread's number. Of equal times the first file's
// comes first. Closing it ends that before the last line.
func Together(threads []string, files []io.Reader) io.ReadCloser {
	r, w := io.Pipe()
	go func() { w.CloseWithError(merge(w, threads, files)) }()
	return r
}

// merge writes the lines of files by their times.
func merge(to io.Writer, threads []string, files []io.Reader) error {
	out := bufio.NewWriterSize(to, 64<<10)
	list := make([]*thread, len(files))
	for i := range list {
		list[i] = &thread{number: threads[i], in: bufio.NewReader(files[i])}
		if err := list[i].next(); err != nil {
			return err
		}
	}
	for {
		var first *thread
		for _, t := range list {
			if t.line != "" && (first == nil || t.micros < first.micros) {
				first = t
			}
		}
		if first == nil {
			return out.Flush()
		}
		if strings.TrimSpace(first.line) != "" {
			_, _ = out.WriteString(first.number + " " + first.line) // an error stays until Flush
		}
		if err := first.next(); err != nil {
			return err
		}
	}
}
