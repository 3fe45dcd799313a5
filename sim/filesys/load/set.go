package load

import (
	"fmt"
	"math/bits"

	"spillway/sim/filesys/call"
)

// A bitset is a set of numbers in which the next one from anywhere is found fast: a bit
// for each, and a bit for each word that is not empty.
type bitset struct {
	words, full []uint64
}

func newBitset(n int) bitset {
	words := (n + 63) / 64
	return bitset{make([]uint64, words), make([]uint64, (words+63)/64)}
}

func (b *bitset) clone() bitset {
	return bitset{append([]uint64(nil), b.words...), append([]uint64(nil), b.full...)}
}

func (b *bitset) has(i int32) bool { return b.words[i>>6]>>(i&63)&1 != 0 }

// without returns those of n numbers that are not in b.
func (b *bitset) without(n int) bitset {
	r := newBitset(n)
	for i := range int32(n) {
		if !b.has(i) {
			r.add(i)
		}
	}
	return r
}

func (b *bitset) add(i int32) {
	w := i >> 6
	b.words[w] |= 1 << (i & 63)
	b.full[w>>6] |= 1 << (w & 63)
}

func (b *bitset) drop(i int32) {
	w := i >> 6
	if b.words[w] &^= 1 << (i & 63); b.words[w] == 0 {
		b.full[w>>6] &^= 1 << (w & 63)
	}
}

// from returns the first member at i or behind it, then the first of all; -1 if there is
// none.
func (b *bitset) from(i int32) int32 {
	w := int(i >> 6)
	if w < len(b.words) {
		if m := b.words[w] >> (i & 63); m != 0 {
			return i + int32(bits.TrailingZeros64(m))
		}
		if n := b.word(w + 1); n >= 0 {
			return n
		}
	}
	return b.word(0)
}

// word returns the first member in word w or behind it, -1 if there is none.
func (b *bitset) word(w int) int32 {
	skip := w & 63
	for i := w >> 6; i < len(b.full); i++ {
		if m := b.full[i] >> skip << skip; m != 0 {
			w = i<<6 + bits.TrailingZeros64(m)
			return int32(w<<6 + bits.TrailingZeros64(b.words[w]))
		}
		skip = 0
	}
	return -1
}

// A set is Filebench's set of files (or of directories): a tree of directories whose
// leaves hold the entries, and which entries exist before.
type set struct {
	nodes  []call.Node // that exist before
	most   int32
	node   []int32 // of entries
	dir    []int32
	whole  []int64 // the size that an entry is written whole with
	exists bitset
	absent bitset
	dirs   bool // entries are directories
	// bare: those that exist are made first, so that none does yet; planted are they.
	bare    bool
	planted bitset
}

// maxNodes bounds how many files and directories there are in all.
const maxNodes = 1 << 24

// plant makes the set of a recipe with n entries: directories of so many entries each, in
// as many levels as that takes below the set's own directory. dirs: entries are
// directories. Of every directory's entries the share that exists before is drawn.
func plant(r *Recipe, n int64, dirs bool, seed int64) (*set, error) {
	levels := []int64{(n + r.Width - 1) / r.Width} // directories, from the leaves up
	sum := levels[0]
	for levels[len(levels)-1] > 1 {
		up := (levels[len(levels)-1] + r.Width - 1) / r.Width
		levels = append(levels, up)
		sum += up
	}
	if sum+n+2 > maxNodes {
		return nil, fmt.Errorf("%d files and directories are more than %d: raise scale, or lower files", sum+n, maxNodes)
	}
	s := &set{dirs: dirs, node: make([]int32, n), dir: make([]int32, n), whole: make([]int64, n), exists: newBitset(int(n)), absent: newBitset(int(n))}
	s.nodes = append(make([]call.Node, 0, sum+n*r.Preallocated/100+2), call.Node{Parent: -1, Dir: true})
	above := int32(0) // the first directory of the level above
	for l := len(levels) - 1; l >= 0; l-- {
		first := int32(len(s.nodes))
		for i := range levels[l] {
			parent := int32(0)
			if l < len(levels)-1 {
				parent = above + int32(i/r.Width)
			}
			s.nodes = append(s.nodes, call.Node{Parent: parent, Dir: true})
		}
		above = first
	}
	rnd := seeded(seed, 0)
	wanted, before := int64(0), int64(0)
	for i := int64(0); i < n; {
		end := min(i+r.Width, n)
		wanted = end * r.Preallocated / 100
		need := wanted - before
		before = wanted
		for d := above + int32(i/r.Width); i < end; i++ {
			size := int64(r.FileSize)
			if r.Gamma != 0 {
				size = max(rnd.gamma(size), 1)
			}
			if dirs {
				size = 0
			}
			s.dir[i], s.whole[i], s.node[i] = d, size, -1
			if rnd.below(end-i) < need {
				need--
				s.node[i] = int32(len(s.nodes))
				s.nodes = append(s.nodes, call.Node{Parent: d, Dir: dirs, Size: size})
				s.exists.add(int32(i))
			} else {
				s.absent.add(int32(i))
			}
		}
	}
	s.most = int32(len(s.nodes))
	for i := range s.node {
		if s.node[i] < 0 {
			s.node[i] = s.most
			s.most++
		}
	}
	return s, nil
}

// bares takes back that entries exist: they keep their nodes, which are to be made.
func (s *set) bares() {
	kept := len(s.nodes)
	for i := range s.node {
		if s.exists.has(int32(i)) {
			kept = min(kept, int(s.node[i]))
		}
	}
	s.nodes = s.nodes[:kept]
	s.bare, s.planted = true, s.exists
	s.exists, s.absent = newBitset(len(s.node)), newBitset(len(s.node))
	for i := range s.node {
		s.absent.add(int32(i))
	}
}
