package offload

import "math/bits"

// far keeps the tensors that may be evicted by the kernel that uses them next. Each operation
// takes constant time, but for last, which looks at one word in 64, and one in 4096, on its way.
type far struct {
	heads []int32 // by kernel, -1: none
	// words and above say which kernels have tensors: a bit of words for each kernel, a bit of
	// above for each word.
	words, above []uint64
}

func newFar(kernels int) far {
	f := far{heads: make([]int32, kernels), words: make([]uint64, kernels>>6+1)}
	f.above = make([]uint64, len(f.words)>>6+1)
	for i := range f.heads {
		f.heads[i] = -1
	}
	return f
}

// put adds a tensor that kernel k uses next.
func (f *far) put(all []tensor, t, k int32) {
	x := &all[t]
	x.key, x.prev, x.next = k, -1, f.heads[k]
	if x.next >= 0 {
		all[x.next].prev = t
	}
	f.heads[k] = t
	f.words[k>>6] |= 1 << (k & 63)
	f.above[k>>12] |= 1 << (k >> 6 & 63)
}

// take removes a tensor; nothing happens if it is not there.
func (f *far) take(all []tensor, t int32) {
	x := &all[t]
	k := x.key
	if k < 0 {
		return
	}
	x.key = -1
	if x.next >= 0 {
		all[x.next].prev = x.prev
	}
	if x.prev >= 0 {
		all[x.prev].next = x.next
		return
	}
	if f.heads[k] = x.next; x.next >= 0 {
		return
	}
	if f.words[k>>6] &^= 1 << (k & 63); f.words[k>>6] == 0 {
		f.above[k>>12] &^= 1 << (k >> 6 & 63)
	}
}

// last is the last kernel before k that uses a tensor next, -1 if there is none.
func (f *far) last(k int32) int32 {
	w := k >> 6
	if b := f.words[w] & (1<<(k&63) - 1); b != 0 {
		return w<<6 + int32(bits.Len64(b)) - 1
	}
	a := w >> 6
	if b := f.above[a] & (1<<(w&63) - 1); b != 0 {
		w = a<<6 + int32(bits.Len64(b)) - 1
		return w<<6 + int32(bits.Len64(f.words[w])) - 1
	}
	for a--; a >= 0; a-- {
		if b := f.above[a]; b != 0 {
			w = a<<6 + int32(bits.Len64(b)) - 1
			return w<<6 + int32(bits.Len64(f.words[w])) - 1
		}
	}
	return -1
}

// farthest is a tensor whose next use is the farthest from kernel k, which is about to run, -1 if
// all are used by k.
func (f *far) farthest(k int32) int32 {
	if l := f.last(k); l >= 0 {
		return f.heads[l]
	}
	if l := f.last(int32(len(f.heads))); l > k {
		return f.heads[l]
	}
	return -1
}
