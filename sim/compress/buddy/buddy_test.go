package buddy

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spillway/sim/compress/bpc"
	"spillway/sim/unit"
)

// of makes a histogram with n entries of each number of sectors; those of none are
// zeros.
func of(zero, one, two, three, four int64) (h Histogram) {
	h.Add(10, true, zero)
	h.Add(200, false, one)
	h.Add(500, false, two)
	h.Add(700, false, three)
	h.Add(1024, false, four)
	return h
}

func TestHistogram(t *testing.T) {
	h := of(10, 20, 30, 15, 25)
	if h.Entries != 100 || h.Zero != 10 || h.Tiny != 10 || h.Sectors != [5]int64{10, 20, 30, 15, 25} || h.Classes != [8]int64{10, 0, 0, 20, 30, 0, 15, 25} {
		t.Errorf("%+v", h)
	}
	h.Add(64, false, 5)   // 8 bytes
	h.Add(65, false, 5)   // 9
	h.Add(1089, false, 5) // kept as it is
	if h.Tiny != 15 || h.Sectors != [5]int64{10, 30, 30, 15, 30} || h.Classes != [8]int64{10, 5, 5, 20, 30, 0, 15, 30} {
		t.Errorf("%+v", h)
	}
	for _, tt := range []struct {
		target   Target
		overflow float64
		remote   float64 // sectors of 4 in each entry
	}{
		{X1, 0, 0},
		{X133, 30. / 115, 30.},
		{X2, 45. / 115, 30*2 + 15},
		{X4, 75. / 115, 30*3 + 15*2 + 30},
		{X16, 100. / 115, 30*4 + 15*3 + 30*2 + 25}, // five with 8 bytes stay
	} {
		if got := h.Overflow(tt.target); math.Abs(got-tt.overflow) > 1e-12 {
			t.Errorf("%v: %.4f of the entries overflow, want %.4f", tt.target, got, tt.overflow)
		}
		if got := h.Remote(tt.target) * 115 * 4; math.Abs(got-tt.remote) > 1e-9 {
			t.Errorf("%v: %.4f sectors are remote, want %.4f", tt.target, got, tt.remote)
		}
		if sum := h.Remote(tt.target) + h.Local(tt.target); math.Abs(sum-(30*4+15*3+30*2+30)/460.) > 1e-12 {
			t.Errorf("%v: all sectors are %.4f of memory", tt.target, sum)
		}
	}
	zeros := of(10, 0, 0, 0, 0)
	if zeros.Optimistic() != 0 || (&Histogram{}).Overflow(X4) != 0 {
		t.Error("an allocation without contents has a ratio")
	}
	if got := Stored(10, true); got != 0 {
		t.Error(got)
	}
}

// TestMeasure compares with one entry after the other.
func TestMeasure(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 128*33+77)
	for i := range data {
		if i%512 < 200 {
			data[i] = byte(r.IntN(3))
		}
	}
	data[128*32+130]++ // the last entry is none of zeros
	var got, want Histogram
	got.Measure(data)
	for len(data) > 0 {
		var e [bpc.Entry]byte
		data = data[copy(e[:], data):]
		want.Add(bpc.Bits(&e), e == [bpc.Entry]byte{}, 1)
	}
	if got != want || got.Entries != 34 || got.Zero == 0 {
		t.Errorf("%+v, want %+v", got, want)
	}
	twice := got
	twice.Merge(&got)
	if twice.Entries != 68 || twice.Bits != 2*got.Bits || twice.Sectors[4] != 2*got.Sectors[4] || twice.Classes[7] != 2*got.Classes[7] {
		t.Errorf("%+v", twice)
	}
	// An entry whose code is as short as that of zeros, and that is none.
	var five [128]byte
	for i := 0; i < 128; i += 4 {
		binary.LittleEndian.PutUint32(five[i:], 5)
	}
	var h Histogram
	h.Measure(five[:])
	if h.Zero != 0 || h.Tiny != 1 {
		t.Errorf("%+v", h)
	}
}

func allocation(name string, entries int64, snapshots ...Histogram) Allocation {
	return Allocation{Name: name, Bytes: unit.Bytes(entries * EntryBytes), Snapshots: snapshots}
}

func TestChoose(t *testing.T) {
	p := Published()
	for _, tt := range []struct {
		what      string
		snapshots []Histogram
		want      Target
	}{
		{"dense", []Histogram{of(0, 0, 0, 0, 100)}, X1},
		{"zeros", []Histogram{of(100, 0, 0, 0, 0)}, X16},
		{"99 % zeros", []Histogram{of(99, 0, 0, 0, 1)}, X16},
		{"98 % zeros", []Histogram{of(98, 0, 0, 0, 2)}, X4},
		{"zeros that fill", []Histogram{of(100, 0, 0, 0, 0), of(50, 50, 0, 0, 0)}, X4},
		{"at the threshold", []Histogram{of(70, 0, 0, 0, 30)}, X4},
		{"one above it", []Histogram{of(69, 0, 0, 0, 31)}, X1},
		{"two sectors", []Histogram{of(40, 0, 46, 0, 14)}, X2},
		{"three", []Histogram{of(0, 0, 0, 70, 30)}, X133},
		{"the worst snapshot counts", []Histogram{of(100, 0, 0, 0, 0), of(0, 0, 100, 0, 0)}, X2},
	} {
		if got := p.Choose([]Allocation{allocation("a", 100, tt.snapshots...)}); got[0] != tt.want && tt.want != X16 {
			t.Errorf("%s: %v, want %v", tt.what, got[0], tt.want)
		}
		// Among others, so that the program's ratio leaves room for 16x.
		list := []Allocation{allocation("dense", 1000, of(0, 0, 0, 0, 1)), allocation("a", 100, tt.snapshots...)}
		if got := p.Choose(list); got[1] != tt.want || got[0] != X1 {
			t.Errorf("%s: %v, want %v", tt.what, got, tt.want)
		}
	}
}

// TestBoundary puts exactly as many entries over every slot as may be there, and one
// more, for every threshold in thousandths: with the first the target is taken.
func TestBoundary(t *testing.T) {
	for thousandths := range int64(1000) {
		limit := float64(thousandths) / 1000
		for at := X4; at > X1; at-- {
			// Entries that just overflow its slot, and entries that just fit.
			fits := int(at.Slot() / SectorBytes)
			for more := range int64(2) {
				h := Histogram{Entries: 1000}
				h.Sectors[fits+1], h.Sectors[fits] = thousandths+more, 1000-thousandths-more
				list := []Allocation{allocation("a", 700, h), allocation("b", 300, h)}
				each, whole := Policy{Threshold: limit}, Policy{Whole: true, Naive: limit}
				want := at - Target(more)
				if got := each.Choose(list); got[0] != want || got[1] != want {
					t.Fatalf("threshold %d, %d over %v: %v, want %v", thousandths, thousandths+more, at, got, want)
				}
				if got := whole.Choose(list); got[0] != want {
					t.Fatalf("naive %d, %d over %v: %v, want %v", thousandths, thousandths+more, at, got, want)
				}
			}
		}
	}
}

// TestOne counts what a request for one sector moves.
func TestOne(t *testing.T) {
	h := of(10, 20, 30, 15, 25)
	h.Add(64, false, 5) // 8 bytes, which are one sector
	const entries, sectors = 105, 4
	for _, tt := range []struct {
		target        Target
		local, remote float64 // sectors of all entries together
	}{
		{X1, 5 + 20 + 60 + 45 + 25, 0},
		{X133, 5 + 20 + 60 + 45 + 25*.75, 25 * .25},
		{X2, 5 + 20 + 60 + 30 + 25*.5, 15 + 25*.5},
		{X4, 5 + 20 + 30 + 15 + 25*.25, 30 + 30 + 25*.75},
		{X16, 5, 20 + 60 + 45 + 25},
	} {
		local, remote := h.One(tt.target)
		if local, remote = local*entries*sectors, remote*entries*sectors; math.Abs(local-tt.local) > 1e-9 || math.Abs(remote-tt.remote) > 1e-9 {
			t.Errorf("%v: %.3f and %.3f sectors, want %.3f and %.3f", tt.target, local, remote, tt.local, tt.remote)
		}
	}
	if local, remote := (&Histogram{}).One(X2); local != 0 || remote != 0 {
		t.Error("an allocation without contents moves something")
	}
}

// TestCarveOut gives 16x to the largest, until the program's ratio is 4.
func TestCarveOut(t *testing.T) {
	p := Published()
	zeros, dense := of(1, 0, 0, 0, 0), of(0, 0, 0, 0, 1)
	list := []Allocation{allocation("small", 100, zeros), allocation("large", 800, zeros), allocation("dense", 200, dense)}
	got := p.Choose(list)
	// 1100 entries in 100/4 + 800/16 + 200 are exactly four times as many.
	if c := Sum(list, got); fmt.Sprint(got) != "[4x 16x 1x]" || c.Ratio() != 4 {
		t.Errorf("%v: ratio %.2f", got, c.Ratio())
	}
	p.MaxRatio = 5
	if got := p.Choose(list); fmt.Sprint(got) != "[16x 16x 1x]" {
		t.Error(got)
	}
	p.Special = false
	if got := p.Choose(list); fmt.Sprint(got) != "[4x 4x 1x]" {
		t.Error(got)
	}
}

func TestWhole(t *testing.T) {
	p := Published()
	p.Whole, p.Naive = true, 0.5
	list := []Allocation{allocation("dense", 50, of(0, 0, 0, 0, 1)), allocation("zeros", 50, of(1, 0, 0, 0, 0))}
	if got := p.Choose(list); fmt.Sprint(got) != "[4x 4x]" { // half of the entries overflow, and half may
		t.Error(got)
	}
	p.Naive = 0.49
	if got := p.Choose(list); fmt.Sprint(got) != "[1x 1x]" {
		t.Error(got)
	}
}

func TestSum(t *testing.T) {
	list := []Allocation{allocation("a", 100, of(1, 0, 0, 0, 0)), {Name: "b", Bytes: 129, Snapshots: []Histogram{of(0, 0, 0, 0, 1)}}}
	got := Sum(list, []Target{X2, X16})
	if want := (Capacity{Bytes: 102 * 128, Device: 100*64 + 2*8, Buddy: 100*64 + 2*128, Metadata: 51}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if c := Sum(list, []Target{X1, X1}); c.Buddy != 0 || c.Metadata != 51 || c.Ratio() != 1 {
		t.Errorf("%+v", c)
	}
	if s := Target(9).String(); s != "target(9)" {
		t.Error(s)
	}
}

// TestLaws checks what holds for all contents: a larger threshold never makes a
// target smaller, and a larger target never makes fewer entries overflow.
func TestLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		var snapshots []Histogram
		for range 1 + r.IntN(3) {
			snapshots = append(snapshots, of(r.Int64N(50), r.Int64N(50), r.Int64N(50), r.Int64N(50), 1+r.Int64N(50)))
		}
		a := []Allocation{allocation("a", 1000, snapshots...)}
		before := X1
		for _, threshold := range []float64{0, 0.1, 0.2, 0.3, 0.4, 0.8, 1} {
			p := Policy{Threshold: threshold, MaxRatio: 4}
			got := p.Choose(a)[0]
			if got < before || a[0].Worst(got) > threshold {
				t.Fatalf("threshold %g: %v after %v, %.3f overflow", threshold, got, before, a[0].Worst(got))
			}
			before = got
		}
		for i := range snapshots {
			var shares []float64
			for target := X1; target <= X4; target++ {
				shares = append(shares, snapshots[i].Overflow(target))
			}
			if !slices.IsSorted(shares) {
				t.Fatal(shares)
			}
		}
	}
}
