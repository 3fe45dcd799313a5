package torch

import (
	"cmp"
	"fmt"
	"slices"
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
	gaveUp  bool // the search, so there may be more
}

// enough of the nodes must be found, in percent, for two files to be of one run.
const enough = 95

// joined finds the operators of k in e. The error says why they do not belong
// together.
func joined(e *et.Trace, k *kineto.Trace) (*join, error) {
	if e.Process != 0 && k.Process != 0 && e.Process != k.Process {
		return nil, fmt.Errorf("they are of different processes: the profiler's trace of %d, the ExecutionTrace of %d", k.Process, e.Process)
	}
	names := number(e, k)
	if j := byRecord(e, k, names); j != nil {
		return j, nil
	}
	j := byOrder(e, k, names)
	if j.gaveUp && 100*j.matched < enough*j.nodes {
		return nil, fmt.Errorf("the operators of the ExecutionTrace and those of the profiler's trace differ so often that the comparison was ended early; of one run %d %% or more are the same", enough)
	}
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
	least, most := int64(1<<63-1), int64(0)
	for i := range k.Ops {
		if r := k.Ops[i].Record; r > 0 && k.Ops[i].Kind != kineto.Module {
			at[r] = int32(i)
			least, most = min(least, r), max(most, r)
		}
	}
	if len(at) == 0 {
		return nil
	}
	j := newJoin(k, "by the numbers of record functions")
	for n := range e.Nodes {
		// The one may have been recorded for longer than the other.
		rf := e.Nodes[n].RF
		if !real(e, n) || rf < least || rf > most {
			continue
		}
		j.nodes++
		if op, ok := at[rf]; ok && names.ops[op] == names.nodes[n] && j.node[op] < 0 {
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
	}
	theirs := make([]line, len(k.Threads))
	for i := range k.Ops {
		if o := &k.Ops[i]; o.Kind != kineto.Module {
			l := &theirs[o.Thread]
			l.at = append(l.at, int32(i))
			l.names = append(l.names, names.ops[i])
		}
	}
	j.align(k, order(e, mine), theirs, e.Process != 0 && e.Process == k.Process)
	return j
}

// order puts the thread of the training loop first, and else the longer first: where
// the loop is says where the other threads are to be looked for.
func order(e *et.Trace, mine []line) []line {
	loop := func(l *line) int {
		for _, n := range l.at {
			if name := e.Name(n); strings.HasPrefix(name, "ProfilerStep#") || strings.HasPrefix(name, "Optimizer.step#") {
				return 0
			}
		}
		return 1
	}
	slices.SortStableFunc(mine, func(a, b line) int {
		return cmp.Or(cmp.Compare(loop(&a), loop(&b)), cmp.Compare(len(b.at), len(a.at)))
	})
	return mine
}

// align finds each thread of the ExecutionTrace among the profiler's. All but the
// first are looked for only while that one ran, as iterations repeat. Where the
// ExecutionTrace was recorded for longer, what is before and after does not count;
// that is believed only of files of the same process.
func (j *join) align(k *kineto.Trace, mine, theirs []line, same bool) {
	taken := make([]bool, len(theirs))
	j.nodes = 0
	least, most := int32(0), int32(1<<31-1) // nodes in the time of the first
	for _, m := range mine {
		m = m.between(least, most)
		j.nodes += len(m.at)
		found, best := -1, alignment{}
		for t := range theirs {
			if taken[t] {
				continue
			}
			if a := alignEither(m.names, theirs[t].names, same && j.matched == 0); len(a.pairs) > len(best.pairs) {
				found, best = t, a
			}
		}
		j.gaveUp = j.gaveUp || best.gaveUp
		if found < 0 || 2*len(best.pairs) < min(len(m.at), len(theirs[found].at)) {
			continue
		}
		taken[found] = true
		for _, p := range best.pairs {
			j.node[theirs[found].at[p[1]]] = m.at[p[0]]
		}
		first, last := best.pairs[0], best.pairs[len(best.pairs)-1]
		if j.matched == 0 {
			if best.longer {
				least, most = m.at[first[0]], m.at[last[0]]
				j.nodes = len(m.between(least, most).at)
			}
			during(k, theirs, theirs[found].at[first[1]], theirs[found].at[last[1]])
		}
		j.matched += len(best.pairs)
	}
}

// between returns the operators of a thread in a range of nodes.
func (l line) between(least, most int32) line {
	from, _ := slices.BinarySearch(l.at, least)
	to, _ := slices.BinarySearch(l.at, most+1)
	if most == 1<<31-1 {
		to = len(l.at)
	}
	return line{l.at[from:to], l.names[from:to]}
}

// alignEither finds a in b, or with longer, where a is the longer one, b in a.
func alignEither(a, b []int32, longer bool) alignment {
	if !longer || len(a) <= len(b) {
		return align(a, b)
	}
	x := align(b, a)
	for i, p := range x.pairs {
		x.pairs[i] = [2]int32{p[1], p[0]}
	}
	x.longer = true
	return x
}

// during leaves of each thread what began between the beginning of one operator and
// the end of another, or of what is around that.
func during(k *kineto.Trace, lines []line, first, last int32) {
	from, to := k.Ops[first].Start, k.Ops[last].Start+k.Ops[last].Time
	for p := k.Ops[last].Parent; p >= first; p = k.Ops[p].Parent {
		to = max(to, k.Ops[p].Start+k.Ops[p].Time)
	}
	for i := range lines {
		l := &lines[i]
		kept := line{}
		for x, op := range l.at {
			if at := k.Ops[op].Start; at >= from && at <= to {
				kept.at = append(kept.at, op)
				kept.names = append(kept.names, l.names[x])
			}
		}
		*l = kept
	}
}
