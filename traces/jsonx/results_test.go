package jsonx_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/traces/jsonx"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// request returns a request in which every number is another one.
func request() *train.Request {
	q := &train.Request{System: "g10", Options: system.Published(), Machine: machine.G10()}
	q.Options.Quirks = quirk.DoubleInput | quirk.SymmetricSSD
	q.Options.Noise, q.Options.Seed = 150, 7
	return q
}

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
		for c := range result.NumCauses {
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
		{"testdata/request.json", request(), new(train.Request)},
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

// TestParametersHaveTheirKnobsKeys checks each number's name against its knob.
func TestParametersHaveTheirKnobsKeys(t *testing.T) {
	m := machine.G10()
	checkKeys(t, machine.Knobs(), &m, "name")
}

func checkKeys[T any](t *testing.T, knobs []knob.Knob[T], v *T, others ...string) {
	t.Helper()
	data, err := jsonx.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := jsonx.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	for _, k := range knobs {
		if n, ok := fields[k.Key].(float64); !ok || int64(n) != k.Get(v) {
			t.Errorf("%T: knob %s is %d, in JSON %v", *v, k.Key, k.Get(v), fields[k.Key])
		}
		delete(fields, k.Key)
	}
	for _, name := range others {
		delete(fields, name)
	}
	if len(fields) > 0 {
		t.Errorf("%T: fields %v belong to no knob", *v, fields)
	}
}

func TestQuirksAreText(t *testing.T) {
	for _, s := range []quirk.Set{quirk.Published(), quirk.Corrected(), quirk.DoubleInput, quirk.Published() &^ quirk.HandTuned} {
		data, err := jsonx.Marshal(s)
		var back quirk.Set
		if err := jsonx.Unmarshal(data, &back); err != nil || back != s {
			t.Errorf("%s: read back as %v, %v", data, back, err)
		}
		if want := fmt.Sprintf("%q", s); err != nil || string(data) != want {
			t.Errorf("got %s, %v; want %s", data, err, want)
		}
	}
	var q train.Request
	if err := jsonx.Unmarshal([]byte(`{"options":{"quirks":"rain"}}`), &q); err == nil {
		t.Error("an unknown quirk is not an error")
	}
}
