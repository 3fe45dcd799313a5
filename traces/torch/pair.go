package torch

import (
	"strconv"
	"strings"

	"spillway/traces/et"
	"spillway/traces/kineto"
)

// nodeOf returns the node of the innermost operator at or around op that is in the
// ExecutionTrace, -1 if there is none.
func nodeOf(j *join, k *kineto.Trace, op int32) int32 {
	for ; op >= 0; op = k.Ops[op].Parent {
		if n := j.node[op]; n >= 0 {
			return n
		}
	}
	return -1
}

// deviceOf returns the ExecutionTrace's index of a device of the profiler's trace,
// -1 if it has none. Where each has one, they are the same.
func deviceOf(e *et.Trace, k *kineto.Trace, id int32) int32 {
	used := e.Used()
	for _, d := range used {
		if _, number, ok := strings.Cut(e.Devices[d], ":"); ok && number == strconv.Itoa(int(id)) {
			return d
		}
	}
	if len(used) == 1 && len(k.Devices) == 1 && e.Devices[used[0]] != "cpu" {
		return used[0]
	}
	return -1
}
