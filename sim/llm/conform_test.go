package llm

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"spillway/build/golden"
	"spillway/build/golden/change"
	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/machine"
	"spillway/sim/model"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A case is a small setup with a name.
type testCase struct {
	name  string
	setup Setup
}

// cases are models of few layers on nodes whose GPUs have too little memory for them.
func cases(t testing.TB) (list []testCase) {
	add := func(name, node, arch string, layers int64, usable unit.Bytes, l job.Layout, more func(*Setup)) {
		t.Helper()
		s := Standard()
		p, err := machine.FindPreset(node)
		if err != nil {
			t.Fatal(err)
		}
		a, err := model.Find(arch)
		if err != nil {
			t.Fatal(err)
		}
		s.Arch, s.Node, s.Layout = deeper(&a, layers), p.Config, l
		s.Node.GPU.Memory, s.Node.Spare = usable/9*10, 100_000
		if more != nil {
			more(&s)
		}
		list = append(list, testCase{name, s})
	}
	add("llama on the TERAIO node", "teraio", "llama3-8b", 4, 14*unit.GiB,
		job.Layout{Batch: 8, Micro: 2, Sequence: 1024}, nil)
	add("granite, drives shared, recomputation", "four-4090", "granite-8b", 6, 3*unit.GiB,
		job.Layout{Batch: 8, Micro: 1, Sequence: 2048, Precision: job.BF16, Recompute: job.Full}, func(s *Setup) { s.Node.Shared = true })
	add("gpt on one GPU", "one-4090", "gpt2-xl", 12, 4*unit.GiB,
		job.Layout{Batch: 4, Micro: 2, Sequence: 1024, Precision: job.BF16, Recompute: job.Selective}, func(s *Setup) { s.Options.Tensor = false })
	add("mixture on eight GPUs", "eight-a100", "mixtral-8x7b", 4, 7*unit.GiB,
		job.Layout{Tensor: 2, Data: 2, ZeRO: 1, Batch: 16, Micro: 1, Sequence: 1024, Precision: job.BF16}, func(s *Setup) { s.Options.Tensor = false })
	add("encoder and decoder", "teraio", "t5-11b", 2, 6*unit.GiB,
		job.Layout{Batch: 8, Micro: 2, Sequence: 512}, nil)
	return list
}

// TestConform runs every system on every case and checks what must hold for all.
func TestConform(t *testing.T) {
	var runs []golden.Run
	ran := map[string]int{}
	for _, c := range cases(t) {
		ideal, err := Ideal(&c.setup)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, sys := range Systems {
			name := c.name + ", " + sys.Name
			last := -1
			r, err := Run(&c.setup, sys.Name, true, func(done, total int) {
				if done < last || done > total || total != whole {
					t.Errorf("%s: progress of %d of %d after %d", name, done, total, last)
				}
				last = done
			})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if !r.Ran() {
				t.Logf("%s does not run: %s", name, r.Reason)
				runs = append(runs, golden.Run{Line: name + ": " + r.Reason, Run: change.Run{Name: name, Values: []change.Value{change.Cannot(r.Reason)}}})
				continue
			}
			if last != whole {
				t.Errorf("%s: progress ends at %d", name, last)
			}
			ran[sys.Name]++
			for _, problem := range broken(r) {
				t.Errorf("%s: %s", name, problem)
			}
			if bound := r.Job.Spec.Layout == layoutOf(t, &c.setup, "ideal") && !r.Job.Spec.HostOptimizer; bound && r.Time < ideal {
				t.Errorf("%s: %v, less than ideal's %v", name, r.Time, ideal)
			}
			if sys.Bound {
				if three, err := run(&c.setup, sys.Name, offload.Options{Iterations: 3}, nil); err != nil || three.Time != ideal {
					t.Errorf("%s: %v in one iteration, but %v in the last of three", name, ideal, three.Time)
				}
			}
			text, err := json.Marshal(r.Result)
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, golden.Run{Line: fmt.Sprintf("%s: %d ps, %d of ideal, peak %d, %d tokens a dollar, life %d, %x",
				name, r.Time, r.OfIdeal(ideal), PeakShare(r.Job), r.TokensPerDollar(), r.DriveLife(), sha256.Sum256(text)), Run: change.Run{Name: name, Values: known(r, ideal)}})
		}
	}
	for _, sys := range Systems {
		if ran[sys.Name] < 2 {
			t.Errorf("%s ran %d times; the cases are of no use to it", sys.Name, ran[sys.Name])
		}
	}
	// The same bytes natively and as WebAssembly.
	golden.Runs(t, runs)
}

// known is what people know of a result; times are summed over GPUs but for the iteration's.
func known(r *Result, ideal unit.Time) []change.Value {
	var all offload.GPUResult
	for i := range r.GPUs {
		g := &r.GPUs[i]
		all.Ledger[offload.Fetch] += g.Ledger[offload.Fetch]
		all.Ledger[offload.Space] += g.Ledger[offload.Space]
		all.Read, all.Written, all.HostRead, all.HostWritten = all.Read+g.Read, all.Written+g.Written, all.HostRead+g.HostRead, all.HostWritten+g.HostWritten
		all.Demand, all.Late = all.Demand+g.Demand, all.Late+g.Late
	}
	return []change.Value{
		change.Int("time_ps", r.Time),
		change.Int("of_ideal_millionths", r.OfIdeal(ideal)),
		change.Int("fetch_ps", all.Ledger[offload.Fetch]),
		change.Int("space_ps", all.Ledger[offload.Space]),
		change.Int("read_bytes", all.Read),
		change.Int("written_bytes", all.Written),
		change.Int("host_read_bytes", all.HostRead),
		change.Int("host_written_bytes", all.HostWritten),
		change.Int("demand", all.Demand),
		change.Int("late", all.Late),
	}
}

func layoutOf(t *testing.T, s *Setup, name string) job.Layout {
	sys, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	_, j, _, err := cut(s, sys)
	if err != nil {
		t.Fatal(err)
	}
	return j.Spec.Layout
}

// broken says which laws a run breaks.
func broken(r *Result) (list []string) {
	bad := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if len(r.GPUs) != len(r.Job.Parts) || len(r.Links) != len(r.Node.Links) || len(r.Memory) != len(r.GPUs) {
		bad("%d GPUs, %d links, %d curves", len(r.GPUs), len(r.Links), len(r.Memory))
		return list
	}
	together := make([]map[workload.KernelID]bool, len(r.Job.Parts))
	for _, c := range r.Job.Collectives {
		if len(c.Wait) > 0 {
			continue
		}
		for _, m := range c.Members {
			if together[m.Part] == nil {
				together[m.Part] = map[workload.KernelID]bool{}
			}
			together[m.Part][m.Kernel] = true
		}
	}
	for i := range r.GPUs {
		g, w := &r.GPUs[i], r.Job.Parts[i]
		var sum, kernels unit.Time
		for _, t := range g.Ledger {
			sum += t
		}
		if sum != r.Time {
			bad("GPU %d: its ledger sums to %v of %v", i, sum, r.Time)
		}
		for k := range w.Kernels {
			if !together[i][workload.KernelID(k)] {
				kernels += w.Kernels[k].Time
			}
		}
		if g.Ledger[offload.Computes] != kernels {
			bad("GPU %d: computes for %v, its kernels take %v", i, g.Ledger[offload.Computes], kernels)
		}
		if g.Overlapped > g.Ledger[offload.Computes] {
			bad("GPU %d: moves overlap with %v of %v of kernels", i, g.Overlapped, g.Ledger[offload.Computes])
		}
		// Who holds all in memory that he was not told to share counts with all that there is.
		room := r.Node.Usable()
		if r.Job.Spec.HostOptimizer {
			room = r.Node.GPU.Memory
		}
		if r.System != "ideal" && g.Peak > room {
			bad("GPU %d: %v of tensors in %v", i, g.Peak, room)
		}
		last := unit.Time(0)
		for _, s := range r.Memory[i] {
			if s.At < last || s.At > r.Time {
				bad("GPU %d: a sample of %v after %v", i, s.At, last)
				break
			}
			last = s.At
			if s.Bytes[offload.GPU] > g.Peak || s.Bytes[offload.GPU] < s.Active || slices.Min(s.Bytes[:]) < 0 {
				bad("GPU %d: at %v %v, active %v, of at most %v", i, s.At, s.Bytes, s.Active, g.Peak)
				break
			}
		}
	}
	for i, l := range r.Links {
		// Flows that were under way when the measured iteration began were counted in whole bytes.
		const parts = 64
		most := unit.MulDiv(int64(r.Node.Links[i].Rate), int64(l.Busy), int64(unit.Second)) + parts
		if l.Busy < 0 || l.Busy > r.Time || l.Bytes < 0 || int64(l.Bytes) > most {
			bad("%s: %v in %v of %v, at %v", r.Node.Links[i].Name, l.Bytes, l.Busy, r.Time, r.Node.Links[i].Rate)
		}
	}
	spans := make([]unit.Bytes, len(r.Links))
	for _, s := range r.Rates {
		for l, n := range s.Bytes {
			spans[l] += n
		}
	}
	for l := range spans {
		if spans[l] != r.Links[l].Bytes {
			bad("%s: %v over time, %v in all", r.Node.Links[l].Name, spans[l], r.Links[l].Bytes)
		}
	}
	if r.HostPeak > r.Node.Host {
		bad("%v in host memory of %v", r.HostPeak, r.Node.Host)
	}
	var drives unit.Bytes
	for _, a := range r.Node.Arrays {
		drives += unit.Bytes(a.Drives) * r.Node.Drive.Size
	}
	if r.DrivePeak > drives {
		bad("%v on drives of %v", r.DrivePeak, drives)
	}
	return list
}
