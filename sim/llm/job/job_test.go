package job

import (
	"fmt"
	"strings"
	"testing"

	"spillway/sim/model"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// random is a small generator (xorshift).
type random uint64

func (r *random) below(n int64) int64 {
	*r ^= *r << 13
	*r ^= *r >> 7
	*r ^= *r << 17
	return int64(uint64(*r) >> 1 % uint64(n))
}

func (r *random) pick(of ...int64) int64 { return of[r.below(int64(len(of)))] }
func (r *random) yes() bool              { return r.below(2) == 0 }

// randomSpec is a small model on a few GPUs.
func randomSpec(r *random) *Spec {
	heads := r.pick(4, 8)
	a := &model.Arch{
		Name: "small", Layers: 1 + r.below(7), Hidden: 8 * (1 + r.below(8)), Heads: heads, KVHeads: r.pick(1, 2, heads), HeadDim: r.pick(4, 8),
		FFN: 16 * (1 + r.below(8)), Vocab: 50 + r.below(100), Norm: model.Norm(r.below(2)), EmbedNorm: r.yes(), FinalNorm: r.yes(), Gated: r.yes(),
		QKVBias: r.yes(), OutBias: r.yes(), FFNBias: r.yes(), Tied: r.yes(), Dropout: r.yes(),
	}
	switch r.below(4) {
	case 0:
		a.Encoder, a.Buckets = 1+r.below(4), r.pick(0, 8)
	case 1:
		a.Experts, a.Active = 4, 1+r.below(3)
	case 2:
		a.Positions, a.EmbedWidth = 64, r.pick(0, 8)
	}
	l := Layout{
		Pipeline: 1 + r.below(min(4, a.Layers+a.Encoder)), Tensor: r.pick(1, 1, 2, 4), Data: r.pick(1, 1, 2, 3), ZeRO: r.below(4),
		Micro: 1 + r.below(2), Sequence: 16, Precision: Precision(r.below(2)), Recompute: Recompute(r.below(3)),
	}
	l.Batch = l.Data * l.Micro * (1 + r.below(6))
	return &Spec{Arch: a, Layout: l, Node: node(l.Pipeline * l.Tensor * l.Data), HostOptimizer: r.below(4) == 0}
}

// family adds to a decoder what families have.
func family(r *random, a *model.Arch) {
	if a.Encoder > 0 {
		a.Encoder, a.Buckets = 0, 0
	}
	a.Norm, a.HeadNorms, a.Sinks, a.HeadBias = model.Norm(r.below(3)), model.HeadNorm(r.below(3)), r.yes(), !a.Tied && r.yes()
	if a.Norms = r.pick(0, 1, 4); a.Norms == 4 {
		a.Dropout = false
	}
	if a.Norm == model.BareNorm {
		a.EmbedNorm = false
	}
	if a.Experts > 0 {
		a.RouterBias, a.SharedGate, a.Shared = r.yes(), r.yes(), r.pick(0, 16, 32)
		a.DenseFirst, a.Every, a.DenseFFN = r.below(3), r.below(3), r.pick(0, 64)
	}
	if r.yes() {
		a.KVHeads, a.ValueDim, a.RopeDim = a.Heads, r.pick(0, 2, 4), 2
		a.KeyLatent, a.QueryLatent = 8, r.pick(0, 8)
	}
}

func TestRandom(t *testing.T) {
	r := random(15)
	for i := range 800 {
		s := randomSpec(&r)
		if i >= 400 {
			family(&r, s.Arch)
			if s.Pipeline > s.Arch.Layers {
				continue
			}
		}
		says := fmt.Sprintf("case %d: %+v %+v", i, *s.Arch, s.Layout)
		j, err := Build(s)
		if err != nil {
			t.Fatalf("%s: %v", says, err)
		}
		if err := j.Validate(); err != nil {
			t.Fatalf("%s: %v", says, err)
		}
		for _, check := range []func(j *Job) error{checkStates, checkMicros, checkSchedule, checkCollectives, checkFLOPs, checkParameters} {
			if err := check(j); err != nil {
				t.Fatalf("%s: %v", says, err)
			}
		}
	}
}

// checkParameters: the parts of one replica hold the model's parameters, those that stages copy again.
func checkParameters(j *Job) error {
	s, a := &j.Spec, j.Spec.Arch
	if s.Tensor > 1 { // norms and what cannot be cut are copied
		return nil
	}
	copies := int64(-1)
	var got int64
	for p := range s.Pipeline {
		for _, n := range j.Weights[p] {
			got += n
		}
		first, last := bounds(a.Layers+a.Encoder, s.Pipeline, p)
		if p == 0 || a.Encoder > 0 && first <= a.Encoder && a.Encoder < last || a.Tied && last == a.Layers+a.Encoder {
			copies++
		}
	}
	want := a.Parameters() + copies*a.Vocab*a.Width()
	if (a.Width() != a.Hidden || a.EmbedNorm) && a.Encoder > 0 {
		return nil // what is behind the table is copied too
	}
	if got != want {
		return fmt.Errorf("parts hold %d parameters, want %d with %d copies of the table", got, want, copies)
	}
	return nil
}

// checkStates: bytes of weights, gradients and optimizer states of each part.
func checkStates(j *Job) error {
	s := &j.Spec
	zero := s.ZeRO
	if s.Data == 1 || s.HostOptimizer {
		zero = 0
	}
	share := func(n int64, from int64) unit.Bytes {
		if zero >= from {
			return unit.Bytes((n + s.Data - 1) / s.Data)
		}
		return unit.Bytes(n)
	}
	element, states := unit.Bytes(4), unit.Bytes(8)
	if s.Precision == BF16 {
		element, states = 2, 12
	}
	for p, w := range j.Parts {
		var weights, gradients, optimizer unit.Bytes
		for _, n := range j.Weights[p] {
			weights += share(n, 3) * element
			gradients += share(n, 2) * element
			if !s.HostOptimizer {
				optimizer += share(n, 1) * states
			}
		}
		var got [workload.Input + 1]unit.Bytes
		for i := range w.Tensors {
			if w.Tensors[i].Global {
				got[w.Tensors[i].Kind] += w.Tensors[i].Bytes
			}
		}
		if got[workload.Weight] != weights || got[workload.Optimizer] != optimizer || got[workload.Gradient]+got[workload.Intermediate] != 0 {
			return fmt.Errorf("part %d: weights, optimizer, other globals are %v, want %d, %d", p, got, weights, optimizer)
		}
		if s.HostOptimizer {
			continue
		}
		// What Adam reads are the gradients that were added up.
		var sum unit.Bytes
		for k := range w.Kernels {
			if !strings.HasSuffix(w.Kernels[k].Name, formNames[adamFirst]) {
				continue
			}
			for _, in := range w.Kernels[k].Inputs {
				if w.Tensors[in].Kind == workload.Gradient {
					sum += w.Tensors[in].Bytes
				}
			}
		}
		if sum != gradients {
			return fmt.Errorf("part %d: Adam reads %d bytes of gradients, want %d", p, sum, gradients)
		}
	}
	return nil
}

// checkMicros: activations belong to one micro-batch, are written before they are read, and
// what forward keeps is read in the backward pass.
func checkMicros(j *Job) error {
	for p, w := range j.Parts {
		marks := j.Marks[p]
		a := vitality.Analyze(w)
		wrote := make([]bool, len(w.Tensors))
		for k := range w.Kernels {
			for _, t := range w.Kernels[k].Inputs {
				if x := &w.Tensors[t]; !wrote[t] && !x.Global && x.Kind != workload.Input {
					return fmt.Errorf("part %d: kernel %d (%s) reads %s, which nobody wrote", p, k, w.Kernels[k].Name, x.Name)
				}
			}
			for _, t := range w.Kernels[k].Outputs {
				wrote[t] = true
			}
		}
		for t := range w.Tensors {
			x := &w.Tensors[t]
			uses := a.Uses(workload.TensorID(t))
			if len(uses) == 0 {
				return fmt.Errorf("part %d: nobody uses %s", p, x.Name)
			}
			if x.Kind != workload.Intermediate && x.Kind != workload.Input {
				continue
			}
			sent := int64(p)/j.Spec.Tensor%j.Spec.Pipeline > 0 && strings.HasSuffix(x.Name, formNames[gradient])
			if a.Transient[t] && !sent && j.Spec.Recompute == KeepAll {
				return fmt.Errorf("part %d: nobody reads %s", p, x.Name)
			}
			for _, k := range uses {
				if marks[k].Micro != marks[uses[0]].Micro {
					return fmt.Errorf("part %d: %s is of micro-batches %d and %d", p, x.Name, marks[uses[0]].Micro, marks[k].Micro)
				}
			}
		}
	}
	return nil
}

// checkSchedule: stage i of p holds p-i micro-batches at most, and as many if there are so many.
func checkSchedule(j *Job) error {
	s := &j.Spec
	micros := s.Batch / s.Data / s.Micro
	for p := range j.Parts {
		stage := int64(p) / s.Tensor % s.Pipeline
		first, last := make(map[int16]int), make(map[int16]int)
		for k, m := range j.Marks[p] {
			if m.Phase == Forward {
				if _, ok := first[m.Micro]; !ok {
					first[m.Micro] = k
				}
			}
			if m.Phase == Backward {
				last[m.Micro] = k
			}
		}
		if int64(len(first)) != micros || int64(len(last)) != micros {
			return fmt.Errorf("part %d: %d forward and %d backward passes, want %d", p, len(first), len(last), micros)
		}
		most := int64(0)
		for m := range first {
			n := int64(0)
			for o := range first {
				if first[o] <= first[m] && first[m] < last[o] {
					n++
				}
			}
			most = max(most, n)
		}
		if most != min(micros, s.Pipeline-stage) {
			return fmt.Errorf("part %d: %d micro-batches at once, want %d", p, most, min(micros, s.Pipeline-stage))
		}
	}
	return nil
}

// checkCollectives: groups are whole, and gathers have somebody to wait.
func checkCollectives(j *Job) error {
	s := &j.Spec
	for i := range j.Collectives {
		c := &j.Collectives[i]
		tied := c.Kind == AllReduce && len(c.Wait) == 0 && len(c.Members) <= int(s.Pipeline) && j.Marks[c.Members[0].Part][c.Members[0].Kernel].Micro < 0
		if n := int64(len(c.Members)); !tied && n != s.Tensor && (n != s.Data || s.HostOptimizer) {
			return fmt.Errorf("collective %d has %d members", i, n)
		}
		name := j.Parts[c.Members[0].Part].Kernels[c.Members[0].Kernel].Name
		phase := j.Marks[c.Members[0].Part][c.Members[0].Kernel].Phase
		if len(c.Wait) == 0 && phase != Communicate {
			return fmt.Errorf("collective %d is kernel %s, which computes", i, name)
		}
		for n, w := range c.Wait {
			if w.Part != c.Members[n].Part || w.Kernel <= c.Members[n].Kernel {
				return fmt.Errorf("collective %d: %v waits for %v", i, w, c.Members[n])
			}
		}
	}
	return nil
}

// products is how many elements of matrices a token meets in a layer.
func products(a *model.Arch, layer int64) (n int64) {
	decoder := layer >= a.Encoder
	h, q, k, v := a.Hidden, a.Queries(), a.Keys(), a.Values()
	attention := h*(q+k+v) + h*a.Mixed()
	if a.KeyLatent > 0 {
		attention = h*a.Mixed() + h*(a.KeyLatent+a.RopeDim) + a.KeyLatent*(a.Unrotated()+v)
		if a.QueryLatent > 0 {
			attention += h*a.QueryLatent + a.QueryLatent*q
		} else {
			attention += h * q
		}
	}
	n = attention
	if decoder && a.Encoder > 0 {
		n += attention
	}
	matrices := int64(2)
	if a.Gated {
		matrices = 3
	}
	f := a.Feed(max(layer-a.Encoder, 0))
	if f.Experts > 0 {
		n += h * f.Experts
	}
	return n + matrices*h*(f.Active*f.Width+f.Shared)
}

// checkFLOPs: 6 operations a token and element of a matrix, 7/2 of the scores', and what is
// computed again.
func checkFLOPs(j *Job) error {
	s, a := &j.Spec, j.Spec.Arch
	if s.Tensor > a.KVHeads {
		return nil // keys are computed more than once
	}
	if (a.Experts > 0 || a.KeyLatent > 0) && s.Tensor > 1 || a.Width() != a.Hidden && s.Tensor > 1 {
		return nil // so are routers, latent vectors and narrow embeddings
	}
	tokens := s.Batch * s.Sequence
	vocab := (a.Vocab + s.Tensor - 1) / s.Tensor * s.Tensor
	scores := func(causal bool) int64 {
		n := 2 * tokens * s.Sequence * (a.Queries() + a.Mixed())
		if causal {
			n /= 2
		}
		return n
	}
	var want int64
	for i := range a.Layers + a.Encoder {
		decoder := i >= a.Encoder
		own := scores(decoder)
		if decoder && a.Encoder > 0 {
			own += scores(false)
		}
		p, f := products(a, i), a.Feed(max(i-a.Encoder, 0))
		want += 6*p*tokens + own*7/2
		switch s.Recompute {
		case Selective:
			want += own
		case Full:
			want += own + 2*p*tokens
			if !a.Dropout && a.LayerNorms() < 4 { // the last product is kept by nobody, but those of a mixture
				if want -= 2 * f.Shared * a.Hidden * tokens; f.Experts == 0 {
					want -= 2 * f.Width * a.Hidden * tokens
				}
			}
		}
	}
	want += 6 * vocab * a.Width() * tokens
	if a.Width() != a.Hidden {
		sides := int64(2)
		if a.Encoder > 0 {
			sides = 3
		}
		want += sides * 6 * a.Width() * a.Hidden * tokens
	}
	var got, kernels int64
	for _, w := range j.Parts {
		kernels += int64(len(w.Kernels))
	}
	got = j.FLOPs
	if want/billion-got > s.Pipeline || got > want/billion {
		return fmt.Errorf("%d billion operations, want %d (of %d)", got, want/billion, want)
	}
	return nil
}

// Operations in whole, at a size at which they are not small against a billion.
func TestFLOPs(t *testing.T) {
	for _, a := range model.Models() {
		for _, how := range []Recompute{KeepAll, Selective, Full} {
			s := &Spec{Arch: &a, Node: node(8), Layout: Layout{Pipeline: 2, Tensor: 4, Data: 1, Batch: 8, Sequence: 1024, Recompute: how, Precision: BF16}}
			if a.Heads%4 > 0 || a.KVHeads%4 > 0 && 4%a.KVHeads > 0 {
				s.Tensor, s.Data = 1, 4
			}
			j, err := Build(s)
			if err != nil {
				t.Fatal(err)
			}
			if err := checkFLOPs(j); err != nil {
				t.Errorf("%s: %v", a.Name, err)
			}
			p := a.Parameters()
			if !a.Tied {
				p -= a.Vocab * a.Width() // the embedding is looked up, not multiplied
			}
			if a.Experts > 0 || a.Encoder > 0 || how != KeepAll || p < 1e9 {
				continue // attention is more of a small one
			}
			if six := 6 * p / 1000 * j.Tokens / 1e6; j.FLOPs < six*95/100 || j.FLOPs > six*120/100 {
				t.Errorf("%s: %d billion operations, 6·P·tokens is %d", a.Name, j.FLOPs, six)
			}
		}
	}
}

// What a layer keeps, element by element.
func TestSaved(t *testing.T) {
	for _, tt := range []struct {
		name string
		each func(h, kv, f int64) int64
	}{
		{"llama3-8b", func(h, kv, f int64) int64 { return 8*h + 2*kv + 4*f }},
		{"llama3-70b", func(h, kv, f int64) int64 { return 8*h + 2*kv + 4*f }},
		{"granite-8b", func(h, kv, f int64) int64 { return 12*h + 2*kv + 4*f }},
		{"gpt2-xl", func(h, kv, f int64) int64 { return 12*h + 2*kv + 2*f }},
		{"gpt3-6.7b", func(h, kv, f int64) int64 { return 8*h + 2*kv + 2*f }},
		{"mixtral-8x7b", func(h, kv, f int64) int64 { return 8*h + 2*kv + 2*(4*f+2*h) + 8 }},
	} {
		a, err := model.Find(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		for _, precision := range []Precision{FP32, BF16} {
			const tokens = 1024
			j, err := Build(&Spec{Arch: &a, Node: node(1), Layout: Layout{Pipeline: 1, Tensor: 1, Data: 1, Batch: 1, Micro: 1, Sequence: tokens, Precision: precision}})
			if err != nil {
				t.Fatal(err)
			}
			w := j.Parts[0]
			v := vitality.Analyze(w)
			back := workload.KernelID(0)
			for j.Marks[0][back].Phase != Backward {
				back++
			}
			var got unit.Bytes
			for i := range w.Tensors {
				x := &w.Tensors[i]
				if x.Kind == workload.Intermediate && v.Birth[i] < back && v.Death[i] > back && strings.HasPrefix(x.Name, "layer ") {
					got += x.Bytes
				}
			}
			// The last layer's result is kept by the head, the first one's input is the embedding's.
			element := unit.Bytes(4 - 2*int64(precision))
			each := unit.Bytes(tt.each(a.Hidden, a.KVHeads*a.HeadDim, a.FFN))*element + 4*unit.Bytes(2+a.Heads)
			if want := unit.Bytes(a.Layers) * tokens * each; got != want {
				t.Errorf("%s: layers keep %d bytes, want %d", tt.name, got, want)
			}
		}
	}
}

func TestRecompute(t *testing.T) {
	a, _ := model.Find("llama3-8b")
	var peak [3]unit.Bytes
	for how := range peak {
		j, err := Build(&Spec{Arch: &a, Node: node(2), Layout: Layout{Pipeline: 2, Tensor: 1, Data: 1, Batch: 32, Micro: 4, Sequence: 2048, Recompute: Recompute(how)}})
		if err != nil {
			t.Fatal(err)
		}
		peak[how] = j.Activations(0)
	}
	// Full: inputs of 16 layers of two micro-batches, outputs of the stage, and one layer.
	layer := unit.Bytes(8192 * 4 * (8*4096 + 2*1024 + 4*14336))
	inputs := unit.Bytes(2*16*8192*4*4096 + 32*2048*4*4096)
	if peak[Full] < inputs+layer || peak[Full] > inputs+2*layer {
		t.Errorf("full recomputation takes %v of activations, want %v to %v", peak[Full], inputs+layer, inputs+2*layer)
	}
	// Selective leaves out 4h of norms and h of attention.
	if saved, want := peak[KeepAll]-peak[Selective], unit.Bytes(2*16*8192*4*5*4096); saved < want*9/10 || saved > want {
		t.Errorf("selective recomputation saves %v of %v, want about %v", saved, peak[KeepAll], want)
	}
}

// The pipeline of four stages: sends, order and what is in flight.
func TestPipeline(t *testing.T) {
	a, _ := model.Find("gpt2-xl")
	j, err := Build(&Spec{Arch: &a, Node: node(4), Layout: Layout{Pipeline: 4, Tensor: 1, Data: 1, Batch: 6, Micro: 1, Sequence: 512}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(j.Sends); n != 2*3*6 {
		t.Errorf("%d sends", n)
	}
	for _, s := range j.Sends {
		if s.Bytes != 512*1600*4 {
			t.Errorf("a send of %v", s.Bytes)
		}
		if to := j.Parts[s.To.Part].Kernels[s.To.Kernel]; !strings.Contains(to.Name, "receive") || len(to.Outputs) != 1 {
			t.Errorf("%v is received by %s", s, to.Name)
		}
	}
	for p := range j.Parts {
		var order strings.Builder
		last := Mark{Micro: -2}
		for _, m := range j.Marks[p] {
			if m.Phase != Forward && m.Phase != Backward || m.Micro == last.Micro && m.Phase == last.Phase {
				continue
			}
			fmt.Fprintf(&order, "%c%d", "FB"[m.Phase], m.Micro)
			last = m
		}
		want := []string{"F0F1F2F3B0F4B1F5B2B3B4B5", "F0F1F2B0F3B1F4B2F5B3B4B5", "F0F1B0F2B1F3B2F4B3F5B4B5", "F0B0F1B1F2B2F3B3F4B4F5B5"}[p]
		if order.String() != want {
			t.Errorf("stage %d runs %s, want %s", p, order.String(), want)
		}
	}
	// The tied head adds its gradients to those of the table.
	if n := len(j.Collectives); n != 1 || len(j.Collectives[0].Members) != 2 || j.Collectives[0].Bytes != 4*50257*1600 {
		t.Errorf("collectives are %v", j.Collectives)
	}
}

// Two all-reduces of a layer and pass, of a whole micro-batch's hidden values.
func TestTensorParallel(t *testing.T) {
	a, _ := model.Find("llama3-8b")
	j, err := Build(&Spec{Arch: &a, Node: node(4), Layout: Layout{Pipeline: 1, Tensor: 4, Data: 1, Batch: 3, Micro: 1, Sequence: 256}})
	if err != nil {
		t.Fatal(err)
	}
	hidden, loss := 0, 0
	for i := range j.Collectives {
		c := &j.Collectives[i]
		switch {
		case c.Kind == AllReduce && len(c.Members) == 4 && len(c.Wait) == 0 && c.Bytes == 256*4096*4:
			hidden++
		case c.Bytes == 256*8:
			loss++
		}
	}
	// and one each of the embedding, the head's gradient and the loss
	if want := 3 * (4*32 + 2); hidden != want || loss != 3 || len(j.Collectives) != want+3 {
		t.Errorf("%d all-reduces of hidden values, %d of losses, %d collectives, want %d and 3", hidden, loss, len(j.Collectives), want)
	}
	if j.Parts[0] != j.Parts[3] {
		t.Error("GPUs of a stage do not share their workload")
	}
}

func TestRing(t *testing.T) {
	for _, tt := range []struct {
		kind  Kind
		n     int
		bytes unit.Bytes
		want  unit.Bytes
	}{{AllReduce, 4, 1000, 1500}, {AllGather, 4, 1000, 750}, {ReduceScatter, 3, 100, 67}, {AllToAll, 2, 10, 5}, {AllReduce, 1, 10, 0}} {
		c := Collective{Kind: tt.kind, Members: make([]Ref, tt.n), Bytes: tt.bytes}
		if got := c.Ring(); got != tt.want {
			t.Errorf("kind %d of %d: %d bytes, want %d", tt.kind, tt.n, got, tt.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		change func(s *Spec)
		want   string
	}{
		{func(s *Spec) { s.Arch = nil }, "a job needs a model and a node"},
		{func(s *Spec) { s.Arch.Layers = 0 }, "layers: 0; want 1 to 4096"},
		{func(s *Spec) { s.Data = 0 }, "replicas: 0; want 1 to 1024"},
		{func(s *Spec) { s.Batch = 1 << 21 }, "batch: 2097152; want 1 to 1048576"},
		{func(s *Spec) { s.ZeRO = 4 }, "ZeRO stage 4; want 0 to 3"},
		{func(s *Spec) { s.Micro = -1 }, "a micro-batch of -1 sequences; want 1 or more, or 0 to have it chosen"},
		{func(s *Spec) { s.Data = 2 }, "2 stages x 1 tensor-parallel GPUs x 2 replicas make 4 GPUs, but the node has 2"},
		{func(s *Spec) { s.Pipeline, s.Tensor, s.Data = 1024, 1024, 1024 }, "the layout takes 1073741824 GPUs; at most 1024 can be simulated"},
		{func(s *Spec) { s.Pipeline, s.Node = 33, node(33) }, "32 layers cannot make 33 pipeline stages; take fewer GPUs, or cut tensors or data too"},
		{func(s *Spec) { s.Pipeline, s.Tensor, s.Node = 1, 3, node(3) }, "32 heads cannot be split over 3 GPUs equally"},
		{func(s *Spec) { s.Arch.KVHeads, s.Arch.Heads, s.Pipeline, s.Tensor, s.Node = 8, 48, 1, 6, node(6) }, "8 heads of keys and values cannot be split over, or copied to, 6 GPUs equally"},
		{func(s *Spec) { s.Arch.FFN, s.Pipeline, s.Tensor = 14337, 1, 2 }, "a feed-forward block of 14337 cannot be split over 2 GPUs equally"},
		{func(s *Spec) { s.Arch.Positions = 1024 }, "a sequence of 2048 tokens is longer than the 1024 positions that Llama-3 8B learns"},
		{func(s *Spec) { s.Pipeline, s.Data, s.Batch = 1, 2, 63 }, "a batch of 63 sequences cannot be split over 2 replicas equally"},
		{func(s *Spec) { s.Micro = 3 }, "64 sequences of a replica do not divide into micro-batches of 3"},
		{func(s *Spec) { s.Batch, s.Micro, s.Sequence = 1<<16, 1, 1 }, "65536 micro-batches are too many: at most 32767 can be simulated; take larger ones or a smaller batch"},
		{func(s *Spec) { s.Batch, s.Micro = 8192, 1 }, "8192 micro-batches of 435 kernels and 419 tensors on each of 2 stages are too many: at most 1048576 can be simulated; take larger micro-batches or a smaller batch"},
		{func(s *Spec) { s.Batch, s.Sequence = 1<<20, 1<<20 }, "1048576 sequences of 1048576 tokens, 4 at once, are too many; want at most 2^32 tokens, 2^24 at once"},
		{func(s *Spec) { s.Node.GPU.FP32 = 0 }, "a GPU of 0 operations a second; want 10^9 to 4·10^15"},
		{func(s *Spec) { s.Node.Efficiency = -1 }, "an efficiency of -1 thousandths; want 1 to 1000, or 0 for the law of kernel times"},
		{func(s *Spec) { s.Node.Efficiency, s.Node.GPU.Key = 0, "abacus" }, `the law of kernel times does not know the GPU "abacus"; give an efficiency of matrix products`},
		{func(s *Spec) { s.Node.GPU.HBM = 0 }, "GPU memory of 0 MB/s; want 1 GB/s to 10^6 GB/s"},
		{func(s *Spec) { s.Precision = 7 }, "precision 7 and recomputation 0 are not known"},
	} {
		s := paperSpec("llama3-8b", 64, 2048, 4)
		tt.change(s)
		if _, err := Build(s); err == nil || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

// Whatever numbers a spec has, Build answers, and what it builds is valid.
func TestExtremes(t *testing.T) {
	r := random(7)
	ends := []int64{-1, 0, 1, 1, 2, 2, 3, 8, 64, 1000, 1 << 14, 1 << 20, 1 << 31, 1 << 62}
	built := 0
	for range 1000 {
		s := randomSpec(&r)
		a, l := s.Arch, &s.Layout
		fields := []*int64{
			&a.Layers, &a.Encoder, &a.Hidden, &a.Heads, &a.KVHeads, &a.HeadDim, &a.FFN, &a.Vocab, &a.Positions, &a.Buckets, &a.Experts, &a.Active, &a.PadOffset, &a.EmbedWidth,
			&l.Pipeline, &l.Tensor, &l.Data, &l.ZeRO, &l.Batch, &l.Micro, &l.Sequence,
			&s.Node.Efficiency, &s.Node.GPU.FP32, &s.Node.GPU.BF16, (*int64)(&s.Node.GPU.HBM),
		}
		for range 1 + r.below(2) {
			*fields[r.below(int64(len(fields)))] = ends[r.below(int64(len(ends)))]
		}
		s.Node.GPUs = l.Pipeline * l.Tensor * l.Data
		j, err := Build(s)
		if err != nil {
			continue
		}
		built++
		if len(j.Parts[0].Kernels) > 1<<14 {
			continue
		}
		if err := j.Validate(); err != nil {
			t.Fatalf("%+v %+v: %v", a, l, err)
		}
	}
	if built < 100 {
		t.Errorf("only %d could be built", built)
	}
}

func TestChooseMicro(t *testing.T) {
	for _, tt := range [][3]int64{{64, 2048, 4}, {64, 4096, 2}, {6, 2048, 3}, {7, 2048, 1}, {4, 1 << 20, 1}} {
		if got := ChooseMicro(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%d sequences of %d tokens: micro-batches of %d, want %d", tt[0], tt[1], got, tt[2])
		}
	}
	j, err := Build(paperSpec("llama3-8b", 64, 2048, 0))
	if err != nil || j.Spec.Micro != 4 {
		t.Errorf("micro-batch of %d, %v", j.Spec.Micro, err)
	}
}

// Kernels that wait for each other are found.
func TestCircle(t *testing.T) {
	build := func() *Job {
		j, err := Build(paperSpec("gpt2-xl", 4, 512, 1))
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	for _, tt := range []struct {
		change func(j *Job)
		want   string
	}{
		{func(j *Job) { j.Sends[0].From.Kernel = workload.KernelID(len(j.Parts[0].Kernels) - 1) }, "(layer 23 receive backward) of GPU 0 and others wait for each other"},
		{func(j *Job) { j.Sends = append(j.Sends, Send{Ref{0, 10}, Ref{1, 0}, 1}, Send{Ref{1, 5}, Ref{0, 3}, 1}) }, "wait for each other"},
		{func(j *Job) { j.Sends[0].To.Kernel = 1 << 20 }, "send 0: 3276800 bytes from {0 "},
		{func(j *Job) { j.Collectives[0].Members[1].Part = 0 }, "collective 0: GPU 0 takes part twice"},
		{func(j *Job) { j.Collectives[0].Members = j.Collectives[0].Members[:1] }, "on 1 GPUs"},
		{func(j *Job) { j.Collectives[0].Wait = []Ref{{0, -1}} }, "is no kernel"},
		{func(j *Job) { j.Collectives = append(j.Collectives, j.Collectives[0]) }, "is in two collectives"},
		{func(j *Job) {
			j.Collectives = append(j.Collectives, Collective{AllReduce, []Ref{{0, 5}, {1, 0}}, nil, 1}, Collective{AllReduce, []Ref{{0, 4}, {1, 1}}, nil, 1})
		}, "wait for each other"},
		{func(j *Job) { j.Marks[0] = nil }, "GPU 0: 0 marks of "},
		{func(j *Job) { j.Weights = nil }, "2 parts, 2 lists of marks and 0 of weights"},
	} {
		j := build()
		if err := j.Validate(); err != nil {
			t.Fatal(err)
		}
		tt.change(j)
		if err := j.Validate(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, tt := range []struct {
		name                   string
		batch, sequence, micro int64
	}{{"llama3-8b", 64, 2048, 4}, {"llama3-70b", 32, 2048, 2}} {
		s := paperSpec(tt.name, tt.batch, tt.sequence, tt.micro)
		b.Run(tt.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Build(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
