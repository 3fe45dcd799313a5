package main

import (
	"errors"
	"fmt"
	"slices"

	"spillway/sim/study"
	"spillway/ui/chart"
	"spillway/ui/draw"
	pages "spillway/ui/review"
)

const reportAbout = `Runs what the papers measured and writes one HTML file for reviewers: every claim and
every published number with ours, the difference, the tolerance and the verdict,
figures, environment, version and hashes. It needs no script and asks for nothing.
`

func (s *shell) report(args []string) error {
	fs := s.flags("report", "-o FILE.html [--paper KEY] [--figures NAME,...] [--artifact FOLDER]", reportAbout)
	out := fs.String("o", "", "write the report to `FILE`")
	key := fs.String("paper", "", "only the paper with this `KEY`; spillway list has them")
	figures := fs.String("figures", "", "comma-separated `NAMES` of figures, like 11,18 or g10.11,g10.18; all without it")
	artifact := fs.String("artifact", "", "`FOLDER` (or zip) with a paper's own workloads, as its authors published them")
	if err := noMore(parse(fs, args)); err != nil {
		return err
	}
	if *out == "" {
		return errors.New("report: say where to with -o FILE.html")
	}
	list, err := s.reviews(*key, *figures)
	if err == nil && *artifact != "" {
		list, err = s.originals(list, *artifact)
	}
	if err != nil {
		return err
	}
	var papers []pages.Paper
	for _, r := range list {
		if err := r.measure(s.crew(r.door)); err != nil {
			return err
		}
		p, err := r.sheets()
		if err != nil {
			return err
		}
		papers = append(papers, *p)
	}
	text := pages.HTML(papers, pages.Options{
		Version: s.version, Environment: s.environment(),
		Figure: func(sheet *study.Sheet) string {
			for _, r := range list {
				if r.paper.Key == sheet.Paper && len(sheet.Drawing.Panels) > 0 {
					v := chart.Sheet(sheet, &r.lab.Info)
					return draw.SVG(&v, draw.Options{Version: s.version})
				}
			}
			return ""
		},
	})
	if err := replace(*out, []byte(text)); err != nil {
		return err
	}
	for i := range papers {
		t := &papers[i].All.Tally
		fmt.Fprintf(s.out, "%s: %d of %d numbers within their tolerance, %d of %d claims hold\n", papers[i].Outline.Short, t.Compared-t.Gap, t.Points, t.Holds, t.Claims)
	}
	return nil
}

// sheets are what a report says of a paper.
func (r *review) sheets() (*pages.Paper, error) {
	p := &pages.Paper{Outline: r.paper.Outline()}
	for _, id := range r.figures {
		sheet, err := r.paper.Sheet(id, r.outcomes)
		if err != nil {
			return nil, err
		}
		p.Sheets = append(p.Sheets, sheet)
	}
	var err error
	if p.All, err = r.paper.Sheet(study.AllClaims, r.outcomes); err != nil {
		return nil, err
	}
	p.All.Claims = slices.DeleteFunc(p.All.Claims, func(c study.ClaimLine) bool { return !slices.Contains(r.figures, c.Figure) })
	return p, nil
}
