package skybyte

import "spillway/sim/study"

// An Original is what was published of the program that a workload stands for. Zero is
// nothing.
type Original struct {
	// Of the whole program (Table I): footprint in GB, stores in percent of loads and
	// stores before the caches, misses of the last-level cache per 1000 instructions.
	Footprint, Stores, Misses float64
	Pages                     int64 // that the window which the artifact runs touches (its warm-up snapshots)
}

// OriginalOf returns what was published of a workload's original. Table I is of YCSB-B,
// the snapshot of YCSB-A.
func OriginalOf(workload string) (o Original) {
	for _, f := range table("table1_workloads.csv") {
		if workloadOf(f[0], ycsbB) == workload {
			o.Footprint, o.Stores, o.Misses = study.Number(f[1]), study.Number(f[2]), study.Number(f[3])
		}
	}
	for _, f := range table("trace_footprint.csv") {
		if workloadOf(f[0], ycsbA) == workload {
			o.Pages = int64(study.Number(f[2]))
		}
	}
	return o
}
