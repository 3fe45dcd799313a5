package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"spillway/ui/exec"
	"spillway/ui/lab"
)

// A recordedRun is a run in a file of results: of the page, versions 2 and 3, or what run
// --json printed, as an object or in an array. Version 2 of the page has only the result.
type recordedRun struct {
	exec.Record
	Status string
	Result json.RawMessage
}

// readResults reads a file of results; nil is no such file.
func readResults(data []byte) ([]recordedRun, error) {
	var file struct {
		Format     string
		Version    int
		Lab, Setup string
		Runs       []recordedRun
	}
	switch data = bytes.TrimSpace(data); {
	case bytes.HasPrefix(data, []byte("[")):
		var list []recordedRun
		if json.Unmarshal(data, &list) != nil || len(list) == 0 || list[0].Lab == "" || list[0].System == "" {
			return nil, nil
		}
		return list, nil
	case !bytes.HasPrefix(data, []byte("{")):
		return nil, nil
	}
	if json.Unmarshal(data, &file) != nil || file.Format != "spillway-results" {
		var one recordedRun
		if json.Unmarshal(data, &one) != nil || one.Lab == "" || one.System == "" || one.Hash == "" {
			return nil, nil
		}
		return []recordedRun{one}, nil
	}
	if file.Version < 2 || file.Version > newestResults {
		return nil, fmt.Errorf("version %d of results; this program reads 2 to %d", file.Version, newestResults)
	}
	var list []recordedRun
	for _, r := range file.Runs {
		r.Lab, r.Setup = file.Lab, file.Setup
		if r.Result != nil {
			list = append(list, r) // what did not run has none
		}
	}
	return list, nil
}

// newestResults is the newest version of the page's files.
const newestResults = 3

// nearly is how far values may be off that agree.
const nearly = 1e-12

// checkResults computes what a file of results has again.
func (s *shell) checkResults(list []recordedRun) (*checked, error) {
	c := &checked{Lab: list[0].Lab, Setup: list[0].Setup, Version: list[0].Program, Damaged: []string{}}
	worst := exec.Replayed
	for i := range list {
		r := &list[i]
		door, err := s.door(r.Lab)
		if err != nil {
			return nil, err
		}
		l := door.New()
		finding, differences, err := r.check(&l)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.System, err)
		}
		worst = max(worst, finding)
		c.Parts = append(c.Parts, checkedPart{Part: r.System, Finding: finding.String(), Differences: differences, found: finding})
	}
	c.Finding, c.worst = worst.String(), worst
	return c, nil
}

// check runs it again.
func (r *recordedRun) check(l *lab.Lab) (exec.Finding, []checkedDifference, error) {
	u, err := l.Read(r.Setup)
	switch {
	case err != nil:
		return 0, nil, err
	case l.Entry != "" && u.Text(l.Entry) != "":
		return 0, nil, fmt.Errorf("it ran a file, %q, which is not among the results; a bundle has it", u.Text(l.Entry))
	}
	rep, raw, err := l.Run(u, r.System, nil, nil)
	if err != nil {
		return 0, nil, err
	}
	if r.Hash == "" {
		text, err := l.JSON(raw)
		if err != nil || same(text, r.Result) {
			return exec.Replayed, nil, err
		}
		return exec.Differs, []checkedDifference{{Where: "result", Recorded: "another", Got: strconv.Itoa(len(text)) + " bytes"}}, nil
	}
	if r.Hash == l.Hash(raw) {
		return exec.Replayed, nil, nil
	}
	now := exec.RecordOf(&l.Info, r.System, u)
	now.Say(&l.Info, rep, "")
	var list []checkedDifference
	for i := range l.Quantities {
		key := l.Quantities[i].Key
		was, had := r.Values[key]
		is, has := now.Values[key]
		if had == has && math.Abs(is-was) <= nearly*math.Abs(was) {
			continue
		}
		list = append(list, checkedDifference{Where: key, Recorded: number(r.Values, key), Got: number(now.Values, key)})
	}
	if r.Fits != now.Fits {
		list = slices.Insert(list, 0, checkedDifference{Where: "fits", Recorded: strconv.FormatBool(r.Fits), Got: strconv.FormatBool(now.Fits)})
	}
	if len(list) > 0 {
		return exec.Differs, list, nil
	}
	return exec.Agrees, nil, nil
}

// same reports whether two JSON texts differ in blanks at most.
func same(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
