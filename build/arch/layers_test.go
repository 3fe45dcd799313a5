package arch

import (
	"bytes"
	"go/ast"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spillway/build/effort"
)

// A layer is a package above the simulator, or several ("x/*"), and the
// packages of the module it may import: "x" itself, or with "x/..." also what is
// below it. The simulator's packages have their place in simOrder.
type layer struct {
	name string
	may  []string
}

// layers lists every package outside sim. The first that fits a folder counts.
var layers = []layer{
	{"traces/quote", nil}, // strings as JSON
	{"traces/jsonx", nil}, // decoding with limits; knows no format
	{"traces", []string{"sim/unit", "sim/knob", "sim/workload", "traces/..."}},
	{"traces/archive/archivetest", nil}, // packs files; only tests import it
	{"traces/archive", nil},             // takes dropped files apart; knows no format

	// What people drop, whatever it is about: no laboratory but as a word.
	{"traces/contents", []string{"sim/unit", "sim/compress/buddy", "sim/compress/sample", "traces/archive", "traces/handed", "traces/tensorfile"}}, // another subject: bytes, and what was measured of them
	{"traces/chakra", []string{"sim/unit", "sim/workload", "traces/chakra/write", "traces/protobuf", "traces/recording"}},
	{"traces/chakra/write", []string{"traces/protobuf"}}, // writes what package chakra reads
	{"traces/door", []string{"sim/unit", "sim/prose", "sim/kerneltime", "sim/workload", "sim/cxlssd/stream", "sim/filesys/load", "traces/..."}},
	// What crosses from the program that reads files to laboratories: types alone.
	{"traces/handed", []string{"sim/compress/sample", "sim/kerneltime", "sim/workload", "sim/cxlssd/stream", "sim/filesys/load", "sim/model", "sim/serve/load", "sim/store/ops", "traces/recording"}},

	{"traces/zoo", []string{"sim/unit", "sim/kerneltime", "sim/workload", "traces/g10"}},                                           // builds its graphs with the artifact's layers
	{"traces/eager", []string{"sim/unit", "sim/kerneltime", "sim/workload"}},                                                       // PyTorch's own lowering of networks; files have none of it
	{"traces/networks", []string{"sim/unit", "sim/kerneltime", "sim/workload"}},                                                    // networks by their public names, as kernels of the law
	{"traces/opstrace", []string{"sim/unit", "sim/store/ops"}},                                                                     // another subject: operations, no workloads
	{"traces/address", []string{"sim/unit", "sim/prose", "sim/cxlssd/stream", "traces/lines"}},                                     // another subject: requests to memory
	{"traces/hf", []string{"sim/unit", "sim/prose", "sim/model", "traces/jsonx", "traces/networks", "traces/quote"}},               // architectures, and checkpoints' indices
	{"traces/fscalls", []string{"sim/unit", "sim/prose", "sim/filesys/call", "sim/filesys/load", "traces/lines"}},                  // another subject: calls of a file system
	{"traces/requests/lengths", []string{"sim/serve/load"}},                                                                        // a histogram of a trace, with no reader
	{"traces/requests/conversation", []string{"sim/unit", "sim/serve/load"}},                                                       // some of a trace, with no reader
	{"traces/requests", []string{"sim/unit", "sim/prose", "sim/serve/load", "traces/handed", "traces/jsonstream", "traces/lines"}}, // another subject: what services of language models were asked
	{"traces/lines", nil},      // texts of any size, line by line; knows no format
	{"traces/jsonstream", nil}, // JSON of any size; knows no format
	{"traces/protobuf", nil},   // the wire format; knows no message
	{"traces/pickle", nil},     // Python's, data only
	{"traces/recording", []string{"sim/unit", "sim/kerneltime", "sim/workload", "sim/vitality"}},                                                                     // what recordings of training jobs say, whatever wrote them
	{"traces/torch", []string{"sim/unit", "sim/workload", "traces/jsonstream", "traces/recording", "traces/kineto", "traces/et", "traces/snapshot", "traces/roles"}}, // PyTorch's files of one run, joined
	{"traces/measured", []string{"sim/unit", "sim/kerneltime", "sim/llm/pretrain", "traces/networks"}},                                                               // tables of measurements, and the law beside them
	{"traces/chrometrace", []string{"sim/unit", "sim/timeline", "traces/quote"}},
	{"traces/speedscope", []string{"sim/unit", "sim/timeline", "traces/quote"}},
	{"traces/slicetable", []string{"sim/timeline"}},                                                                                                                                               // a format of what happened, not of what runs
	{"traces/*", []string{"sim/unit", "sim/kerneltime", "sim/knob", "sim/workload", "traces/jsonx", "traces/quote", "traces/jsonstream", "traces/pickle", "traces/protobuf", "traces/recording"}}, // a format never imports another
	{"ui/lab", []string{"sim/hash", "sim/cause", "sim/prose", "sim/knob", "sim/report", "sim/study", "sim/timeline"}},                                                                             // the door of every laboratory
	{"ui/lab/labtest", []string{"sim/cause", "sim/knob", "sim/policy", "sim/report", "sim/study", "sim/timeline", "sim/unit", "ui/lab", "ui/lab/own", "build/effort", "build/golden/..."}},        // what every laboratory must hold; only tests import it
	{"ui/lab/timefiles", []string{"sim/timeline", "traces/chrometrace", "traces/slicetable", "traces/speedscope", "ui/lab"}},                                                                      // files of a run over time, of every laboratory that has one
	{"ui/lab/own", []string{"sim/knob", "sim/policy", "sim/prose", "sim/report", "sim/script", "ui/lab"}},                                                                                         // what every laboratory has of policies that people write
	{"ui/lab/all", []string{"ui/lab/..."}},     // the list of them
	{"ui/lab/*/papers/*", []string{"sim/..."}}, // what was published, and how a run is measured for it: never another paper
	{"ui/lab/*", []string{"sim/...", "traces/...", "ui/lab", "ui/lab/own", "ui/lab/timefiles", "ui/lab/*/papers/*", "ui/chart", "ui/jsontext", "ui/wire"}}, // a laboratory never imports another
	{"ui/bundle", []string{"sim/hash", "sim/knob", "sim/report", "sim/study", "ui/cite", "ui/lab", "ui/exec"}},                                             // reproducibility bundles: zip and JSON, so in no laboratory's program
	{"ui/review", []string{"sim/hash", "sim/prose", "sim/report", "sim/study"}},                                                                            // a reviewer's report as HTML
	{"ui/cite", nil}, // papers of systems as BibTeX
	{"ui/table", []string{"sim/report", "ui/jsontext"}}, // tables as files
	{"ui/schema", []string{"ui/jsontext"}},              // JSON Schemas of what is exported
	{"ui/jsontext", nil},                                // values as JSON, for programs that only write it
	{"ui/wire", nil},                                    // how page and workers write what they say
	{"ui/board", []string{"sim/portable", "sim/prose", "sim/script", "sim/study"}},                                 // a paper's scoreboard, and what a policy may say, as HTML, in the laboratories' programs
	{"ui/columns", []string{"sim/prose", "sim/timeline", "sim/unit", "ui/jsontext", "ui/lab"}},                     // what happened in a run, as the page's canvas reads it
	{"ui/exec", []string{"sim/knob", "sim/report", "sim/script", "sim/study", "ui/lab", "ui/board", "ui/columns"}}, // what they say, and the bench that does it

	// Reads files for laboratories.
	{"ui/files", []string{"sim/knob", "traces/door", "ui/bundle", "ui/exec", "ui/lab", "ui/wire"}},

	{"ui/pool", nil}, // gives tasks to workers; knows neither them nor the tasks
	{"ui/chart", []string{"sim/order", "ui/jsontext", "sim/unit", "sim/prose", "sim/portable", "sim/knob", "sim/report", "sim/study", "sim/sweep", "ui/lab"}}, // what people see of reports
	{"ui/model/state", []string{"sim/knob", "sim/report", "ui/lab"}},                                                                                          // what decides all that is shown of one laboratory, as data
	{"ui/model/calls", []string{"ui/exec"}},                                                                                                                                                                                // who waits for which job
	{"ui/model/link", []string{"sim/knob", "ui/lab", "ui/model/state"}},                                                                                                                                                    // a state as text and back
	{"ui/model/results", []string{"sim/prose", "sim/report", "ui/exec", "ui/model/calls"}},                                                                                                                                 // what is known of runs, and who asks for them
	{"ui/model/workspace", []string{"sim/knob", "sim/prose", "sim/report", "sim/script", "ui/lab", "ui/model/state", "ui/model/link"}},                                                                                     // one open laboratory; editing asks nobody
	{"ui/model/files", []string{"sim/knob", "sim/prose", "ui/lab", "ui/exec", "ui/model/calls", "ui/model/workspace"}},                                                                                                     // files that were opened
	{"ui/model/tour", []string{"sim/knob", "ui/lab", "ui/model/state", "ui/model/link", "ui/model/workspace"}},                                                                                                             // stops, and where the visitor is among them
	{"ui/model/form", []string{"sim/order", "sim/knob", "sim/prose", "sim/report", "sim/script", "ui/lab", "ui/model/state", "ui/model/workspace", "ui/model/files"}},                                                      // fields and sliders of settings
	{"ui/model/proof", []string{"sim/knob", "sim/script", "ui/lab", "ui/exec", "ui/model/calls", "ui/model/workspace"}},                                                                                                    // what is wrong with a policy while it is typed
	{"ui/model/runs", []string{"sim/order", "sim/knob", "sim/prose", "sim/report", "ui/lab", "ui/chart", "ui/model/calls", "ui/model/state", "ui/model/results", "ui/model/workspace", "ui/model/files", "ui/model/form"}}, // the compared systems, and their baseline
	{"ui/model/memory", []string{"sim/order", "sim/knob", "ui/model/state", "ui/model/link", "ui/model/workspace"}},                                                                                                        // what a tab remembers
	{"ui/model/session", []string{"sim/knob", "sim/prose", "sim/study", "ui/lab", "ui/exec", "ui/chart", "ui/model/..."}},                                                                                                  // puts them together
	{"ui/model/palette", []string{"sim/order", "sim/knob", "sim/report", "sim/study", "ui/lab", "ui/model/session", "ui/model/state"}},                                                                                     // commands by name
	{"ui/model/bakery", []string{"sim/knob", "sim/report", "sim/study", "sim/timeline", "ui/lab", "ui/exec", "ui/model/calls"}},                                                                                            // an invented laboratory; only tests import it
	{"ui/embed", []string{"sim/knob", "sim/report", "ui/chart", "ui/model/..."}},                                                                                                                                           // what a frame in another page answers
	{"ui/view", []string{"sim/unit", "sim/knob", "sim/report", "sim/study", "sim/sweep", "ui/lab", "ui/chart", "ui/draw", "ui/embed", "ui/model/...", "ui/review", "ui/table"}},
	{"ui/draw", []string{"sim/portable", "ui/chart"}},                                                                                      // charts as SVG
	{"ui/cards", []string{"sim/prose", "sim/report", "ui/chart", "ui/model/..."}},                                                          // what stands on the questions that are ready, for the site's builder
	{"ui/headless", []string{"sim/knob", "ui/lab", "ui/model/...", "ui/exec"}},                                                             // shows a link without a page
	{"wasm/edge", []string{"wasm/edge/host"}},                                                                                              // the optional host, joined to its platform
	{"wasm/edge/host", []string{"sim/knob", "sim/report", "ui/draw", "ui/lab", "ui/lab/all", "ui/lab/own", "ui/model/...", "ui/headless"}}, // figures for the asking
	{"wasm/browser", nil}, // what page and programs need from JavaScript
	{"wasm/vjson", nil},   // in the place of a module of that name
	{"wasm/files", []string{"ui/files", "wasm/worker"}},                       // the program that reads files
	{"wasm/worker", []string{"ui/lab", "ui/wire", "ui/exec", "wasm/browser"}}, // a laboratory's program, all but the laboratory
	{"wasm", []string{"wasm/browser", "sim/knob", "sim/report", "sim/study", "ui/view", "ui/chart", "ui/draw", "ui/embed", "ui/lab", "ui/model/...", "ui/pool", "ui/table", "ui/wire", "ui/exec"}},
	{"build/arch", []string{"build/effort"}},
	{"build/prototype", []string{"sim/unit", "sim/workload", "sim/train/machine", "traces/eager", "traces/zoo"}}, // a table that tests compare with; only tests import it
	{"build/artifact", nil}, // where tests find the artifact; only tests import it
	{"build/golden", []string{"sim/study", "build/effort", "build/golden/change"}}, // compares with golden files; only tests import it
	{"build/golden/change", []string{"sim/report"}},                                // what differs between two states of a golden file
	{"build/effort", nil},                      // how much tests try; only tests import it
	{"build/suites", []string{"build/effort"}}, // runs the tests
	{"build/corpus", []string{"sim/unit", "sim/workload", "traces/door", "traces/handed", "traces/recording", "build/artifact"}}, // compares what is read of other people's files with what is known of them
	{"build/sources", []string{"build/tree"}}, // prints the hash of the sources
	{"build/deadcode", nil},
	{"build/fuzz", nil}, // runs fuzz tests and counts
	{"build/serve", nil},
	{"build/tree", nil},                       // files in memory, and what site and command are made of
	{"build/release", []string{"build/tree"}}, // packs what a release has, twice, and compares
	{"build/versions", nil},                   // lays sites of several versions beside each other
	{"build/site", []string{"build/tree", "sim/study", "ui/cards", "ui/cite", "ui/view", "ui/chart", "ui/schema", "ui/draw", "ui/lab", "ui/lab/all", "ui/model/...", "ui/headless", "ui/wire"}},
	{"build/spillway", []string{"ui/schema", "sim/...", "traces/...", "ui/bundle", "ui/chart", "ui/cite", "ui/draw", "ui/files", "ui/lab/...", "ui/model/...", "ui/review", "ui/headless", "ui/exec", "ui/wire"}},
	{"build/recipes/kubernetes/check", nil}, // a module of its own
	{"build/e2e/*", []string{"sim/...", "traces/...", "ui/files", "ui/lab/...", "ui/wire", "ui/exec"}},
}

// features stand beside each other in ui/model: none knows another, nor the session that
// puts them together. A new one is a name here.
var features = []string{"checking", "drawing", "output", "papers", "question", "saved", "sections", "timeline"}

// feature is what each of them may import.
var feature = layer{"a feature of ui/model", []string{
	"sim/knob", "sim/order", "sim/prose", "sim/report", "sim/script", "sim/study", "sim/sweep", "ui/lab", "ui/exec", "ui/chart", "ui/jsontext",
	"ui/model/state", "ui/model/calls", "ui/model/link", "ui/model/results", "ui/model/workspace", "ui/model/files", "ui/model/tour", "ui/model/form", "ui/model/runs",
}}

// isFeature reports whether a folder is one of the features.
func isFeature(folder string) bool {
	name, ok := strings.CutPrefix(folder, "ui/model/")
	return ok && slices.Contains(features, name)
}

// layerOf returns the layer of a folder, or nil.
func layerOf(folder string) *layer {
	if isFeature(folder) {
		return &feature
	}
	for i := range layers {
		if effort.Covers(layers[i].name, folder) {
			return &layers[i]
		}
	}
	return nil
}

func TestEveryPackageHasItsPlace(t *testing.T) {
	for _, f := range files(t, "sim", "traces", "ui", "wasm", "build") {
		from := f.folder()
		if effort.Covers("sim/...", from) {
			if rank(from) < 0 {
				t.Errorf("%s: package %s is new; say in simOrder (build/arch/arch_test.go) what may import it", f.name, from)
			}
			continue
		}
		l := layerOf(from)
		if l == nil {
			t.Errorf("%s: package %s is new; say in layers (build/arch/layers_test.go) what it may import", f.name, from)
			continue
		}
		for _, to := range f.imports() {
			ours := slices.ContainsFunc([]string{"sim/...", "traces/...", "ui/...", "wasm/...", "build/..."},
				func(p string) bool { return effort.Covers(p, to) })
			allowed := func(p string) bool { return effort.Covers(p, to) }
			if ours && !slices.ContainsFunc(l.may, allowed) {
				t.Errorf("%s imports %s: %s may import of ours only %q", f.name, to, l.name, l.may)
			}
			if to == "sim/train/system/systemtest" || to == "sim/train/engine/enginetest" || to == "ui/lab/labtest" || to == "ui/model/bakery" || to == "build/prototype" || to == "traces/archive/archivetest" {
				t.Errorf("%s imports %s: only tests do", f.name, to)
			}
		}
	}
}

// The parts of the page's state are in order: features never know one another or what puts
// them together, and what is below them knows none of them.
func TestFeaturesStandBesideEachOther(t *testing.T) {
	above := []string{"ui/model/memory", "ui/model/session", "ui/model/palette"}
	for _, name := range features {
		above = append(above, "ui/model/"+name)
	}
	parts := map[string]bool{}
	for _, f := range files(t, "ui") {
		if from := f.folder(); strings.HasPrefix(from, "ui/model") {
			parts[from] = true
			for _, to := range f.imports() {
				if slices.Contains(above, to) && !slices.Contains([]string{"ui/model/session", "ui/model/palette"}, from) {
					t.Errorf("%s imports %s, which stands beside it or above", f.name, to)
				}
			}
		}
	}
	for _, name := range above {
		if !parts[name] {
			t.Errorf("there is no %s", name)
		}
	}
	if parts["ui/model"] {
		t.Error("ui/model has files of its own; each belongs to one of its parts")
	}
}

// No part of the page's state knows everything: what has more methods is two things.
func TestNoTypeOfTheStateIsLarge(t *testing.T) {
	const most = 30
	methods := map[string]int{}
	for _, f := range files(t, "ui") {
		if !strings.HasPrefix(f.folder(), "ui/model/") {
			continue
		}
		for _, d := range f.tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil {
				continue
			}
			of := fn.Recv.List[0].Type
			if star, ok := of.(*ast.StarExpr); ok {
				of = star.X
			}
			if name, ok := of.(*ast.Ident); ok {
				methods[f.folder()+"."+name.Name]++
			}
		}
	}
	for name, n := range methods {
		if n > most {
			t.Errorf("%s has %d methods; want at most %d", name, n, most)
		}
	}
}

// What is published says nothing about the machine it was made on.
func TestNoMachinePaths(t *testing.T) {
	list := exec.Command("git", "ls-files", "-z")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Skipf("no git, or no repository: %v", err)
	}
	// An absolute path of a home or work folder that is not part of an address.
	paths := regexp.MustCompile(`(^|[\s"'` + "`" + `=(\[,;])/(root|home|work|Users|workspace)/[A-Za-z0-9_.]`)
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if name == "build/arch/layers_test.go" {
			continue
		}
		text, err := os.ReadFile("../../" + name)
		if err != nil || bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
			continue // deleted, or not text
		}
		for i, line := range bytes.Split(text, []byte("\n")) {
			if m := paths.Find(line); m != nil {
				t.Errorf("%s:%d: names a path of one machine: %q", name, i+1, bytes.TrimSpace(m))
			}
		}
	}
}

func TestNewPackageHasNoPlace(t *testing.T) {
	if l := layerOf("ui/sketch"); l != nil {
		t.Errorf("ui/sketch is new, yet %v covers it", *l)
	}
}
