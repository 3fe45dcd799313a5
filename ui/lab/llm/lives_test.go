package llm

import (
	"testing"

	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// What tensors take of a GPU is what the memory curve says, at each of its samples: in the moment of
// one some may still come or leave.
func TestLives(t *testing.T) {
	l := New()
	const set = "node=one-4090 model=llama3-8b layers=3 batch=2 micro=1 sequence=1024 buffer_size=540"
	for _, tt := range [][2]string{{"teraio-mixed", ""}, {"teraio-ssd", ""}, {"teraio-mixed", "node=teraio model=llama3-8b layers=8 batch=4 micro=1 sequence=1024"}} {
		u := labtest.Setup(t, &l, set)
		if tt[1] != "" {
			u = labtest.Setup(t, &l, tt[1])
		}
		h, err := l.Timeline(u, tt[0], nil, lab.Window{}, nil)
		if err != nil {
			t.Fatal(tt, err)
		}
		if err := h.Check(); err != nil || len(h.Lives) == 0 {
			t.Fatal(tt, len(h.Lives), err)
		}
		gpu := 0
		for n := range h.Lives {
			lives := &h.Lives[n]
			if lives.Name != "On the GPU" {
				continue
			}
			curve := &h.Counters[gpu]
			if curve.Name != "Tensors on the GPU" {
				t.Fatal(tt, curve.Name)
			}
			gpu++
			for i, when := range curve.At[:len(curve.At)-1] { // at the end all lives end
				var least, most int64
				for k := range lives.Begin {
					if lives.Begin[k] <= when && when <= lives.End[k] {
						most += lives.Amount[k]
						if lives.Begin[k] < when && when < lives.End[k] {
							least += lives.Amount[k]
						}
					}
				}
				if v := curve.Value[i]; v < least || v > most {
					t.Fatalf("%q, GPU %d at %d: tensors take %d to %d, %d are in use", tt, gpu-1, when, least, most, v)
				}
			}
		}
		if gpu == 0 {
			t.Errorf("%q: no GPU has tensors", tt)
		}
		t.Logf("%q: %d lives", tt, len(h.Lives[0].Begin))
	}
}
