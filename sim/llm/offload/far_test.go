package offload

import (
	"testing"

	"spillway/sim/llm/flow"
	"spillway/sim/unit"
)

func TestFarthestAgainstAScan(t *testing.T) {
	for _, kernels := range []int{1, 2, 63, 64, 65, 4096, 4097, 20_000} {
		d := dice(kernels)
		f := newFar(kernels)
		all := make([]tensor, 30)
		for i := range all {
			all[i].key = -1
		}
		for range 1000 {
			i := int32(d.n(len(all)))
			if all[i].key >= 0 {
				f.take(all, i)
				f.take(all, i) // nothing happens
			} else {
				f.put(all, i, int32(d.n(kernels)))
			}
			k := int32(d.n(kernels))
			got, want := f.farthest(k), -1
			for i := range all {
				if x := int(all[i].key); x >= 0 && x != int(k) {
					want = max(want, (x-int(k)+kernels)%kernels)
				}
			}
			distance := -1
			if got >= 0 {
				distance = (int(all[got].key) - int(k) + kernels) % kernels
			}
			if distance != want {
				t.Fatalf("%d kernels, at %d: tensor %d, %d kernels away; want %d", kernels, k, got, distance, want)
			}
		}
	}
}

func TestPiecesOfTimeKeepAllBytes(t *testing.T) {
	d := dice(7)
	r := &rates{links: 3, opened: 1000, width: 3, most: 7}
	var sums [3]unit.Bytes
	end := unit.Time(0)
	for i := range 2000 {
		l, n := d.n(3), unit.Bytes(1+d.n(100))
		from := unit.Time(i/4 + d.n(5))
		to := from + 1 + unit.Time(d.n(9))
		r.add(flow.LinkID(l), 1000+from, 1000+to, n)
		sums[l] += n
		end = max(end, to)
	}
	spans := r.spans(end)
	if len(spans) < 4 || len(spans) > 7 {
		t.Errorf("%d pieces", len(spans))
	}
	for i, s := range spans {
		if s.At != unit.Time(i)*r.width {
			t.Errorf("piece %d begins at %d", i, s.At)
		}
		for l, b := range s.Bytes {
			sums[l] -= b
		}
	}
	if sums != [3]unit.Bytes{} {
		t.Errorf("pieces miss %v", sums)
	}
	// Four bytes in two pieces of which they have one part and three.
	r = &rates{links: 1, width: 10, most: 10}
	r.add(0, 9, 13, 4)
	if s := r.spans(13); len(s) != 2 || s[0].Bytes[0] != 1 || s[1].Bytes[0] != 3 {
		t.Errorf("got %v", s)
	}
}
