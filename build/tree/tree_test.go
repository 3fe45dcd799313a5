package tree_test

import (
	"slices"
	"strings"
	"testing"

	"spillway/build/tree"
)

// Every file is there once, and all that are there twice are named.
func TestTree(t *testing.T) {
	files := map[string][]byte{"b": nil}
	if err := tree.Add(files, "a/c", []byte("x")); err != nil {
		t.Error(err)
	}
	err := tree.Join(files, map[string][]byte{"b": []byte("y"), "a/c": nil, "d": nil})
	if err == nil || !strings.Contains(err.Error(), "a/c would be there twice") || !strings.Contains(err.Error(), "b would be there twice") {
		t.Errorf("%v", err)
	}
	if got := tree.Names(files); !slices.Equal(got, []string{"a/c", "b", "d"}) || string(files["a/c"]) != "x" || files["b"] != nil {
		t.Errorf("%q", files)
	}
}
