package g10

import (
	"strings"
	"testing"

	"spillway/sim/workload"
)

// checkError demands that an error names the file.
func checkError(t *testing.T, err error) {
	t.Helper()
	if err != nil && !strings.HasPrefix(err.Error(), "in:") {
		t.Errorf("error without a place: %v", err)
	}
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte(tinyConfig))
	f.Add([]byte("is_transformer 1\ntrans_borden 210\nbatch_size 256\neviction_policy DEEPUM\nmigration_policy DEEPUM"))
	f.Add([]byte("kernel_speedup 1e-9\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseConfig("in", data)
		checkError(t, err)
		if err != nil {
			return
		}
		for _, p := range c.Pairs {
			if p.Line < 1 || p.Key == "" || p.Value == "" {
				t.Errorf("pair %+v", p)
			}
		}
		c.Policy()
	})
}

func FuzzTimes(f *testing.F) {
	f.Add([]byte("0000 0.197632 ms\n0001 0.206848 ms\n"))
	f.Add([]byte("0000 .5 ms\r\n\n0001 2. ms"))
	f.Fuzz(func(t *testing.T, data []byte) {
		times, err := ParseTimes(File{"in", data})
		checkError(t, err)
		for _, d := range times {
			if d <= 0 || d > workload.MaxTime {
				t.Errorf("time %d", d)
			}
		}
	})
}

func FuzzSizes(f *testing.F) {
	f.Add([]byte("0000 0 B\n0001 4096 B\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		sizes, err := ParseSizes(File{"in", data})
		checkError(t, err)
		for _, n := range sizes {
			if n < 0 || n > workload.MaxTensor {
				t.Errorf("size %d", n)
			}
		}
	})
}

// fuzzNetwork builds what a description says, with and without inference.
func fuzzNetwork(t *testing.T, data []byte, s Setup) {
	t.Helper()
	for i := range 2 {
		b := &builder{w: &workload.Workload{}}
		var err error
		if s.Transformer {
			err = b.transformer(File{"in", data}, s)
		} else {
			err = b.cnn(File{"in", data}, s)
		}
		checkError(t, err)
		if err == nil {
			for k := range b.w.Kernels {
				b.w.Kernels[k].Time = 1
			}
			if err := b.w.Validate(); err != nil {
				t.Errorf("built an invalid workload: %v", err)
			}
		}
		if i == 0 {
			inferred, err := Infer(File{"in", data})
			checkError(t, err)
			if err != nil || inferred.Transformer != s.Transformer {
				return
			}
			s = inferred
			s.Batch = 3
		}
	}
}

func FuzzModules(f *testing.F) {
	for _, name := range []string{"linear", "residual", "inception", "squeeze"} {
		f.Add(testdata(f, name+".txt"), uint8(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, family uint8) {
		fuzzNetwork(t, data, Setup{
			ResNet: family&1 != 0, Inception: family&2 != 0, SENet: family&4 != 0, Batch: 2, Height: 16, Width: 16,
		})
	})
}

func FuzzList(f *testing.F) {
	for _, name := range []string{"attention", "patches"} {
		f.Add(testdata(f, name+".txt"), uint8(20))
	}
	f.Fuzz(func(t *testing.T, data []byte, border uint8) {
		fuzzNetwork(t, data, Setup{Transformer: true, Border: int64(border), Batch: 2})
	})
}

func FuzzClassify(f *testing.F) {
	f.Add("results/VIT/cudnn256PF.txt", []byte("0000 0.1 ms\n"))
	f.Add("a.config", []byte(tinyConfig))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		Collect([]File{{name, data}, {"x/" + name, data}})
	})
}
