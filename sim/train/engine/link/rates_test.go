package link

import (
	"testing"

	"spillway/sim/train/machine"
	"spillway/sim/unit"
)

// TestRates: over a link of 20 GB/s that loses a quarter while it goes both ways, two
// copies to and from the host have 15 each; a slow drive takes only what it needs, and what it
// leaves is the host's; one direction by itself has all, and so has everyone where nothing is lost.
func TestRates(t *testing.T) {
	const gb = unit.GBps
	all := func(write, read, toHost, fromHost unit.Bandwidth) [Directions]unit.Bandwidth {
		return [Directions]unit.Bandwidth{SSDOut: write, SSDIn: read, HostOut: toHost, HostIn: fromHost}
	}
	m := machine.Machine{GPULink: 20 * gb, HostLink: 20 * gb, SSDRead: 6 * gb, SSDWrite: 2 * gb, DuplexLoss: 250}
	const hosts = Set(1<<HostIn | 1<<HostOut)
	for _, tt := range []struct {
		says string
		loss int64
		busy Set
		want [Directions]unit.Bandwidth
		of   Set // channels that are compared
	}{
		{"one way", 250, 1 << HostIn, all(0, 0, 0, 20*gb), 1 << HostIn},
		{"both ways", 250, hosts, all(0, 0, 15*gb, 15*gb), hosts},
		{"nothing is lost", 0, hosts, all(0, 0, 20*gb, 20*gb), hosts},
		{"the drive writes", 250, 1<<HostIn | 1<<SSDOut, all(2*gb, 0, 0, 20*gb), 1<<HostIn | 1<<SSDOut},
		{"the drive reads", 250, 1<<HostOut | 1<<SSDIn, all(0, 6*gb, 20*gb, 0), 1<<HostOut | 1<<SSDIn},
		{"the drive reads much", 400, 1<<HostOut | 1<<SSDIn, all(0, 6*gb, 18*gb, 0), 1<<HostOut | 1<<SSDIn},
		{"all", 250, hosts | 1<<SSDIn | 1<<SSDOut, all(2*gb, 6*gb, 13*gb, 9*gb), hosts | 1<<SSDIn | 1<<SSDOut},
	} {
		m.DuplexLoss = tt.loss
		got := tt.busy.Rates(&m, all(m.SSDWrite, m.SSDRead, m.HostLink, m.HostLink))
		for i := range got {
			if tt.of&(1<<i) != 0 && got[i] != tt.want[i] {
				t.Errorf("%s: direction %d has %v, want %v", tt.says, i, got[i], tt.want[i])
			}
		}
	}
}
