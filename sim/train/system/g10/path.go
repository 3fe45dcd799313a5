package g10

// A path is the way from or to the GPU: the SSD's lane and the link that SSD
// and host traffic share. It counts planned bytes kernel by kernel.
type path struct {
	ssd, link lane
	cumulate  bool // quirk: the SSD pays again for what the link already carried
	// lo to hi-1 are the kernels whose SSD entries changed since clean.
	lo, hi int
}

// A lane is the room for bytes during each kernel.
type lane struct {
	limit, used []float64
	room        []float64 // limit-used, or 0 once full
	full        []bool
	// next and prev lead, over full kernels, to the next one with room at or
	// after kernel j and at or before kernel j-1: they are disjoint-set forests
	// whose roots point at themselves. A full kernel never gets room again.
	next, prev []int32
}

// newPath returns empty lanes for the kernels between the given times.
func newPath(clock []float64, ssd, link float64, cumulate bool) path {
	p := path{ssd: newLane(clock, ssd), link: newLane(clock, link), cumulate: cumulate}
	p.clean()
	return p
}

func newLane(clock []float64, bandwidth float64) lane {
	n := len(clock) - 1
	l := lane{
		limit: make([]float64, n), used: make([]float64, n), room: make([]float64, n), full: make([]bool, n),
		next: make([]int32, n+1), prev: make([]int32, n+1),
	}
	for j := range n {
		l.limit[j] = bandwidth * (clock[j+1] - clock[j])
		l.room[j] = l.limit[j]
	}
	for j := range n + 1 {
		l.next[j], l.prev[j] = int32(j), int32(j)
	}
	return l
}

// wrap returns j in its own iteration.
func (l *lane) wrap(j int) int {
	if n := len(l.room); j >= n {
		return j - n
	}
	return j
}

// root follows forest from j and shortens the way.
func root(forest []int32, j int) int {
	for int(forest[j]) != j {
		forest[j] = forest[forest[j]]
		j = int(forest[j])
	}
	return j
}

// forward returns the kernel by which size bytes have passed when they start
// with kernel i, last at the latest.
func (l *lane) forward(size int64, i, last int) int {
	for j := i; ; {
		k := l.wrap(j)
		if free := root(l.next, k); free != k {
			if j += free - k; j > last {
				return last
			}
			continue
		}
		size = int64(float64(size) - l.room[k])
		if size <= 0 || j >= last {
			return j
		}
		j++
	}
}

// backward returns the kernel with which size bytes must start to have passed
// before kernel end, first at the earliest.
func (l *lane) backward(size int64, end, first int) int {
	for j := end - 1; ; {
		k := l.wrap(j)
		if free := root(l.prev, k+1) - 1; free != k {
			if j -= k - free; j < first {
				return first
			}
			continue
		}
		size = int64(float64(size) - l.room[k])
		if size <= 0 || j <= first {
			return j
		}
		j--
	}
}

// use adds bytes to kernel j; full says whether it is then full for good.
func (l *lane) use(j int, bytes float64) {
	l.used[j] += bytes
	l.room[j] = l.limit[j] - l.used[j]
}

// fill takes all room of kernel j.
func (l *lane) fill(j int) {
	l.used[j] = l.limit[j]
	l.close(j)
}

// close makes kernel j count as full.
func (l *lane) close(j int) {
	l.room[j], l.full[j] = 0, true
	l.next[j], l.prev[j+1] = int32(j+1), int32(j)
}

// viaSSD charges size bytes to the SSD and the link, from kernel i to last.
func (p *path) viaSSD(size int64, i, last int) {
	for ; i <= last; i++ {
		j := p.ssd.wrap(i)
		if p.ssd.full[j] {
			continue
		}
		p.touch(j)
		if float64(size)+p.ssd.used[j] <= p.ssd.limit[j] {
			p.ssd.use(j, float64(size))
			p.chargeLink(j, float64(size))
			return
		}
		room := p.ssd.room[j]
		p.ssd.fill(j)
		p.chargeLink(j, room)
		size = int64(float64(size) - room)
	}
}

// chargeLink adds bytes of SSD traffic to the link.
func (p *path) chargeLink(j int, bytes float64) {
	was := p.link.full[j]
	p.link.use(j, bytes)
	if was || p.link.used[j] >= p.link.limit[j] {
		p.link.close(j)
	}
}

// viaHost charges size bytes of host traffic to the link, from kernel i to
// last. The SSD loses what the link can then no longer carry.
func (p *path) viaHost(size int64, i, last int) {
	for ; i <= last; i++ {
		j := p.link.wrap(i)
		if p.link.full[j] {
			continue
		}
		p.touch(j)
		if float64(size)+p.link.used[j] <= p.link.limit[j] {
			p.link.use(j, float64(size))
			p.crowd(j)
			return
		}
		size = int64(float64(size) - p.link.room[j])
		p.link.fill(j)
		p.ssd.fill(j)
	}
}

// crowd takes from the SSD's room what the link cannot carry any more.
func (p *path) crowd(j int) {
	spare := p.link.limit[j] - p.ssd.limit[j]
	if p.link.used[j] < spare {
		return
	}
	lost := p.link.used[j] - spare
	switch {
	case p.cumulate:
		p.ssd.use(j, lost)
	case lost > p.ssd.used[j]:
		p.ssd.use(j, lost-p.ssd.used[j])
	}
	if p.ssd.used[j] >= p.ssd.limit[j] {
		p.ssd.fill(j)
	}
}

// touch notes that the SSD entry of kernel j changed.
func (p *path) touch(j int) { p.lo, p.hi = min(p.lo, j), max(p.hi, j+1) }

// clean forgets the changes.
func (p *path) clean() { p.lo, p.hi = len(p.ssd.room), 0 }

// changed reports whether an SSD entry of kernels from to last changed; both
// may run on into the next iteration.
func (p *path) changed(from, last int32) bool {
	n, lo, hi := int32(len(p.ssd.room)), int32(p.lo), int32(p.hi)
	return from < hi && lo <= last || from < hi+n && lo+n <= last
}
