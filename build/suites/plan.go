package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spillway/build/effort"
)

// A run is what one mode does: its tasks in the order in which they begin, and what it
// leaves to another mode.
type run struct {
	tasks []task
	left  []string // what is left out, for people
}

// only is the run of some tasks alone.
func (r run) only(names []string) (run, error) {
	var some run
	for _, name := range names {
		at := slices.IndexFunc(r.tasks, func(t task) bool { return t.name == name })
		if at < 0 {
			return run{}, fmt.Errorf("there is no task %q; -list names them", name)
		}
		t := r.tasks[at]
		t.needs = nil
		some.tasks = append(some.tasks, t)
	}
	return some, nil
}

// A planner makes runs.
type planner struct {
	out       io.Writer
	house     house
	self      string // this program, with which go test measures its test programs
	gotestsum string
	stop      bool // tasks end with the first test that fails
	goroot    string
	nightly   bool
	outsider  bool // its tests of the copy run whatever the record says
}

// low runs a command behind whatever else wants the processor: browser tests wait for
// answers within seconds, compilers do not.
func low(command ...string) []string { return append([]string{"nice"}, command...) }

// environment is what tells tests how much to try.
func (p *planner) environment() []string {
	env := []string{effort.Turn + "=" + strconv.FormatUint(p.turn(), 10)}
	if p.nightly {
		env = append(env, effort.Variable+"=nightly")
	}
	return env
}

// turn is a number that is another one with each commit.
func (p *planner) turn() uint64 {
	commit, err := git("rev-parse", "--short=7", "HEAD")
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseUint(strings.TrimSpace(commit), 16, 64)
	return n
}

// list lists the packages that fit.
func (p *planner) list(fits func(*goPackageInfo) bool) (folders []string) {
	for _, folder := range slices.Sorted(maps.Keys(p.house)) {
		if fits(p.house[folder]) {
			folders = append(folders, folder)
		}
	}
	return folders
}

// inPages reports whether a package has tests for the platform of pages: those of tools
// (build, the host in wasm/edge) run natively only.
func inPages(i *goPackageInfo) bool {
	top, _, _ := strings.Cut(i.folder, "/")
	return i.wasm && (slices.Contains([]string{"sim", "traces", "ui"}, top) || i.folder == "wasm/worker")
}

// collector lets native tests take more memory before garbage is collected: training's take an
// eighth less processor time, and 0.3 GB at most. As WebAssembly it saves nothing.
const collector = "GOGC=400"

// vetted asks go test for what go vet says of the packages, too, while they are compiled.
const vetted = "-vet=all"

// goTest is the task that runs tests of packages, natively or as WebAssembly, with flags of go test.
func (p *planner) goTest(name string, folders []string, wasm bool, flags ...string) task {
	absolute, _ := filepath.Abs(filepath.Join(logs, name+".usage"))
	t := task{name: name, env: append(p.environment(), usageVariable+"="+absolute)}
	var repeated []string
	program := p.self + " measure"
	if wasm {
		t.env = append(t.env, wasmEnv...)
		repeated = append(repeated, wasmEnv...)
		program += " " + filepath.Join(p.goroot, "lib/wasm/go_js_wasm_exec")
	} else {
		t.env = append(t.env, collector)
	}
	if !slices.Contains(flags, vetted) {
		flags = append(flags, "-vet=off")
	}
	// Trimmed paths let copies of the repository share what is compiled.
	sum := []string{p.gotestsum, "--format", "pkgname-and-test-fails", "--hide-summary", "skipped,failed,output", "--junitfile", junitFile(name)}
	if p.stop {
		sum = append(sum, "--max-fails", "1")
	}
	t.command = low(slices.Concat(sum, []string{"--", "-trimpath", "-timeout", timeout.String(), "-exec", program}, flags, dotted(folders))...)
	t.reader = p.readGo(name, absolute, append(p.environment(), repeated...), slices.DeleteFunc(flags, func(flag string) bool { return flag != "-short" }))
	t.needs, t.repeat = []string{"generate"}, "make "+name
	return t
}

// short are the flags of tests that shall try what shows that the platform is right; at night they try all.
func (p *planner) short() []string {
	if p.nightly {
		return nil
	}
	return []string{"-short"}
}

// longTests lists the native tests that make test leaves to make rest: a folder and a name a
// line, with names of parts behind slashes, * for all.
//
//go:embed long.txt
var longTests string

// long are their folders and, as go test's -run and -skip take them, their names.
func long() (folders []string, pattern string) {
	var names []string
	for line := range strings.Lines(longTests) {
		folder, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		folders, names = append(folders, folder), append(names, "^"+strings.ReplaceAll(name, "/", "$/^")+"$")
	}
	slices.Sort(folders)
	return slices.Compact(folders), strings.ReplaceAll(strings.Join(names, "|"), "*", ".*")
}

// dotted makes folders arguments of go.
func dotted(folders []string) []string {
	list := make([]string, len(folders))
	for i, folder := range folders {
		list[i] = "./" + folder
	}
	return list
}

// check is a task of one make target.
func check(target string) task {
	return task{name: strings.TrimPrefix(target, "check-"), command: low("make", "--no-print-directory", target), repeat: "make " + target, needs: []string{"generate"}}
}

// junitFile is where the results of a task's tests are left.
func junitFile(name string) string {
	file, _ := filepath.Abs(filepath.Join(logs, name+".xml"))
	return file
}

// node is a task of node --test.
func (p *planner) node(name, target string, needs ...string) task {
	again := "make " + target
	return task{
		name: name, needs: needs, command: []string{"make", "--no-print-directory", target, "JUNIT=" + junitFile(name)}, env: p.environment(), repeat: again,
		reader: &junit{out: p.out, file: junitFile(name), loud: loudNode.Match, again: func(_, _, _ string) string { return again }},
	}
}

// browser is a task of Playwright.
func (p *planner) browser(name, arguments string) task {
	if p.stop {
		arguments += " -x"
	}
	return task{
		name: name, needs: []string{"site"},
		command: []string{"make", "--no-print-directory", "test-browser", "ARGS=" + arguments},
		env:     append(p.environment(), "SPILLWAY_JUNIT="+junitFile(name)), repeat: "make test-browser ARGS='" + arguments + "'",
		reader: &junit{out: p.out, file: junitFile(name), loud: loudPlaywright.Match, again: func(file, test, said string) string {
			if place := browserPlace.FindString(said); place != "" { // with its line
				return "make test-browser ARGS='tests/" + place + "'"
			}
			return "make test-browser ARGS='tests/" + file + "'"
		}},
	}
}

// browserPlace is how Playwright names a test.
var browserPlace = regexp.MustCompile(`^[\w-]+\.spec\.mjs:\d+`)

// failures is where screenshots and traces of failed browser tests are kept.
const failures = "build/out/failures"

// outsiders is the package that applies the examples of the documents to a copy of the
// repository and tests the copy.
const outsiders = "build/outsider"

// law has a task of its own, before everything.
const law = "build/arch"

// builders are packages whose tests compile programs: for another processor, out of changed sources, twice.
var builders = []string{"build/platforms", "build/release", "build/site"}

// first are the tasks that every mode begins with: what fails in seconds.
func (p *planner) first() []task {
	return []task{
		{name: "generate", command: []string{"make", "--no-print-directory", "check-generated"}, repeat: "make check-generated"},
		check("check-format"),
		p.lawTask(),
	}
}

func (p *planner) lawTask() task {
	t := p.goTest("law", []string{law}, false)
	t.repeat = "make check-law"
	return t
}

// site builds what browsers are shown and the command that tests compare with.
func site() task {
	return task{name: "site", command: []string{"make", "--no-print-directory", "site"}, needs: []string{"generate"}}
}

// pass are the files of browser tests that make test runs: every laboratory and view once.
// The others are for make rest.
var pass = []string{"labs.spec.mjs"}

// full is `make full`: everything that a change must pass. Its tasks say which of them are
// for make rest; make test runs the others.
func (p *planner) full(record *record) run {
	folders, pattern := long()
	native := p.goTest("test-native", p.list(func(i *goPackageInfo) bool {
		return i.native && i.folder != law && !slices.Contains(builders, i.folder)
	}), false, vetted, "-skip", pattern)
	wasm := func(name string, labs bool) task {
		return p.goTest(name, p.list(func(i *goPackageInfo) bool {
			return inPages(i) && effort.Covers("ui/lab/*", i.folder) == labs && (p.nightly || effort.OnPlatform(i.folder))
		}), true, p.short()...)
	}
	inTest := append(p.first(), p.node("test-scripts", "test-scripts"), check("check-tidy"), site(), native,
		p.browser("browser", inTests(pass)+" --project=page --project=fresh"), wasm("test-wasm", false))
	rest := []task{
		p.browser("browser-rest", "--project=page --project=fresh"), p.goTest("test-long", folders, false, "-run", pattern), wasm("test-wasm-labs", true),
		p.goTest("test-builds", builders, false), check("check-vet"), check("check-static"), check("check-fix"), check("check-dead"),
	}
	rest[0].env = append(rest[0].env, "SPILLWAY_WITHOUT="+strings.Join(pass, ","))
	r := run{tasks: inTest}
	if p.outsider || p.nightly || outsiderStale(record) {
		o := p.goTest("test-outsider", []string{outsiders}, false)
		o.env = append(o.env, effort.Outsider+"=whole")
		rest = append(rest, o)
	} else if record.Outsider.Inputs == "" {
		r.left = append(r.left, "build/outsider's tests of the copy: they have not passed yet (make test-outsider)")
	} else {
		r.left = append(r.left, "build/outsider's tests of the copy: documents and lists are as they were when it last passed")
	}
	timing := p.browser("timing", "--project=alone")
	timing.alone = true
	rest = append(rest, p.node("test-firefox", "test-firefox", "site"), p.node("test-edge", "test-edge", "site"), timing)
	for i := range rest {
		rest[i].rest = true
	}
	r.tasks = append(r.tasks, rest...)
	if !p.nightly {
		r.left = append(r.left, "for make nightly: seven in eight of the long lists, "+strconv.Itoa(len(p.list(func(i *goPackageInfo) bool { return inPages(i) && !effort.OnPlatform(i.folder) })))+" packages as WebAssembly, fuzzing")
	} else {
		fuzz := func(name, in string) task {
			return task{name: name, command: low("make", "--no-print-directory", "fuzz", "IN="+in, "RUNS=100000", "FLOOR=100000"), needs: []string{"generate"}}
		}
		r.tasks = append(r.tasks, fuzz("fuzz-formats", "traces"), fuzz("fuzz-others", "build sim ui wasm"))
	}
	return r
}

// inTests are files of browser tests as arguments of Playwright.
func inTests(specs []string) string { return "tests/" + strings.Join(specs, " tests/") }

// part is make test, or make rest with what its tasks need.
func (r run) part(rest bool) (some run) {
	needed := map[string]bool{}
	for _, t := range slices.Backward(r.tasks) { // what is needed stands before
		if t.rest == rest || needed[t.name] {
			if !rest { // no test of make test opens the single file
				t.env = append(slices.Clone(t.env), "SITE=")
			}
			some.tasks = append(some.tasks, t)
			for _, name := range t.needs {
				needed[name] = true
			}
		}
	}
	slices.Reverse(some.tasks)
	some.left = r.left
	if !rest {
		var names []string
		for _, t := range r.tasks {
			if t.rest {
				names = append(names, t.name)
			}
		}
		some.left = append([]string{"for make rest: " + strings.Join(names, ", ")}, r.left...)
	}
	return some
}

// quick is `make quick`: what a change can reach.
func (p *planner) quick(reached *reach) (run, error) {
	if reached.all != "" {
		fmt.Fprintf(p.out, "%s: everything may turn out otherwise; make full is for that.\n", reached.all)
	}
	r := run{tasks: p.first()}
	native := func(i *goPackageInfo) bool { return i.native && i.folder != law }
	whole := p.list(func(i *goPackageInfo) bool {
		at, ok := reached.packages[i.folder]
		return native(i) && (reached.all != "" || ok && (at == 0 || at == 1 && reached.numbers[i.folder]))
	})
	short := p.list(func(i *goPackageInfo) bool {
		_, ok := reached.packages[i.folder]
		return native(i) && ok && !slices.Contains(whole, i.folder)
	})
	wasm := p.list(func(i *goPackageInfo) bool {
		at, ok := reached.packages[i.folder]
		return inPages(i) && effort.OnPlatform(i.folder) && (reached.all != "" || ok && (at == 0 || reached.numbers[i.folder]))
	})
	add := func(t task, folders []string) {
		if len(folders) > 0 {
			t.repeat = "make quick"
			r.tasks = append(r.tasks, t)
		}
	}
	chosen, left, err := p.specs(reached)
	if err != nil {
		return r, err
	}
	if reached.touches("public/...") || reached.touches("build/e2e/...") || reached.touches("build/site/...") {
		r.tasks = append(r.tasks, p.node("test-scripts", "test-scripts"))
	}
	if len(chosen) > 0 {
		r.tasks = append(r.tasks, site())
	}
	add(p.goTest("quick-native", whole, false), whole)
	for _, c := range chosen {
		t := p.browser(c.name, c.arguments)
		if c.labs != "" {
			t.env = append(t.env, "SPILLWAY_LABS="+c.labs)
		}
		r.tasks = append(r.tasks, t)
	}
	add(p.goTest("quick-short", short, false, "-short"), short)
	add(p.goTest("quick-wasm", wasm, true, "-short"), wasm)
	changed := slices.Sorted(maps.Keys(reached.changed))
	if len(changed) > 0 {
		r.tasks = append(r.tasks, task{name: "vet", command: low(append([]string{"go", "vet"}, dotted(changed)...)...), needs: []string{"generate"}})
	}
	all := p.list(native)
	r.left = append(r.left,
		fmt.Sprintf("%d of %d packages with tests (%d others with -short)", len(all)-len(whole)-len(short), len(all), len(short)),
		fmt.Sprintf("%d of %d as WebAssembly", len(all)-len(wasm), len(all)),
		left, "Firefox, workerd, timing, staticcheck, dead code: make full has them")
	return r, nil
}

// specMap is what browser tests are about, by file of tests: patterns as in reach.touches.
const specMap = "build/e2e/specs.json"

// A choice is a call of Playwright: arguments for files of tests, and for some tests in
// them, and the laboratories that they are about, all if none is named.
type choice struct{ name, arguments, labs string }

// specs chooses browser tests, and says what is left out. Of files with tests for every
// laboratory, which are named "llm: every view", those laboratories are chosen that the
// change reaches; and of what all share one, another with each commit.
func (p *planner) specs(reached *reach) (chosen []choice, left string, err error) {
	data, err := os.ReadFile(specMap)
	if err != nil {
		return nil, "", err
	}
	var about map[string][]string
	if err := json.Unmarshal(data, &about); err != nil {
		return nil, "", fmt.Errorf("%s: %w", specMap, err)
	}
	labs := p.labs()
	var whole, some, reachedLabs []string
	for _, name := range labs {
		if reached.code["ui/lab/"+name] {
			reachedLabs = append(reachedLabs, name)
		}
	}
	for _, spec := range slices.Sorted(maps.Keys(about)) {
		if !reached.touches(path.Join("build/e2e/tests", spec)) && !slices.ContainsFunc(about[spec], reached.touches) && reached.all == "" {
			continue
		}
		if p.byLab(about[spec]) {
			some = append(some, "tests/"+spec)
		} else {
			whole = append(whole, "tests/"+spec)
		}
	}
	left = fmt.Sprintf("%d of %d files of browser tests", len(about)-len(whole)-len(some), len(about))
	if len(whole) > 0 {
		chosen = append(chosen, choice{name: "browser", arguments: strings.Join(whole, " ") + " --project=page --project=fresh"})
	}
	if len(some) > 0 {
		if len(reachedLabs) == 0 || len(reachedLabs) == len(labs) {
			reachedLabs = []string{labs[p.turn()%uint64(len(labs))]}
		}
		left += fmt.Sprintf(", and of %s other laboratories than %s", strings.Join(some, ", "), strings.Join(reachedLabs, ", "))
		chosen = append(chosen, choice{
			"browser-labs", fmt.Sprintf("%s --project=page --grep ' (%s): '", strings.Join(some, " "), strings.Join(reachedLabs, "|")), strings.Join(reachedLabs, ","),
		})
	}
	return chosen, left, nil
}

// labs lists the laboratories by name: the folders of ui/lab, but for their list.
func (p *planner) labs() (names []string) {
	for _, folder := range slices.Sorted(maps.Keys(p.house)) {
		if path.Dir(folder) == "ui/lab" && slices.Contains(p.house["ui/lab/all"].imports, folder) {
			names = append(names, path.Base(folder))
		}
	}
	return names
}

// byLab reports whether a file of browser tests is about every laboratory.
func (p *planner) byLab(about []string) bool {
	for _, name := range p.labs() {
		if !slices.Contains(about, "ui/lab/"+name+"/...") {
			return false
		}
	}
	return true
}
