package compress

import (
	"math"

	"spillway/sim/compress/buddy"
	"spillway/sim/compress/sample"
	"spillway/sim/unit"
	"spillway/ui/lab"
)

// Sampling: a page in everyPages of large tensors, and at least usualPages of each, or
// fewer where that would be more than mostPages of a file: each costs a reading of its
// own. Only leastPages of each are taken however many tensors there are. A page is 64
// entries, as in the paper's Fig. 6, because entries near each other are alike. The
// tensor is cut into as many parts as pages are taken, and of each a page is taken by
// lot, always the same: pages at even distances would all meet the same part of a
// tensor that repeats itself.
const (
	pageBytes  = 64 * buddy.EntryBytes
	leastPages = 4
	usualPages = 64
	everyPages = 64
	mostPages  = 16384
)

// pagesOf is how many pages a tensor has.
func pagesOf(t *sample.Tensor) int64 { return (int64(t.Bytes) + pageBytes - 1) / pageBytes }

// takes returns how many pages are taken of each tensor.
func takes(tensors []sample.Tensor) []int64 {
	list := make([]int64, len(tensors))
	// share gives each tensor a page in so many, at least so many pages. It reports how
	// many that are, and whether some tensor has more than it must.
	share := func(every, least int64) (sum int64, more bool) {
		for i := range tensors {
			count := pagesOf(&tensors[i])
			list[i] = min(count, max(least, count/every))
			more = more || list[i] > least
			sum += list[i]
		}
		return sum, more
	}
	least := int64(usualPages)
	for ; least > leastPages; least /= 2 {
		if sum, _ := share(math.MaxInt64, least); sum <= mostPages {
			break
		}
	}
	for every := int64(everyPages); ; every *= 2 {
		if sum, more := share(every, least); !more || sum <= mostPages {
			return list
		}
	}
}

// pick returns the k-th of take pages out of count.
func pick(k, take, count int64) int64 {
	from, to := unit.MulDiv(k, count, take), unit.MulDiv(k+1, count, take)
	x := scrambled(k) * 0x94d049bb133111eb
	return from + int64((x^x>>31)%uint64(to-from))
}

// draw takes a sample of the tensors. progress is told of its bytes.
func (f *opened) draw(progress lab.Progress) ([]sample.Counts, error) {
	list, take := make([]sample.Counts, len(f.Tensors)), takes(f.Tensors)
	done, total := int64(0), f.sampled()
	buf := make([]byte, gathered*pageBytes)
	for i := range f.Tensors {
		err := f.drawOne(&f.Tensors[i], take[i], &list[i], buf, func(n int64) {
			if done += n; progress != nil {
				progress(int(done), int(total))
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// sampled is how many bytes a sample has, about.
func (f *opened) sampled() (sum int64) {
	for i, n := range takes(f.Tensors) {
		sum += min(n*pageBytes, int64(f.Tensors[i].Bytes))
	}
	return sum
}

// gathered is how many pages are read at once.
const gathered = 64

// drawOne takes so many pages of a tensor. buf holds as many as are read at once.
func (f *opened) drawOne(t *sample.Tensor, take int64, c *sample.Counts, buf []byte, tell func(n int64)) error {
	count := pagesOf(t)
	var h buddy.Histogram
	var sum, squares [sample.Larger]float64 // of the shares of a page's entries that take more than 3, 2 and 1 sectors
	at := make([]int64, 0, gathered)
	for k := int64(0); k < take; k += int64(len(at)) {
		at = at[:0]
		for i := k; i < take && i < k+gathered; i++ {
			at = append(at, pick(i, take, count)*pageBytes)
		}
		pages, err := f.pages(t, buf, at)
		if err != nil {
			return err
		}
		tell(int64(len(pages)))
		for len(pages) > 0 {
			page := pages[:min(pageBytes, len(pages))]
			pages = pages[len(page):]
			before := h
			h.Measure(page)
			more := 0.0
			for k := range sample.Larger {
				more += float64(h.Sectors[buddy.Sectors-k]-before.Sectors[buddy.Sectors-k]) / float64(h.Entries-before.Entries)
				sum[k] += more
				squares[k] += float64(more * more)
			}
		}
	}
	c.Set(&h)
	if take < count && take > 1 {
		n := float64(take)
		left := 1 - n/float64(count) // of pages drawn without putting back
		for k := range sample.Larger {
			variance := max(0, squares[k]-sum[k]*sum[k]/n) / (n - 1)
			c.Errors[k] = int64(math.Ceil(1000 * math.Sqrt(variance/n*left)))
		}
	}
	return nil
}

// pages reads the pages of a tensor that begin at these places, in their order, one
// behind the other. Only the tensor's last may be short.
func (f *opened) pages(t *sample.Tensor, buf []byte, at []int64) ([]byte, error) {
	last := at[len(at)-1]
	n := int(min(pageBytes, int64(t.Bytes)-last))
	whole := len(at)
	if n < pageBytes {
		whole--
	}
	buf = buf[:(len(at)-1)*pageBytes+n]
	if last-at[0] == int64(len(at)-1)*pageBytes { // one behind the other in the file too
		return buf, f.read(t, at[0], buf)
	}
	if whole > 0 {
		places := make([]int64, whole)
		for i := range places {
			places[i] = t.Offset + at[i]
		}
		if err := lab.Gather(f.at, buf[:whole*pageBytes], places); err != nil {
			return nil, f.unread(t, err)
		}
	}
	if n < pageBytes {
		return buf, f.read(t, last, buf[whole*pageBytes:])
	}
	return buf, nil
}
