package torch

import (
	"bytes"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/traces/et"
	"spillway/traces/kineto"
	"spillway/traces/recording"
)

func readET(t testing.TB, name string) *et.Trace {
	t.Helper()
	e, err := et.Read(bytes.NewReader(artifact.Sample(t, name)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func readKineto(t testing.TB, name string) *kineto.Trace {
	t.Helper()
	k, err := kineto.Read(bytes.NewReader(artifact.Sample(t, name)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestJoin(t *testing.T) {
	for _, tt := range []struct {
		name                             string
		nodes, matched, kernels, covered int
	}{
		{"dlrm-rank0", 988 + 684, 988 + 682, 245, 245},
		{"dlrm-rank1", 988 + 684, 986 + 684, 310, 246}, // the others were launched before the step
		{"simple-add", 36, 36, 4, 4},
	} {
		e, k := readET(t, "et-kineto-pair/"+tt.name+"-et.json.gz"), readKineto(t, "et-kineto-pair/"+tt.name+"-kineto.json.gz")
		j, err := joined(e, k)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			j = byOrder(e, k, number(e, k))
		}
		per := map[int64]int{}
		for _, n := range j.node {
			if n >= 0 {
				per[e.Nodes[n].Thread]++
			}
		}
		t.Log(per, j.how)
		kernels, covered := 0, 0
		for i := range k.Kernels {
			if k.Kernels[i].Kind > recording.Communication {
				continue // a copy
			}
			kernels++
			if n := nodeOf(j, k, k.Kernels[i].Op); n >= 0 && e.Owner(n, deviceOf(e, k, k.Kernels[i].Device)) >= 0 {
				covered++
			}
		}
		if j.nodes != tt.nodes || j.matched != tt.matched || kernels != tt.kernels || covered != tt.covered {
			t.Errorf("%s: %d of %d nodes, %d of %d kernels; want %d of %d and %d of %d", tt.name, j.matched, j.nodes, covered, kernels, tt.matched, tt.nodes, tt.covered, tt.kernels)
		}
	}
}

func TestNoJoin(t *testing.T) {
	_, err := joined(readET(t, "et-kineto-pair/dlrm-rank0-et.json.gz"), readKineto(t, "et-kineto-pair/dlrm-rank1-kineto.json.gz"))
	if want := "they are of different processes: the profiler's trace of 59812, the ExecutionTrace of 59811"; err == nil || err.Error() != want {
		t.Errorf("ranks swapped: %v, want %s", err, want)
	}
	e := readET(t, "et/et-1.1.1-resnet50-1gpu.json.gz")
	e.Process = 0
	_, err = joined(e, readKineto(t, "et-kineto-pair/dlrm-rank1-kineto.json.gz"))
	if err == nil || !strings.Contains(err.Error(), "of the 14389 operators of the ExecutionTrace are found in the same order") {
		t.Errorf("another run: %v", err)
	}
}
