// Package tree is files in memory, by their path: what the site's builder writes and what a
// release packs.
package tree

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Names are those of all files, in their order.
func Names(files map[string][]byte) []string { return slices.Sorted(maps.Keys(files)) }

// Add adds a file; two sources of one path are a mistake.
func Add(files map[string][]byte, name string, data []byte) error {
	if _, ok := files[name]; ok {
		return fmt.Errorf("%s would be there twice; rename one", name)
	}
	files[name] = data
	return nil
}

// Join adds all files of another tree.
func Join(files, other map[string][]byte) error {
	var errs []error
	for _, name := range Names(other) {
		errs = append(errs, Add(files, name, other[name]))
	}
	return errors.Join(errs...)
}
