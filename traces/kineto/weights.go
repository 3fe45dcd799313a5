package kineto

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// A weight is a parameter or running statistic of the model.
type weight struct {
	tensor    int32
	operator  string // that takes it
	parameter string
	dims      []int64
	count     int64
	item      int64
	named     bool // by a module
}

// A caller is an operator that takes a weight.
type caller struct{ op, weight int32 }

// parameters returns which arguments of an operator are weights, by place; "" is
// none.
func parameters(op string) []string {
	switch {
	case op == "aten::linear":
		return []string{1: "weight", 2: "bias"}
	case op == "aten::embedding", op == "aten::embedding_bag", op == "aten::_embedding_bag":
		return []string{0: "weight"}
	case op == "aten::layer_norm", op == "aten::group_norm", op == "aten::rms_norm":
		return []string{2: "weight", 3: "bias"}
	case op == "aten::batch_norm", op == "aten::instance_norm":
		return []string{1: "weight", 2: "bias", 3: "running_mean", 4: "running_var"}
	case strings.HasPrefix(op, "aten::conv") && op != "aten::convolution_backward":
		return []string{1: "weight", 2: "bias"}
	case op == "aten::addmm":
		return []string{0: "bias", 2: "weight"}
	}
	return nil
}

// weightKey tells a weight from others: by its module and the operator's turn in it,
// or by the operator's turn in the step.
type weightKey struct {
	module string
	op     string
	turn   int32
	place  int
}

// placeWeights finds the weights by the places at which operators take them.
func (b *builder) placeWeights(blocks bool) {
	found := map[weightKey]int32{}
	type turnKey struct {
		module int32
		op     int32
	}
	turns := map[turnKey]int32{}
	for op := range b.within() {
		o := &b.t.Ops[op]
		if o.Kind != Operator {
			continue
		}
		name := b.t.Strings[o.Name]
		places := parameters(name)
		norm, table := name == "aten::mul", looksUp(name)
		if places == nil && !norm && !table || b.nested(op) {
			continue
		}
		c := b.t.call(op)
		if c == nil || len(b.under(op)) == 0 {
			continue
		}
		module, inner := b.t.module(op)
		ph := b.t.phaseOf(op)
		if norm {
			if inner < 0 || !strings.Contains(b.t.Strings[b.t.Ops[inner].Name], "Norm") {
				continue
			}
			if places = b.normPlaces(c); places == nil {
				continue
			}
		}
		if table {
			places = c.tables()
		}
		if inner < 0 && ph != forward || ph == optimizing {
			continue // computed once more for backward, which no module names
		}
		turn := turns[turnKey{inner, o.Name}]
		turns[turnKey{inner, o.Name}]++
		for i := range c.inputs {
			in := &c.inputs[i]
			if in.place >= len(places) || places[in.place] == "" || in.list || in.bytes <= 0 || len(in.dims) == 0 {
				continue
			}
			key := weightKey{module, name, turn, in.place}
			w, ok := found[key]
			if !ok {
				w = b.addWeight(key, in, places[in.place], inner >= 0, blocks)
				found[key] = w
			}
			b.callers = append(b.callers, caller{op, w})
		}
	}
	b.tie()
	slices.SortStableFunc(b.callers, func(x, y caller) int { return cmp.Compare(x.op, y.op) })
	for _, c := range b.callers {
		for _, k := range b.under(c.op) {
			b.touch(b.weights[c.weight].tensor, k, true, false)
		}
	}
}

// looksUp reports whether an operator takes rows out of tables, as FBGEMM's embeddings do.
func looksUp(name string) bool {
	return strings.HasPrefix(name, "fbgemm::") && strings.Contains(name, "embedding") && strings.Contains(name, "lookup")
}

// tables returns the places of an operator's largest inputs: its tables and what an optimizer
// inside of it keeps of each, which are an eighth of the largest at least.
func (c *call) tables() []string {
	largest := unit.Bytes(0)
	for i := range c.inputs {
		largest = max(largest, c.inputs[i].bytes)
	}
	var places []string
	for i := range c.inputs {
		if in := &c.inputs[i]; in.bytes >= (largest+7)/8 && !in.list {
			for len(places) <= in.place {
				places = append(places, "")
			}
			places[in.place] = "table"
		}
	}
	return places
}

// nested reports whether an operator with weights is inside another.
func (b *builder) nested(op int32) bool {
	for p := b.t.Ops[op].Parent; p >= 0 && b.t.Ops[p].Kind == Operator; p = b.t.Ops[p].Parent {
		if parameters(b.t.Strings[b.t.Ops[p].Name]) != nil {
			return true
		}
	}
	return false
}

// normPlaces returns the places of the weight of a normalisation that is written as a
// product: a vector as long as the last dimension of the other factor.
func (b *builder) normPlaces(c *call) []string {
	if len(c.inputs) != 2 {
		return nil
	}
	for i := range c.inputs {
		v, x := &c.inputs[i], &c.inputs[1-i]
		if len(v.dims) == 1 && len(x.dims) > 1 && v.dims[0] == x.dims[len(x.dims)-1] {
			places := make([]string, v.place+1)
			places[v.place] = "weight"
			return places
		}
	}
	return nil
}

// addWeight makes a weight, of a block that is there all the time if one fits.
func (b *builder) addWeight(key weightKey, in *input, parameter string, named, blocks bool) int32 {
	name := key.module + "." + parameter
	if key.turn > 0 {
		name = fmt.Sprintf("%s_%d", name, key.turn+1)
	}
	if !named {
		name = fmt.Sprintf("%s %d.%s", strings.TrimPrefix(key.op, "aten::"), key.turn+1, parameter)
	}
	tensor := int32(-1)
	if blocks {
		size := (in.bytes + 511) / 512 * 512
		list := b.bySize[size]
		for i := b.claimed[size]; i < len(list) && tensor < 0; i++ {
			b.claimed[size] = i + 1
			if id := list[i]; b.step.Tensors[id].Global && !b.lives[id].claimed && b.step.Tensors[id].From == recording.Measured {
				tensor = id
			}
		}
	}
	if tensor < 0 {
		tensor = b.add(recording.Tensor{Bytes: in.bytes, From: recording.Estimated, Global: true}, life{from: -1, to: forever})
	}
	b.lives[tensor].claimed = true
	t := &b.step.Tensors[tensor]
	t.Name, t.Kind = name, workload.Weight
	b.weights = append(b.weights, weight{tensor, key.op, parameter, in.dims, in.count, in.item, named})
	return int32(len(b.weights) - 1)
}

// tie makes one of weights that are the same: those of several passes, and an embedding and an
// output layer. It does so if their shapes are the same and there was no room for all.
func (b *builder) tie() {
	before := unit.Bytes(-1)
	for _, l := range b.t.levels {
		if l.device == b.device && b.t.totals && (before < 0 || l.at < b.span.from) {
			before = l.bytes
		}
	}
	sum := unit.Bytes(0)
	for i := range b.weights {
		sum += b.step.Tensors[b.weights[i].tensor].Bytes
	}
	if before < 0 || sum <= before {
		return
	}
	if passes := b.passes(sum, before); passes > 1 {
		each := len(b.weights) / passes
		for i := each; i < len(b.weights); i++ {
			sum -= b.step.Tensors[b.weights[i].tensor].Bytes
			b.merge(&b.weights[i], &b.weights[i%each])
		}
		b.step.Notes = append(b.step.Notes, fmt.Sprintf(
			"The step is taken to pass %d times through the same weights: their shapes repeat, and there was no room for all.", passes))
	}
	for tries := 0; sum > before && tries < 8; tries++ {
		w, v := b.tied()
		if w == nil {
			return
		}
		name := b.step.Tensors[v.tensor].Name
		sum -= b.step.Tensors[v.tensor].Bytes
		b.merge(v, w)
		b.step.Notes = append(b.step.Notes, fmt.Sprintf("%s is taken to be %s: their shapes are the same, and there was no room for both.", name, b.step.Tensors[w.tensor].Name))
	}
}

// merge makes a weight the same tensor as another.
func (b *builder) merge(v, with *weight) {
	b.step.Tensors[v.tensor].Global = false // without uses, it is left out
	b.lives[v.tensor].to = -1
	v.tensor = with.tensor
}

// passes returns how often the step goes through the same weights, where no module tells them
// apart: the fewest times, from 2 on, that their shapes repeat and leave room; 1 if none do.
func (b *builder) passes(sum, room unit.Bytes) int {
	if slices.ContainsFunc(b.weights, func(w weight) bool { return w.named }) {
		return 1
	}
	same := func(v, w *weight) bool {
		return v.operator == w.operator && v.parameter == w.parameter && v.item == w.item && slices.Equal(v.dims, w.dims)
	}
	n := len(b.weights)
	for passes := 2; passes <= min(n/2, mostPasses); passes++ {
		each, i := n/passes, n/passes
		if n%passes != 0 || sum/unit.Bytes(passes) > room {
			continue
		}
		for i < n && same(&b.weights[i], &b.weights[i-each]) {
			i++
		}
		if i == n {
			return passes
		}
	}
	return 1
}

// mostPasses is through how many passes passes looks.
const mostPasses = 1024

// tied returns the largest embedding that has the shape of an output layer, and that.
func (b *builder) tied() (embedding, output *weight) {
	looked := 0
	for i := range b.weights {
		w := &b.weights[i]
		if w.operator != "aten::embedding" || embedding != nil && w.count <= embedding.count {
			continue
		}
		if looked++; looked > 100 {
			break
		}
		for k := range b.weights {
			v := &b.weights[k]
			if v.operator == "aten::linear" && v.tensor != w.tensor && slices.Equal(v.dims, w.dims) && v.item == w.item {
				embedding, output = w, v
			}
		}
	}
	return embedding, output
}

// weightsOf returns the weights that an operator, or one around it, takes.
func (b *builder) weightsOf(op int32) (tensors []int32) {
	for up := 0; op >= 0 && up < 4 && b.t.Ops[op].Kind == Operator; up++ {
		n, _ := slices.BinarySearchFunc(b.callers, op, func(c caller, op int32) int {
			if c.op < op {
				return -1
			}
			return 1
		})
		for ; n < len(b.callers) && b.callers[n].op == op; n++ {
			tensors = append(tensors, b.weights[b.callers[n].weight].tensor)
		}
		op = b.t.Ops[op].Parent
	}
	return tensors
}

// weightAt returns the weight that an operator's input is, -1 if it is none.
func (b *builder) weightAt(op int32, in *input, ph phase) int32 {
	for _, id := range b.weightsOf(op) {
		if b.step.Tensors[id].Bytes == in.bytes || b.step.Tensors[id].Bytes == (in.bytes+511)/512*512 {
			return id
		}
	}
	if ph != optimizing || in.place != 0 || !updates[b.t.Strings[b.t.Ops[op].Name]] {
		return -1
	}
	// The optimizer takes the weights in their order.
	if b.turns == nil {
		b.turns = map[turn]int{}
	}
	key := turn{b.t.Ops[op].Name, in.count}
	var fit []int32
	for i := range b.weights {
		w := &b.weights[i]
		if w.count == in.count && !strings.HasPrefix(w.parameter, "running") && (in.item == 0 || in.item == w.item) {
			fit = append(fit, w.tensor)
		}
	}
	if len(fit) == 0 {
		return -1
	}
	n := b.turns[key]
	b.turns[key]++
	return fit[n%len(fit)]
}

// A turn counts how many weights of a size an operator of the optimizer was given.
type turn struct {
	op    int32
	count int64
}

// updates has the operators with which optimizers change weights.
var updates = map[string]bool{
	"aten::add_": true, "aten::sub_": true, "aten::addcdiv_": true, "aten::_foreach_add_": true, "aten::_foreach_sub_": true,
	"aten::_foreach_addcdiv_": true, "aten::_fused_adam_": true, "aten::_fused_adamw_": true, "aten::_fused_sgd_": true, "aten::_fused_adagrad_": true,
}

// commonItem returns the size of the elements of most weights.
func (b *builder) commonItem() int64 {
	two := 0
	for i := range b.weights {
		if b.weights[i].item == 2 {
			two++
		}
	}
	if 2*two > len(b.weights) {
		return 2
	}
	return 4
}
