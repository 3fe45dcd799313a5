package torch

import (
	"fmt"
	"strings"
	"testing"

	"spillway/traces/et"
	"spillway/traces/kineto"
)

// sequence returns numbers that do not repeat in any order.
func sequence(n int) []int32 {
	list := make([]int32, n)
	x := uint32(1)
	for i := range list {
		x = x*1664525 + 1013904223
		list[i] = int32(x >> 24)
	}
	return list
}

// differing returns two sequences of n that differ in one of fifty places.
func differing(n int) (a, b []int32, changed int) {
	a, b = sequence(n), sequence(n)
	for i := 25; i < len(b); i += 50 {
		b[i] = -1
		changed++
	}
	return a, b, changed
}

// TestAlignLong: how many differences are passed over grows with the length, and what is
// looked at for each of them does not.
func TestAlignLong(t *testing.T) {
	work := func(n int) int {
		a, b, _ := differing(n)
		s := search{work: mostWork}
		s.follow(a, b)
		return mostWork - s.work
	}
	if few, many := work(60_000), work(120_000); few < 60_000 || many > 3*few {
		t.Errorf("%d steps for 60 000 elements, %d for twice as many", few, many)
	}
	a, b, changed := differing(60_000)
	got := align(a, b)
	if want := len(a) - changed; len(got.pairs) < want || got.gaveUp {
		t.Errorf("%d are aligned, want %d; gave up: %t", len(got.pairs), want, got.gaveUp)
	}
	for i := 1; i < len(got.pairs); i++ {
		p, q := got.pairs[i-1], got.pairs[i]
		if q[0] <= p[0] || q[1] <= p[1] || a[q[0]] != b[q[1]] {
			t.Fatalf("%v comes after %v", q, p)
		}
	}
}

// TestGaveUp: where the comparison ends early, the error says so instead of a number
// of operators that are alike.
func TestGaveUp(t *testing.T) {
	nodes := []string{`{"id": 1, "name": "[pytorch|profiler|execution_trace|process]", "ctrl_deps": 1}`}
	var events []string
	for i := range 2000 {
		name, other := fmt.Sprint("aten::op", i), fmt.Sprint("aten::op", i)
		if i > 100 && i < 1900 && i%3 != 0 {
			other = "aten::other"
		}
		nodes = append(nodes, fmt.Sprintf(`{"id": %d, "name": %q, "ctrl_deps": 1}`, i+2, name))
		events = append(events, fmt.Sprintf(`{"ph": "X", "cat": "cpu_op", "name": %q, "pid": 1, "tid": 1, "ts": %d, "dur": 5}`, other, 10*i))
	}
	e, err := et.Read(strings.NewReader(`{"schema": "1.1.1", "nodes": [`+strings.Join(nodes, ",")+`]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	k, err := kineto.Read(strings.NewReader(`{"traceEvents": [`+strings.Join(events, ",")+`]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = joined(e, k); err == nil || !strings.Contains(err.Error(), "differ so often that the comparison was ended") {
		t.Errorf("%v", err)
	}
}
