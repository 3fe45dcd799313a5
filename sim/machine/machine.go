// Package machine describes a node that trains: GPUs, drives, host and the links between
// them.
//
// # Source
//
// TERAIO (NeurIPS 2025): Table 2 and §4.1 for the standard node, Table 3 for prices, Figure 11
// for what drives without GPUDirect Storage ask of host memory. Parts and presets name their own.
//
// # Model
//
// A node is a set of links; each has a rate, and Build makes them from a Config. Route says which
// ones bytes cross between two places, each once:
//
//	from, to                            links
//	GPU and its drives, with GDS        drives, PCIe of the GPU
//	GPU and its drives, without         drives, host memory written, host memory read, PCIe of the GPU
//	GPU and host                        host memory, path of the GPU to the host, PCIe of the GPU
//	GPU and pinned host memory          the same with a path of its own, where Pinned is set
//	host and drives                     drives, host memory
//	GPU and GPU with NVLink             peer links
//	GPU and GPU without                 peer links, PCIe of both
//	GPU and GPU of another node         peer links, network of both nodes; PCIe of both without NVLink
//
// Where several GPUs hang on one PCIe switch (Config.Switch), their way to the host, to a shared
// array and to the GPUs of other switches crosses the uplink of the switch too; the drives of one GPU
// hang on its switch (TERAIO paper, §3.3), so that with GDS their bytes do not.
//
// # Departures
//
//  1. An array of four drives moves "approximately 16 GB/s" (§4.1), where four of 6.7 GB/s
//     (Table 2) would move 26.8. Either the way between array and GPU ends at 16 GB/s, whatever
//     the drives (ArrayCap), or striping loses two fifths of every drive (ArrayShare of 600). The
//     paper does not say. Standard takes the first: it agrees with both of the paper's numbers, of one
//     drive and of four, and with one number for reading and writing; and it is how such a way was measured
//     on another server, where one, two and three drives of 3.2 GB/s moved 3.2, 6.3 and 7.1 GB/s
//     to a GPU through the processor (forums.developer.nvidia.com, thread 55564). By the second a single
//     drive would reach 4.0 of its 6.7 GB/s. They differ below four drives: two move 13.4 or
//     8.0 GB/s. Both are settings.
//  2. Host memory has one rate for reads and writes together, but is two links here, read and
//     written, of half that rate each. So bytes that cross it twice (without GDS) cross two links once,
//     and the sum over both links is what memory really moves: 128 GB/s for two GPUs
//     with 16 GB/s of reading and writing each, as Figure 11's "over 100 GB/s". Traffic
//     in one direction alone reaches half of what it could.
//  3. Collective, a rate fitted on collectives, holds for what stages of a pipeline send to each other too.
//     What ZeRO and FSDP lose on the paper's node is mostly this constant: of Llama-3 8B, batch 64, ZeRO-Offload has 67,
//     82 and 94 % of Ideal, FSDP 62, 100 and 105 with 6, 12 and 25 GB/s, and TERAIO 100 with each.
//  4. HostPath, fitted on TERAIO's engine, is not that of DeepSpeed and FSDP, which copy from
//     pinned buffers (Table 4): Pinned is theirs. The paper says nothing of either, and the
//     results hang on it. Llama-3 70B, batch 8, sequences of 2048, in percent of Ideal: with 3 GB/s for
//     TERAIO and 50.4 for the others, as in Standard, TERAIO-Mixed has 48 as published and 56 with the
//     better plan, ZeRO-Infinity 43; with 3 for all 48, 56 and 8; with 50.4 for all 86, 92 and 43. So with one path for all
//     TERAIO is farther ahead, and who changes one of the two changes some systems only.
//  5. NVLink bridges, which are sold apart from cards, are not there: Peer of a PCIe card is 0.
//  6. What the paper's percentages of memory are of is less than the card has, so that TERAIO plans
//     with, and memory is measured against, all but Spare. ZeRO and FSDP may have all of GPU.Memory: their
//     need is counted with buffers, and the paper runs Llama-3 70B with sequences of 3072
//     on both, for which less would not do. It is an advantage for them.
//  7. Nodes are alike, and what each has of host memory, its rate and its processors is one pool: as GPUs do the same,
//     none has more than its share. A node's adapters are one link with the rate of all, as NCCL makes a ring for each;
//     what a single GPU sends to another node may so take more than its own adapter.
package machine

import (
	"cmp"
	"errors"
	"fmt"

	"spillway/sim/unit"
)

// A GPU is one kind of GPU. Peaks are a data sheet's, dense.
type GPU struct {
	Key, Title string
	Memory     unit.Bytes // all of it; in the list of parts what the data sheet says
	HBM        unit.Bandwidth
	FP32, TF32 int64          // operations a second; TF32 is that of FP32 where there is none
	BF16       int64          // tensor cores, bf16 with fp32 sums
	FP8, FP4   int64          // the same of fp8 and of fp4, dense; 0 where it has none
	Link       unit.Bandwidth // to the host, each direction, after encoding
	Peer       unit.Bandwidth // NVLink to the other GPUs, each direction; 0: over the host link
	// Bounce: neither GPUs without NVLink nor drives can copy to it directly (GeForce); their bytes
	// cross host memory.
	Bounce  bool
	Form    string // what it plugs into: "PCIe", "SXM5"; parts of one form take each other's place
	Watts   int64
	Cents   int64
	Source  string
	PriceOf string // where the price is from, with its date
}

// A Drive is one kind of SSD.
type Drive struct {
	Key, Title  string
	Read, Write unit.Bandwidth // sequential
	Latency     unit.Time
	Size        unit.Bytes
	Endurance   unit.Bytes // what the maker warrants to be written
	MilliWatts  int64      // while it works
	Cents       int64
	Source      string
	PriceOf     string
}

// A Config is a node as people choose it; Build makes the node.
type Config struct {
	GPU  GPU
	GPUs int64
	// Spare is what of a GPU's memory is not for tensors that a plan places, in millionths: the
	// context, buffers of collectives, holes between tensors (Usable; departure 6).
	Spare int64
	// Efficiency is the share of a GPU's peak that large matrix products reach, in thousandths; 0: what
	// the law of kernel times says of each kernel's shape (package kerneltime).
	Efficiency int64

	Drive  Drive
	Drives int64 // for each GPU
	Shared bool  // all drives are one array, which all GPUs share
	// ArrayCap is the most that a GPU's array moves, each direction, whatever its drives; 0: no
	// limit. A shared array moves at most that for each GPU.
	// ArrayShare is what of its drives' rates an array reaches, in thousandths.
	ArrayCap   unit.Bandwidth
	ArrayShare int64
	GDS        bool // drives and GPUs talk directly; without it their bytes cross host memory twice

	Host unit.Bytes // host memory
	// HostSpare is what the operating system and programs have of it. HostMargin is by how much more systems take than
	// they count, in thousandths; 0: nothing, but what a system's own estimate has.
	HostSpare  unit.Bytes
	HostMargin int64
	HostRate   unit.Bandwidth // of host memory, reads and writes together
	// HostReads is what processors read of it that compute with what they read; 0: what Processors says.
	HostReads unit.Bandwidth
	// HostPath is the rate between a GPU and host memory, each direction, as a program reaches it;
	// 0: that of Link.
	HostPath unit.Bandwidth
	// Pinned is HostPath for programs that copy from and to pinned memory only, as DeepSpeed and
	// FSDP do; 0: HostPath is theirs too.
	Pinned unit.Bandwidth
	Adam   int64 // parameters a second of Adam on the host's processors, all together
	// BouncePath is the rate at which a GPU's bytes from and to drives go through host memory where drives and GPUs do not
	// talk directly, each direction; 0: no limit besides the links'.
	BouncePath unit.Bandwidth
	// Collective is the rate at which a GPU sends and receives in collectives, as a program
	// reaches it; 0: that of Peer, or of Link without.
	Collective unit.Bandwidth
	// Switch is how many GPUs hang on one PCIe switch, whose uplink is one Link that they share;
	// 1: each has its own way to the host.
	Switch int64

	// Nodes are how many nodes the GPUs stand in, as many in each; 0 is 1. Host, HostSpare, HostRate, Adam and what
	// Prices say of a base are of all nodes together. Network is what a GPU sends and receives between nodes, each
	// direction, by the name of its adapter; 0: nothing is between nodes.
	Nodes   int64
	Network unit.Bandwidth
	// Step is how much longer a collective takes for each step of its ring.
	Step unit.Time

	Prices Prices
}

// Prices are what a node is made of besides GPUs and drives, and what it costs to run.
type Prices struct {
	Base     int64 // US cents: chassis, board, processors
	HostGiB  int64 // US cents, one GiB of host memory
	KWh      int64 // US cents
	BaseWatt int64 // watts of all but GPUs and drives
	Years    int64 // in which a node pays for itself; 0: only its power costs
}

// A LinkID is a place in Node.Links.
type LinkID int16

// A Link carries bytes in one direction, or in both where it has one rate for both.
type Link struct {
	Name string // for people: "GPU 0 from SSD"
	Kind LinkKind
	Rate unit.Bandwidth
	GPU  int16 // whose it is, -1 if nobody's alone: uplinks, shared arrays, host memory
}

// A LinkKind groups links in charts.
type LinkKind uint8

// The kinds of links.
const (
	PCIeIn  LinkKind = iota // into a GPU, or through the uplink of a switch towards GPUs
	PCIeOut                 // out of a GPU, or through the uplink of a switch
	PeerIn                  // from other GPUs
	PeerOut                 // to other GPUs
	ArrayRead
	ArrayWrite
	HostIn     // host memory to a GPU, as a program reaches it
	HostOut    // a GPU to host memory
	HostDRAM   // host memory itself: one link of what is read, one of what is written
	NetworkIn  // into a node, from other nodes
	NetworkOut // out of a node
	LinkKinds
)

// An Array is drives that work as one (RAID-0).
type Array struct {
	Drives      int64
	Read, Write LinkID
	GPUs        []int16 // that use it
}

// A Node is a machine with the rates of all its links.
type Node struct {
	Config
	Links  []Link
	Arrays []Array

	gpus     []gpuLinks
	uplinks  [][2]LinkID // into and out of each switch; none where each GPU has its own way
	networks [][2]LinkID // into and out of each node; none where there is one
	dramRead LinkID
	dramWrit LinkID
}

// gpuLinks are one GPU's.
type gpuLinks struct {
	in, out, peerIn, peerOut, hostIn, hostOut LinkID
	pinnedIn, pinnedOut                       LinkID
	bounceIn, bounceOut                       LinkID // where BouncePath is set and drives do not talk to GPUs
	array                                     int16
}

// An EndpointKind is what can hold bytes.
type EndpointKind uint8

// The endpoints.
const (
	OnGPU EndpointKind = iota
	OnHost
	OnArray // of the GPU with this index
)

// An Endpoint is where bytes are; Index is a GPU's.
type Endpoint struct {
	Kind   EndpointKind
	Pinned bool // of host memory: it is reached at Config.Pinned
	Index  int16
}

const million = 1_000_000

// The most that Check lets a node have. They keep sums within 64 bits and charts readable.
const (
	mostGPUs   = 64   // of a node
	mostNodes  = 4096 // and GPUs in all
	mostDrives = 64   // of one GPU
	mostMemory = 64 << 40
	mostRate   = 100_000 * unit.GBps
	mostFLOPs  = 1_000_000_000_000_000_000
	mostAdam   = 1_000_000_000_000_000
	mostCents  = 100_000_000_000
)

// Check reports everything that no node can be built from.
func (c *Config) Check() error {
	var errs []error
	within := func(what string, v, low, high int64) {
		if v < low || v > high {
			errs = append(errs, fmt.Errorf("%s: %d is not between %d and %d", what, v, low, high))
		}
	}
	rate := func(what string, v, low unit.Bandwidth) {
		if v < low || v > mostRate {
			errs = append(errs, fmt.Errorf("%s: %v is not between %v and %v", what, v, low, mostRate))
		}
	}
	size := func(what string, v, low unit.Bytes) {
		if v < low || v > mostMemory {
			errs = append(errs, fmt.Errorf("%s: %v is not between %v and %v", what, v, low, unit.Bytes(mostMemory)))
		}
	}
	const least = unit.Bandwidth(1)
	nodes := max(c.Nodes, 1)
	if nodes == 1 {
		within("GPUs", c.GPUs, 1, mostGPUs)
	} else {
		within("nodes", nodes, 1, mostNodes)
		within("GPUs in all", c.GPUs, 1, mostNodes)
		within("GPUs of a node", c.InNode(), 1, mostGPUs)
	}
	if c.GPUs%nodes != 0 {
		errs = append(errs, fmt.Errorf("%d GPUs do not divide among %d nodes; take a multiple", c.GPUs, nodes))
	}
	rate("network between nodes", c.Network, 0)
	within("a step of a collective, in picoseconds", int64(c.Step), 0, int64(unit.Second))
	if nodes > 1 && c.Shared && c.Drives > 0 {
		errs = append(errs, errors.New("drives of several nodes cannot be one array; set shared to 0"))
	}
	if nodes > 1 && c.Network < 1 {
		errs = append(errs, errors.New("nodes without a network between them; set network to what a GPU's adapter carries"))
	}
	size("memory of a GPU", c.GPU.Memory, 1)
	within("spare memory of a GPU, in millionths", c.Spare, 0, million)
	if c.Spare >= 0 && c.Spare <= million && c.Usable() < 1 {
		errs = append(errs, fmt.Errorf("memory of a GPU: of %v nothing is left for tensors when %d millionths are spare; take more memory, or spare less", c.GPU.Memory, c.Spare))
	}
	within("efficiency of matrix products, in thousandths", c.Efficiency, 0, 1000)
	rate("memory bandwidth of the GPU", c.GPU.HBM, least)
	within("FP32 operations a second", c.GPU.FP32, 1, mostFLOPs)
	within("TF32 operations a second", c.GPU.TF32, 1, mostFLOPs)
	within("bf16 operations a second", c.GPU.BF16, 1, mostFLOPs)
	within("fp8 operations a second", c.GPU.FP8, 0, mostFLOPs)
	within("fp4 operations a second", c.GPU.FP4, 0, mostFLOPs)
	rate("link of the GPU to the host", c.GPU.Link, least)
	rate("NVLink", c.GPU.Peer, 0)
	within("GPUs on a switch", c.Switch, 1, mostGPUs)

	within("drives of a GPU", c.Drives, 0, mostDrives)
	if c.Drives > 0 {
		rate("reading of a drive", c.Drive.Read, least)
		rate("writing of a drive", c.Drive.Write, least)
		size("size of a drive", c.Drive.Size, 1)
		within("latency of a drive, in picoseconds", int64(c.Drive.Latency), 0, int64(unit.Second))
		rate("most of an array", c.ArrayCap, 0)
		within("share that an array reaches of its drives, in thousandths", c.ArrayShare, 1, 1000)
	}
	one := c.One()
	size("host memory", one.Host, 0)
	size("host memory that is not for training", one.HostSpare, 0)
	within("margin of host memory, in thousandths", c.HostMargin, 0, 10_000)
	rate("path between GPU and drives through host memory", c.BouncePath, 0)
	rate("bandwidth of host memory", one.HostRate, 2)
	rate("reading of host memory by processors", one.HostReads, 0)
	rate("path between GPU and host memory", c.HostPath, 0)
	rate("path between GPU and pinned host memory", c.Pinned, 0)
	rate("collectives", c.Collective, 0)
	within("Adam on the host, in parameters a second", one.Adam, 1, mostAdam)

	for _, p := range []struct {
		what  string
		cents int64
	}{
		{"price of a GPU", c.GPU.Cents},
		{"price of a drive", c.Drive.Cents},
		{"price of the base", one.Prices.Base},
		{"price of a GiB of host memory", c.Prices.HostGiB},
		{"price of a kWh", c.Prices.KWh},
	} {
		within(p.what+", in cents", p.cents, 0, mostCents)
	}
	within("watts of a GPU", c.GPU.Watts, 0, 100_000)
	within("milliwatts of a drive", c.Drive.MilliWatts, 0, 1_000_000)
	within("watts of the base", one.Prices.BaseWatt, 0, 1_000_000)
	within("years", c.Prices.Years, 0, 100)
	return errors.Join(errs...)
}

// Peers is the rate at which a GPU sends to and receives from other GPUs: Collective, but never more than
// NVLink or the way to the host carries, of which a GPU that cannot copy to others has half, as its bytes
// cross it twice as far. So a chassis that was measured with other GPUs gives none a link that it lacks.
func (c *Config) Peers() unit.Bandwidth {
	own := c.GPU.Link
	switch {
	case c.GPU.Peer > 0:
		own = c.GPU.Peer
	case c.GPU.Bounce:
		own /= 2
	}
	if c.Collective > 0 {
		return min(c.Collective, own)
	}
	return own
}

// InNode is how many GPUs stand in a node where nobody says: what servers of DGX and HGX hold.
const InNode = 8

// InNode is how many GPUs a node has.
func (c *Config) InNode() int64 { return c.GPUs / max(c.Nodes, 1) }

// Times is so many nodes like one.
func (c *Config) Times(nodes int64) Config {
	x := *c
	x.Nodes, x.GPUs = nodes, c.GPUs*nodes
	x.Host, x.HostSpare = c.Host*unit.Bytes(nodes), c.HostSpare*unit.Bytes(nodes)
	x.HostRate, x.Adam = c.HostRate*unit.Bandwidth(nodes), c.Adam*nodes
	x.HostReads *= unit.Bandwidth(nodes)
	x.Prices.Base, x.Prices.BaseWatt = c.Prices.Base*nodes, c.Prices.BaseWatt*nodes
	return x
}

// One is one of the nodes.
func (c *Config) One() Config {
	x, nodes := *c, max(c.Nodes, 1)
	x.Nodes, x.GPUs = 0, c.GPUs/nodes
	x.Host, x.HostSpare = c.Host/unit.Bytes(nodes), c.HostSpare/unit.Bytes(nodes)
	x.HostRate, x.Adam = c.HostRate/unit.Bandwidth(nodes), c.Adam/nodes
	x.HostReads /= unit.Bandwidth(nodes)
	x.Prices.Base, x.Prices.BaseWatt = c.Prices.Base/nodes, c.Prices.BaseWatt/nodes
	return x
}

// networked is what programs reach of a network's rate, in thousandths: assumed. NCCL's tests on nodes of eight A100 with
// 8 × 200 Gb/s show about 185 of 200 GB/s (recalled).
const networked = 900

// Between is the rate at which a GPU's bytes go to another node where all GPUs of a node send at once.
func (c *Config) Between() unit.Bandwidth {
	return max(1, unit.Bandwidth(unit.MulDiv(int64(c.Network), networked, 1000)))
}

// Ring is the rate at which each of so many GPUs passes bytes on to the next, stride apart from each other, while
// all other GPUs do the same among theirs: inside a node that of Peers; where rings cross the network, those
// of a node share its adapters.
func (c *Config) Ring(members, stride int64) unit.Bandwidth {
	own, node := c.Peers(), c.InNode()
	if (members-1)*stride < node {
		return own
	}
	return min(own, c.Between()*unit.Bandwidth(max(1, node/max(stride, 1))))
}

// HostFree is what of host memory systems may count: without HostSpare, and what HostMargin leaves of that.
func (c *Config) HostFree() unit.Bytes {
	return unit.Bytes(unit.MulDiv(int64(max(c.Host-c.HostSpare, 0)), 1000, 1000+c.HostMargin))
}

// Direct says that drives and GPUs talk directly: GDS, where the GPU can.
func (c *Config) Direct() bool { return c.GDS && !c.GPU.Bounce }

// Build makes the node. The error says what cannot be built: everything that Check finds.
func (c *Config) Build() (*Node, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	n := &Node{Config: *c}
	add := func(kind LinkKind, gpu int, rate unit.Bandwidth, format string, args ...any) LinkID {
		n.Links = append(n.Links, Link{fmt.Sprintf(format, args...), kind, rate, int16(gpu)})
		return LinkID(len(n.Links) - 1)
	}
	n.gpus = make([]gpuLinks, c.GPUs)
	for g := range n.gpus {
		l := &n.gpus[g]
		l.in = add(PCIeIn, g, c.GPU.Link, "GPU %d PCIe in", g)
		l.out = add(PCIeOut, g, c.GPU.Link, "GPU %d PCIe out", g)
		peers := c.Peers()
		l.peerIn = add(PeerIn, g, peers, "GPU %d from GPUs", g)
		l.peerOut = add(PeerOut, g, peers, "GPU %d to GPUs", g)
		path := cmp.Or(c.HostPath, c.GPU.Link)
		l.hostIn = add(HostIn, g, path, "GPU %d from host", g)
		l.hostOut = add(HostOut, g, path, "GPU %d to host", g)
		if c.Drives > 0 && !c.Shared {
			l.array = int16(g)
			n.Arrays = append(n.Arrays, Array{
				Drives: c.Drives, GPUs: []int16{int16(g)},
				Read:  add(ArrayRead, g, c.arrayRate(c.Drive.Read, 1), "Drives of GPU %d read", g),
				Write: add(ArrayWrite, g, c.arrayRate(c.Drive.Write, 1), "Drives of GPU %d written", g),
			})
		}
	}
	if c.Drives > 0 && c.Shared {
		a := Array{
			Drives: c.Drives * c.GPUs,
			Read:   add(ArrayRead, -1, c.arrayRate(c.Drive.Read, c.GPUs), "Drives read"),
			Write:  add(ArrayWrite, -1, c.arrayRate(c.Drive.Write, c.GPUs), "Drives written"),
		}
		for g := range n.gpus {
			a.GPUs = append(a.GPUs, int16(g))
		}
		n.Arrays = append(n.Arrays, a)
	}
	if c.Switch > 1 {
		for s := range (c.GPUs + c.Switch - 1) / c.Switch {
			in := add(PCIeIn, -1, c.GPU.Link, "Switch %d towards GPUs", s)
			n.uplinks = append(n.uplinks, [2]LinkID{in, add(PCIeOut, -1, c.GPU.Link, "Switch %d from GPUs", s)})
		}
	}
	if c.Nodes > 1 {
		for i := range c.Nodes {
			in := add(NetworkIn, -1, c.Between()*unit.Bandwidth(c.InNode()), "Node %d from network", i)
			n.networks = append(n.networks, [2]LinkID{in, add(NetworkOut, -1, c.Between()*unit.Bandwidth(c.InNode()), "Node %d to network", i)})
		}
	}
	n.dramRead = add(HostDRAM, -1, c.HostRate/2, "Host memory read")
	n.dramWrit = add(HostDRAM, -1, c.HostRate/2, "Host memory written")
	for g := range n.gpus {
		l := &n.gpus[g]
		l.pinnedIn, l.pinnedOut = l.hostIn, l.hostOut
		if c.Pinned > 0 {
			l.pinnedIn = add(HostIn, g, c.Pinned, "GPU %d from pinned memory", g)
			l.pinnedOut = add(HostOut, g, c.Pinned, "GPU %d to pinned memory", g)
		}
		if n.bounces() {
			l.bounceIn = add(HostIn, g, c.BouncePath, "GPU %d from drives through host", g)
			l.bounceOut = add(HostOut, g, c.BouncePath, "GPU %d to drives through host", g)
		}
	}
	return n, nil
}

// bounces says that a GPU's bytes from and to drives have a path of their own through host memory.
func (n *Node) bounces() bool { return n.BouncePath > 0 && n.Drives > 0 && !n.Direct() }

// arrayRate is what an array of the drives of so many GPUs moves in a direction in which one
// drive moves rate.
func (c *Config) arrayRate(rate unit.Bandwidth, gpus int64) unit.Bandwidth {
	all := max(1, unit.Bandwidth(unit.MulDiv(int64(rate)*c.Drives*gpus, c.ArrayShare, 1000)))
	if c.ArrayCap > 0 {
		all = min(all, c.ArrayCap*unit.Bandwidth(gpus))
	}
	return all
}

// Route returns the links between two endpoints, each once. Between a GPU and its array it goes
// through host memory without GDS. The Index of an array is that of a GPU which uses it; that of
// host memory is not looked at.
//
// The error is about endpoints that are not there, or that nothing connects: a GPU and the array
// of another, or the same place.
func (n *Node) Route(from, to Endpoint) ([]LinkID, error) {
	for _, e := range []Endpoint{from, to} {
		switch {
		case e.Kind > OnArray:
			return nil, fmt.Errorf("no such endpoint: kind %d", e.Kind)
		case e.Kind == OnHost:
		case e.Index < 0 || int(e.Index) >= len(n.gpus):
			return nil, fmt.Errorf("no GPU %d: the node has %d", e.Index, len(n.gpus))
		case e.Kind == OnArray && len(n.Arrays) == 0:
			return nil, errors.New("the node has no drives")
		}
	}
	type pair struct{ from, to EndpointKind }
	switch (pair{from.Kind, to.Kind}) {
	case pair{OnGPU, OnGPU}:
		if from.Index != to.Index {
			return n.peers(int(from.Index), int(to.Index)), nil
		}
	case pair{OnGPU, OnHost}:
		l := &n.gpus[from.Index]
		path := l.hostOut
		if to.Pinned {
			path = l.pinnedOut
		}
		return append(n.up([]LinkID{path, l.out}, from.Index), n.dramWrit), nil
	case pair{OnHost, OnGPU}:
		l := &n.gpus[to.Index]
		path := l.hostIn
		if from.Pinned {
			path = l.pinnedIn
		}
		return append(n.down([]LinkID{n.dramRead}, to.Index), l.in, path), nil
	case pair{OnHost, OnArray}:
		return []LinkID{n.dramRead, n.Array(int(to.Index)).Write}, nil
	case pair{OnArray, OnHost}:
		return []LinkID{n.Array(int(from.Index)).Read, n.dramWrit}, nil
	case pair{OnGPU, OnArray}, pair{OnArray, OnGPU}:
		gpu, array := from.Index, to.Index
		if from.Kind == OnArray {
			gpu, array = to.Index, from.Index
		}
		if !n.Shared && gpu != array {
			return nil, fmt.Errorf("GPU %d and the drives of GPU %d are not connected", gpu, array)
		}
		if from.Kind == OnArray {
			return n.read(gpu), nil
		}
		return n.write(gpu), nil
	}
	return nil, errors.New("a route from a place to itself")
}

// peers is the way from a GPU to another.
func (n *Node) peers(from, to int) []LinkID {
	a, b := &n.gpus[from], &n.gpus[to]
	path := []LinkID{a.peerOut, b.peerIn}
	if x, y := n.in(int64(from)), n.in(int64(to)); x != y {
		path = append(path, n.networks[x][1], n.networks[y][0])
		if n.GPU.Peer == 0 {
			path = append(path, a.out, b.in)
		}
		return path
	}
	if n.GPU.Peer > 0 {
		return path
	}
	path = append(path, a.out)
	if apart := from/int(n.Switch) != to/int(n.Switch); apart || n.GPU.Bounce {
		path = n.up(path, int16(from))
		if n.GPU.Bounce {
			path = append(path, n.dramWrit, n.dramRead)
		}
		path = n.down(path, int16(to))
	}
	return append(path, b.in)
}

// in is the node that a GPU stands in.
func (n *Node) in(gpu int64) int64 { return gpu / n.InNode() }

// read is the way from a GPU's array to it, write the way back.
func (n *Node) read(gpu int16) []LinkID {
	path := []LinkID{n.Array(int(gpu)).Read}
	if !n.Direct() {
		path = append(path, n.dramWrit, n.dramRead)
	}
	if !n.Direct() || n.Shared {
		path = n.down(path, gpu)
	}
	if n.bounces() {
		path = append(path, n.gpus[gpu].bounceIn)
	}
	return append(path, n.gpus[gpu].in)
}

func (n *Node) write(gpu int16) []LinkID {
	path := []LinkID{n.gpus[gpu].out}
	if n.bounces() {
		path = append(path, n.gpus[gpu].bounceOut)
	}
	if !n.Direct() || n.Shared {
		path = n.up(path, gpu)
	}
	if !n.Direct() {
		path = append(path, n.dramWrit, n.dramRead)
	}
	return append(path, n.Array(int(gpu)).Write)
}

// up appends the uplink of a GPU's switch, where there is one, away from the GPU, and down that
// towards it.
func (n *Node) up(path []LinkID, gpu int16) []LinkID {
	if len(n.uplinks) > 0 {
		path = append(path, n.uplinks[int64(gpu)/n.Switch][1])
	}
	return path
}

func (n *Node) down(path []LinkID, gpu int16) []LinkID {
	if len(n.uplinks) > 0 {
		path = append(path, n.uplinks[int64(gpu)/n.Switch][0])
	}
	return path
}

// Array returns the array that a GPU uses, nil without drives.
func (n *Node) Array(gpu int) *Array {
	if len(n.Arrays) == 0 {
		return nil
	}
	return &n.Arrays[n.gpus[gpu].array]
}

// Usable is what of a GPU's memory holds tensors that a plan places: all but Spare, in whole
// MiB where there is one.
func (c *Config) Usable() unit.Bytes {
	if c.Spare == 0 {
		return c.GPU.Memory
	}
	left := c.GPU.Memory - unit.Bytes(unit.MulDiv(int64(c.GPU.Memory), c.Spare, million))
	if left > unit.MiB {
		left -= left % unit.MiB
	}
	return left
}

// Stream is how fast all GPUs together read pinned host memory: each over its own path and PCIe, all
// from half of what host memory moves (departure 2).
func (n *Node) Stream() unit.Bandwidth {
	each := n.GPU.Link
	switch {
	case n.Pinned > 0:
		each = min(each, n.Pinned)
	case n.HostPath > 0:
		each = min(each, n.HostPath)
	}
	all := each * unit.Bandwidth(n.GPUs)
	if len(n.uplinks) > 0 {
		all = min(all, n.GPU.Link*unit.Bandwidth(len(n.uplinks)))
	}
	return min(all, n.HostRate/2)
}

// reads is what processors that compute with what they read get of host memory's rate, in thousandths: 26 of the 89.6 GB/s of
// a desktop, by 2.89 tokens a second of a 14B model of 9 GB that llama.cpp computes on processors alone.
const reads = 290

// Processors is how fast processors read host memory that compute with what they read: HostReads, or so much of HostRate as
// llama.cpp was seen to reach. A server of FlexGen's paper is said to reach 7.2 GB/s.
func (c *Config) Processors() unit.Bandwidth {
	if c.HostReads > 0 {
		return c.HostReads
	}
	return max(1, unit.Bandwidth(unit.MulDiv(int64(c.HostRate), reads, 1000)))
}

// Price is what the node costs, in US cents.
func (c *Config) Price() int64 {
	host := unit.MulDiv(c.Prices.HostGiB, int64(c.Host), int64(unit.GiB))
	return c.Prices.Base + c.GPUs*(c.GPU.Cents+c.Drives*c.Drive.Cents) + host
}

// MilliWatts is the power of the node while everything works.
func (c *Config) MilliWatts() int64 {
	return 1000*(c.Prices.BaseWatt+c.GPUs*c.GPU.Watts) + c.GPUs*c.Drives*c.Drive.MilliWatts
}
