package filesys

import (
	"reflect"
	"testing"

	"spillway/sim/filesys/device"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
)

// TestOwnIsByteFS: with ByteFS' table the system Yours has ByteFS' results, and with any other the
// bytes that a cell is about go the way it says.
func TestOwnIsByteFS(t *testing.T) {
	for _, name := range []string{"create", "varmail", "oltp", "rename", "delete", "ycsb-a"} {
		r, err := load.Find(name)
		if err != nil {
			continue
		}
		s := machine.Default()
		s.Scale, s.Payload = 256, machine.Random
		w, err := load.Generate(r, &s)
		if err != nil {
			t.Fatal(err)
		}
		run := func(system string, table machine.Table) *Result {
			s.Table = table
			got, err := Run(w, &s, system, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			got.System = ""
			return got
		}
		want := run("bytefs", machine.TableBlocks)
		if got := run(Own, machine.TableByteFS); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: Yours with ByteFS' table differs from ByteFS", name)
		}
		for what, change := range map[string]func(){
			"a page cache of ByteFS' own": func() { s.Host.OwnCache = s.Host.Cache / 64 },
			"writes without reading":      func() { s.Host.BlindWrites = true },
		} {
			was := s.Host
			if change(); !reflect.DeepEqual(run(Own, machine.TableByteFS), run("bytefs", machine.TableBlocks)) {
				t.Errorf("%s with %s: Yours with ByteFS' table differs from ByteFS", name, what)
			}
			s.Host = was
		}
		blocks, bytes := run(Own, machine.TableBlocks), run(Own, machine.TableBytes)
		for st := range plan.Structures {
			if n := blocks.Device.Bytes[st][device.Byte][device.Writes]; st != plan.Data && n != 0 {
				t.Errorf("%s: with blocks everywhere %d bytes of structure %d are written by bytes", name, n, st)
			}
			for _, d := range []device.Direction{device.Reads, device.Writes} {
				if n := bytes.Device.Bytes[st][device.Block][d]; st == plan.Inode && n != 0 {
					t.Errorf("%s: with bytes everywhere %d bytes of inodes go by blocks", name, n)
				}
			}
		}
		t.Logf("%s: %v by ByteFS' table, %v blocks, %v bytes", name, want.Time, blocks.Time, bytes.Time)
	}
}
