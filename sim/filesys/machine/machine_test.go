package machine

import (
	"strings"
	"testing"

	"spillway/sim/unit"
)

func TestPresetsAreValid(t *testing.T) {
	for name, s := range map[string]Setup{"default": Default(), "artifact": Artifact(), "cxl": CXL(), "measured": Measured()} {
		for _, scale := range []int64{1, 16, 64, 256} {
			s.Scale = scale
			if err := s.Validate(); err != nil {
				t.Errorf("%s at 1/%d: %v", name, scale, err)
			}
		}
	}
}

func TestKnobs(t *testing.T) {
	seen := map[string]bool{}
	s := Default()
	for _, k := range Knobs() {
		if seen[k.Key] || k.Key == "" || k.Label == "" || k.Help == "" || k.Source == "" || k.Group == "" {
			t.Errorf("knob %q is there twice or says too little", k.Key)
		}
		seen[k.Key] = true
		text := k.Text(&s)
		was := s
		if err := k.Parse(&s, text); err != nil || s != was {
			t.Errorf("%s: its default %q is not read back: %v", k.Key, text, err)
		}
	}
	for key := range strings.FieldsSeq("scale seed threads open_loop payload changed fresh ack capacity channels block_pages read_latency program_latency erase_latency submit firmware transfer complete write_buffer line_read line_write persist commit_time ssd_dram dram_shared log_at log_single reads_first gc_start gc_stop old_data endurance cores page_cache meta_share generator generator_serial open_cost close_cost read_cost read_page write_cost write_page fsync_cost section ns_bytefs ns_ext4 ns_f2fs ns_nova ns_pmfs handle wake journal_copy duplicate compare dirty_background dirty_limit expire commit_interval checkpoint_interval journal byte_limit direct_limit fresh_share frontier warm warm_time prepared f2fs_keeps loaded keeps_freed first_fit entry_loads in_place as_issued counts_empty inline write_batch own_cache blind_writes full_sync flowops reader_burn writer_burn store_cost buffer_reads cache streams streams_by gc_frontier spare history queue_depth by_block") {
		if !seen[key] {
			t.Errorf("there is no knob %q", key)
		}
		delete(seen, key)
	}
	for key := range seen {
		t.Errorf("links do not know knob %q", key)
	}
}

// TestScaled: sizes and timers are divided once, and nothing else.
func TestScaled(t *testing.T) {
	s := Default()
	r := s.Scaled()
	if r.Device.Capacity != 512*unit.MiB || r.Device.DRAM != 4*unit.MiB || r.Host.Cache != 16*unit.MiB || r.Host.Journal != 2*unit.MiB {
		t.Errorf("sizes are %v %v %v %v", r.Device.Capacity, r.Device.DRAM, r.Host.Cache, r.Host.Journal)
	}
	if r.Host.Commit != s.Host.Commit/64 || r.Host.Expire != s.Host.Expire/64 || r.Host.Checkpoint != s.Host.Checkpoint/64 {
		t.Error("timers are not divided")
	}
	if again := r.Scaled(); again != r {
		t.Error("what is scaled is divided again")
	}
	back := r
	back.Scale = s.Scale
	back.Device.Capacity, back.Device.DRAM, back.Host.Cache, back.Host.Journal = s.Device.Capacity, s.Device.DRAM, s.Host.Cache, s.Host.Journal
	back.Host.Expire, back.Host.Commit, back.Host.Checkpoint = s.Host.Expire, s.Host.Commit, s.Host.Checkpoint
	if back != s {
		t.Error("something else was divided")
	}
}

func TestContradictions(t *testing.T) {
	for want, change := range map[string]func(*Setup){
		"(capacity)":         func(s *Setup) { s.Device.Capacity, s.Scale = unit.GiB, 1024 },
		"(ssd_dram)":         func(s *Setup) { s.Device.DRAM = unit.MiB },
		"(page_cache)":       func(s *Setup) { s.Host.Cache = unit.MiB },
		"(journal)":          func(s *Setup) { s.Host.Journal = unit.MiB },
		"gc_start":           func(s *Setup) { s.Device.CollectAt = 30 },
		"old_data":           func(s *Setup) { s.Device.Old = 80 },
		"dirty_background":   func(s *Setup) { s.Host.Background = 30 },
		"unknown payload":    func(s *Setup) { s.Payload = "noise" },
		"unknown block":      func(s *Setup) { s.Ack = "" },
		"Cores is 0":         func(s *Setup) { s.Host.Cores = 0 },
		"a run has room for": func(s *Setup) { s.Device.Capacity, s.Scale = 1024*unit.GiB, 1 },
		"quirks":             func(s *Setup) { s.Quirks = 1 << 20 },
	} {
		s := Default()
		change(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}
