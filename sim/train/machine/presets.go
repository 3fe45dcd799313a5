package machine

import (
	"errors"
	"fmt"
	"slices"

	"spillway/sim/sustained"
	"spillway/sim/unit"
)

// relations checks what must hold between parameters, as the published
// simulator does at start (G10 artifact, sanity checks).
func (m *Machine) relations() error {
	var errs []error
	if m.HostLink > m.GPULink {
		errs = append(errs, fmt.Errorf("host link (%v) is faster than the GPU link (%v); lower it or raise the GPU link", m.HostLink, m.GPULink))
	}
	if m.SSDRead > m.HostLink {
		errs = append(errs, fmt.Errorf("SSD read (%v) is faster than the host link (%v); lower it or raise the host link", m.SSDRead, m.HostLink))
	}
	if m.SSDWrite > m.HostLink {
		errs = append(errs, fmt.Errorf("SSD write (%v) is faster than the host link (%v); lower it or raise the host link", m.SSDWrite, m.HostLink))
	}
	if m.GPULink > m.HostLink+m.SSDRead {
		errs = append(errs, fmt.Errorf("GPU link (%v) is faster than host link and SSD read together (%v); nothing can fill it; lower it", m.GPULink, m.HostLink+m.SSDRead))
	}
	return errors.Join(errs...)
}

// G10 returns the machine of the G10 paper: an A100 with 40 GiB, PCIe 3.0 x16,
// 128 GiB of host memory and a Z-NAND SSD (Table 2; the 1.2 GHz clock, the
// allocation cost and the batch size are from the artifact's configs).
func G10() Machine {
	return Machine{
		Name:         "G10 Table 2: A100-40GB, PCIe 3, Z-NAND",
		GPUMemory:    40 * unit.GiB,
		Clock:        1200 * unit.MHz,
		AllocRate:    814,
		HostMemory:   128 * unit.GiB,
		GPULink:      15754 * unit.MBps,
		HostLink:     15754 * unit.MBps,
		SSDRead:      3200 * unit.MBps,
		SSDWrite:     3000 * unit.MBps,
		FaultLatency: 45 * unit.Microsecond,
		SSDLatency:   20 * unit.Microsecond,
		FaultBatch:   faultBatch,
		BatchPages:   50,
	}
}

// SSDWriteFor returns the write rate of an SSD of which only the read rate is
// known: in the proportion of the G10 paper's Table 2, 3.0 to 3.2.
func SSDWriteFor(read unit.Bandwidth) unit.Bandwidth { return read / 16 * 15 }

// A Part is one component that can be put into a machine.
type Part struct {
	Key    string // stable, in URLs
	Name   string
	Source string // where its numbers come from
	Price  Price
	Fit    func(*Machine)
}

// behindCache is what a drive writes, in MB/s, once its cache is full.
func behindCache(key string) unit.Bandwidth {
	d, ok := sustained.FindDrive(key)
	if !ok {
		panic("machine: nobody says what the drive " + key + " sustains")
	}
	return d.Write / unit.MBps
}

// A Slot is a place in the machine with the parts that go there.
type Slot struct {
	Key   string // stable
	Label string
	Parts []Part
}

// Slots returns the parts to build a machine from. The first of each slot is
// that of the G10 paper.
func Slots() []Slot {
	return []Slot{
		{Key: "gpu", Label: "GPU", Parts: []Part{
			gpu("a100-40", "A100 40 GB", 40, table2, assumed(8000, "2026", "the low end of what refurbished A100 80 GB cost")),
			gpu("a100-80", "A100 80 GB", 80, "NVIDIA A100 data sheet", listed(11500, "2026", "refurbished or used, the middle of $8,000 to 15,000 (mercatus-ai.com)")),
			gpu("v100-32", "V100 32 GB", 32, "NVIDIA V100 data sheet; DeepUM paper, Table 1", assumed(11000, "2018", "new, about (planetsedu.com), which does not say of which size")),
			gpu("v100-16", "V100 16 GB", 16, "NVIDIA V100 data sheet", assumed(5500, "2018", "half of the V100 32 GB, whose price is itself assumed")),
			gpu("h100-80", "H100 80 GB", 80, "NVIDIA H100 data sheet", listed(32500, "2023", "the middle of $25,000 to 40,000 (aiwiki.ai)")),
			gpu("rtx-4090", "GeForce RTX 4090", 24, "NVIDIA Ada architecture whitepaper", listed(1599, "October 2022", "at launch (tomsguide.com)")),
			gpu("rtx-3090", "GeForce RTX 3090", 24, "NVIDIA Ampere GA102 architecture whitepaper", listed(1499, "September 2020", "at launch (hothardware.com)")),
			gpu("rtx-3060", "GeForce RTX 3060 12 GB", 12, "NVIDIA at launch (technologyforyou.org, smartworld.cc)", listed(329, "February 2021", "at launch (wccftech.com)")),
		}},
		{Key: "link", Label: "Link", Parts: []Part{
			link("pcie3", "PCIe 3.0 x16", 15754, "PCIe 3.0: 8 GT/s, 128b/130b, 16 lanes", platform(1000)),
			link("pcie4", "PCIe 4.0 x16", 31508, "PCIe 4.0: 16 GT/s, 128b/130b, 16 lanes", platform(1500)),
			link("pcie5", "PCIe 5.0 x16", 63015, "PCIe 5.0: 32 GT/s, 128b/130b, 16 lanes", platform(2500)),
			link("pcie3-deepum", "PCIe 3.0 x16 (DeepUM)", 12500, "copies over PCIe 3.0 x16 reach 12 to 13 of its 15.75 GB/s; 12.5 is what DeepUM's Figure 9b and Table 5 agree with", platform(1000)),
			measured("pcie3", platform(1000)),
			measured("pcie4", platform(1500)),
			measured("pcie5", platform(2500)),
			measured("nvlink-c2c", platform(2500)),
			link("g10-fig18", "32 GB/s (G10 Figure 18)", 32000, "G10 paper, Figure 18", platform(1500)),
		}},
		{Key: "ssd", Label: "SSD", Parts: []Part{
			ssd("z-nand", "Z-NAND (G10)", 3200, 3000, 20, table2, assumed(7646, "2021", "3.2 TB at the price per terabyte of the Optane P5800X, which it competes with")),
			ssd("980-pro", "Samsung 980 PRO 2 TB", 7000, behindCache("980-pro"), 50, "Samsung 980 PRO data sheet; written behind its cache, as measured of the one of 1 TB (TechPowerUp); latency typical of TLC NAND", assumed(460, "September 2020", "at launch, twice the 1 TB's $229.99 (legitreviews.com)")),
			ssd("990-pro", "Samsung 990 PRO 2 TB", 7450, behindCache("990-pro"), 50, "Samsung 990 PRO data sheet; written behind its cache (public reviews, from memory); latency typical of TLC NAND", assumed(325, "October 2022", "at launch, 324.90 euros (dongonenews.pages.dev) taken as dollars")),
			ssd("p5800x", "Intel Optane P5800X", 7200, 6200, 5, "Intel Optane P5800X data sheet, 1.6 TB", listed(3823, "June 2021", "list (tomshw.it)")),
			ssd("pm1743", "Samsung PM1743 (PCIe 5)", 14000, 6000, 75, "Samsung PM1743 product brief; latency typical of TLC NAND", assumed(875, "July 2024", "7.68 TB at the price per terabyte of drives of 61 TB, about $7,000 (hi-tech.ua)")),
			ssd("4x990-pro", "4 × Samsung 990 PRO", 29800, 4*behindCache("990-pro"), 50, "four of the above, striped", assumed(1300, "October 2022", "four of the above")),
		}},
		{Key: "host", Label: "Host memory", Parts: []Part{
			host("host-128", 128, table2), host("host-0", 0, "no host tier (G10 paper, Figure 16)"),
			host("host-32", 32, "G10 paper, Figure 16"), host("host-64", 64, "G10 paper, Figure 16"),
			host("host-256", 256, "G10 paper, Figure 16"), host("host-512", 512, "a common server"),
		}},
	}
}

func gpu(key, name string, gib unit.Bytes, source string, price Price) Part {
	return Part{key, name, source, price, func(m *Machine) { m.GPUMemory = gib * unit.GiB }}
}

func link(key, name string, mbps unit.Bandwidth, source string, price Price) Part {
	return Part{key, name, source, price, func(m *Machine) {
		m.GPULink, m.HostLink, m.DuplexLoss, m.TransferCost = mbps*unit.MBps, mbps*unit.MBps, 0, 0
		m.SSDRead, m.SSDWrite = min(m.SSDRead, m.HostLink), min(m.SSDWrite, m.HostLink)
	}}
}

// measured is a link as copies measure it, each of which has its cost.
func measured(key string, price Price) Part {
	l, ok := sustained.FindLink(key)
	if !ok {
		panic("machine: nobody measured the link " + key)
	}
	p := link(key+"-measured", l.Title+" (measured)", l.Either()/unit.MBps, l.Source, price)
	alone := p.Fit
	p.Fit = func(m *Machine) {
		alone(m)
		m.DuplexLoss = 1000 - unit.MulDiv(int64(l.Both), 1000, 2*int64(l.Either()))
		m.TransferCost = sustained.Transfer
	}
	return p
}

func ssd(key, name string, read, write unit.Bandwidth, latency unit.Time, source string, price Price) Part {
	return Part{key, name, source, price, func(m *Machine) {
		m.SSDRead, m.SSDWrite = min(read*unit.MBps, m.HostLink), min(write*unit.MBps, m.HostLink)
		m.SSDLatency = latency * unit.Microsecond
	}}
}

func host(key string, gib unit.Bytes, source string) Part {
	price := hostGiB
	price.Cents *= int64(gib)
	return Part{key, fmt.Sprintf("%d GiB", gib), source, price, func(m *Machine) { m.HostMemory = gib * unit.GiB }}
}

// A Preset is a whole machine to start from.
type Preset struct {
	Key     string // stable, in URLs, whatever the machine is called
	GPU     string // key of its GPU, which its numbers alone may not tell
	Machine Machine
	Prices  Prices
}

// Presets returns whole machines. The first is the default.
func Presets() []Preset {
	build := func(key, name, gpu string, parts ...string) Preset {
		p := Preset{Key: key, GPU: gpu, Machine: G10(), Prices: PricesOf()}
		p.Machine.Name = name
		for _, s := range Slots() {
			for _, part := range s.Parts {
				if part.Key == gpu || slices.Contains(parts, part.Key) {
					part.Fit(&p.Machine)
					p.Prices.Pay(&s, &part)
				}
			}
		}
		return p
	}
	return []Preset{
		build("g10-table-2-a100-40gb-pcie-3-z-nand", G10().Name, "a100-40"),
		build("a100-80gb-pcie-4-980-pro", "A100-80GB, PCIe 4, 980 PRO", "a100-80", "pcie4-measured", "980-pro"),
		build("v100-32gb-pcie-3-z-nand", "V100-32GB, PCIe 3, Z-NAND", "v100-32", "pcie3-measured"),
		build("h100-80gb-pcie-5-pm1743", "H100-80GB, PCIe 5, PM1743", "h100-80", "pcie5-measured", "pm1743", "host-256"),
		build("rtx-4090-pcie-4-990-pro", "RTX 4090, PCIe 4, 990 PRO", "rtx-4090", "pcie4-measured", "990-pro", "host-64"),
		build("a100-40gb-pcie-4-optane-p5800x", "A100-40GB, PCIe 4, Optane P5800X", "a100-40", "pcie4-measured", "p5800x"),
		build("rtx-3060-pcie-4-980-pro", "RTX 3060 12 GB, PCIe 4, 980 PRO", "rtx-3060", "pcie4-measured", "980-pro", "host-32"),
		// DeepUM paper, Table 1. Its systems use no SSD; the G10 paper's stays for those that do.
		build("v100-32gb-pcie-3-deepum", "V100-32GB, PCIe 3, 512 GiB host (DeepUM)", "v100-32", "pcie3-deepum", "host-512"),
	}
}
