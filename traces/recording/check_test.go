package recording

import (
	"strings"
	"testing"

	"spillway/sim/unit"
)

// Each way of breaking a good recording is found, and named.
func TestCheck(t *testing.T) {
	good := func() *Recording {
		return &Recording{
			Name: "x.json",
			Steps: []Step{{
				Name:    "s",
				Kernels: []Kernel{{Name: "a", Time: 1}, {Name: "b", Start: 3, Time: 2}},
				Tensors: []Tensor{{Name: "t", Bytes: 8, Uses: []Use{{Kernel: 0, Write: true}, {Kernel: 1, Read: true}}}},
			}},
			Picture: Picture{Roles: []string{"all"}, Times: []unit.Time{1, 2}, Levels: [][]unit.Bytes{{1, 2}}},
		}
	}
	if err := good().Check(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(r *Recording){
		"chosen of":            func(r *Recording) { r.Chosen = 1 },
		"starts before":        func(r *Recording) { r.Steps[0].Kernels[0].Start = 4 },
		"takes -1 ps":          func(r *Recording) { r.Steps[0].Kernels[0].Time = -1 },
		"has 0 bytes":          func(r *Recording) { r.Steps[0].Tensors[0].Bytes = 0 },
		"comes after one by":   func(r *Recording) { r.Steps[0].Tensors[0].Uses[1].Kernel = 0 },
		"kernel 2 of 2":        func(r *Recording) { r.Steps[0].Tensors[0].Uses[1].Kernel = 2 },
		"kernel -1":            func(r *Recording) { r.Steps[0].Tensors[0].Uses[0].Kernel = -1 },
		"neither reads":        func(r *Recording) { r.Steps[0].Tensors[0].Uses[1] = Use{Kernel: 1} },
		"1 levels for 0 roles": func(r *Recording) { r.Picture.Roles = nil },
		"2 levels of all at 1": func(r *Recording) { r.Picture.Times = r.Picture.Times[:1] },
		"is -5 bytes":          func(r *Recording) { r.Picture.Levels[0][1] = -5 },
		"time 1 is before":     func(r *Recording) { r.Picture.Times[1] = 0 },
	} {
		r := good()
		spoil(r)
		if err := r.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}
