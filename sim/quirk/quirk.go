// Package quirk is the mechanism of named switches for what a published simulator
// does and its paper does not say. A laboratory declares its own list; code reads a
// switch exactly where it matters.
package quirk

import (
	"fmt"
	"math/bits"
	"strings"
)

// A Set is a set of quirks that are switched on: a bit each, in the order of a List.
type Set uint32

// Has reports whether every quirk in q is in s.
func (s Set) Has(q Set) bool { return s&q == q }

// An Entry documents one quirk.
type Entry struct {
	Key    string // stable name in URLs and on the command line
	Text   string // what the published simulator does, one sentence
	Paper  string // what happens without it, one sentence
	Source string // where it can be seen
}

// A List is the quirks of a laboratory, in the order of their numbers and bits.
type List []Entry

// All returns the set of all of them.
func (l List) All() Set { return 1<<len(l) - 1 }

// Parse reads keys with commas between them; an empty text is none.
func (l List) Parse(text string) (Set, error) {
	var set Set
next:
	for key := range strings.SplitSeq(text, ",") {
		if key == "" {
			continue
		}
		for i := range l {
			if l[i].Key == key {
				set |= 1 << i
				continue next
			}
		}
		return 0, fmt.Errorf("unknown quirk %q; want names such as %s", key, l[0].Key)
	}
	return set, nil
}

// Format is the inverse of Parse.
func (l List) Format(s Set) string {
	keys := make([]string, 0, bits.OnesCount32(uint32(s)))
	for i := range l {
		if s.Has(1 << i) {
			keys = append(keys, l[i].Key)
		}
	}
	return strings.Join(keys, ",")
}
