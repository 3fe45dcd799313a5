package platforms

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Where values and pictures are made, no product and sum become one instruction, which
// rounds once where amd64 and WebAssembly round twice: the product is converted explicitly,
// as in float64(x*y) + z. The compiler for arm64 shows where it is not.
func TestNothingIsFused(t *testing.T) {
	name := arm64(t)
	found, err := fused(name)
	if err != nil {
		t.Fatal(err)
	}
	places, err := lines(name, found)
	if err != nil {
		t.Fatal(err)
	}
	ours := slices.DeleteFunc(places, func(p place) bool { return !p.ours() })
	for _, p := range ours {
		t.Errorf("%s: a product and a sum are one instruction on arm64, in %s; convert the product explicitly, float64(x*y) + z", p.line, p.function)
	}
	// The standard library has some, so that looking for them is no vain effort.
	if len(places) == len(ours) {
		t.Errorf("nothing is fused in the whole program: %d instructions of ours, no others", len(ours))
	}
}

// fused returns the addresses of all fused multiply-adds of an arm64 program.
func fused(name string) ([]uint64, error) {
	f, err := elf.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := f.Section(".text")
	if text == nil {
		return nil, fmt.Errorf("%s has no code", name)
	}
	code, err := text.Data()
	if err != nil {
		return nil, err
	}
	var list []uint64
	for i := 0; i+4 <= len(code); i += 4 {
		// FMADD, FMSUB, FNMADD and FNMSUB are the floating-point instructions with three sources.
		if binary.LittleEndian.Uint32(code[i:])>>24 == 0b0001_1111 {
			list = append(list, text.Addr+uint64(i))
		}
	}
	return list, nil
}

// A place is where an instruction comes from.
type place struct{ function, line string }

// ours reports whether a value or a picture of ours may come from it.
func (p place) ours() bool {
	for _, top := range []string{"sim", "traces", "ui"} {
		if strings.HasPrefix(p.line, "spillway/"+top+"/") || strings.HasPrefix(p.function, "spillway/"+top+"/") || strings.HasPrefix(p.function, "spillway/"+top+".") {
			return true
		}
	}
	return false
}

// lines returns the places of addresses.
func lines(name string, list []uint64) ([]place, error) {
	var asked strings.Builder
	for _, at := range list {
		fmt.Fprintf(&asked, "%#x\n", at)
	}
	tool := exec.Command("go", "tool", "addr2line", name)
	tool.Stdin = strings.NewReader(asked.String())
	out, err := tool.Output()
	if err != nil {
		return nil, fmt.Errorf("go tool addr2line: %w", err)
	}
	answers := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(answers) != 2*len(list) {
		return nil, fmt.Errorf("go tool addr2line answers %d lines to %d addresses", len(answers), len(list))
	}
	var places []place
	for pair := range slices.Chunk(answers, 2) {
		places = append(places, place{pair[0], pair[1]})
	}
	return places, nil
}
