package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// noise is a file of three parts and a piece: noise, with zeros between.
func noise(t *testing.T) string {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 50<<20)
	for at := 0; at < len(data); at += 3 << 20 {
		for i := range data[at:min(at+1<<20, len(data))] {
			data[at+i] = byte(r.Uint32())
		}
	}
	name := filepath.Join(t.TempDir(), "memory.bin")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// All bytes of a file are gone through once, by any number of processors with the
// same result, and a sweep over samples and all has both.
func TestSurveyed(t *testing.T) {
	file := noise(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var hashes []string
	for _, n := range []int{1, 3} {
		runtime.GOMAXPROCS(n)
		code, out, errs := run(t, "run", "lab=compress", "file="+file, "exact=yes", "system=naive", "--json")
		var r struct {
			Hash  string
			Notes []string
		}
		if err := only1(out, &r); code != 0 || err != nil || strings.Contains(strings.Join(r.Notes, " "), "sample") {
			t.Fatalf("%d, %s, %v", code, errs, err)
		}
		hashes = append(hashes, r.Hash)
	}
	if hashes[0] != hashes[1] || hashes[0] == "" {
		t.Error(hashes)
	}
	code, out, errs := run(t, "sweep", "lab=compress", "file="+file, "system=naive", "--vary", "exact=no,yes", "--json")
	var both []struct {
		Hash  string
		Notes []string
	}
	if err := json.Unmarshal([]byte(out), &both); code != 0 || err != nil || len(both) != 2 {
		t.Fatalf("%d, %s\n%s, %v", code, out, errs, err)
	}
	if both[1].Hash != hashes[0] || both[0].Hash == hashes[0] || !strings.Contains(strings.Join(both[0].Notes, " "), "A sample: ") {
		t.Errorf("a sample and all: %+v; want %s of all", both, hashes[0])
	}
	second := filepath.Join(t.TempDir(), "other.bin")
	if err := os.Rename(noise(t), second); err != nil {
		t.Fatal(err)
	}
	code, out, errs = run(t, "sweep", "lab=compress", "file="+file, "file="+second, "system=naive", "--vary", "exact=no,yes", "--vary", "entry=001/memory.bin", "--vary", "entry=002/other.bin", "--json")
	if err := json.Unmarshal([]byte(out), &both); code != 0 || err != nil || len(both) != 4 {
		t.Fatalf("%d, %s\n%s, %v", code, out, errs, err)
	}
	for i := range both {
		if all := i >= len(both)/2; all == strings.Contains(strings.Join(both[i].Notes, " "), "A sample: ") {
			t.Errorf("run %d of two files: %+v", i, both[i])
		}
	}
	if code, out, errs := run(t, "solve", "lab=compress", "file="+file, "exact=yes", "system=naive", "--smallest", "link=1..100", "--fits"); code != 0 || strings.Contains(out, "compressed yet") {
		t.Errorf("%d, %s\n%s", code, out, errs)
	}
	bundle := filepath.Join(t.TempDir(), "b.spillway.zip")
	if code, _, errs := run(t, "bundle", "lab=compress", "file="+file, "exact=yes", "system=naive", "-o", bundle); code != 0 {
		t.Fatal(errs)
	}
	if info, err := os.Stat(bundle); err != nil || info.Size() > 100_000 {
		t.Errorf("%v: a bundle with the bytes themselves? %v", info, err)
	}
	if code, out, errs := run(t, "check", bundle); code != 0 || !strings.Contains(out, "3 of 3 parts replayed") {
		t.Errorf("%d, %s\n%s", code, out, errs)
	}
}

// It is told how far it is, in bytes.
func TestSurveyTells(t *testing.T) {
	var errs strings.Builder
	now := time.Unix(0, 0)
	s := &shell{errs: &errs, lines: &errs, now: func() time.Time { return now }}
	p := &progress{shell: s, bytes: true, start: now, done: 4e9, total: 16e9}
	now = now.Add(20 * time.Second)
	p.show()
	if want := "4.0 of 16.0 GB, 20s, about 1m0s left\n"; errs.String() != want {
		t.Errorf("%q", errs.String())
	}
}
