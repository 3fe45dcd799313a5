package worker

import (
	"bytes"
	"io"
	"math/rand/v2"
	"syscall/js"
	"testing"
)

// blobs makes files of these bytes, and readers of them as worker.js has them. They
// count the arrays that they fill.
func blobs(t *testing.T, list ...[]byte) []*stream {
	t.Helper()
	js.Global().Call("eval", `
		globalThis.filled = new Set();
		globalThis.readSlice = (file, from, to, into) => {
			filled.add(into);
			const bytes = file.subarray(from, to);
			into.set(bytes);
			return bytes.length;
		};
		globalThis.readPieces = (file, places, size, into) => {
			filled.add(into);
			places.forEach((from, i) => into.set(file.subarray(from, from + size), i * size));
			return places.length * size;
		};`)
	held, holder = js.Undefined(), nil
	var out []*stream
	for _, data := range list {
		blob := js.Global().Get("Uint8Array").New(len(data))
		js.CopyBytesToJS(blob, data)
		out = append(out, &stream{name: "a", blob: blob, size: int64(len(data))})
	}
	return out
}

// However many streams are read in turns, one slice is held, and each gets its bytes.
func TestTurns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var list [][]byte
	for range 5 {
		data := make([]byte, 3*slice+77)
		for i := 0; i < len(data); i += 1 + r.IntN(9) {
			data[i] = byte(r.Uint32())
		}
		list = append(list, data)
	}
	streams := blobs(t, list...)
	read := make([][]byte, len(list))
	for ended := 1; ended < len(list); {
		i := r.IntN(len(list))
		p := make([]byte, 1+r.IntN(700_000))
		if i == 0 { // one is read in any place, and in pieces
			at := r.Int64N(int64(len(list[0]) - len(p)))
			if n, err := streams[0].ReadAt(p, at); n != len(p) || err != nil || !bytes.Equal(p, list[0][at:][:n]) {
				t.Fatalf("%d bytes at %d: %d, %v", len(p), at, n, err)
			}
			places := []int64{at, at / 2}
			if err := streams[0].Gather(p[:200], places); err != nil || !bytes.Equal(p[:100], list[0][at:][:100]) || !bytes.Equal(p[100:200], list[0][at/2:][:100]) {
				t.Fatal(err)
			}
			continue
		}
		n, err := streams[i].Read(p)
		read[i] = append(read[i], p[:n]...)
		if err == io.EOF && streams[i].size > 0 {
			ended++
			streams[i].size = 0 // not again
		}
	}
	for i := 1; i < len(list); i++ {
		if !bytes.Equal(read[i], list[i]) {
			t.Errorf("stream %d: %d bytes of %d, or others", i, len(read[i]), len(list[i]))
		}
	}
	if n := js.Global().Get("filled").Get("size").Int(); n != 1 {
		t.Errorf("%d slices are held", n)
	}
}

// A stream that is closed lets its slice go, and no other's.
func TestClose(t *testing.T) {
	s := blobs(t, []byte("first"), []byte("second"))
	p := make([]byte, 3)
	if _, err := s[0].Read(p); err != nil || string(p) != "fir" {
		t.Fatal(err, string(p))
	}
	if _, err := s[1].Read(p); err != nil || string(p) != "sec" {
		t.Fatal(err, string(p))
	}
	if s[0].Close(); held.IsUndefined() {
		t.Error("the slice of another is gone")
	}
	rest, err := io.ReadAll(s[1])
	if err != nil || string(rest) != "ond" {
		t.Error(err, string(rest))
	}
	if s[1].Close(); !held.IsUndefined() || holder != nil {
		t.Error("the slice is still there")
	}
}
