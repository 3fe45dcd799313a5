package cxlssd

import (
	"testing"

	"spillway/sim/hash/hashtest"
)

func TestHashSeesEverything(t *testing.T) {
	hashtest.Fields(t, Hash, map[string]string{
		"LeftPages": later, "Latency": later, "ReadLatency": later, "Longest": later, "LongestRead": later, "LongestOf": later, "LongestFlash": later, "LongestQueue": later,
		"ReadTail": later, "WriteTail": later, "ReadWork": later, "ProgramWork": later, "CompactReadWork": later, "CompactProgramWork": later, "WritesOf": later,
	})
}

const later = "results learned to hold it later"
