package jsonx_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"testing"

	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/traces/jsonx"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// measured returns a result in which every number is another one.
func measured() *result.Result {
	n := int64(0)
	next := func() int64 { n++; return n }
	r := &result.Result{
		System: "g10", Mode: "published", Fits: true, Clock: 1200 * unit.MHz, Ideal: 1 << 62,
		Reported: 1, PlannedOps: 3, Notes: []string{"Kernel times are <estimated>."},
	}
	for range 2 {
		it := result.Iteration{
			Time: unit.Cycles(next()), Stall: unit.Cycles(next()), Overlap: unit.Cycles(next()), Compute: unit.Cycles(next()),
			Traffic: result.Traffic{SSDIn: unit.Bytes(next()), SSDOut: unit.Bytes(next()), HostIn: unit.Bytes(next()), HostOut: unit.Bytes(next())},
			Faults:  result.Faults{Moving: next(), Host: next(), SSD: next(), Unallocated: next()},
		}
		for c := range result.Compression { // which plain systems do not have
			*it.Ledger.At(c) = unit.Cycles(next())
		}
		r.Iterations = append(r.Iterations, it)
	}
	r.Kernels = []result.Kernel{{Start: 0, End: 5, Ideal: 4, GPU: 3 * unit.Page, Host: unit.Page}}
	return r
}

// TestNamesAreStable compares with golden files: other programs read these names.
func TestNamesAreStable(t *testing.T) {
	unfit := &result.Result{System: "flashneuron", Mode: "published", Reason: "one kernel needs 50 GiB", Clock: unit.GHz}
	tests := []struct {
		file         string
		value, empty any
	}{
		{"testdata/result.json", measured(), new(result.Result)},
		{"testdata/unfit.json", unfit, new(result.Result)},
	}
	for _, tt := range tests {
		got, err := jsonx.MarshalIndent(tt.value)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, '\n')
		if *update {
			if err := os.WriteFile(tt.file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(tt.file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: the JSON has changed; if that is meant, run go test -update and tell those who read it.\n%s", tt.file, got)
		}
		if err := jsonx.Unmarshal(want, tt.empty, jsonx.Strict); err != nil {
			t.Errorf("%s: %v", tt.file, err)
		} else if !reflect.DeepEqual(tt.empty, tt.value) {
			t.Errorf("%s: read back as %+v, want %+v", tt.file, tt.empty, tt.value)
		}
		var standard bytes.Buffer
		e := json.NewEncoder(&standard)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(tt.value); err != nil || !bytes.Equal(standard.Bytes(), got) {
			t.Errorf("%s: encoding/json writes it differently (%v):\n%s", tt.file, err, standard.Bytes())
		}
	}
}
