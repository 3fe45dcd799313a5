package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// spillway.py does with the command what its own tests say. What they need besides Python, as
// pandas, they skip where it is missing; make test-python tries WebAssembly, too.
func TestPython(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles the command")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	command := filepath.Join(t.TempDir(), "spillway.exe")
	if out, err := exec.Command("go", "build", "-o", command, "spillway/build/spillway").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tests := exec.Command(python, "../python/test_spillway.py")
	tests.Env = append(os.Environ(), "SPILLWAY="+command, "PYTHONDONTWRITEBYTECODE=1")
	if out, err := tests.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
