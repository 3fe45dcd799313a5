package system

import (
	"fmt"
	"testing"

	"spillway/sim/llm/job"
	"spillway/sim/machine"
)

func TestPipeline(t *testing.T) {
	for _, tt := range []struct {
		name   string
		gpus   int64
		layout job.Layout
		want   string // pipeline, tensor, data, micro; or an error
	}{
		{"two GPUs", 2, job.Layout{Batch: 64, Sequence: 2048}, "2 1 1 4"},
		{"eight GPUs", 8, job.Layout{Data: 2, Batch: 64, Sequence: 2048}, "4 1 2 4"},
		{"all tensor", 8, job.Layout{Tensor: 8, Batch: 64, Sequence: 2048}, "1 8 1 4"},
		{"own micro-batch", 2, job.Layout{Micro: 3, Batch: 64, Sequence: 2048}, "2 1 1 3"},
		{"whole sequences", 2, job.Layout{Batch: 6, Sequence: 2048}, "2 1 1 3"},
		{"long sequence", 2, job.Layout{Batch: 6, Sequence: 1 << 20}, "2 1 1 1"},
		{"three", 8, job.Layout{Tensor: 3, Batch: 64, Sequence: 2048}, "8 GPUs cannot be cut 3 × 1 ways (tensor, data and context); choose degrees whose product divides the GPUs"},
		{"too many", 2, job.Layout{Pipeline: 2, Tensor: 2, Batch: 64, Sequence: 2048}, "pipeline 2 × tensor 2 × data and context 1 needs 4 GPUs; the node has 2"},
		{"odd batch", 2, job.Layout{Data: 2, Batch: 5, Sequence: 2048}, "a batch of 5 sequences cannot be shared by 2 replicas; choose a multiple"},
		{"no batch", 2, job.Layout{Sequence: 2048}, "a batch of 0 sequences cannot be shared by 1 replicas; choose a multiple"},
	} {
		s := job.Spec{Node: &machine.Node{Config: machine.Config{GPUs: tt.gpus}}, Layout: tt.layout}
		got := ""
		if err := Pipeline(&s, nil); err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprint(s.Pipeline, s.Tensor, s.Data, s.Micro)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Settings that the TERAIO paper states (§4.1, Table 4).
func TestStandard(t *testing.T) {
	o := Standard()
	if !o.Tensor || o.Stage != 3 || !o.Pipelined || o.Buffers != 18 || o.BufferElements != 300_000_000 || o.OptBuffers != 4 || o.Fallback != Better {
		t.Errorf("settings are %+v", o)
	}
}
