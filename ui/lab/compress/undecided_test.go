package compress

import (
	"math/rand/v2"
	"strings"
	"testing"

	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// A tensor of whose entries about as many overflow as may is not decided by a sample,
// and is by all.
func TestUndecided(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 4<<20)
	for at := 0; at < len(data); at += 8192 { // pages are dense or zeros
		if r.IntN(10) < 3 {
			for i := range 8192 {
				data[at+i] = byte(r.Uint32())
			}
		}
	}
	l := New()
	files, err := open([]lab.File{{Name: "x.bin", Data: data}})
	if err != nil {
		t.Fatal(err)
	}
	for system, want := range map[string]bool{final: true, "per-allocation": true, "naive": false, "ideal": false} {
		rep, _, err := l.Run(labtest.Setup(t, &l, "entry=x.bin"), system, files, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(rep.Caveats, " "), "The target of one tensor (4 MiB) is not certain"); got != want {
			t.Errorf("%s: %q", system, rep.Caveats)
		}
	}
	rep, _, err := l.Run(labtest.Setup(t, &l, "entry=x.bin threshold=60"), final, files, nil)
	if err != nil || len(rep.Caveats) != 1 {
		t.Errorf("far from the threshold: %v, %q", err, rep.Caveats)
	}
}
