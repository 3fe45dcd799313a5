// Package profile says what the tensors of a training iteration hold, as far as
// compression is concerned: a few kinds of contents, and which tensor is of which.
//
// Contents are assumed, not measured in the run: a workload has sizes and times but
// no values. There are two assumptions ([All]); every ratio follows from the one
// that is chosen.
//
// Departures, numbered:
//
//  1. The paper measures ten snapshots of each allocation. Here all tensors of a
//     kind hold the same, all the time.
//  2. A fifth of the paper's memory was never touched: its framework's pool reserved
//     it. Workloads here take exactly what they use, so there is no such memory, and
//     the paper's mix is that of the four fifths which are left. Per byte in use that
//     saves the same: a pool that is a quarter larger than what is in use and whose
//     rest takes a sixteenth.
package profile

import (
	"fmt"
	"strings"

	"spillway/sim/compress/buddy"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A Kind is contents that tensors can have.
type Kind struct {
	Name string
	buddy.Histogram
}

// Contents is an assumption of what tensors hold.
type Contents struct {
	Key, Title, About, Source string
	// Note is what a reader of results should know.
	Note string
	// Kinds are those of the tensors, and deal gives each tensor one, by number.
	Kinds []Kind
	deal  func(w *workload.Workload) []uint8
}

// All lists the assumptions, the usual one first.
func All() []Contents {
	return []Contents{
		{
			Key: "paper", Title: "the paper's mix", Kinds: mixed(), deal: mix,
			About:  "The mean mix of the paper's deep learning programs, without memory that nobody touches: 38 % of the bytes dense, 26 % half empty, 36 % sparse, dealt to the tensors in turn whatever they are.",
			Source: "fitted to the means of Buddy Compression, §3.4 and §3.5",
			Note:   "The paper's ratio of 1.5 also counts memory that a framework reserves and nobody touches; a workload here takes exactly what it uses.",
		},
		{
			Key: "by-kind", Title: "by kind of tensor", Kinds: kinds(), deal: byKind,
			About:  "What the tensor's kernel leaves in it: dense floats, zeros of a ReLU, masks, indices; measured on generated data by Bit-Plane Compression. Dense floats do not compress, and a ReLU's zeros do not reach a target, so next to nothing is gained.",
			Source: "generated data, compressed bit by bit",
			Note:   "Dense floats do not compress. Of a ReLU's output 40 % of the entries are zero, but the others are whole, more than may overflow, so it keeps all of its memory.",
		},
	}
}

// Find returns the contents with a key.
func Find(key string) (Contents, error) {
	var keys []string
	for _, c := range All() {
		if c.Key == key {
			return c, nil
		}
		keys = append(keys, c.Key)
	}
	return Contents{}, fmt.Errorf("unknown contents %q; there are %s", key, strings.Join(keys, ", "))
}

// Deal returns the kind of each tensor of w, by its number in c.Kinds.
func (c *Contents) Deal(w *workload.Workload) []uint8 { return c.deal(w) }

// Choose returns each tensor's target by a policy, which sees the tensors of a kind
// as one allocation, and what it holds.
func (c *Contents) Choose(w *workload.Workload, p *buddy.Policy) (targets []buddy.Target, profiles []*buddy.Histogram) {
	of := c.Deal(w)
	list := make([]buddy.Allocation, len(c.Kinds))
	for i := range c.Kinds {
		list[i].Name, list[i].Snapshots = c.Kinds[i].Name, []buddy.Histogram{c.Kinds[i].Histogram}
	}
	for t, kind := range of {
		list[kind].Bytes += entries(w.Tensors[t].Bytes)
	}
	chosen := p.Choose(list)
	targets, profiles = make([]buddy.Target, len(of)), make([]*buddy.Histogram, len(of))
	for t, kind := range of {
		targets[t], profiles[t] = chosen[kind], &c.Kinds[kind].Histogram
	}
	return targets, profiles
}

// entries rounds up to whole entries.
func entries(b unit.Bytes) unit.Bytes {
	return unit.Bytes(buddy.Entries(b)) * buddy.EntryBytes
}
