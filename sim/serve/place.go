package serve

import (
	"fmt"
	"math"

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

// LinkOfHost reports whether host memory, which a copy reads or writes at half its rate, moves less than the GPUs' links,
// and how much a replica's share of it moves.
func (s *Setting) LinkOfHost() (rate unit.Bandwidth, less bool) {
	own := *s
	own.Node.HostRate = math.MaxInt64
	rate = s.rates().link
	return rate, rate < own.rates().link
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
		link:       max(1, min(path*unit.Bandwidth(s.Tensor), n.HostRate/2/unit.Bandwidth(s.replicas()))),
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
		c.stream, c.in = lasts(r.link, all), all
	case FromDrive:
		c.stream, c.in, c.read = lasts(min(r.read, r.link), all), all, all
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
	c.in, c.read = all-share(all, s.GPUShare), max(0, drive)
	c.stream = lasts(r.link, c.in)
	if drive > 0 {
		c.stream = max(c.stream, lasts(r.read, drive))
	}
	switch {
	case s.KVPlace == OnDrive:
		// Weights and keys and values share the drives.
		c.stream, c.streamKey = max(c.stream, lasts(r.read, drive)), lasts(r.read, kv)
		c.inKey, c.readKey = kv, kv
	case s.KVPlace == OnHost && s.CPUAttention:
		c.keys, c.keysIdeal = lasts(r.processors, kv), 0
	case s.KVPlace == OnHost:
		c.streamKey, c.inKey = lasts(r.link, kv), kv
	}
	if s.Weights == W4 {
		batches := int64(1)
		if s.GPUBatch > 0 && s.Sequences > 0 {
			batches = (s.Sequences + s.GPUBatch - 1) / s.GPUBatch
		}
		c.step += works(s.Model.Linear(), batches, dequantised)
	}
	if s.KV == W4 {
		c.keys += works(s.Model.Kept(), 1, dequantised)
	}
}

// divide is llama.cpp's: layers on the GPU, then layers on processors.
func (c *cost) divide(s *Setting, r rates, all, kv unit.Bytes) {
	rest := s.Model.Layers - s.Layers
	of := func(b unit.Bytes) unit.Bytes { return unit.Bytes(unit.MulDiv(int64(b), rest, s.Model.Layers)) }
	c.gpuShare = float64(s.Layers) / float64(s.Model.Layers)
	slow := of(min(all, c.dense+c.expert)) // the embedding is not read
	c.cpu = lasts(r.processors, slow)
	// Of many tokens the GPU computes all layers, and weights come to it.
	c.cpuMany, c.brought = lasts(r.link, slow), slow
	c.keys = c.keys - unit.Time(unit.MulDiv(int64(c.keys), rest, s.Model.Layers)) + lasts(r.processors, of(kv))
	c.keysIdeal -= unit.Time(unit.MulDiv(int64(c.keysIdeal), rest, s.Model.Layers))
}

// footprint says where a replica's memory goes. longest is how many tokens the longest request has.
func (s *Setting) footprint(e *Engine, sys *System, longest int64) Footprint {
	n := unit.Bytes(s.Tensor)
	all := Stored(s.Model, s.Weights)
	m := Footprint{
		Given: share(s.Node.GPU.Memory, s.Share) * n, Activations: s.Activations * n,
		Weights: all, KVToken: Keys(s.Model, s.KV),
	}
	m.Layers, m.Choice = s.scratch(e, sys)
	two := 2 * all / unit.Bytes(s.Model.Layers) // the layer that is used, and the next
	onGPU, inHost := m.KVToken, unit.Bytes(0)   // of a token's keys and values
	switch sys.Stream {
	case FromHost:
		m.Weights, m.HostWeights = two, all
	case FromDrive:
		m.Weights, m.DriveWeights = two, all
	case Blocked:
		gpu, host := share(all, s.GPUShare), share(all, s.HostShare)
		m.Weights, m.HostWeights = gpu+two, host
		if s.GPUShare+s.HostShare < thousand {
			m.DriveWeights = all - gpu - host
		}
	case Divided:
		s.layers(&m, longest)
		onGPU = s.onGPU(m.KVToken)
		inHost = m.KVToken - onGPU
		m.Weights = s.onGPU(all)
		m.HostWeights = all - m.Weights
	}
	m.KV = m.Given - m.Weights - m.Activations
	switch {
	case sys.Stream == Blocked && s.KVPlace == OnHost:
		m.KV = s.hostKV(&m)
	case sys.Stream == Blocked && s.KVPlace == OnDrive:
		m.KV = s.driveKV(&m)
	case sys.Stream == Divided && s.Layers == 0:
		m.KV = s.hostKV(&m)
		onGPU, inHost = m.KVToken, 0
	}
	onGPU = max(1, onGPU)
	m.KVTokens = max(0, int64(m.KV/onGPU))
	if inHost > 0 {
		m.KVTokens = min(m.KVTokens, int64(s.hostKV(&m)/inHost))
	}
	if sys.Stream == Resident || sys.Stream == FromHost || sys.Stream == FromDrive || sys.Stream == Divided && s.Layers > 0 || sys.Stream == Blocked && s.KVPlace == OnGPU {
		m.GiB = int64(unit.GiB * n / onGPU)
	}
	if sys.Host {
		m.Host = int64(s.hostKV(&m) / m.KVToken)
	}
	if sys.Drive {
		m.Drive = int64(s.driveKV(&m) / m.KVToken)
	}
	return m
}

// onGPU is what of something in all layers is of those on the GPU, of system split.
func (s *Setting) onGPU(b unit.Bytes) unit.Bytes {
	return unit.Bytes(unit.MulDiv(int64(b), s.Layers, s.Model.Layers))
}

// layers sets how many layers are on the GPU where nobody says: as many as fit with the longest request, of system split.
func (s *Setting) layers(m *Footprint, longest int64) {
	if s.Layers >= 0 {
		return
	}
	for s.Layers = s.Model.Layers; s.Layers > 0; s.Layers-- {
		if s.onGPU(m.Weights)+m.Activations+s.onGPU(m.KVToken)*unit.Bytes(longest) <= m.Given {
			return
		}
	}
}

// hostFree is what of host memory programs have, driveFree the room of all drives, of all replicas.
func (s *Setting) hostFree() unit.Bytes { return max(0, s.Node.Host-s.Node.HostSpare) }

func (s *Setting) driveFree() unit.Bytes {
	return s.Node.Drive.Size * unit.Bytes(s.Node.Drives*s.Node.GPUs)
}

// hostKV is host memory for keys and values of a replica, driveKV that of drives: what weights leave of its share, if
// nobody says.
func (s *Setting) hostKV(m *Footprint) unit.Bytes {
	if s.HostKV >= 0 {
		return s.HostKV
	}
	return max(0, s.hostFree()/unit.Bytes(s.replicas())-m.HostWeights)
}

func (s *Setting) driveKV(m *Footprint) unit.Bytes {
	if s.DriveKV >= 0 {
		return s.DriveKV
	}
	return max(0, s.driveFree()/unit.Bytes(s.replicas())-m.DriveWeights)
}

// refuse says why a replica cannot serve, and what to do.
func (s *Setting) refuse(m *Footprint, sys *System, longest int64) string {
	copies := unit.Bytes(s.replicas())
	of := func(n unit.Bytes) string {
		if copies == 1 {
			return fmt.Sprintf("weights of %v", n)
		}
		return fmt.Sprintf("weights of %d copies, %v each,", copies, n)
	}
	place, free, more := "GPU memory", fmt.Sprintf("weights of %v and activations of %v leave nothing of %v", m.Weights, m.Activations, m.Given), "more GPUs for a copy"
	switch {
	case sys.Stream == Blocked && s.KVPlace == OnHost, sys.Stream == Divided && m.KVTokens < int64(m.KV/max(1, s.onGPU(m.KVToken))):
		place, free, more = "host memory", fmt.Sprintf("weights of %v leave nothing of host memory", m.HostWeights), "more host memory"
	case sys.Stream == Blocked && s.KVPlace == OnDrive:
		place, free, more = "drives", fmt.Sprintf("weights of %v leave nothing of the drives", m.DriveWeights), "more or larger drives"
	}
	drives := sys.Drive || sys.Stream == FromDrive || sys.Stream == Blocked && (s.KVPlace == OnDrive || s.GPUShare+s.HostShare < thousand)
	switch {
	case drives && s.Node.Drives == 0:
		return "it needs drives; set drives to 1 or more"
	case m.HostWeights*copies > s.hostFree():
		return fmt.Sprintf("%s do not fit into host memory, which has room for %v; take more of it, fewer copies, or weights of fewer bits", of(m.HostWeights), s.hostFree())
	case m.DriveWeights*copies > s.driveFree():
		return fmt.Sprintf("%s do not fit on drives, which have room for %v; take more or larger drives, fewer copies, or weights of fewer bits", of(m.DriveWeights), s.driveFree())
	case m.Weights+m.Activations > m.Given:
		return fmt.Sprintf("weights of %v and activations of %v do not fit into %v of GPU memory; take more GPUs for a copy, weights of fewer bits, or less for activations", m.Weights, m.Activations, m.Given)
	case m.KVTokens < 1:
		return fmt.Sprintf("%s for keys and values; take %s, or weights of fewer bits", free, more)
	case m.KVTokens < longest:
		return fmt.Sprintf("a request has %d tokens, and keys and values of %d fit into %s; take %s, shorter requests, or keys and values of fewer bits", longest, m.KVTokens, place, more)
	}
	return ""
}
