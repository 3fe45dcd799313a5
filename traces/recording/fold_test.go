package recording

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

const us = unit.Microsecond

// two is a recording of two steps: a copy, a forward and a backward kernel beside
// a collective, and an update; a kernel of which nothing is known stands between.
func two() *Recording {
	step := Step{
		Name: "ProfilerStep#3", Complete: true,
		Kernels: []Kernel{
			{Name: "Memcpy HtoD (Pageable -> Device)", Op: "aten::copy_", Start: 0, Time: 2 * us, Least: us, Kind: HostToDevice},
			{Name: "void at::native::(anonymous namespace)::gemm<float, 4>(int)", Op: "aten::mm", Start: 5 * us, Time: 10 * us, Least: us},
			{Name: "who", Start: 15 * us, Time: 3 * us, Least: us},
			{Name: "ncclAllReduce", Op: "c10d::allreduce_", Start: 20 * us, Time: 10 * us, Least: us, Kind: Communication},
			{Name: "backward", Op: "backward", Start: 21 * us, Time: 4 * us, Least: us},
			{Name: "update", Op: "aten::add_", Start: 30 * us, Time: 0, Least: us},
		},
		Tensors: []Tensor{
			{Name: "fc.weight", Bytes: 4096, Kind: workload.Weight, Global: true, From: Joined, Uses: []Use{{1, true, false}, {5, true, true}}},
			{Name: "x", Bytes: 1000, Kind: workload.Input, Uses: []Use{{0, false, true}, {1, true, false}}},
			{Name: "y", Bytes: 2000, Uses: []Use{{1, false, true}, {4, true, false}}},
			{Name: "fc.grad", Bytes: 4096, Kind: workload.Gradient, Uses: []Use{{3, true, true}, {4, false, true}, {5, false, true}}},
			{Name: "fc.state", Bytes: 512, Kind: workload.Optimizer, Global: true},
			{Name: "nothing", Bytes: 99},
		},
		Memory: Memory{Known: true, LevelBefore: 4096 + 512 + 300, Peak: 4096 + 512 + 300 + 4096 + 2000}, Resident: 300,
		Notes: []string{"Of this step."},
	}
	other := step
	other.Name = "ProfilerStep#4"
	return &Recording{
		Name: "job.json, GPU 0", Format: "PyTorch profiler (Kineto)", Label: L1m, Times: workload.Measured, Batch: 8,
		Device: Device{Name: "H100"}, Steps: []Step{step, other},
		Missing: []Loss{{7, us, "their launch is before the recording"}},
		Notes:   []string{"Of the recording."}, Advice: []string{"b", "a", "b"},
	}
}

// kernels prints a workload's kernels.
func kernels(w *workload.Workload) string {
	var b strings.Builder
	for i := range w.Kernels {
		k := &w.Kernels[i]
		fmt.Fprintf(&b, "%s %v %v %v\n", k.Name, k.Time, k.Inputs, k.Outputs)
	}
	return b.String()
}

func TestFold(t *testing.T) {
	w, r, err := two().Fold(Choices{})
	if err != nil {
		t.Fatal(err)
	}
	want := `aten::copy_ (Memcpy HtoD (Pageable -> Device)) 2 µs [] [1]
aten::mm (at::native::gemm) 13 µs [0 1] [2]
c10d::allreduce_ (ncclAllReduce) 10 µs [3] [3]
backward 1 ps [2] [3]
aten::add_ (update) 500 ns [0 3] [0 3]
`
	if got := kernels(w); got != want {
		t.Errorf("kernels are\n%swant\n%s", got, want)
	}
	if w.Name != "job.json, GPU 0" || w.Batch != 8 || w.Times != workload.Measured {
		t.Errorf("%s, batch %d, %s", w.Name, w.Batch, w.Times)
	}
	const origin = "Recorded with PyTorch profiler (Kineto), label L1m, one step of 2: kernel times measured on H100. " +
		"What kernels read and write is known for 89.7 % of their time, tensors: 4 measured, 1 joined; they take 10.75 KiB at once of the recording's 10.75 KiB; idle 16.4 % of the step."
	if w.Origin != origin || !IsOrigin(w.Origin) || IsOrigin("Recorded with care.") {
		t.Errorf("origin is\n%s", w.Origin)
	}
	if told := r.Told(w.Origin); Bare(told) != origin || !strings.Contains(told, r.Warnings[0]) || !strings.Contains(told, "300 B of it belongs") || strings.Contains(told, "Of the recording.") {
		t.Errorf("files say\n%s", told)
	}
	if n := len(w.Tensors); n != 6 || w.Tensors[5] != (workload.Tensor{Name: "resident, unknown", Bytes: 300, Kind: workload.Workspace, Global: true}) {
		t.Errorf("%d tensors, the last is %+v", n, w.Tensors[n-1])
	}
	wantReport := Report{
		Label: L1m, Step: "ProfilerStep#3", Steps: 2,
		Launches: 6, Kernels: 5, Merged: 1,
		Summed: 29 * us, Busy: 25*us + us/2, Span: 30*us + us/2, Rounded: 1, Added: us / 2, Ticks: 1, Covered: 26 * us,
		Sources: [3]Tally{{4, 7608}, {1, 4096}, {}},
		Roles:   [6]Tally{{1, 2000}, {1, 4096}, {1, 4096}, {1, 512}, {}, {1, 1000}},
		Rebuilt: 11004, Counter: 11004, Least: 11004, Most: 11004, Resident: 300, Held: 812, Communication: 10 * us,
		Warnings: []string{"What kernels read and write is known for only 89.7 % of their time; " + recordShapes + "."},
		Notes: []string{
			"Of 1 launch the tensors are not known; the time went to the kernel before, or the first after.",
			"1 launch took less than the file can say; half of that was added, 500 ns in all.",
			"4 µs, 13.6 % of kernel time, ran beside other kernels and counts once; 1 kernel did wholly so and lasts 1 ps.",
			"Between kernels the GPU was idle for 5 µs, 16.4 % of the step; a simulated step has no such time.",
			"10 µs, 34.5 % of kernel time, is communication between GPUs.",
			"812 B outlive the step and no kernel is known to use them; they stay on the GPU in every system (300 B of it belongs to no known tensor).",
			"Left out: 1 tensor that no kernel uses or that has no size.",
			"7 launches outside every step, 1 µs: their launch is before the recording.",
			"Of this step.", "Of the recording.",
		},
		Advice: []string{"a", "b"},
		own:    8,
	}
	if !reflect.DeepEqual(*r, wantReport) {
		t.Errorf("report is\n%+v\nwant\n%+v", *r, wantReport)
	}
}

// What was rebuilt is no counter to compare with.
func TestRebuiltMemory(t *testing.T) {
	r := two()
	r.Memory, r.Steps[r.Chosen].Memory = Memory{}, Memory{Known: true, Rebuilt: true, Peak: 1 << 40}
	w, rep, err := r.Fold(Choices{})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Counter != 0 || strings.Contains(strings.Join(rep.Warnings, " "), "counter") || strings.Contains(w.Origin, "of the recording's") {
		t.Errorf("counter of %v: %q, %s", rep.Counter, rep.Warnings, w.Origin)
	}
}

// Unknown kernels are what was chosen; time goes in and out as the report says.
func TestUnknown(t *testing.T) {
	early := two()
	early.Steps[0].Tensors[1].Uses = early.Steps[0].Tensors[1].Uses[1:] // nothing is known of the first kernel
	for _, tt := range []struct {
		r    *Recording
		c    Unknown
		want string
	}{
		{two(), Drop, "2 µs 10 µs 10 µs 1 ps 500 ns"},
		{two(), Follow, "2 µs 10 µs 3 µs 10 µs 1 ps 500 ns"},
		{early, Merge, "15 µs 10 µs 1 ps 500 ns"},
		{early, Drop, "10 µs 10 µs 1 ps 500 ns"},
		{early, Follow, "2 µs 10 µs 3 µs 10 µs 1 ps 500 ns"},
	} {
		w, r, err := tt.r.Fold(Choices{Unknown: tt.c})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		var sum unit.Time
		for i := range w.Kernels {
			got = append(got, w.Kernels[i].Time.String())
			sum += w.Kernels[i].Time
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: times are %s, want %s", tt.c, s, tt.want)
		}
		if sum != r.Busy+unit.Time(r.Ticks)-r.Lost {
			t.Errorf("%s: %v comes out, of %v with %d ticks less %v", tt.c, sum, r.Busy, r.Ticks, r.Lost)
		}
	}
	// A dropped kernel takes no time from those beside it.
	beside := two()
	beside.Steps[0].Tensors[3].Uses = beside.Steps[0].Tensors[3].Uses[1:] // nothing is known of the collective
	w, r, err := beside.Fold(Choices{Unknown: Drop})
	if err != nil || w.Kernels[2].Time != 4*us || r.Lost != 9*us || r.Dropped != 2 {
		t.Errorf("%v, %s lost %v, %d dropped", err, kernels(w), r.Lost, r.Dropped)
	}
	w, _, err = early.Fold(Choices{Unknown: Follow})
	if err != nil || !slices.Equal(w.Kernels[0].Inputs, []workload.TensorID{0, 1, 2}) || !slices.Equal(w.Kernels[2].Inputs, w.Kernels[0].Inputs) {
		t.Errorf("%v, %s", err, kernels(w))
	}
}

// Kernels that were recorded out of order are put in order.
func TestOrder(t *testing.T) {
	r := two()
	s := &r.Steps[0]
	slices.Reverse(s.Kernels)
	for i := range s.Tensors {
		list := slices.Clone(s.Tensors[i].Uses)
		for j := range list {
			list[j].Kernel = int32(len(s.Kernels)-1) - list[j].Kernel
		}
		slices.Reverse(list)
		s.Tensors[i].Uses = list
	}
	got, _, err := r.Fold(Choices{})
	want, _, err2 := two().Fold(Choices{})
	if err != nil || err2 != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v; kernels are\n%s", err, err2, kernels(got))
	}
}

func TestEstimated(t *testing.T) {
	r := two()
	r.Label, r.Times = E2, workload.Estimated
	for i := range r.Steps[0].Kernels {
		k := &r.Steps[0].Kernels[i]
		k.Start, k.Time, k.Flops, k.Bytes, k.Class, k.Element = 0, 0, int64(i)*1e9, 4e6, kerneltime.Product, 4
	}
	w, rep, err := r.Fold(Choices{GPU: "l4"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range w.Kernels {
		got = append(got, w.Kernels[i].Time.String())
	}
	if s := strings.Join(got, " "); s != "26.2 µs 223.08 µs 217.08 µs 287.44 µs 357.8 µs" || rep.Rounded != 0 || rep.Busy.String() != "1.11 ms" || rep.Covered.String() != "964.88 µs" {
		t.Errorf("%s, %+v", s, rep)
	}
	if !slices.Contains(rep.Warnings, "Kernel times are estimated for L4, from what operators compute and move, ± 53 %; record a trace of the profiler in the same run.") {
		t.Errorf("%q", rep.Warnings)
	}
	if _, _, err := r.Fold(Choices{GPU: "abacus"}); err == nil || !strings.Contains(err.Error(), `"abacus"`) {
		t.Errorf("an unknown GPU: %v", err)
	}
}

func TestRoles(t *testing.T) {
	w, r, err := two().Fold(Choices{Roles: " f?.w*t=optimizer, y=weight ,fc.state=input,fc.*=gradient,*z=input"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range w.Tensors {
		got = append(got, fmt.Sprint(w.Tensors[i].Name, " ", w.Tensors[i].Kind, " ", w.Tensors[i].Global))
	}
	const want = "fc.weight optimizer true; x input false; y weight true; fc.grad gradient false; fc.state input true; resident, unknown workspace true"
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("tensors are %s", s)
	}
	if !slices.Contains(r.Notes, `The pattern "*z" matches no tensor, or none that an earlier one does not match.`) {
		t.Errorf("%q", r.Notes)
	}
	for _, tt := range []struct{ pattern, name string }{
		{"", ""}, {"*", ""}, {"**", "abc"}, {"a*c", "abc"}, {"a*c", "ac"}, {"a*b*c", "aXbXbXc"}, {"?", "x"}, {"*.weight", "a.b.weight"}, {"a*", "a"},
	} {
		if !matches(tt.pattern, tt.name) || matches(tt.pattern+"?", tt.name) && !strings.Contains(tt.pattern, "*") || matches("q"+tt.pattern, tt.name) {
			t.Errorf("%q and %q", tt.pattern, tt.name)
		}
	}
	if matches(strings.Repeat("a*", 40)+"b", strings.Repeat("a", 5000)) {
		t.Error("matches")
	}
}

// What cannot be is said exactly.
func TestErrors(t *testing.T) {
	many := two()
	for range 10 {
		many.Steps = append(many.Steps, many.Steps[0])
	}
	for _, tt := range []struct {
		name   string
		change func(r *Recording)
		c      Choices
		want   string
	}{
		{"memory only", func(r *Recording) { r.Label = M }, Choices{}, "a picture of memory has no kernels, so nothing can be simulated; record a trace of the profiler in the same run and open both together"},
		{"times only", func(r *Recording) { r.Label = T }, Choices{}, "only the times of kernels are known, not what they read and write, so nothing can be simulated; " + recordShapes},
		{"no steps", func(r *Recording) { r.Steps = nil }, Choices{}, "no step was recorded; profile at least one whole step"},
		{"step", nil, Choices{Step: "5"}, `there is no step "5"; there are "ProfilerStep#3", "ProfilerStep#4"`},
		{"step of many", func(r *Recording) { r.Steps = many.Steps }, Choices{Step: "5"}, `there is no step "5"; there are "ProfilerStep#3", "ProfilerStep#4", "ProfilerStep#3", "ProfilerStep#3", "ProfilerStep#3" and 7 more`},
		{"chosen", func(r *Recording) { r.Chosen = 2 }, Choices{}, "step 3 was chosen, of 2"},
		{"unknown", nil, Choices{Unknown: "x"}, `kernels without tensors cannot be "x"; want merge, follow or drop`},
		{"no =", nil, Choices{Roles: "a=weight,b"}, `"b" in the patterns for roles has no =; write PATTERN=ROLE, like *embed*=weight`},
		{"no pattern", nil, Choices{Roles: " =weight"}, `"=weight" in the patterns for roles has no pattern before =; * stands for all tensors`},
		{"role", nil, Choices{Roles: "a=b=Weight"}, `"a=b=Weight" in the patterns for roles: unknown role "Weight"; there are weight, gradient, optimizer, intermediate, workspace and input`},
		{"long", nil, Choices{Roles: strings.Repeat("a", 10001)}, "the patterns for roles are 10001 bytes; at most 10000 are read"},
		{"many", nil, Choices{Roles: strings.Repeat("a=input,", 101) + "b=input"}, "more than 100 patterns for roles"},
		{"no kernels", func(r *Recording) { r.Steps[0].Kernels = nil }, Choices{}, `step "ProfilerStep#3" has no kernels; choose another`},
		{"no tensors", func(r *Recording) { r.Steps[0].Tensors = nil }, Choices{}, `of no kernel of step "ProfilerStep#3" it is known what it reads and writes, so nothing can be simulated; ` + recordShapes},
		{"kernels", func(r *Recording) { r.Steps[0].Kernels = make([]Kernel, workload.MaxKernels+1) }, Choices{}, `step "ProfilerStep#3" has 1048577 kernels; at most 1048576 are supported; record a smaller step`},
		{"tensors", func(r *Recording) { r.Steps[0].Tensors = make([]Tensor, workload.MaxTensors) }, Choices{}, `step "ProfilerStep#3" has 1048576 tensors; fewer than 1048576 are supported; record a smaller step`},
		{"resident", func(r *Recording) { r.Steps[0].Resident = -1 }, Choices{}, `step "ProfilerStep#3" has -1 bytes of unknown memory; want 0 to 4398046511104`},
		{"time", func(r *Recording) { r.Steps[0].Kernels[0].Time = -5 }, Choices{}, "kernel 0 (Memcpy HtoD (Pageable -> Device)): it starts at 0 ps and takes -5 ps, for 0 operations and 0 bytes; times may reach 1000000000000000, and nothing is negative"},
		{"tensor", func(r *Recording) { r.Steps[0].Tensors[1].Bytes = -1 }, Choices{}, "tensor 1 (x): -1 bytes, kind 5, source 0; at most 4398046511104 bytes are supported"},
		{"use", func(r *Recording) { r.Steps[0].Tensors[1].Uses[1].Kernel = 6 }, Choices{}, "tensor 1 (x): a use by kernel 6 after one by 0, of 6 kernels"},
		{"order", func(r *Recording) { r.Steps[0].Tensors[1].Uses[1].Kernel = 0 }, Choices{}, "tensor 1 (x): a use by kernel 0 after one by 0, of 6 kernels"},
		{"long in all", func(r *Recording) {
			r.Steps[0].Kernels = make([]Kernel, 1200)
			for i := range r.Steps[0].Kernels {
				r.Steps[0].Kernels[i].Time = workload.MaxTime
			}
		}, Choices{}, `the kernels of step "ProfilerStep#3" take more than 1152921.5 s in all; record a smaller step`},
		{"long kernel", func(r *Recording) {
			r.Steps[0].Kernels[1].Time, r.Steps[0].Kernels[2].Start, r.Steps[0].Kernels[2].Time = 1, 6*us, workload.MaxTime
		}, Choices{}, "kernel 1 (aten::mm (at::native::gemm)): time is 1000000000000001 ps; want 1 to 1000000000000000"},
	} {
		r := two()
		if tt.change != nil {
			tt.change(r)
		}
		want := "job.json, GPU 0: " + tt.want
		if _, _, err := r.Fold(tt.c); err == nil || err.Error() != want {
			t.Errorf("%s: got\n%v\nwant\n%s", tt.name, err, want)
		}
	}
}

// What makes a result doubtful is said, with what to record instead.
func TestWarnings(t *testing.T) {
	r := two()
	s := &r.Steps[0]
	s.Complete, r.Label, s.Memory.Peak = false, L1, 20000
	s.Kernels[5].Start = 90 * us
	_, rep, err := r.Fold(Choices{})
	want := []string{
		"The GPU was idle for 71.8 % of the step, 65 µs, which is left out and would hide much of what moving data costs; " + recordIdle + ".",
		"What kernels read and write is known for only 89.7 % of their time; " + recordShapes + ".",
		"The tensors take 10.75 KiB at once, but the recording's own counter 19.53 KiB; " + recordMemory + ".",
		"How large results are and how long tensors live is estimated from shapes; " + recordMemory + ".",
		"Step ProfilerStep#3 is not complete; choose one that is, or profile more steps.",
	}
	if err != nil || !slices.Equal(rep.Warnings, want) {
		t.Errorf("%v %q", err, rep.Warnings)
	}
}

// random draws a recording, most of them sound.
func random(r *rand.Rand) *Recording {
	odd := func() int64 { // now and then something absurd
		return []int64{0, -1, 1 << 62, -1 << 63, 1<<63 - 1, 1 << 40}[r.IntN(6)]
	}
	wrong := r.IntN(3) == 0
	pick := func(n int64) int64 {
		if wrong && r.IntN(40) == 0 {
			return odd()
		}
		return r.Int64N(n)
	}
	rec := &Recording{
		Name: "random", Label: []Label{L1, L1m, E2, L2, L3, M, T}[r.IntN(7)], Chosen: int(pick(3)),
		Times: []workload.TimeSource{workload.Measured, workload.Estimated}[r.IntN(2)],
	}
	for range r.IntN(4) {
		s := Step{Name: fmt.Sprint("step ", r.IntN(3)), Resident: unit.Bytes(pick(1 << 30))}
		start := int64(0)
		for range r.IntN(20) {
			start += pick(2e6) - pick(1e5)
			s.Kernels = append(s.Kernels, Kernel{
				Name: string([]byte{byte(r.IntN(256)), byte(r.IntN(256))}), Start: unit.Time(start), Time: unit.Time(pick(3e6) * pick(2)), Least: unit.Time(pick(1e6)),
				Flops: pick(1e12), Bytes: unit.Bytes(pick(1e9)), Kind: KernelKind(r.IntN(7)),
			})
		}
		for range r.IntN(15) {
			t := Tensor{Name: fmt.Sprint("t", r.IntN(5)), Bytes: unit.Bytes(pick(1 << 32)), Kind: workload.Kind(pick(6)), Global: r.IntN(3) == 0, From: Source(pick(3))}
			for k := range s.Kernels {
				if r.IntN(5) == 0 {
					t.Uses = append(t.Uses, Use{int32(k) + int32(pick(1)), r.IntN(2) == 0, r.IntN(2) == 0})
				}
			}
			s.Tensors = append(s.Tensors, t)
		}
		rec.Steps = append(rec.Steps, s)
	}
	return rec
}

// TestRandom: whatever a recording says, there is an error or a workload that is
// valid, whose time is accounted for, and that comes out again.
func TestRandom(t *testing.T) {
	n := uint64(20000)
	if testing.Short() {
		n = 2000
	}
	good := 0
	for seed := range n {
		r := rand.New(rand.NewPCG(seed, 7))
		rec := random(r)
		c := Choices{Step: []string{"", "", "step 1"}[r.IntN(3)], Unknown: []Unknown{"", Merge, Follow, Drop}[r.IntN(4)], Roles: []string{"", "t1=weight,t?=input"}[r.IntN(2)]}
		w, rep, err := rec.Fold(c)
		if err != nil {
			continue
		}
		good++
		if err := w.Validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var sum unit.Time
		for i := range w.Kernels {
			sum += w.Kernels[i].Time
		}
		if sum != rep.Busy+unit.Time(rep.Ticks)-rep.Lost || rep.Launches != rep.Kernels+rep.Merged+rep.Dropped || rep.Kernels != len(w.Kernels) ||
			rep.Busy > rep.Span || rep.Busy > rep.Summed+rep.Added || rep.Covered > rep.Summed {
			t.Fatalf("seed %d: %v comes out: %+v", seed, sum, rep)
		}
		w2, rep2, err := rec.Fold(c)
		if err != nil || !reflect.DeepEqual(w, w2) || !reflect.DeepEqual(rep, rep2) {
			t.Fatalf("seed %d: another result", seed)
		}
	}
	if good < int(n)/5 {
		t.Errorf("only %d of %d are folded", good, n)
	}
}

func FuzzRoles(f *testing.F) {
	for _, s := range []string{"", "*embed*=weight,ids=input", "=", "a=b=c,", "**?*=weight", ",,,", strings.Repeat("*a", 30) + "=input"} {
		f.Add(s, "model.embed.weight")
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		rules, err := parseRoles(text)
		if err != nil && rules != nil || len(rules) > mostRules {
			t.Errorf("%v with %v", rules, err)
		}
		for _, r := range rules {
			if matches(r.pattern, name) != matches(r.pattern+"*", name+"\x00") && !strings.HasSuffix(r.pattern, "*") && matches(r.pattern, name) {
				t.Errorf("%q matches %q, but not more of it", r.pattern, name)
			}
			if !matches("*"+r.pattern, "x"+r.pattern) {
				t.Errorf("%q does not match itself", r.pattern)
			}
		}
	})
}
