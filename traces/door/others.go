package door

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"spillway/sim/cxlssd/stream"
	"spillway/sim/filesys/load"
	"spillway/traces"
	"spillway/traces/address"
	"spillway/traces/archive"
	"spillway/traces/contents"
	"spillway/traces/fscalls"
	"spillway/traces/handed"
	"spillway/traces/hf"
	"spillway/traces/opstrace"
	"spillway/traces/requests"
	"spillway/traces/tensorfile"
)

// yes is Yes where something is so.
func yes(so bool) Sure {
	if so {
		return Yes
	}
	return No
}

// Operations on an object store.

func takesOperations() string {
	return "traces of store operations (CSV with a header line of " + opstrace.Header + ", or JSON Lines with the same keys)"
}

func sniffOperations(f *archive.Item) Sure { return yes(opstrace.Sniff(f.Data)) }

func readOperations(list []archive.Item) (*Taker, error) {
	h := &handed.Operations{}
	t := &Taker{Workload: h}
	var errs []error
	for i := range list {
		whole, err := list[i].Whole()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		trace, err := opstrace.Decode(list[i].Name, whole.Data)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		h.Names, h.Traces = append(h.Names, list[i].Name), append(h.Traces, trace)
		t.Found = append(t.Found, Found{list[i].Name, "operations on a store"})
	}
	return t, some(len(h.Traces), errs, &h.Notes)
}

// some notes errors where there is something all the same; they are the error where there
// is nothing.
func some(found int, errs []error, notes *[]string) error {
	if found == 0 {
		return errors.Join(errs...)
	}
	for _, err := range errs {
		*notes = append(*notes, few(err).Error())
	}
	return nil
}

// Accesses to memory.

func takesAccesses() string { return "address traces: " + strings.Join(address.Takes(), "; ") }

func sniffAccesses(f *archive.Item) Sure { return yes(address.Sniff(f.Data)) }

// readAccesses reads address traces. Of programs that write a file for each thread all
// files are one recording.
func readAccesses(list []archive.Item) (*Taker, error) {
	h := &handed.Accesses{Handed: true}
	t := &Taker{Workload: h}
	var errs []error
	add := func(name string, r *stream.Recording, err error) {
		if err != nil {
			errs = append(errs, err)
			return
		}
		if r.Name == "" {
			r.Name, h.Handed = name, false
		}
		h.Recordings = append(h.Recordings, r)
		t.Found = append(t.Found, Found{r.Name, r.Format})
	}
	var single []archive.Item // with one thread each
	for i := range list {
		f := &list[i]
		if address.OfOneThread(f.Data) {
			single = append(single, *f)
			continue
		}
		r, err := read(f, address.Read)
		add(f.Given, r, err)
	}
	if len(single) > 0 {
		names := make([]string, len(single))
		for i := range single {
			names[i] = single[i].Given
		}
		name := names[0]
		if len(single) > 1 {
			name = fmt.Sprintf("%s and %d more", name, len(single)-1)
		}
		r, err := address.ReadThreads(names, func(i int) (io.ReadCloser, error) { return single[i].Open() })
		add(name, r, err)
	}
	return t, some(len(h.Recordings), errs, &h.Notes)
}

// read reads one file as a stream.
func read[R any](f *archive.Item, reader func(name string, r io.Reader) (R, error)) (r R, err error) {
	in, err := f.Open()
	if err != nil {
		return r, fmt.Errorf("%s cannot be read: %w", f.Given, err)
	}
	r, err = reader(f.Given, in)
	return r, cmp.Or(err, in.Close())
}

// Calls of a file system.

func takesCalls() string {
	return "recordings of calls of a file system: " + strings.Join(fscalls.Takes(), "; ")
}

func sniffCalls(f *archive.Item) Sure { return yes(fscalls.Sniff(f.Data)) }

func readCalls(list []archive.Item) (*Taker, error) {
	h := &handed.Calls{}
	t := &Taker{Workload: h}
	var errs []error
	for _, group := range byProgram(list) {
		name := group[0].Given
		var r *load.Recording
		var err error
		if len(group) == 1 {
			r, err = read(&group[0], fscalls.Read)
		} else {
			name, r, err = readThreads(group)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if r.Name == "" {
			r.Name = name
		}
		h.Recordings = append(h.Recordings, r)
		t.Found = append(t.Found, Found{r.Name, r.Format})
	}
	return t, some(len(h.Recordings), errs, &h.Notes)
}

// byProgram groups files that strace -ff wrote of one program, by their names; others are alone.
func byProgram(list []archive.Item) (groups [][]archive.Item) {
	at := map[string]int{}
	for i := range list {
		program, _, ok := fscalls.OneThread(list[i].Name, list[i].Data)
		if n, known := at[program]; ok && known {
			groups[n] = append(groups[n], list[i])
			continue
		}
		if ok {
			at[program] = len(groups)
		}
		groups = append(groups, list[i:i+1:i+1])
	}
	return groups
}

// readThreads reads the files that strace -ff wrote of one program as one recording, which has the
// program's name.
func readThreads(list []archive.Item) (name string, r *load.Recording, err error) {
	var threads []string
	var files []io.Reader
	for i := range list {
		in, err := list[i].Open()
		if err != nil {
			return "", nil, fmt.Errorf("%s cannot be read: %w", list[i].Given, err)
		}
		defer in.Close()
		program, thread, _ := fscalls.OneThread(list[i].Name, list[i].Data)
		name, threads, files = path.Base(program), append(threads, thread), append(files, in)
	}
	in := fscalls.Together(threads, files)
	r, err = fscalls.Read(name, in)
	err = cmp.Or(err, in.Close())
	if r != nil {
		r.Notes = append(r.Notes, fmt.Sprintf("%d files, one a thread, were put in the order of their times.", len(list)))
	}
	return name, r, err
}

// Architectures of language models.

func takesModels() string {
	return "a model's config.json, the one that lies beside its weights on Hugging Face, and its safetensors index"
}

func sniffModels(f *archive.Item) Sure { return yes(hf.IsConfig(f.Data) || hf.IsIndex(f.Data)) }

// readModels reads architectures, and compares them with the indices of weights beside them.
func readModels(list []archive.Item) (*Taker, error) {
	h := &handed.Models{}
	found, err := architectures(h, list)
	return &Taker{Workload: h, Found: found}, err
}

// architectures reads models into what is handed over, and says what was found.
func architectures(h *handed.Models, list []archive.Item) (found []Found, err error) {
	var errs []error
	indices := map[string]*hf.Index{}
	var order []string
	for i := range list {
		f, err := list[i].Whole()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if hf.IsIndex(f.Data) {
			x, err := hf.ReadIndex(f.Name, f.Data)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			indices[f.Name] = x
			order = append(order, f.Name)
			continue
		}
		m, err := hf.ReadConfig(f.Name, f.Data)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if m.Arch.Title == "" {
			m.Arch.Title = path.Base(f.Name)
		}
		h.Models = append(h.Models, handed.Model{File: f.Name, Arch: m.Arch, Notes: m.Notes})
		found = append(found, Found{m.Arch.Title, "a model's architecture"})
		for _, note := range m.Notes {
			h.Notes = append(h.Notes, f.Name+": "+note)
		}
	}
	if len(h.Models) == 0 && len(order) > 0 {
		errs = append(errs, fmt.Errorf("%s is %s. It does not say how the model works: drop its config.json too, for time, activations and what fits", order[0], indices[order[0]].Says()))
	}
	if err := some(len(h.Models), errs, &h.Notes); err != nil {
		return nil, err
	}
	for _, name := range order {
		compare(h, name, indices[name])
	}
	return found, nil
}

// compare says whether an index fits the model in its folder, or the only one.
func compare(h *handed.Models, name string, x *hf.Index) {
	for i := range h.Models {
		m := &h.Models[i]
		if len(h.Models) > 1 && path.Dir(m.File) != path.Dir(name) {
			continue
		}
		says, ok := x.Compare(&m.Arch)
		if m.Says = says; !ok {
			h.Notes = append(h.Notes, fmt.Sprintf("%s: %s", name, says))
		}
	}
}

// What services of language models were asked, and models that answer.

func takesServing() string {
	return "what a service of language models was asked: " + strings.Join(requests.Takes(), "; ") + "; and " + takesModels()
}

func sniffServing(f *archive.Item) Sure {
	return max(yes(requests.Sniff(f.Data)), sniffModels(f))
}

// readServing reads lists of requests, and models.
func readServing(list []archive.Item) (*Taker, error) {
	h := &handed.Serving{}
	t := &Taker{Workload: h}
	var errs []error
	var models []archive.Item
	for i := range list {
		if sniffModels(&list[i]) != No {
			models = append(models, list[i])
			continue
		}
		r, err := read(&list[i], requests.Read)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		h.Lists = append(h.Lists, r)
		t.Found = append(t.Found, Found{r.Name, r.Format})
	}
	if len(models) > 0 {
		m := &handed.Models{}
		found, err := architectures(m, models)
		if err != nil {
			errs = append(errs, err)
		} else {
			h.Models, t.Found = m.Models, append(t.Found, found...)
			h.Note(m.Notes...)
		}
	}
	return t, some(len(h.Lists)+len(h.Models), errs, &h.Notes)
}

// Contents of memory.

func takesContents() string {
	return "files of tensors (safetensors, NumPy's .npy and .npz, PyTorch's checkpoints), and any other bytes"
}

// tensors are how files of tensors begin, and what was measured of them.
var tensors = []string{"PK\x03\x04", "\x93NUMPY", `{"format":"spillway-measured-tensors"`, "GGUF"}

// refused are how files begin whose bytes say nothing of memory.
var refused = []string{"\x89PNG\r\n", "\xff\xd8\xff", "GIF8", "%PDF-", "SQLite format 3\x00", "\x00asm", "PAR1", "7z\xbc\xaf\x27\x1c", "\xfd7zXZ\x00", "\x28\xb5\x2f\xfd", "BZh"}

func sniffContents(f *archive.Item) Sure {
	begins := func(s string) bool { return bytes.HasPrefix(f.Data, []byte(s)) }
	switch {
	case f.Dropped < 0, // only what can be read anywhere
		traces.Office(f.Name, f.Data):
		return No
	case slices.ContainsFunc(tensors, begins), tensorfile.IsLegacy(f.Data), strings.HasSuffix(strings.ToLower(f.Name), ".safetensors"), safetensors(f.Data):
		return Yes
	case slices.ContainsFunc(refused, begins), len(f.Data) == 0:
		return No
	}
	return Bytes
}

// safetensors reports whether data is the length of a header, and a header.
func safetensors(data []byte) bool {
	if len(data) < 10 || data[8] != '{' || !bytes.ContainsRune([]byte("\"} \t\r\n"), rune(data[9])) {
		return false
	}
	return bytes.IndexByte(data[:8], 0) >= 0
}

// readContents finds the tensors in all dropped files, as they are: the laboratory reads
// these a page at a time.
func readContents(files []File) (*Taker, error) {
	h, err := contents.Open(files)
	if err != nil {
		return nil, err
	}
	t := &Taker{Workload: h, Along: true}
	for _, f := range h.Files {
		t.Found = append(t.Found, Found{f.Name, f.Format})
	}
	return t, nil
}
