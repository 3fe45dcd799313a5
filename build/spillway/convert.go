package main

import (
	"compress/gzip"
	"fmt"
	"os"
	"strings"

	"spillway/sim/store"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/opstrace"
	"spillway/traces/spillway"
)

func (s *shell) convert(args []string) error {
	fs := s.flags("convert", "WORKLOAD [-o FILE]", "Writes a .config file of the G10 artifact, a trace or MODEL@BATCH as a Spillway trace, or one or several as the operations on a store.")
	artifact := fs.String("artifact", "", "`FOLDER` of the G10 artifact that the config's paths refer to")
	out := fs.String("o", "", "`FILE` to write; .gz compresses; standard output without it")
	store := fs.Bool("ops", false, "write operations on an object store, as the laboratory store runs them: one client a workload")
	form := fs.String("form", "csv", "of the operations: csv or jsonl")
	offset := fs.Duration("offset", 0, "how long after the one before every client begins")
	iterations := fs.Int("iterations", 2, "of every client")
	names, err := parse(fs, args)
	if err != nil {
		return err
	}
	if len(names) == 0 || len(names) > 1 && !*store {
		return fmt.Errorf("convert: name one .config file of the artifact, or MODEL@BATCH of the zoo; several with -ops")
	}
	var ws []*workload.Workload
	var starts []unit.Time
	for i, name := range names {
		w, err := openWorkload(name, *artifact)
		if err != nil {
			return err
		}
		ws, starts = append(ws, w), append(starts, unit.Time(i)*unit.Time(offset.Microseconds())*unit.Microsecond)
	}
	var data []byte
	if *store {
		data, err = operations(ws, starts, *iterations, *form)
	} else {
		data, err = spillway.Encode(ws[0])
	}
	if err != nil {
		return err
	}
	if *out == "" {
		_, err := s.out.Write(data)
		return err
	}
	f, err := os.Create(*out)
	if err != nil {
		return err
	}
	if strings.HasSuffix(*out, ".gz") {
		z := gzip.NewWriter(f)
		if _, err := z.Write(data); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
	} else if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Close()
}

// operations writes what workloads do with a store that keeps their tensors.
func operations(ws []*workload.Workload, starts []unit.Time, iterations int, form string) ([]byte, error) {
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
