package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"spillway/build/tree"
)

// A bill lists what software is in a release, as CycloneDX 1.6 has it. It names no time and no
// machine, so that the same sources have the same.
type bill struct {
	Schema       string       `json:"$schema"`
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     billMetadata `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

// A billMetadata says what the bill is of.
type billMetadata struct {
	Lifecycles []map[string]string `json:"lifecycles"`
	Component  component           `json:"component"`
}

// A component is a module, or a file of the release.
type component struct {
	Ref        string              `json:"bom-ref"`
	Type       string              `json:"type"`
	Name       string              `json:"name"`
	Version    string              `json:"version,omitempty"`
	Scope      string              `json:"scope,omitempty"`
	Hashes     []billHash          `json:"hashes,omitempty"`
	Licenses   []map[string]any    `json:"licenses,omitempty"`
	Purl       string              `json:"purl,omitempty"`
	Properties []map[string]string `json:"properties,omitempty"`
	Components []component         `json:"components,omitempty"`
}

// A billHash is the hash of a component.
type billHash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// A dependency says what a component has inside.
type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

// A module is a Go module as go list and go.sum have it.
type module struct{ path, version, sum string }

// A npmPack is a package of the lock file.
type npmPack struct{ name, version, integrity, license string }

// bundled are the npm packages whose code is in the site; build/site/echarts.mjs imports them.
var bundled = []string{"echarts", "tslib", "zrender"}

// bill adds the list of the software in all that was made.
func (b *builder) bill(ctx context.Context, s made, all files) error {
	modules, err := b.modules(ctx)
	if err != nil {
		return err
	}
	lock, err := b.read("build/package-lock.json")
	if err != nil {
		return err
	}
	packs, err := locked(lock, bundled)
	if err != nil {
		return err
	}
	compiler, err := b.gotool(ctx, nil, "env", "GOVERSION")
	if err != nil {
		return err
	}
	data, err := billOf(s, strings.TrimSpace(string(compiler)), modules, packs, all)
	return errors.Join(err, tree.Add(all, "spillway-"+s.release+".cdx.json", data))
}

// modules are those whose packages are in one of the programs, natively or in a browser. What go.mod puts in
// the place of a module lies in this repository.
func (b *builder) modules(ctx context.Context) ([]module, error) {
	text, err := b.read("go.sum")
	if err != nil {
		return nil, err
	}
	sums := goSums(string(text))
	found := map[module]bool{}
	format := "{{with .Module}}{{if not (or .Main .Replace)}}{{.Path}} {{.Version}}{{end}}{{end}}"
	for _, of := range [][]string{
		{"GOOS=linux", "GOARCH=amd64", "./build/spillway"},
		{"GOOS=windows", "GOARCH=amd64", "./build/spillway"},
		{"GOOS=js", "GOARCH=wasm", "./build/spillway", "./wasm", "./wasm/files", "./ui/lab/all", "./wasm/worker"},
	} {
		out, err := b.gotool(ctx, of[:2], append([]string{"list", "-deps", "-f", format}, of[2:]...)...)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(out)) {
			path, version, ok := strings.Cut(strings.TrimSpace(line), " ")
			if ok {
				found[module{path, version, sums[path+" "+version]}] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b module) int { return strings.Compare(a.path+" "+a.version, b.path+" "+b.version) }), nil
}

// goSums reads go.sum: the hash of each module's files, in hexadecimal.
func goSums(text string) map[string]string {
	sums := map[string]string{}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) != 3 || strings.HasSuffix(f[1], "/go.mod") {
			continue
		}
		if raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(f[2], "h1:")); err == nil {
			sums[f[0]+" "+f[1]] = hex.EncodeToString(raw)
		}
	}
	return sums
}

// locked reads packages of npm's lock file.
func locked(text []byte, names []string) ([]npmPack, error) {
	var lock struct {
		Packages map[string]struct{ Version, Integrity, License string }
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, fmt.Errorf("build/package-lock.json: %w", err)
	}
	var all []npmPack
	for _, name := range names {
		p, ok := lock.Packages["node_modules/"+name]
		if !ok {
			return nil, fmt.Errorf("build/package-lock.json has no %s", name)
		}
		all = append(all, npmPack{name, p.Version, p.Integrity, p.License})
	}
	return all, nil
}

// isID says what looks like the short name of a license in SPDX's list.
var isID = regexp.MustCompile(`^[A-Za-z0-9.-]+$`)

// billOf lists the compiler's library, modules and packages as what the release depends on, and its files
// with their hashes.
func billOf(s made, compiler string, modules []module, packs []npmPack, all files) ([]byte, error) {
	apache := []map[string]any{{"license": map[string]string{"id": "Apache-2.0"}}}
	main := component{
		Ref: "spillway", Type: "application", Name: "spillway", Version: s.release, Licenses: apache,
		Properties: []map[string]string{{"name": "spillway:site", "value": s.version}},
	}
	for _, name := range tree.Names(all) {
		if released(name) {
			main.Components = append(main.Components, component{Ref: "file:" + name, Type: "file", Name: name, Hashes: []billHash{{"SHA-256", sum(all[name])}}})
		}
	}
	version := strings.TrimPrefix(compiler, "go")
	list := []component{{
		Ref: "pkg:golang/std@" + version, Type: "library", Name: "std", Version: version, Scope: "required", Purl: "pkg:golang/std@" + version,
		Licenses: []map[string]any{{"license": map[string]string{"id": "BSD-3-Clause"}}},
	}}
	for _, m := range modules {
		purl := "pkg:golang/" + m.path + "@" + url.PathEscape(m.version)
		c := component{Ref: purl, Type: "library", Name: m.path, Version: m.version, Scope: "required", Purl: purl}
		if m.sum != "" {
			c.Hashes = []billHash{{"SHA-256", m.sum}}
		}
		list = append(list, c)
	}
	for _, p := range packs {
		purl := "pkg:npm/" + p.name + "@" + p.version
		c := component{Ref: purl, Type: "library", Name: p.name, Version: p.version, Scope: "required", Purl: purl}
		if raw, ok := strings.CutPrefix(p.integrity, "sha512-"); ok {
			sum, err := base64.StdEncoding.DecodeString(raw)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
			c.Hashes = []billHash{{"SHA-512", hex.EncodeToString(sum)}}
		}
		if isID.MatchString(p.license) {
			c.Licenses = []map[string]any{{"license": map[string]string{"id": p.license}}}
		}
		list = append(list, c)
	}
	root := dependency{Ref: "spillway", On: []string{}}
	depends := []dependency{}
	for _, c := range list {
		root.On = append(root.On, c.Ref)
		depends = append(depends, dependency{c.Ref, []string{}})
	}
	of := bill{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata:   billMetadata{Lifecycles: []map[string]string{{"phase": "build"}}, Component: main},
		Components: list, Dependencies: append([]dependency{root}, depends...),
	}
	text, err := json.Marshal(of)
	if err != nil {
		return nil, err
	}
	of.Serial = serial(text)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err = e.Encode(of)
	return b.Bytes(), err
}

// serial is a name made of a content, in the form of a UUID of version 8.
func serial(content []byte) string {
	s := []byte(sum(content))[:32]
	s[12], s[16] = '8', "89ab"[s[16]%4]
	return fmt.Sprintf("urn:uuid:%s-%s-%s-%s-%s", s[:8], s[8:12], s[12:16], s[16:20], s[20:])
}
