package g10

import (
	"reflect"
	"testing"

	"spillway/sim/train/engine/paged"
	"spillway/sim/train/engine/pool"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// TestTarget checks the published scheduler's headroom and its constants for
// single workloads.
func TestTarget(t *testing.T) {
	bert := workload.Graph{Transformer: true, WeightIDs: 210}
	vit := workload.Graph{Transformer: true, WeightIDs: 184}
	full, gds, host := variant{host: true}, variant{direct: true}, variant{host: true, direct: true}
	const base = 42520176230 // 99 % of 40 GiB
	tests := []struct {
		name  string
		v     variant
		graph workload.Graph
		batch int
		ssd   unit.Bandwidth
		q     quirk.Set
		want  int64
	}{
		{"plain", full, workload.Graph{}, 512, 3200, quirk.HandTuned, base},
		{"BERT-256", full, bert, 256, 3200, quirk.HandTuned, base},
		{"BERT-512", full, bert, 512, 3200, quirk.HandTuned, 59273125664},
		{"BERT-512 with a faster SSD", full, bert, 512, 6400, quirk.HandTuned, base},
		{"BERT-512 without the quirk", full, bert, 512, 3200, quirk.Corrected(), base},
		{"ViT-1280", full, vit, 1280, 3200, quirk.HandTuned, base},
		{"ViT-1280 at 6.4 GB/s", full, vit, 1280, 6400, quirk.HandTuned, 46772193853},
		{"G10-GDS", gds, bert, 512, 3200, quirk.HandTuned, 45097154030},
		{"G10-GDS on ViT", gds, vit, 1280, 6400, quirk.HandTuned, 45097154030},
		{"G10-Host", host, bert, 512, 3200, quirk.HandTuned, 45097154030},
		{"G10-Host on ViT", host, vit, 1280, 6400, quirk.HandTuned, 53973666020},
		{"G10-Host without the quirk", host, vit, 1280, 6400, quirk.Corrected(), base},
	}
	for _, tt := range tests {
		m := machine.G10()
		m.SSDRead = tt.ssd * unit.MBps
		w := &workload.Workload{Graph: tt.graph, Batch: tt.batch}
		if got := target(tt.v, w, &m, tt.q); got != tt.want {
			t.Errorf("%s: target is %d, want %d", tt.name, got, tt.want)
		}
	}
}

// TestRates checks bandwidths in bytes a microsecond.
func TestRates(t *testing.T) {
	tests := []struct {
		q             quirk.Set
		out, in, host float64
	}{
		{quirk.Corrected(), 3000, 3200, 15754},
		{quirk.SymmetricSSD, 3200, 3200, 15754},
		{quirk.BinaryGigabytes | quirk.SymmetricSSD, 3435.9738368000003, 3435.9738368000003, 16915.7286952960},
	}
	for _, tt := range tests {
		s := planner{quirks: tt.q}
		m := machine.G10()
		s.setRates(&m)
		if s.ssdOut.bandwidth != tt.out || s.ssdIn.bandwidth != tt.in || s.hostLink.bandwidth != tt.host {
			t.Errorf("%v: out %v, in %v, host %v; want %v, %v, %v", tt.q,
				s.ssdOut.bandwidth, s.ssdIn.bandwidth, s.hostLink.bandwidth, tt.out, tt.in, tt.host)
		}
		if s.ssdOut.latency != 65 || s.hostLink.latency != 45 {
			t.Errorf("latencies are %v and %v µs, want 65 and 45 (G10 paper, Table 2)", s.ssdOut.latency, s.hostLink.latency)
		}
	}
}

// TestRuntimes checks on which memory model the variants run.
func TestRuntimes(t *testing.T) {
	for _, s := range []system.System{GDS, Host} {
		o := system.Published()
		noHost := s.Name == GDS.Name
		if got, ok := s.Runtime(&o).(pool.Memory); !ok || got.Scale != 4 || got.SSDOnly != noHost || got.Policy == nil {
			t.Errorf("%s as published: %+v", s.Title, got)
		}
		o.Quirks = quirk.Corrected()
		if got, want := s.Runtime(&o), (paged.Memory{SSDOnly: noHost, SplitTables: true}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s corrected: %+v, want %+v", s.Title, got, want)
		}
	}
}

// flat is one kernel a microsecond of clock.
func flat(n int) []float64 {
	c := make([]float64, n+1)
	for i := range c {
		c[i] = float64(i)
	}
	return c
}

// TestLane checks fits: 10 bytes a kernel.
func TestLane(t *testing.T) {
	p := newPath(flat(6), 10, 40, 0, true)
	tests := []struct {
		size       int64
		i, last    int
		gone       int
		end, first int
		back       int
	}{
		{size: 25, i: 1, last: 5, gone: 3, end: 5, first: 0, back: 2},
		{size: 30, i: 1, last: 5, gone: 3, end: 5, first: 0, back: 2},
		{size: 31, i: 1, last: 5, gone: 4, end: 5, first: 0, back: 1},
		{size: 999, i: 1, last: 5, gone: 5, end: 5, first: 0, back: 0},
		{size: 25, i: 4, last: 9, gone: 6, end: 8, first: 4, back: 5},
	}
	for _, tt := range tests {
		if got := p.ssd.forward(tt.size, tt.i, tt.last); got != tt.gone {
			t.Errorf("%d bytes from %d pass by %d, want %d", tt.size, tt.i, got, tt.gone)
		}
		if got := p.ssd.backward(tt.size, tt.end, tt.first); got != tt.back {
			t.Errorf("%d bytes before %d start at %d, want %d", tt.size, tt.end, got, tt.back)
		}
	}
	p.viaSSD(25, 1, 5) // fills 1 and 2, half of 3
	if p.ssd.open(1, 3) || !p.ssd.open(1, 4) || !p.ssd.open(0, 2) || p.ssd.open(3, 3) {
		t.Error("only kernels 1 and 2 are full")
	}
	if got := p.ssd.forward(10, 0, 5); got != 0 {
		t.Errorf("10 bytes from 0 pass by %d, want 0", got)
	}
	if got := p.ssd.forward(11, 0, 5); got != 3 {
		t.Errorf("11 bytes from 0 pass by %d, want 3: 1 and 2 are full", got)
	}
	if got := p.ssd.backward(6, 4, 0); got != 0 {
		t.Errorf("6 bytes before 4 start at %d, want 0: 1 and 2 are full", got)
	}
	if got := p.host.used[1] + p.host.used[2] + p.host.used[3]; got != 25 {
		t.Errorf("the link carries %v bytes, want 25", got)
	}
}

// TestCrowd checks what host traffic takes from the SSD: the link carries 40
// bytes a kernel, the SSD 10.
func TestCrowd(t *testing.T) {
	for _, tt := range []struct {
		cumulate bool
		want     float64
	}{
		{true, 8},  // 2 for the first transfer, then 6 for both
		{false, 6}, // what the link has left is 4
	} {
		p := newPath(flat(1), 10, 40, 0, tt.cumulate)
		p.viaHost(32, 0, 0)
		p.viaHost(4, 0, 0)
		if got := p.ssd.used[0]; got != tt.want {
			t.Errorf("cumulate %v: the SSD has %v bytes taken, want %v", tt.cumulate, got, tt.want)
		}
		p.viaHost(40, 0, 0)
		if !p.ssd.full[0] || !p.host.full[0] {
			t.Errorf("cumulate %v: a full link must fill the SSD", tt.cumulate)
		}
	}
}
