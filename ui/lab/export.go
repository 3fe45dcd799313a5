package lab

import (
	"errors"
	"fmt"
)

// An Export is a format in which a laboratory writes what happened in one run, for
// other programs.
type Export struct {
	Key   string // stable: on the command line
	Title string // in menus: "Timeline (Perfetto)"
	Ext   string // of file names
	Mime  string
	About string // what it holds and what reads it, one sentence
	// Workload is true of one that is about what runs, whatever the system.
	Workload bool
	// Format names the format (of package handed) in which the program that reads files
	// writes it: what the laboratory returns is then a message of its type of that package.
	// It is empty where the laboratory returns the file itself.
	Format string
}

// An Origin is what an exported file says about where it comes from. Each may be
// empty.
type Origin struct {
	Title   string // what ran
	Mode    string // how far it can be trusted
	Link    string // what shows the same
	Version string // of the program
}

// MostExport is how many bytes an exported file has at most. Programs that read
// such files, and browsers, have no room for more.
const MostExport = 200 << 20

// ErrLarge is the error of a file that would be larger than MostExport.
var ErrLarge = errors.New("the file would be larger than 200 MiB, which the programs that read it cannot take; use a smaller workload or fewer iterations")

// export finds the format and bounds what it gives.
func (l *Info) export(key string, write func(at int) ([]byte, error)) ([]byte, error) {
	for i := range l.Exports {
		if l.Exports[i].Key != key {
			continue
		}
		data, err := write(i)
		if err == nil && len(data) > MostExport {
			err = ErrLarge
		}
		if err != nil {
			return nil, err
		}
		return data, nil
	}
	return nil, fmt.Errorf("%s has no export %q; there are %q", l.Title, key, names(l.Exports, func(e *Export) string { return e.Key }))
}
