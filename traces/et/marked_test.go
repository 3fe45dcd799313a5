package et

import (
	"archive/zip"
	"encoding/json"
	"testing"

	"spillway/sim/unit"
)

// held opens a recording.
func held(t *testing.T, name string) *zip.ReadCloser {
	t.Helper()
	archive, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { archive.Close() })
	return archive
}

// The mark of a recording gives each tensor of roles.json its block.
func TestMarked(t *testing.T) {
	archive := held(t, "../torch/testdata/capture-cpu.zip")
	file, err := archive.Open("et.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	trace, err := Read(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := archive.Open("roles.json")
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	var roles struct {
		Mark    string
		Tensors []struct {
			Name, Role string
			Bytes      unit.Bytes
		}
	}
	if err := json.NewDecoder(list).Decode(&roles); err != nil {
		t.Fatal(err)
	}
	blocks := trace.Marked(roles.Mark)
	if len(blocks) != len(roles.Tensors) || len(blocks) == 0 {
		t.Fatalf("%d tensors are marked, want %d", len(blocks), len(roles.Tensors))
	}
	windows, _ := trace.Windows()
	had := map[int32]string{}
	for i, want := range roles.Tensors {
		b := trace.Blocks[blocks[i]]
		if b.Bytes != want.Bytes || had[blocks[i]] != "" {
			t.Errorf("%s: a block of %d bytes, want %d of its own (%q)", want.Name, b.Bytes, want.Bytes, had[blocks[i]])
		}
		had[blocks[i]] = want.Name
		// All but gradients, which each step makes anew, were there before.
		if old := b.Born < windows[0].From; old != (want.Role != "gradient") {
			t.Errorf("%s: was there before the steps: %t", want.Name, old)
		}
	}
	if got := trace.Marked("nothing"); got != nil {
		t.Errorf("a mark that is not there: %d", got)
	}
}
