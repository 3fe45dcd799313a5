package main

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"spillway/sim/store"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/opstrace"
	"spillway/traces/recording"
	"spillway/traces/spillway"
)

const convertAbout = `Writes a .config file of the G10 artifact, a trace, MODEL@BATCH or a step of a recording as a Spillway trace, or one or several as the operations on a store. The files of one recording are named together.
`

func (s *shell) convert(args []string) error {
	fs := s.flags("convert", "WORKLOAD [FILE...] [-o FILE]", convertAbout)
	artifact := fs.String("artifact", "", "`FOLDER` of the G10 artifact that the config's paths refer to")
	out := fs.String("o", "", "`FILE` to write; .gz compresses; standard output without it")
	store := fs.Bool("ops", false, "write operations on an object store, as the laboratory store runs them: one client a workload")
	form := fs.String("form", "csv", "of the operations: csv or jsonl")
	offset := fs.Duration("offset", 0, "how long after the one before every client begins")
	iterations := fs.Int("iterations", 2, "of every client")
	entry := fs.String("entry", "", "`NAME` of the workload if the files hold several; spillway inspect lists them")
	c := addFolds(fs)
	anonymous := fs.Bool("anonymous", false, "without names: tensors are called by what they are for, kernels by number")
	names, err := parse(fs, args)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return errors.New("convert: name one .config file of the artifact, MODEL@BATCH of the zoo, a trace, or the files of a recording; several workloads with -ops")
	}
	var data []byte
	if *store {
		data, err = operations(names, *artifact, *offset, *iterations, *form)
	} else {
		data, err = s.saved(names, *artifact, *entry, c.of(), *anonymous)
	}
	if err != nil {
		return err
	}
	return s.write(*out, data)
}

// saved returns a workload as a Spillway trace.
func (s *shell) saved(names []string, artifact, entry string, c recording.Choices, anonymous bool) ([]byte, error) {
	w, err := s.converted(names, artifact, entry, c)
	if err != nil {
		return nil, err
	}
	if anonymous {
		w = recording.Anonymous(w)
	}
	return spillway.Encode(w)
}

// converted returns the workload of a name, or of files that belong together.
func (s *shell) converted(names []string, artifact, entry string, c recording.Choices) (*workload.Workload, error) {
	if _, err := os.Stat(names[0]); len(names) == 1 && err != nil {
		return openWorkload(names[0], artifact)
	}
	src, err := dropped(names)
	if err != nil {
		return nil, err
	}
	e, err := entryNamed(src, entry)
	switch {
	case err != nil:
		return nil, fmt.Errorf("convert: %w", err)
	case e.Config != nil && len(names) == 1:
		return openWorkload(names[0], artifact)
	case e.Recording == nil && c != recording.Choices{}:
		return nil, fmt.Errorf("convert: %s is no recording: it has no steps, and nothing in it is unknown", e.Name)
	case e.Recording == nil:
		return e.Load()
	}
	w, rep, err := e.Recording.Fold(c)
	if err != nil {
		return nil, err
	}
	for _, warning := range rep.Warnings {
		fmt.Fprintf(s.errs, "%s: %s\n", e.Name, warning)
	}
	w.Origin = rep.Told(w.Origin)
	return w, nil
}

// write writes to a file, or to standard output without one.
func (s *shell) write(name string, data []byte) error {
	if name == "" {
		_, err := s.data.Write(data)
		return err
	}
	if !strings.HasSuffix(name, ".gz") {
		return replace(name, data)
	}
	return writeWhole(name, func(w io.Writer) error {
		z := gzip.NewWriter(w)
		_, err := z.Write(data)
		return cmp.Or(err, z.Close())
	})
}

// operations writes what workloads do with a store that keeps their tensors.
func operations(names []string, artifact string, offset time.Duration, iterations int, form string) ([]byte, error) {
	var ws []*workload.Workload
	var starts []unit.Time
	for i, name := range names {
		w, err := openWorkload(name, artifact)
		if err != nil {
			return nil, err
		}
		ws, starts = append(ws, w), append(starts, unit.Time(i)*unit.Time(offset.Microseconds())*unit.Microsecond)
	}
	forms := map[string]opstrace.Form{"csv": opstrace.CSV, "jsonl": opstrace.JSONLines}
	f, ok := forms[form]
	if !ok {
		return nil, fmt.Errorf("convert: unknown form %q; there are csv and jsonl", form)
	}
	t, err := store.FromWorkloads(ws, starts, iterations)
	if err == nil {
		err = t.Validate()
	}
	if err != nil {
		return nil, err
	}
	return opstrace.Encode(t, f)
}
