package serve

import (
	"spillway/sim/unit"
)

// A Place is where keys and values of requests under way are, of systems whose weights stream.
type Place uint8

// The places.
const (
	OnGPU Place = iota
	OnHost
	OnDrive
)

// rates are what a replica's share of the node moves.
type rates struct {
	link        unit.Bandwidth // between GPUs and host memory, each direction
	read, write unit.Bandwidth // of its drives; 0 without
	processors  unit.Bandwidth // reading host memory and computing with it
	latency     unit.Time      // of a drive
}

// rates are those of one replica: its GPUs' paths, and its share of host memory and of drives.
func (s *Setting) rates() rates {
	n := &s.Node
	path := n.GPU.Link
	switch {
	case n.Pinned > 0:
		path = min(path, n.Pinned)
	case n.HostPath > 0:
		path = min(path, n.HostPath)
	}
	if s.Pageable {
		path /= 2
	}
	r := rates{
		link:       min(path*unit.Bandwidth(s.Tensor), n.HostRate/2),
		processors: max(1, n.Processors()/unit.Bandwidth(s.replicas())),
		latency:    n.Drive.Latency,
	}
	if n.Drives > 0 {
		of := func(rate unit.Bandwidth) unit.Bandwidth {
			rate *= unit.Bandwidth(n.Drives)
			rate = unit.Bandwidth(unit.MulDiv(int64(rate), n.ArrayShare, thousand))
			if n.ArrayCap > 0 {
				rate = min(rate, n.ArrayCap)
			}
			return max(1, rate*unit.Bandwidth(s.Tensor))
		}
		r.read, r.write = of(n.Drive.Read), of(n.Drive.Write)
	}
	return r
}

// replicas is how many replicas the GPUs are.
func (s *Setting) replicas() int64 { return s.Node.GPUs / s.Tensor }

// dequantised is how many numbers of four bits a second a GPU of FlexGen's turns into such that it computes with, by its tables.
const dequantised = 6_700_000_000

// places adds to a cost what the places of weights, and of keys and values, take.
func (c *cost) places(s *Setting, sys *System) {
	r := s.rates()
	all := Stored(s.Model, s.Weights)
	kv := Keys(s.Model, s.KV)
	switch sys.Stream {
	case FromHost:
		c.stream = r.link.Time(all)
	case FromDrive:
		c.stream = min(r.read, r.link).Time(all)
	case Blocked:
		c.block(s, r, all, kv)
	case Divided:
		c.divide(s, r, all, kv)
	}
}

// block is FlexGen's schedule: everything that moves and everything that is computed overlap, so that a step takes as long as the
// slowest of them.
func (c *cost) block(s *Setting, r rates, all, kv unit.Bytes) {
	drive := share(all, thousand-s.GPUShare-s.HostShare)
	c.stream = r.link.Time(all - share(all, s.GPUShare))
	if drive > 0 {
		c.stream = max(c.stream, r.read.Time(drive))
	}
	switch {
	case s.KVPlace == OnDrive:
		// Weights and keys and values share the drives.
		c.stream, c.streamKey = max(c.stream, r.read.Time(drive)), r.read.Time(kv)
	case s.KVPlace == OnHost && s.CPUAttention:
		c.keys = r.processors.Time(kv)
	case s.KVPlace == OnHost:
		c.streamKey = r.link.Time(kv)
	}
	if s.Weights == W4 {
		batches := int64(1)
		if s.GPUBatch > 0 && s.Sequences > 0 {
			batches = (s.Sequences + s.GPUBatch - 1) / s.GPUBatch
		}
		c.step += unit.Time(unit.MulDiv(s.Model.Linear()*batches, int64(unit.Second), dequantised))
	}
	if s.KV == W4 {
		c.keys += unit.Time(unit.MulDiv(s.Model.Kept(), int64(unit.Second), dequantised))
	}
}

// divide is llama.cpp's: layers on the GPU, then layers on processors.
func (c *cost) divide(s *Setting, r rates, all, kv unit.Bytes) {
	rest := s.Model.Layers - s.Layers
	of := func(b unit.Bytes) unit.Bytes { return unit.Bytes(unit.MulDiv(int64(b), rest, s.Model.Layers)) }
	c.gpuShare = float64(s.Layers) / float64(s.Model.Layers)
	slow := of(min(all, c.dense+c.expert)) // the embedding is not read
	c.cpu = r.processors.Time(slow)
	// Of many tokens the GPU computes all layers, and weights come to it.
	c.cpuMany = r.link.Time(slow)
	c.keys = c.keys - unit.Time(unit.MulDiv(int64(c.keys), rest, s.Model.Layers)) + r.processors.Time(of(kv))
}

// footprint says where a replica's memory goes. longest is how many tokens the longest request has.
func (s *Setting) footprint(e *Engine, sys *System, longest int64) Footprint {
	n := unit.Bytes(s.Tensor)
	m := Footprint{
		Given: share(s.Node.GPU.Memory, s.Share) * n, Activations: s.Activations * n,
		Weights: Stored(s.Model, s.Weights), KVToken: Keys(s.Model, s.KV),
	}
	onGPU := m.KVToken
	switch sys.Stream {
	case FromHost, FromDrive:
		m.Weights = 2 * m.Weights / unit.Bytes(s.Model.Layers) // the layer that is used, and the next
	case Blocked:
		m.Weights = share(m.Weights, s.GPUShare) + 2*m.Weights/unit.Bytes(s.Model.Layers)
	case Divided:
		layers := s.Layers
		if layers < 0 {
			layers = s.Model.Layers
			for ; layers > 0; layers-- {
				part := func(b unit.Bytes) unit.Bytes {
					return unit.Bytes(unit.MulDiv(int64(b), layers, s.Model.Layers))
				}
				if part(m.Weights)+m.Activations+part(m.KVToken)*unit.Bytes(longest) <= m.Given {
					break
				}
			}
			s.Layers = layers
		}
		m.Weights = unit.Bytes(unit.MulDiv(int64(m.Weights), layers, s.Model.Layers))
		onGPU = max(1, unit.Bytes(unit.MulDiv(int64(m.KVToken), layers, s.Model.Layers)))
		if layers == 0 {
			m.KV = max(0, s.hostKV())
			m.KVTokens = int64(m.KV / m.KVToken)
			return m
		}
	}
	m.KV = m.Given - m.Weights - m.Activations
	if sys.Stream == Blocked {
		switch s.KVPlace {
		case OnHost:
			m.KV = s.hostKV()
		case OnDrive:
			m.KV = s.driveKV()
		}
	}
	m.KVTokens = max(0, int64(m.KV/onGPU))
	m.GiB = int64(unit.GiB * n / onGPU)
	if sys.Host {
		m.Host = max(0, int64(s.hostKV()/m.KVToken))
	}
	if sys.Drive {
		m.Drive = max(0, int64(s.driveKV()/m.KVToken))
	}
	return m
}

// hostKV is host memory for keys and values of a replica, driveKV that of drives.
func (s *Setting) hostKV() unit.Bytes {
	if s.HostKV >= 0 {
		return s.HostKV
	}
	return max(0, (s.Node.Host-s.Node.HostSpare)/unit.Bytes(s.replicas()))
}

func (s *Setting) driveKV() unit.Bytes {
	if s.DriveKV >= 0 {
		return s.DriveKV
	}
	return s.Node.Drive.Size * unit.Bytes(s.Node.Drives*s.Tensor)
}
