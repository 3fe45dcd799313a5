package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spillway/sim/hash"
)

// Open reads a bundle. An error says why it cannot be one; bytes that are not what
// its manifest says are no error, but what is damaged then is not checked.
func Open(data []byte) (*Bundle, error) {
	files, broken, err := unpack(data)
	if err != nil {
		return nil, err
	}
	b := &Bundle{files: files, bad: map[string]bool{}}
	if why, ok := broken[manifestName]; ok {
		return nil, fmt.Errorf("%s is damaged (%s); get the bundle again", manifestName, why)
	}
	if err := parse(manifestName, files[manifestName], &b.manifest); err != nil {
		return nil, err
	}
	m := &b.manifest
	switch {
	case m.Format != format:
		return nil, fmt.Errorf("%s: the format is %.40q; want %q", manifestName, m.Format, format)
	case m.Version > Version || m.Version < 1:
		return nil, fmt.Errorf("%s: version %d of the format; this Spillway reads up to %d. Reload the page, or get a newer command", manifestName, m.Version, Version)
	case m.Lab == "" || len(m.Files) == 0:
		return nil, fmt.Errorf("%s: it names no laboratory or no files", manifestName)
	}
	if err := b.compare(broken); err != nil {
		return nil, err
	}
	if b.bad[scenarioName] {
		return b, nil // nobody knows what ran
	}
	s, err := readScenario(string(files[scenarioName]))
	if err != nil {
		return nil, err
	}
	if b.scenario = *s; s.lab != m.Lab || s.paper != m.Paper {
		return nil, fmt.Errorf("%s is about lab %.40q, paper %.40q; %s says %.40q, %.40q", scenarioName, s.lab, s.paper, manifestName, m.Lab, m.Paper)
	}
	if m.Paper != "" {
		return b, b.readRuns()
	}
	return b, b.readResults()
}

// compare holds the bytes against the manifest.
func (b *Bundle) compare(broken map[string]string) error {
	m := &b.manifest
	listed := map[string]bool{manifestName: true}
	damage := func(name, format string, a ...any) {
		b.bad[name] = true
		b.damaged = append(b.damaged, name+": "+fmt.Sprintf(format, a...))
	}
	for _, f := range m.Files {
		if err := safe(f.Path); err != nil {
			return fmt.Errorf("%s: %w", manifestName, err)
		}
		if listed[f.Path] {
			return fmt.Errorf("%s lists %s twice, or itself", manifestName, f.Path)
		}
		listed[f.Path] = true
		text, ok := b.files[f.Path]
		switch is := hash.Sum(text); {
		case !ok:
			damage(f.Path, "it is missing")
		case broken[f.Path] != "":
			damage(f.Path, "%s", broken[f.Path])
		case len(text) != f.Bytes:
			damage(f.Path, "%d bytes where the manifest says %d", len(text), f.Bytes)
		case is != f.SHA256:
			damage(f.Path, "its SHA-256 begins with %.12s where the manifest says %.12s", is, f.SHA256)
		}
	}
	for _, name := range sorted(b.files) {
		if !listed[name] {
			damage(name, "the manifest does not list it")
		}
	}
	if root(m.Files) != m.Root {
		damage(manifestName, "its root is not that of its files")
	}
	if _, ok := b.files[scenarioName]; !ok || !listed[scenarioName] {
		return fmt.Errorf("there is no %s", scenarioName)
	}
	return nil
}

// readResults reads the result of every system.
func (b *Bundle) readResults() error {
	s := &b.scenario
	if len(s.systems) == 0 || len(s.systems) > mostFiles {
		return fmt.Errorf("%s names no systems", scenarioName)
	}
	for i, name := range s.systems {
		if slices.Contains(s.systems[:i], name) {
			return fmt.Errorf("%s names the system %.40q twice", scenarioName, name)
		}
		file := resultName(name)
		r := result{System: name, Title: name}
		if text, ok := b.files[file]; !ok {
			if !b.bad[file] {
				return fmt.Errorf("%s names the system %.40q, but there is no %.60s", scenarioName, name, file)
			}
		} else if !b.bad[file] {
			if err := parse(file, text, &r); err != nil {
				return err
			}
			if r.System != name || r.Lab != s.lab || r.Setup != s.setup {
				return fmt.Errorf("%s: it is a result of %.40q in %.40q with %.200q, not of what %s says", file, r.System, r.Lab, r.Setup, scenarioName)
			}
		}
		b.results = append(b.results, r)
	}
	for _, file := range slices.Sorted(maps.Keys(b.files)) {
		ours := slices.ContainsFunc(b.results, func(r result) bool { return resultName(r.System) == file })
		if !b.bad[file] && (file == claimsName || strings.HasPrefix(file, resultsFolder) && file != valuesName && !ours) {
			return fmt.Errorf("%s is of nothing that %s names, so that nobody could check it", file, scenarioName)
		}
	}
	return nil
}

// deepest is how deep JSON in a bundle may be nested; results need eight.
const deepest = 64

// parse reads JSON. The error says the line.
func parse(name string, text []byte, v any) error {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > deepest {
				return fmt.Errorf("%s:%d: nested deeper than %d", name, lineOf(text, i), deepest)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	err := json.Unmarshal(text, v)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%s:%d: %w", name, lineOf(text, int(syntax.Offset)), err)
	case errors.As(err, &kind):
		return fmt.Errorf("%s:%d: %s is a %s", name, lineOf(text, int(kind.Offset)), strings.TrimPrefix(kind.Field, "."), kind.Value)
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func lineOf(text []byte, offset int) int {
	return 1 + bytes.Count(text[:min(max(offset, 0), len(text))], []byte("\n"))
}
