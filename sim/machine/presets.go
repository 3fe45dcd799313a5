package machine

import (
	"errors"
	"fmt"

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
		errs = append(errs, fmt.Errorf("SSD read (%v) is faster than the host link (%v); lower it or raise the link", m.SSDRead, m.HostLink))
	}
	if m.SSDWrite > m.HostLink {
		errs = append(errs, fmt.Errorf("SSD write (%v) is faster than the host link (%v); lower it or raise the link", m.SSDWrite, m.HostLink))
	}
	if m.GPULink > m.HostLink+m.SSDRead {
		errs = append(errs, fmt.Errorf("GPU link (%v) is faster than host link and SSD read together (%v); nothing can fill it", m.GPULink, m.HostLink+m.SSDRead))
	}
	return errors.Join(errs...)
}

// G10 returns the machine of the G10 paper: an A100 with 40 GiB, PCIe 3.0 x16,
// 128 GiB of host memory and a Z-NAND SSD (Table 2; the 1.2 GHz clock, the
// allocation cost and the batch size are from the artifact's configs).
func G10() Machine {
	return Machine{
		Name:         "A100-40GB, Z-NAND (G10 Table 2)",
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
		FaultBatch:   256,
		BatchPages:   50,
	}
}
