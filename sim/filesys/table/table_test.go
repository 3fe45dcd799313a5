package table

import "testing"

// TestTable puts entries far apart, and beyond what there is room for.
func TestTable(t *testing.T) {
	x := New[int32](1000)
	if got := x.Find(999); got != nil {
		t.Errorf("entry 999 of an empty table is at %p", got)
	}
	want := map[int32]int32{0: 1, 255: 2, 256: 3, 999: 4, 5000: 5}
	var first *int32
	for i, v := range want {
		*x.At(i) = v
		if i == 0 {
			first = x.At(i)
		}
	}
	if first != x.At(0) {
		t.Error("an entry moved when the table grew")
	}
	for i, v := range want {
		if got := x.Find(i); got == nil || *got != v {
			t.Errorf("entry %d is %v; want %d", i, got, v)
		}
	}
	if got := x.Find(4000); got != nil {
		t.Errorf("entry 4000 is at %p; nothing was changed about there", got)
	}
	last, sum := int32(-1), int32(0)
	x.All(func(i int32, entry *int32) {
		if i <= last {
			t.Errorf("entry %d comes after %d", i, last)
		}
		last, sum = i, sum+*entry
	})
	if sum != 15 {
		t.Errorf("all entries have %d in sum; want 15", sum)
	}
}
