package llm

import (
	"errors"
	"fmt"
	"testing"

	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/llm/system"
	"spillway/sim/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// ring is a node of GPUs whose links to each other carry rate, and which hold everything.
func ring(t *testing.T, gpus int64, rate unit.Bandwidth) *machine.Node {
	t.Helper()
	c := machine.Standard()
	c.GPUs, c.GPU.Peer, c.Collective, c.Drives = gpus, rate, rate, 0
	n, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// oneTensor is a GPU's workload with one tensor that all kernels use.
func oneTensor() *workload.Workload {
	return &workload.Workload{Tensors: []workload.Tensor{{Name: "weights", Bytes: unit.MiB, Global: true}}}
}

func kernel(w *workload.Workload, name string, time unit.Time) workload.KernelID {
	w.Kernels = append(w.Kernels, workload.Kernel{Name: name, Time: time, Inputs: []workload.TensorID{0}})
	return workload.KernelID(len(w.Kernels) - 1)
}

// pipeline is 1F1B of equal stages: stage s runs stages-s forward passes, or all, before its first
// backward pass, then one of each in turn. All that is sent is one byte.
func pipeline(stages, micros int, forward, backward unit.Time) *job.Job {
	j := &job.Job{Name: "pipeline"}
	at := make([][2][]job.Ref, stages) // of forward and backward passes by micro-batch
	for s := range stages {
		w := oneTensor()
		ahead := min(stages-s, micros)
		add := func(backwards int, i int) {
			time := forward
			if backwards == 1 {
				time = backward
			}
			at[s][backwards] = append(at[s][backwards], job.Ref{Part: int16(s), Kernel: kernel(w, fmt.Sprint(backwards, i), time)})
		}
		for i := range ahead {
			add(0, i)
		}
		for i := range micros {
			add(1, i)
			if i+ahead < micros {
				add(0, i+ahead)
			}
		}
		j.Parts = append(j.Parts, w)
		j.Marks = append(j.Marks, make([]job.Mark, len(w.Kernels)))
	}
	for s := 1; s < stages; s++ {
		for i := range micros {
			j.Sends = append(j.Sends,
				job.Send{From: at[s-1][0][i], To: at[s][0][i], Bytes: 1},
				job.Send{From: at[s][1][i], To: at[s-1][1][i], Bytes: 1})
		}
	}
	return j
}

// TestPipelineBubble: without offloading, 1F1B of p equal stages and m micro-batches takes
// (m + p - 1) times what a micro-batch takes on a stage (PipeDream-Flush; Narayanan and others, SC
// 2021, §2.2.1: a bubble of (p - 1)/m of the ideal time). Sends of a byte add less than a
// nanosecond each on the longest way.
func TestPipelineBubble(t *testing.T) {
	const forward, backward = 7 * unit.Millisecond, 13 * unit.Millisecond
	for stages := 1; stages <= 5; stages++ {
		for micros := 1; micros <= 9; micros++ {
			node := ring(t, int64(stages), 100*unit.GBps)
			r, err := offload.Run(pipeline(stages, micros, forward, backward), &offload.Schedule{}, node, offload.Options{})
			if err != nil || r.Stuck != "" {
				t.Fatalf("%d stages, %d micro-batches: %v %v", stages, micros, err, r)
			}
			want := unit.Time(micros+stages-1) * (forward + backward)
			slack := unit.Time(2*(micros+stages)) * unit.Nanosecond
			if r.Time < want || r.Time > want+slack {
				t.Errorf("%d stages, %d micro-batches: %v, want %v", stages, micros, r.Time, want)
			}
			for g := range r.GPUs {
				l := &r.GPUs[g].Ledger
				if busy := unit.Time(micros) * (forward + backward); l[offload.Computes] != busy {
					t.Errorf("%d stages, %d micro-batches: stage %d computes for %v, want %v", stages, micros, g, l[offload.Computes], busy)
				}
				if bubble := unit.Time(stages-1) * (forward + backward); l[offload.Bubble] < bubble-slack || l[offload.Bubble] > bubble+slack {
					t.Errorf("%d stages, %d micro-batches: stage %d has a bubble of %v, want %v", stages, micros, g, l[offload.Bubble], bubble)
				}
			}
		}
	}
}

// TestAllReduce: a ring of n GPUs takes 2(n-1)/n of the buffer at the rate of a link for an
// all-reduce, half of that for an all-gather and a reduce-scatter (Patarasuk and Yuan, 2009).
func TestAllReduce(t *testing.T) {
	const bytes, rate = 840 * unit.MiB, 25 * unit.GBps // 840 is divided by 2 to 8
	for n := int64(2); n <= 8; n++ {
		for kind, times := range map[job.Kind]int64{job.AllReduce: 2, job.AllGather: 1, job.ReduceScatter: 1} {
			j := &job.Job{Name: "all-reduce"}
			c := job.Collective{Kind: kind, Bytes: bytes}
			for g := range n {
				w := oneTensor()
				kernel(w, "before", unit.Millisecond*unit.Time(g+1)) // they come one after another
				c.Members = append(c.Members, job.Ref{Part: int16(g), Kernel: kernel(w, "all-reduce", 1)})
				j.Parts = append(j.Parts, w)
			}
			j.Collectives = []job.Collective{c}
			r, err := offload.Run(j, &offload.Schedule{}, ring(t, n, rate), offload.Options{})
			if err != nil || r.Stuck != "" {
				t.Fatal(err, r)
			}
			want := unit.Time(n)*unit.Millisecond + unit.Bandwidth(rate).Time(unit.Bytes(times*(n-1)*int64(bytes)/n))
			if r.Time != want {
				t.Errorf("kind %d of %d GPUs: %v, want %v", kind, n, r.Time, want)
			}
		}
	}
}

// TestDrives adds drives one by one. ZeRO-Infinity, which does the same in the same order whatever the
// drives, never gets slower; TERAIO may, by its anomalies.
func TestDrives(t *testing.T) {
	anomaly := anomalies["a drive more"]
	most := int64(3)
	if *full {
		most = 6
	}
	list := cases(t)
	if testing.Short() {
		list = list[:3]
	}
	for _, c := range list {
		for name, bound := range map[string]int64{"teraio-ssd": anomaly[0], "teraio-mixed": anomaly[1], "zero-infinity": 0} {
			last := unit.Time(0)
			for d := int64(1); d <= most; d++ {
				s := c.setup
				s.Node.Drives, s.Node.ArrayCap = d, 0
				r, err := Run(&s, name, false, nil)
				if err != nil {
					t.Fatalf("%s, %s: %v", c.name, name, err)
				}
				if !r.Ran() {
					break // no number of drives helps what they do not hold
				}
				if last > 0 && int64(r.Time) > unit.MulDiv(int64(last), 1000+bound, 1000) {
					t.Errorf("%s, %s: %v with %d drives, %v with %d", c.name, name, r.Time, d, last, d-1)
				}
				last = r.Time
			}
		}
	}
}

// TestMixed: with fallback better TERAIO-Mixed is never slower than TERAIO-SSD, whose schedules are among its own.
func TestMixed(t *testing.T) {
	rounds := 150
	if testing.Short() {
		rounds = 40
	}
	ran, faster := 0, 0
	for seed := range rounds {
		r := rng(seed)
		s := r.anything()
		s.Options.Fallback = system.Better
		ssd, err := Run(&s, "teraio-ssd", false, nil)
		if err != nil || !ssd.Ran() {
			continue
		}
		mixed, err := Run(&s, "teraio-mixed", false, nil)
		if err != nil || !mixed.Ran() || mixed.Time > ssd.Time {
			t.Errorf("seed %d: TERAIO-SSD takes %v, Mixed %v (%v %s)", seed, ssd.Time, mixed.Time, err, mixed.Reason)
			continue
		}
		ran++
		if mixed.Time < ssd.Time {
			faster++
		}
	}
	if ran < rounds/5 || faster < ran/3 {
		t.Errorf("%d of %d setups run, Mixed is faster in %d", ran, rounds, faster)
	}
}

// TestFits: what fits runs, one sequence or a stage's layer more is refused with a reason.
func TestFits(t *testing.T) {
	few := cases(t)[:1]
	if *full {
		few = cases(t)[:3]
	}
	for _, c := range few {
		for _, sys := range Systems {
			name := c.name + ", " + sys.Name
			last := -1
			f, err := Fits(&c.setup, sys.Name, func(done, total int) {
				if done < last || done > total {
					t.Errorf("%s: progress of %d of %d after %d", name, done, total, last)
				}
				last = done
			})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if sys.Bound {
				continue
			}
			if last != whole {
				t.Errorf("%s: progress ends at %d", name, last)
			}
			if f.Micro.Most == 0 && f.Micro.Reason == "" || f.Micro.Most < mostMicro && f.Micro.Reason == "" || (f.Layers.Most > 0) != (f.Parameters > 0) {
				t.Errorf("%s: %+v", name, f)
			}
			if m := f.Micro.Most; m > 0 {
				s := c.setup
				s.Options.Fallback = system.Demand // one plan is enough to see that it runs
				s.shape(m)
				if r, err := Run(&s, sys.Name, false, nil); err != nil || !r.Ran() {
					t.Errorf("%s: micro-batches of %d fit, but: %v %v", name, m, err, r.Reason)
				}
				s.shape(m + max(m/16, 1))
				if r, err := Run(&s, sys.Name, false, nil); err == nil && r.Ran() && f.Micro.Reason != "" {
					t.Errorf("%s: micro-batches of %d fit at most, but those of %d run", name, m, s.Layout.Micro)
				}
			}
		}
	}
}

// TestLargest finds a limit, to a 32nd, whatever it is.
func TestLargest(t *testing.T) {
	for limit := int64(0); limit < 5000; limit += 1 + limit/7 {
		tries := 0
		l, err := largest(1, 4096, nil, func(n int64) error {
			if tries++; n > limit {
				return &system.Refusal{Reason: "too large"}
			}
			return nil
		})
		least := limit
		if limit >= 32 {
			least = min(limit, 4096) * 31 / 32
		}
		if err != nil || l.Most < least || l.Most > limit || (l.Reason == "") != (limit >= 4096) || tries > 20 {
			t.Errorf("%d: %+v after %d tries, %v", limit, l, tries, err)
		}
	}
	if _, err := largest(1, 10, nil, func(int64) error { return errors.New("no such model") }); err == nil {
		t.Error("an error of the setup is lost")
	}
}
