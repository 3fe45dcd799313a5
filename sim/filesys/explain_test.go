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
// noted, and what it is said to move is what all moved, in the mean.
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
	tally := &r.Tallies[call.Create]
	if op.Count != tally.Count || op.Alike != op.Count {
		t.Errorf("%d of %d creates are alike; there were %d", op.Alike, op.Count, tally.Count)
	}
	if got, all := op.Bytes[plan.Inode][device.Byte][device.Writes], tally.Bytes[plan.Inode][device.Byte][device.Writes]; got*op.Count != all || got == 0 {
		t.Errorf("a create writes %d bytes, %d wrote %d", got, op.Count, all)
	}
	if open := o.Explain(call.Open, r); open.Count != 0 || open.Later != [plan.Structures]int64{} {
		t.Errorf("an open that nobody made writes %v", open.Later)
	}
	if sync := o.Explain(call.Fsync, r); sync.Pages[plan.Data] < 900 || sync.Pages[plan.Data] > 1000 {
		t.Errorf("an fsync of a new page programs %d thousandths of a page", sync.Pages[plan.Data])
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
