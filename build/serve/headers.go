package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
)

// A rule is one block of a _headers file, the format static hosts share: a
// path, which may end in *, and below it indented "Name: value" lines.
type rule struct {
	path   string
	fields [][2]string
}

// apply sets the rule's headers if it covers the path; later rules win.
func (r rule) apply(h http.Header, path string) {
	if prefix, ok := strings.CutSuffix(r.path, "*"); ok {
		if !strings.HasPrefix(path, prefix) {
			return
		}
	} else if path != r.path {
		return
	}
	for _, f := range r.fields {
		h.Set(f[0], f[1])
	}
}

// readHeaders reads a site's _headers file; a site without one has no rules.
func readHeaders(root fs.FS) ([]rule, error) {
	const file = "_headers"
	data, err := fs.ReadFile(root, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseHeaders(file, string(data))
}

func parseHeaders(file, text string) ([]rule, error) {
	var rules []rule
	n := 0
	for line := range strings.Lines(text) {
		n++
		field := strings.TrimSpace(line)
		switch {
		case field == "" || strings.HasPrefix(field, "#"):
		case line[0] != ' ' && line[0] != '\t':
			rules = append(rules, rule{path: field})
		default:
			name, value, ok := strings.Cut(field, ":")
			if !ok || len(rules) == 0 {
				return nil, fmt.Errorf("%s:%d: %q: want a path, or below one an indented \"Name: value\"", file, n, field)
			}
			last := &rules[len(rules)-1]
			last.fields = append(last.fields, [2]string{strings.TrimSpace(name), strings.TrimSpace(value)})
		}
	}
	return rules, nil
}
