package door

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"spillway/traces/address"
	"spillway/traces/contents"
	"spillway/traces/fscalls"
	"spillway/traces/handed"
	"spillway/traces/spillway"
)

// A Writer writes in one format what a laboratory hands over.
type Writer struct {
	Format string     // as package handed calls it, empty if only bundles have it
	Blank  func() any // a pointer to an empty value of the laboratory's type of package handed
	// Write returns the content of a file and its name, which any file system takes. What
	// it gets is a pointer of the type that Blank returns.
	Write func(handed any) (name string, data []byte, err error)
}

// WriterOf returns what writes a format.
func WriterOf(format string) (Writer, error) {
	for i := range subjects {
		for _, w := range subjects[i].writes {
			if w.Format == format && format != "" {
				return w, nil
			}
		}
	}
	return Writer{}, fmt.Errorf("there is no format %q", format)
}

// Packer returns what writes the file that a bundle has of what a laboratory handed over.
func Packer(lab string) (Writer, error) {
	at := slices.IndexFunc(subjects, func(s subject) bool { return s.lab == lab })
	if at < 0 || len(subjects[at].writes) == 0 {
		return Writer{}, fmt.Errorf("nothing of the laboratory %q is written", lab)
	}
	return subjects[at].writes[0], nil
}

// writer is one of what a type of package handed has.
func writer[H any](format string, write func(*H) (name string, data []byte, err error)) Writer {
	return Writer{format, func() any { return new(H) }, func(h any) (string, []byte, error) { return write(h.(*H)) }}
}

// errNothing is the error where nothing was handed over.
var errNothing = errors.New("there is nothing to write")

// writeTraining writes the first workload as a Spillway trace.
func writeTraining(h *handed.Training) (string, []byte, error) {
	if len(h.Workloads) == 0 || len(h.Jobs) == 0 {
		return "", nil, errNothing
	}
	data, err := spillway.Encode(h.Workloads[0])
	return cmp.Or(strings.Trim(plain(h.Jobs[0].Name, "-_"), "-"), "workload") + ".json", data, err
}

// writeContents writes what was measured of tensors.
func writeContents(h *handed.Contents) (string, []byte, error) {
	data, err := contents.Encode(h)
	return contents.Name, data, err
}

// writeAccesses returns a function that writes the first recording in a form.
func writeAccesses(form address.Form) func(*handed.Accesses) (string, []byte, error) {
	return func(h *handed.Accesses) (string, []byte, error) {
		if len(h.Recordings) == 0 {
			return "", nil, errNothing
		}
		var b bytes.Buffer
		err := address.Write(&b, h.Recordings[0], form)
		return ofRecording(h.Recordings[0].Name, ".address"), b.Bytes(), err
	}
}

// writeCalls writes the first recording.
func writeCalls(h *handed.Calls) (string, []byte, error) {
	if len(h.Recordings) == 0 {
		return "", nil, errNothing
	}
	var b bytes.Buffer
	err := fscalls.Encode(&b, h.Recordings[0])
	return ofRecording(h.Recordings[0].Name, ".fscalls"), b.Bytes(), err
}

// ofRecording is the name of a file with a recording of that name.
func ofRecording(name, ending string) string {
	return strings.TrimLeft(plain(path.Base(name), "."), ".") + ending
}

// longest is the most bytes of a name that plain leaves.
const longest = 80

// plain is a name that any file system takes: letters, digits and some signs, and a dash
// for all else.
func plain(name, signs string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || strings.ContainsRune(signs, r) {
			return r
		}
		return '-'
	}, name)
	return name[:min(len(name), longest)]
}
