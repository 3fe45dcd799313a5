package snapshot

import (
	"bufio"
	"io"

	"spillway/traces/pickle"
)

// Read reads a snapshot, a pickle or JSON. tell may be nil; it is told now and
// then how many bytes are read.
func Read(r io.Reader, tell func(bytes int64)) (*Snapshot, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	b, _ := in.Peek(1)
	if len(b) == 0 || b[0] != 0x80 {
		return readJSON(in, tell)
	}
	doc, err := pickle.Decode(&told{r: in, tell: tell})
	if err != nil {
		return nil, err
	}
	return fromPickle(doc)
}

// told is a reader that tells how much was read, every 256 KiB.
type told struct {
	r       io.Reader
	tell    func(int64)
	n, said int64
}

func (t *told) Read(b []byte) (int, error) {
	n, err := t.r.Read(b)
	t.n += int64(n)
	if t.tell != nil && t.n-t.said >= 256<<10 {
		t.said = t.n
		t.tell(t.n)
	}
	return n, err
}
