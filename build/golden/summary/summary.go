package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"spillway/build/golden/change"
)

// The files of a folder that are about the same runs.
const (
	hashes = "hashes.golden"
	values = "values.golden"
)

// How many quantities of a file, and how many names, are said; others are counted.
const (
	mostQuantities = 10
	mostNames      = 5
)

// A tally is what is said of all files together.
type tally struct {
	text               strings.Builder
	files, gone, added int
	silent             int    // hashes
	largest            string // change, and where
	far                float64
}

// summarize returns what is said of files in both states.
func summarize(commit string, files []file) string {
	var t tally
	for i := range files {
		f := &files[i]
		dir, base := path.Split(f.path)
		if base == hashes && i+1 < len(files) && files[i+1].path == dir+values {
			continue // said with the values
		}
		var beside *file
		if base == values && i > 0 && files[i-1].path == dir+hashes {
			beside = &files[i-1]
		}
		t.add(f, beside)
	}
	if t.files == 0 {
		return fmt.Sprintf("Golden files are as in %s.\n", commit)
	}
	t.say("\n%s since %s, %s.\n", count(t.files, "golden file changed", "golden files changed"), commit, lines(t.gone, t.added))
	if t.largest != "" {
		t.say("Largest relative change: %s\n", t.largest)
	}
	if t.silent > 0 {
		t.say("%s though no value beside did.\n", count(t.silent, "hash changed", "hashes changed"))
	}
	return t.text.String()
}

func (t *tally) say(format string, args ...any) { fmt.Fprintf(&t.text, format, args...) }

// add says what differs in a file; hashed are the hashes beside it, nil if it has none.
func (t *tally) add(f, hashed *file) {
	says := t.head(f)
	if hashed != nil {
		if more := t.head(hashed); says == "" {
			says = more
		} else if more != "" {
			says += "; " + more
		}
	}
	if says == "" {
		return
	}
	t.say("%s\n", says)
	if f.was == nil || f.is == nil || bytes.IndexByte(f.was, 0) >= 0 || bytes.IndexByte(f.is, 0) >= 0 {
		return
	}
	if hashed == nil {
		t.changes(f.path, change.Text(string(f.was), string(f.is)), "lines", "line")
		return
	}
	was, err := change.Read(string(hashed.was), string(f.was))
	if err != nil {
		t.say("  the values of before cannot be read: %v\n", err)
		return
	}
	is, err := change.Read(string(hashed.is), string(f.is))
	if err != nil {
		t.say("  the values cannot be read: %v\n", err)
		return
	}
	if !was.Paired() || !is.Paired() {
		t.say("  not as many hashes as values: hashes are not compared\n")
	}
	t.changes(f.path, change.Between(was, is), "runs", "run")
}

// head counts a file and returns what became of its lines, nothing if it is the same.
func (t *tally) head(f *file) string {
	if f.same() {
		return ""
	}
	t.files++
	gone, added := change.Lines(string(f.was), string(f.is))
	t.gone, t.added = t.gone+gone, t.added+added
	switch {
	case f.was == nil:
		return fmt.Sprintf("%s: a new file, %s", f.path, lines(gone, added))
	case f.is == nil:
		return fmt.Sprintf("%s: deleted, %s", f.path, lines(gone, added))
	}
	return fmt.Sprintf("%s: %s", f.path, lines(gone, added))
}

func lines(gone, added int) string { return fmt.Sprintf("lines +%d -%d", added, gone) }

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// A quantity is how one changed in the runs of a file.
type quantity struct {
	key         string
	number      int     // of changes
	words       int     // of them, from or to words, new or gone
	zeros       int     // of them, from 0
	least, most float64 // of the others
	far         float64
	farthest    string
}

// changes says what changed in a file.
func (t *tally) changes(where string, list []change.Change, many, one string) {
	var added, gone, silent []string
	var order []*quantity
	by := map[string]*quantity{}
	moved := 0
	for i := range list {
		c := &list[i]
		switch {
		case c.New:
			added = append(added, c.Name)
			continue
		case c.Gone:
			gone = append(gone, c.Name)
			continue
		case len(c.Deltas) == 0:
			silent = append(silent, c.Name)
			continue
		}
		moved++
		for j := range c.Deltas {
			d := &c.Deltas[j]
			q := by[d.Key]
			if q == nil {
				q = &quantity{key: d.Key, least: math.Inf(1), most: math.Inf(-1), far: -1}
				by[d.Key] = q
				order = append(order, q)
			}
			q.add(d, c.Name)
			if r := math.Abs(d.Relative()); r > t.far && !math.IsInf(r, 0) {
				t.far, t.largest = r, fmt.Sprintf("%s of %s in %s", d, c.Name, where)
			}
		}
	}
	if moved > 0 {
		t.say("  %s with other values\n", count(moved, one, many))
	}
	slices.SortStableFunc(order, func(a, b *quantity) int { return cmp.Compare(b.far, a.far) })
	width := 0
	for _, q := range order[:min(mostQuantities, len(order))] {
		width = max(width, len([]rune(q.key)))
	}
	for _, q := range order[:min(mostQuantities, len(order))] {
		t.say("    %-*s  %s\n", width, q.key, q)
	}
	if n := len(order) - mostQuantities; n > 0 {
		t.say("    and %d more quantities, which changed less\n", n)
	}
	t.names(added, "new "+one, "new "+many)
	t.names(gone, one+" that is gone", many+" that are gone")
	t.names(silent, "hash changed though no value did", "hashes changed though no value did")
	t.silent += len(silent)
}

// names says how many there are, and the first of them.
func (t *tally) names(list []string, one, many string) {
	if len(list) == 0 {
		return
	}
	t.say("  %s: %s", count(len(list), one, many), strings.Join(list[:min(mostNames, len(list))], "; "))
	if n := len(list) - mostNames; n > 0 {
		t.say("; and %d more", n)
	}
	t.say("\n")
}

// add counts a change of the quantity.
func (q *quantity) add(d *change.Delta, name string) {
	q.number++
	r := d.Relative()
	far := math.Abs(r)
	switch {
	case math.IsNaN(r):
		q.words++
		far = 0
	case math.IsInf(r, 0):
		q.zeros++
		far = 0
	default:
		q.least, q.most = min(q.least, r), max(q.most, r)
	}
	if far > q.far {
		q.far, q.farthest = far, fmt.Sprintf("%s → %s in %s", or(d.Was), or(d.Is), name)
	}
}

func or(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

func (q *quantity) String() string {
	var says []string
	if n := q.number - q.words - q.zeros; n > 1 {
		says = append(says, fmt.Sprintf("%d, %s to %s", n, change.Percent(q.least), change.Percent(q.most)))
	} else if n == 1 {
		says = append(says, "1, "+change.Percent(q.most))
	}
	if q.zeros > 0 {
		says = append(says, fmt.Sprintf("%d from 0", q.zeros))
	}
	if q.words > 0 {
		says = append(says, fmt.Sprintf("%d new, gone or words", q.words))
	}
	return strings.Join(says, ", ") + ": " + q.farthest
}
