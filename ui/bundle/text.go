package bundle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"spillway/sim/hash"
	"spillway/ui/exec"
)

func sorted(files map[string][]byte) []string { return slices.Sorted(maps.Keys(files)) }

// readme says what a bundle is and, in three lines, how to check it.
func readme(s *scenario, o *exec.BundleRequest) string {
	what := "the runs of " + strings.Join(s.systems, ", ") + " on one workload: " + oneLine(s.workload)
	if s.paper != "" {
		what = "everything that was computed to reproduce the paper " + s.paper + ", and its claims"
	}
	trust := ""
	if s.origin != "" {
		trust = "\nWhere the workload comes from: " + oneLine(s.origin) + "\n"
	}
	if len(s.notes) > 0 {
		trust += "\nOf all results:\n\n"
	}
	for _, n := range s.notes {
		trust += "- " + oneLine(n) + "\n"
	}
	return fmt.Sprintf(`# A reproducibility bundle of Spillway

It holds %s
%s
How to check it:

1. Drop this zip on any page of Spillway: it computes every result again and says *replayed*, *agrees* or *differs*, and where.
2. Or run `+"`spillway check FILE`"+` (`+"`go run ./build/spillway check FILE`"+` in its sources): exit code 0 replayed or agrees, 1 differs, 2 cannot be checked.
3. The bytes alone: `+"`sha256sum`"+` of every file is in manifest.json.

Files: scenario.txt says what ran, results/ what came out, workload/ (if there is one) what files were opened, figures/ (if there are any) are drawings of the results, environment.json says where it ran. All numbers are computed again and all texts written again; the command draws the figures again, too.

Written by Spillway, version %s.
`, what, trust, orUnknown(o.Version))
}

func orUnknown(version string) string {
	if version == "" {
		return "unknown"
	}
	return oneLine(version)
}

// citation is a CITATION.cff.
func citation(version string) string {
	return fmt.Sprintf(`cff-version: 1.2.0
message: If you use these results, please cite Spillway and the papers of the systems that are compared.
type: software
title: "Spillway: memory and storage simulators in the browser"
authors:
  - name: The Spillway authors
version: %q
license: Apache-2.0
`, orUnknown(version))
}

// An environmentFile is the file environment.json.
type environmentFile struct {
	Tool        string `json:"tool"`
	Version     string `json:"version"`
	Environment string `json:"environment"`
}

// environment says where a bundle was made, which nobody can check.
func environment(o *exec.BundleRequest) []byte {
	text, err := write(environmentFile{"spillway", orUnknown(o.Version), o.Environment})
	if err != nil {
		return []byte("{}\n") // three texts are always written
	}
	return text
}

// crate describes the files as an RO-Crate.
func crate(files map[string][]byte, s *scenario, o *exec.BundleRequest) any {
	type node = map[string]any
	ref := func(id string) node { return node{"@id": id} }
	parts, graph := []node{}, []node{}
	for _, name := range sorted(files) {
		parts = append(parts, ref(name))
		graph = append(graph, node{"@id": name, "@type": "File", "name": role(name) + ": " + name, "contentSize": fmt.Sprint(len(files[name])), "sha256": hash.Sum(files[name])})
	}
	about := "Spillway runs of " + strings.Join(s.systems, ", ")
	if s.paper != "" {
		about = "Reproduction of the paper " + s.paper + " with Spillway"
	}
	return node{
		"@context": "https://w3id.org/ro/crate/1.1/context",
		"@graph": append([]node{
			{"@id": crateName, "@type": "CreativeWork", "conformsTo": ref("https://w3id.org/ro/crate/1.1"), "about": ref("./")},
			{"@id": "./", "@type": "Dataset", "name": about, "description": oneLine(s.workload), "license": ref("https://www.apache.org/licenses/LICENSE-2.0"), "hasPart": parts, "mentions": ref("#spillway")},
			{"@id": "#spillway", "@type": "SoftwareApplication", "name": "Spillway", "version": orUnknown(o.Version)},
		}, graph...),
	}
}
