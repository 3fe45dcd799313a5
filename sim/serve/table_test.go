package serve

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spillway/sim/machine"
	"spillway/sim/model"
	"spillway/sim/unit"
)

func arch(t testing.TB, name string) *model.Arch {
	t.Helper()
	a, err := model.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return &a
}

func gpu(t testing.TB, name string) machine.GPU {
	t.Helper()
	g, err := machine.FindGPU(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// rows reads a table of published numbers.
func rows(t *testing.T, name string) (list []map[string]string) {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := csv.NewReader(f)
	c.Comment, c.FieldsPerRecord = '#', -1
	all, err := c.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range all[1:] {
		m := map[string]string{}
		for i, cell := range row {
			m[all[0][i]] = cell
		}
		list = append(list, m)
	}
	return list
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// off is by how many percent a number is above a published one.
func off(got, want float64) float64 { return 100 * (got/want - 1) }

func median(list []float64) float64 {
	s := slices.Clone(list)
	for i := range s {
		s[i] = math.Abs(s[i])
	}
	slices.Sort(s)
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// requestsOf is how many requests TensorRT-LLM's table has for prompts and answers of some length.
var requestsOf = map[string]int64{
	"128/128": 30000, "128/2048": 3000, "128/4096": 1500, "500/2000": 3000, "1000/1000": 3000, "1000/2000": 3000,
	"2048/128": 3000, "2048/2048": 1500, "5000/500": 1500, "20000/2000": 1000,
}

var lengths = []string{"128/128", "128/2048", "128/4096", "500/2000", "1000/1000", "1000/2000", "2048/128", "2048/2048", "5000/500", "20000/2000"}

func trt(t *testing.T, r map[string]string, length string) (*Workload, *Setting) {
	t.Helper()
	in, out, _ := strings.Cut(length, "/")
	recipe := Recipe{
		Requests: requestsOf[length], Input: Length{Mean: int32(number(t, in))}, Output: Length{Mean: int32(number(t, out))},
	}
	w, err := recipe.Workload()
	if err != nil {
		t.Fatal(err)
	}
	s := Standard()
	s.System, s.Engine, s.Model = "no-prefix", "trtllm", arch(t, r["model"])
	s.Tensor = int64(number(t, r["tp"]))
	key := r["gpu"]
	if key == "h100" {
		key = "h100-sxm"
	}
	s.Node = Server(gpu(t, key), s.Tensor)
	return w, &s
}

// TestTensorRT compares with TensorRT-LLM's performance overview: output tokens a second of requests that come all at once. Rows on
// H100 are fitted, those on H200 are not.
func TestTensorRT(t *testing.T) {
	var fitted, other []float64
	var b strings.Builder
	for _, row := range rows(t, "trtllm_v10.csv") {
		for _, length := range lengths {
			w, s := trt(t, row, length)
			r, err := Run(w, s, nil)
			if err != nil || !r.Ran() {
				t.Fatal(err, r.Refused)
			}
			want := number(t, row[length])
			got := float64(r.OutputRate()) / 1000
			o := off(got, want)
			fmt.Fprintf(&b, "%-11s %s %-10s %6.0f %6.0f %+6.1f %%\n", row["model"], row["gpu"], length, want, got, o)
			if row["gpu"] == "h100" {
				fitted = append(fitted, o)
			} else {
				other = append(other, o)
			}
		}
	}
	t.Logf("\n%s", b.String())
	t.Logf("fitted: median %.1f %%; H200: median %.1f %%", median(fitted), median(other))
	if median(fitted) > 5 || median(other) > 12 {
		t.Errorf("fitted: median %.1f %%, want 5; H200: %.1f %%, want 12", median(fitted), median(other))
	}
	_ = unit.Second
}
