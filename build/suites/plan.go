package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
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
	out      io.Writer
	house    house
	self     string // this program, with which go test measures its test programs
	goroot   string
	nightly  bool
	outsider bool // its tests of the copy run whatever the record says
}

// low runs a command behind whatever else wants the processor: browser tests wait for
// answers within seconds, compilers do not.
func low(command ...string) []string { return append([]string{"nice"}, command...) }

// environment is what tells tests how much to try.
func (p *planner) environment() []string {
	turn := "0"
	if commit, err := git("rev-parse", "--short=7", "HEAD"); err == nil {
		if n, err := strconv.ParseUint(strings.TrimSpace(commit), 16, 64); err == nil {
			turn = strconv.FormatUint(n, 10)
		}
	}
	env := []string{effort.Turn + "=" + turn}
	if p.nightly {
		env = append(env, effort.Variable+"=nightly")
	}
	return env
}

// tested lists the packages with tests that fit.
func (p *planner) tested(fits func(*goPackageInfo) bool) (folders []string) {
	for _, folder := range slices.Sorted(maps.Keys(p.house)) {
		if info := p.house[folder]; info.tested && fits(info) {
			folders = append(folders, folder)
		}
	}
	return folders
}

// goTest is the task that runs tests of packages, natively or as WebAssembly.
func (p *planner) goTest(name string, folders []string, short, wasm bool) task {
	absolute, _ := filepath.Abs(filepath.Join(logs, name+".usage"))
	t := task{name: name, env: append(p.environment(), usageVariable+"="+absolute)}
	var flags, repeated []string
	if short {
		flags = append(flags, "-short")
	}
	program := p.self + " measure"
	if wasm {
		t.env = append(t.env, wasmEnv...)
		repeated = append(repeated, wasmEnv...)
		program += " " + filepath.Join(p.goroot, "lib/wasm/go_js_wasm_exec")
	}
	// check-vet has vetted them; trimmed paths let copies of the repository share what is compiled.
	t.command = low(append(append([]string{"go", "test", "-json", "-vet=off", "-trimpath", "-timeout", timeout.String(), "-exec", program}, flags...), dotted(folders)...)...)
	t.reader = newGoTest(p.out, absolute, append(p.environment(), repeated...), flags)
	t.repeat = "make " + name
	return t
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

func (p *planner) node(name, target string, needs ...string) task {
	t := task{name: name, command: []string{"make", "--no-print-directory", target}, env: p.environment(), needs: needs, repeat: "make " + target}
	t.reader = &nodeTest{out: p.out, name: name, again: t.repeat}
	return t
}

// browser is a task of Playwright.
func (p *planner) browser(name, arguments string) task {
	file, _ := filepath.Abs("build/out/times/" + name + ".json")
	return task{
		name: name, needs: []string{"site"},
		command: []string{"make", "--no-print-directory", "test-browser", "ARGS=" + arguments},
		env:     append(p.environment(), "PLAYWRIGHT_JSON_OUTPUT_NAME="+file),
		reader:  newPlaywright(p.out, file), repeat: "make test-browser ARGS='" + arguments + "'",
	}
}

// outsiders is the package that applies the examples of the documents to a copy of the
// repository and tests the copy.
const outsiders = "build/outsider"

// law has a task of its own, before everything.
const law = "build/arch"

// platform reports whether a package's tests run as WebAssembly, too.
func platform(folder string) bool {
	return slices.ContainsFunc(effort.Platform, func(pattern string) bool {
		below, all := strings.CutSuffix(pattern, "/...")
		return folder == below || all && strings.HasPrefix(folder, below+"/")
	})
}

// browserHalf reports whether a package can be built for the browser.
func browserHalf(folder string) bool {
	top, _, _ := strings.Cut(folder, "/")
	return slices.Contains([]string{"sim", "traces", "ui"}, top) || folder == "wasm/worker"
}

// first are the tasks that every mode begins with: what fails in seconds.
func (p *planner) first() []task {
	return []task{
		{name: "generate", command: []string{"make", "--no-print-directory", "generate"}},
		check("check-format"),
		p.lawTask(),
	}
}

func (p *planner) lawTask() task {
	t := p.goTest("law", []string{law}, false, false)
	t.needs, t.repeat = []string{"generate"}, "make check-law"
	return t
}

// site builds what browsers are shown and the command that tests compare with.
func site() task {
	return task{name: "site", command: []string{"make", "--no-print-directory", "site"}, needs: []string{"generate"}}
}

// full is `make test`: everything that a change must pass.
func (p *planner) full(record *record) run {
	native := p.goTest("test-native", p.tested(func(i *goPackageInfo) bool { return i.folder != law }), false, false)
	native.needs = []string{"generate"}
	wasm := p.goTest("test-wasm", p.tested(func(i *goPackageInfo) bool {
		return browserHalf(i.folder) && (p.nightly || platform(i.folder))
	}), !p.nightly, true)
	wasm.needs = []string{"generate"}
	r := run{tasks: append(p.first(), p.node("test-scripts", "test-scripts"), check("check-tidy"), check("check-generated"), site(), native)}
	r.tasks = append(r.tasks, p.browser("browser", "--project=page"))
	for _, target := range []string{"check-vet", "check-fix", "check-static", "check-dead"} {
		r.tasks = append(r.tasks, check(target))
	}
	r.tasks = append(r.tasks, wasm)
	if p.outsider || p.nightly || outsiderStale(record) {
		o := p.goTest("test-outsider", []string{outsiders}, false, false)
		o.needs, o.env = []string{"generate"}, append(o.env, effort.Outsider+"=whole")
		r.tasks = append(r.tasks, o)
	} else {
		r.left = append(r.left, "build/outsider's tests of the copy: documents and lists are as they were when it last passed")
	}
	timing := p.browser("timing", "--project=timing")
	timing.alone = true
	r.tasks = append(r.tasks, p.node("test-firefox", "test-firefox", "site"), p.node("test-edge", "test-edge", "site"), timing)
	if !p.nightly {
		r.left = append(r.left, "for make nightly: seven in eight of the long lists, "+strconv.Itoa(len(p.tested(func(i *goPackageInfo) bool { return browserHalf(i.folder) && !platform(i.folder) })))+" packages as WebAssembly, fuzzing")
	} else {
		r.tasks = append(r.tasks, task{name: "fuzz", command: low("make", "--no-print-directory", "fuzz"), needs: []string{"generate"}})
	}
	return r
}

// quick is `make quick`: what a change can reach.
func (p *planner) quick(reached *reach) (run, error) {
	if reached.all != "" {
		fmt.Fprintf(p.out, "%s: everything may turn out otherwise; make test is for that.\n", reached.all)
	}
	r := run{tasks: p.first()}
	whole := p.tested(func(i *goPackageInfo) bool {
		at, ok := reached.packages[i.folder]
		return reached.all != "" || ok && at <= 1 && i.folder != law
	})
	short := p.tested(func(i *goPackageInfo) bool {
		at := reached.packages[i.folder]
		return reached.all == "" && at > 1 && i.folder != law
	})
	wasm := p.tested(func(i *goPackageInfo) bool {
		_, ok := reached.packages[i.folder]
		return (reached.all != "" || ok) && browserHalf(i.folder) && platform(i.folder)
	})
	add := func(t task, folders []string) {
		if len(folders) > 0 {
			t.needs = []string{"generate"}
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
	if chosen != "" {
		r.tasks = append(r.tasks, site())
	}
	add(p.goTest("quick-native", whole, false, false), whole)
	if chosen != "" {
		r.tasks = append(r.tasks, p.browser("browser", chosen))
	}
	add(p.goTest("quick-short", short, true, false), short)
	add(p.goTest("quick-wasm", wasm, true, true), wasm)
	changed := slices.Sorted(maps.Keys(reached.changed))
	if len(changed) > 0 {
		r.tasks = append(r.tasks, task{name: "vet", command: low(append([]string{"go", "vet"}, dotted(changed)...)...), needs: []string{"generate"}})
	}
	all := p.tested(func(*goPackageInfo) bool { return true })
	r.left = append(r.left,
		fmt.Sprintf("%d of %d packages with tests (%d others with -short)", len(all)-len(whole)-len(short), len(all), len(short)),
		fmt.Sprintf("%d of %d as WebAssembly", len(all)-len(wasm), len(all)),
		left, "Firefox, workerd, timing, staticcheck, dead code: make test has them")
	return r, nil
}

// specMap is what browser tests are about, by file of tests: patterns as in reach.touches.
const specMap = "build/e2e/specs.json"

// specs chooses browser tests: Playwright's arguments, or "" for none, and what is left out.
func (p *planner) specs(reached *reach) (arguments, left string, err error) {
	data, err := os.ReadFile(specMap)
	if err != nil {
		return "", "", err
	}
	var about map[string][]string
	if err := json.Unmarshal(data, &about); err != nil {
		return "", "", fmt.Errorf("%s: %w", specMap, err)
	}
	var chosen []string
	for _, spec := range slices.Sorted(maps.Keys(about)) {
		if reached.all != "" || reached.touches(path.Join("build/e2e/tests", spec)) || slices.ContainsFunc(about[spec], reached.touches) {
			chosen = append(chosen, "tests/"+spec)
		}
	}
	left = fmt.Sprintf("%d of %d files of browser tests", len(about)-len(chosen), len(about))
	if len(chosen) > 0 {
		chosen = append(chosen, "--project=page")
	}
	return strings.Join(chosen, " "), left, nil
}
