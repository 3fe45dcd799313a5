package lab_test

import (
	"testing"

	"spillway/sim/knob"
	"spillway/ui/lab"
	"spillway/ui/lab/store"
	"spillway/ui/lab/train"
)

// Only what the published simulator ran itself is run as published where nobody says how.
func TestPresume(t *testing.T) {
	l := train.New()
	for _, x := range []struct {
		set  string
		e    *lab.Entry
		want string
	}{
		{"", nil, "published"},
		{"model=resnet-152 batch=1280 gpu_memory=20", nil, "published"},
		{"model=resnet-152 times=estimated", nil, "corrected"},
		{"machine=rtx-3060-pcie-4-980-pro", nil, "corrected"}, // it brings estimated times along
		{"model=gpt2-xl-pytorch", nil, "corrected"},
		{"model=gpt2-xl-pytorch mode=published", nil, "published"},
		{"mode=corrected", nil, "corrected"},
		{"entry=mine", nil, "corrected"},
		{"", &lab.Entry{Name: "mine"}, "corrected"},
		{"mode=published", &lab.Entry{Name: "mine"}, "published"},
		{"", &lab.Entry{Name: "the artifact's", Is: "model=bert-base batch=256"}, "published"},
		{"", &lab.Entry{Name: "a config", Set: "mode=published"}, "published"},
	} {
		pairs, err := knob.Pairs(x.set)
		if err != nil {
			t.Fatal(err)
		}
		u := l.Setup()
		l.Presume(u, pairs, x.e)
		if err := u.Apply(pairs); err != nil {
			t.Fatal(err)
		}
		if got := u.Text("mode"); got != x.want {
			t.Errorf("%q with entry %+v: %s, want %s", x.set, x.e, got, x.want)
		}
	}
}

// What is said of settings sets them again, also where they are as by default, but nobody who says
// nothing means that.
func TestSaid(t *testing.T) {
	for _, x := range []struct {
		lab       lab.Lab
		set, want string
	}{
		{store.New(), "prefetch_yields=0", "workload=training-and-bursts prefetch_yields=0"},
		{store.New(), "prefetch_yields=1", "workload=training-and-bursts prefetch_yields=1"},
		{store.New(), "workload=pairs", "workload=pairs"},
		{store.New(), "workload=pairs prefetch_yields=1", "workload=pairs prefetch_yields=1"},
		{train.New(), "model=resnet-152 times=estimated lms_limit=0", "model=resnet-152 batch=1280 times=estimated machine=g10-table-2-a100-40gb-pcie-3-z-nand mode=published lms_limit=0"},
		{train.New(), "model=resnet-152", "model=resnet-152 batch=1280 times=as-paper machine=g10-table-2-a100-40gb-pcie-3-z-nand mode=published"},
	} {
		u, again := x.lab.Setup(), x.lab.Setup()
		pairs, err := knob.Pairs(x.set)
		if err == nil {
			err = u.Apply(pairs)
		}
		if err != nil {
			t.Fatal(err)
		}
		said := x.lab.Said(u)
		x.lab.Presume(again, said, nil)
		if err := again.Apply(said); err != nil {
			t.Fatal(err)
		}
		if got := x.lab.SetupText(u); again.String() != u.String() || got != x.want {
			t.Errorf("%s: it says %q, which sets %q; want %q", x.set, got, again, x.want)
		}
	}
}
