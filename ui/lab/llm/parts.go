package llm

import (
	"strconv"

	"spillway/sim/knob"
)

// partKnobs are names for numbers of parts that the question "What to buy next" tries: it tries every
// choice of knobs that stand for others. What a part costs comes with the machine.
func partKnobs() []setting {
	name := func(key, label, help, of string, texts ...string) setting {
		k := setting{Info: knob.Info{Key: key, Label: label, Group: groupParts, Help: help, Kind: knob.One, Derived: true}, Word: func(*settings) *string { return new(string) }}
		for _, text := range texts {
			c := knob.Choice{Key: text, Label: text, Set: of + "=" + text}
			if n, err := strconv.Atoi(text); err == nil && of == "host_memory" {
				c.Label = strconv.Itoa(n) + " GiB"
			}
			if text == "0" {
				c.Label = "none"
			}
			k.Choices = append(k.Choices, c)
		}
		return k
	}
	return []setting{
		name("parts-gpus", "GPUs in all", "How many GPUs there are; the same as GPUs under Machine.", "gpus", "1", "2", "4", "8"),
		name("parts-drives", "Drives of a GPU", "How many drives each GPU has; the same as under Machine.", "drives", "0", "1", "2", "4"),
		name("parts-host", "Host memory in all", "How much host memory there is; the same as under Machine.", "host_memory", "128", "512", "1536"),
	}
}

// groupParts is their group.
const groupParts = "Other numbers of parts"
