package tensorfile

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"strings"

	"spillway/traces/pickle"
)

// A PyTorch checkpoint is a zip archive: data.pkl is a pickle of objects, whose
// tensors refer to storages by number, data/0, data/1, ... are the storages' bytes,
// and byteorder says in which order. The pickle names classes and calls; these are
// read as data (pickle.DecodeInert), never looked up or called.
//
// Source of the format: torch/serialization.py and torch/_utils.py of PyTorch 2.

// pickled is the member that names tensors.
const pickled = "data.pkl"

// Limits of the pickle.
const (
	maxPickle = 64 << 20 // bytes
	maxParsed = 96 << 20 // bytes that its values take
	maxVisits = 1 << 21  // values that are looked at
	maxViews  = 1 << 18  // tensors
	maxNames  = 32 << 20 // bytes of their names
)

// torch finds the storages of a checkpoint and names them.
func (f *File) torch(z *zip.Reader, pkl *zip.File, size int64) error {
	f.Format = "PyTorch checkpoint"
	folder := strings.TrimSuffix(pkl.Name, pickled)
	storages := map[string]int{}
	for _, m := range z.File {
		rest, ok := strings.CutPrefix(m.Name, folder)
		key, data := strings.CutPrefix(rest, "data/")
		if ok && rest == "byteorder" {
			if err := byteOrder(m); err != nil {
				return err
			}
		}
		if !ok || !data || key == "" || strings.Contains(key, "/") {
			continue
		}
		if _, ok := storages[key]; ok {
			return fmt.Errorf("%s is there twice", quote(m.Name))
		}
		if err := f.storage(m, size); err != nil {
			return fmt.Errorf("%s: %w", quote(m.Name), err)
		}
		storages[key] = -1 // without bytes
		if m.UncompressedSize64 > 0 {
			storages[key] = len(f.Tensors) - 1
		}
	}
	if len(f.Tensors) == 0 {
		return errors.New("the checkpoint holds no tensor")
	}
	views, err := views(pkl)
	if err == nil {
		err = f.check(views, storages)
	}
	if err != nil {
		f.note("Tensors have the numbers of their storages in place of names: %s: %v.", quote(pkl.Name), err)
		return nil
	}
	f.name(views, storages)
	return nil
}

// byteOrder refuses the order that no GPU has.
func byteOrder(m *zip.File) error {
	r, err := m.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", quote(m.Name), err)
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, 16))
	if err == nil && string(text) == "big" {
		err = errors.New("numbers have their highest byte first, as no GPU has; load it and save it again on a machine that has the lowest first")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", quote(m.Name), err)
	}
	return nil
}

// A view is a tensor of the pickle: a part of a storage.
type view struct {
	name, key  string
	kind       string // of its elements
	shape      []int64
	numel      int64 // elements that the storage has,
	width      int64 // each of so many bytes, 0 if unknown
	kindsWidth int64 // of those of the tensor
}

// views reads the tensors that a pickle describes.
func views(m *zip.File) ([]view, error) {
	if m.UncompressedSize64 > maxPickle {
		return nil, fmt.Errorf("it has %d bytes; at most %d are read", m.UncompressedSize64, maxPickle)
	}
	r, err := m.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	doc, err := pickle.DecodeInert(io.LimitReader(r, maxPickle), maxParsed)
	if err != nil {
		return nil, err
	}
	return viewsOf(doc)
}

// viewsOf are the tensors of a pickle that was read.
func viewsOf(doc *pickle.Doc) ([]view, error) {
	w := torchWalk{doc: doc, walk: doc.Walk(maxVisits)}
	w.value("", doc.Root)
	switch {
	case w.err != nil:
		return nil, w.err
	case w.walk.Exhausted():
		return nil, fmt.Errorf("it has more than %d values", maxVisits)
	}
	return w.views, nil
}

// A torchWalk looks for tensors in what a pickle says.
type torchWalk struct {
	doc   *pickle.Doc
	walk  *pickle.Walk
	views []view
	names int // bytes of them
	err   error
}

// value looks at a value that is reached under a name.
func (w *torchWalk) value(name string, v pickle.Value) {
	if len(name) > maxName && w.err == nil {
		w.err = fmt.Errorf("tensor %s: the name has %d bytes; at most %d are allowed", quote(name), len(name), maxName)
	}
	if w.err != nil {
		return
	}
	switch w.doc.Kind(v) {
	case pickle.Dict:
		for k, x := range w.walk.Pairs(v) {
			if w.holds(x) {
				w.value(join(name, w.key(k)), x)
			}
		}
	case pickle.List, pickle.Tuple:
		i := 0
		for x := range w.walk.Items(v) {
			if w.holds(x) {
				w.value(join(name, strconv.Itoa(i)), x)
			}
			i++
		}
	case pickle.Call:
		w.call(name, v)
	}
}

// holds reports whether a value can hold tensors.
func (w *torchWalk) holds(v pickle.Value) bool {
	switch w.doc.Kind(v) {
	case pickle.Dict, pickle.List, pickle.Tuple, pickle.Call:
		return true
	}
	return false
}

// key is what a dictionary's key adds to a name. Those in which modules keep their
// parts add nothing.
func (w *torchWalk) key(k pickle.Value) string {
	if n, ok := w.doc.Int(k); ok {
		return strconv.FormatInt(n, 10)
	}
	switch s := w.doc.Text(k); s {
	case "_modules", "_parameters", "_buffers":
		return ""
	default:
		return s
	}
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "." + b
}

// call looks at what would be called: a tensor, or something around it.
func (w *torchWalk) call(name string, v pickle.Value) {
	var parts []pickle.Value
	for x := range w.walk.Items(v) {
		parts = append(parts, x)
	}
	if len(parts) < 2 {
		return // a walk that ended
	}
	var args []pickle.Value
	for x := range w.walk.Items(parts[1]) {
		args = append(args, x)
		if len(args) == 64 {
			break
		}
	}
	if strings.HasPrefix(w.doc.Text(parts[0]), "torch._utils._rebuild_") && len(args) > 2 && w.doc.Kind(args[0]) == pickle.Outside {
		w.tensor(name, args)
		return
	}
	for _, x := range args {
		w.value(name, x) // such as a parameter, whose first argument is its tensor
	}
	for _, x := range parts[2:] {
		w.value(name, x)
	}
}

// tensor adds a tensor: storage, offset, shape, strides, ...; one that says its type
// has that in the seventh place.
func (w *torchWalk) tensor(name string, args []pickle.Value) {
	t := view{name: name}
	for x := range w.walk.Items(args[0]) {
		if err := w.storage(&t, x); err != nil {
			w.err = fmt.Errorf("tensor %s: %w", quote(name), err)
			return
		}
	}
	for x := range w.walk.Items(args[2]) {
		n, ok := w.doc.Int(x)
		if !ok || n < 0 || len(t.shape) == maxRank {
			w.err = fmt.Errorf("tensor %s: its shape is no list of at most %d whole numbers", quote(name), maxRank)
			return
		}
		t.shape = append(t.shape, n)
	}
	if len(args) > 6 {
		if own, ok := torchTypes[strings.TrimPrefix(w.doc.Text(args[6]), "torch.")]; ok && w.doc.Kind(args[6]) == pickle.Name {
			t.kind, t.kindsWidth = own.name, own.bytes
		}
	}
	if w.names += len(name); len(w.views) == maxViews || w.names > maxNames {
		w.err = fmt.Errorf("it has more than %d tensors, or names of more than %d bytes", maxViews, maxNames)
		return
	}
	w.views = append(w.views, t)
}

// storage reads what a tensor says of its storage: the word storage, its class, its
// number, the device, and how many elements it has.
func (w *torchWalk) storage(t *view, pid pickle.Value) error {
	var parts [5]pickle.Value
	n := 0
	for x := range w.walk.Items(pid) {
		if n < len(parts) {
			parts[n] = x
		}
		n++
	}
	numel, ok := w.doc.Int(parts[4])
	if n < 5 || w.doc.Text(parts[0]) != "storage" || w.doc.Kind(parts[2]) != pickle.Text || !ok || numel < 0 {
		return errors.New("it is no reference to a storage")
	}
	class := w.doc.Text(parts[1])
	t.kind = strings.TrimSuffix(class[strings.LastIndexByte(class, '.')+1:], "Storage")
	if known, ok := torchTypes[t.kind]; ok {
		t.kind, t.width, t.kindsWidth = known.name, known.bytes, known.bytes
	}
	t.key, t.numel = w.doc.Text(parts[2]), numel
	return nil
}

// torchTypes are PyTorch's names of types, of storages and by themselves, with
// NumPy's and the bytes of an element.
var torchTypes = map[string]struct {
	name  string
	bytes int64
}{
	"Double": {"float64", 8}, "Float": {"float32", 4}, "Half": {"float16", 2}, "BFloat16": {"bfloat16", 2},
	"Long": {"int64", 8}, "Int": {"int32", 4}, "Short": {"int16", 2}, "Char": {"int8", 1}, "Byte": {"uint8", 1}, "Bool": {"bool", 1},
	"ComplexFloat": {"complex64", 8}, "ComplexDouble": {"complex128", 16},
	"QInt8": {"qint8", 1}, "QUInt8": {"quint8", 1}, "QInt32": {"qint32", 4}, "Untyped": {"", 1},
	"float8_e4m3fn": {"float8_e4m3", 1}, "float8_e5m2": {"float8_e5m2", 1}, "float8_e4m3fnuz": {"float8_e4m3fnuz", 1}, "float8_e5m2fnuz": {"float8_e5m2fnuz", 1},
	"float8_e8m0fnu": {"float8_e8m0", 1}, "float4_e2m1fn_x2": {"float4", 1}, "uint16": {"uint16", 2}, "uint32": {"uint32", 4}, "uint64": {"uint64", 8},
	"float64": {"float64", 8}, "float32": {"float32", 4}, "float16": {"float16", 2}, "bfloat16": {"bfloat16", 2},
	"int64": {"int64", 8}, "int32": {"int32", 4}, "int16": {"int16", 2}, "int8": {"int8", 1}, "uint8": {"uint8", 1}, "bool": {"bool", 1},
}

// check compares what the pickle says with the members that there are.
func (f *File) check(list []view, storages map[string]int) error {
	for i := range list {
		t := &list[i]
		at, ok := storages[t.key]
		if !ok {
			return fmt.Errorf("tensor %s lies in storage %s, which is not in the archive", quote(t.name), quote(t.key))
		}
		var has uint64
		if at >= 0 {
			has = uint64(f.Tensors[at].Bytes)
		}
		if hi, want := bits.Mul64(uint64(t.numel), uint64(t.width)); t.width > 0 && (hi != 0 || want != has) {
			return fmt.Errorf("tensor %s lies in storage %s, which should have %d elements of %d bytes, and has %d bytes", quote(t.name), quote(t.key), t.numel, t.width, has)
		}
	}
	return nil
}

// name gives storages the names of the first tensors that lie in them.
func (f *File) name(list []view, storages map[string]int) {
	named := make([]int, len(f.Tensors)) // tensors of each
	shared, parts := 0, 0
	var first, second string
	for i := range list {
		v := &list[i]
		at := storages[v.key]
		if at < 0 {
			continue
		}
		t := &f.Tensors[at]
		if named[at]++; named[at] > 1 {
			if shared++; shared == 1 {
				first, second = t.Name, printable(v.name)
			}
			continue
		}
		if v.name != "" {
			t.Name = printable(v.name)
		}
		t.Type, t.Shape = v.kind, v.shape
		if n, ok := product(v.shape); v.kindsWidth > 0 && (!ok || n != int64(t.Bytes)/v.kindsWidth) {
			t.Shape = []int64{int64(t.Bytes) / v.kindsWidth}
			parts++
		}
	}
	if shared > 0 {
		f.note("%d tensors lie in storages that have the names of others, such as %s in that of %s; each storage counts once.", shared, quote(second), quote(first))
	}
	if parts > 0 {
		f.note("Of %d tensors the storage is larger or smaller than their shape; it counts as a whole.", parts)
	}
	alone := 0
	for _, n := range named {
		if n == 0 {
			alone++
		}
	}
	if alone > 0 {
		f.note("%d storages belong to no tensor, and have numbers in place of names.", alone)
	}
}
