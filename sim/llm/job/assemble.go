package job

import (
	"fmt"
	"slices"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

// tables reports whether a stage has the embedding's matrix, as a table or as a tied head.
func (b *builder) tables(index int64) bool {
	a := b.spec.Arch
	first, last := bounds(b.all, b.spec.Pipeline, index)
	return index == 0 || a.Encoder > 0 && first <= a.Encoder && a.Encoder < last || a.Tied && last == b.all
}

// sumTied adds the kernel that adds the gradients of a matrix that several stages have.
func (g *stage) sumTied() {
	n := 0
	for i := range g.spec.Pipeline {
		if g.tables(i) {
			n++
		}
	}
	if n < 2 || !g.tables(g.index) {
		return
	}
	var u *block
	var t workload.TensorID
	if g.embed != nil {
		u, t = g.embed.unit, g.embed.table.grad
	} else {
		u, t = g.head.unit, g.head.matrix.grad
	}
	if g.zero >= 2 {
		t = u.grad
	}
	g.phase, g.layer = Communicate, u.layer
	g.sum = g.moving(kReduce, plain, 0, ids{t}, ids{t})
	u.last = g.sum
}

// tiedBytes is what the GPUs with a copy of a matrix add of it.
func (b *builder) tiedBytes() unit.Bytes {
	n := b.vocab * b.spec.Arch.Width()
	if b.zero >= 2 {
		n = ceil(n, b.spec.Data)
	}
	return unit.Bytes(n) * b.element
}

// part is a GPU's number: those of a tensor-parallel group are next to each other, then stages,
// then replicas, of which those that share a sequence are next to each other.
func (b *builder) part(replica, stage, tensor int64) int16 {
	return int16((replica*b.spec.Pipeline+stage)*b.spec.Tensor + tensor)
}

// assemble makes the job of its stages. GPUs of a stage share its workload.
func (b *builder) assemble(stages []*stage) (*Job, error) {
	s := b.spec
	j := &Job{
		Name:   fmt.Sprintf("%s, batch %d of %d tokens", title(s.Arch), s.Batch, s.Sequence),
		Spec:   *s,
		Tokens: s.Batch * s.Sequence,
	}
	gpus := s.GPUs()
	j.Parts, j.Marks, j.Weights = make([]*workload.Workload, gpus), make([][]Mark, gpus), make([][]int64, gpus)
	for i, g := range stages {
		w := &workload.Workload{
			Name: fmt.Sprintf("%s, stage %d of %d", j.Name, i+1, len(stages)), Model: s.Arch.Name, Batch: int(s.Batch),
			Times: workload.Estimated, Origin: "built from the model's dimensions; kernel times are rooflines of the GPU",
			Tensors: g.tensors, Kernels: g.kernels,
		}
		if err := w.Validate(); err != nil {
			return nil, fmt.Errorf("stage %d: %w", i, err)
		}
		weights := make([]int64, b.all+2)
		for _, u := range g.units {
			weights[u.layer+1] += u.n
		}
		for d := range b.copies {
			for t := range s.Tensor {
				p := b.part(d, int64(i), t)
				j.Parts[p], j.Marks[p], j.Weights[p] = w, g.marks, weights
			}
		}
		replicas := b.copies * s.Tensor
		// billions, with what is left of each GPU rounded down
		j.FLOPs += g.flops*replicas + g.rest*replicas/billion
	}
	if n := 2 * (s.Pipeline - 1) * b.micros * s.Tensor * b.copies; n > maxRefs {
		return nil, tooMany(n)
	}
	b.sends(j, stages)
	if err := b.collectives(j, stages); err != nil {
		return nil, err
	}
	return j, nil
}

// sends lists what stages send each other.
func (b *builder) sends(j *Job, stages []*stage) {
	s := b.spec
	j.Sends = make([]Send, 0, 2*(s.Pipeline-1)*b.micros*s.Tensor*b.copies)
	for i := 0; i+1 < len(stages); i++ {
		from, to := stages[i], stages[i+1]
		bytes := b.boundaryBytes(from.last)
		for d := range b.copies {
			for t := range s.Tensor {
				p, q := b.part(d, int64(i), t), b.part(d, int64(i+1), t)
				for m := range b.micros {
					j.Sends = append(j.Sends,
						Send{Ref{p, from.out[m]}, Ref{q, to.in[m]}, bytes},
						Send{Ref{q, to.backOut[m]}, Ref{p, from.backIn[m]}, bytes})
				}
			}
		}
	}
}

// rings are the groups of replicas: how many there are, how many replicas each has, and how far those are apart.
// Where they are not next to each other the first of each group are.
func (b *builder) rings(g group) (groups, size, apart int64) {
	switch g {
	case overContext:
		return b.spec.Data, b.context, 1
	case overExperts:
		return b.copies / b.expert, b.expert, 1
	case overSame:
		return b.expert, b.copies / b.expert, b.expert
	}
	return 1, b.copies, 1
}

// collectives lists what GPUs do together.
func (b *builder) collectives(j *Job, stages []*stage) error {
	s := b.spec
	n, refs := int64(0), int64(len(j.Sends))
	for _, g := range stages {
		for _, l := range g.locals {
			if l.group == overTensor {
				n, refs = n+b.copies, refs+b.copies*s.Tensor
			} else {
				groups, _, _ := b.rings(l.group)
				n, refs = n+s.Tensor*groups, refs+2*b.copies*s.Tensor
			}
		}
	}
	if refs > maxRefs {
		return tooMany(refs)
	}
	j.Collectives = slices.Grow(j.Collectives, int(n))
	arena := make([]Ref, 0, refs)
	list := func(k workload.KernelID, count int64, part func(i int64) int16) []Ref {
		from := len(arena)
		if k < 0 {
			return nil
		}
		for i := range count {
			arena = append(arena, Ref{part(i), k})
		}
		return arena[from:len(arena):len(arena)]
	}
	for i, g := range stages {
		stage := int64(i)
		for _, l := range g.locals {
			if l.group == overTensor {
				for d := range b.copies {
					of := func(t int64) int16 { return b.part(d, stage, t) }
					j.Collectives = append(j.Collectives, Collective{l.kind, list(l.member, s.Tensor, of), list(l.wait, s.Tensor, of), l.bytes})
				}
				continue
			}
			groups, size, apart := b.rings(l.group)
			for t := range s.Tensor {
				for k := range groups {
					first := k * size
					if apart > 1 {
						first = k
					}
					of := func(i int64) int16 { return b.part(first+i*apart, stage, t) }
					j.Collectives = append(j.Collectives, Collective{l.kind, list(l.member, size, of), list(l.wait, size, of), l.bytes})
				}
			}
		}
	}
	for d := range b.copies {
		for t := range s.Tensor {
			var members []Ref
			for i, g := range stages {
				if g.sum >= 0 {
					members = append(members, Ref{b.part(d, int64(i), t), g.sum})
				}
			}
			if len(members) > 1 {
				j.Collectives = append(j.Collectives, Collective{AllReduce, members, nil, b.tiedBytes()})
			}
		}
	}
	return nil
}

// maxRefs is how many kernels all collectives and sends may name.
const maxRefs = 1 << 22

func tooMany(n int64) error {
	return fmt.Errorf("GPUs send to each other %d times; at most %d can be simulated: take larger micro-batches, a smaller batch or fewer GPUs", n, maxRefs)
}

// Durations are how long what a job does takes at least; nil is no time.
type Durations struct {
	Kernel     func(Ref) unit.Time
	Send       func(*Send) unit.Time
	Collective func(*Collective) unit.Time
}

// Shortest returns how long an iteration takes if nothing waits but for the kernel before, for sends
// and for collectives: no run is shorter. A send of a kernel that is a collective's begins with that
// kernel. The error says which kernels wait for each other.
func (j *Job) Shortest(d *Durations) (unit.Time, error) {
	start := make([]int, len(j.Parts)+1) // of a part's kernels
	for i, w := range j.Parts {
		start[i+1] = start[i] + len(w.Kernels)
	}
	at := func(r Ref) int { return start[r.Part] + int(r.Kernel) }
	// Events are kernels, then collectives. An event begins when all that it waits for have ended:
	// the kernel before, sends and collectives beside kernels. A kernel that is in a collective ends when all
	// of its members have begun.
	kernels := start[len(j.Parts)]
	waits := make([]int32, kernels+len(j.Collectives))
	edges := func(f func(from, to, send int)) {
		for i := range j.Sends {
			f(at(j.Sends[i].From), at(j.Sends[i].To), i)
		}
		for i := range j.Collectives {
			c := &j.Collectives[i]
			for _, r := range c.Members {
				f(at(r), kernels+i, -1)
			}
			for _, r := range c.Wait {
				f(kernels+i, at(r), -1)
			}
		}
	}
	first := make([]int32, kernels+len(j.Collectives)+1)
	edges(func(from, to, _ int) { first[from+1]++; waits[to]++ })
	for i := 1; i < len(first); i++ {
		first[i] += first[i-1]
	}
	type edge struct{ to, send int32 }
	next := make([]edge, first[len(first)-1])
	count := slices.Clone(first)
	edges(func(from, to, send int) { next[count[from]] = edge{int32(to), int32(send)}; count[from]++ })
	// together[k] is the collective that kernel k is, or -1: it ends with the collective.
	together := make([]int32, kernels)
	for k := range together {
		together[k] = -1
	}
	for i := range j.Collectives {
		if c := &j.Collectives[i]; len(c.Wait) == 0 {
			for _, r := range c.Members {
				if k := at(r); together[k] >= 0 {
					return 0, fmt.Errorf("kernel %d (%s) of GPU %d is in two collectives", r.Kernel, j.Parts[r.Part].Kernels[r.Kernel].Name, r.Part)
				}
				together[at(r)] = int32(i)
			}
		}
	}
	done := make([]bool, kernels)
	begun := make([]bool, kernels)
	part := func(k int) int {
		p, _ := slices.BinarySearch(start, k+1)
		return p - 1
	}
	left := kernels
	ready, last := []int(nil), unit.Time(0)
	times := make([]unit.Time, kernels+len(j.Collectives)) // when an event can begin
	begin := func(k int) {                                 // if the kernel before has ended and nothing is waited for
		if k < kernels && !begun[k] && waits[k] == 0 && (k == start[part(k)] || done[k-1]) {
			begun[k] = true
			ready = append(ready, k)
		}
	}
	end := func(k int, t unit.Time) {
		done[k] = true
		left--
		last = max(last, t)
		if k+1 < kernels && part(k+1) == part(k) {
			times[k+1] = max(times[k+1], t)
			begin(k + 1)
		}
	}
	for i := range j.Parts {
		begin(start[i])
	}
	for len(ready) > 0 {
		e := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		t := times[e]
		if e < kernels && together[e] < 0 {
			if p := part(e); d.Kernel != nil {
				t += d.Kernel(Ref{int16(p), workload.KernelID(e - start[p])})
			}
			end(e, t)
		}
		if e >= kernels {
			c := &j.Collectives[e-kernels]
			if d.Collective != nil {
				t += d.Collective(c)
			}
			if len(c.Wait) == 0 {
				for _, r := range c.Members {
					end(at(r), t)
				}
			}
		}
		for _, x := range next[first[e]:first[e+1]] {
			arrives := t
			if x.send >= 0 && d.Send != nil {
				arrives += d.Send(&j.Sends[x.send])
			}
			times[x.to] = max(times[x.to], arrives)
			if waits[x.to]--; waits[x.to] == 0 {
				if int(x.to) >= kernels {
					ready = append(ready, int(x.to))
				} else {
					begin(int(x.to))
				}
			}
		}
	}
	if left == 0 {
		return last, nil
	}
	for i := range j.Parts {
		for k := start[i]; k < start[i+1]; k++ {
			if !done[k] {
				return 0, fmt.Errorf("kernel %d (%s) of GPU %d and others wait for each other", k-start[i], j.Parts[i].Kernels[k-start[i]].Name, i)
			}
		}
	}
	return last, nil
}
