package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// A junit reads what gotestsum, node --test and Playwright leave of a task's tests, a file in
// JUnit's form, and shows at once those lines of theirs that say what fails.
type junit struct {
	out   io.Writer
	file  string
	loud  func(line []byte) bool                // lines that are shown at once
	said  bool                                  // they have what a failed test printed
	whole func(test string) bool                // whether a test counts, or is part of one; nil: all count
	again func(suite, test, said string) string // the line that repeats a test
	rest  []byte
}

// Lines that are shown at once: of gotestsum what is not about a package that passed; of node's
// spec and Playwright's list those about a test that failed, or passed at the second try.
var (
	quietGo        = regexp.MustCompile(`^(✓|∅|DONE|$)`)
	loudNode       = regexp.MustCompile(`✖`)
	loudPlaywright = regexp.MustCompile(`^\s*(✘|x)\s+\d+ |\d flaky`)
)

func (j *junit) begin() { _ = os.Remove(j.file) }

func (j *junit) Write(p []byte) (int, error) {
	j.rest = append(j.rest, p...)
	for {
		line, rest, ok := bytes.Cut(j.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		if j.loud(line) {
			fmt.Fprintf(j.out, "%s\n", line)
		}
		j.rest = rest
	}
}

// A junitSuite is a Go package, a file of browser tests, or a group of tests.
type junitSuite struct {
	Name   string       `xml:"name,attr"`
	Time   float64      `xml:"time,attr"` // seconds
	Suites []junitSuite `xml:"testsuite"`
	Cases  []struct {
		Name    string     `xml:"name,attr"`
		Time    float64    `xml:"time,attr"`
		Failed  []junitEnd `xml:"failure"`
		Broken  []junitEnd `xml:"error"`
		Skipped []junitEnd `xml:"skipped"`
	} `xml:"testcase"`
}

// A junitEnd says why a test did not pass.
type junitEnd struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// close reads the file. Without one, or one that ends early, as node's does with --test-force-exit,
// the task's exit status is its result.
func (j *junit) close() (s suite) {
	data, err := os.ReadFile(j.file)
	if err != nil {
		return s
	}
	var all junitSuite
	decoder := xml.NewDecoder(bytes.NewReader(data))
	decoder.Strict = false
	if decoder.Decode(&all) != nil {
		return s
	}
	j.add(&s, &all, nil)
	for i := range s.failures {
		s.failures[i].print(j.out)
	}
	return s
}

// add counts a suite's tests; at is the outermost suite that they are in.
func (j *junit) add(s *suite, from *junitSuite, at *container) {
	for i := range from.Cases {
		c := &from.Cases[i]
		if j.whole != nil && !j.whole(c.Name) {
			continue
		}
		if at != nil {
			at.Tests = append(at.Tests, testTime{c.Name, c.Time})
		}
		ends := append(c.Failed, c.Broken...)
		switch {
		case len(ends) > 0:
			s.Failed++
			suite := strings.TrimPrefix(from.Name, module+"/")
			f := failure{what: strings.TrimSpace(suite + " " + c.Name), repeat: j.again(suite, c.Name, ends[0].Message)}
			if !j.said {
				f.output = ends[0].Message + "\n" + ends[0].Text
			}
			s.failures = append(s.failures, f)
		case len(c.Skipped) > 0:
			s.Skipped++
		default:
			s.Passed++
		}
	}
	for i := range from.Suites {
		inner := &from.Suites[i]
		if at != nil {
			j.add(s, inner, at)
			continue
		}
		own := container{Name: strings.TrimPrefix(inner.Name, module+"/"), Wall: inner.Time}
		j.add(s, inner, &own)
		if len(own.Tests) > 0 {
			s.Packages = append(s.Packages, own)
		}
	}
}
