package main

import (
	"strings"
	"testing"
)

// Pages of others pay for the component on every visit, and who opens a view waits for its
// script.
func TestSmall(t *testing.T) {
	text := read(t, component)
	timeline, files := []byte(read(t, timelineScript)), []byte(read(t, timelineFiles))
	s := site{component: []byte(text), timelineScript: timeline, timelineFiles: files}
	if err := s.addSmall(); err != nil {
		t.Fatal(err)
	}
	if got := len(s[component]); got > len(text)*2/3 || !strings.Contains(string(s[component]), "spill-figure") {
		t.Errorf("%d bytes of %d", got, len(text))
	}
	// One that is too large is refused: a hundred versions of it, each with its own names.
	var many strings.Builder
	for i := range 100 {
		many.WriteString(strings.ReplaceAll(text, "figure", "f"+string(rune('a'+i%26))+string(rune('a'+i/26))))
	}
	if err := (site{component: []byte(many.String()), timelineScript: timeline, timelineFiles: files}).addSmall(); err == nil {
		t.Error("a component that is too large is accepted")
	}
}
