package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spillway/build/effort"
)

// Ten certificates are what they say, for the command and for the script of the page, and a
// changed one is refused by both.
func TestBounds(t *testing.T) {
	effort.Natively(t)
	if testing.Short() {
		t.Skip("ten certificates, natively")
	}
	dir := t.TempDir()
	var paths []string
	for i := range 10 {
		path := filepath.Join(dir, fmt.Sprint(i, ".json"))
		model := []string{"model=bert-base batch=32", "model=dcgan-pytorch batch=512", "model=resnet-50 batch=32"}[i%3]
		code, out, errs := run(t, append([]string{
			"export", []string{"certificate", "certificate-recomputation"}[i%2], "lab=train", "system=g10", "mode=corrected", "times=estimated", fmt.Sprintf("gpu_memory=%d.5", 1+i/3),
			fmt.Sprint("host_memory=", i), "--out", path,
		}, strings.Fields(model)...)...)
		if code != 0 {
			t.Fatal(out, errs)
		}
		paths = append(paths, path)
	}
	code, out, errs := run(t, append([]string{"verify", "--bounds"}, paths...)...)
	const even = "even if it computes values again"
	if code != 0 || strings.Count(out, "no schedule takes less than") != len(paths) || strings.Count(out, even) != len(paths)/2 {
		t.Error(out, errs)
	}
	data, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(dir, "changed.json")
	data = bytes.Replace(data, []byte(`"bound_cycles":`), []byte(`"bound_cycles":1`), 1)
	if err := os.WriteFile(changed, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := run(t, "verify", "--bounds", changed); code == 0 || !strings.Contains(errs, "its prices prove") {
		t.Error(out, errs)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	script := "../../public/bound.py"
	if out, err := exec.Command(python, append([]string{script}, paths...)...).CombinedOutput(); err != nil || strings.Count(string(out), "no schedule takes less than") != len(paths) || strings.Count(string(out), even) != len(paths)/2 {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := exec.Command(python, script, changed).CombinedOutput(); err == nil {
		t.Errorf("the script takes a changed certificate: %s", out)
	}
}
