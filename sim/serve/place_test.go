package serve

import (
	"strings"
	"testing"

	"spillway/sim/unit"
)

// TestWeightsHaveRoom: weights that do not stay on GPUs take room where they are, once for each copy, and keys and values have
// what they leave.
func TestWeightsHaveRoom(t *testing.T) {
	w := &Workload{Requests: []Request{{Prompt: 100, Output: 10, After: -1}}}
	standard := func() Setting {
		s := Standard()
		s.Model, s.Weights, s.KV = arch(t, "llama3-70b"), BF16, BF16
		s.Node.HostSpare, s.Node.Drives, s.Node.Drive.Size = 0, 1, unit.Bytes(1<<40)
		s.Sequences = 1
		return s
	}
	base := standard()
	all := Stored(base.Model, BF16)
	for name, x := range map[string]struct {
		change func(s *Setting)
		want   string // of why it is refused
	}{
		"host memory for weights":        {func(s *Setting) { s.System, s.Node.Host = "stream-host", all }, ""},
		"a byte less":                    {func(s *Setting) { s.System, s.Node.Host = "stream-host", all-1 }, "do not fit into host memory"},
		"for one copy of two":            {func(s *Setting) { s.System, s.Node, s.Node.Host = "stream-host", Server(s.Node.GPU, 2), 2*all-1 }, "weights of 2 copies"},
		"drives for weights":             {func(s *Setting) { s.System, s.Node.Host, s.Node.Drive.Size = "stream-ssd", 0, all }, ""},
		"a byte less on drives":          {func(s *Setting) { s.System, s.Node.Host, s.Node.Drive.Size = "stream-ssd", 0, all-1 }, "do not fit on drives"},
		"no host memory for FlexGen":     {func(s *Setting) { s.System, s.GPUShare, s.HostShare, s.Node.Host = "flexgen", 0, 1000, all-1 }, "do not fit into host memory"},
		"nothing for keys and values":    {func(s *Setting) { s.System, s.GPUShare, s.HostShare, s.Node.Host = "flexgen", 0, 1000, all+1 }, "for keys and values"},
		"too little for keys and values": {func(s *Setting) { s.System, s.GPUShare, s.HostShare, s.Node.Host = "flexgen", 0, 1000, all+unit.MiB }, "fit into host memory"},
		"no drives for FlexGen":          {func(s *Setting) { s.System, s.GPUShare, s.HostShare, s.Node.Drive.Size = "flexgen", 0, 0, all-1 }, "do not fit on drives"},
		"keys and values behind weights": {func(s *Setting) {
			s.System, s.GPUShare, s.HostShare, s.KVPlace, s.Node.Drive.Size = "flexgen", 0, 0, OnDrive, all+unit.MiB
		}, "fit into drives"},
		"no host memory for processors":       {func(s *Setting) { s.System, s.Layers, s.Node.Host = "split", 0, all-1 }, "do not fit into host memory"},
		"their keys and values need some too": {func(s *Setting) { s.System, s.Layers, s.Node.Host = "split", 8, all-all/10+1 }, "leave nothing of host memory"},
	} {
		s := standard()
		x.change(&s)
		r, err := Run(w, &s, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if x.want == "" && !r.Ran() || !strings.Contains(r.Refused, x.want) || x.want != "" && (r.Ran() || !strings.Contains(r.Refused, "; take ")) {
			t.Errorf("%s: refused for %q, want %q", name, r.Refused, x.want)
		}
	}
	for _, system := range []string{"host-ssd", "ssd", "stream-ssd"} {
		s := Standard()
		s.System, s.Node.Drives = system, 0
		if r, err := Run(w, &s, nil); err != nil || !strings.Contains(r.Refused, "set drives to 1 or more") {
			t.Errorf("%s without drives: %v, %+v", system, err, r)
		}
	}
	s := standard()
	s.System, s.GPUShare, s.HostShare, s.Node.Host = "flexgen", 0, 1000, all+100*unit.GiB
	if r := served(t, w, &s); r.Memory.KV != 100*unit.GiB || r.Memory.HostWeights != all {
		t.Errorf("%v for keys and values, weights of %v", r.Memory.KV, r.Memory.HostWeights)
	}
}

// strained is long answers that GPU memory of 9000 tokens does not hold at once.
func strained(t *testing.T, block int32) (*Workload, *Setting) {
	t.Helper()
	recipe := Recipe{Arrivals: Burst, Requests: 12, Input: Length{Mean: 500}, Output: Length{Mean: 2000}, Block: block}
	w, err := recipe.Workload()
	if err != nil {
		t.Fatal(err)
	}
	s := Standard()
	s.System, s.Reserve = "host", PromptOnly
	full, sys, e, err := s.resolve()
	if err != nil {
		t.Fatal(err)
	}
	m := full.footprint(e, sys, 1)
	s.Activations = full.Activations + m.KV - 9000*m.KVToken
	return w, &s
}

// TestSwapNeedsRoom: who gives back GPU memory goes to host memory only where that has room, and takes it from prefixes; nobody
// comes back before it is there.
func TestSwapNeedsRoom(t *testing.T) {
	for _, block := range []int32{0, 64} {
		w, s := strained(t, block)
		kv := Keys(s.Model, s.KV)
		last := unit.Bytes(-1)
		for _, tokens := range []unit.Bytes{0, 1000, 3000, 100_000} {
			s.HostKV = tokens * kv
			r := served(t, w, s)
			keeps(t, uint64(tokens), w, s, r)
			if r.Preempted == 0 {
				t.Fatal("nobody gave back memory")
			}
			if tokens == 0 && r.LinkOut.Bytes+r.LinkIn.Bytes > 0 {
				t.Errorf("blocks of %d: %v go to host memory that is not there", block, r.LinkOut.Bytes)
			}
			if swapped := r.LinkIn.Bytes; swapped < last {
				t.Errorf("blocks of %d: with %d tokens %v come back, with fewer %v", block, tokens, swapped, last)
			} else {
				last = swapped
			}
		}
		if last == 0 {
			t.Errorf("blocks of %d: nothing comes back", block)
		}
		slow := *s
		slow.Node.HostPath = unit.GBps
		if r := served(t, w, &slow); r.LinkIn.Bytes > 0 {
			each := slow.rates().link.Time(500 * kv)
			for i := range r.Requests {
				if v := &r.Requests[i]; v.Preempted == 1 && v.Done-v.Arrive < 2*each {
					t.Errorf("request %d is back after %v, and one way takes %v", i, v.Done-v.Arrive, each)
				}
			}
		}
	}
}

// TestCopiesShare: copies of a model in one machine share what its host memory moves, and what processors read; each GPU has its
// own drives and link.
func TestCopiesShare(t *testing.T) {
	for _, replicas := range []int64{1, 2, 8} {
		s := Standard()
		s.Node = Server(gpu(t, "h100-sxm"), 8)
		s.Node.Drives = 2
		s.Tensor = 8 / replicas
		s.Node.HostRate, s.Node.HostReads = 100*unit.GBps, 80*unit.GBps
		one := s.rates()
		if all := one.link * unit.Bandwidth(replicas); all > s.Node.HostRate/2 {
			t.Errorf("%d copies load %v at once from host memory of %v", replicas, all, s.Node.HostRate)
		}
		if all := one.processors * unit.Bandwidth(replicas); all > s.Node.HostReads {
			t.Errorf("%d copies' processors read %v of %v", replicas, all, s.Node.HostReads)
		}
		if all := one.read * unit.Bandwidth(replicas); all > s.Node.Drive.Read*16 {
			t.Errorf("%d copies read %v of 16 drives", replicas, all)
		}
	}
}

// TestBrought: weights of layers that are not on the GPU cross the link for steps of many tokens where that takes less
// than processors do, and are counted then, alone.
func TestBrought(t *testing.T) {
	for reads, crosses := range map[unit.Bandwidth]bool{1 * unit.GBps: true, 1000 * unit.GBps: false} {
		s, w := Standard(), &Workload{Requests: []Request{{Prompt: 512, Output: 4, After: -1}}}
		s.System, s.Engine, s.Weights, s.KV, s.Layers, s.Node.HostReads = "split", "llamacpp", W4, BF16, 8, reads
		r, err := Run(w, &s, nil)
		if err != nil || !r.Ran() {
			t.Fatal(err)
		}
		if got := r.StreamIn.Bytes > 0; got != crosses {
			t.Errorf("processors that read %v: %v cross the link", reads, r.StreamIn.Bytes)
		}
	}
}
