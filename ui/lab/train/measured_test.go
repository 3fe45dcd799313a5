package train

import (
	"strings"
	"testing"

	"spillway/sim/kerneltime"
	"spillway/traces/door"
	"spillway/ui/wire"
)

// TestMeasured drops a table of measurements: it is no workload, says how it agrees with the law,
// and brings the calibration with which a model then runs.
func TestMeasured(t *testing.T) {
	const table = "class,gpu,precision,m,n,k,time_us\ngemm,rtx-4090,fp16,4096,4096,4096,2000\ngemm,rtx-4090,fp16,2048,2048,2048,250\ngemm,rtx-4090,fp16,1024,1024,1024,32\n"
	o, err := door.Open([]door.File{{Name: "mine.csv", Data: []byte(table)}}, "train", 0)
	if err != nil || len(o.Takers) != 1 || o.Takers[0].Lab != "train" {
		t.Fatalf("%+v, %v", o, err)
	}
	found, err := wire.Marshal(o.Takers[0].Workload)
	if err != nil {
		t.Fatal(err)
	}
	files, err := accept(found, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := files.Entries()[0]
	if e.Error != "" || !strings.Contains(e.Set, "gpu=rtx-4090 calibrate=product:") {
		t.Errorf("%+v", e)
	}
	l := New()
	u, err := l.Read(e.Set)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Set("entry", e.Name); err != nil {
		t.Fatal(err)
	}
	r, _, err := l.Run(u, "ideal", files, nil)
	if err != nil || r.Fits || !r.Nothing || !strings.Contains(r.Lead, "mine.csv has nothing to run: it is a table of measurements") {
		t.Errorf("%+v, %v", r, err)
	}
	w, err := entry(&settings{Entry: e.Name}, files)
	if err != nil {
		t.Fatal(err)
	}
	s, err := agreements(&seen{Workload: w})
	if err != nil || len(s.Tables[0].Rows) != 1 || s.Tables[0].Rows[0].Head != "product" || !strings.Contains(s.Text[1], "The 3 kernels of the GeForce RTX 4090 call for calibrate=product:") {
		t.Errorf("%+v, %v", s, err)
	}
	if own, _ := kerneltime.Mend("h100-sxm", w.measured); own != (kerneltime.Calibration{}) {
		t.Errorf("another GPU is calibrated: %s", own)
	}
}
