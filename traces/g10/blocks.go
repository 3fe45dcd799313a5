package g10

import (
	"fmt"
	"slices"
)

// rewire turns the chain of a finished block into the branches that its name
// stands for. The module print does not say how a block's children are wired;
// the artifact knows these blocks by name.
func (m *modules) rewire(b *block) error {
	on := false
	switch b.kind {
	case "Bottleneck", "BasicBlock":
		on = m.setup.ResNet
	case "InceptionA", "InceptionB", "InceptionC", "InceptionD", "InceptionE":
		on = m.setup.Inception
	case "SENetUnit":
		on = m.setup.SENet
	}
	if !on {
		return nil
	}
	switch b.kind {
	case "Bottleneck":
		return m.residual(b, 7)
	case "BasicBlock":
		return m.residual(b, 5)
	case "InceptionA":
		return m.pooled(b, 21, 0, 3, 9)
	case "InceptionB":
		return m.reduced(b, 12, 0, 3)
	case "InceptionC":
		return m.pooled(b, 30, 0, 3, 12)
	case "InceptionD":
		return m.reduced(b, 18, 0, 6)
	case "InceptionE":
		return m.inceptionE(b)
	}
	return m.squeeze(b)
}

// inside returns the layers of b and the layer before it, and checks how many
// children (-1: any) and layers there are.
func (m *modules) inside(b *block, children, layers int) (in *layer, ls []*layer, err error) {
	ls = slices.Clone(m.layers[b.first:])
	switch {
	case b.first == 0:
		err = fmt.Errorf("%s:%d: %s is the first module; it needs a layer before it", m.name, b.line, b.kind)
	case children >= 0 && len(b.children) != children:
		err = fmt.Errorf("%s:%d: %s has %d children; want %d", m.name, b.line, b.kind, len(b.children), children)
	case len(ls) != layers:
		err = fmt.Errorf("%s:%d: %s has %d layers; want %d", m.name, b.line, b.kind, len(ls), layers)
	default:
		in = m.layers[b.first-1]
	}
	return in, ls, err
}

// insert places l in front of the layer at, without links.
func (m *modules) insert(at *layer, l *layer) {
	i := slices.Index(m.layers, at)
	m.layers = slices.Insert(m.layers, i, l)
}

// end places l at the end of the list, without links.
func (m *modules) end(l *layer) { m.layers = append(m.layers, l) }

// inserted returns a layer that the print does not show.
func (b *block) inserted(kind layerKind, label string) *layer {
	return &layer{kind: kind, label: b.label + "." + label, line: b.line}
}

func (b *block) pool(stride, pad int64) *layer {
	l := b.inserted(maxPool, "pool")
	l.kernel, l.stride, l.pad = [2]int64{3, 3}, [2]int64{stride, stride}, [2]int64{pad, pad}
	return l
}

// fork makes heads the consumers of from, which is their only source.
func fork(from *layer, heads ...*layer) {
	from.next = heads
	for _, h := range heads {
		h.prev = []*layer{from}
	}
}

// join makes to the only consumer of tails.
func join(to *layer, tails ...*layer) {
	to.prev = tails
	for _, t := range tails {
		t.next = []*layer{to}
	}
}

// residual wires a ResNet block: the chain of its first plain children, plus
// the block's input or, with one child more, the input's projection.
func (m *modules) residual(b *block, plain int) error {
	n := len(b.children)
	if n != plain && n != plain+1 {
		return fmt.Errorf("%s:%d: %s has %d children; want %d, or %d with a downsample", m.name, b.line, b.kind, n, plain, plain+1)
	}
	layers := plain
	if n > plain {
		layers += 2
	}
	in, ls, err := m.inside(b, -1, layers)
	if err != nil {
		return err
	}
	sum := b.inserted(add, "add")
	m.end(sum)
	if n == plain {
		fork(in, ls[0])
		in.next = append(in.next, sum)
		sum.prev = []*layer{in, ls[plain-1]}
		ls[plain-1].next = []*layer{sum}
		return nil
	}
	fork(in, ls[0], ls[plain])
	join(sum, ls[plain-1], ls[plain+1])
	return nil
}

// branches returns the first and last layers of consecutive branches, given
// where they start.
func branches(ls []*layer, starts []int) (heads, tails []*layer) {
	for i, at := range starts {
		end := len(ls)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		heads, tails = append(heads, ls[at]), append(tails, ls[end-1])
	}
	return heads, tails
}

// pooled wires InceptionA and InceptionC: branches, the last of which is three
// layers behind a pool that the print does not show, then a concatenation.
func (m *modules) pooled(b *block, layers int, starts ...int) error {
	const unit = 3 // convolution, normalization, ReLU
	in, ls, err := m.inside(b, -1, layers)
	if err != nil {
		return err
	}
	pool, all := b.pool(1, 1), b.inserted(concat, "concat")
	heads, tails := branches(ls, append(starts, layers-unit))
	last := heads[len(heads)-1]
	m.insert(last, pool)
	m.end(all)
	fork(pool, last)
	heads[len(heads)-1] = pool
	fork(in, heads...)
	join(all, tails...)
	return nil
}

// reduced wires InceptionB and InceptionD: branches and a pool of stride two
// after them, concatenated.
func (m *modules) reduced(b *block, layers int, starts ...int) error {
	in, ls, err := m.inside(b, -1, layers)
	if err != nil {
		return err
	}
	pool, all := b.pool(2, 0), b.inserted(concat, "concat")
	heads, tails := branches(ls, starts)
	m.end(pool)
	m.end(all)
	fork(in, append(heads, pool)...)
	join(all, append(tails, pool)...)
	return nil
}

// inceptionE wires the block whose second and third branches fork again.
func (m *modules) inceptionE(b *block) error {
	const layers = 27
	in, ls, err := m.inside(b, -1, layers)
	if err != nil {
		return err
	}
	c0, c1 := b.inserted(concat, "concat0"), b.inserted(concat, "concat1")
	pool, all := b.pool(1, 1), b.inserted(concat, "concat")
	m.insert(ls[12], c0)
	m.insert(ls[24], c1)
	m.insert(ls[24], pool)
	m.end(all)
	fork(ls[5], ls[6], ls[9])
	join(c0, ls[8], ls[11])
	fork(ls[17], ls[18], ls[21])
	join(c1, ls[20], ls[23])
	fork(pool, ls[24])
	fork(in, ls[0], ls[3], ls[12], pool)
	join(all, ls[2], c0, c1, ls[26])
	return nil
}

// squeeze wires a SENet unit: body, squeeze, scale, the sum with the unit's
// input or its projection, activation. As in the artifact only the squeezed
// vector feeds the scale, not the body's own result.
func (m *modules) squeeze(b *block) error {
	const body, squeezed, project = 8, 5, 2
	layers := body + squeezed + 1
	projected := len(b.children) == 4
	if projected {
		layers += project
	} else if len(b.children) != 3 {
		return fmt.Errorf("%s:%d: %s has %d children; want body, se and activ, or identity_conv too", m.name, b.line, b.kind, len(b.children))
	}
	in, ls, err := m.inside(b, -1, layers)
	if err != nil {
		return err
	}
	sigmoid, last := ls[body+squeezed-1], ls[layers-1]
	factor, sum := b.inserted(scale, "scale"), b.inserted(add, "add")
	m.insert(ls[body+squeezed], factor)
	m.insert(last, sum)
	fork(sigmoid, factor)
	fork(sum, last)
	if projected {
		id, bn := ls[body+squeezed], ls[body+squeezed+project-1]
		fork(in, ls[0], id)
		join(sum, factor, bn)
		factor.like = bn
		return nil
	}
	fork(in, ls[0])
	in.next = append(in.next, sum)
	factor.next = []*layer{sum}
	sum.prev = []*layer{factor, in}
	factor.like = in
	return nil
}
