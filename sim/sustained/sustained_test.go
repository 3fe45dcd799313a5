package sustained

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/sim/unit"
)

// What a copy costs is the median of small ones in a stream, to a tenth of a microsecond, less
// what their bytes take at the rate of the largest.
func TestTransfer(t *testing.T) {
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	copies := artifact.Table(t, "../../traces/measured/h100/copies.csv")
	rate := map[string]float64{} // bytes a microsecond
	for _, r := range copies {
		rate[r["what"]] = max(rate[r["what"]], number(r["bytes"])/number(r["us"]))
	}
	var small []float64
	for _, r := range copies {
		if n := number(r["bytes"]); n <= 64<<10 && (r["what"] == "h2d pinned" || r["what"] == "d2h pinned") {
			small = append(small, number(r["us"])-n/rate[r["what"]])
		}
	}
	if len(small) != 6 {
		t.Fatalf("%d small copies in a stream", len(small))
	}
	slices.Sort(small)
	if got, want := float64(Transfer)/float64(unit.Microsecond), (small[2]+small[3])/2; math.Abs(got-want) > 0.051 {
		t.Errorf("a copy costs %g µs, the measurements say %.2f of %.2f", got, want, small)
	}
}

// The rates of links are medians of what was measured with copy engines; both ways together it is
// the sum of the two, or twice the one that is stated.
func TestLinks(t *testing.T) {
	of := map[string]string{"pcie3x16": "pcie3", "pcie4x16": "pcie4", "pcie5x16": "pcie5", "nvlink-c2c": "nvlink-c2c"}
	in, out, both := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
	twice := map[string][]float64{}
	for _, r := range artifact.Table(t, "testdata/links.csv") {
		key := of[r["link"]]
		if key == "" || strings.Contains(r["kind"], "SM copies") {
			continue
		}
		number := func(column string) (float64, bool) {
			v, err := strconv.ParseFloat(r[column], 64)
			return v, err == nil
		}
		if v, ok := number("h2d_GBps"); ok {
			in[key] = append(in[key], v)
		}
		if v, ok := number("d2h_GBps"); ok {
			out[key] = append(out[key], v)
		}
		a, known := number("h2d_while_both")
		if b, ok := number("d2h_while_both"); ok && known {
			both[key] = append(both[key], a+b)
		} else if known {
			twice[key] = append(twice[key], 2*a)
		}
	}
	for _, l := range Links() {
		sums := both[l.Key]
		if sums == nil {
			sums = twice[l.Key]
		}
		for what, x := range map[string]struct {
			got  unit.Bandwidth
			want []float64
		}{"in": {l.In, in[l.Key]}, "out": {l.Out, out[l.Key]}, "both": {l.Both, sums}} {
			if want := median(x.want); math.Abs(float64(x.got)/1e9-want) > 0.011 {
				t.Errorf("%s %s: %v, the measurements say %.3f GB/s", l.Key, what, x.got, want)
			}
		}
		if l.Both < l.Either() || l.Both > l.In+l.Out || max(l.In, l.Out) > l.Protocol {
			t.Errorf("%s contradicts itself: %+v", l.Key, l)
		}
	}
}

// The rates of drives are what the table says, burst, cache and behind it.
func TestDrives(t *testing.T) {
	named := map[string]string{
		"Samsung 980 PRO 1TB": "980-pro", "Samsung 990 PRO 2TB": "990-pro", "Samsung PM9A3 3.84TB": "pm9a3",
		"Samsung PM1743 7.68TB": "pm1743", "Intel Optane DC P4800X 750GB": "p4800x", "Intel Optane P5800X 1.6TB": "p5800x",
	}
	seen := 0
	for _, r := range artifact.Table(t, "testdata/drives.csv") {
		key := named[r["drive"]+" "+r["capacity"]]
		d, ok := FindDrive(key)
		if !ok {
			continue
		}
		seen++
		number := func(column string) float64 {
			v, _ := strconv.ParseFloat(r[column], 64)
			return v
		}
		if d.Burst != giga(number("write_burst_GBps")) || int64(d.Cache) != int64(giga(number("burst_bytes_GB"))) || d.Write != giga(number("write_after_cache_GBps")) ||
			d.Measured != (r["trust"] == "measured") {
			t.Errorf("%s is %+v; the table says %v", key, d, r)
		}
	}
	if seen != len(Drives()) {
		t.Errorf("%d of %d drives are in the table", seen, len(Drives()))
	}
}

// giga is a rate, or a size, of so many billions.
func giga(v float64) unit.Bandwidth { return unit.Bandwidth(math.Round(v*1e6)) * 1000 }

func TestFind(t *testing.T) {
	if l, ok := FindLink("pcie4"); !ok || l.Either() != 25_500*unit.MBps {
		t.Errorf("PCIe 4 is %+v", l)
	}
	if _, ok := FindLink("pcie9"); ok {
		t.Error("somebody measured PCIe 9")
	}
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	n := len(list)
	if n == 0 {
		return math.NaN()
	}
	return (list[(n-1)/2] + list[n/2]) / 2
}
