package table

import (
	"fmt"
	"strings"
)

// LaTeX writes each table as a float with a tabular that needs no package: rules
// are \hline, signs are mathematics. The caption has title and mode; the link is a
// comment above it, because it would not fit on a line.
func LaTeX(f *File) string {
	var b strings.Builder
	for i, title := range f.titles() {
		t := &f.Tables[i]
		n := columns(t)
		if f.Link != "" {
			b.WriteString("% " + comment(f.Link) + "\n")
		}
		b.WriteString("\\begin{table}\n\\centering\n\\caption{" + latex(sentence(title)+" "+sentence(f.Mode)) + "}\n")
		b.WriteString("\\begin{tabular}{l" + strings.Repeat("r", n-1) + "}\n\\hline\n")
		line := func(texts []string) {
			for k, text := range texts {
				if k > 0 {
					b.WriteString(" & ")
				}
				b.WriteString(cell(text))
			}
			b.WriteString(" \\\\\n")
		}
		line(heads(t, n))
		b.WriteString("\\hline\n")
		for k := range t.Rows {
			line(row(&t.Rows[k], n))
		}
		b.WriteString("\\hline\n\\end{tabular}\n\\end{table}\n")
	}
	return b.String()
}

// sentence ends with a point.
func sentence(s string) string {
	if s = oneLine(s); s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// cell is a text in a tabular. One that begins with a bracket or an asterisk must
// not be taken for an argument of the line end before it.
func cell(s string) string {
	text := latex(s)
	if strings.HasPrefix(text, "[") || strings.HasPrefix(text, "*") {
		text = "{}" + text
	}
	return text
}

// comment is a text in a comment: one line.
func comment(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u0085' || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}

// signs are what LaTeX has other names for.
var signs = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '_': `\_`, '%': `\%`,
	'^': `\^{}`, '~': `\~{}`, '<': `$<$`, '>': `$>$`, '|': `$|$`, '"': `''`, '`': "\\`{}",
	'–': `--`, '—': `---`, '−': `$-$`, '…': `\ldots{}`, '×': `$\times$`, '÷': `$\div$`, '·': `$\cdot$`, '±': `$\pm$`,
	'→': `$\to$`, '←': `$\leftarrow$`, '≤': `$\leq$`, '≥': `$\geq$`, '≠': `$\neq$`, '≈': `$\approx$`, '∞': `$\infty$`,
	'µ': `$\mu$`, 'μ': `$\mu$`, 'Σ': `$\Sigma$`, 'Δ': `$\Delta$`, '°': `$^{\circ}$`, '²': `$^{2}$`, '³': `$^{3}$`, '⁰': `$^{0}$`, '⁴': `$^{4}$`, '⁹': `$^{9}$`,
	'“': "``", '”': `''`, '‘': "`", '’': `'`, '„': `,,`, '\u00a0': `~`, '\u202f': `\,`, '\u2009': `\,`, '§': `\S{}`, '†': `\dag{}`, '‡': `\ddag{}`, '✓': `$\surd$`, '●': `$\bullet$`, '•': `$\bullet$`,
}

// latex is s as LaTeX sets it: with nothing that it would take for a command.
// Letters of Latin alphabets stay, which LaTeX has read as UTF-8 since 2018; of
// what else it has no letter for the number is written.
func latex(s string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range oneLine(s) {
		if r == '-' && last == '-' || r == '\'' && last == '\'' || r == ',' && last == ',' {
			b.WriteString("{}") // two of them would be one sign
		}
		last = r
		sign, ok := signs[r]
		switch {
		case ok:
			b.WriteString(sign)
		case r < ' ' || r == 0x7f: // no letter
		case r < 0x7f || r >= 0xc0 && r <= 0x17f:
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "[U+%04X]", r)
		}
	}
	return b.String()
}
