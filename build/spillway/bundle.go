package main

import (
	"errors"
	"fmt"
	"strings"

	"spillway/ui/bundle"
	"spillway/ui/draw"
	"spillway/ui/exec"
	"spillway/ui/files"
	"spillway/ui/headless"
	"spillway/ui/lab"
	"spillway/ui/model/link"
	"spillway/ui/model/session"
	"spillway/ui/model/state"
)

const bundleForm = `lab=LAB [system=NAME,...] [file=PATH ...] [KEY=VALUE ...] -o FILE` + bundle.Ext + `
       spillway bundle LINK -o FILE` + bundle.Ext + `
       spillway bundle --paper KEY -o FILE` + bundle.Ext

const bundleAbout = `Runs systems and writes one zip with what ran, what came out, and a manifest with the
SHA-256 of every file; spillway check and the page check it. The first form takes
what spillway run takes. Of a recording the bundle has only what was made of it, as a
Spillway trace, and of a checkpoint what was measured of it; of other files it has
all bytes. LINK is a link of the page, or what
follows its #. With --paper it holds every run that a paper needs, and the paper's
claims.
`

func (s *shell) bundle(args []string) error {
	fs := s.flags("bundle", bundleForm, bundleAbout)
	out := fs.String("o", "", "write the bundle to `FILE`")
	setup := fs.String("setup", "", "settings as one `TEXT`, as of spillway run")
	key := fs.String("paper", "", "a bundle of everything in the paper with this `KEY`; spillway list has them")
	s.forceFlag(fs)
	rest, err := parse(fs, args)
	if err != nil {
		return err
	}
	if *out == "" {
		return errors.New("bundle: say where to with -o FILE" + bundle.Ext)
	}
	var data []byte
	switch {
	case *key != "" && (len(rest) > 0 || *setup != ""):
		return fmt.Errorf("bundle: --paper takes no settings, but there is %q", append(rest, *setup)[0])
	case *key != "":
		data, err = s.bindPaper(*key)
	default:
		data, err = s.bind(*setup, rest)
	}
	if err != nil {
		return err
	}
	b, err := bundle.Open(data)
	if err != nil {
		return failed{fmt.Errorf("what would be written cannot be read: %w", err)}
	}
	if err := replace(*out, data); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s: %d bytes, %d parts: spillway check %s\n", *out, len(data), len(b.Info().Parts), *out)
	return nil
}

// bind returns a bundle of what a command line says.
func (s *shell) bind(setupText string, rest []string) ([]byte, error) {
	q, err := s.wanted(setupText, rest)
	if err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	door, err := s.door(q.lab)
	if err != nil {
		return nil, err
	}
	l := door.New()
	workload, err := readLab(&l, q.files)
	if err != nil {
		return nil, err
	}
	var opened lab.Files
	if workload != nil {
		if opened, err = openLab(&l, workload); err != nil {
			return nil, err
		}
	}
	systems, err := chosen(&l, opened, q)
	if err != nil {
		return nil, err
	}
	u, err := setup(&l, opened, q.pairs)
	if err != nil {
		return nil, err
	}
	if opened, err = s.surveyed(&l, opened, nil, u); err != nil {
		return nil, err
	}
	o := s.order()
	shown := state.Default(&l.Info)
	shown.Setup, shown.On = u, nil
	for _, x := range systems {
		shown.On, o.Systems = append(shown.On, x.Name), append(o.Systems, x.Name)
	}
	o.Link = link.Encode(&l.Info, &shown)
	if workload != nil {
		if workload, opened, err = files.Carried(&l, u, workload, opened); err != nil {
			return nil, err
		}
	}
	if o.Figures, err = drawings(l, o, o.Link, workload); err != nil {
		return nil, err
	}
	return bundle.Bind(&l, u.String(), o, workload, opened, nil)
}

// drawings are the charts of what a bundle is about, and of what a link shows.
func drawings(l lab.Lab, o *exec.BundleRequest, link string, workload []lab.File) ([]exec.Drawn, error) {
	show := func() (*session.Session, error) { return headless.Show(l, nil, link) }
	if workload != nil {
		show = func() (*session.Session, error) { return headless.ShowFiles(l, openLab, link, workload) }
	}
	n, err := show()
	if err != nil {
		return nil, err
	}
	var list []exec.Drawn
	views := n.Pictures()
	for i := range views {
		if v := &views[i]; v.Figure != nil {
			list = append(list, exec.Drawn{Name: v.ID, SVG: draw.SVG(v, draw.Options{Link: "#" + o.Link, Version: o.Version})})
		}
	}
	return list, nil
}

// wanted reads what a command line asks for: settings, or a link.
func (s *shell) wanted(setupText string, rest []string) (request, error) {
	if len(rest) == 0 || setupText != "" || !isLink(rest[0]) {
		q, err := readRequest(setupText, rest)
		if err == nil && q.lab == "" {
			err = errors.New("settings need lab=LAB")
		}
		return q, err
	}
	_, fragment, ok := strings.Cut(rest[0], "#")
	if !ok {
		fragment = rest[0]
	}
	at, err := link.Parse(fragment)
	if err != nil {
		return request{}, err
	}
	q, err := readRequest("", rest[1:]) // files of the link's workload
	if err != nil {
		return q, err
	}
	if at.Lab == "" {
		at.Lab = s.labs[0].Name
	}
	door, err := s.door(at.Lab)
	if err != nil {
		return q, err
	}
	l := door.New()
	shown := state.Opening(&l.Info)
	if !at.Empty {
		if shown, err = link.Read(&l.Info, at.Pairs); err != nil {
			return q, err
		}
	}
	if len(q.systems) == 0 {
		q.systems = shown.On
	}
	q.lab, q.pairs = at.Lab, append(shown.Setup.Pairs(), q.pairs...)
	return q, nil
}

// isLink tells a link from a setting.
func isLink(text string) bool {
	return strings.Contains(text, "#") || strings.Contains(text, "&") || strings.HasPrefix(text, "v=")
}

// bindPaper returns a bundle of everything in a paper.
func (s *shell) bindPaper(key string) ([]byte, error) {
	list, err := s.reviews(key, "")
	if err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	r := list[0]
	runs := r.paper.Runs()
	parts := make([]bundle.Part, len(runs))
	err = each(s.crew(r.door), len(runs), func(l *lab.Lab, i int) error {
		var err error
		parts[i], err = bundle.Measure(l, r.paper, &runs[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	data, _, err := bundle.BindPaper(&r.lab, r.paper, s.order(), parts)
	return data, err
}

// environment says where the command runs.
func (s *shell) environment() string {
	if s.program == "" {
		return "the native command"
	}
	return "the native command, " + s.program
}

// order is what every bundle of the command says about itself.
func (s *shell) order() *exec.BundleRequest {
	return &exec.BundleRequest{Version: s.version, Environment: s.environment()}
}
