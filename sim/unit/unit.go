// Package unit holds the integer quantities of the simulator: bytes, time, GPU
// clock cycles, frequency and bandwidth. No floating-point number decides when
// something happens or how much of it there is, but for
// [Frequency.PublishedCycles], which must round as others did.
//
// Two kinds of time exist and are never mixed. [Time] is physical time, in
// picoseconds; workloads and hardware latencies use it. [Cycles] counts ticks
// of one run's GPU clock; the engine uses only it, because the published G10
// results are cycle counts at 1.2 GHz, and 5/6 ns is not a whole number of
// picoseconds. [Frequency] converts between the two.
package unit

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Bytes is a size or an amount of data.
type Bytes int64

// Binary and decimal multiples. A place that states a size chooses one.
const (
	KiB Bytes = 1 << 10
	MiB Bytes = 1 << 20
	GiB Bytes = 1 << 30
	KB  Bytes = 1e3
	MB  Bytes = 1e6
	GB  Bytes = 1e9
)

// Page is the migration granularity of unified memory, 4 KiB (G10 paper, Table 2).
const Page Bytes = 4096

// Pages returns the number of pages that hold b, rounded up.
func (b Bytes) Pages() int64 { return int64((b + Page - 1) / Page) }

// Aligned returns b rounded up to whole pages.
func (b Bytes) Aligned() Bytes { return Bytes(b.Pages()) * Page }

// String formats b with a binary unit and at most two decimals.
func (b Bytes) String() string {
	switch a := max(b, -b); {
	case a >= 1<<40:
		return scaled(int64(b), 1<<40, "TiB")
	case a >= GiB:
		return scaled(int64(b), int64(GiB), "GiB")
	case a >= MiB:
		return scaled(int64(b), int64(MiB), "MiB")
	case a >= KiB:
		return scaled(int64(b), int64(KiB), "KiB")
	}
	return strconv.FormatInt(int64(b), 10) + " B"
}

// Time is physical time in picoseconds, instants and spans alike. It reaches
// 106 days either way.
type Time int64

// Multiples of a picosecond.
const (
	Picosecond  Time = 1
	Nanosecond  Time = 1e3
	Microsecond Time = 1e6
	Millisecond Time = 1e9
	Second      Time = 1e12
)

// String formats t with the largest fitting unit and at most two decimals.
func (t Time) String() string {
	switch a := max(t, -t); {
	case a >= Second:
		return scaled(int64(t), int64(Second), "s")
	case a >= Millisecond:
		return scaled(int64(t), int64(Millisecond), "ms")
	case a >= Microsecond:
		return scaled(int64(t), int64(Microsecond), "µs")
	case a >= Nanosecond:
		return scaled(int64(t), int64(Nanosecond), "ns")
	}
	return strconv.FormatInt(int64(t), 10) + " ps"
}

// Cycles counts ticks of a run's GPU clock.
type Cycles int64

// Frequency is a clock rate in hertz.
type Frequency int64

// Multiples of a hertz.
const (
	MHz Frequency = 1e6
	GHz Frequency = 1e9
)

// Cycles returns how many whole cycles of f fit into t (0 ≤ t). It saturates
// at the largest count.
func (f Frequency) Cycles(t Time) Cycles {
	return Cycles(mulDiv(uint64(t), uint64(f), uint64(Second), false))
}

// PublishedCycles is Cycles as the published G10 simulator rounds: in double
// precision, from milliseconds. A time of a whole number of cycles may lose one.
func (f Frequency) PublishedCycles(t Time) Cycles {
	ms := float64(t) / 1e9
	return Cycles(float64(ms*float64(f)) / 1000) // float64: the product is rounded on every platform
}

// CyclesUp is Cycles rounded up.
func (f Frequency) CyclesUp(t Time) Cycles {
	return Cycles(mulDiv(uint64(t), uint64(f), uint64(Second), true))
}

// Time returns how long n cycles (0 ≤ n) take at f, rounded down to a picosecond.
func (f Frequency) Time(n Cycles) Time {
	return Time(mulDiv(uint64(n), uint64(Second), uint64(f), false))
}

// String formats f in GHz or MHz.
func (f Frequency) String() string {
	if f >= GHz {
		return scaled(int64(f), int64(GHz), "GHz")
	}
	return scaled(int64(f), int64(MHz), "MHz")
}

// Bandwidth is a rate in bytes per second. Marketing and PCIe tables count
// decimal gigabytes; so does String.
type Bandwidth int64

// Multiples of a byte per second.
const (
	MBps Bandwidth = 1e6
	GBps Bandwidth = 1e9
)

// Time returns how long n bytes take at b, rounded up to a picosecond.
func (b Bandwidth) Time(n Bytes) Time {
	return Time(mulDiv(uint64(n), uint64(Second), uint64(b), true))
}

// Cycles returns how many cycles of f it takes to move n bytes at b, rounded up.
func (b Bandwidth) Cycles(n Bytes, f Frequency) Cycles {
	return Cycles(mulDiv(uint64(n), uint64(f), uint64(b), true))
}

// String formats b in GB/s (1e9) or MB/s.
func (b Bandwidth) String() string {
	if b >= GBps {
		return scaled(int64(b), int64(GBps), "GB/s")
	}
	return scaled(int64(b), int64(MBps), "MB/s")
}

// GCD returns the greatest common divisor of numbers that are not negative.
func GCD[T ~int64](a, b T) T {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// MulDiv returns x*y/z, rounded down, for non-negative x and y and positive z
// through a 128-bit product; it saturates at the largest int64, where z is 0 too.
func MulDiv(x, y, z int64) int64 { return mulDiv(uint64(x), uint64(y), uint64(max(z, 0)), false) }

// mulDiv is MulDiv without signs; up rounds up.
func mulDiv(x, y, z uint64, up bool) int64 {
	const most = 1<<63 - 1
	if z == 0 {
		return most
	}
	hi, lo := bits.Mul64(x, y)
	if hi >= z {
		return most
	}
	q, r := bits.Div64(hi, lo, z)
	if up && r > 0 {
		q++
	}
	return int64(min(q, most))
}

// scaled prints v/scale with at most two decimals, rounded half away from zero.
func scaled(v, scale int64, name string) string {
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	hi, lo := bits.Mul64(uint64(v), 100)
	lo, carry := bits.Add64(lo, uint64(scale)/2, 0)
	q, _ := bits.Div64(hi+carry, lo, uint64(scale))
	s := fmt.Sprintf("%s%d.%02d", sign, q/100, q%100)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".") + " " + name
}
