package train

import (
	"testing"

	"spillway/sim/knob"
	"spillway/sim/train/machine"
)

// A simulated drive costs what the part does.
func TestDrivePrice(t *testing.T) {
	l := New()
	u := l.Setup()
	for _, slot := range machine.Slots() {
		for _, part := range slot.Parts {
			k := u.Knob("ssd")
			if slot.Key != "ssd" || k.Choice(part.Key) == nil {
				continue
			}
			if err := u.Set("ssd", part.Key); err != nil {
				t.Fatal(err)
			}
			if got, want := u.Text("price_ssd"), knob.Decimal(part.Price.Cents, 100); got != want {
				t.Errorf("simulated, the %s costs %s; want %s", part.Key, got, want)
			}
		}
	}
}
