package main

import (
	"errors"
	"fmt"
	"strings"

	opener "spillway/ui/files"
	"spillway/ui/lab"
)

const exportForm = `FORMAT lab=LAB system=NAME [file=PATH ...] [KEY=VALUE ...] [--out FILE]`

const exportAbout = `Runs one system and writes what happened in it in a format of other programs.
Settings and files are as of run. A file has at most 200 MiB; what would be larger
is refused.
`

func (s *shell) export(args []string) error {
	fs := s.flags("export", exportForm, exportAbout)
	afterUsage(fs, func() { fmt.Fprint(s.out, "\n"+s.exports()) })
	out := fs.String("out", "", "`FILE` to write; standard output without it")
	setup := fs.String("setup", "", "settings as one `TEXT`, as of run")
	s.forceFlag(fs)
	rest, err := parse(fs, args)
	if err != nil {
		return err
	}
	if len(rest) == 0 || strings.Contains(rest[0], "=") {
		return errors.New("export: name a format first; spillway export -h lists them")
	}
	q, err := readRequest(*setup, rest[1:])
	switch {
	case err != nil:
		return fmt.Errorf("export: %w", err)
	case q.lab == "" || len(q.systems) != 1:
		return errors.New("export: want lab=LAB and one system=NAME")
	}
	data, err := s.exported(rest[0], q)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if *out == "" {
		_, err = s.data.Write(data)
		return err
	}
	if err := replace(*out, data); err != nil {
		return err
	}
	fmt.Fprintf(s.errs, "%s: %.1f MB\n", *out, float64(len(data))/1e6)
	return nil
}

// exported runs one system and returns what happened in a format.
func (s *shell) exported(format string, q request) ([]byte, error) {
	door, err := s.door(q.lab)
	if err != nil {
		return nil, err
	}
	l := door.New()
	files, err := openFiles(&l, q.files)
	if err != nil {
		return nil, err
	}
	u, err := setup(&l, files, q.pairs)
	if err != nil {
		return nil, err
	}
	if files, err = s.surveyed(&l, files, nil, u); err != nil {
		return nil, err
	}
	return opener.Export(&l, format, u, q.systems[0], files, lab.Origin{Version: s.version, Link: strings.TrimSpace("lab=" + l.Name + " system=" + q.systems[0] + " " + l.SetupText(u))}, nil)
}

// exports lists the formats of all laboratories.
func (s *shell) exports() string {
	var b strings.Builder
	for _, d := range s.labs {
		l := d.New()
		if len(l.Exports) == 0 {
			continue
		}
		fmt.Fprintf(&b, "Formats of %s:\n", l.Name)
		for _, e := range l.Exports {
			text := wrap(e.About, "            ")
			b.WriteString("  " + e.Key + strings.Repeat(" ", max(1, 10-len(e.Key))) + strings.TrimLeft(text, " "))
		}
	}
	return b.String()
}
