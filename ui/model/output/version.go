package output

import (
	"cmp"
	"runtime"
)

// Version is the version of Spillway. CITATION.cff has the same; the page adds
// which build it is.
const Version = "0.9.0"

// Program names the program of a version, what compiled it and where it runs, as the
// command, bundles, reports and files of results have it.
func Program(version string) string {
	return "spillway " + cmp.Or(version, Version) + " " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
}
