package unit

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestPages(t *testing.T) {
	for _, tt := range []struct {
		in      Bytes
		pages   int64
		aligned Bytes
	}{
		{0, 0, 0},
		{1, 1, 4096},
		{4095, 1, 4096},
		{4096, 1, 4096},
		{4097, 2, 8192},
		{40 * GiB, 10485760, 40 * GiB}, // G10 Table 2
		{1<<42 - 1, 1 << 30, 1 << 42},
	} {
		if got := tt.in.Pages(); got != tt.pages {
			t.Errorf("%d bytes are %d pages, want %d", tt.in, got, tt.pages)
		}
		if got := tt.in.Aligned(); got != tt.aligned {
			t.Errorf("%d bytes aligned are %d, want %d", tt.in, got, tt.aligned)
		}
	}
}

func TestString(t *testing.T) {
	for _, tt := range []struct {
		got, want string
	}{
		{Bytes(0).String(), "0 B"},
		{Bytes(1023).String(), "1023 B"},
		{Bytes(-1023).String(), "-1023 B"},
		{KiB.String(), "1 KiB"},
		{Bytes(1536).String(), "1.5 KiB"},
		{Bytes(-1536).String(), "-1.5 KiB"},
		{(40 * GiB).String(), "40 GiB"},
		{(GiB + GiB/1000).String(), "1 GiB"},
		{(GiB + GiB/100).String(), "1.01 GiB"},
		{(10 * GiB).String(), "10 GiB"},
		{(1 << 40 * Bytes(3)).String(), "3 TiB"},
		{Bytes(math.MaxInt64).String(), "8388608 TiB"},
		{Time(0).String(), "0 ps"},
		{Time(999).String(), "999 ps"},
		{Nanosecond.String(), "1 ns"},
		{(45 * Microsecond).String(), "45 µs"},
		{(1234567 * Nanosecond).String(), "1.23 ms"},
		{(1235 * Microsecond).String(), "1.24 ms"}, // half away from zero
		{(-1235 * Microsecond).String(), "-1.24 ms"},
		{(100 * Second).String(), "100 s"},
		{(1200 * MHz).String(), "1.2 GHz"},
		{(100 * MHz).String(), "100 MHz"},
		{(15754 * MBps).String(), "15.75 GB/s"},
		{(3200 * MBps).String(), "3.2 GB/s"},
		{(10 * MBps).String(), "10 MB/s"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestConversions(t *testing.T) {
	const f = 1200 * MHz
	for _, tt := range []struct {
		name      string
		got, want int64
	}{
		{"no time", int64(f.Cycles(0)), 0},
		{"one cycle less a bit", int64(f.Cycles(833)), 0},
		{"one cycle, 833.3 ps", int64(f.Cycles(834)), 1},
		{"the same rounded up", int64(f.CyclesUp(1)), 1},
		{"exactly", int64(f.CyclesUp(5 * Nanosecond)), 6},
		{"as published", int64(f.PublishedCycles(834)), 1},
		{"as published, exactly", int64(f.PublishedCycles(5 * Nanosecond)), 6},
		{"as published, one of 42 lost", int64(f.PublishedCycles(35 * Nanosecond)), 41},
		{"45 µs", int64(f.CyclesUp(45 * Microsecond)), 54000},
		{"106 days", int64(f.Cycles(math.MaxInt64)), 11068046444225730}, // more than 64 bits on the way
		{"back, rounded down", int64(f.Time(1)), 833},
		{"back, exactly", int64(f.Time(6)), 5000},
		{"back, too long", int64(Frequency(1).Time(math.MaxInt64)), math.MaxInt64},
		{"a page over PCIe 3", int64((15754 * MBps).Time(Page)), 259998},
		{"a byte at 1 B/s", int64(Bandwidth(1).Time(1)), int64(Second)},
		{"no bandwidth", int64(Bandwidth(0).Time(1)), math.MaxInt64},
		{"cycles of a page", int64((4096 * MBps).Cycles(Page, GHz)), 1000},
		{"rounded up", int64((4097 * MBps).Cycles(Page, GHz)), 1000},
		{"rounded up over", int64((4095 * MBps).Cycles(Page, GHz)), 1001},
		{"nothing to move", int64(GBps.Cycles(0, GHz)), 0},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, tt.got, tt.want)
		}
	}
}

// mulDiv agrees with arithmetic that cannot overflow.
func TestMulDiv(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	number := func() uint64 { return uint64(r.Int64()) >> r.IntN(63) }
	for range 20000 {
		x, y, z, up := number(), number(), number(), r.IntN(2) == 0
		want := new(big.Int).Mul(new(big.Int).SetUint64(x), new(big.Int).SetUint64(y))
		if z == 0 {
			want.SetInt64(math.MaxInt64)
		} else {
			rest := new(big.Int)
			want.QuoRem(want, new(big.Int).SetUint64(z), rest)
			if up && rest.Sign() > 0 {
				want.Add(want, big.NewInt(1))
			}
		}
		if !want.IsInt64() {
			want.SetInt64(math.MaxInt64)
		}
		if got := mulDiv(x, y, z, up); got != want.Int64() {
			t.Fatalf("mulDiv(%d, %d, %d, %v) = %d, want %v", x, y, z, up, got, want)
		}
	}
}
