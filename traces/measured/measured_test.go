package measured

import (
	"bytes"
	"errors"
	"maps"
	"math"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	in := "\uFEFFclass,gpu,precision,batch,m,n,k,bytes,time_us\n" +
		"gemm,a100-sxm-80,fp16,1,4096,4096,4096,,606\n" +
		"gemm,A100 SXM4 80GB,half,1,4096.0,4096,4096,,606\n" +
		"gemm,abacus,fp16,1,1,1,1,,1\n" +
		"knitting,l4,fp16,1,1,1,1,,1\n" +
		"gemm,l4,int3,1,1,1,1,,1\n" +
		"gemm,l4,fp16,1,-1,1,1,,1\n" +
		"elementwise,l4,fp16,,,,,,1\n" +
		"\"elementwise\",l4,fp16,,,,,1e6,1\n"
	var out bytes.Buffer
	err := Table(strings.NewReader(in), &out, "x.csv")
	if err == nil {
		t.Fatal("nothing is wrong")
	}
	want := "x.csv:7: m: \"-1\"; want a whole number from 1 to 2147483648\nx.csv:8: bytes: \"\"; want the bytes of all tensors, each once"
	if err.Error() != want {
		t.Errorf("it says\n%v\nwant\n%s", err, want)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 9 || lines[0] != "class,gpu,precision,batch,m,n,k,bytes,time_us,estimate,band_percent,note" {
		t.Fatalf("%d lines\n%s", len(lines), out.String())
	}
	for i, end := range map[int]string{1: ",606,606.99,15,", 2: ",606,606.99,15,", 8: ",1,5.6042,20,"} {
		if !strings.HasSuffix(lines[i], end) {
			t.Errorf("line %d: %s, want an end of %s", i, lines[i], end)
		}
	}
	for i, has := range map[int]string{3: ",,,\"GPU \"\"abacus\"\" is not known", 4: ",,,\"class \"\"knitting\"\"", 5: ",,,\"precision \"\"int3\"\"", 6: ",,,\"m: ", 7: ",,,\"bytes: "} {
		if !strings.Contains(lines[i], has) {
			t.Errorf("line %d: %s, want %s", i, lines[i], has)
		}
	}
	for text, says := range map[string]string{"": "nothing in it", "a,b\n1,2\n": "x.csv:1: no column gpu", "gpu,class\nl4\n": "wrong number of fields", "gpu,class\n\"l4,gemm\n": "x.csv"} {
		if err := Table(strings.NewReader(text), &out, "x.csv"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %s", text, err, says)
		}
	}
}

// Rows say one thing in many ways.
func TestSpellings(t *testing.T) {
	same := [][]Row{
		{{"class": "gemm", "m": "128", "n": "256", "k": "512"}, {"class": "MatMul", "m": "128", "n": "256", "k": "512.0", "batch": "1"}, {"class": "linear", "m": "128", "n": "256", "k": "512"}},
		{{"class": "batched", "batch": "8", "m": "128", "n": "256", "k": "512"}, {"class": "bmm", "batch": "8", "m": "128", "n": "256", "k": "512"}},
		{
			{"class": "conv", "batch": "8", "c": "64", "h": "56", "w": "56", "k": "64", "r": "3", "s": "3", "pad": "1", "direction": "dgrad"},
			{"class": "conv_dgrad", "batch": "8", "c": "64", "h": "56", "k": "64", "r": "3", "pad": "1"},
			{"class": "conv2d", "batch": "8", "c": "64", "h": "56", "k": "64", "r": "3", "pad": "1", "direction": "backward_data", "stride": "1", "groups": "1"},
		},
		{
			{"class": "attention", "batch": "2", "heads": "16", "seq_q": "1024", "seq_kv": "1024", "head_dim": "64", "causal": "True"},
			{"class": "sdpa", "batch": "2", "heads": "16", "seq_q": "1024", "head_dim": "64", "causal": "1", "op": "fa2", "direction": "fwd"},
		},
		{{"net": "resnet50", "batch": "64", "layout": "nhwc", "mode": "train"}, {"net": "ResNet-50", "batch": "64.0", "layout": "channels_last", "mode": "training", "policy": "bf16"}},
		{{"net": "bert-large", "batch": "8", "seq": "128", "mode": "train-pre"}, {"net": "bert-large-uncased", "batch": "8", "seq": "128", "mode": "pre-training"}},
		{{"net": "vit_base_patch16_224", "batch": "8", "mode": "inference"}, {"net": "vit_base_patch16_224", "batch": "8", "img": "224", "mode": "eval"}},
		{{"class": "elementwise", "op": "softmax", "bytes": "1000000"}, {"class": "softmax", "bytes": "1e6"}, {"class": "layer_norm", "bytes": "1000000"}},
	}
	for _, rows := range same {
		var first float64
		for i, r := range rows {
			r["gpu"], r["precision"] = "h100-sxm", "bf16"
			x, err := Estimate(r)
			if err != nil {
				t.Fatalf("%v: %v", r, err)
			}
			if i == 0 {
				first = x.Value
			}
			if x.Value != first || x.Value <= 0 || math.IsInf(x.Value, 0) {
				t.Errorf("%v: %g, want %g", r, x.Value, first)
			}
		}
	}
}

func TestWrongCells(t *testing.T) {
	base := map[string]Row{
		"conv":      {"class": "conv", "c": "64", "h": "8", "k": "64", "r": "3"},
		"attention": {"class": "attention", "seq_q": "8", "head_dim": "64"},
		"llm":       {"net": "mpt-7b", "kind": "llm", "seq": "2048"},
	}
	for _, c := range [][3]string{
		{"conv", "direction", "sideways"},
		{"conv", "layout", "hcwn"},
		{"conv", "r", "9"},
		{"conv", "groups", "65"},
		{"conv", "stride", "0"},
		{"attention", "causal", "maybe"},
		{"attention", "direction", "up"},
		{"attention", "head_dim", "NaN"},
		{"attention", "head_dim", "1e30"},
		{"llm", "checkpoint", "some"},
		{"llm", "seq", ""},
		{"llm", "gpu", ""},
	} {
		r := Row{"gpu": "a100", "precision": "bf16"}
		maps.Copy(r, base[c[0]])
		if _, err := Estimate(r); err != nil {
			t.Fatalf("%v: %v", r, err)
		}
		r[c[1]] = c[2]
		_, err := Estimate(r)
		if w, ok := errors.AsType[*Wrong](err); !ok || w.Column != c[1] {
			t.Errorf("%s with %s=%s: %v", c[0], c[1], c[2], err)
		}
	}
	if _, err := Estimate(Row{"gpu": "a100"}); err == nil {
		t.Error("a row of nothing has an estimate")
	}
}

// What a class or a network has none of is said, not ignored.
func TestUnread(t *testing.T) {
	for _, c := range []struct {
		row  Row
		want string
	}{
		{Row{"class": "gemm", "gpu": "a100", "m": "1", "n": "1", "k": "1", "batch": "", "op": "linear"}, ""},
		{Row{"class": "matmul", "m": "1", "n": "1", "k": "1", "bytes": "9", "heads": "2"}, "nothing reads bytes, heads of matmul, which has batch, m, n, k"},
		{Row{"class": "softmax", "bytes": "9", "m": "1"}, "nothing reads m of softmax, which has bytes"},
		{Row{"net": "resnet50", "batch": "8", "m": "1"}, "nothing reads m of resnet50, which has batch, mode, layout, img, seq, gpus, accumulate, checkpoint, compile, attention, optimizer"},
	} {
		if got := c.row.Unread(); got != c.want {
			t.Errorf("%v: %q, want %q", c.row, got, c.want)
		}
	}
}

func FuzzTable(f *testing.F) {
	f.Add("class,gpu,precision,m,n,k\ngemm,t4,fp32,1,2,3\n")
	f.Add("net,gpu,policy,kind,seq,batch\nmpt-1b,a100,bf16,llm,2048,1\n")
	f.Add("class,gpu,c,h,w,k,r,s,stride,pad,groups\nconv,l4,3,224,224,64,7,7,2,3,1\n")
	f.Fuzz(func(t *testing.T, text string) {
		var out bytes.Buffer
		_ = Table(strings.NewReader(text), &out, "x.csv")
	})
}
