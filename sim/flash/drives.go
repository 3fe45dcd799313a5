package flash

import (
	"fmt"

	"spillway/sim/unit"
)

// A Datasheet is what a vendor states.
type Datasheet struct {
	Read, Write               unit.Bandwidth // sequential
	ReadLatency, WriteLatency unit.Time      // typical, 4 KiB, one at a time
}

// A Drive is a preset.
type Drive struct {
	Key    string // stable, in URLs and requests
	Name   string
	Sheet  Datasheet
	Source string // where each number comes from, and which are assumed
	Spec   Spec
}

// Drives returns the presets. The first is that of the G10 paper. A drive has
// the key of the machine part whose rates it explains.
func Drives() []Drive {
	return []Drive{zNAND(), pro990(), optane(), pro980()}
}

// Find returns the drive with the given key.
func Find(key string) (Drive, error) {
	var keys []string
	for _, d := range Drives() {
		if d.Key == key {
			return d, nil
		}
		keys = append(keys, d.Key)
	}
	return Drive{}, fmt.Errorf("unknown drive %q; want one of %q", key, keys)
}

func zNAND() Drive {
	return Drive{
		Key: "z-nand", Name: "Samsung Z-NAND SZ985 (G10)",
		Sheet: Datasheet{3200 * unit.MBps, 3000 * unit.MBps, 20 * unit.Microsecond, 16 * unit.Microsecond},
		Source: "Rates, latencies and 3.2 TB: G10 paper, Table 2; 30 drive writes a day for 5 years: G10 paper, §7.7. " +
			"3 µs read, 100 µs program, 2 and 4 KiB pages: Samsung at ISSCC 2018, as reported by AnandTech's 983 ZET review. " +
			"PCIe 3.0 x4. Assumed: 16 channels of 800 MB/s, 80 dies programming at a time (larger dies than the 64 Gbit ones, so that 3.2 TB keep the rates of the 800 GB drive), " +
			"384 pages a block, 3 ms erase, 15 % over-provisioning, 128 B packets, 64 MiB buffer, and the fixed overheads, which fill up to the stated latencies.",
		Spec: Spec{
			Capacity: 3200 * unit.GB, OverProvision: 150,
			Channels: 16, Dies: 5, Planes: 1, Pages: 384, Page: 4 * unit.KiB,
			Read: 3 * unit.Microsecond, Program: 100 * unit.Microsecond, Erase: 3 * unit.Millisecond,
			Channel: 800 * unit.MBps, Link: 3938 * unit.MBps, Payload: 128,
			ReadOverhead: 10600 * unit.Nanosecond, WriteOverhead: 14700 * unit.Nanosecond, Buffer: 64 * unit.MiB,
			Endurance: 30 * 5 * 365 * 3200 * unit.GB, Years: 5,
		},
	}
}

func pro990() Drive {
	return Drive{
		Key: "990-pro", Name: "Samsung 990 PRO 2 TB",
		Sheet: Datasheet{7450 * unit.MBps, 6900 * unit.MBps, 45450 * unit.Nanosecond, 12500 * unit.Nanosecond},
		Source: "Rates and 1200 TB in 5 years: Samsung 990 PRO data sheet; latencies from its 22,000 and 80,000 random accesses a second at depth 1. " +
			"The write rate is that of the single-bit cache of a fresh drive. PCIe 4.0 x4; 176-layer TLC, 2 Gbit/s pins, dies of four 16 KiB planes: Samsung at ISSCC 2021 (512 Gbit die). " +
			"Behind its cache of 220 GB it writes 1.4 GB/s (reviews): with 560 µs a page that is what writing in turn reaches here; the 356 µs of that die would make it 1.9. " +
			"Assumed: 8 channels of 2 dies of twice that size, 40 µs read, 150 µs in the cache, 704 pages a block, 5 ms erase, 7 % over-provisioning, 512 B packets, 64 MiB buffer, and the fixed overheads.",
		Spec: Spec{
			Capacity: 2000 * unit.GB, OverProvision: 70,
			Channels: 8, Dies: 2, Planes: 4, Pages: 704, Page: 16 * unit.KiB,
			Read: 40 * unit.Microsecond, Program: 560 * unit.Microsecond, Erase: 5 * unit.Millisecond,
			BurstProgram: 150 * unit.Microsecond, Burst: 220 * unit.GB,
			Channel: 2000 * unit.MBps, Link: 7877 * unit.MBps, Payload: 512,
			ReadOverhead: 2850 * unit.Nanosecond, WriteOverhead: 11950 * unit.Nanosecond, Buffer: 64 * unit.MiB,
			Endurance: 1200 * 1000 * unit.GB, Years: 5,
		},
	}
}

func optane() Drive {
	return Drive{
		Key: "p5800x", Name: "Intel Optane P5800X 1.6 TB (like)",
		Sheet: Datasheet{7200 * unit.MBps, 6200 * unit.MBps, 5 * unit.Microsecond, 5 * unit.Microsecond},
		Source: "Rates, latencies and 292 PB in 5 years (100 drive writes a day): Intel Optane P5800X data sheet. PCIe 4.0 x4. Written in place. " +
			"Assumed, all of the inside: 8 channels of 1.6 GB/s, 4 groups of dies each that take 1 µs to read and 21 µs to write 4 KiB, 256 B packets, 2 MiB buffer, and the fixed overheads.",
		Spec: Spec{
			Capacity: 1600 * unit.GB,
			Channels: 8, Dies: 4, Planes: 1, Pages: 256, Page: 4 * unit.KiB,
			Read: 1 * unit.Microsecond, Program: 21 * unit.Microsecond,
			Channel: 1600 * unit.MBps, Link: 7877 * unit.MBps, Payload: 256,
			ReadOverhead: 870 * unit.Nanosecond, WriteOverhead: 4430 * unit.Nanosecond, Buffer: 2 * unit.MiB,
			Endurance: 292 * 1000 * 1000 * unit.GB, Years: 5,
		},
	}
}

func pro980() Drive {
	return Drive{
		Key: "980-pro", Name: "Samsung 980 PRO 2 TB",
		Sheet: Datasheet{7000 * unit.MBps, 5100 * unit.MBps, 45450 * unit.Nanosecond, 16670 * unit.Nanosecond},
		Source: "Rates and 1200 TB in 5 years: Samsung 980 PRO data sheet; latencies from its 22,000 and 60,000 random accesses a second at depth 1. " +
			"The write rate is that of the single-bit cache of a fresh drive. PCIe 4.0 x4. After its cache of 113 GB an empty drive of 1 TB writes 1.5 GB/s (TechPowerUp's review, measured): " +
			"with 450 µs a page that is what writing in turn reaches here. That the one of 2 TB has twice the cache and writes no faster behind it is assumed. " +
			"Assumed, too: 8 channels of 1.2 GB/s and 2 dies, 40 µs read, 205 µs in the cache, 704 pages a block, 5 ms erase, 7 % over-provisioning, 256 B packets, 64 MiB buffer, and the fixed overheads.",
		Spec: Spec{
			Capacity: 2000 * unit.GB, OverProvision: 70,
			Channels: 8, Dies: 2, Planes: 4, Pages: 704, Page: 16 * unit.KiB,
			Read: 40 * unit.Microsecond, Program: 450 * unit.Microsecond, Erase: 5 * unit.Millisecond,
			BurstProgram: 205 * unit.Microsecond, Burst: 226 * unit.GB,
			Channel: 1200 * unit.MBps, Link: 7877 * unit.MBps, Payload: 256,
			ReadOverhead: 1500 * unit.Nanosecond, WriteOverhead: 16095 * unit.Nanosecond, Buffer: 64 * unit.MiB,
			Endurance: 1200 * 1000 * unit.GB, Years: 5,
		},
	}
}
