package capuchin

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

type ids = []workload.TensorID

// A builder makes workloads of tensors of a page.
type builder struct{ w *workload.Workload }

func (b builder) tensor(name string) workload.TensorID {
	b.w.Tensors = append(b.w.Tensors, workload.Tensor{Name: name, Bytes: unit.Page})
	return workload.TensorID(len(b.w.Tensors) - 1)
}

func (b builder) run(name string, in, out ids) {
	b.w.Kernels = append(b.w.Kernels, workload.Kernel{Name: name, Time: unit.Microsecond, Inputs: in, Outputs: out})
}

// network returns n layers: kernel 0 loads tensor 0, kernel i makes tensor i from tensor
// i-1, kernel n+1 is the loss, and then each layer's backward kernel reads the input of
// its forward kernel. All tensors are a page.
func network(n int) *workload.Workload {
	b := builder{&workload.Workload{Name: "layers"}}
	x := b.tensor("x0")
	b.run("load", nil, ids{x})
	for i := range n {
		b.tensor(fmt.Sprint("x", i+1))
		b.run("forward", ids{workload.TensorID(i)}, ids{workload.TensorID(i + 1)})
	}
	g := b.tensor("g")
	b.run("loss", ids{workload.TensorID(n)}, ids{g})
	for i := n - 1; i >= 0; i-- {
		next := b.tensor("g")
		b.run("backward", ids{g, workload.TensorID(i)}, ids{next})
		g = next
	}
	return b.w
}

// prepared returns a planner of w in which a kernel takes 100 cycles, and a page so many
// on the link, when the GPU has room for so many pages.
func prepared(w *workload.Workload, link unit.Cycles, pages int) *planner {
	exec := make([]unit.Cycles, len(w.Kernels))
	for k := range exec {
		exec[k] = 100
	}
	rate := func(n unit.Bytes) unit.Cycles { return unit.Cycles(n.Pages()) * link }
	return newPlanner(w, exec, swaps{rate, rate, 1 << 50}, unit.Bytes(pages)*unit.Page)
}

func planned(w *workload.Workload, link unit.Cycles, pages int) *planner {
	p := prepared(w, link, pages)
	p.plan()
	return p
}

// choices prints what was chosen, tensor by tensor.
func choices(p *planner) (s string) {
	for i := range p.gaps {
		switch g := &p.gaps[i]; g.choice {
		case offload:
			s += fmt.Sprintf("swap %d away %d-%d cost %d; ", g.tensor, g.out+1, g.in-1, g.cost)
		case recompute:
			s += fmt.Sprintf("recompute %d cost %d; ", g.tensor, g.cost)
		}
	}
	return s
}

// Six layers: tensors 0 to 5 wait for kernels 8 to 13. With what kernel 6 makes seven
// are alive while it runs, eight with a gradient during the loss, kernel 7, and during
// kernel 8 eight: 0 to 5 and two gradients.
func TestChoices(t *testing.T) {
	w := network(6)
	for _, tt := range []struct {
		name  string
		link  unit.Cycles
		pages int
		want  string
	}{
		{"all fits", 100, 8, ""},
		// Tensor 0 has the longest gap: it leaves during kernel 2 and is back before 13.
		// Recomputing 1 would cost a kernel; the swap is hidden.
		{"one is hidden", 100, 7, "swap 0 away 3-11 cost 0; "},
		{"two are hidden", 100, 6, "swap 0 away 3-11 cost 0; swap 1 away 4-10 cost 0; "},
		// The link takes five kernels for a page: 0 leaves during 2 to 6 and comes during 8
		// to 12. Kernel 8 is short of a page still, for which the link has no time.
		{"slow link", 500, 7, "swap 0 away 7-7 cost 0; recompute 1 cost 100; "},
		// Free time is negative: nothing is hidden, and 0 cannot be computed.
		{"no link", 700, 7, "recompute 1 cost 100; "},
	} {
		if got := choices(planned(w, tt.link, tt.pages)); got != tt.want {
			t.Errorf("%s: %s want %s", tt.name, got, tt.want)
		}
	}
}

// gapOf returns the gap of t that ends with kernel to.
func gapOf(p *planner, t workload.TensorID, to int) *gap {
	for _, id := range p.of[t] {
		if p.gaps[id].to == to {
			return &p.gaps[id]
		}
	}
	return nil
}

// Free time is what is between evicted access and back access less two swaps.
func TestFreeTime(t *testing.T) {
	p := prepared(network(6), 150, 8)
	// Tensor 2 is used by kernels 2, 3 and 11.
	if g := gapOf(p, 2, 11); g == nil || g.from != 3 || g.free != 1100-150-(400+150) {
		t.Errorf("%+v", g)
	}
}

// recomputed makes gaps recomputations, tensor and back access by turns.
func recomputed(t *testing.T, p *planner, list ...int) {
	t.Helper()
	p.measure()
	for i := 0; i < len(list); i += 2 {
		g := gapOf(p, workload.TensorID(list[i]), list[i+1])
		if p.refresh(g); g.valid == never {
			t.Fatalf("tensor %d cannot be computed again", list[i])
		}
		g.choice = recompute
		if !p.choose(g) {
			t.Fatalf("tensor %d: one before it cannot be computed again then", list[i])
		}
	}
}

// The cost of a recomputation grows when its source becomes one, and that of a source by
// the ones that depend on it. 40 layers: tensor i waits for kernel 81 - i.
func TestChainedCost(t *testing.T) {
	p := prepared(network(40), 1000, 1)
	cost := func(tensor int) unit.Cycles {
		g := gapOf(p, workload.TensorID(tensor), 81-tensor)
		p.refresh(g)
		return g.again
	}
	if got := cost(39); got != 100 {
		t.Errorf("from its neighbour: %d", got)
	}
	recomputed(t, p, 38, 81-38)
	// 38 has its own back access one kernel later: it stays, and its kernel is paid there.
	if got := cost(39); got != 100 {
		t.Errorf("from one that is kept: %d", got)
	}
	recomputed(t, p, 39, 81-39)
	// 37 is what 38 reads: it would be computed for 38, and kept.
	if got := cost(37); got != 100 {
		t.Errorf("one on which others depend, which is kept: %d", got)
	}

	// 39 is needed by kernel 42, so that results up to 74 are kept: tensors down to 7. 6
	// and 5 are computed for it alone, from 4.
	p = prepared(network(40), 1000, 1)
	for i := 38; i >= 5; i-- {
		recomputed(t, p, i, 81-i)
	}
	if got := cost(39); got != 300 {
		t.Errorf("at the end of a row: %d, want three kernels", got)
	}
}

// A source far from its own back access is charged to those that depend on it, and they
// to it.
func TestUnkeptSource(t *testing.T) {
	// s is made by kernel 1 of x; kernel 2 makes y of s. y is read by kernel 10, s and x
	// by kernel 90.
	b := builder{&workload.Workload{}}
	x, s, y, z := b.tensor("x"), b.tensor("s"), b.tensor("y"), b.tensor("z")
	b.run("load", nil, ids{x})
	b.run("make s", ids{x}, ids{s})
	b.run("make y", ids{s}, ids{y})
	for k := 3; k < 90; k++ {
		in := ids{z}
		if k == 10 {
			in = ids{y, z}
		}
		if k == 3 {
			in = nil
		}
		b.run("step", in, ids{z})
	}
	b.run("last", ids{x, s, z}, ids{b.tensor("end")})
	p := prepared(b.w, 1000, 1)
	gy, gs := gapOf(p, y, 10), gapOf(p, s, 90)
	if p.refresh(gy); gy.again != 100 {
		t.Errorf("y from s: %d", gy.again)
	}
	recomputed(t, p, int(y), 10)
	if p.refresh(gs); gs.again != 200 {
		t.Errorf("s, which runs again for y too: %d", gs.again)
	}
	recomputed(t, p, int(s), 90)
	if p.refresh(gy); gy.again != 200 {
		t.Errorf("y and s: %d", gy.again)
	}
	// What has been swapped out has to come back for it.
	p = prepared(b.w, 1000, 1)
	gs = gapOf(p, s, 90)
	gs.choice, gs.out, gs.in = offload, 5, 80
	gy = gapOf(p, y, 10)
	if p.refresh(gy); gy.again != 1100 {
		t.Errorf("y from s in host memory: %d", gy.again)
	}
}

// What must not run again does not.
func TestNeverTwice(t *testing.T) {
	const back = 9
	build := func(change func(b builder, w, x, y workload.TensorID)) *workload.Workload {
		b := builder{&workload.Workload{}}
		w, x, y, z := b.tensor("weight"), b.tensor("x"), b.tensor("y"), b.tensor("z")
		b.w.Tensors[w].Global = true
		b.run("load", nil, ids{x})
		b.run("make", ids{x, w}, ids{y})
		for range back - 2 {
			b.run("step", ids{x, w}, ids{z})
		}
		b.run("use", ids{x, y, w}, ids{z})
		if change != nil {
			change(b, w, x, y)
		}
		return b.w
	}
	for _, tt := range []struct {
		name   string
		can    bool
		change func(b builder, w, x, y workload.TensorID)
	}{
		{"a function of what is there", true, nil},
		{"an input has been overwritten", false, func(b builder, _, x, _ workload.TensorID) {
			b.w.Kernels[4].Outputs = append(b.w.Kernels[4].Outputs, x)
		}},
		{"a weight has been updated", false, func(b builder, w, _, _ workload.TensorID) {
			b.w.Kernels[4].Outputs = append(b.w.Kernels[4].Outputs, w)
		}},
		{"a weight is updated later", true, func(b builder, w, _, _ workload.TensorID) {
			b.w.Kernels[back].Outputs = append(b.w.Kernels[back].Outputs, w)
		}},
		{"it loads data", false, func(b builder, _, _, _ workload.TensorID) { b.w.Kernels[1].Inputs = nil }},
		{"it writes what others read", false, func(b builder, w, _, _ workload.TensorID) {
			b.w.Kernels[1].Outputs = append(b.w.Kernels[1].Outputs, w)
		}},
		{"it writes its own statistic", true, func(b builder, _, _, _ workload.TensorID) {
			s := b.tensor("running mean")
			b.w.Tensors[s].Global = true
			b.w.Kernels[1].Inputs = append(b.w.Kernels[1].Inputs, s)
			b.w.Kernels[1].Outputs = append(b.w.Kernels[1].Outputs, s)
		}},
		{"another of its results has a newer value", false, func(b builder, _, _, _ workload.TensorID) {
			s := b.tensor("state")
			b.w.Kernels[1].Outputs = append(b.w.Kernels[1].Outputs, s)
			b.w.Kernels[4].Outputs = append(b.w.Kernels[4].Outputs, s)
			b.w.Kernels[back].Inputs = append(b.w.Kernels[back].Inputs, s)
		}},
	} {
		p := prepared(build(tt.change), 1000, 1)
		g := gapOf(p, 2, back)
		if p.refresh(g); (g.valid != never) != tt.can {
			t.Errorf("%s: recomputed at %d", tt.name, g.again)
		}
	}
	// A function in place needs the kernel that wrote the value before.
	p := prepared(build(func(b builder, _, _, y workload.TensorID) {
		b.w.Kernels[2] = workload.Kernel{Name: "relu", Time: 1, Inputs: ids{y}, Outputs: ids{y}}
	}), 1000, 1)
	g := gapOf(p, 2, back)
	if p.refresh(g); g.from != 2 || g.again != 200 {
		t.Errorf("in place: %+v, want two kernels", g)
	}
}

// With one choice alone allowed there is no other.
func TestOnly(t *testing.T) {
	for _, only := range []choice{offload, recompute} {
		p := prepared(network(20), 400, 10)
		p.only = only
		p.plan()
		some := false
		for i := range p.gaps {
			if c := p.gaps[i].choice; c != stay && c != only {
				t.Errorf("only %d: chosen %d", only, c)
			}
			some = some || p.gaps[i].choice == only
		}
		if !some {
			t.Errorf("only %d: nothing is chosen", only)
		}
	}
	// Where the link hides all that is needed, recomputation changes nothing.
	p := prepared(network(20), 50, 15)
	p.only = offload
	p.plan()
	if a, b := choices(p), choices(planned(network(20), 50, 15)); a != b || a == "" {
		t.Errorf("%s and %s", a, b)
	}
}

// The in-trigger is the latest access at which the way back can begin, and gets earlier
// as far as there is room.
func TestTriggers(t *testing.T) {
	p := planned(network(6), 150, 7)
	// 0 is away after kernel 3, where it has left, and must set out 50 cycles after kernel
	// 11 has begun.
	g := gapOf(p, 0, 13)
	if g.choice != offload || g.start != 1150 {
		t.Fatalf("%+v", g)
	}
	id := int(p.index(g))
	early := make([]unit.Cycles, len(p.gaps))
	trigger := func() int {
		return slices.IndexFunc(p.triggers(early), func(list []int32) bool { return slices.Contains(list, int32(id)) })
	}
	var got []int
	for _, early[id] = range []unit.Cycles{0, 50, 51, 150, 151, 251, 1000} {
		got = append(got, trigger())
	}
	// During kernel 8 memory is full without it; during 9 a page is free.
	if want := []int{11, 11, 10, 10, 9, 9, 9}; !slices.Equal(got, want) {
		t.Errorf("triggers %v, want %v", got, want)
	}
}

// Where memory is short tensors come back later.
func TestPostpone(t *testing.T) {
	p := prepared(network(6), 100, 7)
	g := gapOf(p, 0, 13)
	g.choice, g.out, g.in = offload, 2, 8
	p.over = p.need()
	if p.over[8] != unit.Page {
		t.Fatalf("%v", p.over)
	}
	if p.postpone(); g.in != 9 || p.over[8] != 0 || g.start != p.start[9] {
		t.Errorf("comes back at %d, %v short", g.in, p.over)
	}
}

// With its patience at an end the planner chooses all the same, but no recomputations.
func TestPatience(t *testing.T) {
	p := prepared(network(40), 100, 20)
	p.priced, p.work = pricings, steps
	p.plan()
	if got := choices(p); !strings.Contains(got, "swap") || strings.Contains(got, "recompute") {
		t.Error(got)
	}
}

// Sums and searches are those of a plain list.
func TestTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	for n := 1; n < 40; n++ {
		list := make([]unit.Cycles, n)
		for k := range list {
			list[k] = unit.Cycles(r.IntN(4))
		}
		l := newTimes(slices.Clone(list))
		for range 20 {
			if k := r.IntN(n); list[k] > 0 {
				list[k]--
				l.less(k, 1)
			}
			sum, last := unit.Cycles(0), 0
			x := unit.Cycles(1 + r.IntN(4*n))
			for k := range 2*n + 1 {
				if got := l.before(k); got != sum {
					t.Fatalf("%v: %d before %d", list, got, k)
				}
				if sum < x {
					last = k
				}
				sum += list[k%n]
			}
			if got := l.last(x); got != last {
				t.Fatalf("%v: %d is the last with less than %d, want %d", list, got, x, last)
			}
		}
	}
}
