package files

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"strings"

	"spillway/sim/cxlssd/stream"
	"spillway/sim/filesys/load"
	"spillway/sim/knob"
	"spillway/traces/address"
	"spillway/traces/contents"
	"spillway/traces/fscalls"
	"spillway/traces/handed"
	"spillway/traces/spillway"
	"spillway/ui/lab"
	"spillway/ui/wire"
)

// Write writes what a laboratory handed over in one of the formats of package handed.
func Write(format string, message []byte) (data []byte, err error) {
	var b bytes.Buffer
	switch format {
	case handed.SpillwayTrace:
		_, data, err = training(message)
	case handed.AddressTrace:
		r, err := accesses(message)
		if err != nil {
			return nil, err
		}
		err = address.Write(&b, r, address.Text)
		return within(b.Bytes(), err)
	case handed.CallTrace:
		r, err := calls(message)
		if err != nil {
			return nil, err
		}
		err = fscalls.Encode(&b, r)
		return within(b.Bytes(), err)
	default:
		err = fmt.Errorf("there is no format %q", format)
	}
	return within(data, err)
}

// within refuses what no program that reads such files can take.
func within(data []byte, err error) ([]byte, error) {
	switch {
	case err != nil:
		return nil, err
	case len(data) > lab.MostExport:
		return nil, lab.ErrLarge
	}
	return data, nil
}

// Export runs one system and writes what happened in a format of a laboratory's exports.
func Export(l *lab.Lab, key string, u *knob.Setup, system string, files lab.Files, o lab.Origin, p lab.Progress) ([]byte, error) {
	data, err := l.Export(key, u, system, files, o, p)
	if err != nil {
		return nil, err
	}
	for i := range l.Exports {
		if x := &l.Exports[i]; x.Key == key && x.Format != "" {
			return Write(x.Format, data)
		}
	}
	return data, nil
}

// Carried returns what a bundle of a setup has of opened files, and what is in that: of a
// recording only what was made of it, of others all of their bytes. What is said of a bundle
// is said of what it has, so that everybody can say it again.
func Carried(l *lab.Lab, u *knob.Setup, opened []lab.File, in lab.Files) ([]lab.File, lab.Files, error) {
	if c, ok := in.(lab.Sharer); ok {
		message, err := c.Carry(u)
		if err != nil {
			return nil, nil, err
		}
		if len(message) > 0 {
			list, err := Pack(l.Name, message)
			if err != nil {
				return nil, nil, err
			}
			in, err := Open(l, list)
			return list, in, err
		}
	}
	list, err := Whole(opened)
	return list, in, err
}

// Pack writes what a laboratory carries into a bundle as files.
func Pack(laboratory string, message []byte) ([]lab.File, error) {
	var b bytes.Buffer
	var f lab.File
	switch laboratory {
	case "train":
		name, data, err := training(message)
		if err != nil {
			return nil, err
		}
		f = lab.File{Name: cmp.Or(strings.Trim(plain(name, 80, "-_"), "-"), "workload") + ".json", Data: data}
	case "compress":
		h, err := wire.Read[handed.Contents](message)
		if err != nil {
			return nil, err
		}
		f.Name = contents.Name
		if f.Data, err = contents.Encode(h); err != nil {
			return nil, err
		}
	case "cxlssd":
		r, err := accesses(message)
		if err == nil {
			err = address.Write(&b, r, address.Binary)
		}
		if err != nil {
			return nil, err
		}
		f = lab.File{Name: strings.TrimLeft(plain(path.Base(r.Name), 80, "."), ".") + ".address", Data: b.Bytes()}
	case "filesys":
		r, err := calls(message)
		if err == nil {
			err = fscalls.Encode(&b, r)
		}
		if err != nil {
			return nil, err
		}
		f = lab.File{Name: strings.TrimLeft(plain(path.Base(r.Name), 80, "."), ".") + ".fscalls", Data: b.Bytes()}
	default:
		return nil, fmt.Errorf("nothing of the laboratory %q is written", laboratory)
	}
	return []lab.File{f}, nil
}

// plain is at most so many bytes of a name that every system of files takes: letters,
// digits and some signs, and a dash for all else.
func plain(name string, most int, signs string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || strings.ContainsRune(signs, r) {
			return r
		}
		return '-'
	}, name)
	return name[:min(len(name), most)]
}

// errNothing is the error of a message in which nothing is handed over.
var errNothing = errors.New("there is nothing to write")

// training is the first workload that was handed over, as a Spillway trace, and its name.
func training(message []byte) (name string, data []byte, err error) {
	h, err := wire.Read[handed.Training](message)
	if err != nil {
		return "", nil, err
	}
	if len(h.Workloads) == 0 || len(h.Jobs) == 0 {
		return "", nil, errNothing
	}
	data, err = spillway.Encode(h.Workloads[0])
	return h.Jobs[0].Name, data, err
}

// accesses is the first recording of accesses that was handed over.
func accesses(message []byte) (*stream.Recording, error) {
	h, err := wire.Read[handed.Accesses](message)
	if err != nil {
		return nil, err
	}
	if len(h.Recordings) == 0 {
		return nil, errNothing
	}
	return h.Recordings[0], nil
}

// calls is the first recording of calls that was handed over.
func calls(message []byte) (*load.Recording, error) {
	h, err := wire.Read[handed.Calls](message)
	if err != nil {
		return nil, err
	}
	if len(h.Recordings) == 0 {
		return nil, errNothing
	}
	return h.Recordings[0], nil
}
