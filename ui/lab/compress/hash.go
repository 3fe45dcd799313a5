package compress

import (
	"fmt"

	"spillway/sim/hash"
)

// hashOf returns the SHA-256 of what r measured, in hexadecimal: what is whole numbers, and
// to a millionth what follows from them and the settings. It is a text of lines, as when
// hashes were first published.
func hashOf(r *result) string {
	var t []byte
	for _, p := range r.Programs {
		t = fmt.Appendf(t, "%s %d %d %d %d", p.Program, p.Bytes, p.Device, p.Buddy, p.Capacity.Metadata)
		for _, target := range p.Targets {
			t = fmt.Appendf(t, " %v", target)
		}
		t = append(t, '\n')
	}
	for i := range r.Tensors {
		x := &r.Tensors[i]
		t = fmt.Appendln(t, x.Name, x.Entries, x.Bits, x.Sectors)
	}
	t = fmt.Appendf(t, "%.6f %.6f %.6f %.6f", r.sum.Ratio, r.sum.Overflow, r.sum.Remote, r.sum.Slowdown)
	if r.Script != nil {
		x := r.Script
		t = fmt.Appendf(t, "\n%q %s %q %v %d %d %d %d %q", x.Title, x.SHA256, x.Text, x.Future, x.Asked, x.Candidates, x.Most, x.Work, x.Notes)
	}
	if r.GaveUp != "" {
		t = fmt.Appendf(t, "\n%s", r.GaveUp)
	}
	return hash.Sum(t)
}
