package published

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// keys returns keys that sort by the given numbers, the least first.
func keys(numbers ...int) []Key {
	a := make([]Key, len(numbers))
	for i, n := range numbers {
		a[i] = Key{-float64(n), int32(i)}
	}
	return a
}

func indices(a []Key) []int {
	n := make([]int, len(a))
	for i := range a {
		n[i] = int(a[i].Index)
	}
	return n
}

func TestSortOrdersTies(t *testing.T) {
	equal := make([]int, 20)
	tests := []struct {
		name string
		keys []int
		want []int // indices in order, worked out by hand from the algorithm
	}{
		{"empty", nil, []int{}},
		{"one", []int{3}, []int{0}},
		{"short ranges are stable", []int{2, 1, 2, 1, 2, 1}, []int{1, 3, 5, 0, 2, 4}},
		{"16 equal keep their order", equal[:16], []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
		// The middle of 17 becomes the pivot at the front, all others swap
		// pairwise around it: 1 with 16, 2 with 15, and so on.
		{"17 equal do not", equal[:17], []int{8, 16, 15, 14, 13, 12, 11, 10, 9, 0, 7, 6, 5, 4, 3, 2, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := keys(tt.keys...)
			Sort(a, nil)
			if got := indices(a); !slices.Equal(got, tt.want) {
				t.Errorf("Sort(%v) = %v, want %v", tt.keys, got, tt.want)
			}
		})
	}
}

// TestSortSorts covers the partition, the insertion and the heap path.
func TestSortSorts(t *testing.T) {
	const seed = 7
	rnd := rand.New(rand.NewPCG(seed, 0))
	shapes := map[string]func(n int) []int{
		"random":    func(n int) []int { return rnd.Perm(n) },
		"ascending": func(n int) []int { a := rnd.Perm(n); slices.Sort(a); return a },
		"falling":   func(n int) []int { a := rnd.Perm(n); slices.Sort(a); slices.Reverse(a); return a },
		"many ties": func(n int) []int {
			a := make([]int, n)
			for i := range a {
				a[i] = rnd.IntN(3)
			}
			return a
		},
	}
	for name, shape := range shapes {
		for n := range 200 {
			a := keys(shape(n)...)
			b := slices.Clone(a)
			Sort(b, nil)
			if !slices.IsSortedFunc(b, func(x, y Key) int { return cmp.Compare(y.Value, x.Value) }) {
				t.Fatalf("%s, %d elements, seed %d: %v is not sorted", name, n, seed, b)
			}
			got := indices(b)
			slices.Sort(got)
			if !slices.Equal(got, indices(a)) {
				t.Fatalf("%s, %d elements, seed %d: elements were lost", name, n, seed)
			}
		}
	}
}

// drawn returns n keys for numbers below distinct from the default generator.
func drawn(n int, distinct uint32) []Key {
	rnd := NewTwister(DefaultSeed)
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = int(rnd.Uint32() % distinct)
	}
	return keys(numbers...)
}

// hash is FNV-1a over little-endian 32-bit words.
func hash(values []int) uint64 {
	h := fnv.New64a()
	for _, v := range values {
		var b [4]byte
		binary.LittleEndian.PutUint32(b[:], uint32(v))
		h.Write(b[:])
	}
	return h.Sum64()
}

// TestSortAgrees compares the resulting order, ties included, with std::sort of
// libstdc++ (GCC 12.2) on the same input.
func TestSortAgrees(t *testing.T) {
	tests := []struct {
		n        int
		distinct uint32
		want     uint64
	}{
		{5, 1, 0xeb29754b740c25f1},
		{5, 2, 0x6e29244955df7d41},
		{5, 7, 0x57facf315ee9c561},
		{16, 1, 0x2135120b48416d25},
		{16, 2, 0xeae513e62a2e89c5},
		{16, 1000000, 0x697ecd1832f29565},
		{17, 1, 0xc7cce00022fb5a65},
		{17, 2, 0x7cc637ee40e4e815},
		{17, 7, 0x8beaa9231c824395},
		{18, 1, 0x9ab493e24e8ff844},
		{40, 2, 0x9fdd1207d4ec0855},
		{40, 7, 0x4335b0042cdc03a5},
		{100, 1, 0xfb3f3859d5972ce5},
		{100, 2, 0x61a9966782234205},
		{100, 7, 0xd08d2ded4428a8c5},
		{100, 1000000, 0xc73f0f777587b9d5},
		{1000, 1, 0x968cc0ae32695275},
		{1000, 2, 0x81810ef3137b1ee9},
		{1000, 7, 0xf7cde65516387bf9},
		{1000, 1000000, 0x9a5669734d6069c9},
		{5000, 1, 0xf316c23bd29ba5cd},
		{5000, 2, 0x56d0deb87628e58d},
		{5000, 7, 0xf23dddc42c32f839},
		{5000, 1000000, 0xbe84ab37e5d70045},
	}
	for _, tt := range tests {
		a := drawn(tt.n, tt.distinct)
		Sort(a, nil)
		if got := hash(indices(a)); got != tt.want {
			t.Errorf("%d elements, %d distinct: order hashes to %#x, want %#x", tt.n, tt.distinct, got, tt.want)
		}
	}
}

// TestHeapSortAgrees does the same for std::make_heap and std::sort_heap.
func TestHeapSortAgrees(t *testing.T) {
	tests := []struct {
		n        int
		distinct uint32
		want     uint64
	}{
		{2, 1, 0x08cd4c29d1e47d34},
		{2, 3, 0x89cd31291d2aefa4},
		{2, 1000000, 0x08cd4c29d1e47d34},
		{3, 1, 0x756241e1be8c9396},
		{3, 3, 0x9f19854a6eada506},
		{3, 1000000, 0xf26292e3dcb93c46},
		{17, 1, 0x54bc204464205e85},
		{17, 3, 0x32e16d88b498cd35},
		{17, 1000000, 0xc8fca05d2a368465},
		{100, 1, 0xabde9a835814f055},
		{100, 3, 0x5e700b80dc6fe515},
		{100, 1000000, 0xc73f0f777587b9d5},
		{1001, 1, 0x03bba4d594fc5224},
		{1001, 3, 0x8496c4021277c3d4},
		{1001, 1000000, 0xd2af93665e77dcc0},
	}
	for _, tt := range tests {
		a := drawn(tt.n, tt.distinct)
		order{}.heapSort(a)
		if got := hash(indices(a)); got != tt.want {
			t.Errorf("%d elements, %d distinct: order hashes to %#x, want %#x", tt.n, tt.distinct, got, tt.want)
		}
	}
}

// killer makes std::sort of libstdc++ compare 1742 times: McIlroy's adversary (A
// Killer Adversary for Quicksort, 1999) chose the numbers while they were
// compared, so that every pivot is bad and the depth limit is used up.
var killer = []int{
	93, 1, 71, 3, 85, 5, 69, 7, 100, 9, 67, 11, 83, 13, 65, 15, 91, 17, 63, 19, 81, 21, 24, 23, 98,
	96, 94, 92, 90, 88, 86, 84, 82, 80, 78, 76, 74, 72, 70, 68, 66, 64, 95, 79, 89, 77, 97, 75, 87, 73,
	0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 62, 59, 60, 57, 58, 55, 56, 53, 54, 51, 52, 49, 50,
	47, 48, 45, 46, 43, 44, 41, 42, 39, 40, 37, 38, 35, 36, 33, 34, 31, 32, 29, 30, 27, 28, 25, 26, 61,
}

// TestSortReachesHeap compares with std::sort (GCC 12.2) on the killer's numbers
// halved, so that pairs are equal.
func TestSortReachesHeap(t *testing.T) {
	halves := slices.Clone(killer)
	for i := range halves {
		halves[i] /= 2
	}
	a := keys(halves...)
	Sort(a, nil)
	if got, want := hash(indices(a)), uint64(0x7567e176ba017125); got != want {
		t.Errorf("order hashes to %#x, want %#x", got, want)
	}
}

// TestSortAlmostEqual compares with std::sort (GCC 12.2) where values are 0.4
// millionths apart and ties decide, which is no order: a and b may be equal, b
// and c too, but not a and c.
func TestSortAlmostEqual(t *testing.T) {
	tests := []struct {
		n        int
		distinct uint32
		want     uint64
	}{
		{40, 3, 0xc282f4aff98cb915},
		{40, 50, 0x2512b385caf90255},
		{100, 3, 0xc008de2dfee91335},
		{100, 50, 0xca681490edf232b5},
		{1000, 3, 0x8dcd3ec2d307491},
		{1000, 50, 0xcad832c2f3622095},
		{3000, 3, 0x764b00e60ae25121},
		{3000, 50, 0xfe2a140fcf62ed75},
	}
	for _, tt := range tests {
		rnd := NewTwister(DefaultSeed)
		a, ties := make([]Key, tt.n), make([]float64, tt.n)
		for i := range a {
			a[i] = Key{float64(rnd.Uint32()%tt.distinct) * 0.4e-6, int32(i)}
			ties[i] = float64(rnd.Uint32() % 5)
		}
		Sort(a, ties)
		if got := hash(indices(a)); got != tt.want {
			t.Errorf("%d elements, %d distinct: order hashes to %#x, want %#x", tt.n, tt.distinct, got, tt.want)
		}
	}
}

// TestSortSurvivesNonsense sorts values that compare in circles, or not at all.
func TestSortSurvivesNonsense(t *testing.T) {
	for n := range 100 {
		for name, value := range map[string]func(i int) float64{
			"no numbers": func(int) float64 { return math.NaN() },
			"some":       func(i int) float64 { return []float64{math.NaN(), 1, math.Inf(1)}[i%3] },
			"circle":     func(i int) float64 { return float64(i%7) * 0.9e-6 },
		} {
			a, ties := make([]Key, n), make([]float64, n)
			for k, i := range rand.New(rand.NewPCG(uint64(n), 1)).Perm(n) {
				a[k], ties[i] = Key{value(i), int32(i)}, float64(i%5)
			}
			Sort(a, ties)
			got := indices(a)
			slices.Sort(got)
			for i := range got {
				if got[i] != i {
					t.Fatalf("%s, %d elements: elements were lost", name, n)
				}
			}
		}
	}
}

func BenchmarkSort(b *testing.B) {
	for _, n := range []int{100, 3000} {
		b.Run(fmt.Sprintf("elements=%d", n), func(b *testing.B) {
			a, c := drawn(n, uint32(n/2)), make([]Key, n)
			for b.Loop() {
				copy(c, a)
				Sort(c, nil)
			}
		})
	}
}
