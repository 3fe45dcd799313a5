package machine

import "spillway/sim/unit"

// What presets share that no source states.
const (
	kWh   = 13 // US cents: what businesses pay in the United States, 12.8 on average in 2024 (EIA)
	years = 4  // assumed
	// adam is parameters a second of Adam on one socket: the lower end of what fp32 Adam with
	// AVX-512 reaches, 2 to 4.5·10⁹, which memory bounds.
	adam = 2_000_000_000
	// gemm is what large matrix products reach of a GPU's peak, in thousandths: fitted to the axes
	// of the TERAIO paper's Figure 7 (tokens a second of Llama-3 8B in fp32), assumed of all others.
	gemm = 720
	// spare is what contexts, buffers of collectives and holes take of a GPU's memory, in millionths: assumed.
	spare = 100_000
	// hostSpare is what the operating system and programs have of host memory, hostMargin by how much more systems take than
	// they count, in thousandths: 750 to 800 GB were used where states are 585 (DeepSpeed, issue 3448), and
	// 744 were too few for 32B (LLaMA-Factory, issue 6755). The TERAIO node counts as the paper does.
	hostSpare  = 8 * unit.GiB
	hostMargin = 300
)

// What adapters carry, each direction, by name.
const (
	ndr     = 50 * unit.GBps   // 400 Gb/s: one a GPU in a DGX H100
	hdr     = 25 * unit.GBps   // 200 Gb/s: one a GPU in a DGX A100
	onboard = 1250 * unit.MBps // 10 Gb/s: what boards of desktops and workstations have at best
)

// Standard is the node of the TERAIO paper (Table 2, §4.1): two H100 NVL with four 990 PRO each.
//
// Fitted are Efficiency (axes of Figure 7), HostPath (TERAIO-Mixed, Llama-3 70B: 59.7 % of ideal) and
// Collective (ZeRO-Offload, Llama-3 8B: 65.9 % of ideal). Everything else that the paper
// reports is held out. HostPath is that of TERAIO's engine; DeepSpeed and FSDP copy from and to
// pinned memory (Table 4), of which 0.8 of PCIe is assumed, as in the other presets. Spare leaves what
// the paper's percentages of memory are of: M of Figure 7 grows with the sequence by whole tensors only
// if the capacity is 80 GiB.
func Standard() Config {
	return Config{
		GPU: GPUs()[0], GPUs: 2, Spare: 148_936, Efficiency: gemm, // 14 of 94 GiB
		Drive: Drives()[0], Drives: 4, ArrayCap: 16 * unit.GBps, ArrayShare: 1000, GDS: true,
		// 24 modules of 64 GB on 24 channels of DDR5-4800: AMD EPYC 9334 data sheet, two of them.
		Host: 1536 * unit.GiB, HostRate: 24 * 38400 * unit.MBps, HostPath: 3 * unit.GBps, Pinned: 50_400 * unit.MBps,
		Adam: 2 * adam, Collective: 6 * unit.GBps, Switch: 1, Network: ndr,
		Prices: Prices{
			Base: serverBase, HostGiB: serverGiB, KWh: kWh, Years: years,
			BaseWatt: 700, // assumed: two processors of 210 W (data sheet), 24 modules of 6 W, fans
		},
	}
}

// A Reading is what the TERAIO paper leaves open of its machine: the most that an array moves, what drives that read
// and write at once reach of their rates, in thousandths, and how fast TERAIO copies from and to host memory.
type Reading struct {
	ArrayCap   unit.Bandwidth
	ArrayShare int64
	HostPath   unit.Bandwidth
}

// AsStated is the reading of Standard: an array moves what the text states.
func AsStated() Reading {
	c := Standard()
	return Reading{c.ArrayCap, c.ArrayShare, c.HostPath}
}

// AsRun is the reading under which most of the paper's numbers hold at once. "Approximately 16 GB/s" (§4.1) is
// what 8 lanes of PCIe 4.0 are called, 15.75 GB/s, of which copies reach four fifths as everywhere here;
// a drive that reads and writes at once has 70 % of each rate, fitted to Figure 9's two drives; HostPath is fitted to the same
// number as that of Standard.
func AsRun() Reading { return Reading{12_600 * unit.MBps, 700, 7_250 * unit.MBps} }

// A Preset is a node with a name. Source says where each number is from that the parts do not.
type Preset struct {
	Key, Title, About, Source string
	Config                    Config
}

// Presets lists nodes; the first is that of the TERAIO paper.
func Presets() []Preset {
	const assumed = " Assumed in all: nine tenths of a GPU's memory are for tensors, " +
		"8 GiB of host memory are for the operating system, systems take 30 % more than they count (DeepSpeed, issue 3448), " +
		"2·10⁹ parameters a second of Adam on a socket, four years. Copies between GPU and host take what nvbandwidth measures (PCIe 4: 25.5 GB/s, PCIe 5: 55.6), consumer drives write what they do behind their cache, and kernels take what the law of kernel times says."
	return []Preset{
		{
			Key: "teraio", Title: "2 × H100 NVL, 8 × 990 PRO (TERAIO)", Config: Standard(),
			About: "The TERAIO paper's server: four consumer drives for each GPU, which talk to it directly.",
			Source: "TERAIO paper, Table 2 (parts), §4.1 (16 GB/s an array), Table 3 (prices). Fitted: matrix products at 0.72 of the peak, " +
				"3 GB/s between GPU and host for TERAIO, 6 GB/s in collectives. Assumed: 0.8 of PCIe between GPU and pinned host memory for ZeRO and FSDP, 700 W besides GPUs and drives, four years.",
		},
		{
			Key: "eight-a100", Title: "8 × A100 80 GB (DGX A100)", Config: dgx("a100-80", "pcie4", 240, 3192, 3200),
			About: "Eight GPUs on NVLink, one data-centre drive each, two terabytes of host memory.",
			Source: "NVIDIA DGX A100 (640 GB) data sheet and user guide: 8 drives of 3.84 TB, 2 TB of memory on 16 channels of DDR4-3200, two GPUs on a PCIe switch, 6.5 kW at most. " +
				"Collectives: 0.8 of NVLink, as NCCL's authors say (NVIDIA/nccl issue 1054). The drive is assumed a PM9A3. Chassis as that of H100 servers in the TERAIO paper's Table 3." + assumed,
		},
		{
			Key: "four-4090", Title: "4 × RTX 4090 workstation", Config: workstation(),
			About: "Consumer GPUs without NVLink or direct storage: everything crosses host memory.",
			Source: "AMD Ryzen Threadripper PRO 7000 data sheet: 8 channels of DDR5-5200, 128 lanes of PCIe, 350 W. 512 GB of memory and two drives a GPU are chosen; 12 GB/s in collectives, about half of a copy because all of it goes through host memory, " +
				"$6,000 and 500 W for all but GPUs, drives and memory are assumed. Memory: 64 GB for $225 (blazetrends.com, 2024)." + assumed,
		},
		{
			Key: "one-4090", Title: "1 × RTX 4090, 128 GB", Config: desktop(),
			About: "A desktop: one consumer GPU, two drives, all the memory that the board takes.",
			Source: "Two channels of DDR5-5600 (Intel Core i9-14900K data sheet). 128 GB and two drives are chosen; $1,500 and 250 W for all but GPU, drives and memory are assumed. " +
				"Memory: 64 GB for $225 (blazetrends.com, 2024)." + assumed,
		},
		{
			Key: "dgx-h100", Title: "8 × H100 SXM (DGX H100)", Config: dgx("h100-sxm", "pcie5", 370, 4492, 4800),
			About: "Eight GPUs on NVLink, one data-centre drive each, two terabytes of host memory.",
			Source: "NVIDIA DGX H100 data sheet and user guide: 8 drives of 3.84 TB, 2 TB of memory on 16 channels of DDR5-4800, two GPUs on a PCIe switch, 10.2 kW at most. " +
				"Collectives: 370 GB/s in a ring, as NCCL's authors say (NVIDIA/nccl-tests issue 212). The drive is assumed a PM9A3. Prices: TERAIO paper, Table 3." + assumed,
		},
	}
}

// With is the node with other GPUs in it. What programs reach of the GPUs' links to the host goes with what copies over such
// links reach, what they reach of those to each other with what data sheets say. Assumed: boards have slots as fast as the cards that they take.
func (c Config) With(g GPU) Config {
	if g.Key == c.GPU.Key {
		c.GPU = g
		return c
	}
	c.HostPath = unit.Bandwidth(unit.MulDiv(int64(c.HostPath), int64(g.Copies()), int64(c.GPU.Copies())))
	c.Pinned = unit.Bandwidth(unit.MulDiv(int64(c.Pinned), int64(g.Copies()), int64(c.GPU.Copies())))
	if c.Collective > 0 {
		was, now := c.GPU.Peer, g.Peer
		if was == 0 || now == 0 {
			was, now = c.GPU.Link, g.Link
		}
		c.Collective = unit.Bandwidth(unit.MulDiv(int64(c.Collective), int64(now), int64(was)))
	}
	c.GPU, c.Spare, c.GDS = g, SpareOf(g), c.GDS && !g.Bounce
	return c
}

// SpareOf is what of a GPU's memory is not for tensors, in millionths: as the TERAIO paper counts for its own GPU, else a
// tenth, as assumed in all presets.
func SpareOf(g GPU) int64 {
	if s := Standard(); g.Key == s.GPU.Key {
		return s.Spare
	}
	return spare
}

// SoldWith is the node in which a GPU stands as a rule: NVIDIA's server where GPUs have NVLink, one board where the
// processor is on it, a desktop for GeForce, a server with a workstation's host for other cards; that of the TERAIO
// paper for its own GPU.
func SoldWith(g GPU) Config {
	switch {
	case g.Key == Standard().GPU.Key:
		return Standard()
	case g.Peer > 0 && (g.Form == "SXM4" || g.Form == "SXM2"):
		return must(FindPreset("eight-a100")).Config.With(g)
	case g.Peer > 0 && g.Link > pcie5: // its processor is on its board, with 480 GiB at 512 GB/s: NVIDIA GH200 data sheet
		c := must(FindPreset("dgx-h100")).Config.With(g)
		c.GPUs, c.Switch, c.Host, c.HostRate = 1, 1, 480*unit.GiB, 512*unit.GBps
		c.Adam, c.Prices.BaseWatt = adam, 300 // W of the processor
		return c
	case g.Peer > 0:
		return must(FindPreset("dgx-h100")).Config.With(g)
	case g.Bounce:
		c := desktop().With(g)
		c.Collective = workstation().With(g).Collective // where there are several
		return c
	}
	c := workstation().With(g)
	c.Drive, c.Drives, c.GDS = must(FindDrive("pm9a3")), 1, true
	c.Prices.Base, c.Prices.BaseWatt, c.Prices.HostGiB, c.Network = serverBase, 700, serverGiB, hdr
	return c
}

// dgx is NVIDIA's server with eight GPUs. The rate of collectives is in GB/s, of the memory's
// channels in millions of transfers of 8 bytes a second.
func dgx(gpu, path string, collective unit.Bandwidth, watts, transfers int64) Config {
	c := Standard()
	c.GPU, c.Drive = must(FindGPU(gpu)), must(FindDrive("pm9a3"))
	c.GPUs, c.Drives, c.Switch = 8, 1, 2
	c.Spare, c.Efficiency = spare, 0
	c.HostSpare, c.HostMargin = hostSpare, hostMargin
	c.ArrayCap = 0
	c.Host, c.HostRate = 2048*unit.GiB, 16*8*unit.Bandwidth(transfers)*unit.MBps
	c.HostPath, c.Pinned, c.Collective = copies(path), 0, collective*unit.GBps
	if c.GPU.Form == "SXM4" {
		c.Network = hdr
	}
	c.Prices.BaseWatt = watts // what the data sheet's most leaves for all but GPUs and drives
	return c
}

func workstation() Config {
	c := desktop()
	c.GPUs = 4
	c.Host, c.HostRate = 512*unit.GiB, 8*8*5200*unit.MBps
	c.Collective, c.Network = 12*unit.GBps, onboard/4
	c.Prices.Base, c.Prices.BaseWatt = 600_000, 500
	return c
}

func desktop() Config {
	c := Standard()
	c.GPU, c.Drive = must(FindGPU("rtx-4090")), must(FindDrive("990-pro"))
	c.GPUs, c.Drives = 1, 2
	c.Spare, c.Efficiency = spare, 0
	c.HostSpare, c.HostMargin = hostSpare, hostMargin
	c.ArrayCap, c.GDS = 0, false
	c.Host, c.HostRate = 128*unit.GiB, 2*8*5600*unit.MBps
	c.HostPath, c.Pinned, c.Collective, c.Adam = copies("pcie4"), 0, 0, adam
	c.Network = onboard
	c.Prices.Base, c.Prices.BaseWatt, c.Prices.HostGiB = 150_000, 250, 352
	return c
}

// must returns a part that is in the list; that all are is what a test shows.
func must[T any](part T, err error) T {
	if err != nil {
		panic(err)
	}
	return part
}
