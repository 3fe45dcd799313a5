package effort

import (
	"path"
	"slices"
	"strings"
)

// Platform lists the packages, as patterns from the module's root, whose tests run as
// WebAssembly too whenever all tests do: those where another platform may give another
// result, and those that are nothing without one. The tests of all others run as
// WebAssembly at night; TestPlatform has why that is enough.
var Platform = []string{
	"sim/bound",                    // an ascent in floating point, and its proof
	"sim/compress/...",             // bits of floating-point numbers
	"sim/cxlssd/stream",            // random accesses by recipe, in floating point
	"sim/filesys/load",             // random calls by recipe, in floating point
	"sim/hash",                     // sums that both platforms write the same
	"sim/kerneltime",               // kernel times in floating point
	"sim/llm/flow",                 // shares of links, in floating point
	"sim/llm/offload",              // an engine
	"sim/llm/recipe",               // a step of fine-tuning in the law's times
	"sim/llm/pretrain",             // a step of training in floating point
	"sim/policy",                   // expressions in floating point, which people write
	"sim/portable",                 // exists to be the same on all platforms
	"sim/study",                    // verdicts from floating-point numbers
	"sim/train/system/capuchin",    // plans by floating-point measures
	"sim/train/system/g10",         // plans by floating-point areas
	"sim/train/system/swapadvisor", // a random search
	"sim/unit",                     // 128-bit products, rounding, clocks
	"traces/eager",                 // kernel times in floating point
	"traces/kineto",                // times as text to integers
	"traces/networks",              // kernel times in floating point
	"traces/pickle",                // lengths of 64 bits
	"traces/tensorfile",            // offsets of 64 bits, half precision
	"traces/xplane",                // varints, floating-point times
	"traces/zoo",                   // kernel times in floating point
	"ui/bundle",                    // archives that both platforms write the same
	"ui/columns",                   // columns of a run that both platforms write the same
	"ui/jsontext",                  // numbers as text that both platforms write the same
	"ui/lab/all/alike/...",         // hashes of all presets and all reports
	"ui/lab/compress",              // hashes of runs
	"ui/lab/cxlssd",                // hashes of runs
	"ui/lab/filesys",               // hashes of runs
	"ui/lab/llm",                   // hashes of runs
	"ui/lab/serve",                 // a published row, and knees
	"ui/lab/store",                 // hashes of runs
	"ui/lab/train",                 // hashes of published runs
	"ui/wire",                      // what page and workers write, also of the other platform
	"ui/exec",                      // the bench that runs in workers
	"wasm/worker",                  // runs nowhere else
}

// OnPlatform reports whether the tests of a package, by its folder, are among those of
// Platform.
func OnPlatform(folder string) bool {
	return slices.ContainsFunc(Platform, func(pattern string) bool { return Covers(pattern, folder) })
}

// Covers reports whether a pattern names a file or a folder: "x" names x itself, "x/*"
// what is directly in it, "x/*/y" what y of any of those is, "x/..." x and all below.
func Covers(pattern, name string) bool {
	if top, ok := strings.CutSuffix(pattern, "/..."); ok {
		return name == top || strings.HasPrefix(name, top+"/")
	}
	ok, _ := path.Match(pattern, name)
	return ok
}
