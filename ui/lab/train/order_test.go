package train

import (
	"strings"
	"testing"

	"spillway/ui/lab/labtest"
)

// TestOrder: where a machine, a GPU that times are estimated for and parts stand in a text makes no difference.
func TestOrder(t *testing.T) {
	l := New()
	machines := l.Setup().Knob("machine").Choices
	gpus := l.Setup().Knob("gpu").Choices
	for _, m := range machines {
		for _, g := range []string{gpus[0].Key, gpus[len(gpus)-1].Key} {
			parts := []string{"machine=" + m.Key, "gpu=" + g, "times=estimated", "model=bert-base"}
			want := labtest.Setup(t, &l, strings.Join(parts, " ")).String()
			for range parts {
				parts = append(parts[1:], parts[0])
				if got := labtest.Setup(t, &l, strings.Join(parts, " ")).String(); got != want {
					t.Errorf("%v is %q, want %q", parts, got, want)
				}
			}
		}
	}
}
