package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"spillway/build/tree"
	"spillway/sim/study"
	labs "spillway/ui/lab/all"
	"spillway/ui/wire"
)

// addPapers writes what runs of papers say, as recorded beside each: papers-NAME.info has those of
// a laboratory, which the page asks for when Reproduce is opened. boot.js knows its hash, so that
// a page never shows what another build recorded. A paper of which nothing is recorded has
// nothing to show before it has run.
func (s site) addPapers() error {
	for _, door := range labs.Labs {
		l := door.New()
		var list []study.Recording
		for _, p := range l.Studies() {
			name := path.Join("ui/lab", door.Package, "papers", p.Key, "recorded.txt")
			text, err := os.ReadFile(name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			var outcomes []study.Outcome
			if err == nil {
				outcomes, err = p.ReadRecorded(name, string(text))
			}
			if err != nil {
				return fmt.Errorf("%w; it is written with: go test ./ui/lab/all -run '^TestRecorded$/^%s$' -update", err, p.Key)
			}
			list = append(list, study.Recording{Paper: p.Key, Outcomes: outcomes, Seconds: study.RecordedSeconds(string(text))})
		}
		data, err := wire.Marshal(&list)
		if err == nil {
			err = tree.Add(s, "papers-"+door.Name+".info", data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
