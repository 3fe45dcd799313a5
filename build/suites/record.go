package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// recordFile says what passed last of what does not run each time. It is part of the
// repository: who runs it commits it.
const recordFile = "build/suites/record.json"

// A record is the content of recordFile.
type record struct {
	// Nightly has every task of make nightly that passed; inputs: the engines. What passed
	// with those that are there is not run again, so that a night can be cut into pieces.
	Nightly  map[string]passed `json:"nightly"`
	Outsider passed            `json:"outsider"` // inputs: the documents with examples, and what they patch
}

// passed is when something passed last, and with which inputs.
type passed struct {
	Date    string  `json:"date,omitempty"`
	Commit  string  `json:"commit,omitempty"`
	Inputs  string  `json:"inputs,omitempty"` // a hash
	Result  string  `json:"result,omitempty"`
	Minutes float64 `json:"minutes,omitempty"`
}

func readRecord() (*record, error) {
	r := &record{}
	data, err := os.ReadFile(recordFile)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(data, r)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; git checkout %s brings it back", recordFile, err, recordFile)
	}
	return r, nil
}

func (r *record) write() error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(recordFile, append(data, '\n'), 0o644)
}

// engines are the folders whose change asks for a nightly run.
var engines = []string{"sim"}

// seams are the documents whose examples build/outsider applies, and the lists and tests
// that the examples change.
var seams = []string{"public/docs/seams.md", "build/outsider", "ui/lab/all", "ui/lab/lab.go", "build/arch", "sim/train/train.go", "traces/traces.go", "traces/zoo", "sim/train/machine", "ui/lab/store/papers"}

// inputs is a hash of the files below some places, tests' samples left out.
func inputs(places []string) (string, error) {
	out, err := git(append([]string{"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"}, places...)...)
	if err != nil {
		return "", err
	}
	names := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range slices.Compact(names) {
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) || strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, outsiders) || strings.Contains(name, "/testdata/") {
			continue
		}
		if err != nil {
			return "", err
		}
		content := sha256.Sum256(data)
		fmt.Fprintf(sum, "%s %x\n", name, content)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// outsiderStale reports whether the outsider's tests have to run: its documents or lists
// are not those that they passed with. As long as they have not passed, nobody waits for
// them: make rest says so.
func outsiderStale(r *record) bool {
	now, err := inputs(seams)
	return r.Outsider.Inputs != "" && (err != nil || now != r.Outsider.Inputs)
}

// due is a nightly run without what passed at night with the engines as they are; names
// are the tasks that it is about.
func (r *record) due(night run) (rest run, names []string, err error) {
	now, err := inputs(engines)
	if err != nil {
		return run{}, nil, err
	}
	needed := map[string]bool{}
	for _, t := range slices.Backward(night.tasks) { // what is needed stands before
		p := r.Nightly[t.name]
		if p.Inputs == now && !needed[t.name] {
			rest.left = append(rest.left, fmt.Sprintf("%s: passed on %s at %.7s with these engines", t.name, p.Date, p.Commit))
			continue
		}
		if p.Inputs != now {
			names = append(names, t.name)
		}
		rest.tasks = append(rest.tasks, t)
		for _, name := range t.needs {
			needed[name] = true
		}
	}
	slices.Reverse(rest.tasks)
	slices.Reverse(names)
	slices.Reverse(rest.left)
	rest.left = append(rest.left, night.left...)
	return rest, names, nil
}

// keepNightly notes a task that has passed at night, at once: what follows may be ended.
func (r *record) keepNightly(name string, took time.Duration) error {
	p, err := now(engines, "passed", took)
	if err != nil {
		return err
	}
	if r.Nightly == nil {
		r.Nightly = map[string]passed{}
	}
	r.Nightly[name] = p
	return r.write()
}

// now makes the record of something that has passed just now.
func now(places []string, result string, took time.Duration) (passed, error) {
	sum, err := inputs(places)
	if err != nil {
		return passed{}, err
	}
	commit, err := git("rev-parse", "HEAD")
	return passed{time.Now().UTC().Format("2006-01-02"), strings.TrimSpace(commit), sum, result, float64(int(took.Minutes()*10)) / 10}, err
}
