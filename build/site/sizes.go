package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	labs "spillway/ui/lab/all"
)

// sizesFile has what every program weighs with brotli, a line each: its name and its
// bytes. Flag -record writes it.
const sizesFile = "build/site/sizes.txt"

const (
	// maxFirst is the most that a first visit may weigh with brotli until everything is shown
	// that the page opens on: the page's program and what is known of the first laboratory.
	// The laboratory's own program comes when somebody touches the page.
	maxFirst = 1_600_000
	// grows is by how many thousandths a program may be heavier than recorded without a word.
	grows = 20
)

// sizes returns what files of a compressed site weigh.
func sizes(out string, names []string) (map[string]int64, error) {
	list := map[string]int64{}
	var errs []error
	for _, name := range names {
		info, err := os.Stat(filepath.Join(out, name+".br"))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list[name] = info.Size()
	}
	return list, errors.Join(errs...)
}

// firstVisit names what the page loads before it shows what it opens on, besides scripts.
func firstVisit() []string {
	first := labs.Labs[0].Name + ".info"
	return []string{"app.wasm", "labs.info", first, opening + first}
}

// weighFirst says what a first visit weighs, and whether that is too much.
func weighFirst(is map[string]int64, say *progress) error {
	var sum int64
	for _, name := range firstVisit() {
		sum += is[name]
	}
	say.say("first visit: %s, %d bytes with brotli (limit %d)", strings.Join(firstVisit(), ", "), sum, maxFirst)
	if sum > maxFirst {
		return fmt.Errorf("a first visit weighs %d bytes, more than %d: take something out of %s", sum, maxFirst, strings.Join(firstVisit(), " or "))
	}
	return nil
}

// programNames names the programs.
func programNames() (names []string) {
	for _, p := range list() {
		names = append(names, p.file)
	}
	return names
}

// recorded returns the sizes in a text of sizesFile.
func recorded(text string) (map[string]int64, error) {
	is := map[string]int64{}
	for line := range strings.Lines(text) {
		name, bytes, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseInt(bytes, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %q is no name and number of bytes", sizesFile, line)
		}
		is[name] = n
	}
	return is, nil
}

// record writes sizes as sizesFile has them.
func record(is map[string]int64) string {
	var b strings.Builder
	for _, name := range programNames() {
		if n, ok := is[name]; ok {
			fmt.Fprintf(&b, "%s %d\n", name, n)
		}
	}
	return b.String()
}

// weigh says what programs weigh, and which are heavier than was recorded.
func weigh(is, was map[string]int64, say *progress) error {
	var errs []error
	for _, name := range programNames() {
		program := strings.TrimSuffix(name, ".wasm")
		switch n, before := is[name], was[name]; {
		case before == 0:
			errs = append(errs, fmt.Errorf("%s is not in %s; go run ./build/site -compress -record writes it", name, sizesFile))
		case n*1000 > before*(1000+grows):
			errs = append(errs, fmt.Errorf("%s: %d bytes with brotli, %.1f %% more than was recorded (%d). go run ./build/site -weigh %s shows what is in it. If all of that has to be there, go run ./build/site -compress -record writes the new sizes into %s; say in the commit what they are for", name, n, 100*float64(n-before)/float64(before), before, program, sizesFile))
		default:
			say.say("%s: %d bytes with brotli (%d recorded)", name, n, before)
		}
	}
	for name := range was {
		if !slices.Contains(programNames(), name) {
			errs = append(errs, fmt.Errorf("%s has %s, which is no program; go run ./build/site -compress -record takes it out", sizesFile, name))
		}
	}
	return errors.Join(errs...)
}
