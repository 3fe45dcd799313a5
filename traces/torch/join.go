package torch

import (
	"fmt"
	"strings"

	"spillway/traces/et"
	"spillway/traces/kineto"
)

// A join says which node of an ExecutionTrace each operator of a profiler's trace
// is.
type join struct {
	node    []int32 // by index into kineto.Trace.Ops; -1 if it is none
	nodes   int     // that could be found
	matched int     // that were
	how     string
}

// enough of the nodes must be found, in percent, for two files to be of one run.
const enough = 95

// joined finds the operators of k in e. The error says why they do not belong
// together.
func joined(e *et.Trace, k *kineto.Trace) (*join, error) {
	if e.Process != 0 && k.Process != 0 && e.Process != k.Process {
		return nil, fmt.Errorf("they are of different processes, %d and %d", e.Process, k.Process)
	}
	names := number(e, k)
	if j := byRecord(e, k, names); j != nil {
		return j, nil
	}
	j := byOrder(e, k, names)
	if j.nodes == 0 || 100*j.matched < enough*j.nodes {
		return nil, fmt.Errorf("only %d of the %d operators of the ExecutionTrace are found in the same order in the profiler's trace; of one run it would be %d %% or more", j.matched, j.nodes, enough)
	}
	return j, nil
}

// numbered are the names of both files as numbers.
type numbered struct{ nodes, ops []int32 }

func number(e *et.Trace, k *kineto.Trace) numbered {
	of := make(map[string]int32, len(k.Strings))
	for i, s := range k.Strings {
		if _, ok := of[s]; !ok {
			of[s] = int32(i)
		}
	}
	n := numbered{make([]int32, len(e.Nodes)), make([]int32, len(k.Ops))}
	mine := make([]int32, len(e.Strings))
	for i, s := range e.Strings {
		id, ok := of[s]
		if !ok {
			id = int32(len(k.Strings) + i)
		}
		mine[i] = id
	}
	for i := range e.Nodes {
		n.nodes[i] = mine[e.Nodes[i].Name]
	}
	for i := range k.Ops {
		n.ops[i] = of[k.Strings[k.Ops[i].Name]]
	}
	return n
}

// real reports whether a node stands for something that ran.
func real(e *et.Trace, n int) bool {
	return !strings.HasPrefix(e.Name(int32(n)), "[pytorch|profiler|")
}

// byRecord joins by the numbers of record functions, nil if there are none or they
// name other operators.
func byRecord(e *et.Trace, k *kineto.Trace, names numbered) *join {
	at := map[int64]int32{}
	for i := range k.Ops {
		if r := k.Ops[i].Record; r != 0 && k.Ops[i].Kind != kineto.Module {
			at[r] = int32(i)
		}
	}
	if len(at) == 0 {
		return nil
	}
	j := newJoin(k, "by the numbers of record functions")
	for n := range e.Nodes {
		if !real(e, n) || e.Nodes[n].RF == 0 {
			continue
		}
		j.nodes++
		if op, ok := at[e.Nodes[n].RF]; ok && names.ops[op] == names.nodes[n] && j.node[op] < 0 {
			j.node[op] = int32(n)
			j.matched++
		}
	}
	if j.nodes == 0 || 100*j.matched < enough*j.nodes {
		return nil
	}
	return j
}

func newJoin(k *kineto.Trace, how string) *join {
	j := &join{node: make([]int32, len(k.Ops)), how: how}
	for i := range j.node {
		j.node[i] = -1
	}
	return j
}

// A line is the operators of one thread in order: indices, and names as numbers.
type line struct{ at, names []int32 }

// byOrder joins threads by the order of their operators' names.
func byOrder(e *et.Trace, k *kineto.Trace, names numbered) *join {
	j := newJoin(k, "by the order of operators on each thread")
	var mine []line
	thread := map[int64]int{}
	for n := range e.Nodes {
		if !real(e, n) {
			continue
		}
		t, ok := thread[e.Nodes[n].Thread]
		if !ok {
			t = len(mine)
			thread[e.Nodes[n].Thread] = t
			mine = append(mine, line{})
		}
		mine[t].at = append(mine[t].at, int32(n))
		mine[t].names = append(mine[t].names, names.nodes[n])
		j.nodes++
	}
	theirs := make([]line, len(k.Threads))
	for i := range k.Ops {
		if o := &k.Ops[i]; o.Kind != kineto.Module {
			l := &theirs[o.Thread]
			l.at = append(l.at, int32(i))
			l.names = append(l.names, names.ops[i])
		}
	}
	taken := make([]bool, len(theirs))
	for range mine {
		bestMine, bestTheirs, best := -1, -1, alignment{}
		longest := -1
		for i := range mine {
			if len(mine[i].at) > 0 && (longest < 0 || len(mine[i].at) > len(mine[longest].at)) {
				longest = i
			}
		}
		if longest < 0 {
			break
		}
		for t := range theirs {
			if taken[t] {
				continue
			}
			if a := align(mine[longest].names, theirs[t].names); len(a.pairs) > len(best.pairs) {
				bestMine, bestTheirs, best = longest, t, a
			}
		}
		if bestMine >= 0 && 2*len(best.pairs) >= len(mine[bestMine].at) {
			taken[bestTheirs] = true
			for _, p := range best.pairs {
				j.node[theirs[bestTheirs].at[p[1]]] = mine[bestMine].at[p[0]]
			}
			j.matched += len(best.pairs)
		}
		mine[longest].at = nil
	}
	return j
}
