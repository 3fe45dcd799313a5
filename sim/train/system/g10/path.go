package g10

// A path is the way from or to the GPU: the SSD's lane, the host's, and the
// GPU's link that both share. It counts planned bytes kernel by kernel. With
// [quirk.OneLink] the host's lane is the shared link.
type path struct {
	ssd, host lane
	// limit and used are the GPU's link; nil with quirk.OneLink.
	limit, used []float64
	cumulate    bool // quirk: the SSD pays again for what the link already carried
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

// newPath returns empty lanes of the given rates for the kernels between the
// given times. A GPU link of 0 is none: the host's lane is the shared link.
func newPath(clock []float64, ssd, host, gpu float64, cumulate bool) path {
	p := path{ssd: newLane(clock, ssd), host: newLane(clock, host), cumulate: cumulate}
	if gpu > 0 {
		p.limit, p.used = make([]float64, len(clock)-1), make([]float64, len(clock)-1)
		for j := range p.limit {
			p.limit[j] = gpu * (clock[j+1] - clock[j])
		}
	}
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

// open reports whether a kernel from i to end-1 has room.
func (l *lane) open(i, end int) bool {
	for i < end {
		k := l.wrap(i)
		free := root(l.next, k)
		if free == k {
			return true
		}
		i += free - k
	}
	return false
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

// carry charges size bytes to lane l and the GPU's link, from kernel i to last.
func (p *path) carry(l *lane, size int64, i, last int) {
	for rest := float64(size); i <= last && rest > 0; i++ {
		j := l.wrap(i)
		if l.full[j] {
			continue
		}
		p.touch(j)
		part := min(rest, l.room[j])
		rest -= part
		l.used[j] += part
		p.used[j] += part
		p.ssd.narrow(j, p.limit[j]-p.used[j])
		p.host.narrow(j, p.limit[j]-p.used[j])
	}
}

// narrow sets the room of kernel j to what the lane and the link behind it have
// left. Less than a byte is none.
func (l *lane) narrow(j int, link float64) {
	if l.room[j] = min(l.limit[j]-l.used[j], link); l.room[j] < 1 && !l.full[j] {
		l.close(j)
	}
}

// viaSSD charges size bytes to the SSD and the link, from kernel i to last.
func (p *path) viaSSD(size int64, i, last int) {
	if p.limit != nil {
		p.carry(&p.ssd, size, i, last)
		return
	}
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
	was := p.host.full[j]
	p.host.use(j, bytes)
	if was || p.host.used[j] >= p.host.limit[j] {
		p.host.close(j)
	}
}

// viaHost charges size bytes of host traffic to the link, from kernel i to
// last. The SSD loses what the link can then no longer carry.
func (p *path) viaHost(size int64, i, last int) {
	if p.limit != nil {
		p.carry(&p.host, size, i, last)
		return
	}
	for ; i <= last; i++ {
		j := p.host.wrap(i)
		if p.host.full[j] {
			continue
		}
		p.touch(j)
		if float64(size)+p.host.used[j] <= p.host.limit[j] {
			p.host.use(j, float64(size))
			p.crowd(j)
			return
		}
		size = int64(float64(size) - p.host.room[j])
		p.host.fill(j)
		p.ssd.fill(j)
	}
}

// crowd takes from the SSD's room what the link cannot carry any more.
func (p *path) crowd(j int) {
	spare := p.host.limit[j] - p.ssd.limit[j]
	if p.host.used[j] < spare {
		return
	}
	lost := p.host.used[j] - spare
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

// touch notes that the room of kernel j changed.
func (p *path) touch(j int) { p.lo, p.hi = min(p.lo, j), max(p.hi, j+1) }

// clean forgets the changes.
func (p *path) clean() { p.lo, p.hi = len(p.ssd.room), 0 }

// changed reports whether the room of kernels from to last changed; both
// may run on into the next iteration.
func (p *path) changed(from, last int32) bool {
	n, lo, hi := int32(len(p.ssd.room)), int32(p.lo), int32(p.hi)
	return from < hi && lo <= last || from < hi+n && lo+n <= last
}
