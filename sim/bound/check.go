package bound

import (
	"errors"
	"fmt"
	"math/big"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

// PriceUnit is in how many parts a cycle is divided in the prices of a certificate.
const PriceUnit = 1_000_000_000_000

// mostPrice keeps sums of prices inside int64.
const mostPrice = 1e16

// A Certificate is what proves a bound, for whoever has the workload, its kernel times and
// the machine: moments, and eight prices for each. Prices are whole numbers of parts of a
// cycle ([PriceUnit]) a byte, for what is away from the GPU at the moment, for what is away
// in the host there, and for what a channel moves between the moment and the next.
type Certificate struct {
	Moments []int             `json:"moments"` // kernels, ascending; a moment is when one begins
	Memory  []int64           `json:"memory_prices"`
	Host    []int64           `json:"host_prices"`
	Links   [Channels][]int64 `json:"link_prices"` // into the GPU, out of it, from and to the host, from and to the SSD
	// Recompute is set where the bound holds for what computes values again, too: a byte may
	// also come back for its share of the time of the kernel that wrote it.
	Recompute bool        `json:"recomputation,omitempty"`
	Cycles    unit.Cycles `json:"bound_cycles"`
}

// Check computes with whole numbers what c proves about w on m, in cycles of m's clock, and
// compares it with what c says. exec is how long kernels take when all is there. It knows
// nothing of how prices were found. The error says what is wrong with c.
func (c *Certificate) Check(w *workload.Workload, exec []unit.Cycles, m *Machine) (unit.Cycles, error) {
	proven, err := c.proves(w, exec, m)
	if err == nil && proven != c.Cycles {
		err = fmt.Errorf("the certificate says %d cycles, its prices prove %d", c.Cycles, proven)
	}
	return proven, err
}

// proves is Check whatever c says.
func (c *Certificate) proves(w *workload.Workload, exec []unit.Cycles, m *Machine) (unit.Cycles, error) {
	k := checker{c: c, w: w, m: m, exec: exec}
	if err := k.prices(); err != nil {
		return 0, err
	}
	sum := k.links()
	for t, uses := range k.uses() {
		x := &w.Tensors[t]
		size := pages(x.Bytes)
		sum.Add(sum, product(k.needed(workload.TensorID(t), uses), size, int64(m.Clock)))
	}
	var ideal unit.Cycles
	for _, d := range exec {
		ideal += d
	}
	part := product(PriceUnit, int64(m.Clock))
	if floor := new(big.Int).Div(sum, part); floor.Cmp(big.NewInt(int64(ideal))) > 0 { // rounded down
		return unit.Cycles(floor.Int64()), nil
	}
	return ideal, nil
}

// pages are the bytes of the whole pages that so many bytes take.
func pages(n unit.Bytes) int64 {
	return (int64(n) + int64(unit.Page) - 1) / int64(unit.Page) * int64(unit.Page)
}

// A checker adds up a certificate. Sums are in parts of a cycle, times the clock.
type checker struct {
	c    *Certificate
	w    *workload.Workload
	m    *Machine
	exec []unit.Cycles
	// rest is, by moment, what of a cycle of waiting after it is earned on no link, in its parts.
	rest []int64
}

// prices returns what is wrong with the certificate's form: prices of links at which a
// cycle of waiting earns more than a cycle among it.
func (k *checker) prices() error {
	n := len(k.c.Moments)
	if n == 0 {
		return errors.New("the certificate has no moments")
	}
	if len(k.exec) != len(k.w.Kernels) {
		return fmt.Errorf("%d kernel times of %d kernels", len(k.exec), len(k.w.Kernels))
	}
	for i, at := range k.c.Moments {
		if at < 0 || at >= len(k.w.Kernels) || i > 0 && at <= k.c.Moments[i-1] {
			return fmt.Errorf("moment %d is kernel %d; want ascending kernels below %d", i, at, len(k.w.Kernels))
		}
	}
	all := append([][]int64{k.c.Memory, k.c.Host}, k.c.Links[:]...)
	for i, list := range all {
		if len(list) != n {
			return fmt.Errorf("list %d has %d prices for %d moments", i, len(list), n)
		}
		for x, price := range list {
			if price < 0 || price > mostPrice {
				return fmt.Errorf("price %d of list %d is %d; want 0 to %d", x, i, price, int64(mostPrice))
			}
		}
	}
	most := new(big.Int).Mul(big.NewInt(PriceUnit), big.NewInt(int64(k.m.Clock)))
	for x := range n {
		earned := new(big.Int)
		for l, rate := range k.carries() {
			earned.Add(earned, product(k.c.Links[l][x], int64(rate)))
		}
		if earned.Cmp(most) > 0 {
			return fmt.Errorf("after moment %d a cycle of waiting earns more than a cycle on all links together", x)
		}
		earned.Sub(most, earned)
		k.rest = append(k.rest, earned.Div(earned, big.NewInt(int64(k.m.Clock))).Int64())
	}
	return nil
}

// carries is what links carry, in bytes a second, in the certificate's order.
func (k *checker) carries() [Channels]unit.Bandwidth {
	return [Channels]unit.Bandwidth{k.m.GPULink, k.m.GPULink, k.m.HostLink, k.m.HostLink, k.m.SSDRead, k.m.SSDWrite}
}

// product multiplies whole numbers.
func product(list ...int64) *big.Int {
	x := big.NewInt(1)
	for _, f := range list {
		x.Mul(x, big.NewInt(f))
	}
	return x
}

// links is the time of all kernels, less what links carry and the host holds in it, less
// GPU memory.
func (k *checker) links() *big.Int {
	clock := int64(k.m.Clock)
	memory := int64(k.m.GPUMemory) / int64(unit.Page) * int64(unit.Page)
	sum, n := new(big.Int), len(k.c.Moments)
	for x, from := range k.c.Moments {
		var cycles int64
		for i := from; ; {
			cycles += int64(k.exec[i])
			if i = (i + 1) % len(k.exec); i == k.c.Moments[(x+1)%n] {
				break
			}
		}
		sum.Add(sum, product(cycles, PriceUnit, clock))
		for l, rate := range k.carries() {
			sum.Sub(sum, product(k.c.Links[l][x], int64(rate), cycles))
		}
		sum.Sub(sum, product(k.c.Memory[x], memory, clock))
		sum.Sub(sum, product(k.c.Host[x], int64(k.m.HostMemory), clock))
	}
	return sum
}

// A use is a kernel's of a tensor.
type use struct {
	at            int
	reads, writes bool
}

// uses returns, by tensor, the kernels that use it, in order.
func (k *checker) uses() [][]use {
	all := make([][]use, len(k.w.Tensors))
	of := func(t workload.TensorID, i int) *use {
		if n := len(all[t]); n == 0 || all[t][n-1].at != i {
			all[t] = append(all[t], use{at: i})
		}
		return &all[t][len(all[t])-1]
	}
	for i := range k.w.Kernels {
		for _, t := range k.w.Kernels[i].Inputs {
			of(t, i).reads = true
		}
		for _, t := range k.w.Kernels[i].Outputs {
			of(t, i).writes = true
		}
	}
	return all
}

// needed is the price of what a byte of a tensor needs of memory at moments, less the most
// that its values earn.
func (k *checker) needed(t workload.TensorID, uses []use) (sum int64) {
	n, global := len(k.w.Kernels), k.w.Tensors[t].Global
	if len(uses) == 0 {
		if global { // nobody may move it
			for x := range k.c.Moments {
				sum += k.c.Memory[x]
			}
		}
		return sum
	}
	for _, u := range uses {
		sum += k.at(u.at, u.at+1)
	}
	// Intervals between uses: those of a tensor that keeps its value go round.
	chain := uses
	if global {
		first := 0
		for first < len(uses) && !uses[first].writes {
			first++
		}
		if first == len(uses) { // never written: each interval for itself, with copies there
			for i, u := range uses {
				next := uses[(i+1)%len(uses)].at
				if i == len(uses)-1 {
					next += n
				}
				sum += k.at(u.at+1, next) - k.earn(-1, [][2]int{{u.at, next}}, -1)
			}
			return sum
		}
		chain = append([]use(nil), uses[first:]...)
		for _, u := range uses[:first+1] {
			u.at += n
			chain = append(chain, u)
		}
	} else {
		end := len(uses)
		for end > 0 && !uses[end-1].reads {
			end--
		}
		chain = uses[:end]
	}
	again := int64(-1) // what a byte costs that the writer computes again
	var gaps [][2]int
	for i := 1; i < len(chain); i++ {
		from, to := chain[i-1], chain[i]
		if len(gaps) == 0 && (i == 1 || from.writes) {
			gaps = append(gaps, [2]int{from.at, -1}) // the writer
			if k.c.Recompute && from.writes && !global {
				again = k.again(from.at)
			} else {
				again = -1
			}
		}
		if to.reads {
			sum += k.at(from.at+1, to.at)
			gaps = append(gaps, [2]int{from.at, to.at})
		}
		if to.writes || i == len(chain)-1 {
			sum -= k.earn(gaps[0][0], gaps[1:], again)
			gaps = nil
		}
	}
	return sum
}

// again is what a byte costs that a kernel wrote when it runs again, in parts of a cycle,
// rounded down: its share of the kernel's time.
func (k *checker) again(kernel int) int64 {
	var bytes int64
	written := map[workload.TensorID]bool{}
	for _, t := range k.w.Kernels[kernel].Outputs {
		if !written[t] {
			written[t] = true
			bytes += pages(k.w.Tensors[t].Bytes)
		}
	}
	cost := product(int64(k.exec[kernel]), PriceUnit)
	cost.Div(cost, big.NewInt(max(1, bytes)))
	if !cost.IsInt64() {
		return mostPrice
	}
	return min(mostPrice, cost.Int64())
}

// at is the price of a byte that is on the GPU from one kernel until before another.
func (k *checker) at(from, to int) (sum int64) {
	for x, m := range k.c.Moments {
		for ; m < to; m += len(k.w.Kernels) {
			if m >= from {
				sum += k.c.Memory[x]
			}
		}
	}
	return sum
}

// earn is the most that a byte earns that a kernel wrote (-1: it has copies everywhere) and
// that may be away strictly inside of gaps. again is what it costs to compute it again, -1 if
// it cannot be.
func (k *checker) earn(born int, gaps [][2]int, again int64) int64 {
	if len(gaps) == 0 {
		return 0
	}
	const never = -1 << 62
	n, moments := len(k.w.Kernels), k.c.Moments
	copied, away := [2]int64{never, never}, [2]int64{never, never}
	here, gone := int64(0), int64(never) // without a copy: on the GPU, and given up
	segment := 0                         // counting on: from its moment to the next
	if born < 0 {
		copied = [2]int64{}
	} else {
		for segment = len(moments); segment > 0 && moments[segment-1] > born%n; segment-- {
		}
		segment += born/n*len(moments) - 1
	}
	time := func(s int) int { // of a moment
		s += len(moments)
		return moments[s%len(moments)] + (s/len(moments)-1)*n
	}
	last := gaps[len(gaps)-1][1]
	for g := 0; time(segment) < last; segment++ {
		x := (segment + len(moments)) % len(moments)
		for g < len(gaps) && gaps[g][1] <= time(segment) {
			g++
			away, gone = [2]int64{never, never}, never
		}
		in := [2]int64{k.c.Links[LinkIn][x] + k.c.Links[HostIn][x], k.c.Links[LinkIn][x] + k.c.Links[SSDRead][x]}
		out := [2]int64{k.c.Links[LinkOut][x] + k.c.Links[HostOut][x], k.c.Links[LinkOut][x] + k.c.Links[SSDWrite][x]}
		if g < len(gaps) && gaps[g][0] < time(segment) {
			if again >= 0 {
				cost := new(big.Int).Mul(big.NewInt(again), big.NewInt(k.rest[x]))
				redo := cost.Div(cost, big.NewInt(PriceUnit)).Int64()
				in[0], in[1] = min(in[0], redo), min(in[1], redo)
				gone = max(gone, here, copied[0], copied[1]) + k.c.Memory[x]
				here = max(here, gone-redo)
			}
			for q := range 2 {
				away[q] = max(away[q], copied[q]) + k.c.Memory[x]
				if q == 0 {
					away[q] -= k.c.Host[x]
				}
				copied[q] = max(copied[q], away[q]-in[q])
			}
		}
		if born >= 0 {
			was := copied
			for q := range 2 {
				copied[q] = max(was[q], max(here, was[1-q])-out[q])
			}
		}
	}
	return max(here, copied[0], copied[1])
}
