package main

import (
	"compress/gzip"
	"fmt"
	"os"
	"strings"

	"spillway/traces/spillway"
)

func (s *shell) convert(args []string) error {
	fs := s.flags("convert", "WORKLOAD [-o FILE]", "Writes a .config file of the G10 artifact, a trace or MODEL@BATCH as a Spillway trace.")
	artifact := fs.String("artifact", "", "`FOLDER` of the G10 artifact that the config's paths refer to")
	out := fs.String("o", "", "`FILE` to write; .gz compresses; standard output without it")
	names, err := parse(fs, args)
	if err != nil {
		return err
	}
	if len(names) != 1 {
		return fmt.Errorf("convert: name one .config file of the artifact, or MODEL@BATCH of the zoo")
	}
	w, err := openWorkload(names[0], *artifact)
	if err != nil {
		return err
	}
	data, err := spillway.Encode(w)
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
