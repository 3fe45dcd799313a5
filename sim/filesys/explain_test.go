package filesys

import (
	"reflect"
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// TestOperations: of all creates of a workload that differ in pages only one kind is
// noted.
func TestOperations(t *testing.T) {
	s := machine.Default()
	s.Scale = 256
	w := recipe(t, "create", &s)
	o := NewOperations(0)
	r, err := runOf(w, &s, plainOf(device.WriteLog), &Watch{Steps: o.Note})
	if err != nil {
		t.Fatal(err)
	}
	op := o.Explain(call.Create, r)
	if op.Noted != op.Count || op.Alike != op.Count || op.Count == 0 {
		t.Errorf("%d of %d creates are alike; there were %d", op.Alike, op.Noted, op.Count)
	}
	if open := o.Explain(call.Open, r); open.Count != 0 || open.Noted != 0 {
		t.Errorf("%d opens that nobody made", open.Count)
	}
}

// TestOperationsSum: with every file system the calls' own bytes of all codes are no more
// than what the run moved, by structure and direction, and with what is said of the rest
// just that.
func TestOperationsSum(t *testing.T) {
	for _, name := range []string{"mkdir", "varmail"} {
		s := machine.Default()
		s.Scale = 256
		w := recipe(t, name, &s)
		for i := range Systems {
			o := NewOperations(0)
			r, err := Run(w, &s, Systems[i].Name, &Watch{Steps: o.Note}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var own, all [plan.Structures][device.Directions]int64
			for c := range call.Codes {
				op := o.Explain(c, r)
				for s := range all {
					for d := range all[s] {
						all[s][d] = r.Device.Bytes[s][device.Block][d] + r.Device.Bytes[s][device.Byte][d]
						mine := op.Own[s][device.Block][d] + op.Own[s][device.Byte][d]
						own[s][d] += mine
						if op.Rest[s][d] < 0 || mine+op.Rest[s][d] != all[s][d] {
							t.Errorf("%s, %s, code %d: structure %d, direction %d: %d and %d are not %d", name, Systems[i].Name, c, s, d, mine, op.Rest[s][d], all[s][d])
						}
					}
				}
			}
			for s := range all {
				for d := range all[s] {
					if own[s][d] > all[s][d] {
						t.Errorf("%s, %s: calls move %d bytes of structure %d, the run %d", name, Systems[i].Name, own[s][d], s, all[s][d])
					}
				}
			}
		}
	}
}

// TestDifference: every counter of the device is subtracted.
func TestDifference(t *testing.T) {
	var all device.Counts
	all.Busy = make([]unit.Time, 2)
	set(reflect.ValueOf(&all).Elem())
	got := difference(&all, &all)
	if want := (device.Counts{Busy: make([]unit.Time, 2)}); !reflect.DeepEqual(got, want) {
		t.Errorf("counters that are not subtracted: %+v", got)
	}
}

// set makes every number in v 7.
func set(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			set(field)
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			set(v.Index(i))
		}
	default:
		v.SetInt(7)
	}
}
