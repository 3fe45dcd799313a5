package zero

import (
	"fmt"
	"slices"

	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/llm/shard"
	"spillway/sim/llm/system"
	"spillway/sim/machine"
	"spillway/sim/unit"
)

// A planner makes the extras of one job.
type planner struct {
	shard.Builder
	o      *system.Options
	drives bool
	stage  int64
	width  int64
	kept   int64           // elements of a GPU's weights that stay in host memory though others are on drives
	visits [][]shard.Visit // by part
	final  []int32         // by part: after it, all its gradients are where the optimizer wants them
	first  []int32         // extras that read weights at the iteration's beginning
}

// A gathering brings a visit's weights to the GPU; it begins when the visit before at has ended.
type gathering struct{ visit, at int32 }

// walk is DeepSpeed's parameter coordinator (partitioned_param_coordinator.py) at the grain of
// layers: it says which visits need a gathering and when it is issued, and how many elements are
// on the GPU at most.
//
// Before a visit runs, its own weights are fetched if they are not there, then those of visits
// after it: at most prefetch elements for each of the visit's kernels with weights, and as long as
// no more than live elements are there. After it they are freed, unless they are prefetched for
// a later visit already, or used again after less than reuse elements. Micro-batches are
// apart: in each, the trace begins anew.
func walk(v []shard.Visit, prefetch, live, reuse int64) (g []gathering, peak int64) {
	var layers int16
	sum := make([]int64, len(v)+1) // of the elements of all visits before
	for i := range v {
		layers = max(layers, v[i].Layer+2)
		sum[i+1] = sum[i] + v[i].Weights
	}
	again := make([]int32, len(v)) // the layer's next visit in its micro-batch, or -1
	seen := make([]int32, layers)  // 1 + the layer's visit that was seen last
	for i := len(v) - 1; i >= 0; i-- {
		l := v[i].Layer + 1
		again[i] = -1
		if s := seen[l]; s > 0 && v[s-1].Micro == v[i].Micro {
			again[i] = s - 1
		}
		seen[l] = int32(i + 1)
	}
	here := make([]bool, layers)
	var now int64
	issue := func(visit, at int) int64 {
		if here[v[visit].Layer+1] || v[visit].Weights == 0 {
			return 0
		}
		here[v[visit].Layer+1] = true
		now += v[visit].Weights
		peak = max(peak, now)
		g = append(g, gathering{int32(visit), int32(at)})
		return v[visit].Weights
	}
	next := 0 // the first visit that nothing was issued for
	for u := range v {
		if next <= u {
			issue(u, u)
			next = u + 1
		}
		allowed := prefetch * max(v[u].Reads, 1)
		for next < len(v) && v[next].Micro == v[u].Micro && allowed > 0 {
			if !here[v[next].Layer+1] && now+v[next].Weights > live {
				break
			}
			allowed -= issue(next, u)
			next++
		}
		a := int(again[u])
		if a >= 0 && (a < next || sum[a]-sum[u+1] < reuse) || !here[v[u].Layer+1] {
			continue
		}
		here[v[u].Layer+1] = false
		now -= v[u].Weights
	}
	return g, peak
}

// begin is when what waits for the visit before at may begin, and the kernel that has then ended.
func begin(part int, v []shard.Visit, at int32) (shard.Begin, []job.Ref) {
	if at == 0 {
		return 0, nil
	}
	last := v[at-1].Last
	return shard.Begin(last + 1), []job.Ref{{Part: int16(part), Kernel: last}}
}

// groups are the parts that hold shards of the same weights.
func (p *planner) groups() [][]int {
	var groups [][]int
	for g := range p.Job.Parts {
		if p.Shards > 1 && g > 0 {
			groups[0] = append(groups[0], g)
		} else {
			groups = append(groups, []int{g})
		}
	}
	return groups
}

// alike reports parts of one group that differ, as no job has them.
func (p *planner) alike() error {
	for _, group := range p.groups() {
		for _, g := range group {
			if len(p.visits[g]) == 0 || len(p.visits[g]) != len(p.visits[group[0]]) {
				return fmt.Errorf("GPU %d visits %d layers, GPU %d %d", g, len(p.visits[g]), group[0], len(p.visits[group[0]]))
			}
		}
	}
	return nil
}

// gather brings the weights of a group's layers to its GPUs: each its shard over its own link,
// then all the others' over the links between GPUs.
//
// What comes from drives waits for a pinned buffer. Without replicas it also waits until the
// weights before it are on the GPU: the coordinator prefetches nothing that is still on drives
// (_is_currently_on_nvme), so that nothing is in flight and one matrix is read ahead; a fetch waits for the read,
// then, where there is nothing to gather (NoGatherHandle.wait), for the copy, and only then asks for the next.
func (p *planner) gather(group []int) {
	v := p.visits[group[0]]
	gatherings, _ := walk(v, p.o.Prefetch, p.o.Live, p.o.Reuse)
	matrices := shard.Matrices(p.Job, group[0])
	var kept int64
	inHost := make([]bool, len(matrices))
	for l := range inHost {
		if e := p.Share(shard.Layer(p.Job, group[0], int64(l-1))); p.drives && kept+e <= p.kept {
			inHost[l], kept = true, kept+e
		}
	}
	copies := make([]int32, 0, len(gatherings)*len(group)) // to the GPU, by gathering and GPU
	var used []int32                                       // gatherings that are in buffers, oldest first
	var full, start int64                                  // buffers in use; the micro-batch's first visit
	for i, x := range gatherings {
		visit := &v[x.visit]
		for start < int64(x.visit) && v[start].Micro != visit.Micro {
			start++
		}
		bytes := unit.Bytes(p.width * p.Share(visit.Weights))
		freed := int32(-1)
		read := p.drives && !inHost[visit.Layer+1]
		if read {
			full += matrices[visit.Layer+1]
			used = append(used, int32(i))
			for full > p.o.Buffers && len(used) > 1 {
				full -= matrices[v[gatherings[used[0]].visit].Layer+1]
				freed, used = used[0], used[1:]
			}
		}
		var all []int32
		var latest shard.Begin
		for k, g := range group {
			at, after := begin(g, p.visits[g], x.at)
			latest = max(latest, at)
			in := offload.Extra{
				Name: "gather weights", GPU: int16(g), Queue: offload.HostRead, Bytes: bytes, After: after, Cause: offload.Fetch,
				From: machine.Endpoint{Kind: machine.OnHost, Pinned: true, Index: int16(g)}, To: machine.Endpoint{Kind: machine.OnGPU, Index: int16(g)},
			}
			if read {
				from, after := begin(g, p.visits[g], int32(start))
				e := offload.Extra{
					Name: "weights from drives", GPU: int16(g), Queue: offload.SSDRead, Bytes: bytes, After: after, Cause: offload.Fetch,
					From: machine.Endpoint{Kind: machine.OnArray, Index: int16(g)}, To: machine.Endpoint{Kind: machine.OnHost, Pinned: true, Index: int16(g)},
				}
				if i > 0 && p.Shards == 1 && gatherings[i-1].visit >= int32(start) {
					freed = int32(i - 1)
				}
				if freed >= 0 {
					room := copies[int(freed)*len(group)+k]
					e.Extras = []int32{room}
					from = max(from, p.At(room))
				}
				r := p.Add(from, e)
				if start == 0 {
					p.first = append(p.first, r)
				}
				in.Extras = []int32{r}
				at = max(at, from)
			}
			c := p.Add(at, in)
			if x.at == 0 && !read {
				p.first = append(p.first, c)
			}
			copies = append(copies, c)
			all = append(all, c)
			if p.Shards == 1 {
				p.Before(c, job.Ref{Part: int16(g), Kernel: visit.First})
			}
		}
		for g, r := range p.Ring("gather from GPUs", latest, unit.Bytes(p.width*visit.Weights), nil, all, offload.Fetch) {
			next := (g + 1) % len(group)
			p.Before(r, job.Ref{Part: int16(g), Kernel: p.visits[g][x.visit].First}, job.Ref{Part: int16(next), Kernel: p.visits[next][x.visit].First})
		}
	}
}

// A bucket is gradients that leave together.
type bucket struct {
	visit    int // after which they leave
	elements int64
	micro    int16
}

// buckets cuts a part's gradients: a bucket leaves before a layer that does not fit any more, and
// when the micro-batch ends.
func buckets(v []shard.Visit, most int64) []bucket {
	var all []bucket
	for i := range v {
		e := v[i].Gradients
		if e == 0 {
			continue
		}
		if n := len(all) - 1; n >= 0 && all[n].micro == v[i].Micro && all[n].elements+e <= most {
			all[n].visit, all[n].elements = i, all[n].elements+e
		} else {
			all = append(all, bucket{i, e, v[i].Micro})
		}
	}
	return all
}

// gradients reduces buckets of gradients and copies each GPU's shard to the host. From the
// second micro-batch on the sum so far comes to the GPU first, which adds. Where a bucket leaves,
// kernels wait until the one before has left: there is room for two, one that leaves and one that fills.
func (p *planner) gradients(group []int) {
	list := make([][]bucket, len(group))
	for k, g := range group {
		list[k] = buckets(p.visits[g], p.o.Bucket)
	}
	out := make([]int32, len(group)) // the bucket before
	for b := range list[0] {
		var after [][]job.Ref
		var at shard.Begin
		for k, g := range group {
			from, refs := begin(g, p.visits[g], int32(list[k][b].visit+1))
			at = max(at, from)
			after = append(after, refs)
		}
		reduced := p.Ring("reduce gradients", at, unit.Bytes(p.width*list[0][b].elements), after, nil, offload.Space)
		for k, g := range group {
			x := &list[k][b]
			bytes := unit.Bytes(p.width * p.Share(x.elements))
			here := machine.Endpoint{Kind: machine.OnGPU, Index: int16(g)}
			host := machine.Endpoint{Kind: machine.OnHost, Pinned: true, Index: int16(g)}
			e := offload.Extra{
				Name: "gradients out", GPU: int16(g), Queue: offload.HostWrite, Bytes: bytes, After: after[k],
				From: here, To: host, Extras: slices.Clone(reduced), Cause: offload.Space,
			}
			if x.micro > 0 {
				sum := e
				sum.Name, sum.Queue, sum.From, sum.To = "gradients in", offload.HostRead, host, here
				e.Extras = []int32{p.Add(at, sum)}
			}
			left := p.Add(at, e)
			if next := x.visit + 1; b > 0 && next < len(p.visits[g]) {
				p.Before(out[k], job.Ref{Part: int16(g), Kernel: p.visits[g][next].First})
			}
			out[k] = left
			p.final[g] = left
			if p.drives && x.micro == p.visits[g][len(p.visits[g])-1].Micro {
				p.final[g] = p.Add(at, offload.Extra{
					Name: "gradients to drives", GPU: int16(g), Queue: offload.SSDWrite, Bytes: unit.Bytes(shard.Wide * p.Share(x.elements)),
					From: host, To: machine.Endpoint{Kind: machine.OnArray, Index: int16(g)}, Extras: []int32{left}, Cause: offload.Optimizer,
				})
			}
		}
	}
}

// mostSteps is how many pieces the optimizer's work of a GPU may have.
const mostSteps = 4096

// optimizer adds Adam on the host, by sub-groups of each GPU's shard, and what it needs; the next
// iteration waits for it, or, delayed, that after the next. There is
// one process: between two iterations it waits for the last gradients and for the step that is delayed, and
// begins the next iteration and the next step at once (ZeRO-Offload, ATC 2021, §5.2).
func (p *planner) optimizer() {
	delayed := p.o.Delayed && !p.drives
	at := shard.End
	if delayed {
		at = 0
	}
	var left []int64
	size := int64(1)
	if p.stage == 3 {
		size = p.o.SubGroup
	}
	for g := range p.Job.Parts {
		left = append(left, p.Share(shard.Elements(p.Job, g)))
		if p.stage == 2 { // one tile goes to the GPU while the next is computed
			size = max(size, p.o.Bucket/p.Shards, (left[g]+mostSteps-1)/mostSteps)
		}
	}
	type chain struct{ read, adam, write []int32 }
	chains := make([]chain, len(left))
	between := int32(0)
	if delayed {
		between = p.Add(at, offload.Extra{Name: "between iterations", Queue: offload.CPU, Last: slices.Clone(p.final), Before: p.Firsts(), Cause: offload.Optimizer})
	}
	ready := func(x int32) { // what a GPU's first step waits for
		if delayed {
			p.After(x, between)
		} else {
			p.After(x, p.final...)
		}
	}
	ends := func(list []int32) { // what the next iteration waits for
		if delayed {
			p.Last(between, list...)
			return
		}
		for _, x := range list {
			p.Next(x, p.Firsts()...)
		}
	}
	back := func(list []int32, n int) []int32 { // the n-th from the end, if there are so many
		if len(list) < n {
			return nil
		}
		return []int32{list[len(list)-n]}
	}
	for more := true; more; {
		more = false
		var copies []int32
		for g := range left {
			e := min(left[g], size)
			if e == 0 {
				continue
			}
			left[g] -= e
			more = more || left[g] > 0
			c := &chains[g]
			host := machine.Endpoint{Kind: machine.OnHost, Pinned: true, Index: int16(g)}
			array := machine.Endpoint{Kind: machine.OnArray, Index: int16(g)}
			step := offload.Extra{Name: "Adam", GPU: int16(g), Queue: offload.CPU, Time: shard.Adam(p.Node, e), Cause: offload.Optimizer}
			if p.drives {
				in := offload.Extra{
					Name: "states from drives", GPU: int16(g), Queue: offload.SSDRead, Bytes: unit.Bytes((shard.States + shard.Wide) * e),
					From: array, To: host, Cause: offload.Optimizer,
				}
				if p.o.Pipelined {
					in.Extras = slices.Concat(back(c.read, 1), back(c.adam, 2), back(c.write, 3))
				} else {
					in.Extras = back(c.write, 1)
				}
				r := p.Add(at, in)
				if len(c.read) == 0 {
					ready(r)
				}
				c.read = append(c.read, r)
				step.Extras = []int32{r}
			}
			step.Extras = append(step.Extras, back(c.adam, 1)...)
			a := p.Add(at, step)
			if !p.drives && len(c.adam) == 0 {
				ready(a)
			}
			c.adam = append(c.adam, a)
			switch {
			case p.drives:
				c.write = append(c.write, p.Add(at, offload.Extra{
					Name: "states to drives", GPU: int16(g), Queue: offload.SSDWrite, Bytes: unit.Bytes((shard.States + p.width) * e),
					From: host, To: array, Extras: []int32{a}, Cause: offload.Optimizer,
				}))
			case p.stage == 2:
				copies = append(copies, p.Add(at, offload.Extra{
					Name: "weights to GPU", GPU: int16(g), Queue: offload.HostRead, Bytes: unit.Bytes(p.width * e),
					From: host, To: machine.Endpoint{Kind: machine.OnGPU, Index: int16(g)}, Extras: []int32{a}, Cause: offload.Optimizer,
				}))
			}
		}
		if len(copies) == 0 {
			continue
		}
		whole := unit.Bytes(0)
		for _, x := range copies {
			whole += p.Bytes(x)
		}
		if p.Shards > 1 {
			copies = p.Ring("weights to GPUs", at, whole, nil, copies, offload.Optimizer)
		}
		ends(copies)
	}
	var done []int32
	for g := range chains {
		done = append(done, back(chains[g].adam, 1)...)
		done = append(done, back(chains[g].write, 1)...)
	}
	ends(done)
	for _, x := range p.first {
		if delayed {
			p.After(x, between)
		} else {
			p.Last(x, done...)
		}
	}
}
