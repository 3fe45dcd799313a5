// Jobs is what browser tests need to talk to a laboratory's program without the
// page. Jobs and answers are JSON, one a line, on the tests' side, and base64 of
// package wire on the programs'.
//
//	jobs encode               jobs (JSON) to what a program reads
//	jobs decode               what a program answers to answers (JSON)
//	jobs native               does jobs (JSON) here; prints answers (JSON)
//	jobs published LAB PAPER  a job for each of a paper's runs (JSON)
//	jobs systems LAB          the stable names of a laboratory's systems
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"spillway/ui/exec"
	"spillway/ui/files"
	"spillway/ui/lab/all"
	"spillway/ui/wire"
)

// An answer is what tests look at of one. A report's numbers may be none, which
// JSON does not have.
type answer struct {
	ID       int
	Error    string
	Problems []string
	Hash     string
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	err := do(out, os.Args[1:])
	if err := errors.Join(err, out.Flush()); err != nil {
		fmt.Fprintln(os.Stderr, "jobs:", err)
		os.Exit(1)
	}
}

func do(out *bufio.Writer, args []string) error {
	switch strings.Join(args[:min(len(args), 1)], "") {
	case "encode":
		return lines(func(line []byte) error {
			var j exec.Job
			err := json.Unmarshal(line, &j)
			if err != nil {
				return err
			}
			data, err := wire.Marshal(&j)
			fmt.Fprintln(out, base64.StdEncoding.EncodeToString(data))
			return err
		})
	case "decode":
		return lines(func(line []byte) error {
			data, err := base64.StdEncoding.DecodeString(string(line))
			if err != nil {
				return err
			}
			var a exec.Answer
			if err := wire.Unmarshal(data, &a); err != nil {
				return err
			}
			return show(out, &a)
		})
	case "native":
		benches := map[string]*files.Native{}
		return lines(func(line []byte) error {
			var j exec.Job
			if err := json.Unmarshal(line, &j); err != nil {
				return err
			}
			if benches[j.Lab] == nil {
				l, err := all.Find(j.Lab)
				if err != nil {
					return err
				}
				benches[j.Lab] = files.NewNative(l)
			}
			a := benches[j.Lab].Do(&j, nil)
			return show(out, &a)
		})
	case "published":
		if len(args) == 3 {
			return published(out, args[1], args[2])
		}
	case "systems":
		if len(args) == 2 {
			l, err := all.Find(args[1])
			for _, s := range l.Systems {
				fmt.Fprintln(out, s.Name)
			}
			return err
		}
	}
	return errors.New("want encode, decode, native, published LAB PAPER or systems LAB")
}

// lines calls f for every line of the input.
func lines(f func(line []byte) error) error {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20) // an answer may be a report with all its curves
	for in.Scan() {
		if err := f(in.Bytes()); err != nil {
			return err
		}
	}
	return in.Err()
}

func show(out *bufio.Writer, a *exec.Answer) error {
	text, err := json.Marshal(answer{a.ID, a.Error, a.Problems, a.Hash})
	fmt.Fprintf(out, "%s\n", text)
	return err
}

func published(out *bufio.Writer, labName, key string) error {
	l, err := all.Find(labName)
	if err != nil {
		return err
	}
	p, err := l.Paper(key)
	if err != nil {
		return err
	}
	id := 0
	for _, r := range p.Runs() {
		if r.System == "" {
			continue // an analysis has no result
		}
		id++
		j := exec.Job{ID: id, Lab: labName, Kind: exec.Measure, Paper: key, Name: r.Name, Setup: r.Set, Hash: true}
		text, err := json.Marshal(&j)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n", text)
	}
	return nil
}
