package system_test

import (
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/host"
	"spillway/sim/filesys/plan"
	"spillway/sim/filesys/system/nova"
	"spillway/sim/filesys/system/pmfs"
	"spillway/sim/unit"
)

// BenchmarkPlan plans what varmail does to a file: it is removed, made, written, made
// durable, and read. An operation is a call. Steps are not executed but for their Marks.
func BenchmarkPlan(b *testing.B) {
	const files = 4096
	w := &call.Workload{Name: "bench", Threads: 1, Most: files + 1, Nodes: []call.Node{{Dir: true}}}
	for range files {
		w.Nodes = append(w.Nodes, call.Node{Size: 12000})
	}
	for _, v := range []struct {
		name string
		make func(*host.Host) plan.FS
	}{{"bytefs", full}, {"nova", nova.New}, {"pmfs", pmfs.New}} {
		b.Run(v.name, func(b *testing.B) {
			h := host.New(setup(), w, 1<<17, &env{})
			fs, t := v.make(h), &plan.Thread{}
			loop := []call.Call{
				{Code: call.Unlink},
				{Code: call.Create},
				{Code: call.Write, Flags: call.Append, Length: 8000},
				{Code: call.Fsync},
				{Code: call.Close},
				{Code: call.Open},
				{Code: call.Read, Length: 8000},
				{Code: call.Close},
			}
			c := call.Call{}
			b.ReportAllocs()
			for n := range b.N {
				c = loop[n%len(loop)]
				c.Node, c.Changed = 1+int32(n/len(loop)%files), call.Unknown
				t.Steps, h.Sent = t.Steps[:0], h.Sent[:0]
				fs.Plan(t, &c, unit.Time(n))
				for i := range t.Steps {
					if s := &t.Steps[i]; s.Kind == plan.Mark {
						fs.Marked(t, s.Note(), unit.Time(n))
					}
				}
			}
		})
	}
}
