package kineto

import (
	"bytes"
	"math"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// recorded reads a sample and returns its recordings.
func recorded(t testing.TB, name string) (*Trace, []Recorded) {
	t.Helper()
	tr, err := Read(bytes.NewReader(artifact.Sample(t, name)), nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	list, err := tr.Recordings(path.Base(name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return tr, list
}

// tally counts kernels proper, without copies and memsets, and their time in ns.
func tally(s *recording.Step) (kernels int, ns int64) {
	for i := range s.Kernels {
		if k := &s.Kernels[i]; k.Kind == recording.Compute || k.Kind == recording.Communication {
			kernels++
			ns += int64(k.Time / unit.Nanosecond)
		}
	}
	return kernels, ns
}

// TestSamples compares with what was counted in the samples by other means.
func TestSamples(t *testing.T) {
	type step struct {
		kernels int
		ns      int64
	}
	for _, tt := range []struct {
		name    string
		label   recording.Label
		steps   []step
		chosen  int
		copies  int // of the chosen step
		missing int // launches, copies included
		memory  recording.Memory
	}{
		{name: "h100-bert-small-infer-shapes-memory", label: recording.L1m, steps: []step{{60, 307197}}, copies: 1, memory: recording.Memory{Known: true, LevelBefore: 91360768, Peak: 101305344, Allocations: 109}},
		{name: "mi300-bert-small-infer-shapes-memory", label: recording.L1m, steps: []step{{60, 388344}}, copies: 1, memory: recording.Memory{Known: true, LevelBefore: 57806336, Peak: 146394112, Allocations: 117}},
		{name: "mi300-resnet-ddp-checkpoint-train-shapes", label: recording.L1, steps: []step{{746, 22299043}, {746, 22264198}}, chosen: 1, copies: 122, missing: 968},
		{name: "mi300-normalization-train-shapes-memory", label: recording.L1m, steps: []step{{168, 991996}}, memory: recording.Memory{Known: true, LevelBefore: 665600, Peak: 8154624, Allocations: 213}},
		{name: "v100-ddp-train-memory-noshapes", label: recording.L1m, steps: []step{{3874, 183614000}, {3874, 183517000}}, chosen: 1, copies: 408, memory: recording.Memory{Known: true, LevelBefore: 4096614400, Peak: 6629508096, Allocations: 5354}},
		{name: "v100-train-shapes-integer-us", label: recording.L1, steps: []step{{1555, 122197000}, {1555, 124354000}}, chosen: 1, copies: 803, missing: 614},
		{name: "a100-ddp-train-noshapes", label: recording.T, steps: []step{{900, 50495427}, {900, 50729451}}, chosen: 1, copies: 320},
		{name: "b200-eager-overlapping-kernels", label: recording.L1, steps: []step{{768, 10862916}}, copies: 161},
		{name: "mi300-vllm-decode-graph-replay", label: recording.T, steps: []step{{425, 10674517}}, copies: 9},
		{name: "mi210-gpu-only", label: recording.T, steps: []step{{562, 5343422}}},
		{name: "mi250-minitoy-train-shapes", label: recording.L1, steps: []step{{14, 110881}}, copies: 2},
		{name: "a100-triton-kernel", label: recording.L1, steps: []step{{1, 1760}}},
		{name: "a100-multi-stream", label: recording.T, steps: []step{{3, 369000}}},
		{name: "old-category-names", label: recording.T, steps: []step{{4, 30000}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, list := recorded(t, "kineto/"+tt.name+".json.gz")
			if len(list) != 1 {
				t.Fatalf("%d recordings", len(list))
			}
			r := list[0]
			var steps []step
			for i := range r.Steps {
				n, ns := tally(&r.Steps[i])
				steps = append(steps, step{n, ns})
			}
			copies, missing := 0, 0
			for _, k := range r.Steps[r.Chosen].Kernels {
				if k.Kind == recording.HostToDevice || k.Kind == recording.DeviceToHost || k.Kind == recording.DeviceToDevice {
					copies++
				}
			}
			for _, l := range r.Missing {
				missing += l.Kernels
			}
			if r.Label != tt.label || !slices.Equal(steps, tt.steps) || r.Chosen != tt.chosen || copies != tt.copies || missing != tt.missing || r.Memory != tt.memory {
				t.Errorf("%s, steps %v, chosen %d, %d copies, %d missing, memory %+v", r.Label, steps, r.Chosen, copies, missing, r.Memory)
			}
		})
	}
}

// TestLaunchless counts the kernels proper whose launch is before the recording.
func TestLaunchless(t *testing.T) {
	for name, want := range map[string]int{
		"kineto/mi300-resnet-ddp-checkpoint-train-shapes.json.gz": 757,
		"kineto/v100-train-shapes-integer-us.json.gz":             546,
		"et-kineto-pair/dlrm-rank1-kineto.json.gz":                64,
	} {
		tr, list := recorded(t, name)
		n := 0
		for i := range tr.Kernels {
			if k := &tr.Kernels[i]; tr.launched[i] < 0 && (k.Kind == recording.Compute || k.Kind == recording.Communication) {
				n++
			}
		}
		if n != want || len(list[0].Missing) != 1 || list[0].Missing[0].Why != "their launch is before the recording" {
			t.Errorf("%s: %d, %+v", name, n, list[0].Missing)
		}
	}
}

// TestStreams tells streams apart, and kernels with and without operators.
func TestStreams(t *testing.T) {
	_, list := recorded(t, "kineto/a100-multi-stream.json.gz")
	var streams []int32
	for _, k := range list[0].Steps[0].Kernels {
		if k.Kind == recording.Compute {
			streams = append(streams, k.Stream)
		}
	}
	if slices.Sort(streams); !slices.Equal(streams, []int32{20, 24, 28}) {
		t.Errorf("streams %v", streams)
	}
	_, list = recorded(t, "kineto/mi300-vllm-decode-graph-replay.json.gz")
	with := 0
	for _, k := range list[0].Steps[0].Kernels {
		if k.Op != "" && k.Kind == recording.Compute {
			with++
		}
	}
	if with != 4 || !strings.Contains(strings.Join(list[0].Advice, " "), "enforce_eager") {
		t.Errorf("%d kernels with an operator, %q", with, list[0].Advice)
	}
}

// TestOverlap measures how much of the summed time runs beside other work.
func TestOverlap(t *testing.T) {
	tr, _ := recorded(t, "kineto/v100-train-shapes-integer-us.json.gz")
	var sum, busy, end unit.Time
	for i := range tr.Kernels {
		k := &tr.Kernels[i]
		sum += k.Time
		if stop := k.Start + k.Time; stop > end {
			busy += stop - max(k.Start, end)
			end = stop
		}
	}
	// 26.4 % was published for the recording before it was trimmed to two steps.
	if share := 100 * float64(sum-busy) / float64(sum); math.Abs(share-26.4) > 0.1 {
		t.Errorf("%.1f %% of the time overlaps, want 26.4", share)
	}
	tr, _ = recorded(t, "kineto/b200-eager-overlapping-kernels.json.gz")
	n, end := 0, unit.Time(0)
	for i := range tr.Kernels {
		k := &tr.Kernels[i]
		if k.Kind == recording.Compute || k.Kind == recording.Communication {
			if k.Start < end {
				n++
			}
			end = k.Start + k.Time
		}
	}
	if n != 74 {
		t.Errorf("%d kernels overlap the one before them in their stream, want 74", n)
	}
}

// TestCoverage measures which share of kernel time uses a block that is born or
// dies, which names an operator, and which has shapes.
func TestCoverage(t *testing.T) {
	for _, tt := range []struct {
		name                string
		blocks, ops, shapes float64 // percent of the chosen step's kernel time
	}{
		{"h100-bert-small-infer-shapes-memory", 99.45, 100, 99.28},
		{"mi300-bert-small-infer-shapes-memory", 99.34, 100, 99.38},
		{"mi300-normalization-train-shapes-memory", 98.05, 100, 97.25},
		{"v100-ddp-train-memory-noshapes", 64.5, 100, 0},
		{"mi300-resnet-ddp-checkpoint-train-shapes", 0, 100, 99.1},
		{"v100-train-shapes-integer-us", 0, 98.64, 73.63},
		{"b200-eager-overlapping-kernels", 0, 100, 100},
		{"mi250-minitoy-train-shapes", 0, 100, 97.7},
		{"a100-ddp-train-noshapes", 0, 100, 0},
	} {
		tr, list := recorded(t, "kineto/"+tt.name+".json.gz")
		at := list[0].Chosen
		kernels := list[0].Kernels[at]
		shapes := tr.Shapes
		tr.Shapes = false // only what the blocks say
		r := list[0].Ranges[at]
		b := tr.build(int32(list[0].Device.ID), span{"", r[0], r[1], true}, kernels)
		tr.Shapes = shapes
		used := make([]bool, len(kernels))
		for _, x := range b.step.Tensors {
			for _, u := range x.Uses {
				used[u.Kernel] = true
			}
		}
		var sum, block, op, shape unit.Time
		for i, n := range kernels {
			k := &tr.Kernels[n]
			sum += k.Time
			if used[i] {
				block += k.Time
			}
			if k.Op >= 0 {
				op += k.Time
			}
			if tr.shaped(k.Op) >= 0 {
				shape += k.Time
			}
		}
		for what, v := range map[string][2]float64{"blocks": {float64(block), tt.blocks}, "operators": {float64(op), tt.ops}, "shapes": {float64(shape), tt.shapes}} {
			if got := 100 * v[0] / float64(sum); math.Abs(got-v[1]) > 0.06 {
				t.Errorf("%s: %s %.2f %%, want %.1f", tt.name, what, got, v[1])
			}
		}
	}
}

// TestParameters compares the weights with those of the models.
func TestParameters(t *testing.T) {
	for _, tt := range []struct {
		name    string
		tensors int
		bytes   unit.Bytes
		one     string
	}{
		// The output layer shares the embedding's 31254528 bytes. On the H100, which has
		// 32 MiB more for libraries, there is room for both, so that it counts twice; on
		// the MI300 there is not.
		{"h100-bert-small-infer-shapes-memory", 75, 88844916, "BertSelfOutput_0.Linear_3.weight"},
		{"mi300-bert-small-infer-shapes-memory", 74, 88844916 - 31254528, "BertEmbeddings_0.Embedding_0.weight"},
		{"mi300-resnet-ddp-checkpoint-train-shapes", 102, 23398224, "BasicBlock_0.BatchNorm2d_1.running_mean"},
	} {
		_, list := recorded(t, "kineto/"+tt.name+".json.gz")
		n, sum, found := 0, unit.Bytes(0), false
		s := &list[0].Steps[list[0].Chosen]
		for _, x := range s.Tensors {
			if x.Kind == workload.Weight && x.Global && !strings.Contains(x.Name, "input of") {
				n++
				sum += x.Bytes
				found = found || x.Name == tt.one
			}
		}
		if n != tt.tensors || sum != tt.bytes || !found {
			t.Errorf("%s: %d weights, %d bytes, %s: %t", tt.name, n, sum, tt.one, found)
		}
	}
}

// TestResident accounts for what was there before the step.
func TestResident(t *testing.T) {
	_, h100 := recorded(t, "kineto/h100-bert-small-infer-shapes-memory.json.gz")
	_, mi300 := recorded(t, "kineto/mi300-bert-small-infer-shapes-memory.json.gz")
	a, b := h100[0].Steps[0].Resident, mi300[0].Steps[0].Resident
	// The embedding counts twice on the H100 only.
	if a+31254528-b != 32<<20 {
		t.Errorf("%d and %d are resident besides weights: the H100 should have 32 MiB more", a, b)
	}
}

// TestUses checks the rules of tensors whose memory was recorded.
func TestUses(t *testing.T) {
	for _, name := range samples(t) {
		tr, err := Read(bytes.NewReader(artifact.Sample(t, name)), nil)
		if err != nil {
			t.Fatal(err)
		}
		list, err := tr.Recordings(name)
		if err != nil {
			continue
		}
		for _, r := range list {
			in, out := unit.Time(0), unit.Time(0)
			for i := range tr.Kernels {
				if int(tr.Kernels[i].Device) == r.Device.ID {
					in += tr.Kernels[i].Time
				}
			}
			for _, l := range r.Missing {
				out += l.Time
			}
			for s := range r.Steps {
				step := &r.Steps[s]
				for i := range step.Kernels {
					out += step.Kernels[i].Time
				}
				checkUses(t, name, step)
			}
			if in != out {
				t.Errorf("%s: kernels took %v, steps and losses have %v", r.Name, in, out)
			}
		}
	}
}

func checkUses(t *testing.T, name string, s *recording.Step) {
	t.Helper()
	for _, x := range s.Tensors {
		if x.Bytes <= 0 || len(x.Uses) == 0 {
			t.Errorf("%s: %s: %d bytes, %d uses", name, x.Name, x.Bytes, len(x.Uses))
		}
		for i, u := range x.Uses {
			if u.Kernel < 0 || int(u.Kernel) >= len(s.Kernels) || i > 0 && u.Kernel <= x.Uses[i-1].Kernel || !u.Read && !u.Write {
				t.Errorf("%s: %s: uses %v", name, x.Name, x.Uses)
				break
			}
		}
	}
}

// TestTwice reads the same bytes twice.
func TestTwice(t *testing.T) {
	for _, name := range samples(t) {
		if testing.Short() && !strings.Contains(name, "bert") {
			continue
		}
		b := artifact.Sample(t, name)
		var all [2][]Recorded
		for i := range all {
			tr, err := Read(bytes.NewReader(b), nil)
			if err != nil {
				t.Fatal(err)
			}
			all[i], _ = tr.Recordings(name)
		}
		if !reflect.DeepEqual(all[0], all[1]) {
			t.Errorf("%s: differs", name)
		}
	}
}

// TestFolded makes workloads of the samples and compares the most memory that their
// tensors take at once with the allocator's own counter.
func TestFolded(t *testing.T) {
	for _, tt := range []struct {
		name             string
		kernels, tensors int
	}{
		{"h100-bert-small-infer-shapes-memory", 61, 185},
		{"mi300-bert-small-infer-shapes-memory", 61, 192},
		{"mi300-normalization-train-shapes-memory", 167, 227},
		{"v100-ddp-train-memory-noshapes", 3248, 2678},
	} {
		_, list := recorded(t, "kineto/"+tt.name+".json.gz")
		w, rep, err := list[0].Fold(recording.Choices{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if len(w.Kernels) != tt.kernels || len(w.Tensors) != tt.tensors || rep.Rebuilt != rep.Counter {
			t.Errorf("%s: %d kernels, %d tensors, %d bytes rebuilt of %d", tt.name, len(w.Kernels), len(w.Tensors), rep.Rebuilt, rep.Counter)
		}
	}
}

// TestEstimates leaves the memory events out and compares what is then estimated from
// shapes with what was measured: the peak of what the step itself takes.
func TestEstimates(t *testing.T) {
	for _, tt := range []struct {
		name    string
		percent int64 // of what was measured
	}{
		{"h100-bert-small-infer-shapes-memory", 88}, // scratch memory of matrix products is not seen
		{"mi300-bert-small-infer-shapes-memory", 9}, // here it is 76 MiB
		{"mi300-normalization-train-shapes-memory", 98},
	} {
		var own [2]int64
		for i := range own {
			tr, err := Read(bytes.NewReader(artifact.Sample(t, "kineto/"+tt.name+".json.gz")), nil)
			if err != nil {
				t.Fatal(err)
			}
			if i == 1 {
				tr.Blocks, tr.levels = nil, nil
			}
			list, err := tr.Recordings(tt.name)
			if err != nil {
				t.Fatal(err)
			}
			_, rep, err := list[0].Fold(recording.Choices{})
			if err != nil {
				t.Fatal(err)
			}
			s := &list[0].Steps[list[0].Chosen]
			own[i] = int64(rep.Rebuilt - s.Resident)
			for _, x := range s.Tensors {
				if x.Global {
					own[i] -= int64(x.Bytes)
				}
			}
		}
		if got := 100 * own[1] / own[0]; got != tt.percent {
			t.Errorf("%s: estimated %d of %d bytes, %d %%, want %d", tt.name, own[1], own[0], got, tt.percent)
		}
	}
}
