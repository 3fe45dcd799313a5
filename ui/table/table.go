// Package table writes tables as files: CSV for programs, Markdown and LaTeX for
// documents. What people see is what is written.
package table

import (
	"encoding/csv"
	"strings"

	"spillway/sim/report"
)

// A File is one or several tables with what they are of.
type File struct {
	Title string
	Mode  string // how far the numbers can be trusted
	Link  string // what shows the same
	// Tables are written one below the other.
	Tables []report.Table
}

// A Format is one way to write tables.
type Format struct {
	Key, Label string // Label is for people
	Ext, Mime  string
	Write      func(*File) string
}

// Formats lists the ways.
var Formats = []Format{
	{"csv", "CSV", "csv", "text/csv", CSV},
	{"md", "Markdown", "md", "text/markdown", Markdown},
	{"tex", "LaTeX", "tex", "application/x-tex", LaTeX},
}

// row returns a row's texts, as many as there are columns.
func row(r *report.Row, columns int) []string {
	head := r.Head
	if r.Sub != "" {
		head += " (" + r.Sub + ")"
	}
	texts := []string{head}
	for i := range r.Cells {
		text := r.Cells[i].Text
		if change := r.Cells[i].Change; change != "" {
			text += " (" + change + ")"
		}
		texts = append(texts, text)
	}
	for len(texts) < columns {
		texts = append(texts, "")
	}
	return texts
}

// columns is how many columns a table has.
func columns(t *report.Table) int {
	n := len(t.Head)
	for i := range t.Rows {
		n = max(n, 1+len(t.Rows[i].Cells))
	}
	return n
}

// heads are the texts of the first row.
func heads(t *report.Table, columns int) []string {
	texts := append([]string(nil), t.Head...)
	for len(texts) < columns {
		texts = append(texts, "")
	}
	return texts
}

// titles are the titles of the tables. One that is alone has that of the file.
func (f *File) titles() []string {
	list := make([]string, len(f.Tables))
	for i := range f.Tables {
		if list[i] = f.Tables[i].Title; list[i] == "" || len(f.Tables) == 1 {
			list[i] = f.Title
		}
	}
	return list
}

// CSV writes comma-separated values. Several tables have their titles above them
// and an empty line between.
func CSV(f *File) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	for i := range f.Tables {
		t := &f.Tables[i]
		n := columns(t)
		if len(f.Tables) > 1 {
			if i > 0 {
				w.Flush()
				b.WriteByte('\n')
			}
			_ = w.Write(report.Cells([]string{f.titles()[i]})) // a Builder takes everything
		}
		_ = w.Write(report.Cells(heads(t, n)))
		for k := range t.Rows {
			_ = w.Write(report.Cells(row(&t.Rows[k], n)))
		}
	}
	w.Flush()
	return b.String()
}

// oneLine has no line ends and no other blanks than one.
func oneLine(s string) string { return strings.Join(strings.FieldsFunc(s, isBreak), " ") }

func isBreak(r rune) bool {
	return r == ' ' || r == '\n' || r == '\r' || r == '\t' || r == '\v' || r == '\f' || r == '\u2028' || r == '\u2029' || r == '\u0085'
}
