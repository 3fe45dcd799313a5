package store

import (
	"fmt"
	"strings"

	"spillway/sim/store/ops"
	"spillway/sim/unit"
)

// A Mix is a bundled trace on which the policies differ. For one network's
// stack of activations the least recently used tensor is the one needed last,
// and all policies but FIFO are alike; so none of these is only that.
type Mix struct {
	Name  string // stable, in links
	Title string
	About string // why the policies differ, one sentence
	// GPU is the memory at which they do; all else is as [Published].
	GPU   unit.Bytes
	write func(r *dice) []*ops.Script
}

// Mixes returns the bundled traces.
func Mixes() []Mix {
	return []Mix{
		{
			Name: "training-and-bursts", Title: "Training beside a program with bursts", GPU: 5 * unit.GiB, write: bursts,
			About: "Another program takes memory in bursts that no order of uses foretells, and the training's weights, needed in every phase, are as old as its activations, which are not.",
		},
		{
			Name: "two-trainings", Title: "Two trainings, a fast and a slow one", GPU: 5 * unit.GiB, write: twoTrainings,
			About: "Each training returns to its weights in a cycle, where the oldest is what is needed soonest, and an operation of one client takes several times as long as one of the other.",
		},
		{
			Name: "services", Title: "Services with periods of their own", GPU: 4 * unit.GiB, write: services,
			About: "Models wait for requests that come in fixed periods, so the model used last can be the one needed last, and numbers of operations say little about time.",
		},
		{
			Name: "table-and-blocks", Title: "Lookups beside large layers", GPU: 3 * unit.GiB, write: table,
			About: "Thousands of small pieces of a table and a few large layers are in the store together, so that how much a victim frees matters as much as when it is needed.",
		},
		{
			Name: "late-clock", Title: "Plans that waiting makes wrong", GPU: 3 * unit.GiB, write: late,
			About: "Two clients declare times of a run without waiting, and wait for each other and for evictions, so that the declared times are past when they matter.",
		},
	}
}

// FindMix returns the mix of a name.
func FindMix(name string) (Mix, error) {
	var names strings.Builder
	for _, m := range Mixes() {
		if m.Name == name {
			return m, nil
		}
		names.WriteString(" " + m.Name)
	}
	return Mix{}, fmt.Errorf("unknown mix %q; want one of%s", name, names.String())
}

// Setup returns the published setup with the mix's memory.
func (m Mix) Setup() Setup {
	s := Published()
	s.GPU = m.GPU
	return s
}

// Trace returns the mix's operations, always the same.
func (m Mix) Trace() *ops.Trace {
	scripts := m.write(&dice{state: 1})
	for _, s := range scripts {
		s.Foretell()
	}
	t, err := ops.Join(scripts...)
	if err != nil {
		panic("mix " + m.Name + ": " + err.Error())
	}
	return t
}

// dice is a generator of pseudo-random numbers, SplitMix64 (Steele, Lea, Flood:
// "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
type dice struct{ state uint64 }

// roll returns a number from 0 to n-1.
func (d *dice) roll(n int64) int64 {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int64((z ^ z>>31) >> 1 % uint64(n))
}

// size returns a size from least to most, in whole MiB.
func (d *dice) size(least, most unit.Bytes) unit.Bytes {
	return least + unit.Bytes(d.roll(int64((most-least)/unit.MiB)+1))*unit.MiB
}

// A layer of a training.
type layer struct {
	weight, activation unit.Bytes
	time               unit.Time // of its forward pass
}

// learn writes a training: forward through all layers, backward, and an update
// of all weights, so many times.
func learn(s *ops.Script, layers []layer, iterations int) {
	name := func(kind string, i int) int32 { return s.Tensor(fmt.Sprintf("%s%d", kind, i)) }
	n := len(layers)
	for i, l := range layers {
		s.Add(ops.Create, name("weight", i), l.weight)
		s.Add(ops.Put, name("weight", i), 0)
		s.Add(ops.Create, name("moment", i), l.weight)
		s.Add(ops.Put, name("moment", i), 0)
	}
	for range iterations {
		for i, l := range layers {
			s.Add(ops.Get, name("weight", i), 0)
			s.Add(ops.Create, name("out", i), l.activation)
			s.Think(l.time)
			s.Add(ops.Put, name("weight", i), 0)
			if i > 0 {
				s.Add(ops.Put, name("out", i-1), 0)
			}
		}
		for i := n - 1; i >= 0; i-- {
			if i < n-1 {
				s.Add(ops.Get, name("out", i), 0)
			}
			s.Add(ops.Get, name("weight", i), 0)
			s.Add(ops.Create, name("grad", i), layers[i].weight)
			s.Think(2 * layers[i].time)
			s.Add(ops.Free, name("out", i), 0)
			s.Add(ops.Put, name("weight", i), 0)
			s.Add(ops.Put, name("grad", i), 0)
		}
		for i, l := range layers {
			s.Add(ops.Get, name("grad", i), 0)
			s.Add(ops.Get, name("weight", i), 0)
			s.Add(ops.Get, name("moment", i), 0)
			s.Think(l.time / 10)
			s.Add(ops.Put, name("weight", i), 0)
			s.Add(ops.Put, name("moment", i), 0)
			s.Add(ops.Free, name("grad", i), 0)
		}
	}
}

func (d *dice) layers(n int, weight, activation [2]unit.Bytes, slowest unit.Time) []layer {
	ls := make([]layer, n)
	for i := range ls {
		ls[i] = layer{
			weight: d.size(weight[0], weight[1]), activation: d.size(activation[0], activation[1]),
			time: slowest/4 + unit.Time(d.roll(int64(slowest*3/4))),
		}
	}
	return ls
}

func bursts(d *dice) []*ops.Script {
	training := &ops.Script{Client: "training"}
	learn(training, d.layers(16, [2]unit.Bytes{16 * unit.MiB, 96 * unit.MiB}, [2]unit.Bytes{16 * unit.MiB, 400 * unit.MiB}, 60*unit.Millisecond), 6)
	other := &ops.Script{Client: "bursts"}
	for i := range 60 {
		x := other.Tensor(fmt.Sprintf("buffer%d", i))
		other.Think(unit.Time(20+d.roll(200)) * unit.Millisecond)
		other.Add(ops.Malloc, x, d.size(256*unit.MiB, 2*unit.GiB))
		other.Think(unit.Time(20+d.roll(150)) * unit.Millisecond)
		other.Add(ops.MFree, x, 0)
	}
	return []*ops.Script{training, other}
}

func twoTrainings(d *dice) []*ops.Script {
	a, b := &ops.Script{Client: "fast"}, &ops.Script{Client: "slow"}
	learn(a, d.layers(20, [2]unit.Bytes{20 * unit.MiB, 80 * unit.MiB}, [2]unit.Bytes{10 * unit.MiB, 60 * unit.MiB}, 20*unit.Millisecond), 8)
	learn(b, d.layers(14, [2]unit.Bytes{20 * unit.MiB, 120 * unit.MiB}, [2]unit.Bytes{10 * unit.MiB, 120 * unit.MiB}, 80*unit.Millisecond), 4)
	return []*ops.Script{a, b}
}

func services(d *dice) []*ops.Script {
	var list []*ops.Script
	for i, period := range []unit.Time{90, 130, 210, 700, 1900} {
		s := &ops.Script{Client: fmt.Sprintf("service%d", i+1)}
		list = append(list, s)
		const blocks = 10
		s.Think(unit.Time(d.roll(100)) * unit.Millisecond)
		for b := range blocks {
			s.Add(ops.Create, s.Tensor(fmt.Sprintf("block%d", b)), d.size(20*unit.MiB, 140*unit.MiB))
			s.Add(ops.Put, s.Tensor(fmt.Sprintf("block%d", b)), 0)
		}
		for range 12_000 / period {
			s.Think(period * unit.Millisecond * 8 / 10)
			scratch := s.Tensor("scratch")
			s.Add(ops.Create, scratch, d.size(50*unit.MiB, 300*unit.MiB))
			block := func(b int) int32 { return s.Tensor(fmt.Sprintf("block%d", b)) }
			s.Add(ops.Get, block(0), 0) // the embedding, for the first block and the last
			for b := 1; b < blocks; b++ {
				s.Add(ops.Get, block(b), 0)
				s.Think(period * unit.Millisecond / (5 * blocks))
				s.Add(ops.Put, block(b), 0)
			}
			s.Add(ops.Put, block(0), 0)
			s.Add(ops.Free, scratch, 0)
		}
	}
	return list
}

func table(d *dice) []*ops.Script {
	lookups := &ops.Script{Client: "lookups"}
	const pieces = 600
	for i := range pieces {
		x := lookups.Tensor(fmt.Sprintf("piece%d", i))
		lookups.Add(ops.Create, x, d.size(unit.MiB, 4*unit.MiB))
		lookups.Add(ops.Put, x, 0)
	}
	for batch := range 150 {
		scratch := lookups.Tensor("batch")
		lookups.Add(ops.Create, scratch, 64*unit.MiB)
		from := d.roll(pieces)
		for i := range int64(20) {
			x := lookups.Tensor(fmt.Sprintf("piece%d", (from+i*i)%pieces))
			lookups.Add(ops.Get, x, 0)
			lookups.Think(unit.Time(100+d.roll(900)) * unit.Microsecond)
			lookups.Add(ops.Put, x, 0)
		}
		lookups.Add(ops.Free, scratch, 0)
		lookups.Think(unit.Time(batch%7) * 10 * unit.Millisecond)
	}
	training := &ops.Script{Client: "training"}
	learn(training, d.layers(8, [2]unit.Bytes{10 * unit.MiB, 200 * unit.MiB}, [2]unit.Bytes{4 * unit.MiB, 300 * unit.MiB}, 100*unit.Millisecond), 5)
	return []*ops.Script{lookups, training}
}

func late(d *dice) []*ops.Script {
	a, b := &ops.Script{Client: "a"}, &ops.Script{Client: "b"}
	b.Think(300 * unit.Millisecond)
	for _, s := range []*ops.Script{a, b} {
		learn(s, d.layers(12, [2]unit.Bytes{10 * unit.MiB, 40 * unit.MiB}, [2]unit.Bytes{20 * unit.MiB, 250 * unit.MiB}, 12*unit.Millisecond), 6)
	}
	return []*ops.Script{a, b}
}
