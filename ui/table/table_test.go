package table

import (
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spillway/sim/report"
)

// nasty has everything that a format could take for its own.
const nasty = "100 % of $x_1^2$ & \\cmd{a} # ~ | <b> *b* [l](u) `c` \"q\" a -- b, '' -1\n\"\u202f×→µ–—−…²≤é\u00a0日"

func sample(texts ...string) *File {
	t := report.Table{Title: "Time of " + nasty, Head: []string{"System", "Time, s", nasty}}
	for _, text := range texts {
		t.Rows = append(t.Rows, report.Row{Head: text, Sub: "sub", Cells: []report.Cell{{Text: "1.5", Change: "+8 % better"}, {Text: text}}})
	}
	t.Rows = append(t.Rows, report.Row{Head: "[begins", Cells: []report.Cell{{Text: "*"}}})
	return &File{Title: "Times", Mode: "kernel times estimated · corrected", Link: "https://example.org/?a=%20#v=3&x=<y>\\\nrm", Tables: []report.Table{t}}
}

func TestCSV(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(CSV(sample(nasty, "-")))).ReadAll()
	if err != nil || len(rows) != 4 || rows[0][2] != nasty || rows[1][0] != nasty+" (sub)" || rows[1][1] != "1.5 (+8 % better)" || rows[1][2] != nasty || rows[3][2] != "" {
		t.Errorf("%q, %v", rows, err)
	}
	// What a file named is no formula to who opens this.
	if rows, err := csv.NewReader(strings.NewReader(CSV(sample("=HYPERLINK(\"x\")")))).ReadAll(); err != nil || rows[1][0] != "'=HYPERLINK(\"x\") (sub)" || rows[1][2] != "'=HYPERLINK(\"x\")" {
		t.Errorf("%q, %v", rows, err)
	}
	two := sample("x")
	two.Tables = append(two.Tables, report.Table{Title: "Other", Head: []string{"a"}, Rows: []report.Row{{Head: "b"}}})
	if got := CSV(two); !strings.HasSuffix(got, "\n\nOther\na\nb\n") {
		t.Errorf("%s", got)
	}
}

func TestMarkdown(t *testing.T) {
	const want = `**Times**

| System | Time, s | p \| q |
| :-- | --: | --: |
| a\_b &lt;i> \*x\* | 1.5 | 100 % |
| c | – |  |

*corrected* · [Spillway](<https://example.org/#v=3>)
`
	f := &File{Title: "Times", Mode: "corrected", Link: "https://example.org/#v=3", Tables: []report.Table{{Head: []string{"System", "Time, s", "p | q"}, Rows: []report.Row{
		{Head: "a_b <i> *x*", Cells: []report.Cell{{Text: "1.5"}, {Text: "100\n%"}}}, {Head: "c", Cells: []report.Cell{{Text: "–"}}},
	}}}}
	if got := strings.ReplaceAll(Markdown(f), `i\>`, "i>"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// Every row has as many cells as the head, whatever stands in them.
	for line := range strings.Lines(Markdown(sample(nasty, "|", `\|`, `\`))) {
		if bare := strings.NewReplacer(`\\`, "", `\|`, "").Replace(line); strings.HasPrefix(line, "|") && strings.Count(bare, "|") != 4 {
			t.Errorf("%d bars in %s", strings.Count(bare, "|"), line)
		}
	}
	if got := Markdown(sample("x")); strings.Count(got, ">)") != 1 || strings.Contains(got, "<b>") {
		t.Errorf("%s", got)
	}
}

func TestLaTeX(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"50 % & $5_a#", `50 \% \& \$5\_a\#`},
		{`\input{x}`, `\textbackslash{}input\{x\}`},
		{"a^b~c<d>e|f", `a\^{}b\~{}c$<$d$>$e$|$f`},
		{"12\u202f345 µs × 2 → −1 – 3", `12\,345 $\mu$s $\times$ 2 $\to$ $-$1 -- 3`},
		{"a--b---c ''x", `a-{}-b-{}-{}-c '{}'x`},
		{"é ñ ß", "é ñ ß"},
		{"日", "[U+65E5]"},
		{"a\n\nb\tc\x00\x7f", "a b c"},
	} {
		if got := latex(tt.in); got != tt.want {
			t.Errorf("%q becomes %s, want %s", tt.in, got, tt.want)
		}
	}
	text := LaTeX(sample("x"))
	if !strings.HasPrefix(text, `% https://example.org/?a=%20#v=3&x=<y>\ rm`+"\n\\begin{table}") || !strings.Contains(text, `\caption{Times. kernel times estimated $\cdot$ corrected.}`) || !strings.Contains(text, "{}[begins & {}* &  \\\\") {
		t.Error(text)
	}
}

// LaTeX itself sets the tables, with the standard class and nothing else.
func TestLaTeXRuns(t *testing.T) {
	program, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("There is no pdflatex on this machine, so LaTeX itself was not asked.")
	}
	dir := t.TempDir()
	doc := "\\documentclass{article}\n\\begin{document}\n" + LaTeX(sample(nasty, "", "[", "*", `\end{document}`, "é ž", strings.Repeat("_", 9))) + "\\end{document}\n"
	if err := os.WriteFile(filepath.Join(dir, "t.tex"), []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-halt-on-error", "-no-shell-escape", "-interaction=nonstopmode", "t.tex")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "LaTeX Warning: Label") || !strings.Contains(string(out), "Output written on t.pdf (1 page") {
		t.Errorf("%v\n%s\n%s", err, out, doc)
	}
}
