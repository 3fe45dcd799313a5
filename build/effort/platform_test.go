package effort

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// natively lists the packages whose tests run as WebAssembly only at night, with the
// reason why a change of them need not wait for that.
var natively = []struct{ pattern, why string }{
	{"sim/cxlssd", "an engine in integers; the laboratory's hashes go through it"},
	{"sim/filesys", "an engine in integers; the laboratory's hashes go through it"},
	{"sim/filesys/device", "an engine in integers; the laboratory's hashes go through it"},
	{"sim/flash", "an engine in integers; the hashes of two laboratories go through it"},
	{"sim/llm", "an engine in integers; the laboratory's hashes go through it"},
	{"sim/serve", "an engine in integers; the laboratory's hashes and rows go through it"},
	{"sim/store", "an engine in integers; the laboratory's hashes go through it"},
	{"sim/train", "theorems about integers; the laboratory's hashes go through all engines"},
	{"sim/train/engine/...", "integers; the laboratory's hashes go through them"},
	{"traces", "samples; the page opens them in Chromium, where hostile ones are tried, too"},
	{"sim/cause", "whole numbers"},
	{"sim/latency", "whole numbers"},
	{"sim/filesys/crash", "integers; the laboratory's runs go through it"},
	{"sim/filesys/host", "integers; the engine's tests go through it"},
	{"sim/filesys/machine", "a table of settings"},
	{"sim/filesys/promise", "integers, and random ones of a seed; the laboratory's section goes through it"},
	{"sim/filesys/table", "a list of lists; the engine's tests go through it"},
	{"sim/filesys/plan", "integers; the engine's tests go through it"},
	{"sim/filesys/system/...", "integers; the engine's tests go through them"},
	{"sim/hash/hashtest", "a checker of lists of fields"},
	{"sim/knob", "integers and texts"},
	{"sim/llm/decode", "integers; the laboratory's hashes go through it"},
	{"sim/llm/job", "integers; the engine's tests go through it"},
	{"sim/machine", "a table of settings"},
	{"sim/model", "integers"},
	{"sim/llm/shard", "integers"},
	{"sim/llm/system/...", "integers; the engine's tests and the laboratory's hashes go through them"},
	{"sim/order", "comparisons; what it orders is in the laboratories' hashes"},
	{"sim/quirk", "a table of words"},
	{"sim/report", "texts"},
	{"sim/prose", "texts"},
	{"sim/script", "texts"},
	{"sim/serve/load", "integers"},
	{"sim/store/ops", "integers"},
	{"sim/sustained", "a table of parts"},
	{"sim/sweep", "lists of settings"},
	{"sim/train/caching", "integers; the engine's tests go through it"},
	{"sim/train/machine", "a table of settings"},
	{"sim/train/program", "integers"},
	{"sim/train/published", "texts"},
	{"sim/train/quirk", "a table of words"},
	{"sim/train/result", "the laboratory's hashes are made with it"},
	{"sim/train/swapplan", "integers; the theorems go through it"},
	{"sim/train/system", "a table of settings"},
	{"sim/train/system/*", "integers; the theorems run every system"},
	{"sim/vitality", "integers; the theorems go through it"},
	{"sim/workload", "integers"},
	{"traces/requests/conversation", "whole numbers"},
	{"traces/requests/lengths", "whole numbers"},
	{"traces/*", "texts and integers; the samples of package traces go through them"},
	{"sim/timeline", "integers only; laboratories' tests go through it"},
	{"ui/board", "a picture as text; the browser's tests look at it"},
	{"ui/view", "components without arithmetic; the browser's tests look at them"},
	{"ui/chart", "what is shown of numbers; the browser's tests look at it"},
	{"ui/draw", "pictures as text; the browser's tests look at them"},
	{"ui/embed", "texts; the browser's tests ask it"},
	{"ui/files", "what formats, bundles and wire have tests of; the browser's tests go through it"},
	{"ui/lab", "texts; every laboratory's tests go through it"},
	{"ui/lab/*/papers/*", "published numbers and words; the laboratories' hashes are of the same runs"},
	{"ui/lab/all", "words of laboratories"},
	{"ui/model/...", "what the page shows; the browser's tests go through it"},
	{"ui/pool", "no arithmetic; the browser's tests go through it"},
	{"ui/review", "a document"},
	{"ui/cards", "drawn natively when the site is built"},
	{"ui/headless", "what is built natively"},
	{"ui/cite", "texts"},
	{"ui/table", "texts"},
	{"wasm/edge/...", "the host's own tests run it in its engine"},
}

func TestCovers(t *testing.T) {
	for pattern, want := range map[string][4]bool{
		"ui":       {true, false, false, false},
		"ui/*":     {false, true, false, false},
		"ui/*/llm": {false, false, true, false},
		"ui/...":   {true, true, true, false},
	} {
		for i, name := range []string{"ui", "ui/lab", "ui/lab/llm", "uid/lab"} {
			if Covers(pattern, name) != want[i] {
				t.Errorf("%s covers %s: %t", pattern, name, !want[i])
			}
		}
	}
}

// Every package with tests that could run as WebAssembly is in one of the lists, and
// nothing else is: a new package has to choose.
func TestPlatform(t *testing.T) {
	used := map[string]bool{}
	for _, top := range []string{"sim", "traces", "ui", "wasm"} {
		err := filepath.WalkDir(filepath.Join("../..", top), func(file string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			tests, err := filepath.Glob(filepath.Join(file, "*_test.go"))
			if err != nil || len(tests) == 0 {
				return err
			}
			folder := strings.TrimPrefix(filepath.ToSlash(file), "../../")
			chosen := slices.IndexFunc(Platform, func(p string) bool { return Covers(p, folder) })
			left := slices.IndexFunc(natively, func(x struct{ pattern, why string }) bool { return Covers(x.pattern, folder) })
			switch {
			case chosen < 0 && left < 0:
				t.Errorf("%s: nothing says whether its tests run as WebAssembly when all tests do: add it to Platform (build/effort/platform.go), or to natively here with the reason", folder)
			case chosen >= 0 && left >= 0 && !strings.HasSuffix(natively[left].pattern, "*"):
				t.Errorf("%s is in both lists", folder)
			}
			if chosen >= 0 {
				used[Platform[chosen]] = true
			} else if left >= 0 {
				used[natively[left].pattern] = true
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range Platform {
		if !used[p] {
			t.Errorf("Platform has %s, where there are no tests", p)
		}
	}
	for _, x := range natively {
		if !used[x.pattern] || x.why == "" {
			t.Errorf("natively has %s, where there are no tests, or not why", x.pattern)
		}
	}
}
