package kerneltime

import (
	"testing"

	"spillway/sim/unit"
)

// A time that is moved to the GPU it was measured on stays, and goes as the law does elsewhere.
func TestMoved(t *testing.T) {
	p := Policy{FP32, Training}
	k := Kernel{Class: Product, M: 4096, N: 4096, K: 4096}
	v, h := Find("v100"), Find("h100")
	for _, was := range []unit.Time{0, 1, 5 * unit.Microsecond, unit.Second} {
		for c := range classes {
			if is := MovedByClass(was, v, v, p, c, 4); is != was {
				t.Errorf("%v of class %d become %v on the same GPU", was, c, is)
			}
		}
		if is := Moved(was, v, v, p, &k); is != was {
			t.Errorf("%v become %v on the same GPU", was, is)
		}
	}
	law := Time(v, p, &k).Time
	if is, want := Moved(2*law, v, h, p, &k), 2*Time(h, p, &k).Time; is < want-2 || is > want+2 {
		t.Errorf("twice the law's time becomes %v, want %v", is, want)
	}
	// By class what a mover takes besides its start goes by the memory's rates.
	rate := float64(float64(v.Bandwidth)*v.movedShare()) / float64(float64(h.Bandwidth)*h.movedShare())
	is := MovedByClass(103*unit.Microsecond, v, h, p, Elementwise, 4)
	if want := 3 + 100*rate; float64(is)/1e6 < want-0.1 || float64(is)/1e6 > want+0.1 {
		t.Errorf("103 µs of moving become %v, want %g µs", is, want)
	}
	if is := MovedByClass(2*unit.Microsecond, v, h, p, Elementwise, 4); is != 2*unit.Microsecond {
		t.Errorf("a kernel that only starts becomes %v", is)
	}
}

// The band of a moved time is a part of what the law is off on the GPU that it knows less of, and
// wider where shapes are not known.
func TestMovedBand(t *testing.T) {
	a, l := Find("a100"), Find("l4")
	if b := MovedBand(Images, a, a, 0); b != 9 {
		t.Errorf("%d %%", b)
	}
	if b := MovedBand(Images, a, l, 0); b != 27 {
		t.Errorf("%d %%", b)
	}
	if half, all := MovedBand(Images, a, l, 50), MovedBand(Images, a, l, 100); half <= 27 || all <= half {
		t.Errorf("%d %%, %d %%", half, all)
	}
}
