package teraio

import "spillway/sim/unit"

// A tree of sums (Fenwick): times of kernels, of which prefixes are asked for.
type sums struct {
	at  []int64 // at[i] is the sum of a block that ends with kernel i-1
	all int64
}

// reset makes the tree that of times.
func (s *sums) reset(times []int64) {
	n := len(times)
	if cap(s.at) < n+1 {
		s.at = make([]int64, n+1)
	}
	s.at = s.at[:n+1]
	s.at[0], s.all = 0, 0
	for i, t := range times {
		s.at[i+1] = t
		s.all += t
	}
	for i := 1; i <= n; i++ {
		if up := i + i&-i; up <= n {
			s.at[up] += s.at[i]
		}
	}
}

// add changes the time of kernel k.
func (s *sums) add(k int, by int64) {
	s.all += by
	for i := k + 1; i < len(s.at); i += i & -i {
		s.at[i] += by
	}
}

// before is the sum of the kernels before k, which may be in the next iteration.
func (s *sums) before(k int) (sum int64) {
	if n := len(s.at) - 1; k >= n {
		k, sum = k-n, s.all
	}
	for i := k; i > 0; i &= i - 1 {
		sum += s.at[i]
	}
	return sum
}

// below marks a kernel whose tensors fit: more than any excess can become.
const below = 1 << 61

// A pressure is by how much memory is exceeded, by kernel. It only falls, so each kernel
// comes below the capacity once, and its time then counts no more.
type pressure struct {
	least []int64 // a tree of the smallest excess, with add of the nodes from there down
	add   []int64 // what was added to a whole node
	width int     // leaves
	above sums    // times of kernels above the capacity
	times []int64
	left  int // kernels above the capacity
}

// reset makes the pressure that of these bytes and times.
func (p *pressure) reset(live []unit.Bytes, capacity unit.Bytes, times []int64) {
	n := len(live)
	for p.width = 1; p.width < n; {
		p.width *= 2
	}
	if cap(p.least) < 2*p.width {
		p.least, p.add = make([]int64, 2*p.width), make([]int64, 2*p.width)
		p.times = make([]int64, n)
	}
	p.least, p.add, p.times = p.least[:2*p.width], p.add[:2*p.width], p.times[:n]
	clear(p.add)
	p.left = 0
	for k := range p.width {
		p.least[p.width+k] = below
		if k < n {
			p.times[k] = 0
			if live[k] > capacity {
				p.least[p.width+k], p.times[k] = int64(live[k]-capacity), times[k]
				p.left++
			}
		}
	}
	for i := p.width - 1; i > 0; i-- {
		p.least[i] = min(p.least[2*i], p.least[2*i+1])
	}
	p.above.reset(p.times)
}

// seconds is for how long memory is exceeded in kernels from to to-1, in picoseconds.
func (p *pressure) seconds(from, to int) int64 { return p.above.before(to) - p.above.before(from) }

// lower takes bytes away in kernels from to to-1, which may go on in the next iteration.
func (p *pressure) lower(from, to int, by unit.Bytes) {
	n := len(p.times)
	switch {
	case from >= n:
		p.span(from-n, to-n, int64(by))
	case to > n:
		p.span(from, n, int64(by))
		p.span(0, to-n, int64(by))
	default:
		p.span(from, to, int64(by))
	}
	for p.least[1] <= 0 {
		p.fall()
	}
}

// span takes from all nodes that make up a span, then mends those above them.
func (p *pressure) span(from, to int, by int64) {
	if from >= to {
		return
	}
	l, r := from+p.width, to+p.width
	first, last := l, r-1
	for ; l < r; l, r = l/2, r/2 {
		if l&1 == 1 {
			p.least[l] -= by
			p.add[l] -= by
			l++
		}
		if r&1 == 1 {
			r--
			p.least[r] -= by
			p.add[r] -= by
		}
	}
	for i, j := first/2, last/2; i > 0; i, j = i/2, j/2 {
		p.mend(i)
		if i != j {
			p.mend(j)
		}
	}
}

func (p *pressure) mend(i int) { p.least[i] = min(p.least[2*i], p.least[2*i+1]) + p.add[i] }

// fall takes out the kernel with the smallest excess.
func (p *pressure) fall() {
	i := 1
	for i < p.width {
		if i *= 2; p.least[i+1] < p.least[i] {
			i++
		}
	}
	k := i - p.width
	p.least[i] = below
	for i /= 2; i > 0; i /= 2 {
		p.mend(i)
	}
	p.above.add(k, -p.times[k])
	p.times[k] = 0
	p.left--
}

// excess writes what is left above the capacity into dst, by kernel, and returns the most.
func (p *pressure) excess(dst []unit.Bytes) (most unit.Bytes) {
	for k := range p.times {
		left := p.least[p.width+k]
		for i := (p.width + k) / 2; i > 0; i /= 2 {
			left += p.add[i]
		}
		dst[k] = 0
		if left < below/2 {
			dst[k] = unit.Bytes(left)
			most = max(most, dst[k])
		}
	}
	return most
}

// A room is a tree of the most bytes that are in host memory at once, by kernel.
type room struct {
	most, add []int64
	width, n  int
}

func (r *room) reset(n int) {
	r.n = n
	for r.width = 1; r.width < n; {
		r.width *= 2
	}
	if cap(r.most) < 2*r.width {
		r.most, r.add = make([]int64, 2*r.width), make([]int64, 2*r.width)
	}
	r.most, r.add = r.most[:2*r.width], r.add[:2*r.width]
	clear(r.most)
	clear(r.add)
}

// peak is the most in kernels from to to-1, which may go on in the next iteration.
func (r *room) peak(from, to int) int64 {
	if to <= r.n {
		return r.ask(1, 0, r.width, from, to)
	}
	return max(r.ask(1, 0, r.width, from, r.n), r.ask(1, 0, r.width, 0, to-r.n))
}

// take adds bytes there.
func (r *room) take(from, to int, by unit.Bytes) {
	if to <= r.n {
		r.put(1, 0, r.width, from, to, int64(by))
		return
	}
	r.put(1, 0, r.width, from, r.n, int64(by))
	r.put(1, 0, r.width, 0, to-r.n, int64(by))
}

func (r *room) ask(i, l, h, from, to int) int64 {
	if to <= l || h <= from {
		return 0
	}
	if from <= l && h <= to {
		return r.most[i]
	}
	m := (l + h) / 2
	return r.add[i] + max(r.ask(2*i, l, m, from, to), r.ask(2*i+1, m, h, from, to))
}

func (r *room) put(i, l, h, from, to int, by int64) {
	if to <= l || h <= from {
		return
	}
	if from <= l && h <= to {
		r.most[i] += by
		r.add[i] += by
		return
	}
	m := (l + h) / 2
	r.put(2*i, l, m, from, to, by)
	r.put(2*i+1, m, h, from, to, by)
	r.most[i] = r.add[i] + max(r.most[2*i], r.most[2*i+1])
}
