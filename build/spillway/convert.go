package main

import (
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"spillway/traces/spillway"
)

func convertCommand(args []string, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("convert", flag.ContinueOnError)
	fs.SetOutput(stderr)
	artifact := fs.String("artifact", "", "folder of the G10 artifact that the config's paths refer to")
	out := fs.String("o", "", "file to write; .gz compresses; standard output without it")
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
		_, err := stdout.Write(data)
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
