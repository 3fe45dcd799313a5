package train

import (
	"spillway/sim/flash"
	"spillway/sim/knob"
	"spillway/sim/train/machine"
)

// driveKnob chooses whether the SSD is fixed rates or a simulated device, which
// then is the machine's SSD: the part and its rates do not count.
func driveKnob() knob.Knob[settings] {
	k := knob.Knob[settings]{
		Info: knob.Info{
			Key: "ssd", Label: "SSD inside", Help: "Fixed rates, or a drive whose channels, dies, garbage collection and wear are simulated under each run's traffic.", Kind: knob.One,

			Choices: []knob.Choice{{
				Key: fixed, Label: "fixed rates, below", Word: "-", Source: "The SSD is two rates and a latency.",
				Help: "A device model works out rates, write amplification and lifetime from what happens inside the drive.",
			}},
		}, Word: func(s *settings) *string { return &s.SSD },
	}
	for _, d := range flash.Drives() {
		k.Choices = append(k.Choices, knob.Choice{
			Key: d.Key, Label: "simulated: " + d.Name, Word: "simulated SSD " + d.Name, Source: d.Source,
			Help:        "Channels, dies, garbage collection and wear of this drive are simulated under each run's traffic; its rates and latency replace the part's.",
			Ineffective: []string{"part-ssd", "ssd_read", "ssd_write", "ssd_latency", "price_ssd"}, Why: "set by the simulated drive",
		})
	}
	return k
}

// prices are those of the machine: a simulated drive costs what the part of the
// same key does.
func (s *settings) prices() machine.Prices {
	p := s.Prices
	for _, slot := range machine.Slots() {
		for i := range slot.Parts {
			if slot.Key == "ssd" && slot.Parts[i].Key == s.SSD {
				p.Pay(&slot, &slot.Parts[i])
			}
		}
	}
	return p
}
