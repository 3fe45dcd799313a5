package files

import (
	"spillway/sim/knob"
	"spillway/traces/door"
	"spillway/ui/lab"
	"spillway/ui/wire"
)

// Write writes what a laboratory handed over in one of the formats of package handed.
func Write(format string, message []byte) ([]byte, error) {
	w, err := door.WriterOf(format)
	if err != nil {
		return nil, err
	}
	_, data, err := written(w, message)
	switch {
	case err != nil:
		return nil, err
	case len(data) > lab.MostExport: // no program that reads such files could take it
		return nil, lab.ErrLarge
	}
	return data, nil
}

// written is the file that w makes of a message of a laboratory.
func written(w door.Writer, message []byte) (name string, data []byte, err error) {
	h := w.Blank()
	if err := wire.Unmarshal(message, h); err != nil {
		return "", nil, err
	}
	return w.Write(h)
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
	w, err := door.Packer(laboratory)
	if err != nil {
		return nil, err
	}
	name, data, err := written(w, message)
	if err != nil {
		return nil, err
	}
	return []lab.File{{Name: name, Data: data}}, nil
}
