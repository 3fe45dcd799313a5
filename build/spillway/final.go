package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"spillway/sim/train"
	"spillway/sim/train/result"
	"spillway/sim/unit"
)

const finalName = "sim_result.final"

// writeFinal writes sim_result.final with the artifact's keys, one "key = value"
// a line, for scripts that read it. Single-iteration systems write iter0.
func writeFinal(dir string, j *job, r *result.Result) error {
	faulted, err := train.FaultTime(j.w, j.q)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	pages := func(b unit.Bytes) int64 { return int64(b / unit.Page) }
	b := &bytes.Buffer{}
	for i := range r.Iterations {
		it := &r.Iterations[i]
		kernel := func(name string, value any) { fmt.Fprintf(b, "kernel_stat.iter%d.%s = %v\n", i, name, value) }
		kernel("in_transfer", it.Faults.Moving)
		kernel("cpu_pf", it.Faults.Host)
		kernel("ssd_pf", it.Faults.SSD)
		kernel("unalloc_pf", it.Faults.Unallocated)
		kernel("exe_time", int64(it.Time))
		kernel("ideal_exe_time", int64(r.Ideal))
		kernel("pf_exe_time", int64(faulted))
		kernel("slowdown", fmt.Sprintf("%.6g", float64(it.Time)/float64(r.Ideal)))
		kernel("speedup", fmt.Sprintf("%.6g", float64(faulted)/float64(it.Time)))
	}
	for i := range r.Iterations {
		t := &r.Iterations[i].Traffic
		link := func(name string, value int64) { fmt.Fprintf(b, "pcie_stat.iter%d.%s = %d\n", i, name, value) }
		link("incoming_pg", pages(t.SSDIn+t.HostIn))
		link("incoming_pg_cpu", pages(t.HostIn))
		link("incoming_pg_ssd", pages(t.SSDIn))
		link("outgoing_pg", pages(t.SSDOut+t.HostOut))
		link("outgoing_pg_cpu", pages(t.HostOut))
		link("outgoing_pg_ssd", pages(t.SSDOut))
	}
	for i := range r.Iterations {
		compute, overlap, stall := r.Iterations[i].Published()
		fmt.Fprintf(b, "total_time_breakdown_stall.iter%d = %d\n", i, stall)
		fmt.Fprintf(b, "total_time_breakdown_overlap.iter%d = %d\n", i, overlap)
		fmt.Fprintf(b, "total_time_breakdown_executiuonOnly.iter%d = %d\n", i, compute) // the artifact's spelling
	}
	fmt.Fprintln(b, -1)
	return replace(filepath.Join(dir, finalName), b.Bytes())
}
