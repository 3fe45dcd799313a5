package change

import (
	"math"
	"strings"
	"testing"

	"spillway/sim/report"
)

func file(t *testing.T, hashes, values string) *File {
	t.Helper()
	f, err := Read(hashes, values)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// said is what all changes say, a line each.
func said(list []Change) string {
	var b strings.Builder
	for i := range list {
		b.WriteString(list[i].String() + "\n")
	}
	return b.String()
}

func TestBetween(t *testing.T) {
	const values = "a run=1\n  time_s 2\n  faults 0\n  bytes 10\n  moves 4\n  late 5\na run=2\n  time_s 2.5\nold\n  time_s 1\nthird\n  cannot it needs 3 GiB\n"
	was := file(t, "11 a run=1\n22 a run=2\n33 old\n44 third\n", values)
	if got := Format(was.Runs); got != values {
		t.Errorf("%q was read and written as %q", values, got)
	}
	for _, x := range []struct{ what, hashes, values, want string }{
		{"nothing", "11 a run=1\n22 a run=2\n33 old\n44 third\n", values, ""},
		{
			"values, and a run that is none now", "1x a run=1\n22 a run=2\n33 old\n4x third\n",
			"a run=1\n  time_s 2.01\n  faults 3\n  bytes 5\n  moves 8\n  late 5\na run=2\n  time_s 2.5\nold\n  time_s 1\nthird\n  time_s 7\n",
			"a run=1: time_s 2 → 2.01 (+0.5 %), faults 0 → 3, bytes 10 → 5 (-50 %), 1 more\nthird: time_s 7 (new), cannot it needs 3 GiB (gone)\n",
		},
		{"a hash alone", "11 a run=1\n2x a run=2\n33 old\n44 third\n", values, "a run=2: another hash, the same values\n"},
		{
			"runs", "22 a run=2\n44 third\n55 new\n", "a run=2\n  time_s 2.5\nthird\n  cannot it needs 3 GiB\nnew\n  time_s 1\n",
			"new: a new run\na run=1: there is no such run any more\nold: there is no such run any more\n",
		},
		{"runs that were not made", "\n\n\n44 third\n", "a run=1\na run=2\nold\nthird\n  cannot it needs 3 GiB\n", ""},
		{"rounding", "11 a run=1\n22 a run=2\n33 old\n44 third\n", strings.Replace(values, "2.5", "2.5000000000000004", 1), ""},
	} {
		if got := said(Between(was, file(t, x.hashes, x.values))); got != x.want {
			t.Errorf("%s: got\n%swant\n%s", x.what, got, x.want)
		}
	}
	if _, err := Parse("  time_s 3\n"); err == nil {
		t.Error("values of no run are read")
	}
}

func TestRelative(t *testing.T) {
	for _, x := range []struct {
		was, is string
		want    float64
	}{{"100", "50", -0.5}, {"-2", "-1", 0.5}, {"0", "1", math.Inf(1)}, {"", "1", math.NaN()}, {"1", "-", math.NaN()}} {
		d := Delta{"a", x.was, x.is}
		if got := d.Relative(); got != x.want && !(math.IsNaN(got) && math.IsNaN(x.want)) {
			t.Errorf("%v: %v, want %v", d, got, x.want)
		}
	}
	for r, want := range map[float64]string{0.5: "+50 %", -0.00012345: "-0.012 %", 12.3: "+1230 %", 1e7: "+1e+09 %"} {
		if got := Percent(r); got != want {
			t.Errorf("%v is %s, want %s", r, got, want)
		}
	}
}

func TestReport(t *testing.T) {
	quantities := []report.Quantity{{Key: "time_s"}, {Key: "rate"}, {Key: "bytes"}}
	r := report.Report{Fits: true, Values: []float64{1.0 / 3, report.None(), 1 << 40}}
	if got := Format([]Run{{"x", Report(quantities, &r, "bytes", "rate", "time_s")}}); got != "x\n  bytes 1099511627776\n  time_s 0.3333333333333333\n" {
		t.Errorf("got %s", got)
	}
	if got := Report(quantities, &report.Report{Reason: "it needs\n3 GiB"}, "rate"); len(got) != 1 || got[0].Text != "it needs 3 GiB" {
		t.Errorf("got %v", got)
	}
}

func TestText(t *testing.T) {
	const was = `policy        time/ns   evict
fifo              100      20
lru               110      20

| drive | reads | life |
|---|---|---|
| A | 7.0 GB/s | −3 % |
x, ideal: 500 ps, peak 3, 632b2d7766687f45587aa5dec0b27354
x, other: 600 ps, peak 3, 04c9fe95c0c78ba903ebfee0e0db1e8e
run g10 2 of 3
`
	now := strings.NewReplacer(
		"lru               110      20", "lru             11000      19", "−3 %", "−6 %", "500 ps", "505 ps", "04c9", "04d9", "run g10", "run g11").Replace(was)
	const want = `line 3, lru: time/ns 110 → 11000 (+9900 %), evict 20 → 19 (-5 %)
line 7, A: life -3 → -6 (-100 %)
line 8, x, ideal: ideal 500 → 505 (+1 %)
line 9, x, other: another hash, the same values
run g11 2 of 3: a new run
run g10 2 of 3: there is no such run any more
`
	if got := said(Text(was, now)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if list := Text("a 1\nb 2\n", "b 2\na 1\n"); len(list) != 0 {
		t.Errorf("lines that move are changes: %v", list)
	}
}
