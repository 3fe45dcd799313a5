package et

import (
	"fmt"
	"strings"
)

// A Window is an iteration: the nodes From to To-1, whatever thread they ran on.
type Window struct {
	Name     string
	From, To int32
	Complete bool // it begins and ends inside the recording
}

// Windows returns the iterations: from one ProfilerStep to the next, or between the
// ends of the optimizer's steps, or as what stands at the top repeats itself; or
// else everything. The note says how they were found.
func (t *Trace) Windows() (windows []Window, note string) {
	all := int32(len(t.Nodes))
	if marks := t.outermost("ProfilerStep#"); len(marks) > 0 {
		for i, n := range marks {
			w := Window{t.Name(n), n, t.after(n), true}
			if i+1 < len(marks) {
				w.To = marks[i+1]
			}
			windows = append(windows, w)
		}
		return t.worthy(windows), ""
	}
	if marks := t.outermost("Optimizer.step#"); len(marks) == 1 {
		return []Window{{"whole recording", 0, all, true}}, "The whole recording was taken as one iteration: it has one Optimizer.step and no ProfilerStep."
	} else if len(marks) > 1 {
		from := int32(0)
		for i, n := range marks {
			to := t.Nodes[n].Last + 1
			windows = append(windows, Window{fmt.Sprintf("iteration %d", i+1), from, to, true})
			from = to
		}
		first, second := windows[0], windows[1]
		windows[0].Complete = 20*(first.To-first.From) >= 19*(second.To-second.From)
		return windows, "Iterations end with Optimizer.step, as the recording has no ProfilerStep."
	}
	if windows = t.repetition(); len(windows) > 1 {
		return windows, "Iterations were found by the repetition of the outermost operators, as the recording has neither ProfilerStep nor Optimizer.step."
	}
	return []Window{{"whole recording", 0, all, true}}, "The whole recording was taken as one iteration."
}

// after returns the first node that began after n ended on its thread, or the number
// of nodes.
func (t *Trace) after(n int32) int32 {
	for k := t.Nodes[n].Last + 1; k < int32(len(t.Nodes)); k++ {
		if t.Nodes[k].Parent == t.Nodes[n].Parent && t.Nodes[k].Thread == t.Nodes[n].Thread {
			return k
		}
	}
	return int32(len(t.Nodes))
}

// worthy leaves out windows in which nothing works on tensors, which the profiler's
// last step often is.
func (t *Trace) worthy(windows []Window) []Window {
	kept := windows[:0:0]
	for _, w := range windows {
		if t.works(w) {
			kept = append(kept, w)
		}
	}
	if len(kept) == 0 {
		return windows
	}
	return kept
}

// works reports whether something works on tensors in w.
func (t *Trace) works(w Window) bool {
	for n := w.From; n < w.To; n++ {
		for _, m := range t.Mentions[t.Nodes[n].In:t.Nodes[n].End] {
			if m.flags&counted != 0 {
				return true
			}
		}
	}
	return false
}

// outermost returns the nodes whose names begin with prefix and that are in no other
// such node.
func (t *Trace) outermost(prefix string) (nodes []int32) {
	for i := range t.Nodes {
		n := int32(i)
		if !strings.HasPrefix(t.Name(n), prefix) {
			continue
		}
		if k := len(nodes); k > 0 && t.Nodes[nodes[k-1]].Last >= n {
			continue
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// repetition cuts where the names of the outermost operators of the busiest thread
// begin again. They must repeat almost to the last one: the layers of a network
// repeat too, but what comes before and after them does not.
func (t *Trace) repetition() (windows []Window) {
	top := t.top()
	best, bestSame := 0, 0
	for p := 1; p <= len(top)/2; p++ {
		same := 0
		for i := p; i < len(top); i++ {
			if t.Nodes[top[i]].Name == t.Nodes[top[i-p]].Name {
				same++
			}
		}
		if 200*same >= 199*(len(top)-p) && (best == 0 || same*(len(top)-best) > bestSame*(len(top)-p)) {
			best, bestSame = p, same
		}
	}
	if best == 0 {
		return nil
	}
	for i := 0; i+best <= len(top); i += best {
		w := Window{fmt.Sprintf("iteration %d", len(windows)+1), top[i], int32(len(t.Nodes)), true}
		if i+best < len(top) {
			w.To = top[i+best]
		}
		windows = append(windows, w)
	}
	return windows
}

// mostTop is how many outermost operators repetition looks at.
const mostTop = 4096

// top returns the children of the node that has the most of them, up to mostTop.
func (t *Trace) top() (top []int32) {
	children := make([]int32, len(t.Nodes))
	parent := int32(-1)
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if p := n.Parent; p >= 0 && strings.HasPrefix(t.Name(p), "[pytorch|profiler|") {
			children[p]++
			if parent < 0 || children[p] > children[parent] {
				parent = p
			}
		}
	}
	for i := range t.Nodes {
		if parent >= 0 && t.Nodes[i].Parent == parent && len(top) < mostTop {
			top = append(top, int32(i))
		}
	}
	return top
}
