package train

import (
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/ui/lab"
)

// picture draws the machine: all traffic of the GPU goes over its link to the PCIe
// switch, and from there to host memory or the SSD (G10 paper, Figure 5). The SSD
// has no size: the model's is never full.
func picture() *lab.Picture {
	p := &lab.Picture{
		Apart: "buddy_link_bytes",
		Places: []lab.Place{
			{Key: "gpu", Title: "GPU", Size: "gpu_memory", Used: "peak_gpu_bytes", Part: "part-gpu"},
			{Key: "pcie", Title: "PCIe"},
			{Key: "host", Title: "Host memory", Size: "host_memory", Used: "peak_host_bytes", Part: "part-host"},
			{Key: "ssd", Title: "SSD", Used: "peak_ssd_bytes", Part: "part-ssd"},
		},
		Links: []lab.Link{
			{Key: "gpu-link", Title: "GPU link", From: "gpu", To: "pcie", Part: "part-link"},
			{Key: "host-link", Title: "Host link", From: "pcie", To: "host", Part: "part-link"},
			{Key: "ssd-link", Title: "SSD, sustained", From: "pcie", To: "ssd", Part: "part-ssd"},
		},
	}
	for i := range lanes {
		at := i / 2
		p.Links[at].Lanes = append(p.Links[at].Lanes, lab.Lane{To: lanes[i].to, Rate: lanes[i].rate, Bytes: lanes[i].bytes, Busy: lanes[i].busy, Simulated: lanes[i].simulated})
	}
	return p
}

// A lane is one direction of a link.
type lane struct {
	to          string // place in the picture
	label       string
	rate        string // key of the machine's knob
	bytes, busy string // keys of quantities
	carried     func(*result.Traffic) unit.Bytes
	speed       func(*settings, *result.Result) unit.Bandwidth
	simulated   string // key of the quantity that says the rate of a simulated drive; may be empty
}

// lanes are the directions of the three links, two each.
var lanes = []lane{
	{
		"gpu", "GPU link busy, in", "gpu_link", "to_gpu_bytes", "gpu_link_in_busy",
		func(t *result.Traffic) unit.Bytes { return t.HostIn + t.SSDIn }, gpuLink, "",
	},
	{
		"pcie", "GPU link busy, out", "gpu_link", "from_gpu_bytes", "gpu_link_out_busy",
		func(t *result.Traffic) unit.Bytes { return t.HostOut + t.SSDOut }, gpuLink, "",
	},
	{
		"pcie", "Host link busy, reads", "host_link", "host_to_gpu_bytes", "host_link_in_busy",
		func(t *result.Traffic) unit.Bytes { return t.HostIn }, hostLink, "",
	},
	{
		"host", "Host link busy, writes", "host_link", "gpu_to_host_bytes", "host_link_out_busy",
		func(t *result.Traffic) unit.Bytes { return t.HostOut }, hostLink, "",
	},
	{
		"pcie", "SSD busy, reads", "ssd_read", "ssd_to_gpu_bytes", "ssd_read_busy",
		func(t *result.Traffic) unit.Bytes { return t.SSDIn }, ssdRead, "drive_read_gb_per_s",
	},
	{
		"ssd", "SSD busy, writes", "ssd_write", "gpu_to_ssd_bytes", "ssd_write_busy",
		func(t *result.Traffic) unit.Bytes { return t.SSDOut }, ssdWrite, "drive_write_gb_per_s",
	},
}

func gpuLink(s *settings, _ *result.Result) unit.Bandwidth { return s.Machine.GPULink }

func hostLink(s *settings, _ *result.Result) unit.Bandwidth { return s.Machine.HostLink }

// ssdRead is the rate at which the run reads the SSD: the machine's, or what the
// simulated drive delivered and the host link carries.
func ssdRead(s *settings, r *result.Result) unit.Bandwidth {
	if r.SSD != nil {
		return min(r.SSD.Read, s.Machine.HostLink)
	}
	return s.Machine.SSDRead
}

// ssdWrite is the same for writing, which as published runs at the rate of reading.
func ssdWrite(s *settings, r *result.Result) unit.Bandwidth {
	switch {
	case s.quirks().Has(quirk.SymmetricSSD):
		return ssdRead(s, r)
	case r.SSD != nil:
		return min(r.SSD.Write, s.Machine.HostLink)
	}
	return s.Machine.SSDWrite
}

// share is what the lane carried in the reported iteration over what it could have
// carried, at most 1: as published, links can be a little faster than they say
// (quirk binary-gigabytes).
func (l *lane) share(s *settings, r *result.Result) float64 {
	could := unit.MulDiv(int64(l.speed(s, r)), int64(r.Time()), int64(r.Clock))
	return min(1, float64(l.carried(&r.Mean().Traffic))/float64(max(1, could)))
}
