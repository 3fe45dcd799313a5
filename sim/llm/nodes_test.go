package llm

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/sim/llm/job"
	"spillway/sim/llm/recipe"
	"spillway/sim/machine"
	"spillway/sim/model"
)

// TestNodes: FSDP of MPT on 8 to 512 GPUs is as fast as llm-foundry's table says, half within 8 %, all within 25; so are the
// rows of several nodes alone, half within 10.
func TestNodes(t *testing.T) {
	var all, several []float64
	for _, row := range artifact.Table(t, artifact.Data(t, "kernel_times/e2e.csv")) {
		if row["kind"] != "llm" {
			continue
		}
		number := func(key string) int64 {
			n, err := strconv.ParseInt(row[key], 10, 64)
			if err != nil {
				t.Fatal(row, err)
			}
			return n
		}
		want, err := strconv.ParseFloat(row["per_s_per_gpu"], 64)
		if err != nil {
			t.Fatal(row, err)
		}
		a, err := model.Find(row["net"])
		if err != nil {
			t.Fatal(err)
		}
		p, err := machine.FindPreset(map[string]string{"h100-sxm": "dgx-h100", "a100-sxm-80": "eight-a100"}[row["gpu"]])
		if err != nil {
			t.Fatal(row, err)
		}
		s := Standard()
		s.Arch = a
		gpus := number("gpus")
		if s.Node = p.Config; gpus > s.Node.GPUs {
			s.Node = s.Node.Times(gpus / s.Node.GPUs)
		}
		s.Layout.Micro, s.Layout.Sequence, s.Layout.Precision = number("batch"), number("seq"), job.BF16
		s.Layout.Batch = s.Layout.Micro * gpus
		if row["checkpoint"] == "True" {
			s.Layout.Recompute = job.Full
		}
		s.Recipe = recipe.Standard()
		s.Recipe.Compile, s.Recipe.FP32, s.Recipe.Accumulate = true, true, number("accumulate")
		r, err := Run(&s, "fsdp", false, nil)
		if err != nil {
			t.Fatal(row, err)
		}
		if !r.Ran() { // they did
			t.Errorf("%v: %s", row, r.Reason)
			continue
		}
		off := math.Abs(float64(r.TokenRate())/1000/(want*float64(gpus)) - 1)
		if all = append(all, off); gpus > 8 {
			several = append(several, off)
		}
		if off > 0.25 {
			t.Errorf("%s on %d %s: %.0f %% off", row["net"], gpus, row["gpu"], 100*off)
		}
	}
	slices.Sort(all)
	slices.Sort(several)
	if len(several) < 15 || all[len(all)/2] > 0.08 || several[len(several)/2] > 0.10 {
		t.Errorf("half within %.3f, of %d rows on several nodes within %.3f", all[len(all)/2], len(several), several[len(several)/2])
	}
	t.Logf("%d rows, half within %.3f; %d on several nodes, half within %.3f", len(all), all[len(all)/2], len(several), several[len(several)/2])
}

// TestMany: what is simulated says how many GPUs it takes, and closed formulas take more.
func TestMany(t *testing.T) {
	p, err := machine.FindPreset("dgx-h100")
	if err != nil {
		t.Fatal(err)
	}
	s := Standard()
	s.Node = p.Config.Times(128)
	s.Layout.Precision, s.Layout.Recompute, s.Layout.Micro = job.BF16, job.Full, 1
	for _, sys := range slices.Concat(Systems, Recipes) {
		r, err := Run(&s, sys.Name, false, nil)
		if err != nil {
			t.Fatal(sys.Name, err)
		}
		if formula := s.ByFormula(sys); !formula && !strings.Contains(r.Reason, "64 GPUs are simulated at most") || sys.Name == "fsdp" && !r.Ran() {
			t.Errorf("%s: %q", sys.Name, r.Reason)
		}
	}
	if b, err := Best(&s, nil); err != nil || !strings.Contains(b.Reason, "64 GPUs") {
		t.Errorf("the bound: %v %+v", err, b)
	}
}
