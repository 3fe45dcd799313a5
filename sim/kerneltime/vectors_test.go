package kerneltime

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"spillway/build/artifact"
)

// number is a cell as a whole number, 0 where it is empty.
func number(t testing.TB, s string) int64 {
	t.Helper()
	if s == "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The law is the specification's, to a thousandth.
func TestReferenceTimes(t *testing.T) {
	engines := map[string]Precision{"fp16": FP16, "tf32": TF32, "fp32": FP32}
	directions := map[string]Class{"fwd": ConvForward, "dgrad": ConvData, "wgrad": ConvWeight, "": Product}
	for _, r := range artifact.Table(t, artifact.Data(t, "kernel_times/vectors.csv")) {
		d := map[string]int64{}
		for field := range strings.FieldsSeq(r["dims"]) {
			key, value, _ := strings.Cut(field, "=")
			d[key] = number(t, value)
		}
		k := Kernel{
			Class: directions[r["direction"]], Batch: max(d["b"], d["n"]), M: d["m"], N: d["n"], K: d["k"],
			C: d["c"], H: d["h"], W: d["w"], R: d["r"], S: d["s"], Stride: d["stride"], Pad: d["pad"], Groups: d["groups"], Layout: NHWC,
		}
		if k.Class == Product {
			k.Batch = d["b"]
		}
		want, err := strconv.ParseFloat(r["time_us"], 64)
		if err != nil {
			t.Fatal(err)
		}
		got := float64(Time(Find(r["gpu"]), Policy{engines[r["engine"]], Inference}, &k).Time) / 1e6
		if math.Abs(got/want-1) > 0.001 {
			t.Errorf("%s on %s, %s %s: %.3f µs, the specification says %.3f", r["dims"], r["gpu"], r["engine"], r["direction"], got, want)
		}
	}
}
