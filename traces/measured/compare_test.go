package measured

import (
	"os"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/sim/kerneltime"
)

// TestCompare: measurements that all took 1.2 times as long as estimated call for that factor, and
// with it they agree.
func TestCompare(t *testing.T) {
	var table strings.Builder
	table.WriteString("class,gpu,precision,m,n,k,bytes,time_us\n")
	g := kerneltime.Find("rtx-4090")
	for _, n := range []int64{512, 1024, 2048, 4096} {
		k := kerneltime.Kernel{Class: kerneltime.Product, M: n, N: n, K: n}
		e := kerneltime.Time(g, kerneltime.Policy{Precision: kerneltime.FP16, Setting: kerneltime.Alone}, &k)
		size := Number(float64(n))
		table.WriteString("gemm,rtx-4090,fp16," + size + "," + size + "," + size + ",," + Number(1.2*microseconds(e.Time)) + "\n")
	}
	table.WriteString("gemm,abacus,fp16,8,8,8,,5\n")
	if !Sniff([]byte(table.String())) || Sniff([]byte("class,gpu\n")) {
		t.Error("not taken for a table of measurements, or another is")
	}
	list, notes, err := Compare(strings.NewReader(table.String()), "mine.csv")
	if err != nil || len(list) != 1 || len(notes) != 1 || !strings.Contains(notes[0], "line 6") {
		t.Fatalf("%+v, %q, %v", list, notes, err)
	}
	if a := list[0]; a.Factor < 1199 || a.Factor > 1201 || a.Rows != 4 || a.Median != 17 || a.Class != "product" {
		t.Errorf("%+v", a)
	}
	own, rows := kerneltime.Mend(kerneltime.Mostly(list), list)
	if own.String() != "product:1.2" || rows != 4 {
		t.Errorf("%q of %d rows", own, rows)
	}
	for _, bad := range []string{"class,gpu,time_us\ngemm,rtx-4090,x\n", "class,gpu,m,n,k,time_us\ngemm,rtx-4090,8,8,8,-1\n"} {
		if _, _, err := Compare(strings.NewReader(bad), "mine.csv"); err == nil || !strings.Contains(err.Error(), "mine.csv:2") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestCompareGiven: the given rows agree with the law as VALIDATION says.
func TestCompareGiven(t *testing.T) {
	for _, file := range []string{"micro.csv", "e2e.csv"} {
		f, err := os.Open(artifact.Data(t, "kernel_times/"+file))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		list, _, err := Compare(f, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range list {
			if a.Rows >= 30 && (a.Factor < 750 || a.Factor > 1250) {
				t.Errorf("%+v", a)
			}
			t.Logf("%+v", a)
		}
	}
}
