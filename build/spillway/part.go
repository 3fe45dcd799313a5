package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"spillway/traces/jsonx"
)

// A part is a file of lines, each a JSON object: a partHead, a partRow for every
// run, and a partFoot. merge -h describes it.

// partFormat is the number of the format. It changes when older programs would
// misread a part.
const partFormat = 1

// A partHead says what the part is of.
type partHead struct {
	Format int `json:"spillway_part" help:"version of the format"`
	// Sweep is the plan. Results says what the program computes: a hash of the
	// first runs, so that any version that computes the same may make a part.
	Sweep   plan   `json:"sweep" help:"the whole sweep"`
	Results string `json:"results" help:"hash of the sweep's first runs, by which programs that compute something else are told apart"`
	ID      string `json:"id" help:"hash of sweep and results: equal in all parts of a sweep"`
	Shard   int    `json:"shard" help:"from 1"`
	Of      int    `json:"of" help:"number of shards"`
	Runs    int    `json:"runs" help:"in this part"`
	All     int    `json:"all" help:"runs of the whole sweep"`
}

// A partRow is one run; Run is its place in the whole sweep, from 0.
type partRow struct {
	Run int `json:"run" help:"place in the whole sweep, from 0"`
	sweepRun
}

// A partFoot ends the part.
type partFoot struct {
	Rows   *int   `json:"rows" help:"lines between the first and this one"`
	SHA256 string `json:"sha256" help:"of all bytes before this line"`
}

// check reports whether the head can be believed.
func (h *partHead) check() error {
	switch {
	case h.Format == 0:
		return errors.New("is no part of a sweep")
	case h.Format != partFormat:
		return fmt.Errorf("has format %d, and this program knows format %d; take the program that made it", h.Format, partFormat)
	case h.ID != h.id() || len(h.Sweep.Systems) == 0 || h.Of < 1 || h.Shard < 1 || h.Shard > h.Of || h.Runs != h.share().len(h.All, len(h.Sweep.Systems)):
		return errors.New("is damaged: its first line contradicts itself")
	}
	return nil
}

// share is which runs the part has.
func (h *partHead) share() share { return share{h.Shard - 1, h.Of} }

// id is the hash of what must be the same in all parts.
func (h *partHead) id() string {
	data, err := jsonx.Marshal(&h.Sweep)
	if err != nil {
		panic(err) // it is made of texts
	}
	sum := sha256.Sum256(fmt.Appendf(data, "\n%s %d %d", h.Results, h.All, h.Format))
	return hex.EncodeToString(sum[:])
}

// partSuffix ends the names of parts.
const partSuffix = ".part"

// name is the file name of a part: the same for everybody who makes it.
func (h *partHead) name(shard int) string {
	return fmt.Sprintf("%s-%.12s-%0*d-of-%d%s", h.Sweep.Lab, h.ID, len(strconv.Itoa(h.Of)), shard, h.Of, partSuffix)
}

// firstSetups bounds how many setups are tried to find some that can be run.
const firstSetups = 8

// results says what this program computes: the hash of the sweep's first runs, up
// to the first setup that does not contradict.
func (x *sweeping) results() (string, error) {
	sum := sha256.New()
	n := min(x.grid.Len(), firstSetups*len(x.Systems))
	ran := false
	for i := 0; i < n && !(ran && i%len(x.Systems) == 0); i++ {
		r, err := guarded(x.one, x.lab, i)
		if err != nil {
			return "", err
		}
		data, err := jsonx.Marshal(r)
		if err != nil {
			return "", err
		}
		sum.Write(data)
		ran = ran || r.Problem == ""
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// head returns the first line of a part.
func (x *sweeping) head(h share) (*partHead, error) {
	results, err := x.results()
	if err != nil {
		return nil, err
	}
	all := x.grid.Len()
	p := &partHead{
		Format: partFormat, Sweep: x.plan, Results: results, Shard: h.at + 1, Of: h.of,
		Runs: h.len(all, len(x.Systems)), All: all,
	}
	p.ID = p.id()
	return p, nil
}

// parseShard reads I/N, from 1.
func parseShard(text string) (share, error) {
	i, n, _ := strings.Cut(text, "/")
	at, err1 := strconv.Atoi(i)
	of, err2 := strconv.Atoi(n)
	if err1 != nil || err2 != nil || at < 1 || at > of {
		return share{}, fmt.Errorf("--shard %s: want I/N with I from 1 to N, like 3/16", text)
	}
	return share{at - 1, of}, nil
}

// part makes one part of the sweep in a folder, if it is not there, and prints its
// name.
func (x *sweeping) part(text, folder string) error {
	h, err := parseShard(text)
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	head, err := x.head(h)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	file := filepath.Join(folder, head.name(head.Shard))
	there, err := readPart(file)
	switch {
	case err == nil && there.ID == head.ID && there.Shard == head.Shard:
		fmt.Fprintf(x.shell.errs, "note: %s is there already\n", file)
	case err == nil:
		return fmt.Errorf("%s is another part; move it away", file)
	default:
		if !errors.Is(err, os.ErrNotExist) {
			fmt.Fprintf(x.shell.errs, "note: %v; it is made again\n", err)
		}
		if err := x.make(file, head); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(x.shell.out, file)
	return err
}

// make writes a part under another name and gives it its own when it is whole.
func (x *sweeping) make(file string, head *partHead) error {
	return writeWhole(file, func(w io.Writer) error {
		return x.run(&partWriter{w: w, sum: sha256.New(), head: head}, head.share())
	})
}

// A partWriter writes the runs of one part.
type partWriter struct {
	w    io.Writer
	sum  hash.Hash
	head *partHead
	rows int
}

func (p *partWriter) begin(*plan) error { return p.line(p.head) }

func (p *partWriter) row(r *sweepRun) error {
	h := p.head.share()
	at := h.place(p.rows, len(p.head.Sweep.Systems))
	p.rows++
	return p.line(&partRow{at, *r})
}

func (p *partWriter) end() error {
	return p.line(&partFoot{&p.rows, hex.EncodeToString(p.sum.Sum(nil))})
}

// line writes one line.
func (p *partWriter) line(v any) error {
	data, err := jsonx.Marshal(v)
	if err != nil {
		return err
	}
	data = append(data, '\n')
	p.sum.Write(data)
	_, err = p.w.Write(data)
	return err
}

// readPart reads a whole part and returns its head. The error names the file and
// says what is wrong with it.
func readPart(file string) (*partHead, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head, err := checkPart(bufio.NewReaderSize(f, 1<<16))
	if err != nil {
		return nil, fmt.Errorf("%s %w", file, err)
	}
	return head, nil
}

// checkPart reads a part and reports whether it is whole.
func checkPart(r *bufio.Reader) (*partHead, error) {
	sum := sha256.New()
	line, err := r.ReadBytes('\n')
	var head partHead
	if jsonx.Unmarshal(line, &head) != nil {
		return nil, errors.New("is no part of a sweep")
	}
	if bad := head.check(); bad != nil {
		return nil, bad
	}
	h := head.share()
	for k := 0; err == nil; k++ {
		sum.Write(line)
		if line, err = r.ReadBytes('\n'); err != nil {
			return nil, fmt.Errorf("is cut off after %d of %d runs", k, head.Runs)
		}
		if k == head.Runs {
			break
		}
		if at := h.place(k, len(head.Sweep.Systems)); !bytes.HasPrefix(line, fmt.Appendf(nil, `{"run":%d,`, at)) {
			return nil, fmt.Errorf("is damaged: line %d is not run %d", k+2, at)
		}
	}
	var foot partFoot
	switch {
	case jsonx.Unmarshal(line, &foot) != nil || foot.Rows == nil || *foot.Rows != head.Runs:
		return nil, fmt.Errorf("is damaged: line %d does not end it", head.Runs+2)
	case foot.SHA256 != hex.EncodeToString(sum.Sum(nil)):
		return nil, errors.New("is damaged: its checksum is not that of what it holds")
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return nil, errors.New("is damaged: something stands behind its end")
	}
	return &head, nil
}

// A cursor reads the runs of a part that was checked, one after the other. It
// holds no file open, because a sweep may have more parts than a process files.
type cursor struct {
	file string
	at   int64 // where the buffer ends in the file
	buf  []byte
	next int
	head *partHead
}

// block is how much of a part is read at once.
const block = 1 << 16

// line returns the next line.
func (c *cursor) line() ([]byte, error) {
	for {
		if end := bytes.IndexByte(c.buf, '\n'); end >= 0 {
			line := c.buf[:end]
			c.buf = c.buf[end+1:]
			return line, nil
		}
		f, err := os.Open(c.file)
		if err != nil {
			return nil, err
		}
		more := make([]byte, block)
		n, err := f.ReadAt(more, c.at)
		if closed := f.Close(); closed != nil {
			return nil, closed
		}
		if n == 0 {
			return nil, fmt.Errorf("%s has become shorter while it was read: %w", c.file, err)
		}
		c.at += int64(n)
		c.buf = append(c.buf[:len(c.buf):len(c.buf)], more[:n]...)
	}
}

// row returns the next run.
func (c *cursor) row() (*sweepRun, error) {
	if c.next == 0 {
		if _, err := c.line(); err != nil {
			return nil, err
		}
	}
	line, err := c.line()
	if err != nil {
		return nil, err
	}
	var r partRow
	if err := jsonx.Unmarshal(line, &r); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", c.file, c.next+2, err)
	}
	if want := c.head.share().place(c.next, len(c.head.Sweep.Systems)); r.Run != want {
		return nil, fmt.Errorf("%s:%d: run %d, want %d", c.file, c.next+2, r.Run, want)
	}
	c.next++
	return &r.sweepRun, nil
}
