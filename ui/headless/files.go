package headless

import (
	"errors"
	"strings"

	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/session"
)

// A Reader reads files for a laboratory; package files has it.
type Reader func(l *lab.Lab, files []lab.File) (lab.Files, error)

// ShowFiles is Show for a link about opened files, which are given.
func ShowFiles(l lab.Lab, read Reader, fragment string, files []lab.File) (*session.Session, error) {
	h := &host{bench: exec.Executor{Lab: l, Reader: read}, files: files}
	n := session.New([]session.Tab{{Name: l.Name, Title: l.Title, About: l.About}}, fragment, h)
	info := l.Complete()
	n.Enter(&info, "")
	names := make([]string, len(files))
	for i := range files {
		names[i] = files[i].Name
	}
	n.Open(names, func(number, _ int) { h.bench.Open(number, files) })
	if err := h.work(n); err != nil {
		return nil, err
	}
	if why := n.Runs.Blocked(); why != "" {
		return nil, errors.New(strings.TrimSuffix(why, "."))
	}
	return n, nil
}
