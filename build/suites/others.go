package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// A nodeTest reads the spec reporter of `node --test`: its closing lines have the counts.
type nodeTest struct {
	out   io.Writer
	name  string
	again string
	rest  []byte
	last  tail
	suite suite
}

var nodeCount = regexp.MustCompile(`^\S* ?(pass|fail|cancelled|skipped) (\d+)$`)

func (n *nodeTest) begin() {}

func (n *nodeTest) Write(p []byte) (int, error) {
	_, _ = n.last.Write(p)
	n.rest = append(n.rest, p...)
	for {
		line, rest, ok := bytes.Cut(n.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		n.rest = rest
		m := nodeCount.FindStringSubmatch(strings.TrimSpace(string(line)))
		if m == nil {
			continue
		}
		count, _ := strconv.Atoi(m[2])
		switch m[1] {
		case "pass":
			n.suite.Passed += count
		case "skipped":
			n.suite.Skipped += count
		default:
			n.suite.Failed += count
		}
	}
}

func (n *nodeTest) close() suite {
	if n.suite.Failed > 0 {
		f := failure{n.name, n.last.String(), n.again}
		f.print(n.out)
		n.suite.failures = append(n.suite.failures, f)
	}
	return n.suite
}

// A playwright reads the file that the browser tests leave, and shows while they run what
// fails: its list says so line by line.
type playwright struct {
	out  io.Writer
	file string // what its json reporter writes
	rest []byte
}

// Failures is where screenshots and traces of failed browser tests are kept.
const failures = "build/out/failures"

func newPlaywright(out io.Writer, file string) *playwright {
	return &playwright{out: out, file: file}
}

func (p *playwright) begin() { _ = os.Remove(p.file) }

// playwrightFailed is a line of the list reporter about a test that failed.
var playwrightFailed = regexp.MustCompile(`^\s*(✘|x)\s+\d+ `)

func (p *playwright) Write(b []byte) (int, error) {
	p.rest = append(p.rest, b...)
	for {
		line, rest, ok := bytes.Cut(p.rest, []byte("\n"))
		if !ok {
			return len(b), nil
		}
		p.rest = rest
		if playwrightFailed.Match(line) {
			fmt.Fprintf(p.out, "FAILED  %s\n", strings.TrimSpace(string(line)))
		}
	}
}

// A report is what of Playwright's JSON counts.
type playwrightReport struct {
	Suites []playwrightSuite `json:"suites"`
	Errors []playwrightError `json:"errors"`
}

type playwrightSuite struct {
	File   string            `json:"file"`
	Suites []playwrightSuite `json:"suites"`
	Specs  []struct {
		Title string `json:"title"`
		File  string `json:"file"`
		Line  int    `json:"line"`
		Tests []struct {
			Status  string `json:"status"` // expected, unexpected, flaky, skipped
			Results []struct {
				Duration float64           `json:"duration"` // ms
				Errors   []playwrightError `json:"errors"`
			} `json:"results"`
		} `json:"tests"`
	} `json:"specs"`
}

type playwrightError struct {
	Message string `json:"message"`
}

func (p *playwright) close() (s suite) {
	data, err := os.ReadFile(p.file)
	if err != nil {
		return s // its log says why
	}
	var r playwrightReport
	if err := json.Unmarshal(data, &r); err != nil {
		s.Failed = 1
		s.failures = append(s.failures, failure{p.file, err.Error(), "make test-browser"})
		return s
	}
	for _, e := range r.Errors {
		s.Failed++
		s.failures = append(s.failures, failure{"browser tests", e.Message, "make test-browser"})
	}
	at := map[string]int{}
	p.collect(&s, at, r.Suites)
	for i := range s.failures {
		s.failures[i].print(p.out)
	}
	return s
}

func (p *playwright) collect(s *suite, at map[string]int, list []playwrightSuite) {
	for i := range list {
		p.collect(s, at, list[i].Suites)
		for _, spec := range list[i].Specs {
			index, ok := at[spec.File]
			if !ok {
				index = len(s.Packages)
				at[spec.File] = index
				s.Packages = append(s.Packages, container{Name: spec.File})
			}
			c := &s.Packages[index]
			for _, t := range spec.Tests {
				took := 0.0
				var said strings.Builder
				for _, r := range t.Results {
					took += r.Duration / 1000
					for _, e := range r.Errors {
						said.WriteString(colors.ReplaceAllString(e.Message, "") + "\n")
					}
				}
				c.Wall += took
				c.Tests = append(c.Tests, testTime{spec.Title, took})
				switch t.Status {
				case "skipped":
					s.Skipped++
				case "unexpected":
					s.Failed++
					s.failures = append(s.failures, failure{
						spec.File + ": " + spec.Title, said.String() + "screenshots are in " + failures,
						fmt.Sprintf("make test-browser ARGS='tests/%s:%d'", strings.TrimPrefix(spec.File, "tests/"), spec.Line),
					})
				case "flaky":
					fmt.Fprintf(p.out, "passed at the second try: %s: %s\n", spec.File, spec.Title)
					s.Passed++
				default:
					s.Passed++
				}
			}
		}
	}
}

var colors = regexp.MustCompile("\x1b\\[[0-9;]*m")
