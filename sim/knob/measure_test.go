package knob

import (
	"strings"
	"testing"
)

func TestMeasure(t *testing.T) {
	rate := Info{Label: "SSD read", Unit: "GB/s", Scale: 1e9, Max: 1 << 60}
	memory := Info{Label: "GPU memory", Unit: "GiB", Scale: 1 << 30, Max: 1 << 60}
	cost := Info{Label: "Cost", Unit: "µs/B", Scale: 1e9, Max: 1 << 60}
	batch := Info{Label: "Batch", Scale: 1, Max: 1 << 60}
	for _, c := range []struct {
		knob *Info
		text string
		want int64
	}{
		{&rate, "3.2", 32e8},
		{&rate, "3,2", 32e8},
		{&rate, "0,125", 125e6},
		{&rate, "3.2 GB/s", 32e8},
		{&rate, "3.2gb/s", 32e8},
		{&rate, "3200 MB/s", 32e8},
		{&rate, "3 200 MB/s", 32e8},
		{&rate, "1e1 MB/s", 1e7},
		{&rate, "2e-3", 2e6},
		{&memory, "24", 24 << 30},
		{&memory, "24576 MiB", 24 << 30},
		{&memory, "24 GB", 24e9},
		{&memory, "0.5 TiB", 1 << 39},
		{&cost, "0.814 ps/B", 814},
		{&cost, "814 fs/B", 814},
		{&batch, "16", 16},
		{&batch, "1.6e1", 16},
	} {
		if got, err := c.knob.Measure(c.text); err != nil || got != c.want {
			t.Errorf("%q in %q: %d, %v; want %d", c.text, c.knob.Unit, got, err, c.want)
		}
	}
	for _, c := range []struct {
		knob       *Info
		text, want string
	}{
		{&rate, "1,024", "may be 1024 or 1.024"},
		{&rate, "1,2,3", "not clear"},
		{&rate, "1.000,5", "not clear"},
		{&rate, "3.2 Gb/s", `"Gb/s" is not a unit of it; use GB/s`},
		{&rate, "3.2 GB", "not a unit"},
		{&rate, "3.2 apples", "not a unit"},
		{&rate, "apples", "not a number"},
		{&rate, "", "enter a number"},
		{&rate, "1e99", "too large"},
		{&rate, "1e99999999999999999999", "too large"},
		{&rate, "1e-99", "too small"},
		{&rate, "1e", "not a unit"},
		{&batch, "16 GiB", `"16 GiB" is not a number`},
		{&batch, "1.5", "not a whole number"},
		{&memory, "1000000000 TiB", "too large"},
	} {
		if got, err := c.knob.Measure(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q in %q: %d, %v; want %q", c.text, c.knob.Unit, got, err, c.want)
		}
	}
}

func FuzzMeasure(f *testing.F) {
	for _, text := range []string{"3,2", "1e99", "3200 MB/s", "-1 GiB", "µs", "1 µs/B", "e", "1e+"} {
		f.Add(text)
	}
	knobs := []Info{{Unit: "GB/s", Scale: 1e9}, {Unit: "µs/B", Scale: 1e9}, {Scale: 1}}
	f.Fuzz(func(t *testing.T, text string) {
		for i := range knobs {
			v, err := knobs[i].Measure(text)
			if err != nil {
				continue
			}
			// What is printed is read as the same.
			if again, err := knobs[i].Measure(Decimal(v, knobs[i].Scale) + " " + knobs[i].Unit); err != nil || again != v {
				t.Errorf("%q is %d, printed and read %d, %v", text, v, again, err)
			}
		}
	})
}

func TestShort(t *testing.T) {
	rate := Info{Unit: "GB/s", Scale: 1e9}
	cost := Info{Unit: "µs/B", Scale: 1e9}
	wait := Info{Unit: "s", Scale: 1e12}
	for _, c := range []struct {
		knob             *Info
		text, want, unit string
	}{
		{&cost, "0.000000814", "814", "fs/B"},
		{&cost, "0.0000125", "12.5", "ps/B"},
		{&cost, "1", "1", "µs/B"},
		{&cost, "x", "x", "µs/B"},
		{&rate, "0.0005", "500", "kB/s"},
		{&rate, "3.2", "3.2", "GB/s"},
		{&rate, "0", "0", "GB/s"},
		{&wait, "0.000045", "45", "µs"},
	} {
		number, unit := c.knob.Short(c.text)
		if unit == "KB/s" || unit == "us" || unit == "μs" {
			t.Errorf("%s: unit %q", c.text, unit)
		}
		if number != c.want || unit != c.unit {
			t.Errorf("%s %s is %s %s, want %s %s", c.text, c.knob.Unit, number, unit, c.want, c.unit)
		}
	}
}
