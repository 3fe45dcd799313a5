package blocks

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	how "spillway/build/effort"
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/enginetest"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A whim is a pager that learns a little and errs a lot: it asks for what faulted
// some launches on, for anything, and for nothing that exists. What it decides depends
// on every call so far, so that two runs that agree call it alike.
type whim struct {
	v       view
	r       *rand.Rand
	ahead   int
	ready   int
	chaos   int // of 10
	faulted map[workload.KernelID][]ID
	queue   []ID
	spared  map[ID]int // until which launch
	k       workload.KernelID
	kernels int
	launch  int
	log     []string
}

func newWhim(seed uint64, kernels int, v view) *whim {
	r := rand.New(rand.NewPCG(seed, 5))
	return &whim{
		v: v, r: r, ahead: 1 + r.IntN(6), ready: r.IntN(2) * r.IntN(6), chaos: r.IntN(2) * r.IntN(10), kernels: kernels,
		faulted: map[workload.KernelID][]ID{}, spared: map[ID]int{},
	}
}

func (p *whim) note(format string, a ...any) {
	p.log = append(p.log, fmt.Sprint(p.v.Now(), " ")+fmt.Sprintf(format, a...))
}

func (p *whim) push(b ID) {
	if !slices.Contains(p.queue, b) {
		p.queue = append(p.queue, b)
	}
	p.spared[b] = p.launch + p.ahead
}

func (p *whim) Launch(k workload.KernelID, id ExecID) {
	p.launch++
	p.k = k
	var oldest []ID
	for b := range p.v.Oldest() {
		oldest = append(oldest, b)
	}
	p.note("launch %d %d of iteration %d with %v", k, id, p.v.Iteration(), oldest)
	for i := range p.ahead {
		for _, b := range p.faulted[workload.KernelID((int(k)+i)%p.kernels)] {
			if p.r.IntN(10) >= p.chaos || !p.v.Resident(b) {
				p.push(b)
			}
		}
	}
	for p.r.IntN(10) < p.chaos {
		p.push(ID(p.r.IntN(40) - 2))
	}
}

func (p *whim) Fault(b ID, queued bool) {
	p.note("fault %d %v", b, queued)
	if !slices.Contains(p.faulted[p.k], b) {
		p.faulted[p.k] = append(p.faulted[p.k], b)
	}
	if i := slices.Index(p.queue, b); i >= 0 && p.r.IntN(10) >= p.chaos {
		p.queue = slices.Delete(p.queue, i, i+1)
	}
	if p.r.IntN(10) < p.chaos {
		p.push(b + 1)
	}
}

func (p *whim) Next() (ID, bool) {
	if len(p.queue) == 0 {
		p.note("next: none")
		return 0, false
	}
	b := p.queue[0]
	p.queue = p.queue[1:]
	p.note("next %d", b)
	return b, true
}

func (p *whim) Queued(b ID) bool { return slices.Contains(p.queue, b) }

func (p *whim) Spare(b ID) bool {
	yes := p.spared[b] >= p.launch
	p.note("spare %d %v", b, yes)
	return yes
}

func (p *whim) Ready() int { return p.ready }

func (p *whim) Drop(b ID) bool {
	yes := p.r.IntN(3) > 0
	p.note("drop %d %v %v", b, yes, p.v.Active(b))
	return yes
}

func (p *whim) Tables() unit.Bytes { return unit.Bytes(len(p.faulted)) * unit.KiB }

// randomBlockCase draws a workload of some blocks and a configuration.
func randomCase(r *rand.Rand, size float64) (*workload.Workload, engine.Config) {
	upTo := func(least, most int) int { return least + r.IntN(1+int(float64(most-least)*size)) }
	w := &workload.Workload{Name: "random"}
	shift := r.IntN(8)
	for range upTo(2, 14) {
		x := workload.Tensor{Bytes: 1 + unit.Bytes(r.Int64N(int64(7*unit.MiB)>>r.IntN(1+shift))), Global: r.IntN(4) == 0}
		if r.IntN(3) == 0 {
			x.Bytes = x.Bytes.Aligned()
		}
		if r.IntN(4) == 0 { // some share a page
			x.Bytes = 1 + unit.Bytes(r.Int64N(9000))
		}
		w.Tensors = append(w.Tensors, x)
	}
	names := []string{"a", "b", "c"}
	for range upTo(2, 16) {
		k := workload.Kernel{Name: names[r.IntN(3)], Time: unit.Time(1e3 * enginetest.UpTo(r, 1e7))}
		if r.IntN(5) == 0 {
			k.HostTime = unit.Time(1e3 * enginetest.UpTo(r, 1e6))
		}
		perm := r.Perm(len(w.Tensors))
		for _, t := range perm[:1+r.IntN(min(4, len(perm)))] {
			side := r.IntN(3)
			if side != 0 {
				k.Inputs = append(k.Inputs, workload.TensorID(t))
			}
			if side != 1 {
				k.Outputs = append(k.Outputs, workload.TensorID(t))
			}
			for r.IntN(12) == 0 {
				k.Rows = append(k.Rows, workload.RowAccess{
					Tensor: workload.TensorID(t), Row: unit.Bytes(enginetest.UpTo(r, 1e4)), Draws: enginetest.UpTo(r, 1e5) - 1, Zipf: int64(r.IntN(2)) * r.Int64N(2000),
				})
			}
		}
		w.Kernels = append(w.Kernels, k)
	}
	c := engine.Config{Machine: machine.G10(), Iterations: 1 + r.IntN(2), Seed: 1, Quirks: quirk.Corrected()}
	c.Machine.GPUMemory = unit.Bytes(1+r.Int64N(int64(1+20*size))) * Size
	if r.IntN(4) == 0 {
		c.Machine.GPUMemory = 60 * Size
	}
	c.Machine.HostMemory = unit.GiB
	if r.IntN(20) == 0 {
		c.Machine.HostMemory = unit.Bytes(r.Int64N(int64(64 * unit.MiB)))
	}
	c.Machine.GPULink = unit.Bandwidth(1e9 * enginetest.UpTo(r, 60))
	c.Machine.HostLink = c.Machine.GPULink - unit.Bandwidth(r.Int64N(int64(c.Machine.GPULink)/2))
	c.Runtime = Memory{Rules: Rules{
		Usable: 1_000_000 - int64(r.IntN(2))*r.Int64N(200_000), PerFault: 1 + r.Int64N(6000),
		Counted: unit.Time(r.IntN(2)) * unit.Time(1e3*enginetest.UpTo(r, 1e4)), PerBlock: unit.Time(r.IntN(3)) * unit.Time(1e3*enginetest.UpTo(r, 1e5)),
		Window: 1 + int64(r.IntN(2))*r.Int64N(12), Whole: r.IntN(3) == 0, Density: r.IntN(3) == 0,
		Warm: r.Int64N(3), Seed: r.Int64N(100),
	}}
	if r.IntN(8) == 0 {
		c.Noise = int64(r.IntN(300))
	}
	return w, c
}

// TestBlocksReference compares the block model with a page-by-page program, without a
// pager and with one; its calls must be the same, too.
func TestReference(t *testing.T) {
	for _, paged := range []bool{false, true} {
		t.Run(map[bool]string{false: "on demand", true: "pager"}[paged], func(t *testing.T) {
			ran, of, counts := 0, 0, result.Paging{}
			n := 480
			for seed := range how.Seeds(n) {
				of++
				r := rand.New(rand.NewPCG(seed, 77))
				w, c := randomCase(r, float64(seed+1)/float64(n))
				if err := w.Validate(); err != nil {
					t.Fatal(err)
				}
				ref := &refBlocks{w: w, c: c}
				var a, b *whim
				if paged {
					a = newWhim(seed, len(w.Kernels), ref)
					ref.pager = a
					c.Runtime = Memory{Rules: c.Runtime.(Memory).Rules, Pager: func(run *Run) Pager {
						b = newWhim(seed, len(w.Kernels), run)
						return b
					}}
				}
				want, wantErr := ref.run()
				got, err := engine.Run(w, &program.Program{}, c)
				diff := ""
				if paged && b != nil {
					for i := range min(len(a.log), len(b.log)) {
						if a.log[i] != b.log[i] {
							diff = fmt.Sprintf("call %d is %q, want %q after %q", i, b.log[i], a.log[i], a.log[max(0, i-6):i])
							break
						}
					}
				}
				if diff == "" {
					diff = compare(want, wantErr, got, err)
				}
				if diff != "" {
					t.Fatalf("seed %d: %s\n%d chunks, %+v", seed, diff, c.Machine.GPUMemory/Size, c.Runtime.(Memory).Rules)
				}
				if err == nil {
					ran++
					p := got.Main().Paging
					counts.Late += p.Late
					counts.Useless += p.Useless
					counts.Dropped += p.Dropped
					counts.GarbageIn += p.GarbageIn
					counts.Missed += p.Missed
				}
			}
			if ran < of/2 || counts.Missed == 0 || paged && min(counts.Late, counts.Useless, counts.Dropped, int64(counts.GarbageIn)) == 0 {
				t.Errorf("%d of %d cases ran to the end, with %+v", ran, of, counts)
			}
		})
	}
}

// compareBlocks returns the first difference, or "".
func compare(want *result.Result, wantErr error, got *result.Result, err error) string {
	var no *engine.DoesNotFit
	switch {
	case err != nil && !errors.As(err, &no):
		return fmt.Sprintf("error is not a *DoesNotFit: %v", err)
	case (err == nil) != (wantErr == nil):
		return fmt.Sprintf("error is %v, want %v", err, wantErr)
	case err != nil:
		return ""
	case got.Ideal != want.Ideal || len(got.Iterations) != len(want.Iterations) || got.Reported != want.Reported:
		return fmt.Sprintf("ideal %d, %d iterations, %d reported; want %d, %d, %d", got.Ideal, len(got.Iterations), got.Reported, want.Ideal, len(want.Iterations), want.Reported)
	}
	for i := range got.Iterations {
		a, b := got.Iterations[i], want.Iterations[i]
		if !reflect.DeepEqual(a, b) {
			return fmt.Sprintf("iteration %d:\n got %+v %+v\nwant %+v %+v", i, a, *a.Paging, b, *b.Paging)
		}
	}
	for k := range want.Kernels {
		if got.Kernels[k] != want.Kernels[k] {
			return fmt.Sprintf("kernel %d:\n got %+v\nwant %+v", k, got.Kernels[k], want.Kernels[k])
		}
	}
	return ""
}

// TestRows compares how many pages are touched with rows drawn one by one.
func TestRows(t *testing.T) {
	for _, x := range []rowKey{
		{20 << 20, 512, 3000, 0},
		{20 << 20, 512, 3000, 1050},
		{20<<20 + 1, 100, 20_000, 700},
		{5 << 20, 16, 1000, 1000},
		{5 << 20, 16, 1000, 2000},
		{30 << 20, 512, 200_000, 1050},
		{30 << 20, 4096, 5000, 500},
		{30 << 20, 10_000, 500, 0},
		{3 << 20, 10_000, 100, 1000},
		{5000, 512, 3, 0},
		{1, 512, 3, 1000},
	} {
		r := rand.New(rand.NewPCG(1, 1))
		rows, pages := max(1, int64(x.size/x.row)), x.size.Pages()
		z := newZipf(x.by, rows)
		const trials = 20
		sums := make([]float64, rows)
		for i := range sums {
			sums[i] = z.sum(int64(i) + 1)
		}
		var want, got [2]float64 // pages; of these, in the first quarter
		for trial := range trials {
			hit := make([]bool, pages)
			for range x.draws {
				i, _ := slices.BinarySearch(sums, r.Float64()*z.all)
				for at := unit.Bytes(i) * x.row; at < min(unit.Bytes(i+1)*x.row, x.size); at = at/unit.Page*unit.Page + unit.Page {
					hit[at/unit.Page] = true
				}
			}
			table := newRowTable(x, func(int64) {})
			shift := r.Int64N(600) // of the tensor in its first block
			if trial%2 == 0 {
				shift = 0
			}
			for b := int64(0); b*blockPages < shift+pages; b++ {
				set := table.draw(b*blockPages-shift, r.Uint64())
				for i := range blockPages {
					if set[i/64]>>(i%64)&1 == 0 {
						continue
					}
					p := b*blockPages + i - shift
					if p < 0 || p >= (pages+63)/64*64+64 { // the engine cuts what is beyond
						t.Fatalf("%+v: page %d of %d", x, p, pages)
					}
					if p < pages {
						got[0]++
						if p < (pages+3)/4 {
							got[1]++
						}
					}
				}
			}
			for p, yes := range hit {
				if yes {
					want[0]++
					if int64(p) < (pages+3)/4 {
						want[1]++
					}
				}
			}
		}
		for i := range want {
			if d := math.Abs(got[i] - want[i]); d > 5*math.Sqrt(want[i])+0.02*want[i] {
				t.Errorf("%+v: %.1f pages a kernel, want %.1f (%d: in the first quarter)", x, got[i]/trials, want[i]/trials, i)
			}
		}
	}
}

// TestRowMath compares the sums that draw rows with those of the standard library's powers.
func TestRowMath(t *testing.T) {
	for _, by := range []int64{0, 1, 500, 999, 1000, 1001, 1050, 3000, 10_000} {
		const n = 100_000
		z, sum := newZipf(by, n), 0.0
		for i := 1; i <= n; i++ {
			sum += math.Pow(float64(i), -float64(by)/1000)
		}
		if math.Abs(z.all/sum-1) > 1e-8 {
			t.Errorf("exponent %d/1000: sum %g, want %g", by, z.all, sum)
		}
	}
	var s splitMix
	for _, p := range []uint32{0, 1, 1 << 20, 3 << 22, 1<<chance - 1, 1 << chance} {
		n := 0
		const words = 1 << 14
		for range words {
			n += bits.OnesCount64(s.bits(p))
		}
		if want := float64(p) / (1 << chance) * words * 64; math.Abs(float64(n)-want) > 5*math.Sqrt(want)+1 && math.Abs(want-float64(n)) > 5*math.Sqrt(words*64-want)+1 {
			t.Errorf("probability %d: %d bits, want %g", p, n, want)
		}
	}
}

// handCase is a machine on which a block takes 4096 cycles over the link, its overhead
// 100, and a counted fault, 256 pages, 10.
func handCase(chunks int64) engine.Config {
	c := engine.Config{Machine: machine.G10(), Iterations: 1, Quirks: quirk.Corrected()}
	m := &c.Machine
	m.Clock, m.GPUMemory, m.HostMemory = unit.GHz, unit.Bytes(chunks)*Size, unit.GiB
	m.GPULink = unit.Bandwidth(Size) * unit.Bandwidth(unit.GHz) / 4096
	m.HostLink = m.GPULink
	c.Runtime = Memory{Rules: Rules{
		Usable: 1_000_000, PerFault: 256_000, Counted: 10 * unit.Nanosecond, PerBlock: 100 * unit.Nanosecond, Window: 1,
	}}
	return c
}

// handWorkload has tensors of which the first are global.
func handWorkload(sizes []unit.Bytes, globals int, kernels ...[2][]workload.TensorID) *workload.Workload {
	w := &workload.Workload{}
	for i, n := range sizes {
		w.Tensors = append(w.Tensors, workload.Tensor{Bytes: n, Global: i < globals})
	}
	for _, k := range kernels {
		w.Kernels = append(w.Kernels, workload.Kernel{Time: unit.Microsecond, Inputs: k[0], Outputs: k[1]})
	}
	return w
}

// A kernel reads a global of 10 blocks and writes 10, on a GPU of 4. By hand: every visit
// misses 512 pages, two counted faults, that is 120 cycles with the block's overhead.
// Blocks of the global come in 4096 cycles each; what is written is fresh. From the
// fifth visit on a victim of 512 pages leaves first.
func TestByHand(t *testing.T) {
	type ids = []workload.TensorID
	w := handWorkload([]unit.Bytes{10 * Size, 10 * Size}, 1, [2][]workload.TensorID{ids{0}, ids{1}})
	c := handCase(4)
	r, err := engine.Run(w, &program.Program{}, c)
	if err != nil {
		t.Fatal(err)
	}
	it, p := r.Main(), r.Main().Paging
	want := result.Ledger{FaultHandling: 20 * 120, HostRead: 10 * 4096, Eviction: 16 * (100 + 4096)}
	if it.Ledger != want || it.Time != 1000+want.Total() || it.Compute != 1000 || it.Overlap != 0 {
		t.Errorf("%+v, want ledger %+v", *it, want)
	}
	if wantP := (result.Paging{Faults: 40, Missed: 20, In: 10 * Size, Out: 16 * Size, Reserved: 20 * Size}); *p != wantP {
		t.Errorf("%+v, want %+v", *p, wantP)
	}
	if it.Faults != (result.Faults{Host: 5120, Unallocated: 5120}) {
		t.Errorf("faults %+v", it.Faults)
	}
	// Four blocks are on the GPU, 16 in the host: 10 of the global, and of the other those
	// that have left.
	if k := r.Kernels[0]; k.GPU != 4*Size || k.Host != 16*Size {
		t.Errorf("%+v", k)
	}
	// The second time what is written is garbage that comes from the host. Of what is on
	// the GPU, the last two of either tensor, nothing survives until it is needed.
	c.Iterations = 2
	if r, err = engine.Run(w, &program.Program{}, c); err != nil {
		t.Fatal(err)
	}
	// By the time they leave, the two blocks of the dead tensor are garbage.
	wantP := result.Paging{Faults: 40, Missed: 20, In: 20 * Size, Out: 20 * Size, GarbageIn: 10 * Size, GarbageOut: 2 * Size, Reserved: 20 * Size}
	if p := r.Main().Paging; *p != wantP {
		t.Errorf("second iteration: %+v, want %+v", *p, wantP)
	}
}

// fixed is a pager that asks for blocks in an order and spares none.
type fixed struct {
	ask   []ID
	ready int
}

func (p *fixed) Launch(workload.KernelID, ExecID) {}
func (p *fixed) Fault(ID, bool)                   {}
func (p *fixed) Next() (ID, bool) {
	if len(p.ask) == 0 {
		return None, false
	}
	b := p.ask[0]
	p.ask = p.ask[1:]
	return b, true
}
func (p *fixed) Queued(b ID) bool   { return slices.Contains(p.ask, b) }
func (p *fixed) Spare(ID) bool      { return false }
func (p *fixed) Ready() int         { return p.ready }
func (p *fixed) Drop(ID) bool       { return false }
func (p *fixed) Tables() unit.Bytes { return 7 }

// The migration thread brings one block after the other while the eviction thread takes
// others out: 4196 cycles a block in either direction, at the same time.
func TestThreads(t *testing.T) {
	type ids = []workload.TensorID
	// Kernels 0 and 1 bring blocks 0 to 7 and that of a small tensor, and leave two chunks.
	// Kernel 2, which needs the small one, gives the threads time to change blocks 0 to 7
	// for 8 to 15, which kernel 3 needs.
	w := handWorkload([]unit.Bytes{8 * Size, 8 * Size, 1}, 3,
		[2][]workload.TensorID{ids{0}, nil}, [2][]workload.TensorID{ids{2}, nil}, [2][]workload.TensorID{ids{2}, nil}, [2][]workload.TensorID{ids{1}, nil})
	w.Kernels[2].Time = 100 * unit.Microsecond
	c := handCase(11)
	const move = 100 + 4096
	for _, tt := range []struct {
		name   string
		ready  int
		end    unit.Cycles // of the last transfer in, after kernel 2 began
		busy   unit.Cycles // of either thread
		leaves int
	}{
		{"on demand", 0, (2 + 6 + 6) * move, (2 + 6 + 6) * move, 6}, // in turns
		{"ahead", 2, 8 * move, 8 * move, 8},                         // both at once
	} {
		p := &fixed{}
		var began unit.Cycles
		c.Record = &engine.Record{}
		c.Runtime = Memory{Rules: c.Runtime.(Memory).Rules, Pager: func(*Run) Pager { return p }, Inspect: func(r *Run, _ Pager, k workload.KernelID) {
			if k == 2 { // as no Pager does
				p.ask, p.ready = []ID{8, 9, 10, 11, 12, 13, 14, 15}, tt.ready
				began = r.Now()
			}
		}}
		res, err := engine.Run(w, &program.Program{}, c)
		if err != nil {
			t.Fatal(err)
		}
		var end unit.Cycles
		in, out := 0, 0
		for _, x := range c.Record.Transfers {
			if x.To == machine.Host {
				out++
			} else if end = max(end, x.End-began); x.Start > began {
				in++
			}
		}
		it := res.Main()
		if in != 8 || out != tt.leaves || end != tt.end || it.Paging.Prefetched != 8 || it.Paging.Missed != 9 || it.Paging.Useless != 0 || it.Ledger.LatePrefetch != 0 {
			t.Errorf("%s: %d came until %d, %d left; want 8 until %d and %d; %+v", tt.name, in, end, out, tt.end, tt.leaves, *it.Paging)
		}
		if it.Overlap != tt.busy || it.Time != it.Stall+it.Overlap+it.Compute {
			t.Errorf("%s: overlap is %d, want %d", tt.name, it.Overlap, tt.busy)
		}
		if it.Paging.Tables != 7 {
			t.Errorf("%s: tables take %v", tt.name, it.Paging.Tables)
		}
	}
}

// What no kernel uses stays on the GPU, and says why if it cannot; so does a host that
// is too small.
func TestDoesNotFit(t *testing.T) {
	type ids = []workload.TensorID
	w := handWorkload([]unit.Bytes{3*Size - 5, 4 * Size}, 1, [2][]workload.TensorID{nil, ids{1}})
	c := handCase(4)
	r, err := engine.Run(w, &program.Program{}, c)
	if err != nil || r.Kernels[0].GPU != 4*Size || r.Main().Paging.Out != 3*Size {
		t.Errorf("%+v, %v", r, err)
	}
	for _, tt := range []struct {
		change func()
		want   string
	}{
		{func() { c.Machine.GPUMemory = 3 * Size }, "at least 2 MiB must be left"},
		{func() { c.Machine.GPUMemory, c.Machine.HostMemory = 4*Size, 4*Size-1 }, "by kernel 0 () of iteration 1, 20 MiB are managed, 8 MiB of them in use"},
		{func() {
			b := c.Runtime.(Memory)
			b.Usable = 700_000
			c.Runtime = b
		}, "at least 2 MiB must be left"},
	} {
		tt.change()
		var no *engine.DoesNotFit
		if _, err := engine.Run(w, &program.Program{}, c); !errors.As(err, &no) || !strings.Contains(no.Reason, tt.want) {
			t.Errorf("%v; want %q", err, tt.want)
		}
	}
	b := c.Runtime.(Memory)
	b.PerFault = 0
	c.Runtime = b
	if _, err := engine.Run(w, &program.Program{}, c); err == nil {
		t.Error("0 pages a fault are no error")
	}
}

// Tables of rows are made when they are needed, and progress is told meanwhile.
func TestTablesAreMadeLate(t *testing.T) {
	w := handWorkload([]unit.Bytes{20 * unit.GiB, 1}, 0, [2][]workload.TensorID{{1}, nil}, [2][]workload.TensorID{{0}, nil})
	w.Kernels[1].Rows = []workload.RowAccess{{Tensor: 0, Row: 512, Draws: 10}, {Tensor: 0, Row: 512, Draws: 11}, {Tensor: 0, Row: 512, Draws: 10}}
	c := handCase(4)
	r, err := c.Runtime.(Memory).newRun(w, c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.run(c); err == nil || r.rowTables[0].table != nil {
		t.Errorf("a run that is refused: %v, with tables %v", err, r.rowTables[0].table != nil)
	}
	// 80,000 probabilities each.
	calls := 0
	c.Machine.HostMemory = 64 * unit.GiB
	c.Progress = func(int, int) { calls++ }
	if _, err := engine.Run(w, &program.Program{}, c); err != nil || len(r.rowTables) != 2 || calls < 2*80_000/8000 {
		t.Errorf("%v, %d tables, progress is told %d times", err, len(r.rowTables), calls)
	}
}

// The order of visits is that of a scan of all tensors in every round.
func TestLockStep(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 9))
		var sizes []unit.Bytes
		var list []workload.TensorID
		for i := range 1 + r.IntN(12) {
			sizes = append(sizes, unit.Bytes(6+r.Int64N(1+r.Int64N(50)))*Size)
			list = append(list, workload.TensorID(i))
		}
		c := handCase(1000)
		c.Machine.HostMemory = 16 * unit.GiB
		var got []ID
		c.Runtime = Memory{Rules: c.Runtime.(Memory).Rules, Pager: func(*Run) Pager { return &witness{faults: &got} }}
		if _, err := engine.Run(handWorkload(sizes, 0, [2][]workload.TensorID{list, nil}), &program.Program{}, c); err != nil {
			t.Fatal(err)
		}
		var want []ID
		var most int64
		for _, size := range sizes {
			most = max(most, int64(size/Size))
		}
		for round := range most {
			at := ID(0)
			for _, size := range sizes {
				n := int64(size / Size)
				if j := round * n / most; (j*most+n-1)/n == round {
					want = append(want, at+ID(j))
				} else if j++; j < n && (j*most+n-1)/n == round {
					want = append(want, at+ID(j))
				}
				at += ID(n) // a segment of its own, as it has 10 MiB or more
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: sizes %v, visits %v, want %v", seed, sizes, got, want)
		}
	}
}

// BenchmarkLockStep is a kernel with a tensor of 128 GiB beside 5000 small ones; a scan
// would look at a tensor 330 million times.
func BenchmarkLockStep(b *testing.B) {
	sizes, list := []unit.Bytes{128 * unit.GiB}, []workload.TensorID{0}
	for i := range 5000 {
		sizes, list = append(sizes, 4096), append(list, workload.TensorID(i+1))
	}
	w := handWorkload(sizes, 0, [2][]workload.TensorID{list, nil})
	c := handCase(100_000)
	c.Machine.HostMemory = 256 * unit.GiB
	for b.Loop() {
		if _, err := engine.Run(w, &program.Program{}, c); err != nil {
			b.Fatal(err)
		}
	}
}

// A witness notes what faults.
type witness struct {
	fixed
	faults *[]ID
}

func (p *witness) Fault(b ID, _ bool) { *p.faults = append(*p.faults, b) }

// What is too much for the host is refused before it has blocks: a block number of 32
// bits would not do.
func TestRefusesBeforeItGrows(t *testing.T) {
	for _, globals := range []int{0, 2000} {
		var list []workload.TensorID
		sizes := make([]unit.Bytes, 2000)
		for i := range sizes {
			sizes[i] = workload.MaxTensor
			list = append(list, workload.TensorID(i))
		}
		r, err := handCase(4).Runtime.(Memory).newRun(handWorkload(sizes, globals, [2][]workload.TensorID{list, nil}), handCase(4))
		if err != nil {
			t.Fatal(err)
		}
		var no *engine.DoesNotFit
		if _, err = r.run(handCase(4)); !errors.As(err, &no) || !strings.Contains(no.Reason, "by kernel 0 () of iteration 1, 8000 TiB are managed") || len(r.mem.blocks) > 0 {
			t.Errorf("%d globals: %v, with %d blocks", globals, err, len(r.mem.blocks))
		}
	}
	// A global's whole blocks need no sets of pages.
	w := handWorkload([]unit.Bytes{10*Size + 1}, 1, [2][]workload.TensorID{{0}, nil})
	r, err := handCase(4).Runtime.(Memory).newRun(w, handCase(4))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.run(handCase(4)); err != nil || len(r.mem.sets) != 1 {
		t.Errorf("%d blocks have sets, want 1: %v", len(r.mem.sets), err)
	}
}

// Progress is told within a long kernel, too, and never goes back.
func TestProgress(t *testing.T) {
	const blocks = 20_000
	w := handWorkload([]unit.Bytes{blocks * Size, 1}, 1, [2][]workload.TensorID{{0}, nil}, [2][]workload.TensorID{nil, {1}})
	c := handCase(blocks + 1)
	c.Machine.HostMemory = 64 * unit.GiB
	var told []int
	c.Progress = func(done, total int) {
		if told = append(told, done); total != 2 {
			t.Errorf("a total of %d kernels, want 2", total)
		}
	}
	if _, err := engine.Run(w, &program.Program{}, c); err != nil {
		t.Fatal(err)
	}
	within := 0
	for _, done := range told {
		if done == 0 {
			within++
		}
	}
	if within < blocks/8000 || !slices.IsSorted(told) || told[len(told)-1] != 2 {
		t.Errorf("progress is told at %v", told)
	}
}

func TestDense(t *testing.T) {
	for _, tt := range []struct {
		name string
		s    pageSet
		want pageSet
	}{
		{"none", noPages, noPages},
		{"8 of 16 are not more than half", span(0, 8), span(0, 8)},
		{"9 of 16", span(3, 12), span(0, 16)},
		{"16 of 32 are not more than half", span(16, 32), span(16, 32)},
		{"9 of one, 9 of the next", span(23, 41), span(16, 48)},
		{"a cascade: 25 fill 32, and 32 of 64 do not fill it", span(0, 25), span(0, 32)},
		{"41 fill 48, which fill 64", span(0, 41), span(0, 64)},
		{"265 fill 272, which fill all", span(0, 265), allPages},
		{"256", span(256, 512), span(256, 512)},
		{"all", allPages, allPages},
	} {
		if got := tt.s.dense(); got != tt.want {
			t.Errorf("%s: %x, want %x", tt.name, got, tt.want)
		}
	}
}

// Every machine computes the same: this test also runs as WebAssembly.
func TestSameEverywhere(t *testing.T) {
	h := fnv.New64a()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 78))
		w, c := randomCase(r, float64(seed)/60)
		for i := range w.Kernels { // tables as DLRM has them
			k := &w.Kernels[i]
			if x := &w.Tensors[slices.Concat(k.Inputs, k.Outputs)[0]]; i%3 == 0 && x.Bytes > 1<<16 {
				k.Rows = []workload.RowAccess{{Tensor: slices.Concat(k.Inputs, k.Outputs)[0], Row: 512, Draws: 1000, Zipf: 1050}}
			}
		}
		if seed%2 == 0 {
			c.Runtime = Memory{Rules: c.Runtime.(Memory).Rules, Pager: func(run *Run) Pager { return newWhim(seed, len(w.Kernels), run) }}
		}
		res, err := engine.Run(w, &program.Program{}, c)
		text, _ := json.Marshal(res)
		fmt.Fprintf(h, "%s %v\n", text, err)
	}
	if got, want := h.Sum64(), uint64(0x862c0a4f6a292158); got != want {
		t.Errorf("the hash of results is %#x, want %#x; it changes when the model does", got, want)
	}
}
