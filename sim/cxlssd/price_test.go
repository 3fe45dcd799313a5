package cxlssd

import (
	"testing"

	"spillway/sim/unit"
)

func TestPriceOfThePaper(t *testing.T) {
	s := Default()
	if got := s.Capacity(); got != 128*unit.GiB {
		t.Fatalf("the flash has %v; Table II says 128 GB", got)
	}
	p := PriceOf(&s, Design{Log: true, Switch: true, Promote: Adaptive})
	if p.DRAM != 547_840 || p.Flash != 34_560 || p.DeviceDRAM != 2140 || p.HostDRAM != 8560 {
		t.Errorf("prices are %+v; 128 GB of DRAM at 4.28 $ are 547.84 $, of flash at 0.27 $ 34.56 $, 0.5 and 2 GB of DRAM 2.14 $ and 8.56 $", p)
	}
	if got := p.Cheaper(); got != 12104 {
		t.Errorf("%d thousandths cheaper; 547.84/45.26 is 12.104", got)
	}
	if got := PriceOf(&s, Design{}); got.HostDRAM != 0 {
		t.Errorf("a design without promotion pays %d for host DRAM", got.HostDRAM)
	}
	ideal := PriceOf(&s, Design{DRAM: true})
	if got := ideal.Effect(unit.Second, unit.Second); got != 1000 {
		t.Errorf("DRAM alone has the cost-effectiveness %d; it is the measure, 1000", got)
	}
	flash := Price{Flash: p.Flash, DRAM: p.DRAM}
	if got, all := flash.Cheaper(), flash.Effect(100, 75); got != 15851 || all != 11888 {
		t.Errorf("flash alone is %d times cheaper, and %d more cost-effective at 75 %% of the speed; the paper's 15.9 and 11.8", got, all)
	}
	s.Blocks *= 100 // 12.8 TB
	if p := PriceOf(&s, Design{Promote: Adaptive}); p.Cheaper() < 15_800 {
		t.Errorf("12.8 TB with the same DRAM are %d thousandths cheaper; want 15.8", p.Cheaper())
	}
}

func TestLife(t *testing.T) {
	s := Default()
	r := Result{Time: unit.Second, EvictionPrograms: 1000, CompactionPrograms: 2000, DemotionPrograms: 1000}
	// 128 GiB of 100,000 erases hold 2^37 × 10^5 bytes; a year of 4000 pages a second is 4000 × 4096 × 31,536,000.
	if got := r.Life(&s); got.Years != 26_600 {
		t.Errorf("the flash lasts %d thousandths of a year; want 26.600", got.Years)
	}
	r.Erases, r.CollectionPrograms = 10, 10*s.Pages/2
	if got := r.Amplification(&s); got != 2000 {
		t.Errorf("blocks collected half full amplify %d thousandths; want 2000", got)
	}
	if got := r.Life(&s); got.Years != 13_300 {
		t.Errorf("with twice the programs the flash lasts %d thousandths of a year; want 13.300", got.Years)
	}
}
