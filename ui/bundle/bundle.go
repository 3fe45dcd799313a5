// Package bundle writes and checks reproducibility bundles: one zip with what ran,
// what came out, and a manifest with the SHA-256 of every file. Checking one
// computes its results again and says of each whether it was replayed, agrees or
// differs, and where.
//
// A bundle is deterministic: the same runs in the same environment give the same
// bytes. It is read as if somebody hostile had made it.
package bundle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/hash"
	"spillway/ui/exec"
	"spillway/ui/lab"
)

// Version is the version of the format of bundles.
const Version = 1

// Ext ends the name of a bundle's file.
const Ext = ".spillway.zip"

const format = "spillway-bundle"

// Names of files in a bundle.
const (
	manifestName    = "manifest.json"
	scenarioName    = "scenario.txt"
	environmentName = "environment.json"
	readmeName      = "README.md"
	citationName    = "CITATION.cff"
	crateName       = "ro-crate-metadata.json"
	claimsName      = "claims.json"
	runsName        = "results/runs.json"
	valuesName      = "results/values.csv"
	resultsFolder   = "results/"
	figuresFolder   = "figures/"
	workloadFolder  = "workload/"
)

// A manifest lists the files of a bundle.
type manifest struct {
	Format  string  `json:"format"` // "spillway-bundle"
	Version int     `json:"version"`
	Tool    tool    `json:"tool"`
	Lab     string  `json:"lab"`
	Paper   string  `json:"paper,omitempty"`
	Files   []entry `json:"files"`
	// Root is the SHA-256 of what sha256sum prints about the files, in their order.
	Root string `json:"root"`
}

type tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// An entry is one file.
type entry struct {
	Path   string `json:"path"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
	Role   string `json:"role"`
}

// role says what a file is for.
func role(path string) string {
	switch {
	case path == scenarioName:
		return "scenario"
	case path == claimsName:
		return "claims"
	case path == environmentName:
		return "environment"
	case strings.HasPrefix(path, workloadFolder):
		return "workload"
	case strings.HasPrefix(path, resultsFolder):
		return "result"
	case strings.HasPrefix(path, figuresFolder):
		return "figure"
	}
	return "about"
}

// root is the hash of a list of files.
func root(files []entry) string {
	var b strings.Builder
	for _, f := range files {
		b.WriteString(f.SHA256 + "  " + f.Path + "\n")
	}
	return hash.Sum([]byte(b.String()))
}

// A scenario is what ran.
type scenario struct {
	lab, paper, setup, link, workload string
	// origin is where the workload came from, and notes what all results say that the
	// reader should know; the README has them.
	origin  string
	notes   []string
	opened  bool // the workload is in the bundle
	systems []string
}

// tell adds what the run of one more system says: notes stay that all say.
func (s *scenario) tell(t *exec.Told, first bool) {
	s.workload, s.origin = t.About, t.Origin
	if first {
		s.notes = t.Notes
	}
	s.notes = slices.DeleteFunc(slices.Clone(s.notes), func(n string) bool { return !slices.Contains(t.Notes, n) })
}

// text is the scenario for people, and for read.
func (s *scenario) text() string {
	var b strings.Builder
	line := func(key, value string) {
		if value != "" {
			b.WriteString(key + ": " + oneLine(value) + "\n")
		}
	}
	line("lab", s.lab)
	line("paper", s.paper)
	line("systems", strings.Join(s.systems, ","))
	line("setup", s.setup)
	line("link", s.link)
	line("workload", s.workload)
	if s.opened {
		line("files", strings.TrimSuffix(workloadFolder, "/"))
	}
	return b.String()
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// readScenario is the inverse of text. The error says the line.
func readScenario(text string) (*scenario, error) {
	s := &scenario{}
	seen := map[string]bool{}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		bad := func(format string, a ...any) (*scenario, error) {
			return nil, fmt.Errorf("%s:%d: %s", scenarioName, i+1, fmt.Sprintf(format, a...))
		}
		key, value, ok := strings.Cut(line, ": ")
		switch {
		case !ok:
			return bad("%.60q is no line of the kind key: value", line)
		case seen[key]:
			return bad("there is a second %q", key)
		}
		seen[key] = true
		switch key {
		case "lab":
			s.lab = value
		case "paper":
			s.paper = value
		case "systems":
			s.systems = strings.Split(value, ",")
		case "setup":
			s.setup = value
		case "link":
			s.link = value
		case "workload":
			s.workload = value
		case "files":
			s.opened = true
		}
	}
	return s, nil
}

// A result is a file results/SYSTEM.json.
type result struct {
	Lab    string             `json:"lab"`
	System string             `json:"system"`
	Title  string             `json:"title"`
	Setup  string             `json:"setup"`
	Fits   bool               `json:"fits"`
	Reason string             `json:"reason,omitempty"`
	About  string             `json:"about"`
	Values map[string]float64 `json:"values"` // by quantity
	Hash   string             `json:"hash"`   // of the whole result
	Result json.RawMessage    `json:"result"` // as the laboratory writes it
}

// resultName is the file of a system. No stable name has anything that a path may
// not have, but "deepum+".
func resultName(system string) string { return resultsFolder + system + ".json" }

// A Bundle is an opened bundle.
type Bundle struct {
	manifest manifest
	scenario scenario
	files    map[string][]byte
	results  []result        // by system
	runs     []exec.PaperRun // of a paper
	damaged  []string        // what is wrong, in words
	bad      map[string]bool
}

// Info is what it says about itself.
func (b *Bundle) Info() *exec.BundleInfo {
	i := &exec.BundleInfo{
		Lab: b.manifest.Lab, Paper: b.manifest.Paper, Version: b.manifest.Tool.Version,
		Setup: b.scenario.setup, Systems: b.scenario.systems, Workload: b.scenario.workload, Opened: b.scenario.opened, Damaged: b.damaged,
		Pictures: len(b.pictures()), Link: b.scenario.link, Root: b.manifest.Root,
	}
	part := func(title string, ask exec.Ask) {
		at := &ask
		if b.needed(len(i.Parts)) != "" {
			at = nil
		}
		i.Parts, i.Asks = append(i.Parts, title), append(i.Asks, at)
	}
	for k := range b.results {
		part(b.results[k].Title, exec.Ask{Setup: b.results[k].Setup, System: b.results[k].System})
	}
	for k := range b.runs {
		part(b.runs[k].Run, exec.Ask{Paper: b.manifest.Paper, Run: b.runs[k].Run})
	}
	if len(i.Parts) == 0 {
		return i // nobody knows what ran
	}
	part(textsPart, exec.Ask{Setup: b.scenario.setup, Paper: b.manifest.Paper})
	if b.manifest.Paper != "" {
		part(claimsPart, exec.Ask{Paper: b.manifest.Paper, Claims: true})
	}
	return i
}

// Parts that are no runs: what is written about them, the pictures of them, and, last of a
// paper, its claims.
const (
	textsPart    = "texts"
	picturesPart = "pictures"
	claimsPart   = "claims"
)

// Workload is the files that its runs are about, nil for a bundled workload.
func (b *Bundle) Workload() []lab.File {
	if !b.scenario.opened {
		return nil
	}
	var list []lab.File
	for _, f := range b.manifest.Files {
		if name, ok := strings.CutPrefix(f.Path, workloadFolder); ok {
			list = append(list, lab.File{Name: name, Data: b.files[f.Path]})
		}
	}
	return list
}

// Unbind opens files that are a bundle. Without an error it is nil for those that are none.
func Unbind(files []lab.File) (*Bundle, error) {
	if len(files) != 1 || !Is(files[0].Data) {
		return nil, nil
	}
	b, err := Open(files[0].Data)
	if err != nil {
		return nil, fmt.Errorf("%s is a Spillway bundle that cannot be checked: %w", files[0].Name, err)
	}
	return b, nil
}
