// Package hf reads what Hugging Face's transformers writes beside a model: config.json, and the
// index of a checkpoint in several files. Weights themselves are not read. FORMAT.md says which
// architectures are known and what is taken from a file.
package hf

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/model"
	"spillway/traces/jsonx"
)

const (
	maxConfig = 16 << 20 // bytes of a config.json; those of published models have some thousands, or megabytes where they list labels
	maxIndex  = 64 << 20 // bytes of an index
	headBytes = 64 << 10 // that IsConfig and IsIndex look at
)

// A Model is what a config.json says.
type Model struct {
	Arch model.Arch
	// Notes say what was taken from the defaults of transformers, and what the file has that
	// is not simulated.
	Notes []string
}

// ReadConfig reads a config.json. name is the file's, in errors. The error says what is missing or
// not known, and where: an architecture that is none of the families names those that are. An Arch
// that is returned passes its Check.
func ReadConfig(name string, data []byte) (*Model, error) {
	data = text(data)
	if len(data) > maxConfig {
		return nil, fmt.Errorf("%s: %d bytes; a config.json of a model has at most %d", name, len(data), maxConfig)
	}
	outer := object{data: data}
	if err := jsonx.Unmarshal(data, &outer.values); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if outer.has("weight_map") {
		return nil, fmt.Errorf("%s: this is the index of a checkpoint; the model is in the config.json beside it", name)
	}
	o := outer.language()
	f, err := find(o, &outer)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	a := model.Arch{Source: name + ", model_type " + f.name}
	f.read(o, &a)
	o.ignored()
	if err := o.err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := a.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	a.Title = title(name, outer.plain("_name_or_path"), f.name, &a)
	a.Name = slug(a.Title)
	return &Model{Arch: a, Notes: o.notes}, nil
}

// title is what a model is called: by the file's own word, by the name of the file or of its
// folder, or by family and size.
func title(file, path, family string, a *model.Arch) string {
	path, file = strings.TrimRight(path, `/\`), strings.TrimRight(file, `/\`)
	folder := file[:max(0, strings.LastIndexAny(file, `/\`))]
	for _, s := range []string{path, file, folder} {
		s = s[strings.LastIndexAny(s, `/\`)+1:]
		s = strings.TrimSuffix(s, ".json")
		s = strings.TrimSuffix(strings.TrimPrefix(s, "config."), "config")
		s = strings.Trim(strings.Map(printable, s), " ._-")
		if r := []rune(s); len(r) > 60 {
			s = string(r[:60])
		}
		if strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }) {
			return s
		}
	}
	return fmt.Sprintf("%s, %d layers of %d", family, a.Encoder+a.Layers, a.Hidden)
}

// printable keeps letters, digits and a few signs of ASCII.
func printable(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune(" .-_+", r):
		return r
	}
	return -1
}

// slug is a title as a name.
func slug(s string) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune(" ,_+", r) {
			return '-'
		}
		return r
	}, strings.ToLower(s))
	for strings.Contains(s, "--") {
		s = strings.ReplaceAll(s, "--", "-")
	}
	return s
}

// text is data without a mark of byte order.
func text(data []byte) []byte {
	return jsonx.WithoutNonFinite(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
}

// IsConfig reports whether a file's beginning looks like a config.json of a model.
func IsConfig(data []byte) bool {
	return begins(data, "model_type", "architectures") && !IsIndex(data)
}

// IsIndex reports whether a file's beginning looks like an index of safetensors.
func IsIndex(data []byte) bool { return begins(data, "weight_map") }

// begins reports whether data is an object that soon has one of the keys.
func begins(data []byte, keys ...string) bool {
	data = bytes.TrimLeft(text(data[:min(len(data), headBytes)]), " \t\r\n")
	return bytes.HasPrefix(data, []byte("{")) && slices.ContainsFunc(keys, func(key string) bool {
		for rest := data; ; {
			_, after, found := bytes.Cut(rest, []byte(`"`+key+`"`))
			if !found {
				return false
			}
			if rest = bytes.TrimLeft(after, " \t\r\n"); bytes.HasPrefix(rest, []byte(":")) {
				return true
			}
		}
	})
}
