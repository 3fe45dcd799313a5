package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spillway/sim/hash"
	"spillway/ui/bundle"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/link"
	"spillway/ui/model/state"
	pages "spillway/ui/review"
)

const checkAbout = `Computes what is in a bundle again, writes its texts and draws its pictures again, and
compares: replayed (identical, to the last byte), agrees (not identical, but every
value within 0.1 %, or within 10^-12 where the same version wrote it; of another
version's texts and pictures, which may be worded and drawn otherwise, the first line
that is not the same), or differs, with where and by how much. Exit code: 0 replayed or agrees, 1 something differs, 2 it
cannot be checked: it is damaged, or of something that this version does not have. Results as JSON, of the page or of run, are checked, too, those of
former versions as well: replayed (the same hash), agrees (every value within 1e-12)
or differs.

With --strict only what is replayed will do: exit code 1 if a part merely agrees, or was
not checked. --certificate writes one page of HTML for a review: verdict, hash, both
versions, platform and time.
`

// A checked is the JSON of spillway check. Names and meanings are stable.
type checked struct {
	Finding string        `json:"finding" help:"the worst of all parts: replayed, agrees, differs, cannot be checked or damaged"`
	Lab     string        `json:"lab" help:"name of the laboratory"`
	Paper   string        `json:"paper,omitempty" help:"key of the paper that it is about"`
	Setup   string        `json:"setup" help:"setup text of its runs; empty of a paper's"`
	Version string        `json:"version" help:"of the program that wrote it"`
	Hash    string        `json:"hash" help:"SHA-256 of all that it has: of a bundle the root of its manifest, else of the file"`
	Here    string        `json:"here" help:"this program, as spillway version prints it"`
	Damaged []string      `json:"damaged" help:"files whose bytes are not what the manifest says, and why"`
	Parts   []checkedPart `json:"parts" help:"each system, or each run of the paper; texts; its claims; pictures"`

	worst exec.Finding // Finding
}

type checkedPart struct {
	Part        string              `json:"part" help:"which"`
	Finding     string              `json:"finding" help:"as of all"`
	Says        string              `json:"says,omitempty" help:"more, in a sentence"`
	Differences []checkedDifference `json:"differences,omitempty" help:"the largest first"`

	found exec.Finding // Finding
}

type checkedDifference struct {
	Where    string `json:"where" help:"which value, with its key, or which line of which file"`
	Recorded string `json:"recorded" help:"in the bundle"`
	Got      string `json:"got" help:"now"`
	Off      string `json:"off,omitempty" help:"the relative difference"`
}

func (s *shell) check(args []string) error {
	fs := s.flags("check", "FILE"+bundle.Ext+" | RESULTS.json [--strict] [--certificate FILE.html] [--json]", checkAbout, doc{"--json prints one object:", checked{}})
	asJSON := fs.Bool("json", false, "print everything as one JSON object")
	strict := fs.Bool("strict", false, "exit code 1 unless everything is replayed")
	certificate := fs.String("certificate", "", "write what was found to `FILE`, one page of HTML")
	s.forceFlag(fs)
	rest, err := parse(fs, args)
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return errors.New("check: name one bundle, FILE" + bundle.Ext)
	}
	data, err := os.ReadFile(rest[0])
	if err != nil {
		return err
	}
	if list, err := readResults(data); err != nil || len(list) > 0 {
		var c *checked
		if err == nil {
			c, err = s.checkResults(list)
		}
		if err != nil {
			return fmt.Errorf("check: %s: %w", rest[0], err)
		}
		c.Hash = hash.Sum(data)
		return s.found(c, filepath.Base(rest[0]), *certificate, *asJSON, *strict)
	}
	if !bundle.Is(data) {
		return fmt.Errorf("check: %s is no bundle, a zip with a manifest.json of Spillway, and no results as JSON; if it was downloaded, it may be cut off", rest[0])
	}
	b, err := bundle.Open(data)
	if err != nil {
		return fmt.Errorf("check: %s: %w", rest[0], err)
	}
	verdicts, err := s.verdicts(b)
	if err != nil {
		return err
	}
	return s.found(summary(b.Info(), verdicts), filepath.Base(rest[0]), *certificate, *asJSON, *strict)
}

// found prints what was found of a file, and writes a certificate if there shall be one; the
// error says what it comes to.
func (s *shell) found(c *checked, name, certificate string, asJSON, strict bool) (err error) {
	c.Here = s.program
	if certificate != "" {
		if err := replace(certificate, []byte(pages.Certify(s.certified(c, name)))); err != nil {
			return err
		}
	}
	if asJSON {
		err = printJSON(s.out, c)
	} else {
		s.printChecked(c)
	}
	switch {
	case err != nil:
		return err
	case c.Finding == exec.Differs.String():
		return failed{errors.New("not everything is as recorded")}
	case c.Finding != exec.Replayed.String() && c.Finding != exec.Agrees.String():
		return errors.New("it " + map[bool]string{true: "is damaged", false: "cannot be checked"}[c.Finding == exec.Damaged.String()])
	case strict && c.Finding != exec.Replayed.String():
		return failed{errors.New("not everything is replayed, which --strict wants")}
	}
	return nil
}

// certified is what was found, for a page.
func (s *shell) certified(c *checked, name string) *pages.Certificate {
	p := &pages.Certificate{
		Name: name, Finding: c.Finding, Class: c.worst.Class(), Hash: c.Hash, Lab: c.Lab, Paper: c.Paper, Setup: c.Setup,
		Written: c.Version, Checked: c.Here, Damaged: c.Damaged,
	}
	if s.now != nil {
		p.Time = s.now().UTC().Format(time.RFC3339)
	}
	counts := map[string]int{}
	for _, x := range c.Parts {
		counts[x.Finding]++
		if len(c.Parts) > mostReplayed && x.Finding == exec.Replayed.String() && x.Says == "" {
			continue // of a paper's hundreds those are named that are not as recorded
		}
		says := x.Says
		if len(x.Differences) > 0 {
			d := &x.Differences[0]
			says = strings.TrimSpace(says + fmt.Sprintf(" %s: recorded %s, now %s.", d.Where, d.Recorded, d.Got))
		}
		p.Parts = append(p.Parts, pages.Part{Name: x.Part, Finding: x.Finding, Class: x.found.Class(), Says: says})
	}
	var said []string
	for f := exec.Replayed; f <= exec.Damaged; f++ {
		if n := counts[f.String()]; n > 0 {
			said = append(said, fmt.Sprintf("%d of %d parts %s", n, len(c.Parts), f))
		}
	}
	p.Says = strings.Join(said, ", ") + "."
	return p
}

// verdicts checks all parts of a bundle.
func (s *shell) verdicts(b *bundle.Bundle) ([]*exec.Verdict, error) {
	info := b.Info()
	door, err := s.door(info.Lab)
	if err != nil {
		return nil, fmt.Errorf("check: %w", err)
	}
	l := door.New()
	var opened lab.Files
	if workload := b.Workload(); workload != nil && l.Entry != "" {
		if opened, err = openLab(&l, workload); err != nil {
			if len(info.Damaged) == 0 {
				return nil, fmt.Errorf("check: the workload: %w", err)
			}
			opened = nil // what is damaged is said of each part
		}
	}
	if len(info.Parts) == 0 {
		return nil, nil // nobody knows what ran
	}
	list := make([]*exec.Verdict, len(info.Parts))
	runs := len(list) - 1 // the last is made of what the others give
	err = each(s.crew(door), runs, func(l *lab.Lab, i int) error {
		list[i] = b.Check(l, &exec.BundleRequest{Version: s.version, Part: i}, opened, nil)
		return nil
	})
	if err != nil {
		return nil, err
	}
	outcomes, told := exec.Given(list[:runs])
	list[runs] = b.Check(&l, &exec.BundleRequest{Version: s.version, Part: runs, Outcomes: outcomes, Told: told}, opened, nil)
	if info.Pictures > 0 {
		drawn, err := redrawn(l, info, b.Workload())
		list = append(list, b.Pictures(drawn, s.version, err))
	}
	return list, nil
}

// redrawn draws the pictures of a bundle again, from its link. An error is why they cannot
// be drawn.
func redrawn(l lab.Lab, info *exec.BundleInfo, workload []lab.File) ([]exec.Drawn, error) {
	at, err := link.Parse(info.Link)
	if err != nil {
		return nil, err
	}
	shown, err := link.Read(&l.Info, at.Pairs)
	if err != nil {
		return nil, err
	}
	if at.Lab != info.Lab || shown.Setup.String() != info.Setup || !slices.Equal(slices.Sorted(slices.Values(shown.On)), slices.Sorted(slices.Values(info.Systems))) { // a command names them in any order
		return nil, errors.New("the link in scenario.txt is of something else than its results")
	}
	shown.View = state.Explore // whatever view the page was in
	return drawings(l, &exec.BundleRequest{Link: info.Link, Version: info.Version}, link.Encode(&l.Info, &shown), workload)
}

// summary is what was found, for programs.
func summary(info *exec.BundleInfo, verdicts []*exec.Verdict) *checked {
	c := &checked{Lab: info.Lab, Paper: info.Paper, Setup: info.Setup, Version: info.Version, Hash: info.Root, Damaged: append([]string{}, info.Damaged...), Parts: []checkedPart{}}
	worst := exec.Replayed
	if len(info.Damaged) > 0 || len(verdicts) == 0 {
		worst = exec.Damaged
	}
	for _, v := range verdicts {
		worst = max(worst, v.Finding)
		p := checkedPart{Part: v.Part, Finding: v.Finding.String(), Says: v.Says, found: v.Finding}
		for _, d := range v.Differences {
			p.Differences = append(p.Differences, checkedDifference(d))
		}
		c.Parts = append(c.Parts, p)
	}
	c.Finding, c.worst = worst.String(), worst
	return c
}

// mostReplayed is how many parts are named that are as recorded.
const mostReplayed = 20

// printChecked prints what was found for people.
func (s *shell) printChecked(c *checked) {
	about := c.Setup
	if c.Paper != "" {
		about = "paper " + c.Paper
	}
	fmt.Fprintf(s.out, "lab=%s %s\nwritten by version %q, checked by %q\n", c.Lab, about, c.Version, c.Here)
	for _, text := range c.Damaged {
		fmt.Fprintf(s.out, "damaged    %s\n", text)
	}
	same := 0
	for _, p := range c.Parts {
		if p.Finding == exec.Replayed.String() {
			if same++; len(c.Parts) > mostReplayed && p.Says == "" {
				continue
			}
		}
		fmt.Fprintf(s.out, "%-10s %s", p.Finding, p.Part)
		if p.Says != "" {
			fmt.Fprintf(s.out, ": %s", p.Says)
		}
		fmt.Fprintln(s.out)
		for _, d := range p.Differences {
			fmt.Fprintf(s.out, "           %s: recorded %s, now %s", d.Where, d.Recorded, d.Got)
			if d.Off != "" {
				fmt.Fprintf(s.out, " (%s)", d.Off)
			}
			fmt.Fprintln(s.out)
		}
	}
	fmt.Fprintf(s.out, "%s: %d of %d parts replayed\n", c.Finding, same, len(c.Parts))
}
