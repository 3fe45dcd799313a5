package load

import (
	"errors"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
)

// A mix is what YCSB's workload does, in percent.
type mix struct {
	name, title, about                 string
	read, update, insert, scan, modify int64
	latest                             bool // the newest records are asked for most, else some records all over
}

// mixes are YCSB's six core workloads.
var mixes = []mix{
	{name: "ycsb-a", title: "YCSB-A", about: "Half reads, half updates.", read: 50, update: 50},
	{name: "ycsb-b", title: "YCSB-B", about: "19 reads to one update.", read: 95, update: 5},
	{name: "ycsb-c", title: "YCSB-C", about: "Reads only.", read: 100},
	{name: "ycsb-d", title: "YCSB-D", about: "19 reads of new records to one insert.", read: 95, insert: 5, latest: true},
	{name: "ycsb-e", title: "YCSB-E", about: "19 scans of up to 100 records to one insert.", scan: 95, insert: 5},
	{name: "ycsb-f", title: "YCSB-F", about: "Half reads, half reads that are followed by an update.", read: 50, modify: 50},
}

func (r *Recipe) mix() *mix {
	for i := range mixes {
		if mixes[i].name == r.Name {
			return &mixes[i]
		}
	}
	return nil
}

func (r *Recipe) ycsb(*machine.Setup, int) (*call.Workload, error) {
	return nil, errors.New("not there yet")
}
