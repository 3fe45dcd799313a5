package job

import (
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// boundaryBytes is what crosses to the next stage, or back: a layer's result, and behind the encoder also
// the encoder's.
func (b *builder) boundaryBytes(at int64) unit.Bytes {
	n := unit.Bytes(b.tokens*b.spec.Arch.Hidden) * b.element
	if b.both(at) {
		n *= 2
	}
	return n
}

// both reports whether the encoder's result crosses before layer at beside the decoder's.
func (b *builder) both(at int64) bool { return b.spec.Arch.Encoder > 0 && at > b.spec.Arch.Encoder }

// forwardMicro is a micro-batch's forward pass on the stage.
func (g *stage) forwardMicro(i int64) {
	a := g.spec.Arch
	h := a.Hidden
	g.micro = int16(i)
	p := &passed{tokens: none, encoded: none, gradient: none, layers: make([]savedLayer, len(g.layers))}
	g.live[i] = p
	x := none
	g.layer = int16(g.first)
	if g.index > 0 {
		x = g.value(tReceived, plain, h)
		second := none
		if g.both(g.first) {
			p.encoded = g.value(tEncoded, plain, h)
			second = p.encoded
		}
		g.phase = Communicate
		g.in[i] = g.moving(kReceive, forward, 0, nil, ids{x, second})
	}
	g.phase = Forward
	if g.index == 0 {
		x = g.lookup(p, &p.embedNorm, 0)
	}
	for n, l := range g.layers {
		at := g.first + int64(n)
		if a.Encoder > 0 && at == a.Encoder {
			p.encoded = x
			x = g.lookup(p, &p.decoderNorm, 1)
		}
		g.enter(l.unit, l.unit.place+1)
		x = g.forward(l, &p.layers[n], p, x, forward, true)
		if l.final != nil {
			p.encodedNorm.x = x
			g.norm(wFinal, l.final, &p.encodedNorm, forward)
			x = p.encodedNorm.a
		}
		g.leave(l.unit)
	}
	g.out[i] = g.latest()
	if g.head == nil {
		g.kept = append(g.kept, x)
		return
	}
	u := g.head.unit
	g.enter(u, -1)
	if g.head.final != nil {
		p.final.x = x
		g.norm(wFinal, g.head.final, &p.final, forward)
		x = p.final.a
	}
	n := g.tokens
	p.final.a, p.out = x, x
	if g.head.outOf != nil {
		p.out = g.value(wOutOf, plain, a.Width())
		g.kernel(wOutOf, forward, matrixOf(n, h, a.Width(), 1).forward, ids{x, g.head.outOf.full}, ids{p.out})
	}
	logits := g.value(tLogits, plain, g.vocab)
	g.kernel(wHead, forward, matrixOf(n, a.Width(), g.vocab, 1).forward, ids{p.out, g.head.matrix.full}, ids{logits})
	p.loss = g.value(tProbabilities, plain, g.vocab)
	p.tokens = g.input(p.tokens)
	g.kernel(kLoss, forward, work{}, ids{logits, p.tokens}, ids{p.loss})
	g.small(p.loss)
	g.leave(u)
}

// small is what tensor-parallel GPUs tell each other of a loss: two numbers a token.
func (g *stage) small(t workload.TensorID) {
	if g.spec.Tensor > 1 {
		g.collective(overTensor, AllReduce, unit.Bytes(g.tokens)*8, ids{t}, ids{t})
	}
}

// input makes the tokens of a micro-batch, once.
func (g *stage) input(t workload.TensorID) workload.TensorID {
	if t != none {
		return t
	}
	return g.tensor(g.names.of(g.layer, tTokens, plain), unit.Bytes(g.tokens)*8, workload.Input, false)
}

// lookup turns tokens into vectors; side is 1 in front of the decoder of two stacks.
func (g *stage) lookup(p *passed, s *savedNorm, side int) workload.TensorID {
	a, e := g.spec.Arch, g.embed
	if side == 0 {
		g.enter(e.unit, e.unit.place+1)
	} else {
		g.enter(e.unit, -1)
	}
	p.tokens = g.input(p.tokens)
	x := g.value(tOut, plain, a.Width())
	positions := none
	if e.positions != nil {
		positions = e.positions.full
	}
	g.moving(kEmbed, forward, 2*g.tensors[x].Bytes, ids{p.tokens, e.table.full, positions}, ids{x})
	g.reduce(x)
	if e.into != nil {
		p.narrow[side] = x
		x = g.value(wInto, plain, a.Hidden)
		g.kernel(wInto, forward, matrixOf(g.tokens, a.Width(), a.Hidden, 1).forward, ids{p.narrow[side], e.into.full}, ids{x})
	}
	if e.norm != nil {
		s.x = x
		g.norm(wEmbedNorm, e.norm, s, forward)
		x = s.a
	}
	g.leave(e.unit)
	return x
}

// lookupBack adds to the tables' gradients.
func (g *stage) lookupBack(p *passed, s *savedNorm, side int, d workload.TensorID) {
	a, e := g.spec.Arch, g.embed
	u := e.unit
	g.layer = u.layer
	if e.norm != nil {
		d = g.normBack(wEmbedNorm, e.norm, u, s, d, none)
	}
	if e.into != nil {
		into := matrixOf(g.tokens, a.Width(), a.Hidden, 1)
		g.gradient(e.into, u, into.weight, d, p.narrow[side])
		dn := g.value(wInto, gradient, a.Width())
		g.kernel(wInto, backward, into.input, ids{d, e.into.full}, ids{dn})
		if e.positions != nil {
			g.positionsBack(d)
		}
		d = dn
	} else if e.positions != nil {
		g.positionsBack(d)
	}
	bytes := 3 * g.tensors[d].Bytes
	if !e.table.begun {
		bytes += unit.Bytes(e.table.n) * g.element // it begins with zeros
	}
	id, before := g.into(e.table, u)
	g.moving(wTable, backwardWeight, bytes, ids{d, p.tokens, before}, ids{id})
}

func (g *stage) positionsBack(d workload.TensorID) {
	g.gradient(g.embed.positions, g.embed.unit, work{}, d, none)
}

// backwardMicro is a micro-batch's backward pass on the stage.
func (g *stage) backwardMicro(i int64) {
	a := g.spec.Arch
	h, n := a.Hidden, g.tokens
	g.micro, g.phase = int16(i), Backward
	g.accumulate() // what the last backward pass left
	p := g.live[i]
	var d workload.TensorID
	if g.head == nil {
		g.layer = int16(g.last - 1)
		d = g.value(tReceived, gradient, h)
		second := none
		if g.both(g.last) {
			p.gradient = g.value(tEncoded, gradient, h)
			second = p.gradient
		}
		g.phase = Communicate
		g.backIn[i] = g.moving(kReceive, backward, 0, nil, ids{d, second})
		g.phase = Backward
	} else {
		u, hd := g.head.unit, g.head
		g.enter(u, u.place-1)
		dl := g.value(tLogits, gradient, g.vocab)
		g.kernel(kLoss, backward, work{}, ids{p.loss, p.tokens}, ids{dl})
		d = g.value(wHead, gradient, a.Width())
		logits := matrixOf(n, a.Width(), g.vocab, 1)
		g.kernel(wHead, backward, logits.input, ids{dl, hd.matrix.full}, ids{d})
		owner := u
		if a.Tied && g.embed != nil {
			owner = g.embed.unit
		}
		g.gradient(hd.matrix, owner, logits.weight, dl, p.out)
		g.reduce(d)
		if hd.outOf != nil {
			out := matrixOf(n, h, a.Width(), 1)
			g.gradient(hd.outOf, u, out.weight, d, p.final.a)
			dn := g.value(wOutOf, gradient, h)
			g.kernel(wOutOf, backward, out.input, ids{d, hd.outOf.full}, ids{dn})
			d = dn
		}
		if hd.final != nil {
			d = g.normBack(wFinal, hd.final, u, &p.final, d, none)
		}
		g.leaveBack(u)
	}
	for k := len(g.layers) - 1; k >= 0; k-- {
		l := g.layers[k]
		g.enter(l.unit, l.unit.place-1)
		if l.final != nil {
			d = g.normBack(wFinal, l.final, l.unit, &p.encodedNorm, d, none)
		}
		d = g.backward(l, &p.layers[k], p, d)
		g.leaveBack(l.unit)
		if at := g.first + int64(k); a.Encoder > 0 && at == a.Encoder {
			g.enter(g.embed.unit, -1)
			g.lookupBack(p, &p.decoderNorm, 1, d)
			d = p.gradient
			g.reduce(d)
			if g.index > 0 {
				g.leaveBack(g.embed.unit)
			}
		}
	}
	if g.both(g.first) {
		g.reduce(p.gradient)
	}
	g.backOut[i] = g.latest()
	if g.index == 0 {
		g.enter(g.embed.unit, -1)
		g.lookupBack(p, &p.embedNorm, 0, d)
		g.leaveBack(g.embed.unit)
	}
	g.live[i] = nil
}
