package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"spillway/ui/model/output"
)

// sources is the hash of the sources of site and command (build/sources), which make native
// puts in.
var sources string

// version is that of the command, with what it was built from: the hash of its sources, or,
// of a build by hand, what the linker calls it, which is another as soon as anything is.
func version() string {
	if sources != "" {
		return output.Version + "+" + sources
	}
	f, err := os.Executable()
	if err != nil {
		return output.Version + "+by-hand"
	}
	file, err := os.Open(f)
	if err != nil {
		return output.Version + "+by-hand"
	}
	defer file.Close()
	return output.Version + "+by-hand." + buildID(file)
}

// buildID is a short form of the name that Go's linker writes into a program, which follows
// from all that it was made of; of one that has none, of the program itself.
func buildID(program io.ReadSeeker) string {
	head := make([]byte, 64<<10)
	n, err := io.ReadFull(program, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "unknown"
	}
	for _, around := range [][2]string{{"\xff Go build ID: \"", "\"\n \xff"}, {"\x04\x00\x00\x00Go\x00\x00", "\x00"}} { // the second: a note of ELF
		if _, after, ok := bytes.Cut(head[:n], []byte(around[0])); ok {
			if id, _, ok := bytes.Cut(after, []byte(around[1])); ok {
				return digest(id)
			}
		}
	}
	sum := sha256.New()
	if _, err = program.Seek(0, io.SeekStart); err == nil {
		_, err = io.Copy(sum, program)
	}
	if err != nil {
		return "unknown"
	}
	return digest(sum.Sum(nil))
}

// digest is a hash of data as versions have it.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6])
}

const versionAbout = `Prints one line: the name, the version with the hash of the sources, as the page
built of them has it, the version of Go, the platform. Bundles, reports and JSON
have the same text.
`

// printVersion is the command version.
func (s *shell) printVersion(args []string) error {
	fs := s.flags("version", "", versionAbout)
	if err := noMore(parse(fs, args)); err != nil {
		return err
	}
	_, err := fmt.Fprintln(s.out, s.program)
	return err
}
