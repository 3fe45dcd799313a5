package main

import (
	"slices"
	"testing"
)

func TestShortened(t *testing.T) {
	for _, tt := range []struct{ paths, want []string }{
		{[]string{"/a/b/trace.json"}, []string{"trace.json"}},
		{[]string{"/a/b/G10"}, []string{"G10"}},
		{[]string{"/a/G10/src/x.config", "/a/G10/results/t.txt"}, []string{"src/x.config", "results/t.txt"}},
		{[]string{"/a/b/x", "/a/bc/y", "/a/z"}, []string{"b/x", "bc/y", "z"}},
		{[]string{"/a/x", "/b/y"}, []string{"a/x", "b/y"}},
		{[]string{"/x", "/b/y"}, []string{"x", "b/y"}},
		{[]string{"/a/.cache/x.json"}, []string{"x.json"}},
		{[]string{"/a/.x/y.json", "/a/z/.w"}, []string{"y.json", "w"}},
		{nil, []string{}},
	} {
		got, err := shortened(tt.paths)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q: got %q, %v; want %q", tt.paths, got, err, tt.want)
		}
	}
}

func TestVisible(t *testing.T) {
	for name, want := range map[string]string{
		"a/b.json": "a/b.json", "./a": "a", "../a/b": "../a/b", "/x/.y/z/w": "z/w", ".trace.json": "trace.json", "a/.b/.c": "c",
	} {
		if got := visible(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
