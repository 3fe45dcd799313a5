package train_test

import (
	"fmt"
	"os"
	"testing"

	"spillway/sim/train"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/eager"
)

func trained(tb testing.TB, id string, batch int) *workload.Workload {
	tb.Helper()
	x, err := eager.Find(id)
	if err != nil {
		tb.Fatal(err)
	}
	w, err := eager.Build(id, batch, 0, x.Optimizer, eager.Rates{Name: "V100 32 GB", FP32: 14e12, Memory: 900 * unit.GBps})
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

// onV100 asks for UM as DeepUM's paper has it.
func onV100(pages, warm int64) train.Request {
	q := train.Request{System: "um", Machine: v100(), Options: system.Published()}
	q.Options.Quirks = quirk.Corrected()
	q.Options.Iterations = 1
	system.UMUsable.Set(&q.Options, 757_813)
	system.UMPagesPerFault.Set(&q.Options, pages)
	system.UMWarmup.Set(&q.Options, warm)
	return q
}

func TestScratch(t *testing.T) {
	if os.Getenv("SCRATCH") == "" {
		t.Skip()
	}
	for _, x := range []struct {
		id     string
		batch  int
		ppf    int64
		want   float64
		faults float64
	}{
		{"gpt2-xl-pytorch", 3, 4300, 45.97, 7437122},
		{"gpt2-xl-pytorch", 5, 4300, 77.06, 12395173},
		{"gpt2-xl-pytorch", 7, 4300, 109.81, 17210705},
		{"gpt2-l-pytorch", 3, 4300, 18.65, 2948920},
		{"gpt2-l-pytorch", 5, 4300, 38.39, 6055304},
		{"gpt2-l-pytorch", 7, 4300, 57.27, 8974631},
		{"bert-large-pytorch", 14, 4300, 9.78, 1171717},
		{"bert-large-pytorch", 16, 4300, 13.07, 1777710},
		{"bert-large-pytorch", 18, 4300, 14.30, 1834746},
		{"bert-base-pytorch", 29, 4300, 1.35, 88459},
		{"bert-base-pytorch", 30, 4300, 2.73, 349106},
		{"bert-base-pytorch", 31, 4300, 5.78, 1077223},
		{"resnet-152-pytorch", 1280, 900, 310.02, 121380940},
		{"resnet-152-pytorch", 1536, 900, 381.73, 144893625},
		{"resnet-152-pytorch", 1792, 900, 492.83, 182230994},
		{"resnet-200-pytorch", 1024, 900, 324.20, 126734315},
		{"resnet-200-pytorch", 1280, 900, 449.00, 173517031},
		{"resnet-200-pytorch", 1536, 900, 573.02, 207933814},
		{"dlrm-pytorch", 96 << 10, 1000, 12.03, 1263865},
		{"dlrm-pytorch", 128 << 10, 1000, 16.57, 1712886},
	} {
		w := trained(t, x.id, x.batch)
		q := onV100(x.ppf, 3)
		r, err := train.Run(w, q, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Fits {
			t.Log(x.id, x.batch, r.Reason)
			continue
		}
		text := fmt.Sprintf("%-22s %6d: ideal %7.2f want %7.2f:", x.id, x.batch, float64(r.Ideal)/float64(r.Clock), x.want)
		for _, it := range r.Iterations {
			text += fmt.Sprintf(" %7.2f", float64(it.Time)/float64(r.Clock))
		}
		p := r.Main().Paging
		text += fmt.Sprintf(" %+.1f%% faults %+.1f%% in %v out %v garbage %v %v reserved %v visits missed %d",
			100*(float64(r.Time())/float64(r.Clock)/x.want-1), 100*(float64(p.Faults)/x.faults-1), p.In, p.Out, p.GarbageIn, p.GarbageOut, p.Reserved, p.Missed)
		fmt.Println(text)
	}
}

// BenchmarkUM runs one iteration of UM on ResNet-152 at growing batch sizes.
func BenchmarkUM(b *testing.B) {
	for _, batch := range []int{384, 768, 1536} {
		w := trained(b, "resnet-152-pytorch", batch)
		b.Run(fmt.Sprintf("model=resnet-152-pytorch/batch=%d", batch), func(b *testing.B) {
			q := onV100(900, 0)
			b.ReportAllocs()
			for b.Loop() {
				run(b, w, q)
			}
		})
	}
}
