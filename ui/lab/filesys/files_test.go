package filesys

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
	reader "spillway/ui/files"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// mine is a recording of one's own.
const mine = `fscalls 1
name two threads of a mail server
- - dir /mail
- - file /mail/a - 20000
0 0 create /mail/b
12.5 0 write /mail/b - 5000 a
13 1 open /mail/a
14 0 fsync /mail/b
15 1 read /mail/a 0 16384
16 0 close /mail/b
20 0 unlink /mail/b
`

func opened(t *testing.T, l *lab.Lab, files ...lab.File) lab.Files {
	t.Helper()
	f, err := reader.Open(l, files)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A recording is an entry, which every system runs as it was recorded; a bundle of it
// runs the same, without names.
func TestRecording(t *testing.T) {
	l := New()
	f := opened(t, &l, lab.File{Name: "mail/own.txt", Data: []byte(mine)})
	e := f.Entries()
	if len(e) != 1 || e[0].Name != "two threads of a mail server" || e[0].Set != "payload=random" || len(e[0].Systems) > 0 {
		t.Fatalf("entries are %+v", e)
	}
	set := "entry=" + strings.ReplaceAll(e[0].Name, " ", "%20")
	u := labtest.Setup(t, &l, set)
	carried, holds, err := reader.Carried(&l, u, nil, f)
	if err != nil || len(carried) != 1 || strings.Contains(string(carried[0].Data), "mail/") {
		t.Fatalf("a bundle has %v, %s", err, carried[0].Data)
	}
	again := opened(t, &l, carried...)
	if a, b := fmt.Sprintf("%+v", again.Entries()), fmt.Sprintf("%+v", holds.Entries()); a != b {
		t.Errorf("opened a bundle has\n%s, made\n%s", a, b)
	}
	for _, s := range l.Running() {
		r, raw, err := l.Run(u, s.Name, f, nil)
		if s.Name == core.Alone.Name && err == nil && !r.Fits && strings.Contains(r.Reason, "calls a file system") {
			continue
		}
		if err != nil || !r.Fits {
			t.Fatalf("%s: %v", s.Name, err)
		}
		if x := raw.(*result); x.Calls != 7 || x.Asked != [device.Directions]int64{16384, 5000} || x.Tallies[call.Fsync].Count != 1 {
			t.Errorf("%s: %d calls, %v asked", s.Name, x.Calls, x.Asked)
		}
		if x := raw.(*result); x.setup.Scale != 1 || x.setup.Device.Capacity != unit.GiB || x.setup.Host != machine.Default().Host || !strings.Contains(strings.Join(r.Notes, " "), "1 GiB instead of 32 GiB") {
			t.Errorf("%s: the machine is 1/%d with %v: %s", s.Name, x.setup.Scale, x.setup.Device.Capacity, r.Notes)
		}
		_, other, err := l.Run(u, s.Name, again, nil)
		if err != nil || l.Hash(raw) != l.Hash(other) {
			t.Errorf("%s: the bundle's recording runs otherwise: %v", s.Name, err)
		}
		for _, key := range []string{operationKey, logKey, trafficKey, factorsKey} {
			got, err := l.Section(key, sectionKnobs(&l, key), u, s.Name, f, nil)
			if err != nil {
				t.Fatal(err)
			}
			labtest.Section(t, key+" of "+s.Name, got)
		}
	}
}

// What is no recording says what would be.
func TestRefused(t *testing.T) {
	l := New()
	for text, want := range map[string]string{
		"Dear all,\nhere it is.\n":      "x.txt: text, but none that is known",
		"":                              "x.txt: an empty file",
		"fscalls 1\n0 0 leap /a\n":      "x.txt:2",
		"fio version 1 iolog\n/a add\n": "version 1",
	} {
		if _, err := reader.Open(&l, []lab.File{{Name: "x.txt", Data: []byte(text)}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	f := opened(t, &l, lab.File{Name: "x.txt", Data: []byte("no")}, lab.File{Name: "mine", Data: []byte(mine)})
	if len(f.Entries()) != 1 || !strings.Contains(strings.Join(f.Notes(), " "), "x.txt") {
		t.Errorf("beside a recording: %v", f.Notes())
	}
	if _, _, err := l.Run(labtest.Setup(t, &l, "entry=another"), "ext4", f, nil); err == nil || !strings.Contains(err.Error(), "choose another under Workload") {
		t.Errorf("an entry that is not there: %v", err)
	}
}

// Tables have all of the result.
func TestTables(t *testing.T) {
	l := New()
	u := labtest.Setup(t, &l, small)
	_, raw, err := l.Run(u, "bytefs", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := raw.(*result)
	for key, want := range map[string]int{trafficExport: 1 + 4*len(structures) + 2*len(whys), samplesExport: 1 + len(r.Samples)} {
		data, err := l.Export(key, u, "bytefs", nil, lab.Origin{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
		if err != nil || len(rows) != want {
			t.Errorf("%s has %d rows, want %d: %v", key, len(rows), want, err)
		}
		var bytes int64
		for _, row := range rows[1:] {
			var n int64
			if _, err := fmt.Sscan(row[4], &n); key == trafficExport && err != nil {
				t.Errorf("%s: %v", row, err)
			}
			if row[1] == "block" || row[1] == "byte" {
				bytes += n
			}
		}
		if all := moved(&r.Device, 0, device.Writes) + moved(&r.Device, 0, device.Reads); key == trafficExport && bytes != all {
			t.Errorf("%d bytes in the table, %d in the result", bytes, all)
		}
	}
}

// The trace of a workload opens again and has its calls.
func TestCallsOpenAgain(t *testing.T) {
	l := New()
	u := labtest.Setup(t, &l, small)
	_, raw, err := l.Run(u, "ext4", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := reader.Export(&l, callsExport, u, "ext4", nil, lab.Origin{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := opened(t, &l, lab.File{Name: "calls.txt", Data: data})
	e := f.Entries()[0]
	again := labtest.Setup(t, &l, e.Set)
	if err := again.Set("entry", e.Name); err != nil {
		t.Fatal(err)
	}
	_, other, err := l.Run(again, "ext4", f, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, b := raw.(*result), other.(*result)
	for c := range a.Tallies {
		if a.Tallies[c].Count != b.Tallies[c].Count {
			t.Errorf("%s: %d calls, from the trace %d", codeNames[c], a.Tallies[c].Count, b.Tallies[c].Count)
		}
	}
	if a.Asked != b.Asked {
		t.Errorf("%v bytes are asked for, from the trace %v", a.Asked, b.Asked)
	}
}
