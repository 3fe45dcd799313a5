package machine

import "spillway/sim/unit"

// Default returns the paper's emulator, a host whose costs are mostly general knowledge,
// and the same rules for every file system: block writes are answered by the protected
// buffer, programs write zeros as Filebench does, and fresh pages count as changed.
// Knobs have the source of each number.
func Default() Setup {
	const ns, us = unit.Nanosecond, unit.Microsecond
	return Setup{
		Scale: 64, Seed: 1,
		Payload: Zeros, Changed: 10, Ack: OnBuffer,
		Device: Device{
			Capacity: 32 * unit.GiB, Channels: 8, Pages: 128,
			Read: 40 * us, Program: 60 * us, Erase: 2 * unit.Millisecond,
			Submit: 4 * us, Firmware: 1500 * ns, Transfer: 1170 * ns, Complete: 4 * us,
			Buffer:   64,
			LineRead: 4800 * ns, LineWrite: 600 * ns, Commit: us,
			DRAM: 256 * unit.MiB, LogAt: 85,
			CollectAt: 10, CollectUntil: 25, Endurance: 3000,
		},
		Host: Host{
			Cores: 28, Cache: unit.GiB, MetaShare: 25,
			Generator: 6 * us, Serial: 1500 * ns,
			Open: 2 * us, Close: 500 * ns, ReadCall: us, ReadPage: 400 * ns, WriteCall: 1500 * ns, WritePage: 500 * ns, Fsync: 1500 * ns,
			Section: 3 * us, NamespaceByteFS: 4 * us, NamespaceExt4: 8 * us, NamespaceF2FS: 6 * us, NamespaceNOVA: 2 * us, NamespacePMFS: 2 * us,
			Handle: us, Wake: 5 * us, Copy: 300 * ns,
			Duplicate: 400 * ns, Compare: 350 * ns,
			Background: 10, Limit: 20, Expire: 30 * unit.Second,
			Commit: 5 * unit.Second, Checkpoint: 60 * unit.Second, Journal: 128 * unit.MiB,
			ByteLimit: 8, DirectLimit: 512,
		},
	}
}

// Artifact returns the artifact as it was published, with every switch of Quirks on: two
// branches that measure by different rules, and a file system whose data never reach the
// device. It is not what the paper measured.
func Artifact() Setup {
	s := Default()
	s.Ack = AsArtifact
	s.Device.Channels = 16
	s.Device.LogAt = 75
	s.Device.Single = true
	s.Host.ByteLimit = 17 // more than 16 lines go as a block
	s.Quirks = Quirks.All()
	return s
}

// CXL returns the paper's point of sensitivity with a CXL link and low-latency flash.
func CXL() Setup {
	s := Default()
	s.Device.LineRead, s.Device.LineWrite = 175*unit.Nanosecond, 175*unit.Nanosecond
	s.Device.Read, s.Device.Program = 3*unit.Microsecond, 80*unit.Microsecond
	return s
}

// Scaled returns the machine that a run of s has: what Scale divides is divided, and
// Scale is 1. Those are capacity, DRAM of the device, page cache, journal and the timers;
// neither latencies nor the write buffer.
func (s *Setup) Scaled() Setup {
	r, n := *s, s.Scale
	for _, b := range []*unit.Bytes{&r.Device.Capacity, &r.Device.DRAM, &r.Host.Cache, &r.Host.Journal} {
		*b /= unit.Bytes(n)
	}
	for _, t := range []*unit.Time{&r.Host.Expire, &r.Host.Commit, &r.Host.Checkpoint} {
		*t = max(1, *t/unit.Time(n))
	}
	r.Scale = 1
	return r
}
