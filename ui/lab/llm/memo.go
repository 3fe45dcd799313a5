package llm

import (
	core "spillway/sim/llm"
	"spillway/sim/llm/system"
	"spillway/sim/machine"
	"spillway/sim/unit"
)

// A known is a run that a sweep has done. A run depends on the rates of drives and host memory,
// and asks of their sizes only that they are enough; some plan with what host memory may hold, too
// (system.System.Host). So one run stands for all setups that have the same rates and more room.
type known struct {
	key          core.Setup
	host, drives unit.Bytes // that the machine had
	result       *core.Result
}

// cell runs the system in focus, unless a run that is known says the same; it is one of v.of. Plans of runs with less
// of a part are tried too, so that more of it is not slower only because it is planned anew.
func (v *view) cell(s *core.Setup, less ...*core.Result) (*core.Result, error) {
	key, err := v.key(s)
	if err != nil {
		return nil, err
	}
	room := s.Node.Drive.Size * unit.Bytes(drivesOf(&s.Node))
	for i := range v.memo {
		k := &v.memo[i]
		if k.key == key && k.result.Ran() && k.host <= s.Node.Host && k.drives <= room {
			v.did()
			return on(k.result, &s.Node), nil
		}
	}
	r, err := v.run(s, v.system.Name, false, less...)
	if err == nil {
		v.memo = append(v.memo, known{key, s.Node.Host, room, r})
	}
	return r, err
}

// key is what a run depends on, but for room.
func (v *view) key(s *core.Setup) (core.Setup, error) {
	node, err := s.Node.Build()
	if err != nil {
		return core.Setup{}, err
	}
	x := *s
	n := &x.Node
	n.Prices, n.GPU.Cents, n.GPU.Watts = machine.Prices{}, 0, 0
	latency, drives := n.Drive.Latency, min(1, n.Drives)
	n.Drive, n.Drives, n.ArrayCap, n.ArrayShare = machine.Drive{}, 0, 0, 0
	if v.system.Drives && drives > 0 {
		a := node.Array(0)
		n.Drives, n.Drive.Latency, n.Drive.Read, n.Drive.Write = drives, latency, node.Links[a.Read].Rate, node.Links[a.Write].Rate
		if v.system.Planning > 0 && s.Options.Fallback == system.Better {
			n.Drives, n.Drive, n.ArrayCap, n.ArrayShare = fewest(&s.Node, node), s.Node.Drive, s.Node.ArrayCap, s.Node.ArrayShare
			n.Drive.Cents, n.Drive.Endurance, n.Drive.MilliWatts = 0, 0, 0
		}
	}
	n.Host = 0
	if !v.system.Host {
		x.Options.HostLimit = 0
	} else {
		x.Options.HostLimit = min(x.Options.HostLimit, s.Node.Host)
	}
	return x, nil
}

// fewest is with how many drives an array is as fast as with all: plans for fewer (package teraio) are the same.
func fewest(c *machine.Config, whole *machine.Node) int64 {
	own := whole.Array(0)
	for d := int64(1); d < c.Drives; d++ {
		x := *c
		x.Drives = d
		if n, err := x.Build(); err == nil {
			if a := n.Array(0); n.Links[a.Read].Rate == whole.Links[own.Read].Rate && n.Links[a.Write].Rate == whole.Links[own.Write].Rate {
				return d
			}
		}
	}
	return c.Drives
}

// on is a run as of another machine that does the same.
func on(r *core.Result, c *machine.Config) *core.Result {
	out, node := *r, *r.Node
	node.Config = *c
	node.Arrays = nil
	for _, a := range r.Node.Arrays {
		if a.Drives = c.Drives; c.Shared {
			a.Drives *= c.GPUs
		}
		node.Arrays = append(node.Arrays, a)
	}
	out.Node = &node
	return &out
}
