package requests

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"spillway/sim/prose"
	"spillway/sim/serve/load"
	"spillway/sim/unit"
	"spillway/traces/handed"
)

// A decoder holds what has been read.
type decoder struct {
	file   string
	format *format
	line   int
	errs   []error
	list   *handed.RequestList

	columns [columns]int // of a table: which field has what; -1 for none
	fields  [][]byte
	object  object

	ids      map[uint64]load.Block // of hashes
	blocks   int64                 // kept
	epoch    int64                 // of dates: the first one, in seconds
	dated    bool
	last     unit.Time
	disorder bool
	over     int64 // requests that are not kept
	failed   int64 // that were answered with nothing
	guessed  bool  // lengths are of texts
	pruned   int64 // conversations that vLLM's filter leaves out
}

// take takes one line of a text.
func (d *decoder) take(b []byte, cut bool) bool {
	d.line++
	if len(bytes.TrimSpace(b)) == 0 {
		return true
	}
	err := error(nil)
	switch {
	case cut:
		err = fmt.Errorf("the line has more than %d bytes", maxLine)
	case d.format.head != nil && d.fields == nil:
		if !d.format.head(d, b) {
			err = errors.New("is not the table's first line")
		}
	default:
		err = d.format.line(d, b)
	}
	if err != nil {
		d.errs = append(d.errs, fmt.Errorf("%s:%d: %w", d.file, d.line, err))
	}
	return len(d.errs) < problems
}

// add keeps a request: when it came, how long it and its answer are, and the hashes of its
// blocks.
func (d *decoder) add(at unit.Time, input, output int64, hashes []uint64) error {
	switch {
	case input < 1 || input > MaxTokens:
		return fmt.Errorf("a prompt of %d tokens; want 1 to %d", input, int64(MaxTokens))
	case output < 0 || output > MaxTokens:
		return fmt.Errorf("an answer of %d tokens; want at most %d", output, int64(MaxTokens))
	case output == 0:
		d.failed++
		return nil
	}
	w := d.list.Workload
	if len(hashes) > 0 {
		if w.Block == 0 {
			w.Block = blockOf(input, len(hashes))
		}
		if w.Block == 0 || (input+int64(w.Block)-1)/int64(w.Block) != int64(len(hashes)) {
			size := cmp.Or(w.Block, usualBlock)
			return fmt.Errorf("hash_ids: has %d for a prompt of %d tokens; want %d, one for each %d tokens", len(hashes), input, (input+int64(size)-1)/int64(size), size)
		}
	}
	hashes = hashes[:min(int64(len(hashes)), input/int64(max(w.Block, 1)))] // the last may be a part of one
	if len(w.Requests) == MaxRequests || d.blocks+int64(len(hashes)) > MaxBlocks || len(w.Requests) > 0 && at-w.Requests[0].At > latest {
		d.over++
		return nil
	}
	d.disorder = d.disorder || len(w.Requests) > 0 && at < d.last
	d.last = at
	r := load.Request{At: at, Prompt: int32(input), Output: int32(output), After: -1}
	if len(hashes) > 0 {
		r.Blocks = make([]load.Block, len(hashes))
		for i, h := range hashes {
			id, ok := d.ids[h]
			if !ok {
				id = load.Block(len(d.ids))
				d.ids[h] = id
			}
			r.Blocks[i] = id
		}
		d.blocks += int64(len(hashes))
	}
	w.Requests = append(w.Requests, r)
	return nil
}

// latest is how long after the first a request may come, so that simulated time ends; of
// what comes before the first, in a list that is not in order, a day less.
const latest = 39 * 86_400 * unit.Second

// usualBlock is how many tokens a block of Mooncake's traces has.
const usualBlock = 512

// blockOf is how many tokens a block has of which a prompt has so many: Mooncake's 512 where
// that can be, else another power of two; 0 for none.
func blockOf(input int64, blocks int) int32 {
	for _, size := range []int64{usualBlock, 16, 32, 64, 128, 256, 1024, 2048} {
		if (input+size-1)/size == int64(blocks) {
			return int32(size)
		}
	}
	return 0
}

// finish returns the list, in the order in which requests came, the first at 0.
func (d *decoder) finish() (*handed.RequestList, error) {
	w := d.list.Workload
	if len(d.errs) == 0 && len(w.Requests) == 0 {
		d.errs = append(d.errs, fmt.Errorf("%s: has no requests that were answered", d.file))
	}
	if len(d.errs) > 0 {
		return nil, errors.Join(d.errs...)
	}
	note := func(format string, a ...any) { d.list.Notes = append(d.list.Notes, fmt.Sprintf(format, a...)) }
	if d.disorder {
		slices.SortStableFunc(w.Requests, func(a, b load.Request) int { return cmp.Compare(a.At, b.At) })
		note("Requests were not in the order of their times; they are now.")
	}
	first := w.Requests[0].At
	for i := range w.Requests {
		w.Requests[i].At -= first
	}
	if d.failed > 0 {
		note("%s without an answer left out.", prose.Count(d.failed, "request"))
	}
	if d.pruned > 0 {
		note("%s left out, as vLLM's benchmark leaves them out: without a question and an answer, or too short or long.", prose.Count(d.pruned, "conversation"))
	}
	if d.over > 0 {
		note("The first %s are kept; %s more are not.", prose.Count(int64(len(w.Requests)), "request"), prose.Grouped(d.over))
	}
	if d.guessed {
		note("Lengths are of texts, at four bytes a token: a guess. The texts are not kept.")
	}
	if !d.format.timed {
		note("The list does not say when requests came.")
	}
	return d.list, nil
}
