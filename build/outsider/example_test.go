//go:build !js

package outsider

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A block is a fenced block of an example whose first line names a file:
//
//	```go sim/train/system/half/half.go     a new file, and this is its text
//	```diff sim/train/train.go              a change of a file there is
//
// A change has lines that stay (" "), come ("+") and go ("-"). Those that stay
// or go are consecutive lines of the file, found whatever their indentation, and
// found once (few of them keep an example alive when a list grows); a line "@@" stands between several such places. A block that names
// no file is only for reading.
type block struct {
	language, file, text string
}

var fence = regexp.MustCompile("(?ms)^```(\\w+)[ \t]+(\\S+)[ \t]*\n(.*?)^```")

// blocksUnder returns the blocks of the section with an anchor.
func blocksUnder(text, anchor string) ([]block, error) {
	var blocks []block
	for _, m := range fence.FindAllStringSubmatch(section(text, anchor), -1) {
		if m[1] != "diff" && filepath.Ext(m[2]) == "" {
			return nil, fmt.Errorf("#%s: a block names %q, which is no file", anchor, m[2])
		}
		blocks = append(blocks, block{m[1], m[2], m[3]})
	}
	if len(blocks) == 0 {
		return nil, fmt.Errorf("#%s: no section with that title has a code block that names its file", anchor)
	}
	return blocks, nil
}

// section returns what stands between a title and the next of any level.
func section(text, anchor string) string {
	var b strings.Builder
	inside, fenced := false, false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if title := strings.TrimLeft(line, "#"); title != line && !fenced {
			inside = anchorOf(title) == anchor
			continue
		}
		if inside {
			b.WriteString(line)
		}
	}
	return b.String()
}

// anchorOf is how a Markdown page calls a title in links.
func anchorOf(title string) string {
	return strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-")
}

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// tableUnder returns the first cells of the table under a title, each with the
// anchor that it links to, if any.
func tableUnder(text, title string) map[string]string {
	rows := map[string]string{}
	link := regexp.MustCompile(`^\[(.*)\]\(#(.*)\)$`)
	lines := strings.Split(section(text, anchorOf(strings.TrimLeft(title, "#"))), "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, "|") || i+1 < len(lines) && strings.HasPrefix(lines[i+1], "|--") || strings.HasPrefix(line, "|--") {
			continue
		}
		cell := strings.TrimSpace(strings.Split(line, "|")[1])
		if m := link.FindStringSubmatch(cell); m != nil {
			rows[m[1]] = m[2]
		} else {
			rows[cell] = ""
		}
	}
	return rows
}

// apply writes the block into a copy of the repository.
func (b *block) apply(dir string) error {
	old, err := os.ReadFile(filepath.Join(dir, b.file))
	switch {
	case b.language != "diff" && err == nil:
		return fmt.Errorf("%s is there already; an example changes a file with a diff block", b.file)
	case b.language != "diff":
		return write(dir, b.file, []byte(b.text))
	case err != nil:
		return err
	}
	lines := strings.Split(string(old), "\n")
	for hunk := range strings.SplitSeq("\n"+b.text, "\n@@") {
		_, hunk, _ = strings.Cut(hunk, "\n") // the rest of the "@@" line
		if lines, err = patch(lines, hunk); err != nil {
			return fmt.Errorf("%s: %w", b.file, err)
		}
	}
	text := []byte(strings.Join(lines, "\n"))
	if filepath.Ext(b.file) == ".go" {
		if text, err = format.Source(text); err != nil {
			return fmt.Errorf("%s: %w", b.file, err)
		}
	}
	return write(dir, b.file, text)
}

// patch applies one hunk of a diff block.
func patch(lines []string, hunk string) ([]string, error) {
	var before, after []string
	for line := range strings.SplitSeq(hunk, "\n") {
		switch {
		case line == "":
		case line[0] == '+':
			after = append(after, line[1:])
		case line[0] == '-':
			before = append(before, line[1:])
		default:
			before, after = append(before, line[1:]), append(after, line[1:])
		}
	}
	at := -1
	for i := range len(lines) - len(before) + 1 {
		same := func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }
		if !slices.EqualFunc(lines[i:i+len(before)], before, same) {
			continue
		}
		if at >= 0 {
			return nil, fmt.Errorf("these lines of the example occur more than once:\n%s", strings.Join(before, "\n"))
		}
		at = i
	}
	if at < 0 || len(before) == 0 {
		return nil, fmt.Errorf("these lines of the example are not in it; if the code has moved on, change the example in the document:\n%s", strings.Join(before, "\n"))
	}
	return slices.Replace(lines, at, at+len(before), after...), nil
}

const sample = "# A page\n\n## Seams\n\n| you want | you touch |\n|---|---|\n| [a thing](#a-new-thing-quickly) | two files |\n| another | one |\n\n" +
	"### A new thing, quickly\n\nWrite\n\n```go thing/thing.go\n// Package thing is one.\npackage thing\n```\n\nand\n\n" +
	"```diff list.go\n import \"a\"\n+import \"thing\"\n@@\n \ta.A,\n-\tb.B,\n+\tthing.B,\n```\n\nthen\n\n```\nmake test\n```\n\n## End\n"

func TestBlocks(t *testing.T) {
	rows := tableUnder(sample, "## Seams")
	if len(rows) != 2 || rows["a thing"] != "a-new-thing-quickly" || rows["another"] != "" {
		t.Fatalf("the table's rows are %q", rows)
	}
	blocks, err := blocksUnder(sample, rows["a thing"])
	if err != nil || len(blocks) != 2 {
		t.Fatal(err, blocks)
	}
	if _, err := blocksUnder(sample, "end"); err == nil {
		t.Error("a section without blocks is taken for an example")
	}
	list := func(text string) string {
		t.Helper()
		dir := t.TempDir()
		if err := write(dir, "list.go", []byte(text)); err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks {
			if err := b.apply(dir); err != nil {
				return err.Error()
			}
		}
		got, err := os.ReadFile(filepath.Join(dir, "list.go"))
		if err != nil {
			t.Fatal(err)
		}
		return string(got)
	}
	const whole = "package list\n\nimport \"a\"\n\nvar l = []int{\n\ta.A,\n\tb.B,\n}\n"
	for _, tt := range []struct{ text, want string }{
		{whole, "package list\n\nimport \"a\"\nimport \"thing\"\n\nvar l = []int{\n\ta.A,\n\tthing.B,\n}\n"},
		{strings.Replace(whole, "\tb.B,\n", "", 1), "list.go: these lines of the example are not in it; if the code has moved on, change the example in the document:\n\ta.A,\n\tb.B,"},
		{whole + "import \"a\"\n", "list.go: these lines of the example occur more than once:\nimport \"a\""},
	} {
		if got := list(tt.text); got != tt.want {
			t.Errorf("%q becomes\n%s\nwant\n%s", tt.text, got, tt.want)
		}
	}
}
