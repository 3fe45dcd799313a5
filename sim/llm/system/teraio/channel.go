package teraio

import "spillway/sim/unit"

// A lane is one direction of a channel. Each kernel has as much time on it as it lasts.
type lane struct {
	rate  unit.Bandwidth
	delay unit.Time // of each transfer, before bytes move
	free  []int64   // time left, by kernel
	all   int64     // of all kernels
	link  []int32   // union-find over kernels without time left: towards the next that may have some
}

// reset makes all times free.
func (l *lane) reset(times []int64) {
	if cap(l.free) < len(times) {
		l.free, l.link = make([]int64, len(times)), make([]int32, len(times)+2)
	}
	l.free, l.link, l.all = l.free[:len(times)], l.link[:len(times)+2], 0
	for k, t := range times {
		l.free[k] = t
		l.all += t
	}
	for i := range l.link {
		l.link[i] = int32(i)
	}
}

// takes is how long a transfer takes on the lane, at least 1 ps.
func (l *lane) takes(size unit.Bytes) int64 { return max(int64(l.delay+l.rate.Time(size)), 1) }

// find follows links and shortens them.
func (l *lane) find(i int32) int32 {
	for l.link[i] != i {
		l.link[i] = l.link[l.link[i]]
		i = l.link[i]
	}
	return i
}

// take takes up to some time of a kernel and returns how much.
func (l *lane) take(k int, most int64) int64 {
	got := min(l.free[k], most)
	l.free[k] -= got
	l.all -= got
	return got
}

// A left is the time left in both directions.
type left struct{ write, read int64 }

// A channel is where tensors go to and come from.
type channel struct {
	read, write lane
	at          []left // Fenwick tree: at[i] is the sum of a block that ends with kernel i-1
	step        int    // largest power of two that is no more than the number of kernels
}

// reset makes all times free.
func (c *channel) reset(times []int64) {
	c.read.reset(times)
	c.write.reset(times)
	n := len(times)
	if cap(c.at) < n+1 {
		c.at = make([]left, n+1)
	}
	c.at = c.at[:n+1]
	for c.step = 1; c.step*2 <= n; {
		c.step *= 2
	}
	for i, t := range times {
		c.at[i+1] = left{t, t}
	}
	for i := 1; i <= n; i++ {
		if up := i + i&-i; up <= n {
			c.at[up].write += c.at[i].write
			c.at[up].read += c.at[i].read
		}
	}
}

// before is the time left in the kernels before k, which may be in the next iteration.
func (c *channel) before(k int) (sum left) {
	if n := len(c.at) - 1; k >= n {
		k, sum = k-n, left{c.write.all, c.read.all}
	}
	for i := k; i > 0; i &= i - 1 {
		sum.write += c.at[i].write
		sum.read += c.at[i].read
	}
	return sum
}

// reach returns the first place before which there is at least a time above 0 to write. It must
// be there.
func (c *channel) reach(time int64) int {
	place := 0
	if time > c.write.all {
		time, place = time-c.write.all, len(c.at)-1
	}
	i := 0
	for step := c.step; step > 0; step /= 2 {
		if next := i + step; next < len(c.at) && c.at[next].write < time {
			i, time = next, time-c.at[next].write
		}
	}
	return place + i + 1
}

// within returns the last place before which there is no more than a time to read.
func (c *channel) within(time int64) int {
	place := 0
	if time >= c.read.all {
		time, place = time-c.read.all, len(c.at)-1
	}
	i := 0
	for step := c.step; step > 0; step /= 2 {
		if next := i + step; next < len(c.at) && c.at[next].read <= time {
			i, time = next, time-c.at[next].read
		}
	}
	return place + i
}

// window returns from which kernel on a tensor is away that leaves at start, and at which it
// begins to come back to be there at end: the earliest and the latest that the time left
// allows. Places go on in the next iteration. It reports false if there is none between.
func (c *channel) window(start, end int, out, in int64) (away, back int, ok bool) {
	first, last := c.before(start), c.before(end)
	if last.write-first.write < out || last.read-first.read < in {
		return 0, 0, false
	}
	away = c.reach(first.write + out)
	if back = away; away < end {
		back = c.within(last.read - in)
	}
	return away, back, away < back
}

// take takes the time of a window and returns how much of coming back is in the next iteration.
func (c *channel) take(start, end int, out, in int64) int64 {
	c.forward(start, out)
	return c.backward(end, in)
}

// forward takes time to write from kernel from on, which may go on in the next iteration. It must be there.
func (c *channel) forward(from int, time int64) {
	n := len(c.at) - 1
	l := &c.write
	for k := from % n; time > 0; k = 0 { // at the end of the iteration it goes on at its beginning
		for k = int(l.find(int32(k))); k < n && time > 0; k = int(l.find(int32(k))) {
			got := l.take(k, time)
			for i := k + 1; i <= n; i += i & -i {
				c.at[i].write -= got
			}
			if time -= got; l.free[k] == 0 {
				l.link[k] = int32(k + 1)
			}
		}
	}
}

// backward takes time to read from kernel to-1 down, which may be in the next iteration, and
// returns how much it took there. Links are shifted by 1: place k+1 is kernel k, 0 is before the
// first.
func (c *channel) backward(to int, time int64) (next int64) {
	if n := len(c.at) - 1; to > n {
		next = time
		time = c.down(to-n, time)
		next -= time
		to = n
	}
	c.down(to, time)
	return next
}

// down takes time to read from kernel to-1 down to the first and returns what is missing.
func (c *channel) down(to int, time int64) int64 {
	l := &c.read
	for i := int(l.find(int32(to))); i > 0 && time > 0; i = int(l.find(int32(i))) {
		got := l.take(i-1, time)
		for j := i; j < len(c.at); j += j & -j {
			c.at[j].read -= got
		}
		if time -= got; l.free[i-1] == 0 {
			l.link[i] = int32(i - 1)
		}
	}
	return time
}
