package filesys

import (
	"math"
	"strings"
	"testing"

	"spillway/sim/filesys/device"
	reader "spillway/ui/files"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// requestsOf are recordings of requests in all formats, with the same four requests.
var requestsOf = map[string]string{
	"msr.csv":    "100,h,0,Write,4096,4096,5\n110,h,0,Read,4096,8192,5\n120,h,0,Write,0,512,9\n130,h,0,Read,0,4096,9\n",
	"spc.csv":    "0,8,4096,w,0\n0,8,8192,r,0.000001\n0,0,512,W,0.000002\n0,0,4096,R,0.000003\n",
	"fio3.log":   "fio version 3 iolog\n0 /dev/x add\n0 /dev/x open\n0 /dev/x write 4096 4096\n1 /dev/x read 4096 8192\n2 /dev/x write 0 512\n3 /dev/x read 0 4096\n4 /dev/x close\n",
	"fio2.log":   "fio version 2 iolog\n/dev/x add\n/dev/x open\n/dev/x write 4096 4096\n/dev/x wait 1\n/dev/x read 4096 8192\n/dev/x wait 1\n/dev/x write 0 512\n/dev/x wait 1\n/dev/x read 0 4096\n/dev/x close\n",
	"blk.txt":    "  8,0 1 1 0.000000000 5 Q WS 8 + 8 [a]\n  8,0 1 2 0.000001000 5 Q R 8 + 16 [a]\n  8,0 1 3 0.000002000 5 Q WS 0 + 1 [a]\n  8,0 1 4 0.000003000 5 Q R 0 + 8 [a]\n",
	"blocks.txt": "fscalls 1\nblocks\n- - file /d - 12288\n0 0 write /d 4096 4096\n1 0 read /d 4096 8192\n2 0 write /d 0 512\n3 0 read /d 0 4096\n",
}

// TestRequests: the same requests are the same run, whatever format they came in and whether their
// times count; file systems refuse them, and a bundle of them runs the same.
func TestRequests(t *testing.T) {
	l := New()
	for _, set := range []string{"queue_depth=1", "queue_depth=4 open_loop=1"} {
		want, first := "", ""
		for name, text := range requestsOf {
			f := opened(t, &l, lab.File{Name: name, Data: []byte(text)})
			if e := f.Entries()[0]; len(e.Systems) != 1 || e.Systems[0] != "raw" {
				t.Errorf("%s is for %v", name, e.Systems)
			}
			u := labtest.Setup(t, &l, "entry="+f.Entries()[0].Name+" "+set)
			r, raw, err := l.Run(u, "raw", f, nil)
			if err != nil || !r.Fits {
				t.Fatalf("%s: %v, %+v", name, err, r)
			}
			x := raw.(*result)
			if x.Calls != 4 || x.Asked != [device.Directions]int64{12288, 4608} || x.setup.Device.Room != 32<<20 {
				t.Errorf("%s: %d requests, %v asked, %v of room", name, x.Calls, x.Asked, x.setup.Device.Room)
			}
			x.Workload = "" // its name
			if got := l.Hash(raw); want == "" {
				want, first = got, name
			} else if got != want {
				t.Errorf("%s, %s: another run than %s", name, set, first)
			}
			if r, _, err = l.Run(u, "ext4", f, nil); err != nil || r.Fits || !strings.Contains(r.Reason, "The SSD alone takes it") {
				t.Errorf("%s on Ext4: %v, %+v", name, err, r)
			}
		}
	}
}

// TestRequestsOpenAgain: what is generated, written as a trace and opened, are the same requests.
func TestRequestsOpenAgain(t *testing.T) {
	l := New()
	set := "workload=block-hot-cold scale=256 requests=500000 request_reads=30"
	_, raw, err := l.Run(labtest.Setup(t, &l, set), "raw", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := reader.Export(&l, callsExport, labtest.Setup(t, &l, set), "raw", nil, lab.Origin{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := opened(t, &l, lab.File{Name: "requests.txt", Data: data})
	_, other, err := l.Run(labtest.Setup(t, &l, "entry="+f.Entries()[0].Name), "raw", f, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := raw.(*result), other.(*result); a.Calls != b.Calls || a.Asked != b.Asked || a.Tallies[2].Count != b.Tallies[2].Count {
		t.Errorf("%d requests of %v, from the trace %d of %v", a.Calls, a.Asked, b.Calls, b.Asked)
	}
}

// TestAloneSection: the tables say what the numbers of a run do, for every kind of request, and a
// file system has none of it.
func TestAloneSection(t *testing.T) {
	l := New()
	for set, wants := range map[string]string{
		"workload=block-uniform scale=256":                     "99 % of writes",
		"workload=block-uniform scale=256 request_reads=100":   "99 % of reads",
		"workload=block-hot-cold scale=256 request_reads=50":   "programs of flash",
		"workload=block-sequential scale=256 request_reads=50": "99 % of writes",
	} {
		s := shown(t, &l, aloneKey, "", set, "raw")
		labtest.Section(t, set, s)
		if len(s.Tables) != 2 || !strings.Contains(s.Text[0], wants) {
			t.Errorf("%s: %q", set, s.Text)
		}
		if other := shown(t, &l, trafficKey, "", set, "raw"); !strings.Contains(other.Text[0], "about file systems") {
			t.Errorf("%s: traffic says %q", set, other.Text)
		}
	}
	if s := shown(t, &l, aloneKey, "", small, "ext4"); !strings.Contains(s.Text[0], "Ext4 is a file system") {
		t.Errorf("of Ext4: %q", s.Text)
	}
}

// TestAloneNumbers: shares of collection are shares, wear is in order, what is collected is a part of
// the time, and amplification is what it was made of.
func TestAloneNumbers(t *testing.T) {
	l := New()
	for _, set := range []string{"workload=block-uniform scale=256 request_reads=50", "workload=block-hot-cold scale=256"} {
		r, raw, err := l.Run(labtest.Setup(t, &l, set), "raw", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		value := labtest.Value(t, &l, set, r)
		for _, q := range l.Quantities {
			if v, ok := r.Value(l.Quantity(q.Key)); strings.Contains(q.Key, "_gc") && ok && (v < 0 || v > 100) {
				t.Errorf("%s: %s is %v", set, q.Key, v)
			}
		}
		x := raw.(*result)
		if least, mean, most := value("wear_least"), value("wear_mean"), value("wear_most"); least > mean || mean > most || most == 0 {
			t.Errorf("%s: blocks are erased %v, %v and %v times", set, least, mean, most)
		}
		if got, want := value("flash_amp"), float64(sum(x.Device.FlashPrograms))/float64(x.Device.FlashPrograms[device.ByHost]); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", set, got, want)
		}
		if got := value("t_collecting_ms"); got <= 0 || got > value("time_ms") {
			t.Errorf("%s: %v ms of %v are collection", set, got, value("time_ms"))
		}
	}
}
