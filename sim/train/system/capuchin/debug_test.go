package capuchin

import (
	"fmt"
	"os"
	"testing"

	"spillway/sim/unit"
	"spillway/traces/eager"
)

func TestDebugPlan(t *testing.T) {
	if os.Getenv("MODEL") == "" {
		t.Skip()
	}
	model := os.Getenv("MODEL")
	var b int
	fmt.Sscan(os.Getenv("BATCH"), &b)
	m, _ := eager.Find(model)
	w, err := eager.Build(model, b, 0, m.Optimizer, eager.Rates{Name: "V100", FP32: 14e12, Memory: 900 * unit.GBps})
	if err != nil {
		t.Fatal(err)
	}
	exec := make([]unit.Cycles, len(w.Kernels))
	for k := range exec {
		exec[k] = unit.Cycles(w.Kernels[k].Time / 1000)
	}
	p := newPlanner(w, exec, func(n unit.Bytes) unit.Cycles { return unit.Cycles(int64(n) * 10 / 125) }, 32*unit.GiB)
	p.measure()
	p.hidden()
	rep := func(what string) {
		var n [3]int
		var by [3]unit.Bytes
		var cost [3]unit.Cycles
		for i := range p.gaps {
			g := &p.gaps[i]
			n[g.choice]++
			by[g.choice] += g.size
			cost[g.choice] += g.cost
		}
		var most unit.Bytes
		short := 0
		for _, o := range p.over {
			most = max(most, o)
			if o > 0 {
				short++
			}
		}
		fmt.Println(what, "stay/swap/recompute", n, by, cost, "most short", most, short, "of", len(p.over))
	}
	rep("hidden")
	i, total := 0, unit.Cycles(0)
	debug = func(p *planner, g *gap) {
		i++
		total += g.cost
		var most unit.Bytes
		for _, o := range p.over {
			most = max(most, o)
		}
		fmt.Println("step", i, "short", most, "total", total/1e6, w.Tensors[g.tensor].Name, g.from, w.Kernels[g.from].Name, g.to, w.Kernels[g.to%len(exec)].Name, g.choice, g.size, "cost", g.cost/1000, "us per GB", float64(g.cost)/float64(g.size)*1e6, p.price(g)*1e9)
	}
	p.rest(true)
	rep("cheap")
	p.relax()
	rep("relax")
	p.rest(false)
	p.over = p.need()
	rep("plan")
	if os.Getenv("ALL") != "" {
		for i := range p.gaps {
			g := &p.gaps[i]
			if g.choice == stay {
				continue
			}
			fmt.Println(w.Tensors[g.tensor].Name, g.size, "from", g.from, w.Kernels[g.from].Name, "to", g.to, w.Kernels[g.to%len(exec)].Name, "choice", g.choice, "away", g.out+1, g.in-1, "cost", g.cost, "s", g.time, "again", g.again, "free", g.free)
		}
	}
}
