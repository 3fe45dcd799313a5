package main

import (
	"maps"
	"testing"
)

// A program's code is divided among its packages.
func TestWeights(t *testing.T) {
	section := func(id byte, content string) string { return string([]byte{id, byte(len(content))}) + content }
	text := func(s string) string { return string([]byte{byte(len(s))}) + s }
	// Imports, functions and their names; the import has number 0.
	file := "\x00asm\x01\x00\x00\x00" + section(2, "\x01"+text("go")+text("debug")+"\x00\x00") +
		section(10, "\x04"+text("aaaaa")+text("bbb")+text("cc")+text("d")) +
		section(0, text("other")+"x") +
		section(0, text("name")+section(0, text("program"))+section(1, "\x05\x00"+text("debug")+"\x01"+text("spillway_sim.New")+
			"\x02"+text("github.com_a_b.__T_.M")+"\x03"+text("spillway_sim_x.f")+"\x04"+text("type_.eq.T")))
	got, err := weights([]byte(file), []string{"spillway/sim", "spillway/sim/x", "github.com/a/b", "fmt"})
	want := map[string]int{"spillway/sim": 5, "github.com/a/b": 3, "spillway/sim/x": 2, "type_": 1}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for _, broken := range []string{"", "\x00asm", file[:len(file)-5]} {
		if _, err := weights([]byte(broken), nil); err == nil {
			t.Errorf("%q is read", broken)
		}
	}
}
