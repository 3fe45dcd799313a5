package filesys

import (
	"slices"
	"strings"
	"testing"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// setups are every workload, much smaller than usual, and other devices and rules.
func setups() []string {
	list := []string{
		"workload=create scale=256 device=artifact", "workload=varmail scale=256 device=cxl payload=random", "workload=fileserver scale=256 device=board fresh=1",
		"workload=block-hot-cold scale=256 streams=2", "workload=block-uniform scale=256 request_reads=50 history=random", "workload=block-sequential scale=256 gc_frontier=1 spare=28",
		"workload=mkdir scale=128 ssd_dram=64 log_single=1", "workload=oltp scale=256 calls=400000 payload=share changed=20 ack=program",
	}
	for _, r := range load.Recipes() {
		list = append(list, "workload="+r.Name+" scale=256")
	}
	return list
}

// TestRuns runs every system on every workload.
func TestRuns(t *testing.T) {
	l := New()
	values := []string{"kops", "time_ms", "host_write_mb", "host_read_mb", "meta_mb", "flash_programs", "flash_reads", "commits"}
	labtest.Runs(t, &l, setups(), values, func(about string, r *report.Report, raw any) { consistent(t, &l, about, r, raw.(*result)) })
}

// consistent checks what every report must hold.
func consistent(t *testing.T, l *lab.Lab, name string, r *report.Report, raw *result) {
	t.Helper()
	if requests := raw.w != nil && raw.w.Blocks; requests != (raw.System == core.Alone.Name) {
		if r.Fits || !strings.HasSuffix(r.Reason, ").") {
			t.Errorf("%s: it runs what it does not take: %+v", name, r)
		}
		return
	}
	if !r.Fits {
		t.Fatalf("%s: %+v", name, r)
	}
	value := labtest.Value(t, l, name, r)
	sum := labtest.Sum(t, l, name, r)
	near := labtest.Near(t, name, 1e-6)
	near("both interfaces", sum("interfaces"), value("host_write_mb")+value("host_read_mb"))
	near("metadata", value("meta_write_mb")+value("meta_read_mb"), value("meta_mb"))
	near("data and metadata", value("w_data_mb")+value("r_data_mb")+value("meta_mb"), value("host_write_mb")+value("host_read_mb"))
	near("throughput", value("kops")*value("time_ms"), value("calls"))
	if s := find(raw.System); (s.Waits || raw.Requests != nil) && value("byte_write_mb")+value("byte_read_mb") != 0 {
		t.Errorf("%s: %s moves bytes", name, s.Title)
	}
	if _, reads := r.Value(l.Quantity("read_us")); reads {
		if p99 := value("read_p99_us"); p99 > float64(raw.Longest)/float64(unit.Microsecond) {
			t.Errorf("%s: 99 %% of reads take at most %v µs, the longest %v", name, p99, raw.Longest)
		}
	}
	if got, most := value("cache_used"), float64(raw.setup.Host.Cache)/float64(unit.MiB); got > most {
		t.Errorf("%s: %v of %v MiB of the page cache are in use", name, got, most)
	}
	if got, ok := r.Value(l.Quantity("log_used")); ok != logs(find(raw.System)) || ok && got > float64(raw.setup.Device.DRAM)/float64(unit.MiB) {
		t.Errorf("%s: %v MiB of the log are in use: %v", name, got, ok)
	}
	for _, n := range r.Notes {
		if strings.HasPrefix(n, l.Systems[0].Title+":") {
			t.Errorf("%s: the page says whose note %q is", name, n)
		}
	}
	for _, c := range r.Curves {
		if c.Chart == "log" && slices.Max(c.Y) > 100 {
			t.Errorf("%s: %v %% of the log is in use", name, slices.Max(c.Y))
		}
	}
}

// TestPairs: charts that may be away come in pairs that come and go together, so that
// with two beside each other none stays alone.
func TestPairs(t *testing.T) {
	l := New()
	if len(l.Charts)%2 != 0 {
		t.Errorf("%d charts", len(l.Charts))
	}
	for _, set := range []string{"workload=create scale=256", small} {
		for _, s := range l.Running() {
			if s.Name == core.Alone.Name {
				continue
			}
			r, _, err := l.Run(labtest.Setup(t, &l, set), s.Name, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(l.Charts); i += 2 {
				left, right := &l.Charts[i], &l.Charts[i+1]
				if left.Rare != right.Rare {
					t.Errorf("of %s and %s one may be away", left.ID, right.ID)
				}
				if !left.Rare {
					continue
				}
				_, a := r.Value(l.Quantity(left.Of[0]))
				if _, b := r.Value(l.Quantity(right.Of[0])); b && !a {
					t.Errorf("%s, %s: %s is there without %s", set, s.Name, right.ID, left.ID)
				}
			}
		}
	}
}

func TestErrors(t *testing.T) {
	l := New()
	for _, tt := range []struct{ set, system, want string }{
		{"entry=x", "ext4", "open"},
		{"", "magic", `unknown system "magic"`},
		{"gc_start=30", "bytefs", "it must end with as many or more"},
		{"capacity=1024 scale=1", "bytefs", "less of the workload (scale) would help"},
		{"workload=oltp recipe_threads=5", "bytefs", "set threads to"},
	} {
		_, _, err := l.Run(labtest.Setup(t, &l, tt.set), tt.system, nil, nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.set, err)
		}
	}
}

// TestFull: a file system whose SSD becomes full cannot run it, which is an answer: a sweep or a search that
// meets it goes on.
func TestFull(t *testing.T) {
	l := New()
	for set, want := range map[string]string{
		"workload=varmail scale=256 old_data=60":           "the SSD of 128 MiB (at this scale) is full",
		"workload=varmail scale=256 capacity=8 channels=1": "do not fit into the SSD, which has 32 MiB",
	} {
		r, _, err := l.Run(labtest.Setup(t, &l, set), "ext4", nil, nil)
		if err != nil || r.Fits || !strings.Contains(r.Reason, want) {
			t.Errorf("%s: %v, %+v; want that it cannot run it: %s", set, err, r, want)
		}
	}
}

// The published setups are what the machine says of them.
func TestDevices(t *testing.T) {
	l := New()
	if got := l.Setup().Text("device"); got != modePaper {
		t.Errorf("at first: %q", got)
	}
	for _, x := range []struct {
		key  string
		want machine.Setup
	}{{modePaper, machine.Default()}, {modeArtifact, machine.Artifact()}, {"cxl", machine.CXL()}, {"board", board()}} {
		s := standard()
		u := labtest.Setup(t, &l, "device="+x.key)
		if u.Text("device") != x.key {
			t.Errorf("%s is shown as %s", x.key, u.Text("device"))
		}
		var ks []knob.Knob[settings]
		for _, list := range knobs() {
			ks = append(ks, list...)
		}
		if err := knob.Fill(ks, &s, u); err != nil {
			t.Fatal(err)
		}
		if got := s.machine(); got != x.want {
			t.Errorf("%s: %+v, want %+v", x.key, got, x.want)
		}
	}
}
