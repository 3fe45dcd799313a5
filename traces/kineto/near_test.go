package kineto

import (
	"fmt"
	"testing"
)

// TestManyTensors: blocks that are never freed are in every step, so a recording has
// room for those around the middle one only, and says so.
func TestManyTensors(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes a million tensors")
	}
	const blocks, steps, room = 50_000, 60, mostTensors / 50_000
	a := &author{}
	for i := range int64(blocks) {
		a.memory(float64(i)*0.1, (i+1)*4096, 512, (i+1)*512)
	}
	for i := range steps {
		at := float64(20_000 + i*1000)
		a.mark(fmt.Sprintf("ProfilerStep#%d", i), at, 900)
		a.kernel("k", i+1, at+5)
	}
	_, r := a.read(t)
	if len(r.Steps) != room || r.Steps[r.Chosen].Name != "ProfilerStep#30" {
		t.Errorf("%d steps, chosen %s; want %d, ProfilerStep#30", len(r.Steps), r.Steps[r.Chosen].Name, room)
	}
	want := fmt.Sprintf("they are of other steps than the %d around the middle one; there is no room for all %d", room, steps)
	if len(r.Missing) != 1 || r.Missing[0].Why != want || r.Missing[0].Kernels != steps-room {
		t.Errorf("missing is %+v, want %q", r.Missing, want)
	}
	for i := range r.Steps {
		if s := &r.Steps[i]; cap(s.Tensors) > 2*len(s.Tensors)+8 {
			t.Fatalf("step %d keeps room for %d tensors and has %d", i, cap(s.Tensors), len(s.Tensors))
		}
	}
}

// TestManyOverlaps: what happens in steps that overlap is not looked at again for
// each of them without an end.
func TestManyOverlaps(t *testing.T) {
	const steps = 20_000
	a := &author{}
	for i := range steps {
		at := float64(i * 10)
		a.mark(fmt.Sprintf("ProfilerStep#%d", i), at, 900_000)
		a.op("aten::mm", at+1, 5, `"Input Dims":[[2,2],[2,2]],"Input type":["float","float"]`)
		a.kernel("k", i+1, at+5)
	}
	_, r := a.read(t)
	if n := len(r.Steps); n < 100 || n >= steps || len(r.Missing) != 1 || r.Missing[0].Kernels != steps-n {
		t.Errorf("%d steps, missing %+v", n, r.Missing)
	}
	// Of steps one after the other all are there.
	a = &author{}
	for i := range steps {
		at := float64(i * 10)
		a.mark(fmt.Sprintf("ProfilerStep#%d", i), at, 9)
		a.kernel("k", i+1, at+5)
	}
	if _, r := a.read(t); len(r.Steps) != steps {
		t.Errorf("%d steps, want %d", len(r.Steps), steps)
	}
}
