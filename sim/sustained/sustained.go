// Package sustained says what links and drives keep up, by public measurements, where protocols
// and data sheets say what they never exceed. The table of every measurement, with its source,
// is testdata/links.csv and testdata/drives.csv, from which a test computes these again.
package sustained

import "spillway/sim/unit"

// A Link is what copies between a GPU and its host's pinned memory reach.
type Link struct {
	Key, Title string
	Protocol   unit.Bandwidth // each direction, after encoding
	In, Out    unit.Bandwidth // of either alone: to the GPU, and from it
	Both       unit.Bandwidth // of both together, while both go
	Source     string
}

// Links lists the links that somebody measured.
func Links() []Link {
	return []Link{
		{
			Key: "pcie3", Title: "PCIe 3.0 x16", Protocol: 15754 * unit.MBps,
			In: 12400 * unit.MBps, Out: 13200 * unit.MBps, Both: 22_830 * unit.MBps,
			Source: "nvbandwidth's own sample (NVIDIA/nvbandwidth, test data)",
		},
		{
			Key: "pcie4", Title: "PCIe 4.0 x16", Protocol: 31508 * unit.MBps,
			In: 25_500 * unit.MBps, Out: 26_300 * unit.MBps, Both: 36_250 * unit.MBps,
			Source: "nvbandwidth on A100 SXM, A10 and RTX 4090 (NVIDIA/nvbandwidth issues 11, 15, 53), medians; whether host or card limits both directions together is not known",
		},
		{
			Key: "pcie5", Title: "PCIe 5.0 x16", Protocol: 63015 * unit.MBps,
			In: 55_590 * unit.MBps, Out: 57_200 * unit.MBps, Both: 102_430 * unit.MBps,
			Source: "nvbandwidth's copy engines on RTX 5090, H100 and another server (tinygrad/open-gpu-kernel-modules issue 29; public logs), medians; of both together only the way in is stated, and counts twice",
		},
		{
			Key: "nvlink-c2c", Title: "NVLink-C2C", Protocol: 450 * unit.GBps,
			In: 337_550 * unit.MBps, Out: 295_230 * unit.MBps, Both: 320_040 * unit.MBps,
			Source: "nvbandwidth on GH200 (microsoft/superbenchmark test data; NVIDIA/nvbandwidth issue 23; a public log), medians; of both together only the way in is stated, and counts twice",
		},
	}
}

// Either is what a copy reaches whichever way it goes.
func (l *Link) Either() unit.Bandwidth { return min(l.In, l.Out) }

// Transfer is what a copy between a GPU and its host's pinned memory takes whatever its size,
// inside a stream, before its bytes move. One that is waited for takes two to three times that.
// It was measured on an H100 in a virtual machine; a test computes it from the copies.
const Transfer = 5500 * unit.Nanosecond

// A Drive is what an SSD writes once its cache of single-bit cells is full. Training never rests,
// so that the cache does not come back.
type Drive struct {
	Key, Title string
	Burst      unit.Bandwidth // into the cache
	Cache      unit.Bytes     // 0: it has none
	Write      unit.Bandwidth // behind it
	Measured   bool           // else it is of a data sheet or of reviews from memory
	Source     string
}

// Drives lists the drives of which that is known, by the keys that laboratories have for them.
func Drives() []Drive {
	return []Drive{
		{
			Key: "980-pro", Title: "Samsung 980 PRO", Burst: 4 * unit.GBps, Cache: 113 * unit.GB, Write: 1500 * unit.MBps, Measured: true,
			Source: "TechPowerUp's review of the one of 1 TB: 4 GB/s for 113 GB, then 1.5",
		},
		{
			Key: "990-pro", Title: "Samsung 990 PRO", Burst: 6900 * unit.MBps, Cache: 220 * unit.GB, Write: 1400 * unit.MBps,
			Source: "public reviews of the one of 2 TB, from memory: 6.9 GB/s for about 220 GB, then 1.4",
		},
		{
			Key: "pm9a3", Title: "Samsung PM9A3", Burst: 4100 * unit.MBps, Write: 4 * unit.GBps,
			Source: "data sheet; it has no such cache",
		},
		{
			Key: "pm1743", Title: "Samsung PM1743", Burst: 7 * unit.GBps, Write: 6500 * unit.MBps,
			Source: "data sheet; it has no such cache",
		},
		{
			Key: "p4800x", Title: "Intel Optane DC P4800X", Burst: 2 * unit.GBps, Write: 2 * unit.GBps, Measured: true,
			Source: "AnandTech's hands-on review; it has no such cache",
		},
		{
			Key: "p5800x", Title: "Intel Optane P5800X", Burst: 6200 * unit.MBps, Write: 6200 * unit.MBps,
			Source: "data sheet; it has no such cache",
		},
	}
}

// FindLink returns the link with a key; ok is false where nobody measured it.
func FindLink(key string) (l Link, ok bool) {
	for _, l := range Links() {
		if l.Key == key {
			return l, true
		}
	}
	return Link{}, false
}

// FindDrive returns the drive with a key; ok is false where nothing is known of it.
func FindDrive(key string) (d Drive, ok bool) {
	for _, d := range Drives() {
		if d.Key == key {
			return d, true
		}
	}
	return Drive{}, false
}
