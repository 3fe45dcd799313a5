// Package ravenstore holds what the Ravenstore report publishes, and the runs
// that reproduce it.
//
// # Source
//
// Anmol Agarwal, Hersh Dhillon, Prakhar Jagwani: "GPU Memory Harvesting for
// Global Memory Cache in Deep Learning Clusters", technical report, CS 8803-SMR,
// Georgia Tech, 2023, Tables 1 and 2. The report publishes no end-to-end result:
// no training, no comparison of policies, no hit rate.
//
// # What the comparison is worth
//
// Table 1 has four values a system and the model two parameters, the first call
// and the free, so how well a line fits is tested. Table 2 has two sizes, and a
// line through two points fits: it defines the time of an allocation a megabyte
// and both parameters of an eviction, and validates nothing but the arithmetic.
package ravenstore

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"spillway/sim/store/ops"
	"spillway/sim/unit"
)

//go:embed published.csv
var published string

// A Point is one published value.
type Point struct {
	Table  int
	System string // "cuda": the driver's own allocator; "ravenstore"
	Count  int    // pairs of allocation and free, or allocations
	Bytes  unit.Bytes
	// Eviction: another client's tensor must leave first.
	Eviction bool
	Value    unit.Time
}

// Tolerance returns by how many thousandths a run may differ: 40 in Table 1,
// whose values scatter about a line, 25 in Table 2, whose two sizes without
// eviction are not quite in proportion.
func (p Point) Tolerance() int64 {
	if p.Table == 1 {
		return 40
	}
	return 25
}

// Points returns all published values, in the order of the report.
func Points() []Point {
	var ps []Point
	for i, line := range strings.Split(strings.TrimSpace(published), "\n") {
		if i < 2 { // source and header
			continue
		}
		f := strings.Split(line, ",")
		number := func(s string, scale float64) int64 {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				panic(fmt.Sprintf("published.csv: line %d: %v", i+1, err))
			}
			return int64(float64(v*scale) + 0.5)
		}
		ps = append(ps, Point{
			Table: int(number(f[0], 1)), System: f[1], Count: int(number(f[2], 1)), Bytes: unit.Bytes(number(f[3], 1)),
			Eviction: f[4] == "1", Value: unit.Time(number(f[5], float64(unit.Millisecond))),
		})
	}
	return ps
}

// Pairs returns the benchmark of Table 1 (§5.1): n times, allocate and free.
func Pairs(n int, size unit.Bytes) *ops.Trace {
	s := &ops.Script{Client: "benchmark"}
	x := s.Tensor("tensor")
	for range n {
		s.Add(ops.Create, x, size)
		s.Add(ops.Free, x, 0)
	}
	return must(ops.Join(s))
}

// Allocation returns the benchmark of Table 2 (§5.2) on a GPU that has room for
// one tensor: a second client allocates it, and if eviction is true, a first has
// filled the memory before. The second client comes a second later.
func Allocation(size unit.Bytes, eviction bool) *ops.Trace {
	first, second := &ops.Script{Client: "first"}, &ops.Script{Client: "second"}
	x := first.Tensor("tensor")
	first.Add(ops.Create, x, size)
	if eviction {
		first.Add(ops.Put, x, 0)
	} else {
		first.Add(ops.Free, x, 0)
	}
	second.Think(unit.Second)
	second.Add(ops.Create, second.Tensor("tensor"), size)
	return must(ops.Join(first, second))
}

func must(t *ops.Trace, err error) *ops.Trace {
	if err != nil {
		panic(err)
	}
	return t
}
