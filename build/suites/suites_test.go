package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil { // the program runs in the repository's root
		panic(err)
	}
	os.Exit(m.Run())
}

// sh is a task of the shell.
func sh(name, script string, needs ...string) task {
	return task{name: name, command: []string{"sh", "-c", script}, needs: needs}
}

// Tasks begin when what they need has passed, whoever wants to be alone is, and what
// hangs on something that failed does not run.
func TestSchedule(t *testing.T) {
	dir := t.TempDir()
	log := func(name string) string { return "echo " + name + " >> " + dir + "/order" }
	alone := sh("alone", log("alone"))
	alone.alone = true
	s := &schedule{lanes: 2, out: io.Discard, logs: t.TempDir()}
	suites := s.run([]task{
		sh("first", log("first")),
		sh("fails", "echo what is wrong; exit 3"),
		alone,
		sh("second", log("second"), "first"),
		sh("never", log("never"), "fails"),
		sh("hangs-on-never", log("never"), "never"),
	})
	order, err := os.ReadFile(dir + "/order")
	if err != nil || strings.Contains(string(order), "never") || strings.Index(string(order), "first") > strings.Index(string(order), "second") {
		t.Errorf("order %q (%v)", order, err)
	}
	var verdicts strings.Builder
	for _, x := range suites {
		verdicts.WriteString(fmt.Sprint(x.Name, " ", x.Passed, x.Failed, x.blocked, "; "))
	}
	if want := "first 1 0 false; fails 0 1 false; alone 1 0 false; second 1 0 false; never 0 0 true; hangs-on-never 0 0 true; "; verdicts.String() != want {
		t.Errorf("got  %s\nwant %s", verdicts.String(), want)
	}
	if f := suites[1].failures; len(f) != 1 || !strings.Contains(f[0].output, "what is wrong") || f[0].repeat != "sh -c echo what is wrong; exit 3" {
		t.Errorf("%+v", f)
	}
}

// With a stopper, what runs ends with the first failure, and nothing begins after it.
func TestStop(t *testing.T) {
	s := &schedule{lanes: 2, out: io.Discard, logs: t.TempDir()}
	s.stop, s.cancel = context.WithCancel(t.Context())
	suites := s.run([]task{sh("beside", "sleep 60; exit 0"), sh("fails", "exit 1"), sh("after", "exit 0")})
	if !suites[0].blocked || !suites[2].blocked || suites[1].Failed != 1 {
		t.Errorf("%+v", suites)
	}
}

// What gotestsum prints and leaves becomes lines at once, counts, times, and failures with a line
// that repeats them.
func TestGoResults(t *testing.T) {
	var said bytes.Buffer
	p := &planner{out: &said}
	usage := t.TempDir() + "/usage"
	g := p.readGo("x", usage, []string{"SPILLWAY_TURN=3"}, []string{"-short"}).(*goTest)
	g.file = t.TempDir() + "/x.xml"
	note(usage, 1.5, "sim/unit")
	note(usage, 0.25, "sim/unit")
	fmt.Fprint(g, "✓  sim/hash (1s)\n    unit_test.go:7: got 3\n--- FAIL: TestA (0.20s)\n✖  sim/unit (2s)\n\nDONE 3 tests\n")
	if want := "    unit_test.go:7: got 3\n--- FAIL: TestA (0.20s)\n✖  sim/unit (2s)\n"; said.String() != want {
		t.Errorf("said at once\n%s\nwant\n%s", said.String(), want)
	}
	s := left(t, g, g.file, `<testsuites>
		<testsuite name="" time="0"/>
		<testsuite name="spillway/sim/unit" time="2.0">
			<testcase name="TestA/part" time="0.1"><failure message="Failed">got 3</failure></testcase>
			<testcase name="TestA" time="0.2"><failure message="Failed">got 3</failure></testcase>
			<testcase name="TestB" time="0.3"/><testcase name="TestC" time="0"><skipped message="no"/></testcase>
		</testsuite>
		<testsuite name="spillway/sim/knob" time="0"><testcase name="TestMain"><failure message="Failed">FAIL [build failed]</failure></testcase></testsuite>
	</testsuites>`)
	if s.Passed != 1 || s.Failed != 2 || s.Skipped != 1 || len(s.Packages) != 2 {
		t.Errorf("%+v", s)
	}
	if p := s.Packages[0]; p.Name != "sim/unit" || p.CPU != 1.75 || p.Wall != 2 || len(p.Tests) != 3 {
		t.Errorf("%+v", p)
	}
	if a, b := s.failures[0], s.failures[1]; a.repeat != "SPILLWAY_TURN=3 go test -short -run '^TestA$' ./sim/unit" || b.repeat != "SPILLWAY_TURN=3 go test -short ./sim/knob" {
		t.Errorf("%+v, %+v", a, b)
	}
}

// left is what a reader makes of a file of results.
func left(t *testing.T, r reader, file, results string) suite {
	t.Helper()
	if err := os.WriteFile(file, []byte(results), 0o644); err != nil {
		t.Fatal(err)
	}
	return r.close()
}

func TestNodeResults(t *testing.T) {
	task := (&planner{out: io.Discard}).node("edge", "test-edge")
	j := task.reader.(*junit)
	j.file = t.TempDir() + "/x.xml"
	s := left(t, j, j.file, `<testsuites><testcase name="one" time="1"/><testsuite name="host" time="2">
		<testcase name="answers" time="1"><failure message="1 == 2">where</failure></testcase><testcase name="later"><skipped/></testcase>
		<testsuite name="inner"><testcase name="deep"/></testsuite></testsuite></testsuites>`)
	if s.Passed != 2 || s.Failed != 1 || s.Skipped != 1 || s.failures[0].repeat != "make test-edge" || s.failures[0].output != "1 == 2\nwhere" {
		t.Errorf("%+v", s)
	}
	j.file = t.TempDir() + "/x.xml"
	if s := left(t, j, j.file, `<testsuites><testcase name="one"`); s.Passed+s.Failed > 0 {
		t.Errorf("a file that ends early has %+v", s)
	}
}

func TestPlaywrightResults(t *testing.T) {
	var said bytes.Buffer
	task := (&planner{out: &said}).browser("browser", "tests/llm.spec.mjs")
	j := task.reader.(*junit)
	fmt.Fprint(j, "  ✓  1 [page] › a\n  ✘  2 [page] › b\n  1 flaky\n")
	if want := "  ✘  2 [page] › b\n  1 flaky\n"; said.String() != want {
		t.Errorf("said at once %q, want %q", said.String(), want)
	}
	j.file = t.TempDir() + "/x.xml"
	s := left(t, j, j.file, `<testsuites><testsuite name="llm.spec.mjs" time="2"><testcase name="opens" time="1.5"/>
		<testcase name="charts" time="0.5"><failure message="llm.spec.mjs:40:1 charts">gone</failure></testcase></testsuite></testsuites>`)
	if s.Passed != 1 || s.Failed != 1 || len(s.Packages) != 1 || s.Packages[0].Wall != 2 || s.failures[0].repeat != "make test-browser ARGS='tests/llm.spec.mjs:40'" {
		t.Errorf("%+v", s)
	}
}

// toy is a repository of five packages: lab and chart import engine, page imports both,
// and page's tests open a sample of the reader's.
func toy() house {
	h := house{}
	add := func(folder string, imports, reads []string) {
		h[folder] = &goPackageInfo{folder: folder, imports: imports, reads: reads, native: true, wasm: true}
	}
	add("sim/engine", nil, nil)
	add("ui/lab", []string{"sim/engine"}, nil)
	add("ui/chart", []string{"sim/engine"}, nil)
	add("ui/page", []string{"ui/lab", "ui/chart"}, []string{"traces/reader/testdata"})
	add("traces/reader", nil, nil)
	return h
}

func TestReach(t *testing.T) {
	for _, tt := range []struct {
		file string
		want map[string]int
	}{
		{"sim/engine/run.go", map[string]int{"sim/engine": 0, "ui/lab": 1, "ui/chart": 1, "ui/page": 2}},
		{"ui/lab/words.go", map[string]int{"ui/lab": 0, "ui/page": 1}},
		{"sim/engine/run_test.go", map[string]int{"sim/engine": 0}},
		{"traces/reader/testdata/a.json", map[string]int{"traces/reader": 0, "ui/page": 1}},
		{"public/charts.js", map[string]int{}},
	} {
		if r := toy().reach([]string{tt.file}); !maps.Equal(r.packages, tt.want) || r.all != "" {
			t.Errorf("%s reaches %v, want %v", tt.file, r.packages, tt.want)
		}
	}
	if r := toy().reach([]string{"go.mod"}); r.all == "" {
		t.Error("go.mod does not reach everything")
	}
	r := toy().reach([]string{"ui/lab/llm/words.go", "public/charts.js", "ui/chart/bars_test.go"})
	for pattern, want := range map[string]bool{"*": true, "ui/lab/...": true, "ui/lab/llm": true, "ui/lab": false, "public/charts.js": true, "public": true, "ui/chart/...": false, "ui/la/...": false} {
		if r.touches(pattern) != want {
			t.Errorf("%s: %t", pattern, !want)
		}
	}
}

// trueHouse is the repository's own, listed once for all tests.
var trueHouse = sync.OnceValues(listHouse)

// The true house: go list's packages, who reads what, and which tests a change leaves.
func TestHouse(t *testing.T) {
	h, err := trueHouse()
	if err != nil {
		t.Fatal(err)
	}
	if p := h["ui/lab/train"]; p == nil || !p.native || !p.wasm || !slices.Contains(p.imports, "sim/train") {
		t.Errorf("%+v", p)
	}
	if p := h[outsiders]; p == nil || !slices.Contains(p.reads, "public/docs/seams.md") {
		t.Errorf("the outsider does not read public/docs/seams.md: %+v", p)
	}
	if p := h["wasm/worker"]; p.native || !p.wasm {
		t.Errorf("wasm/worker has tests as WebAssembly only, not %+v", p)
	}
	if at := h.reach([]string{"sim/llm/flow/flow.go"}).packages; at["sim/llm/flow"] != 0 || at["ui/lab/llm"] == 0 {
		t.Errorf("%v", at)
	}
	if _, ok := h.reach([]string{"sim/llm/flow/flow.go"}).packages["sim/store"]; ok {
		t.Error("a change in one laboratory reaches another")
	}
}

// Whatever quick runs, full runs too; so what quick catches, full does.
func TestQuickIsPartOfFull(t *testing.T) {
	h, err := trueHouse()
	if err != nil {
		t.Fatal(err)
	}
	p := &planner{out: io.Discard, house: h}
	packages := func(r run, ends string) (list []string) {
		for _, task := range r.tasks {
			if strings.HasSuffix(strings.TrimSuffix(task.name, "-labs"), ends) || ends == "native" && (strings.HasSuffix(task.name, "short") || task.name == "test-builds") {
				list = append(list, slices.DeleteFunc(slices.Clone(task.command), func(s string) bool { return !strings.HasPrefix(s, "./") })...)
			}
		}
		return list
	}
	full := p.full(&record{})
	for _, file := range []string{"sim/train/engine/paged/batch.go", "ui/chart/bars.go", "traces/kineto/read.go", "ui/lab/llm/words.go", "public/charts.js"} {
		quick, err := p.quick(h.reach([]string{file}))
		if err != nil {
			t.Fatal(err)
		}
		for _, ends := range []string{"native", "wasm"} {
			for _, folder := range packages(quick, ends) {
				if !slices.Contains(packages(full, ends), folder) {
					t.Errorf("%s: quick tests %s (%s), full does not", file, folder, ends)
				}
			}
		}
	}
}

// TestParts: what make test and make rest do is what make full does, each task once but
// for what both need, and no browser test is in both or in none.
func TestParts(t *testing.T) {
	h, err := trueHouse()
	if err != nil {
		t.Fatal(err)
	}
	full := (&planner{out: io.Discard, house: h, outsider: true}).full(&record{})
	count := map[string]int{}
	for _, rest := range []bool{false, true} {
		had := map[string]bool{}
		for _, task := range full.part(rest).tasks {
			count[task.name]++
			had[task.name] = true
			for _, name := range task.needs {
				if !had[name] {
					t.Errorf("rest=%v: %s needs %s, which is not there before it", rest, task.name, name)
				}
			}
		}
	}
	for _, task := range full.tasks {
		if both := task.name == "generate" || task.name == "site"; count[task.name] == 0 || count[task.name] > 1 && !both {
			t.Errorf("%s is in %d of make test and make rest", task.name, count[task.name])
		}
	}
	data, err := os.ReadFile(specMap)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range pass {
		if !bytes.Contains(data, []byte(`"`+spec+`"`)) {
			t.Errorf("there is no file %s of browser tests", spec)
		}
	}
	at := slices.IndexFunc(full.tasks, func(t task) bool { return t.name == "browser-rest" })
	if want := "SPILLWAY_WITHOUT=" + strings.Join(pass, ","); !slices.Contains(full.tasks[at].env, want) {
		t.Errorf("browser-rest has no %s: %q", want, full.tasks[at].env)
	}
}

// TestLong: what make test leaves to make rest by name is there, and listed for every folder that has
// the name: go test leaves it out of all.
func TestLong(t *testing.T) {
	h, err := trueHouse()
	if err != nil {
		t.Fatal(err)
	}
	where := map[string][]string{}
	for folder := range h {
		files, _ := filepath.Glob(folder + "/*_test.go")
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(text, -1) {
				where[string(found[1])] = append(where[string(found[1])], folder)
			}
		}
	}
	listed := map[string][]string{}
	for line := range strings.Lines(longTests) {
		folder, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, _, _ = strings.Cut(name, "/")
		if !slices.Contains(listed[name], folder) {
			listed[name] = append(listed[name], folder)
		}
	}
	for name, folders := range listed {
		slices.Sort(folders)
		slices.Sort(where[name])
		if !slices.Equal(folders, where[name]) {
			t.Errorf("%s is in %v, and is listed for %v", name, where[name], folders)
		}
	}
}

// A change in one laboratory asks for its browser tests only, one that all share for
// those of one laboratory.
func TestSpecs(t *testing.T) {
	h, err := trueHouse()
	if err != nil {
		t.Fatal(err)
	}
	p := &planner{out: io.Discard, house: h}
	if labs := p.labs(); len(labs) < 6 || !slices.Contains(labs, "train") || slices.Contains(labs, "all") {
		t.Errorf("laboratories are %v", labs)
	}
	for file, want := range map[string]string{
		"ui/lab/llm/words.go":              "browser-labs: tests/everyone.spec.mjs tests/labs.spec.mjs tests/same.spec.mjs --project=page --grep ' (llm): '",
		"sim/unit/unit_test.go":            "",
		"build/e2e/tests/heat.spec.mjs":    "browser: tests/heat.spec.mjs --project=page --project=fresh",
		"build/recipes/slurm/sweep.sbatch": "",
	} {
		chosen, left, err := p.specs(h.reach([]string{file}))
		var said strings.Builder
		for _, c := range chosen {
			said.WriteString(c.name + ": " + c.arguments + "\n")
		}
		if err != nil || !strings.Contains(said.String(), want) || want == "" && said.String() != "" || !strings.Contains(left, "files of browser tests") {
			t.Errorf("%s: %q, left out %q, %v", file, said.String(), left, err)
		}
	}
	chosen, _, err := p.specs(h.reach([]string{"ui/chart/bars.go"}))
	if err != nil || len(chosen) != 2 || strings.Contains(chosen[1].arguments, "|") {
		t.Errorf("%+v, %v", chosen, err)
	}
}

// A mutant's place is one place, and its fault differs.
func TestMutants(t *testing.T) {
	names := map[string]bool{}
	for i := range mutants {
		m := &mutants[i]
		text, err := os.ReadFile(m.file)
		if err != nil {
			t.Error(err)
			continue
		}
		if wrong, err := m.change(string(text)); err != nil {
			t.Error(err)
		} else if wrong == string(text) || names[m.name] {
			t.Errorf("%s: no fault, or there twice", m.name)
		}
		names[m.name] = true
	}
	if len(mutants) != 40 {
		t.Errorf("%d mutants", len(mutants))
	}
}

// The record is about what it names: another document makes it stale.
func TestRecord(t *testing.T) {
	before, err := inputs(seams)
	if err != nil {
		t.Skip(err) // no git
	}
	p, err := now(seams, "passed", 90*time.Second)
	if err != nil || p.Inputs != before || p.Minutes != 1.5 {
		t.Errorf("%+v, %v", p, err)
	}
	other := p
	other.Inputs = "another"
	if outsiderStale(&record{Outsider: p}) || !outsiderStale(&record{Outsider: other}) || outsiderStale(&record{}) {
		t.Error("the outsider is stale with what it passed with, or not with something else")
	}
	night := run{tasks: []task{{name: "site"}, {name: "browser", needs: []string{"site"}}, {name: "fuzz"}}}
	engines, err := inputs(engines)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		passed []string
		runs   int
		due    string
	}{
		{nil, 3, "site browser fuzz"},
		{[]string{"site", "fuzz"}, 2, "browser"}, // which needs the site again
		{[]string{"site", "browser"}, 1, "fuzz"},
		{[]string{"site", "browser", "fuzz"}, 0, ""},
	} {
		rec := record{Nightly: map[string]passed{"fuzz": {Inputs: "others"}}}
		for _, name := range tt.passed {
			rec.Nightly[name] = passed{Inputs: engines}
		}
		if rest, names, err := rec.due(night); err != nil || len(rest.tasks) != tt.runs || strings.Join(names, " ") != tt.due {
			t.Errorf("after %q: %d tasks for %q, %v", tt.passed, len(rest.tasks), names, err)
		}
	}
}
