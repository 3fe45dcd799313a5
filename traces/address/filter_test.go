package address

import (
	"strings"
	"testing"
)

// A trace with more accesses than are kept is filtered from its beginning: what hits a small cache
// is not kept, and gaps go to the next access that is.
func TestSieve(t *testing.T) {
	d := newDecoder("a", lackey)
	d.most = 60_000
	var cold, passed uint64
	for i := range uint64(200_000) {
		addr := i % 512 * 64 // 32 KiB again and again
		if i%10 == 9 {
			cold++
			addr = 1<<30 + cold*64
		}
		d.pass(1, 3)
		passed += 3
		d.access(1, addr, 8, i%10 == 9)
	}
	r, err := d.finish()
	if err != nil {
		t.Fatal(err)
	}
	var gaps uint64
	reads, writes := uint64(0), uint64(0)
	for _, q := range r.Threads[0] {
		gaps += uint64(q.Gap())
		if q.Write() {
			writes++
		} else {
			reads++
		}
	}
	// All cold lines and the hot ones once, and the dirty ones that had to leave.
	if reads < cold || reads > cold+6000 || writes == 0 || writes > cold || r.Count != int64(reads+writes) {
		t.Errorf("%d reads and %d writes are kept, %d in all, of %d cold lines", reads, writes, r.Count, cold)
	}
	if gaps > passed || gaps < passed*99/100 {
		t.Errorf("gaps sum to %d of %d", gaps, passed)
	}
	if d.full || !strings.Contains(strings.Join(r.Notes, " "), "of the 200\u202f000 that were read") {
		t.Errorf("notes: %q", r.Notes)
	}
}
