// Package link names the directions in which data moves between GPU memory and where it is
// kept else. Memory models that move whole tensors have one channel for each.
package link

import (
	"spillway/sim/train/machine"
	"spillway/sim/train/result"
	"spillway/sim/unit"
)

// A Direction is one way over one link.
type Direction int8

// The directions, seen from the GPU: Out is away from it. Where several transfers end at
// the same time, they end in this order.
const (
	SSDOut Direction = iota
	SSDIn
	HostOut
	HostIn
	Directions // how many there are
)

// Between returns the direction between the GPU and another tier, Host or SSD; out is away
// from the GPU.
func Between(tier machine.Tier, out bool) Direction {
	switch {
	case tier == machine.Host && out:
		return HostOut
	case tier == machine.Host:
		return HostIn
	case out:
		return SSDOut
	}
	return SSDIn
}

// Out reports whether d is away from the GPU.
func (d Direction) Out() bool { return d == SSDOut || d == HostOut }

// Ends returns where d begins and ends.
func (d Direction) Ends() (from, to machine.Tier) {
	other := machine.SSD
	if d == HostOut || d == HostIn {
		other = machine.Host
	}
	if d.Out() {
		return machine.GPU, other
	}
	return other, machine.GPU
}

// Count adds bytes that move in direction d to what has moved.
func (d Direction) Count(moved *result.Traffic, n unit.Bytes) {
	switch d {
	case SSDOut:
		moved.SSDOut += n
	case SSDIn:
		moved.SSDIn += n
	case HostOut:
		moved.HostOut += n
	case HostIn:
		moved.HostIn += n
	}
}
