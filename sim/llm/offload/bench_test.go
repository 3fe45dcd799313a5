package offload

import (
	"testing"

	"spillway/sim/llm/job"
	"spillway/sim/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// kernelsOf70B is how many kernels a GPU runs for Llama-3 70B at batch 32.
const kernelsOf70B = 17_500

// large is a job of two GPUs with two moves a kernel, or without programs, so that all goes on demand.
func large(tb testing.TB, kernels int, programs, rewrite bool) (*job.Job, *Schedule, *machine.Node) {
	weights := kernels / 4
	j, s := &job.Job{}, &Schedule{Rewrite: rewrite}
	for range 2 {
		w := &workload.Workload{}
		p := &Program{Spill: SSD, Start: make([]Tier, weights)}
		for t := range weights {
			w.Tensors = append(w.Tensors, tensorOf("w", 4, true))
			p.Start[t] = SSD
		}
		for range kernels {
			w.Tensors = append(w.Tensors, tensorOf("a", 2, false))
			p.Start = append(p.Start, Nowhere)
		}
		for k := range kernels {
			x := kernelOf(10, ids(workload.TensorID(k%weights)), ids(workload.TensorID(weights+k)))
			if k > 0 {
				x.Inputs = append(x.Inputs, workload.TensorID(weights+k-1))
			}
			w.Kernels = append(w.Kernels, x)
			if !programs {
				continue
			}
			if k > 0 {
				p.Ops = append(p.Ops, Op{workload.KernelID(k), workload.TensorID((k - 1) % weights), SSD})
			}
			p.Ops = append(p.Ops, Op{workload.KernelID(k), workload.TensorID((k + 3) % kernels % weights), GPU})
		}
		j.Parts = append(j.Parts, w)
		s.Programs = append(s.Programs, p)
	}
	for k := 0; k < kernels-1; k += 100 {
		j.Sends = append(j.Sends,
			job.Send{From: job.Ref{Part: 0, Kernel: workload.KernelID(k)}, To: job.Ref{Part: 1, Kernel: workload.KernelID(k + 1)}, Bytes: page},
			job.Send{From: job.Ref{Part: 1, Kernel: workload.KernelID(k)}, To: job.Ref{Part: 0, Kernel: workload.KernelID(k + 1)}, Bytes: page})
	}
	n := toy(tb, 2, int64(kernels/5))
	n.Drive.Size, n.Drive.Latency = unit.Bytes(1e6)*page, us
	return j, s, n
}

// gathers is a job of eight GPUs that gather what each kernel reads, as ZeRO-3 does: no tensor moves.
func gathers(tb testing.TB) (*job.Job, *Schedule, *machine.Node) {
	const gpus, kernels = 8, 10_000
	j, s := &job.Job{}, &Schedule{}
	w := chain(make([]int64, kernels)...)
	for k := range w.Kernels {
		w.Kernels[k].Time = 10 * us
	}
	for g := range int16(gpus) {
		j.Parts = append(j.Parts, w)
		for k := range workload.KernelID(kernels) {
			e := Extra{
				GPU: g, Queue: HostRead, Bytes: page, From: machine.Endpoint{Kind: machine.OnHost}, To: machine.Endpoint{Kind: machine.OnGPU, Index: g},
				Before: []job.Ref{{Part: g, Kernel: k}}, Cause: Fetch,
			}
			if k >= 2 {
				e.After = []job.Ref{{Part: g, Kernel: k - 2}}
			}
			s.Extras = append(s.Extras, e)
		}
	}
	return j, s, toy(tb, gpus, 100)
}

func BenchmarkRun(b *testing.B) {
	for _, x := range []struct {
		name                      string
		programs, rewrite, curves bool
	}{{"programs", true, true, false}, {"demand", false, true, false}, {"curves", true, true, true}} {
		b.Run(x.name, func(b *testing.B) {
			j, s, n := large(b, kernelsOf70B, x.programs, x.rewrite)
			b.ReportAllocs()
			for b.Loop() {
				r, err := Run(j, s, n, Options{Curves: x.curves})
				if err != nil || r.Stuck != "" {
					b.Fatal(err, r.Stuck)
				}
			}
		})
	}
	b.Run("gathers", func(b *testing.B) {
		j, s, n := gathers(b)
		b.ReportAllocs()
		for b.Loop() {
			r, err := Run(j, s, n, Options{})
			if err != nil || r.Stuck != "" {
				b.Fatal(err, r.Stuck)
			}
		}
	})
}
