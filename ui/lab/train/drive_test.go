package train

import (
	"testing"

	"spillway/sim/train/machine"
)

// A simulated drive costs what the part does; fixed rates, what the settings say.
func TestDrivePrice(t *testing.T) {
	s := standard()
	was := s.prices()
	if was != s.Prices {
		t.Errorf("fixed rates cost %+v", was)
	}
	for _, slot := range machine.Slots() {
		for _, part := range slot.Parts {
			if s.SSD = part.Key; slot.Key == "ssd" && s.prices().SSD != part.Price.Cents {
				t.Errorf("simulated, the %s costs %d", part.Key, s.prices().SSD)
			}
		}
	}
}
