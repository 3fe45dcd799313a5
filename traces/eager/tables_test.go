package eager

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"

	"spillway/build/artifact"
)

// A table is what an independent program counted in a network's layers: parameters, and
// operations of the products of one sample's forward pass.
type table struct{ parameters, flops float64 }

// readTable adds the layers of a table up; passes says how often the products of a
// layer are computed.
func readTable(t *testing.T, name string, passes func(layer string) float64) (sum table) {
	t.Helper()
	file, err := os.Open(artifact.Data(t, "models/"+name+"_layers.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, row := range rows[1:] { // idx, name, op, in_shape, out_shape, params, fwd_flops_per_sample, …
		sum.parameters += number(row[5])
		switch row[2] {
		case "conv2d", "convtranspose2d", "linear", "bmm":
			sum.flops += passes(row[1]) * number(row[6])
		}
	}
	return sum
}

// Parameters, and operations of a training step, which are three times those of the
// forward pass, agree with tables of layers. What the tables count otherwise is said.
func TestLayerTables(t *testing.T) {
	for _, tt := range []struct {
		id, table  string
		length     int
		parameters float64 // ours beyond the table's
		flops      float64 // ours of the forward pass beyond the table's
	}{
		{"gpt2-xl-pytorch", "gpt2_xl_s1024", 1024, 0, 0},
		{"gpt2-l-pytorch", "gpt2_large_s1024", 1024, 0, 0},
		// A head for masked words, tied to the embedding, where the table has a pooler.
		{"bert-base-pytorch", "bert_base_s128", 128, 2*768 + 30522, 2 * 128 * (768*768 + 768*30522)},
		{"bert-large-pytorch", "bert_large_s128", 128, 2*1024 + 30522, 2 * 128 * (1024*1024 + 1024*30522)},
		{"resnet-152-pytorch", "resnet152", 0, 0, 0},
		{"resnet-200-pytorch", "resnet200", 0, 0, 0},
		{"mobilenet-cifar-pytorch", "mobilenet_v1_cifar", 0, 0, 0},
	} {
		t.Run(tt.id, func(t *testing.T) {
			want := readTable(t, tt.table, func(string) float64 { return 3 })
			m, err := Find(tt.id)
			if err != nil {
				t.Fatal(err)
			}
			g := mustBuild(t, m.ID, 2, tt.length, m.Optimizer)
			if got := float64(m.Parameters); got != want.parameters+tt.parameters {
				t.Errorf("%.0f parameters, want %.0f", got, want.parameters+tt.parameters)
			}
			var flops float64
			for _, n := range g.flops {
				flops += n
			}
			if got, want := flops/2, want.flops+3*tt.flops; !near(got, want, 0.01) {
				t.Errorf("%.4g operations a sample, want %.4g", got, want)
			}
		})
	}
}

// A step of DCGAN runs the discriminator three times and the generator once, forward and
// backward. Where an image or noise comes in no gradient is wanted.
func TestDCGANTable(t *testing.T) {
	want := readTable(t, "dcgan_64_ngf64_ndf64", func(layer string) float64 {
		switch {
		case layer == "D0":
			return 7
		case layer == "G0":
			return 2
		case strings.HasPrefix(layer, "D"):
			return 9
		}
		return 3
	})
	m, err := Find("dcgan-pytorch")
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(m.Parameters); got != want.parameters {
		t.Errorf("%.0f parameters, want %.0f", got, want.parameters)
	}
	var flops float64
	for _, n := range mustBuild(t, m.ID, 1, 0, m.Optimizer).flops {
		flops += n
	}
	if flops != want.flops {
		t.Errorf("%.0f operations a sample, want %.0f", flops, want.flops)
	}
}

// The rows of DLRM's tables are those of the layer table, whose vectors have 16 numbers.
func TestDLRMTable(t *testing.T) {
	var total int64
	for _, rows := range tables {
		total += rows
	}
	want := readTable(t, "dlrm_criteo_kaggle_d16", func(string) float64 { return 0 })
	const perceptrons = 7168 + 131328 + 16448 + 1040 + 188416 + 131328 + 257 // of the table
	if got := float64(16*total) + perceptrons; got != want.parameters {
		t.Errorf("%d rows of 16 numbers and perceptrons make %.0f parameters, want %.0f", total, got, want.parameters)
	}
}
