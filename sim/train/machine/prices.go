package machine

import (
	"fmt"

	"spillway/sim/knob"
	"spillway/sim/unit"
)

// A Price is what a part costs in the United States, without tax. Prices are of
// different times, so everybody should put in their own.
type Price struct {
	Cents   int64  // US cents
	Date    string // of what time it is
	Source  string // where it is from, or what it is taken from
	Assumed bool   // nobody states it
}

// String says the price with its time and source.
func (p Price) String() string {
	assumed := ""
	if p.Assumed {
		assumed = "assumed: "
	}
	return fmt.Sprintf("$%s, %s%s, %s", knob.Decimal(p.Cents, 100), assumed, p.Source, p.Date)
}

func listed(dollars int64, date, source string) Price {
	return Price{100 * dollars, date, source, false}
}

func assumed(dollars int64, date, source string) Price {
	return Price{100 * dollars, date, source, true}
}

// platform is what the rest of a machine with a link costs.
func platform(dollars int64) Price {
	return assumed(dollars, "2024", "board, processor, power supply and case around a link of this generation")
}

// hostGiB is the price of one GiB of host memory: 225 dollars for 64.
var hostGiB = Price{352, "2024", "64 GB of DDR5 for $200 to 250; over $600 in November 2025 (blazetrends.com after Tom's Hardware)", false}

// Prices are what a machine is made of, in US cents. Energy, room and people are
// not in them.
type Prices struct {
	GPU, SSD int64
	HostGiB  int64 // one GiB of host memory
	Platform int64 // everything else, which depends on the links
}

// PricesOf returns the prices of the G10 paper's machine: of the first part of
// every slot.
func PricesOf() Prices {
	p := Prices{HostGiB: hostGiB.Cents}
	for _, s := range Slots() {
		p.Pay(&s, &s.Parts[0])
	}
	return p
}

// Pay puts in the price of a part in its slot. Host memory is paid by its size.
func (p *Prices) Pay(s *Slot, part *Part) {
	switch s.Key {
	case "gpu":
		p.GPU = part.Price.Cents
	case "ssd":
		p.SSD = part.Price.Cents
	case "link":
		p.Platform = part.Price.Cents
	}
}

// Total is the price of a machine.
func (p *Prices) Total(m *Machine) int64 {
	return p.GPU + p.SSD + p.Platform + unit.MulDiv(p.HostGiB, int64(m.HostMemory), int64(unit.GiB))
}

// PriceKnobs returns the list of every price.
func PriceKnobs() []knob.Knob[Prices] {
	var ks []knob.Knob[Prices]
	add := func(key, label, help string, ref func(*Prices) *int64) {
		k := knob.Info{Key: key, Label: label, Help: help, Unit: "$", Scale: 100, Max: 100 * 1_000_000}
		ks = append(ks, knob.Int(k, ref))
	}
	add("price_gpu", "GPU", "Price of the GPU; a part brings its own along, with its date and source.", func(p *Prices) *int64 { return &p.GPU })
	add("price_ssd", "SSD", "Price of the SSD; a part brings its own along, with its date and source.", func(p *Prices) *int64 { return &p.SSD })
	add("price_host_gib", "Host memory, each GiB", "Price of one GiB of host memory.", func(p *Prices) *int64 { return &p.HostGiB })
	ks[len(ks)-1].Source = hostGiB.String()
	add("price_platform", "Rest of the machine", "Price of board, processor, power supply and case; the link brings an assumed one along.", func(p *Prices) *int64 { return &p.Platform })
	return ks
}
