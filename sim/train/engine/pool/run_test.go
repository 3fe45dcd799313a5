package pool

import (
	"math/rand/v2"
	"slices"
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/link"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// RunCheckedArena is Run of an arena whose memory is checked after every event.
func RunChecked(t *testing.T, seed uint64, w *workload.Workload, p *program.Program, c engine.Config) (*result.Result, error) {
	r, err := c.Runtime.(Memory).newRun(w, p, c)
	if err != nil {
		return nil, err
	}
	r.check = func() { r.checkMemory(t, seed) }
	return r.run(c, c.Runtime.(Memory).Scale)
}

// checkMemory fails if tensors overlap or the pool's account is wrong.
func (r *Run) checkMemory(t *testing.T, seed uint64) {
	t.Helper()
	var got []hole
	sum := int64(0)
	for _, x := range r.tensors {
		if x.at >= 0 {
			got = append(got, hole{x.at, x.pages})
			sum += x.pages
		}
	}
	got = append(got, r.pool.holes...)
	slices.SortFunc(got, func(a, b hole) int { return int(a.at - b.at) })
	at := int64(0)
	for _, h := range got {
		if h.at < at {
			t.Fatalf("seed %d: pages from %d are used twice", seed, h.at)
		}
		at = h.at + h.pages
	}
	if at > r.pool.pages || r.pool.used > r.pool.pages || sum > r.pool.used {
		t.Fatalf("seed %d: %d pages of tensors, %d used, %d exist", seed, sum, r.pool.used, r.pool.pages)
	}
	for i := range link.Directions {
		if c := &r.channels[i]; !c.idle() && c.end < r.now {
			t.Fatalf("seed %d: channel %d ends at %d, before %d", seed, i, c.end, r.now)
		}
	}
}

// bitmap is the pool as a page-by-page bitmap.
type bitmap []bool

func (b bitmap) fits(at, n int) bool { return !slices.Contains(b[at:at+n], true) }

func (b bitmap) fill(at, n int, v bool) {
	for i := at; i < at+n; i++ {
		b[i] = v
	}
}

func (b bitmap) low(n int) int {
	for at := 0; at+n <= len(b); at++ {
		if b.fits(at, n) {
			b.fill(at, n, true)
			return at
		}
	}
	return -1
}

func (b bitmap) high(n int) int {
	for at := len(b) - n; at >= 0; at-- {
		if b.fits(at, n) {
			b.fill(at, n, true)
			return at
		}
	}
	return -1
}

func (b bitmap) largest() (most int) {
	run := 0
	for _, taken := range b {
		run++
		if taken {
			run = 0
		}
		most = max(most, run)
	}
	return most
}

func TestPoolAgainstBitmap(t *testing.T) {
	for seed := range uint64(500) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		pages := 1 + rnd.IntN(200)
		p, b := newPool(int64(pages)), make(bitmap, pages)
		type piece struct{ at, n int }
		var held []piece
		for step := range 200 {
			if rnd.IntN(5) < 2 && len(held) > 0 {
				i := rnd.IntN(len(held))
				p.release(int64(held[i].at), int64(held[i].n))
				b.fill(held[i].at, held[i].n, false)
				held = slices.Delete(held, i, i+1)
			} else {
				n := 1 + rnd.IntN(1+pages/8)
				got, want := int64(0), 0
				if rnd.IntN(2) == 0 {
					got, _ = p.low(int64(n))
					want = b.low(n)
				} else {
					got, _ = p.high(int64(n))
					want = b.high(n)
				}
				if got != int64(want) {
					t.Fatalf("seed %d step %d: %d pages at %d, want %d", seed, step, n, got, want)
				}
				if want >= 0 {
					held = append(held, piece{want, n})
				}
			}
			used := 0
			for _, h := range held {
				used += h.n
			}
			if p.largest() != int64(b.largest()) || p.used != int64(used) {
				t.Fatalf("seed %d step %d: largest %d used %d, want %d %d", seed, step, p.largest(), p.used, b.largest(), used)
			}
		}
	}
}

func TestBinaryRate(t *testing.T) {
	tests := []struct{ in, want unit.Bandwidth }{
		{unit.GBps, 1 << 30},
		{3200 * unit.MBps, 3435973836}, // .8
		{10000 * unit.GBps, 10000 << 30},
		{-1, -1},
	}
	for _, tt := range tests {
		if got := binary(tt.in); got != tt.want {
			t.Errorf("binary(%d) = %d, want %d", tt.in, got, tt.want)
		}
	}
}

// still is a policy that does nothing.
type still struct{}

func (still) Launch(workload.KernelID) error { return nil }
func (still) Ended(workload.KernelID)        {}
func (still) Moved()                         {}

// TestArenaDrive reads from a drive while it writes, for a part of the time:
// both go on slower from then on, and faster afterwards.
func TestDrive(t *testing.T) {
	const page = unit.Bandwidth(unit.Page) * 1e9 // a page a cycle of 1 GHz
	r := &Run{tensors: []tensorState{{at: -1, pages: 1000}, {at: -1, pages: 100}}, policy: still{}}
	for busy := range r.rates {
		r.rates[busy] = [link.Directions]unit.Bandwidth{link.SSDOut: page / 2, link.SSDIn: page}
		if link.Set(busy).Mixes() {
			r.rates[busy] = [link.Directions]unit.Bandwidth{link.SSDOut: page / 8, link.SSDIn: page / 4}
		}
	}
	for i, rate := range r.rates[0] {
		r.channels[i] = channel{rate: rate, clock: unit.GHz}
	}
	r.Evict(0, machine.SSD)
	r.advance(1000) // half of it has gone
	r.Fetch(1, machine.SSD)
	if r.advance(engine.Forever); r.now != 1400 {
		t.Errorf("100 pages have come at %d; want 1400, at a quarter of a page a cycle", r.now)
	}
	if r.advance(engine.Forever); r.now != 1400+900 {
		t.Errorf("1000 pages have gone at %d; want 2300: 500 in 1000 cycles, 50 in 400, 450 in 900", r.now)
	}
	if got := *r.delivered(); got.Read != page/4 || got.Write != page/2-(page/2-page/8)*400/2300 || !got.Mixed {
		t.Errorf("the drive delivered %+v", got)
	}
}

// Each transfer costs what the driver takes, whichever way it goes and however large it is;
// the channels of other directions go on meanwhile.
func TestTransferCost(t *testing.T) {
	const page, cost = unit.Bandwidth(unit.Page) * 1e9, 70 // a page a cycle of 1 GHz
	for n := 1; n <= 64; n *= 2 {
		r := &Run{policy: still{}}
		for busy := range r.rates {
			r.rates[busy] = [link.Directions]unit.Bandwidth{link.SSDOut: page, link.SSDIn: page, link.HostOut: page, link.HostIn: page}
		}
		for i := range r.channels {
			r.channels[i] = channel{rate: page, cost: cost, clock: unit.GHz}
		}
		for _, to := range []machine.Tier{machine.SSD, machine.Host} {
			for range n {
				r.tensors = append(r.tensors, tensorState{at: -1, pages: 640 / int64(n)})
				r.Evict(workload.TensorID(len(r.tensors)-1), to)
				r.tensors = append(r.tensors, tensorState{at: -1, pages: 640 / int64(n)})
				r.Fetch(workload.TensorID(len(r.tensors)-1), to)
			}
		}
		for r.advance(engine.Forever) != nothing {
		}
		if want := unit.Cycles(640 + n*cost); r.now != want {
			t.Errorf("%d tensors each way have moved at %d, want %d", n, r.now, want)
		}
	}
}
