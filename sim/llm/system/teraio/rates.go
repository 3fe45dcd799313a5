package teraio

import (
	"slices"

	"spillway/sim/machine"
	"spillway/sim/unit"
)

// A share is what a GPU plans with: what its transfers get when all GPUs transfer all the time.
type share struct {
	read, write     unit.Bandwidth // drives
	hostIn, hostOut unit.Bandwidth
	ssd, host       bool
}

// shares divides links max-min between all transfers that a node may have at once: of each GPU
// if wanted one from and one to drives, and one from and one to host memory.
func shares(n *machine.Node, drives, host bool) ([]share, error) {
	gpus := int(n.GPUs)
	paths := make([][]machine.LinkID, 4*gpus)
	for g := range gpus {
		gpu := machine.Endpoint{Kind: machine.OnGPU, Index: int16(g)}
		for i, far := range [2]machine.EndpointKind{machine.OnArray, machine.OnHost} {
			if far == machine.OnArray && (!drives || n.Array(g) == nil) || far == machine.OnHost && !host {
				continue
			}
			end := machine.Endpoint{Kind: far, Index: int16(g)}
			in, err := n.Route(end, gpu)
			if err != nil {
				return nil, err
			}
			out, err := n.Route(gpu, end)
			if err != nil {
				return nil, err
			}
			paths[4*g+2*i], paths[4*g+2*i+1] = in, out
		}
	}
	rates := fair(n.Links, paths)
	of := make([]share, gpus)
	for g := range of {
		r := rates[4*g : 4*g+4]
		of[g] = share{
			read: r[0], write: r[1], hostIn: r[2], hostOut: r[3],
			ssd: r[0] > 0 && r[1] > 0, host: r[2] > 0 && r[3] > 0,
		}
	}
	return of, nil
}

// fair returns the max-min rates of flows over paths, rounded down; 0 for a flow without a path.
func fair(links []machine.Link, paths [][]machine.LinkID) []unit.Bandwidth {
	rates, fixed := make([]unit.Bandwidth, len(paths)), make([]bool, len(paths))
	left, flows := make([]unit.Bandwidth, len(links)), make([]unit.Bandwidth, len(links))
	for i := range links {
		left[i] = links[i].Rate
	}
	for _, path := range paths {
		for _, l := range path {
			flows[l]++
		}
	}
	for {
		tight := -1
		for l := range left {
			if flows[l] > 0 && (tight < 0 || left[l]/flows[l] < left[tight]/flows[tight]) {
				tight = l
			}
		}
		if tight < 0 {
			return rates
		}
		rate := left[tight] / flows[tight]
		for f, path := range paths {
			if fixed[f] || !slices.Contains(path, machine.LinkID(tight)) {
				continue
			}
			fixed[f], rates[f] = true, rate
			for _, l := range path {
				left[l] -= rate
				flows[l]--
			}
		}
	}
}
