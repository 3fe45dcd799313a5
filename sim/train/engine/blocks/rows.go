package blocks

import (
	"math"

	"spillway/sim/portable"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Kernels that touch rows of a table at random need pages that are drawn, not rows,
// since there are millions of draws. If D rows are drawn and those of a page have the
// share m of all frequencies, the page is needed with probability 1-e^(-D*m), each on
// its own. Its mean over many pages is that of rows drawn one by one, up to 1/D.
//
// All kernels of an iteration that touch as many rows of a tensor, as their first access
// in rows, touch the same: a batch looks up rows and later updates them.

// Floating-point numbers are rounded after every operation here, so that every machine
// draws the same pages.

// chance is how many steps a probability has between 0 and 1.
const chance = 24

// A rowTable has the probabilities of a tensor's pages, in 2^-24: singly for the first,
// where ranks differ much, and the mean of each 64 further on.
type rowTable struct {
	head [1024]uint32
	rest []uint32
}

// A rowKey says which table a kernel needs.
type rowKey struct {
	size      unit.Bytes
	row       unit.Bytes
	draws, by int64
}

// newRowTable returns the probabilities of the pages of a tensor. work is told how many
// it has, as they come.
func newRowTable(k rowKey, work func(n int64)) *rowTable {
	rows := max(1, int64(k.size/k.row))
	z := newZipf(k.by, rows)
	draws := float64(k.draws)
	pages := k.size.Pages()
	t := &rowTable{}
	// of returns the probability of a page on which so many draws of ranks a+1 to b fall,
	// times how many.
	of := func(a, b int64, times float64) uint32 {
		mean := float64(float64(draws*z.between(min(a, rows), min(b, rows))) * times)
		return uint32(math.Floor(float64((1-portable.Exp(-mean))*(1<<chance)) + 0.5))
	}
	for p := range min(pages, int64(len(t.head))) {
		from, to := unit.Bytes(p)*unit.Page, unit.Bytes(p+1)*unit.Page
		t.head[p] = of(min(rows-1, int64(from/k.row)), int64((to+k.row-1)/k.row), 1)
	}
	// A row lies in so many pages in the mean.
	in := float64(k.row+unit.Page-unit.GCD(k.row, unit.Page)) / float64(unit.Page)
	for p := int64(len(t.head)); p < pages; p += 64 {
		work(1)
		n := min(64, pages-p)
		t.rest = append(t.rest, of(int64(unit.Bytes(p)*unit.Page/k.row), int64(unit.Bytes(p+n)*unit.Page/k.row), in/float64(n)))
	}
	return t
}

// draw returns which of the pages from first on, counted from the tensor's first, are
// touched in a block. Pages before the tensor's first have negative numbers.
func (t *rowTable) draw(first int64, seed uint64) (s pageSet) {
	random := splitMix(seed)
	for w := range s {
		page := first + 64*int64(w)
		if page >= int64(len(t.head)) {
			s[w] = random.bits(t.group(page))
			continue
		}
		for i := range int64(64) {
			p := uint32(0)
			if n := page + i; n >= int64(len(t.head)) {
				p = t.group(n)
			} else if n >= 0 {
				p = t.head[n]
			}
			if random.next()>>(64-chance) < uint64(p) {
				s[w] |= 1 << i
			}
		}
	}
	return s
}

// group returns the probability of a page that is not among the first.
func (t *rowTable) group(page int64) uint32 {
	if i := (page - int64(len(t.head))) / 64; i < int64(len(t.rest)) {
		return t.rest[i]
	}
	return 0
}

// A splitMix is a generator of random numbers (Steele, Lea and Flood, OOPSLA 2014).
type splitMix uint64

func (s *splitMix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// bits returns 64 bits that are each set with probability p, in 2^-24: digit by digit
// from the last, a random bit halves the probability and adds the digit's half.
func (s *splitMix) bits(p uint32) (x uint64) {
	if p >= 1<<chance {
		return math.MaxUint64
	}
	if p == 0 {
		return 0
	}
	for digit := range chance {
		if p>>digit&1 != 0 {
			x |= s.next()
		} else if x != 0 {
			x &= s.next()
		}
	}
	return x
}

// rowSeed mixes what a block's pages depend on.
func (r *Run) rowSeed(t workload.TensorID, block int64, which int) uint64 {
	x := splitMix(r.rules.Seed)
	for _, n := range [4]int64{int64(r.iteration), int64(t), block, int64(which)} {
		x = splitMix(x.next() ^ uint64(n))
	}
	return x.next()
}

// A rowTouch says that a kernel touches a tensor in rows.
type rowTouch struct {
	tensor workload.TensorID
	table  int32 // of Run.rowTables
}

// A lazyTable is a table that is made when it is needed first: it may be large, and the
// run be refused before.
type lazyTable struct {
	key   rowKey
	table *rowTable // nil: not made yet
}

// touched returns the pages of a block, of those from lo to hi-1, that the running kernel
// touches of a tensor.
func (r *Run) touched(v *visiting, lo, hi int64) (s pageSet) {
	first := int64(v.b)*blockPages - v.e.first
	for i, x := range r.rows[r.k] {
		if x.tensor == v.tensor {
			r.work(1)
			table := &r.rowTables[x.table]
			if table.table == nil {
				table.table = newRowTable(table.key, r.work)
			}
			pages := table.table.draw(first, r.rowSeed(x.tensor, int64(v.b)-v.e.first/blockPages, i))
			s.add(&pages)
		}
	}
	in := span(lo, hi)
	for w := range s {
		s[w] &= in[w]
	}
	return s
}

// A zipf is the frequencies of ranks 1 to n: rank to the power of minus an exponent.
type zipf struct {
	rest  float64   // 1 less the exponent
	exact []float64 // sums of the first ranks
	all   float64
}

// exactRanks is up to which rank frequencies are summed; from there on they are
// integrated, which differs by less than 10^-8 of the sum.
const exactRanks = 4096

func newZipf(thousandths, n int64) zipf {
	z := zipf{rest: float64(1000-thousandths) / 1000, exact: make([]float64, min(n, exactRanks)+1)}
	for i := 1; i < len(z.exact); i++ {
		z.exact[i] = z.exact[i-1] + portable.Exp(-float64(float64(float64(thousandths)/1000)*portable.Log(float64(i))))
	}
	z.all = z.sum(n)
	return z
}

// sum returns the sum over ranks 1 to n.
func (z *zipf) sum(n int64) float64 {
	last := int64(len(z.exact)) - 1
	if n <= last {
		return z.exact[n]
	}
	// Rank i is as much as the integral from i-1/2 to i+1/2.
	from, ratio := float64(last)+0.5, (float64(n)+0.5)/(float64(last)+0.5)
	if z.rest == 0 {
		return z.exact[last] + portable.Log(ratio)
	}
	scale := portable.Exp(float64(z.rest * portable.Log(from)))
	return z.exact[last] + float64(scale*(portable.Exp(float64(z.rest*portable.Log(ratio)))-1))/z.rest
}

// between returns the share of ranks a+1 to b in all.
func (z *zipf) between(a, b int64) float64 { return (z.sum(b) - z.sum(a)) / z.all }
