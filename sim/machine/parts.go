package machine

import (
	"fmt"

	"spillway/sim/sustained"
	"spillway/sim/unit"
)

// The raw rates of 16 lanes, each direction, after encoding (128b/130b).
const (
	pcie3 = 15754 * unit.MBps
	pcie4 = 31508 * unit.MBps
	pcie5 = 63015 * unit.MBps
)

// The price of an H100 in the servers of the TERAIO paper, Table 3, of 2025: two servers with
// eight cost $499,591.40, one with two $84,139.90, all with 128 GB. If what is around the GPUs costs
// the same, a GPU is a sixth of the difference, $27,609.30, and the rest of a server without
// memory $27,934.42 (base). A GiB of memory is what 896 more cost, $6,908, over 896.
const (
	h100Cents   = (49_959_140/2 - 8_413_990) / 6
	serverGiB   = 771
	serverBase  = 8_413_990 - 2*h100Cents - 128*serverGiB
	pricesTable = "TERAIO paper, Table 3 (Exxact, 2025)"
	h100PriceOf = pricesTable + ": a sixth of what a server with 8 costs more than one with 2, chassis assumed alike"
)

// tera is 10^12 operations a second.
const tera = 1_000_000_000_000

// GPUs lists the kinds of GPUs; the first is the TERAIO paper's. Operations are dense and those
// of bf16 with fp32 sums; memory is in units of 2^30 bytes, as the makers count it.
func GPUs() []GPU {
	return []GPU{
		{
			Key: "h100-nvl", Title: "H100 NVL 94 GB", Memory: 94 * unit.GiB, HBM: 3938 * unit.GBps,
			FP32: 60 * tera, TF32: 417_500_000_000_000, BF16: 835_500_000_000_000, FP8: 1671 * tera, Form: "PCIe", Link: pcie5, Watts: 400,
			Source: "NVIDIA H100 data sheet (NVL); NVLink needs a bridge and is not counted", Cents: h100Cents, PriceOf: h100PriceOf,
		},
		{
			Key: "h100-sxm", Title: "H100 SXM 80 GB", Memory: 80 * unit.GiB, HBM: 3350 * unit.GBps,
			FP32: 67 * tera, TF32: 494_700_000_000_000, BF16: 989_400_000_000_000, FP8: 1_978_800_000_000_000, Form: "SXM5", Link: pcie5, Peer: 450 * unit.GBps, Watts: 700,
			Source: "NVIDIA H100 data sheet (SXM)", Cents: h100Cents, PriceOf: h100PriceOf,
		},
		{
			Key: "h100-pcie", Title: "H100 PCIe 80 GB", Memory: 80 * unit.GiB, HBM: 2039 * unit.GBps,
			FP32: 51 * tera, TF32: 378 * tera, BF16: 756 * tera, FP8: 1513 * tera, Form: "PCIe", Link: pcie5, Watts: 350,
			Source: "NVIDIA H100 data sheet (PCIe); NVLink needs a bridge and is not counted",
			Cents:  3_250_000, PriceOf: "middle of $25,000 to 40,000 (aiwiki.ai), 2023",
		},
		{
			Key: "h200", Title: "H200 SXM 141 GB", Memory: 141 * unit.GiB, HBM: 4800 * unit.GBps,
			FP32: 67 * tera, TF32: 494_700_000_000_000, BF16: 989_400_000_000_000, FP8: 1_978_800_000_000_000, Form: "SXM5", Link: pcie5, Peer: 450 * unit.GBps, Watts: 700,
			Source: "NVIDIA H200 data sheet", Cents: 3_200_000, PriceOf: "assumed: somewhat above an H100, 2025",
		},
		{
			Key: "h200-nvl", Title: "H200 NVL 141 GB", Memory: 141 * unit.GiB, HBM: 4800 * unit.GBps,
			FP32: 60 * tera, TF32: 417_500_000_000_000, BF16: 835_500_000_000_000, FP8: 1671 * tera, Form: "PCIe", Link: pcie5, Watts: 600,
			Source: "NVIDIA H200 data sheet (NVL); NVLink needs a bridge and is not counted", Cents: 3_200_000, PriceOf: "assumed: as the H200 SXM, 2025",
		},
		{
			Key: "b200", Title: "B200 SXM 180 GB", Memory: 180 * unit.GiB, HBM: 8000 * unit.GBps,
			FP32: 80 * tera, TF32: 1100 * tera, BF16: 2250 * tera, FP8: 4500 * tera, FP4: 9000 * tera, Form: "SXM6", Link: pcie5, Peer: 900 * unit.GBps, Watts: 1000,
			Source: "NVIDIA DGX B200 data sheet, an eighth of it", Cents: 4_000_000, PriceOf: "assumed: the upper end of $30,000 to 40,000 that NVIDIA's chief named on television, March 2024",
		},
		{
			Key: "gh200", Title: "GH200 96 GB", Memory: 96 * unit.GiB, HBM: 4000 * unit.GBps,
			FP32: 67 * tera, TF32: 494_700_000_000_000, BF16: 989_400_000_000_000, FP8: 1_978_800_000_000_000, Form: "GH200", Link: 450 * unit.GBps, Peer: 450 * unit.GBps, Watts: 700,
			Source: "NVIDIA GH200 data sheet; Link is NVLink-C2C. Assumed: 700 W of the module's 1000 are the GPU's",
			Cents:  4_000_000, PriceOf: "assumed: with its processor about a B200, 2024",
		},
		{
			Key: "a100-80", Title: "A100 SXM 80 GB", Memory: 80 * unit.GiB, HBM: 2039 * unit.GBps,
			FP32: 19_500_000_000_000, TF32: 156 * tera, BF16: 312 * tera, Form: "SXM4", Link: pcie4, Peer: 300 * unit.GBps, Watts: 400,
			Source: "NVIDIA A100 data sheet", Cents: 1_150_000, PriceOf: "refurbished or used, middle of $8,000 to 15,000 (mercatus-ai.com), 2026",
		},
		{
			Key: "a100-40", Title: "A100 PCIe 40 GB", Memory: 40 * unit.GiB, HBM: 1555 * unit.GBps,
			FP32: 19_500_000_000_000, TF32: 156 * tera, BF16: 312 * tera, Form: "PCIe", Link: pcie4, Watts: 250,
			Source: "NVIDIA A100 data sheet (PCIe); NVLink needs a bridge and is not counted", Cents: 800_000, PriceOf: "assumed: the low end of what refurbished ones with 80 GB cost, 2026",
		},
		{
			Key: "v100-32", Title: "V100 SXM2 32 GB", Memory: 32 * unit.GiB, HBM: 900 * unit.GBps,
			FP32: 15_700_000_000_000, TF32: 15_700_000_000_000, BF16: 125 * tera, Form: "SXM2", Link: pcie3, Peer: 150 * unit.GBps, Watts: 300,
			Source: "NVIDIA V100 data sheet; it has fp16, no bf16, and no TF32", Cents: 1_100_000, PriceOf: "assumed: new, about (planetsedu.com), 2018",
		},
		{
			Key: "rtx-4090", Title: "GeForce RTX 4090", Memory: 24 * unit.GiB, HBM: 1008 * unit.GBps,
			FP32: 82_600_000_000_000, TF32: 82_600_000_000_000, BF16: 165_200_000_000_000, FP8: 330_300_000_000_000, Form: "PCIe", Link: pcie4, Bounce: true, Watts: 450,
			Source: "NVIDIA Ada architecture whitepaper", Cents: 159_900, PriceOf: "at launch (tomsguide.com), October 2022",
		},
		{
			Key: "rtx-3090", Title: "GeForce RTX 3090", Memory: 24 * unit.GiB, HBM: 936 * unit.GBps,
			FP32: 35_600_000_000_000, TF32: 35_600_000_000_000, BF16: 71_200_000_000_000, Form: "PCIe", Link: pcie4, Bounce: true, Watts: 350,
			Source: "NVIDIA Ampere GA102 architecture whitepaper; NVLink needs a bridge and is not counted", Cents: 149_900, PriceOf: "at launch (hothardware.com), September 2020",
		},
		{
			Key: "rtx-5090", Title: "GeForce RTX 5090", Memory: 32 * unit.GiB, HBM: 1792 * unit.GBps,
			FP32: 104_800_000_000_000, TF32: 104_800_000_000_000, BF16: 209_500_000_000_000, FP8: 419 * tera, FP4: 1676 * tera, Form: "PCIe", Link: pcie5, Bounce: true, Watts: 575,
			Source: "NVIDIA RTX Blackwell architecture whitepaper, recalled", Cents: 199_900, PriceOf: "at launch, January 2025",
		},
		{
			Key: "rtx-3060", Title: "GeForce RTX 3060 12 GB", Memory: 12 * unit.GiB, HBM: 360 * unit.GBps,
			FP32: 12_700_000_000_000, TF32: 12_700_000_000_000, BF16: 25_500_000_000_000, Form: "PCIe", Link: pcie4, Bounce: true, Watts: 170,
			Source: "NVIDIA Ampere GA102 architecture whitepaper, by shaders and clock", Cents: 32_900, PriceOf: "at launch, February 2021",
		},
		{
			Key: "rtx-4060-ti", Title: "GeForce RTX 4060 Ti 16 GB", Memory: 16 * unit.GiB, HBM: 288 * unit.GBps,
			FP32: 22_060_000_000_000, TF32: 22_060_000_000_000, BF16: 44_100_000_000_000, FP8: 88_200_000_000_000, Form: "PCIe", Link: pcie4 / 2, Bounce: true, Watts: 160,
			Source: "NVIDIA Ada architecture whitepaper, by shaders and clock; half as many lanes as others", Cents: 49_900, PriceOf: "at launch, July 2023",
		},
		{
			Key: "rtx-a6000", Title: "RTX A6000", Memory: 48 * unit.GiB, HBM: 768 * unit.GBps,
			FP32: 38_700_000_000_000, TF32: 77_400_000_000_000, BF16: 154_800_000_000_000, Form: "PCIe", Link: pcie4, Watts: 300,
			Source: "NVIDIA RTX A6000 data sheet; NVLink needs a bridge and is not counted", Cents: 465_000, PriceOf: "at launch, about, December 2020",
		},
		{
			Key: "rtx-6000-ada", Title: "RTX 6000 Ada", Memory: 48 * unit.GiB, HBM: 960 * unit.GBps,
			FP32: 91_100_000_000_000, TF32: 182 * tera, BF16: 364 * tera, FP8: 728 * tera, Form: "PCIe", Link: pcie4, Watts: 300,
			Source: "NVIDIA RTX 6000 Ada data sheet", Cents: 680_000, PriceOf: "at launch, about, December 2022",
		},
		{
			Key: "l40s", Title: "L40S", Memory: 48 * unit.GiB, HBM: 864 * unit.GBps,
			FP32: 91_600_000_000_000, TF32: 183 * tera, BF16: 362 * tera, FP8: 733 * tera, Form: "PCIe", Link: pcie4, Watts: 350,
			Source: "NVIDIA L40S data sheet", Cents: 800_000, PriceOf: "assumed: somewhat above an RTX 6000 Ada, 2024",
		},
		{
			Key: "a10", Title: "A10", Memory: 24 * unit.GiB, HBM: 600 * unit.GBps,
			FP32: 31_200_000_000_000, TF32: 62_500_000_000_000, BF16: 125 * tera, Form: "PCIe", Link: pcie4, Watts: 150,
			Source: "NVIDIA A10 data sheet", Cents: 300_000, PriceOf: "assumed: about two thirds of an RTX A6000, 2022",
		},
		{
			Key: "t4", Title: "T4", Memory: 16 * unit.GiB, HBM: 320 * unit.GBps,
			FP32: 8_100_000_000_000, TF32: 8_100_000_000_000, BF16: 65 * tera, Form: "PCIe", Link: pcie3, Watts: 70,
			Source: "NVIDIA T4 data sheet; it has fp16, no bf16, and no TF32", Cents: 100_000, PriceOf: "assumed: used, 2024",
		},
		{
			Key: "h20", Title: "H20 96 GB", Memory: 96 * unit.GiB, HBM: 4000 * unit.GBps,
			FP32: 44 * tera, TF32: 74 * tera, BF16: 148 * tera, FP8: 296 * tera, Form: "SXM5", Link: pcie5, Peer: 450 * unit.GBps, Watts: 400,
			Source: "NVIDIA H20 data sheet, recalled", Cents: 1_300_000, PriceOf: "assumed: the middle of $12,000 to 15,000 that news reported, 2024",
		},
		{
			Key: "rtx-5060-ti", Title: "GeForce RTX 5060 Ti 16 GB", Memory: 16 * unit.GiB, HBM: 448 * unit.GBps,
			FP32: 23_700_000_000_000, TF32: 23_700_000_000_000, BF16: 47_400_000_000_000, FP8: 94_800_000_000_000, FP4: 379 * tera, Form: "PCIe", Link: pcie5 / 2, Bounce: true, Watts: 180,
			Source: "NVIDIA GeForce RTX 5060 Ti specification and RTX Blackwell architecture whitepaper, by shaders and clock; half as many lanes as others", Cents: 42_900, PriceOf: "at launch, April 2025",
		},
	}
}

// Drives lists the kinds of drives; the first is the TERAIO paper's as it measured it. Drives of
// data centres are warranted one write of all their bytes a day for five years, where nothing else is said.
func Drives() []Drive {
	const tb = 1000 * unit.GB
	daily := func(size unit.Bytes) unit.Bytes { return size * 5 * 365 }
	return []Drive{
		{
			Key: "990-pro-teraio", Title: "Samsung 990 PRO 2 TB (measured)", Read: 6700 * unit.MBps, Write: 6500 * unit.MBps, Latency: 50 * unit.Microsecond,
			Size: 2 * tb, Endurance: 1200 * tb, MilliWatts: 5500, Cents: 17_000,
			Source:  "Rates: TERAIO paper, Table 2. 1200 TB written: Samsung 990 PRO data sheet. Assumed: 50 µs, typical of TLC, and 5.5 W",
			PriceOf: pricesTable + ": 8 for $1,360",
		},
		{
			Key: "990-pro", Title: "Samsung 990 PRO 2 TB", Read: 7450 * unit.MBps, Write: sustains("990-pro"), Latency: 50 * unit.Microsecond,
			Size: 2 * tb, Endurance: 1200 * tb, MilliWatts: 5500, Cents: 17_000,
			Source:  "Samsung 990 PRO data sheet; the write rate is that behind its cache (public reviews, from memory). Assumed: 50 µs, typical of TLC, and 5.5 W",
			PriceOf: pricesTable + ": 8 for $1,360",
		},
		{
			Key: "980-pro", Title: "Samsung 980 PRO 2 TB", Read: 7000 * unit.MBps, Write: sustains("980-pro"), Latency: 50 * unit.Microsecond,
			Size: 2 * tb, Endurance: 1200 * tb, MilliWatts: 6200, Cents: 46_000,
			Source:  "Samsung 980 PRO data sheet; the write rate is that behind its cache, as measured of the one of 1 TB (TechPowerUp). Assumed: 50 µs, typical of TLC, and 6.2 W",
			PriceOf: "assumed: at launch, twice the 1 TB's $229.99 (legitreviews.com), September 2020",
		},
		{
			Key: "p5800x", Title: "Intel Optane P5800X 1.6 TB", Read: 7200 * unit.MBps, Write: 6200 * unit.MBps, Latency: 5 * unit.Microsecond,
			Size: 1600 * unit.GB, Endurance: 292_000 * tb, MilliWatts: 18_000, Cents: 382_300,
			Source:  "Intel Optane P5800X data sheet, 100 drive writes a day. Assumed: 18 W",
			PriceOf: "list (tomshw.it), June 2021",
		},
		{
			Key: "pm9a3", Title: "Samsung PM9A3 3.84 TB", Read: 6800 * unit.MBps, Write: 4000 * unit.MBps, Latency: 80 * unit.Microsecond,
			Size: 3840 * unit.GB, Endurance: daily(3840 * unit.GB), MilliWatts: 13_500, Cents: 45_000,
			Source:  "Samsung PM9A3 product brief, one drive write a day. Assumed: 80 µs and 13.5 W",
			PriceOf: "assumed: about $115 a terabyte as the PM1743, 2024",
		},
		{
			Key: "p5510", Title: "Intel P5510 3.84 TB", Read: 6500 * unit.MBps, Write: 3400 * unit.MBps, Latency: 80 * unit.Microsecond,
			Size: 3840 * unit.GB, Endurance: daily(3840 * unit.GB), MilliWatts: 18_000, Cents: 45_000,
			Source:  "Intel D7-P5510 product brief, one drive write a day. Assumed: 18 W",
			PriceOf: "assumed: about $115 a terabyte as the PM1743, 2024",
		},
		{
			Key: "pm1743", Title: "Samsung PM1743 7.68 TB (PCIe 5)", Read: 14_000 * unit.MBps, Write: 6000 * unit.MBps, Latency: 75 * unit.Microsecond,
			Size: 7680 * unit.GB, Endurance: daily(7680 * unit.GB), MilliWatts: 23_000, Cents: 87_500,
			Source:  "Samsung PM1743 product brief, one drive write a day. Assumed: 75 µs, typical of TLC, and 23 W",
			PriceOf: "assumed: price per terabyte of drives of 61 TB, about $7,000 (hi-tech.ua), July 2024",
		},
		{
			Key: "9550", Title: "Micron 9550 PRO 7.68 TB (PCIe 5)", Read: 14_000 * unit.MBps, Write: 10_000 * unit.MBps, Latency: 60 * unit.Microsecond,
			Size: 7680 * unit.GB, Endurance: daily(7680 * unit.GB), MilliWatts: 18_000, Cents: 87_500,
			Source:  "Micron 9550 product brief: one drive write a day, 60 µs, at most 18 W",
			PriceOf: "assumed: as the PM1743, 2024",
		},
	}
}

// An Adapter is what joins nodes.
type Adapter struct {
	Key, Title string
	Rate       unit.Bandwidth // each direction, by name
	Source     string
}

// Adapters lists networks, of one adapter for each GPU.
func Adapters() []Adapter {
	return []Adapter{
		{"xdr-800", "800 Gb/s InfiniBand (ConnectX-8)", 2 * ndr, "NVIDIA ConnectX-8 SuperNIC data sheet; one a GPU in servers of B300"},
		{"ndr-400", "400 Gb/s InfiniBand (ConnectX-7)", ndr, "NVIDIA DGX H100 data sheet: eight single-port ConnectX-7"},
		{"hdr-200", "200 Gb/s InfiniBand (ConnectX-6)", hdr, "NVIDIA DGX A100 data sheet: eight single-port ConnectX-6 for the cluster"},
		{"efa-p4d", "400 Gb/s a server of eight (AWS p4d)", 6250 * unit.MBps, "AWS EC2 p4d.24xlarge: 400 Gb/s of Elastic Fabric Adapter"},
		{"ethernet-100", "100 Gb/s Ethernet", 12_500 * unit.MBps, "100GBASE, by name"},
		{"ethernet-25", "25 Gb/s Ethernet", 3125 * unit.MBps, "25GBASE, by name"},
		{"ethernet-10", "10 Gb/s Ethernet", onboard, "10GBASE, by name"},
	}
}

// sustains is what a drive writes once its cache is full.
func sustains(drive string) unit.Bandwidth {
	d, ok := sustained.FindDrive(drive)
	if !ok {
		panic("machine: nobody says what the drive " + drive + " sustains")
	}
	return d.Write
}

// copies is what copies over a link reach, either way alone.
func copies(link string) unit.Bandwidth {
	l, ok := sustained.FindLink(link)
	if !ok {
		panic("machine: nobody measured the link " + link)
	}
	return l.Either()
}

// Copies is what copies between the GPU and its host's pinned memory reach, either way alone: what was measured of a
// link of its rate, or of one of twice as many lanes; else four fifths of the link, which is assumed.
func (g *GPU) Copies() unit.Bandwidth {
	for lanes := range unit.Bandwidth(2) {
		for _, l := range sustained.Links() {
			if l.Protocol == g.Link*(1+lanes) {
				return l.Either() / (1 + lanes)
			}
		}
	}
	return g.Link / 5 * 4
}

// FindGPU returns the kind of GPU with a key; the error says which there are.
func FindGPU(key string) (GPU, error) {
	return find("GPU", key, GPUs(), func(g *GPU) string { return g.Key })
}

// FindDrive returns the kind of drive with a key; the error says which there are.
func FindDrive(key string) (Drive, error) {
	return find("drive", key, Drives(), func(d *Drive) string { return d.Key })
}

// FindPreset returns the node with a key; the error says which there are.
func FindPreset(key string) (Preset, error) {
	return find("node", key, Presets(), func(p *Preset) string { return p.Key })
}

func find[T any](what, key string, list []T, of func(*T) string) (T, error) {
	var keys []string
	for i := range list {
		if of(&list[i]) == key {
			return list[i], nil
		}
		keys = append(keys, of(&list[i]))
	}
	var none T
	return none, fmt.Errorf("unknown %s %q; want one of %q", what, key, keys)
}
