package train

import (
	"strings"
	"testing"

	core "spillway/sim/train"
)

// Every system runs two networks on compressed memory with either contents, is
// measured against the ideal of the network as it is, and says what it assumes.
func TestCompressed(t *testing.T) {
	l := New()
	for _, network := range []string{
		"model=bert-base batch=32 times=estimated mode=corrected gpu_memory=5.5",
		"model=resnet-152 batch=32 times=as-paper mode=published gpu_memory=6.5",
	} {
		ideal, _, err := l.Run(set(t, network), "ideal", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for contents, least := range map[string]float64{"paper": 1.15, "by-kind": 0.99} {
			for _, x := range core.Compressed {
				u := set(t, network+" buddy_contents="+contents)
				r, _, err := l.Run(u, x.Name, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				if !r.Fits {
					if strings.Contains(r.Reason, noConvolutions) {
						continue
					}
					if x.Name != "buddy-ideal" || contents == "paper" || !strings.Contains(r.Reason, "by kind of tensor") {
						t.Errorf("%s, %s: %s", u, x.Name, r.Reason)
					}
					continue
				}
				if a, b := value(t, &l, r, "ideal_s"), value(t, &l, ideal, "iteration_s"); a != b {
					t.Errorf("%s, %s: ideal %v, the network's is %v", u, x.Name, a, b)
				}
				ratio, link := value(t, &l, r, "compression_ratio"), value(t, &l, r, "buddy_link_bytes")
				if ratio < least || ratio > least+0.12 || (link > 0) != (contents == "paper") || (link > 0) != (value(t, &l, r, "beyond_ideal_compression_s") > 0) {
					t.Errorf("%s, %s: ratio %.3f, %v bytes from the buddy memory", u, x.Name, ratio, link)
				}
				if peak := value(t, &l, r, "peak_ssd_bytes"); peak > value(t, &l, r, "compressed_bytes") {
					t.Errorf("%s, %s: %v on the SSD", u, x.Name, peak)
				}
				if len(r.Caveats) == 0 || !strings.Contains(r.Caveats[0], "rests on assumed contents") || !strings.Contains(strings.Join(r.Notes, " "), map[bool]string{true: "times as much fits", false: "so that no more fits"}[ratio >= 1.005]) {
					t.Errorf("%s, %s: %q, %q", u, x.Name, r.Caveats, r.Notes)
				}
				value(t, &l, r, "price_usd") // also of Buddy alone, which is no bound
			}
		}
	}
	for _, s := range l.Systems {
		twin := strings.HasPrefix(s.Name, "buddy-")
		ours := s.Name == "bound" || s.Name == "spillway" || s.Name == "own"
		if s.Bound != (s.Name == "ideal" || s.Name == "bound") || s.Variant != twin || s.Off != (twin || ours || s.Family == "DeepUM's comparison") {
			t.Errorf("%+v", s)
		}
	}
}
