package table

import "strings"

// Markdown writes tables as GitHub does: the first column to the left, the others
// to the right. Title, mode and link stand around each.
func Markdown(f *File) string {
	var b strings.Builder
	for i, title := range f.titles() {
		if i > 0 {
			b.WriteByte('\n')
		}
		if title != "" {
			b.WriteString("**" + plain(title) + "**\n\n")
		}
		t := &f.Tables[i]
		n := columns(t)
		line := func(texts []string) {
			for _, text := range texts {
				b.WriteString("| " + plain(text) + " ")
			}
			b.WriteString("|\n")
		}
		line(heads(t, n))
		b.WriteString("| :-- " + strings.Repeat("| --: ", n-1) + "|\n")
		for k := range t.Rows {
			line(row(&t.Rows[k], n))
		}
	}
	var last []string
	if f.Mode != "" {
		last = append(last, "*"+plain(f.Mode)+"*")
	}
	if f.Link != "" {
		last = append(last, "["+"Spillway](<"+strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "", "\r", "", "\\", "%5C").Replace(f.Link)+">)")
	}
	if len(last) > 0 {
		b.WriteString("\n" + strings.Join(last, " · ") + "\n")
	}
	return b.String()
}

// plain is text that Markdown shows as it is, on one line.
func plain(s string) string {
	var b strings.Builder
	for _, r := range oneLine(s) {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '&':
			b.WriteString("&amp;")
		case strings.ContainsRune("\\`*_{}[]>#|~$", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f: // no letter
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
