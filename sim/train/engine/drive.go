package engine

import (
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/unit"
)

// A Drive is what an SSD sustains that is more than two rates: how fast it reads
// and writes depends on what else it does.
type Drive struct {
	Read, Write           unit.Bandwidth // of either alone
	MixedRead, MixedWrite unit.Bandwidth // at the same time
}

// Taken returns the rates of a drive that does both at the same time, but takes
// only so many thousandths of what it could read and write then: the rest of the
// time it does the other alone.
func (d Drive) Taken(reads, writes int64) Drive {
	part := func(alone, both unit.Bandwidth, taken int64) unit.Bandwidth {
		return alone - unit.Bandwidth(unit.MulDiv(int64(alone-both), min(taken, 1000), 1000))
	}
	d.MixedRead, d.MixedWrite = part(d.Read, d.MixedRead, writes), part(d.Write, d.MixedWrite, reads)
	return d
}

// SSDRates returns the SSD's rates while it reads and writes at the same time,
// or does not.
func (c *Config) SSDRates(both bool) (read, write unit.Bandwidth) {
	read, write = c.Machine.SSDRead, c.Machine.SSDWrite
	if d := c.Drive; d != nil {
		if read, write = d.Read, d.Write; both {
			read, write = d.MixedRead, d.MixedWrite
		}
	}
	if c.Quirks.Has(quirk.SymmetricSSD) {
		write = read
	}
	return read, write
}

// Delivered returns the mean rates at which the SSD has read while it read and
// written while it wrote, when it has moved all, of that mixed while it did both
// at the same time.
func (c *Config) Delivered(all, mixed *result.Traffic) *result.SSD {
	read, write := c.SSDRates(false)
	bothRead, bothWrite := c.SSDRates(true)
	mean := func(alone, both unit.Bandwidth, all, mixed unit.Bytes) unit.Bandwidth {
		if all == 0 {
			return alone // as it would
		}
		return unit.Bandwidth(unit.MulDiv(int64(all), int64(unit.Second), int64(alone.Time(all-mixed)+both.Time(mixed))))
	}
	return &result.SSD{
		Read: mean(read, bothRead, all.SSDIn, mixed.SSDIn), Write: mean(write, bothWrite, all.SSDOut, mixed.SSDOut),
		Mixed: mixed.SSDIn+mixed.SSDOut > 0,
	}
}
