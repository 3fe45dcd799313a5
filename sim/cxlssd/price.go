package cxlssd

import "spillway/sim/unit"

// A Price is what memory of a size costs, as much of it as the flash holds, in
// thousandths of a dollar. Prices a GiB are those of the setup; the paper writes GB.
//
// The paper says 15.9 times cheaper than DRAM (§6.2). That is the ratio of its prices,
// 4.28 and 0.27 dollars a GB, 15.85: flash against DRAM of the same size, without the
// device's and the host's DRAM. With those the 128 GB of its Table II are 12.1 times
// cheaper, and 15.8 times only from some 12 TB on.
type Price struct {
	Flash, DeviceDRAM, HostDRAM int64 // of the design
	DRAM                        int64 // of DRAM of the flash's size
}

// PriceOf returns what a design of the setup's sizes costs. Without promotion it needs
// no host DRAM for pages. One whose pages are all in DRAM has nothing else.
func PriceOf(s *Setup, d Design) Price {
	of := func(size unit.Bytes, price int64) int64 { return unit.MulDiv(int64(size), price, int64(unit.GiB)) }
	p := Price{DRAM: of(s.Capacity(), s.DRAMPrice)}
	if d.DRAM {
		p.HostDRAM = p.DRAM
		return p
	}
	p.Flash, p.DeviceDRAM = of(s.Capacity(), s.FlashPrice), of(s.DRAM, s.DRAMPrice)
	if d.Promote != NoPromotion {
		p.HostDRAM = of(s.Host, s.DRAMPrice)
	}
	return p
}

// Total returns what the design costs.
func (p *Price) Total() int64 { return p.Flash + p.DeviceDRAM + p.HostDRAM }

// Cheaper returns how many times less the design costs than DRAM, in thousandths.
func (p *Price) Cheaper() int64 { return unit.MulDiv(p.DRAM, 1000, p.Total()) }

// Effect returns the cost-effectiveness of a design that took a time where DRAM alone
// takes another: its share of the speed by its share of the cost, in thousandths.
func (p *Price) Effect(took, ideal unit.Time) int64 {
	return unit.MulDiv(p.Cheaper(), int64(ideal), int64(took))
}
