package published

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"
)

// An item has a key to sort by and a name to tell equal keys apart.
type item struct {
	key  int
	name int
}

func byKey(x, y item) bool { return x.key < y.key }

func named(keys ...int) []item {
	a := make([]item, len(keys))
	for i, k := range keys {
		a[i] = item{k, i}
	}
	return a
}

func names(a []item) []int {
	n := make([]int, len(a))
	for i := range a {
		n[i] = a[i].name
	}
	return n
}

func TestSortOrdersTies(t *testing.T) {
	equal := make([]int, 20)
	tests := []struct {
		name string
		keys []int
		want []int // names in order, worked out by hand from the algorithm
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
			a := named(tt.keys...)
			Sort(a, byKey)
			if got := names(a); !slices.Equal(got, tt.want) {
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
			a := named(shape(n)...)
			b := slices.Clone(a)
			Sort(b, byKey)
			if !slices.IsSortedFunc(b, func(x, y item) int { return x.key - y.key }) {
				t.Fatalf("%s, %d elements, seed %d: %v is not sorted", name, n, seed, b)
			}
			got := names(b)
			slices.Sort(got)
			if !slices.Equal(got, names(a)) {
				t.Fatalf("%s, %d elements, seed %d: elements were lost", name, n, seed)
			}
		}
	}
}

// drawn returns n items with keys below distinct from the default generator.
func drawn(n int, distinct uint32) []item {
	rnd := NewTwister(DefaultSeed)
	a := make([]item, n)
	for i := range a {
		a[i] = item{int(rnd.Uint32() % distinct), i}
	}
	return a
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
		Sort(a, byKey)
		if got := hash(names(a)); got != tt.want {
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
		heapSort(a, byKey)
		if got := hash(names(a)); got != tt.want {
			t.Errorf("%d elements, %d distinct: order hashes to %#x, want %#x", tt.n, tt.distinct, got, tt.want)
		}
	}
}

// TestSortReachesHeap lets McIlroy's adversary (A Killer Adversary for
// Quicksort, 1999) choose the values while they are compared, so that every
// pivot is bad and the depth limit is used up. The values it chooses depend on
// every comparison made; the hashes are those it chose for std::sort of
// libstdc++ (GCC 12.2).
func TestSortReachesHeap(t *testing.T) {
	for n, want := range map[int]struct {
		hash     uint64
		compared int
	}{100: {0x6764b4ef316ef832, 1742}, 1000: {0x04ae4fad2d95c612, 29023}} {
		value := adversary(n)
		if got := hash(value); got != want.hash {
			t.Errorf("%d elements: the adversary chose values that hash to %#x, want %#x", n, got, want.hash)
		}
		compared := 0
		a := named(value...)
		Sort(a, func(x, y item) bool { compared++; return x.key < y.key })
		if compared != want.compared {
			t.Errorf("%d elements: %d comparisons, want %d", n, compared, want.compared)
		}
	}
}

// adversary returns n values on which Sort is as slow as it gets.
func adversary(n int) []int {
	gas, solid, candidate := n, 0, 0
	value, a := make([]int, n), make([]int, n)
	for i := range n {
		value[i], a[i] = gas, i
	}
	Sort(a, func(x, y int) bool {
		if value[x] == gas && value[y] == gas {
			if x == candidate {
				value[x] = solid
			} else {
				value[y] = solid
			}
			solid++
		}
		switch gas {
		case value[x]:
			candidate = x
		case value[y]:
			candidate = y
		}
		return value[x] < value[y]
	})
	return value
}

// TestSortSurvivesNonsense feeds comparators that are no order at all.
func TestSortSurvivesNonsense(t *testing.T) {
	for n := range 100 {
		for name, less := range map[string]func(x, y int) bool{
			"always": func(int, int) bool { return true },
			"never":  func(int, int) bool { return false },
			"circle": func(x, y int) bool { return (y-x+n)%max(n, 1) < n/2 },
		} {
			a := rand.New(rand.NewPCG(uint64(n), 1)).Perm(n)
			Sort(a, less)
			slices.Sort(a)
			for i := range a {
				if a[i] != i {
					t.Fatalf("%s, %d elements: elements were lost", name, n)
				}
			}
		}
	}
}

func BenchmarkSort(b *testing.B) {
	for _, n := range []int{100, 3000} {
		b.Run(fmt.Sprintf("elements=%d", n), func(b *testing.B) {
			a, c := drawn(n, uint32(n/2)), make([]item, n)
			for b.Loop() {
				copy(c, a)
				Sort(c, byKey)
			}
		})
	}
}
