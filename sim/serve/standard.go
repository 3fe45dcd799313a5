package serve

import (
	"spillway/sim/machine"
	"spillway/sim/model"
	"spillway/sim/unit"
)

// Server is so many GPUs in what stands around them as a rule: an HGX server, of which one with fewer than eight is a part, or
// a workstation where they plug into PCIe.
func Server(g machine.GPU, gpus int64) machine.Config {
	c := machine.SoldWith(g)
	if g.Peer == 0 {
		key := "four-4090"
		if gpus == 1 {
			key = "one-4090"
		}
		p, err := machine.FindPreset(key)
		if err != nil {
			panic(err) // a test shows that it is there
		}
		c = p.Config
	}
	part := func(n int64) int64 { return unit.MulDiv(n, gpus, c.GPUs) }
	c.Host, c.HostSpare = unit.Bytes(part(int64(c.Host))), unit.Bytes(part(int64(c.HostSpare)))
	c.HostRate, c.Adam = unit.Bandwidth(part(int64(c.HostRate))), part(c.Adam)
	c.Prices.Base, c.Prices.BaseWatt = part(c.Prices.Base), part(c.Prices.BaseWatt)
	c.GPUs, c.Switch = gpus, 1
	return c.With(g)
}

// Standard is a setting that every other begins with: Llama 3 8B in fp8 on an H100.
func Standard() Setting {
	a, err := model.Find("llama3-8b")
	if err != nil {
		panic(err) // a test shows that it is there
	}
	g, err := machine.FindGPU("h100-sxm")
	if err != nil {
		panic(err)
	}
	return Setting{
		System: Systems()[0].Key, Model: &a, Node: Server(g, 1), Tensor: 1, Engine: "vllm", Weights: FP8, KV: FP8, Activations: -1, Front: -1, HostKV: -1, DriveKV: -1,
		Affinity: 10_000, Layers: -1, GPUShare: 200, HostShare: 800, KVPlace: OnHost, CPUAttention: true,
		TTFT: 2 * unit.Second, TPOT: 50 * unit.Millisecond,
	}
}
