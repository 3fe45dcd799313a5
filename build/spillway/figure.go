package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/ui/chart"
	"spillway/ui/draw"
	"spillway/ui/headless"
	"spillway/ui/model/link"
	"spillway/ui/model/state"
)

const figureForm = `LINK [KEY=VALUE ...] [--chart ID] [--theme THEME] [-o FILE]
       spillway figure lab=LAB [preset=NAME] [KEY=VALUE ...] [FLAGS]`

const figureAbout = `Runs what a link shows and writes one of its charts as SVG: vector text, title,
description, fidelity label, and the data as CSV in its metadata. LINK is the
address of a page of Spillway, or what stands behind its #; what a view
shows as a chart can be drawn. Settings behind it take the place of its own. The
second form takes settings as run does, a preset (the name that links have for it)
which they change, and whatever else is in links: systems=g10,uvm, by-memory=kernel,
view=reproduce figure=g10.11.
`

func (s *shell) figure(args []string) error {
	fs := s.flags("figure", figureForm, figureAbout)
	id := fs.String("chart", "", "`ID` of the chart; an unknown one names all that there are (default the first)")
	theme := fs.String("theme", draw.Light, "`THEME`: light, dark, or auto for both, of which the reader's system chooses")
	width := fs.Int("width", 0, "`PIXELS`; a chart that needs more takes it (default 760)")
	site := fs.String("site", "", "`ADDRESS` of the page that the drawing links to (default that of LINK)")
	out := fs.String("o", "", "write to `FILE` instead of standard output")
	s.forceFlag(fs)
	rest, err := parse(fs, args)
	if err != nil {
		return err
	}
	o := draw.Options{Theme: *theme, Width: *width, Version: s.version}
	switch {
	case !slices.Contains([]string{draw.Light, draw.Dark, "auto"}, *theme):
		return fmt.Errorf("figure: unknown theme %q; there are light, dark, auto", *theme)
	case *width < 0 || *width > maxFigure:
		return fmt.Errorf("figure: --width %d; want 1 to %d pixels", *width, maxFigure)
	case *theme == "auto":
		o.Theme = ""
	}
	if err := drawable(*out); err != nil {
		return fmt.Errorf("figure: %w", err)
	}
	page, fragment, err := s.figureLink(rest)
	if err != nil {
		return fmt.Errorf("figure: %w", err)
	}
	if *site != "" {
		page = strings.TrimSuffix(*site, "#")
	}
	v, link, err := s.drawn(fragment, *id)
	var broke *headless.Failure
	switch {
	case errors.As(err, &broke):
		return failed{fmt.Errorf("figure: %w", err)}
	case err != nil:
		return fmt.Errorf("figure: %w", err)
	}
	o.Link = page + "#" + link
	text := draw.SVG(v, o)
	if *out != "" {
		return replace(*out, []byte(text))
	}
	_, err = fmt.Fprint(s.data, text)
	return err
}

// drawable refuses a file whose name says that it is no drawing as this command writes it.
func drawable(name string) error {
	ext := filepath.Ext(name)
	if ext == "" || strings.EqualFold(ext, ".svg") {
		return nil
	}
	base, want := strings.TrimSuffix(name, ext), "pdf"
	if strings.EqualFold(ext, ".png") {
		want = "png"
	}
	return fmt.Errorf("-o %s: a figure is written as SVG, as nothing else; take -o %s.svg, of which other programs make PDF and PNG: rsvg-convert -f %s -o %s.%s %s.svg", name, base, want, base, want, base)
}

// maxFigure is the most that a drawing may be wide, in pixels.
const maxFigure = 10000

// figureLink takes the arguments apart, or makes a link of settings.
func (s *shell) figureLink(args []string) (page, fragment string, err error) {
	if len(args) > 0 {
		page, fragment, _ = strings.Cut(args[0], "#")
		if fragment == "" && strings.HasPrefix(page, "v=") {
			page, fragment = "", page
		}
		if fragment != "" {
			fragment, err = s.changed(fragment, args[1:])
			return page, fragment, err
		}
	}
	var name, preset string
	var pairs []knob.Pair
	for _, a := range args {
		p, ok, err := settingOf(a)
		switch {
		case err != nil:
			return "", "", err
		case !ok:
			return "", "", fmt.Errorf("%q is no setting; want KEY=VALUE, or one link", a)
		case p.Key == "lab":
			name = p.Text
		case p.Key == "preset":
			preset = p.Text
		case p.Key == "system":
			pairs = append(pairs, knob.Pair{Key: "systems", Text: p.Text})
		default:
			pairs = append(pairs, p)
		}
	}
	if name == "" {
		return "", "", errors.New("want a link, or lab=LAB with settings")
	}
	d, err := s.door(name)
	if err != nil {
		return "", "", err
	}
	l := d.New()
	info := l.Complete()
	state, err := headless.State(&info, preset, pairs)
	if err != nil {
		return "", "", err
	}
	return "", link.Encode(&info, state), nil
}

// changed returns a link with other values for some of its settings.
func (s *shell) changed(fragment string, args []string) (string, error) {
	if len(args) == 0 {
		return fragment, nil
	}
	l, err := link.Parse(fragment)
	if err != nil {
		return "", err
	}
	d, err := s.door(cmp.Or(l.Lab, s.labs[0].Name))
	if err != nil {
		return "", err
	}
	opened := d.New()
	info := opened.Complete()
	is := state.Opening(&info)
	if !l.Empty {
		if is, err = link.Read(&info, l.Pairs); err != nil {
			return "", err
		}
	}
	var pairs []knob.Pair
	for _, a := range args {
		p, ok, err := settingOf(a)
		switch {
		case !ok:
			return "", fmt.Errorf("%q is no setting; behind a link want KEY=VALUE", a)
		case err != nil:
		case p.Key == "system" || p.Key == "systems":
			err = link.ReadSystems(&is, &info, p.Text)
		case is.Look.Knob(p.Key) != nil:
			err = is.Look.Set(p.Key, p.Text)
		default:
			pairs = append(pairs, p)
		}
		if err != nil {
			return "", err
		}
	}
	if err := is.Setup.Apply(pairs); err != nil {
		return "", err
	}
	return link.Encode(&info, &is), nil
}

// drawn runs what a link shows and returns one of its charts, with the link as it
// is written today.
func (s *shell) drawn(fragment, id string) (*chart.View, string, error) {
	link, err := link.Parse(fragment)
	if err != nil {
		return nil, "", err
	}
	name := link.Lab
	if name == "" {
		name = s.labs[0].Name
	}
	d, err := s.door(name)
	if err != nil {
		return nil, "", err
	}
	n, err := headless.Show(d.New(), nil, fragment)
	if err != nil {
		return nil, "", err
	}
	views := n.Charts()
	var names []string
	for i := range views {
		if v := &views[i]; v.Figure != nil {
			if v.ID == id || id == "" {
				return v, n.Link(), nil
			}
			names = append(names, v.ID)
		}
	}
	if len(names) == 0 {
		return nil, "", fmt.Errorf("the view %q has no chart that can be drawn", n.State.View)
	}
	return nil, "", fmt.Errorf("no chart %q; there are %s", id, strings.Join(names, ", "))
}
