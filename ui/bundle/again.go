package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"spillway/ui/exec"
)

// texts are what a bundle says about itself besides its results.
var texts = []string{scenarioName, readmeName, citationName, environmentName, crateName}

// checkTexts writes the texts again. Where a bundle was made only its writer knows: that
// may be anything.
func (b *Bundle) checkTexts(o *exec.BundleRequest, v *exec.Verdict) {
	s, is := b.scenario, o.Redone[0]
	if s.paper == "" {
		if len(o.Told) < len(b.results) {
			cannot(v, fmt.Errorf("not all of its systems could be run"))
			return
		}
		for i, t := range o.Told {
			s.tell(&t, i == 0)
		}
		s.setup = is.Setup
	} else {
		s.workload, s.systems = is.Standing, is.Systems
	}
	made := &exec.BundleRequest{Version: b.manifest.Tool.Version}
	var where environmentFile
	if err := parse(environmentName, b.files[environmentName], &where); err == nil {
		made.Environment = where.Environment
	}
	again := map[string][]byte{}
	for name, text := range b.files {
		if name != manifestName && name != crateName {
			again[name] = text
		}
	}
	about(again, &s, made)
	if text, err := write(crate(again, &s, made)); err == nil {
		again[crateName] = text
	}
	for _, name := range texts {
		b.same(name, again[name], v)
	}
	for _, name := range sorted(b.files) {
		known := name == manifestName || name == claimsName || slices.Contains(texts, name)
		for _, folder := range []string{resultsFolder, figuresFolder} {
			known = known || strings.HasPrefix(name, folder)
		}
		if !known && !(s.opened && strings.HasPrefix(name, workloadFolder)) {
			v.Differences = append(v.Differences, exec.Difference{Where: name, Recorded: "a file", Got: "none"})
		}
	}
	b.otherwise(v, o.Version)
}

// Pictures compares pictures that this version drew again; err is why it could not.
func (b *Bundle) Pictures(drawn []exec.Drawn, version string, err error) *exec.Verdict {
	v := &exec.Verdict{Part: picturesPart}
	if err != nil {
		return cannot(v, err)
	}
	again := map[string][]byte{}
	for _, d := range drawn {
		again[pictureName(d.Name)] = []byte(d.SVG)
	}
	names := b.pictures()
	for name := range again {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if b.bad[name] {
			v.Finding, v.Says = exec.Damaged, name+" is not what the manifest says."
			return v
		}
		b.same(name, again[name], v)
	}
	b.otherwise(v, version)
	return v
}

// pictures lists the files of drawings.
func (b *Bundle) pictures() (names []string) {
	for name := range maps.Keys(b.files) {
		if strings.HasPrefix(name, figuresFolder) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// same compares a file with what it would be if it were written now.
func (b *Bundle) same(name string, again []byte, v *exec.Verdict) {
	recorded := b.files[name]
	if bytes.Equal(recorded, again) {
		return
	}
	if len(v.Differences) == mostDifferences {
		return
	}
	at, was, is := firstLine(recorded, again)
	v.Differences = append(v.Differences, exec.Difference{Where: fmt.Sprintf("%s:%d", name, at), Recorded: was, Got: is})
}

// otherwise concludes about texts or pictures: those of the same version must be the same,
// another may word and draw otherwise.
func (b *Bundle) otherwise(v *exec.Verdict, version string) {
	switch {
	case len(v.Differences) == 0: // replayed
	case version != "" && version == b.manifest.Tool.Version:
		v.Finding, v.Says = exec.Differs, "The same version wrote them, so that they should be identical."
	default:
		v.Finding, v.Says = exec.Agrees, "They are not as this version makes them. Another wrote them, which may word and draw otherwise; read them with that in mind."
	}
}

// rounds reports whether two JSON texts are the same but for the last digits of their
// numbers, and for hashes, which are of all digits.
func rounds(recorded, got []byte) bool {
	a, err1 := decode(recorded)
	c, err2 := decode(got)
	if err1 != nil || err2 != nil {
		return false
	}
	off, hashes := 0, 0
	return near(a, c, &off, &hashes) && (off > 0 || hashes == 0)
}

// decode reads JSON, numbers as they are written.
func decode(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// near compares two values of JSON, and counts the numbers and hashes that are not the same.
func near(a, c any, off, hashes *int) bool {
	switch a := a.(type) {
	case map[string]any:
		c, ok := c.(map[string]any)
		if !ok || len(a) != len(c) {
			return false
		}
		for key, x := range a {
			y, ok := c[key]
			if !ok {
				return false
			}
			if _, text := x.(string); text && key == "hash" {
				if x != y {
					*hashes++
				}
				continue
			}
			if !near(x, y, off, hashes) {
				return false
			}
		}
		return true
	case []any:
		c, ok := c.([]any)
		if !ok || len(a) != len(c) {
			return false
		}
		for i := range a {
			if !near(a[i], c[i], off, hashes) {
				return false
			}
		}
		return true
	case json.Number:
		c, ok := c.(json.Number)
		if !ok || a == c {
			return ok
		}
		*off++
		x, err1 := a.Float64()
		y, err2 := c.Float64()
		whole := !strings.ContainsAny(string(a)+string(c), ".eE") // a count
		return err1 == nil && err2 == nil && !whole && math.Abs(x-y) <= float64(Rounding*max(math.Abs(x), math.Abs(y)))
	}
	return a == c
}
