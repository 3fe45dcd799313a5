package system_test

import (
	"testing"

	"spillway/sim/filesys"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
)

// took runs a workload of the paper, small, and returns how long that takes.
func took(t *testing.T, s machine.Setup, name, system string) unit.Time {
	t.Helper()
	s.Scale = 256
	for _, r := range load.Recipes() {
		if r.Name != name {
			continue
		}
		w, err := load.Generate(&r, &s)
		if err != nil {
			t.Fatal(err)
		}
		result, err := filesys.Run(w, &s, system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return result.Time
	}
	t.Fatalf("no workload %s", name)
	return 0
}

// A COMMIT holds nobody up but its own call: 8 µs instead of 1 cost threads that make and
// remove in the same directories 3 % at most.
func TestCommitKeepsNoLock(t *testing.T) {
	for _, name := range []string{"create", "mkdir", "delete"} {
		fast, slow := machine.Default(), machine.Default()
		fast.Device.Commit, slow.Device.Commit = unit.Microsecond, 8*unit.Microsecond
		a, b := took(t, fast, name, "bytefs"), took(t, slow, name, "bytefs")
		if t.Logf("%s takes %v, and %v with a slow COMMIT", name, a, b); b > a*103/100 {
			t.Errorf("a slow COMMIT makes %s take %v instead of %v", name, b, a)
		}
	}
}

// What is done while a directory is locked takes a core in every file system: where there
// is one core only, long sections leave less of it for all else.
func TestSectionsTakeACore(t *testing.T) {
	for _, system := range []string{"bytefs", "ext4", "f2fs", "nova", "pmfs"} {
		many, one := machine.Default(), machine.Default()
		many.Host.Section, one.Host.Section = 50*unit.Microsecond, 50*unit.Microsecond
		one.Host.Cores = 1
		a, b := took(t, many, "delete", system), took(t, one, "delete", system)
		if t.Logf("%s takes %v, and %v with a core", system, a, b); b < a*110/100 {
			t.Errorf("%s takes %v with a core and %v with many", system, b, a)
		}
	}
}
