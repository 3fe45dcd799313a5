// Package table prepares tables for files of documents, Markdown and LaTeX, which share.js
// writes: scripts weigh less than this program. What people see is what is written; numbers for
// programs are [report.Data] and the charts' own.
package table

import (
	"spillway/sim/report"
	"spillway/ui/jsontext"
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
	Mime       string // of a file whose name ends with the Key
}

// Formats lists the ways.
var Formats = []Format{
	{"md", "Markdown", "text/markdown"},
	{"tex", "LaTeX", "application/x-tex"},
}

// A Document is a File as texts. Names are those that share.js reads.
type Document struct {
	Title  string  `json:"title"`
	Mode   string  `json:"mode"`
	Link   string  `json:"link"`
	Tables []Sheet `json:"tables"`
}

// A Sheet is a table of a Document: every row has as many texts as the head.
type Sheet struct {
	Title string     `json:"title"` // that of the file for one that is alone
	Head  []string   `json:"head"`
	Rows  [][]string `json:"rows"`
}

// JSON is the file's document as JSON.
func (f *File) JSON() (string, error) {
	text, err := jsontext.Marshal(f.document())
	return string(text), err
}

func (f *File) document() *Document {
	d := &Document{f.Title, f.Mode, f.Link, make([]Sheet, len(f.Tables))}
	for i := range f.Tables {
		t := &f.Tables[i]
		n := len(t.Head)
		for k := range t.Rows {
			n = max(n, 1+len(t.Rows[k].Cells))
		}
		x := Sheet{t.Title, filled(append([]string(nil), t.Head...), n), make([][]string, len(t.Rows))}
		if x.Title == "" || len(f.Tables) == 1 {
			x.Title = f.Title
		}
		for k := range t.Rows {
			x.Rows[k] = filled(texts(&t.Rows[k]), n)
		}
		d.Tables[i] = x
	}
	return d
}

// texts are a row's.
func texts(r *report.Row) []string {
	head := r.Head
	if r.Sub != "" {
		head += " (" + r.Sub + ")"
	}
	list := []string{head}
	for i := range r.Cells {
		text := r.Cells[i].Text
		if change := r.Cells[i].Change; change != "" {
			text += " (" + change + ")"
		}
		list = append(list, text)
	}
	return list
}

// filled is a list with so many texts.
func filled(list []string, n int) []string {
	for len(list) < n {
		list = append(list, "")
	}
	return list
}
