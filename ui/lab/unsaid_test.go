package lab_test

import (
	"testing"

	"spillway/sim/knob"
	"spillway/ui/lab"
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
