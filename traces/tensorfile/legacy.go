package tensorfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"

	"spillway/sim/unit"
	"spillway/traces/pickle"
)

// A checkpoint of PyTorch before 1.6, and of torch.save without the zip format since, is five pickles
// one behind the other: a magic number, a version, sizes of types, the objects, and the storages'
// numbers in order. The storages' bytes follow, each behind how many elements it has.
//
// Source of the format: _legacy_save in torch/serialization.py of PyTorch 2.

// legacyBegins is how such a file begins: the pickle of its magic number.
const legacyBegins = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e"

// legacyVersion is the only one that there was.
const legacyVersion = 1001

// openLegacy finds the storages of such a checkpoint, and names them.
func openLegacy(r io.ReaderAt, size int64) (*File, error) {
	f := &File{Format: "PyTorch checkpoint"}
	at := int64(len(legacyBegins))
	next := func() (*pickle.Doc, error) {
		doc, err := pickle.DecodeInert(io.NewSectionReader(r, at, min(maxPickle, size-at)), maxParsed)
		if err != nil {
			return nil, fmt.Errorf("the pickle at byte %d: %w", at, err)
		}
		if doc.Rest < 0 {
			doc.Rest = size - at
		}
		at += doc.Rest
		return doc, nil
	}
	version, err := next()
	if err != nil {
		return nil, err
	}
	if n, ok := version.Int(version.Root); !ok || n != legacyVersion {
		return nil, fmt.Errorf("byte %d: its version is not %d; save it again with torch.save", len(legacyBegins), legacyVersion)
	}
	if _, err := next(); err != nil { // in which byte order it was written: torch.save writes one alone
		return nil, err
	}
	objects, err := next()
	if err != nil {
		return nil, err
	}
	keys, err := next()
	if err != nil {
		return nil, err
	}
	list, err := viewsOf(objects)
	if err != nil {
		return nil, err
	}
	storages, err := f.stored(r, at, size, keys, list)
	if err != nil {
		return nil, err
	}
	if err := f.check(list, storages); err != nil {
		return nil, err
	}
	f.name(list, storages)
	return f, nil
}

// stored finds the storages that lie from byte at on, in the order of their numbers.
func (f *File) stored(r io.ReaderAt, at, size int64, keys *pickle.Doc, list []view) (map[string]int, error) {
	widths := map[string]int64{} // of storages' elements, by number
	for i := range list {
		widths[list[i].key] = list[i].width
	}
	storages := map[string]int{}
	walk := keys.Walk(maxVisits)
	for k := range walk.Items(keys.Root) {
		key := keys.Text(k)
		if keys.Kind(k) != pickle.Text || len(storages) == MaxTensors {
			return nil, fmt.Errorf("the list of storages is no list of at most %d names", MaxTensors)
		}
		if _, twice := storages[key]; twice {
			return nil, fmt.Errorf("storage %s is there twice", quote(key))
		}
		var head [8]byte
		if _, err := r.ReadAt(head[:], at); err != nil {
			return nil, fmt.Errorf("byte %d: the file ends before storage %s, so it is cut off: download it again", at, quote(key))
		}
		count, width := binary.LittleEndian.Uint64(head[:]), widths[key]
		hi, n := bits.Mul64(count, uint64(width))
		switch {
		case width == 0:
			return nil, fmt.Errorf("byte %d: no tensor says how large the elements of storage %s are", at, quote(key))
		case hi != 0 || n > uint64(size-at-8):
			return nil, fmt.Errorf("byte %d: storage %s has %d elements of %d bytes, but %d bytes are left, so the file is cut off: download it again", at, quote(key), count, width, size-at-8)
		}
		storages[key] = -1
		if n > 0 {
			storages[key] = len(f.Tensors)
			f.Tensors = append(f.Tensors, Tensor{Name: "storage " + printable(key), Offset: at + 8, Bytes: unit.Bytes(n)})
		}
		at += 8 + int64(n)
	}
	if walk.Exhausted() || len(f.Tensors) == 0 {
		return nil, errors.New("the checkpoint holds no tensor")
	}
	if at < size {
		f.note("%d bytes behind the last storage belong to nothing.", size-at)
	}
	return storages, nil
}

// IsLegacy reports whether a file begins as a checkpoint of PyTorch before 1.6.
func IsLegacy(head []byte) bool { return strings.HasPrefix(string(head), legacyBegins) }
