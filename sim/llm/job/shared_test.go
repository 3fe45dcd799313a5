package job

import (
	"fmt"
	"strings"
	"testing"

	"spillway/sim/machine"
	"spillway/sim/model"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// share gives a random spec GPUs that share sequences, and experts that are split; false where it cannot.
func share(r *random, s *Spec) bool {
	a, l := s.Arch, &s.Layout
	if a.Encoder > 0 || s.HostOptimizer {
		return false
	}
	l.Context, l.Expert = r.pick(0, 1, 2, 4), 1
	l.Sequence = 32
	if a.Experts > 1 {
		l.Expert = r.pick(1, 2, 4)
	}
	if l.Replicas()%l.Expert != 0 {
		return false
	}
	if l.Expert > 1 {
		l.ZeRO = min(l.ZeRO, 1)
	}
	s.Node = node(l.GPUs())
	return l.Own() && s.Node.InNode()%(l.Expert*l.Pipeline*l.Tensor) == 0
}

// TestShared: whatever is shared, all operations are done once, values are written before they are read, groups are
// whole, and replicas with the same experts hold each expert once.
func TestShared(t *testing.T) {
	r, n, cases := random(33), 0, 1500
	if testing.Short() {
		cases = 400
	}
	for i := range cases {
		s := randomSpec(&r)
		if i%2 == 0 {
			family(&r, s.Arch)
			if s.Pipeline > s.Arch.Layers {
				continue
			}
		}
		if !share(&r, s) {
			continue
		}
		n++
		says := fmt.Sprintf("case %d: %+v %+v", i, *s.Arch, s.Layout)
		j, err := Build(s)
		if err != nil {
			t.Fatalf("%s: %v", says, err)
		}
		for _, check := range []func(j *Job) error{(*Job).Validate, checkMicros, checkSchedule, checkFLOPs, checkGroups, checkExperts} {
			if err := check(j); err != nil {
				t.Fatalf("%s: %v", says, err)
			}
		}
	}
	if n < cases/10 {
		t.Errorf("only %d cases share anything", n)
	}
}

// checkGroups: a collective has a GPU of each part of a matrix, of all replicas, of a sequence, of all experts, or of
// those with the same; every GPU passes on and sends to experts as often as the model says.
func checkGroups(j *Job) error {
	s, a := &j.Spec, j.Spec.Arch
	context, expert := max(s.Context, 1), max(s.Expert, 1)
	passes, dispatches := make([]int64, len(j.Parts)), make([]int64, len(j.Parts))
	for i := range j.Collectives {
		c := &j.Collectives[i]
		size := int64(len(c.Members))
		switch c.Kind {
		case PassOn:
			if size != context {
				return fmt.Errorf("collective %d passes on among %d GPUs, %d share a sequence", i, size, context)
			}
			for n, m := range c.Members {
				passes[m.Part]++
				if next := c.Members[(n+1)%len(c.Members)]; int64(m.Part)/(s.Tensor*s.Pipeline)/context != int64(next.Part)/(s.Tensor*s.Pipeline)/context {
					return fmt.Errorf("collective %d passes on from GPU %d to %d, which has another sequence", i, m.Part, next.Part)
				}
				if len(c.Wait) == 0 {
					return fmt.Errorf("collective %d is waited for by nobody", i)
				}
			}
		case AllToAll:
			if size != expert {
				return fmt.Errorf("collective %d has %d GPUs, experts are on %d", i, size, expert)
			}
			for _, m := range c.Members {
				dispatches[m.Part]++
			}
		default:
			if size != s.Tensor && size != s.Replicas() && size != s.Replicas()/expert && size > s.Pipeline {
				return fmt.Errorf("collective %d has %d GPUs", i, size)
			}
		}
	}
	micros := s.Batch / s.Data / s.Micro
	for p := range j.Parts {
		first, last := bounds(a.Layers, s.Pipeline, int64(p)/s.Tensor%s.Pipeline)
		wantPasses, wantDispatches := int64(0), int64(0)
		for layer := first; layer < last; layer++ {
			if context > 1 {
				wantPasses += 3*context - 2 // forward, backward, and gradients that go home
				if s.Recompute != KeepAll {
					wantPasses += context - 1
				}
			}
			if expert > 1 && a.Feed(layer).Experts > 0 {
				wantDispatches += 4
				if s.Recompute == Full {
					wantDispatches += 2
				}
			}
		}
		if passes[p] != wantPasses*micros || dispatches[p] != wantDispatches*micros {
			return fmt.Errorf("part %d passes on %d times and sends to experts %d times, want %d and %d", p, passes[p], dispatches[p], wantPasses*micros, wantDispatches*micros)
		}
	}
	return nil
}

// checkExperts: GPUs with the same stage and part of matrices that have all experts together hold the optimizer's states of
// each expert once, whatever ZeRO cuts, and those of everything else as often as they are.
func checkExperts(j *Job) error {
	s, a := &j.Spec, j.Spec.Arch
	if s.Expert <= 1 || s.Tensor > 1 {
		return nil
	}
	var n int64
	for layer := range a.Layers {
		if f := a.Feed(layer); f.Experts > 0 {
			matrices := int64(2)
			bias := int64(0)
			if a.Gated {
				matrices = 3
			}
			if a.FFNBias {
				bias = (matrices-1)*f.Width + a.Hidden
			}
			n += f.Experts * (matrices*f.Width*a.Hidden + bias)
		}
	}
	var experts int64
	for i := range j.Parts[:s.Expert*s.Pipeline] {
		w := j.Parts[i]
		for t := range w.Tensors {
			x := &w.Tensors[t]
			if x.Kind != workload.Weight || strings.Contains(x.Name, "shared") {
				continue
			}
			for _, m := range [...]what{wGate, wUp, wDown} {
				layer := int64(-1)
				if _, err := fmt.Sscanf(x.Name, "layer %d "+whatNames[m], &layer); err == nil && strings.HasSuffix(x.Name, " "+whatNames[m]) && a.Feed(layer).Experts > 0 {
					experts += int64(x.Bytes) / map[Precision]int64{FP32: 4, BF16: 2}[s.Precision]
				}
			}
		}
	}
	if experts != n {
		return fmt.Errorf("replicas of all experts hold %d of their parameters, want %d", experts, n)
	}
	return nil
}

// TestContextMemory: of two to eight GPUs that share long sequences each keeps its share of the activations, and room for the blocks
// that pass; weights stay.
func TestContextMemory(t *testing.T) {
	a, err := model.Find("llama3-8b")
	if err != nil {
		t.Fatal(err)
	}
	build := func(context int64) *Job {
		j, err := Build(&Spec{Arch: &a, Node: node(context), Layout: Layout{Pipeline: 1, Tensor: 1, Data: 1, Context: context, Batch: 1, Micro: 1, Sequence: 32768, Precision: BF16}})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	alone := build(1)
	for _, c := range []int64{2, 4, 8} {
		j := build(c)
		whole, part := alone.Activations(0), j.Activations(0)
		if block := unit.Bytes(32768 / c * 2 * a.Keys() * 2); part < whole/unit.Bytes(c) || part > whole/unit.Bytes(c)+6*block {
			t.Errorf("%d GPUs: %v of activations of %v", c, part, whole)
		}
		if j.FLOPs != alone.FLOPs {
			t.Errorf("%d GPUs: %d billion operations, alone %d", c, j.FLOPs, alone.FLOPs)
		}
	}
}

// TestSharedRefused: what cannot be shared is refused in words.
func TestSharedRefused(t *testing.T) {
	dense, err := model.Find("llama3-8b")
	if err != nil {
		t.Fatal(err)
	}
	mixture, err := model.Find("mixtral-8x7b")
	if err != nil {
		t.Fatal(err)
	}
	two := machine.Standard()
	two.GPUs = 2
	nodes := two.Times(4)
	for _, x := range []struct {
		arch   *model.Arch
		node   *machine.Node
		layout Layout
		want   string
	}{
		{&dense, node(4), Layout{Pipeline: 1, Tensor: 1, Data: 1, Context: 4, Sequence: 1028}, "two pieces"},
		{&dense, node(4), Layout{Pipeline: 1, Tensor: 1, Data: 4, Expert: 2, Sequence: 1024}, "has no experts"},
		{&dense, node(4), Layout{Pipeline: 1, Tensor: 1, Data: 2, Context: 4, Sequence: 1024}, "make 8 GPUs"},
		{&mixture, node(4), Layout{Pipeline: 1, Tensor: 1, Data: 4, Expert: 3, Sequence: 1024}, "8 experts cannot be split over 3"},
		{&mixture, node(2), Layout{Pipeline: 1, Tensor: 1, Data: 2, Expert: 4, Sequence: 1024}, "there are 2"},
		{&mixture, node(4), Layout{Pipeline: 1, Tensor: 1, Data: 4, Expert: 4, ZeRO: 3, Sequence: 1024}, "stage 1 at most"},
		{&mixture, &machine.Node{Config: nodes}, Layout{Pipeline: 1, Tensor: 1, Data: 8, Expert: 4, Sequence: 1024}, "not modelled"},
	} {
		x.layout.Batch, x.layout.Micro = 8, 1
		if _, err := Build(&Spec{Arch: x.arch, Node: x.node, Layout: x.layout}); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: %v, want %q", x.layout, err, x.want)
		}
	}
}
