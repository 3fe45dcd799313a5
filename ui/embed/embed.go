// Package embed is what a frame in another page does besides showing charts: it
// reads what the frame's address asks for, and answers the questions of the page
// around it. public/EMBED.md is its contract; public/embed.js checks who asks and
// takes messages apart. It knows no browser.
package embed

import (
	"slices"
	"strings"
)

// A Mode is what a frame is for.
type Mode string

// The modes.
const (
	View   Mode = "view"   // charts and tables
	Edit   Mode = "edit"   // also the settings
	Engine Mode = "engine" // nothing is drawn: the page around it asks
)

// Parts of a frame that Hide may name.
const (
	Head     = "head"
	Picture  = "picture"
	Settings = "settings"
	Tables   = "tables"
	Sections = "sections"
	Notes    = "notes"
	Tools    = "tools"
)

// Options is what a frame's address asks for.
type Options struct {
	Mode Mode
	Only []string // IDs of the charts that are shown; empty: all
	Hide []string // parts that are not
	Site string   // the address of the page that the frame is of, without query and fragment
}

// Read returns the options that the texts of an address say. A mode that there is
// not is View.
func Read(mode, only, hide, site string) *Options {
	o := &Options{Mode: View, Only: list(only), Hide: list(hide), Site: site}
	if m := Mode(mode); m == Edit || m == Engine {
		o.Mode = m
	}
	return o
}

// list splits a text at its commas.
func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// Shows reports whether a part is in the frame. Settings are where they can be
// edited only, so is the picture, which is full of them; with charts named there
// is nothing else but their head.
func (o *Options) Shows(part string) bool {
	switch {
	case slices.Contains(o.Hide, part):
		return false
	case part == Settings:
		return o.Mode == Edit
	case part == Picture:
		return o.Mode == Edit && len(o.Only) == 0
	case part == Tables || part == Sections || part == Notes:
		return len(o.Only) == 0
	}
	return true
}

// Draws reports whether the chart with an ID is in the frame.
func (o *Options) Draws(id string) bool { return len(o.Only) == 0 || slices.Contains(o.Only, id) }

// Link is the address that opens a fragment in Spillway.
func (o *Options) Link(fragment string) string { return o.Site + "#" + fragment }
