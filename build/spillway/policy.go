package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"spillway/sim/policy"
	"spillway/ui/lab/own"
)

const policyForm = `list lab=LAB
       spillway policy check lab=LAB [FILE]
       spillway policy fmt [FILE]
       spillway policy score lab=LAB [FILE] [p1=NUMBER ...]`

const policyAbout = `A policy is a text of rules that the system own of a laboratory follows; it runs
with spillway run lab=LAB system=own policy=@FILE. A rule is an expression over
numbers that the laboratory knows:

  # Whoever asks
  evict = next * min(size, short) * (p1 if mine else 1)
  fetch = -next

list says which rules, events and numbers there are. check says whether a text is
right: what it is called, and what it costs; an error has the line and the column.
score runs it on the laboratory's fixed set of workloads: one number, and a link with
which anybody has it again. fmt prints it with blanks as people write them. Without
FILE, or with -, the text is standard input.
`

// policyWords are what can be done with a policy.
var policyWords = []string{"list", "check", "fmt", "score"}

// policy lists, checks or prints what people write.
func (s *shell) policy(args []string) error {
	fs := s.flags("policy", policyForm, policyAbout)
	rest, err := parse(fs, args)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return errors.New("policy: want list, check, fmt or score; spillway policy -h explains them")
	}
	do, rest := rest[0], rest[1:]
	var place *policy.Place
	if len(rest) > 0 && strings.HasPrefix(rest[0], "lab=") {
		if place, err = s.asks(strings.TrimPrefix(rest[0], "lab=")); err != nil {
			return fmt.Errorf("policy: %w", err)
		}
		rest = rest[1:]
	}
	if place == nil && do != "fmt" && slices.Contains(policyWords, do) {
		return fmt.Errorf("policy %s: want lab=LAB, one of %s", do, s.askers())
	}
	file := "-"
	if len(rest) > 0 && do != "list" && !(do == "score" && strings.Contains(rest[0], "=")) { // settings go on where nothing is read from a file
		file, rest = rest[0], rest[1:]
	}
	if do == "score" && place != nil {
		return s.scorePolicy(place, file, rest)
	}
	if err := noMore(rest, nil); err != nil {
		return fmt.Errorf("policy %s: %w", do, err)
	}
	switch do {
	case "list":
		listPlace(s.out, place)
		return nil
	case "check":
		return s.checkPolicy(place, file)
	case "fmt":
		text, err := readText(file)
		if err != nil {
			return err
		}
		text, err = policy.Format(text)
		if err != nil {
			return fmt.Errorf("%s:%w", said(file), err)
		}
		fmt.Fprint(s.out, text)
		return nil
	}
	return fmt.Errorf("policy: unknown %q; want list, check, fmt or score", do)
}

// asks returns what policies of a laboratory can be asked.
func (s *shell) asks(name string) (*policy.Place, error) {
	d, err := s.door(name)
	if err != nil {
		return nil, err
	}
	l := d.New()
	if p := own.Place(&l); p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s runs no policies of one's own; there are %s", name, s.askers())
}

// askers names the laboratories that run policies of one's own.
func (s *shell) askers() string {
	var names []string
	for _, d := range s.labs {
		if l := d.New(); own.Place(&l) != nil {
			names = append(names, d.Name)
		}
	}
	return strings.Join(names, ", ")
}

// listPlace prints what there is for a policy.
func listPlace(w io.Writer, p *policy.Place) {
	line := func(name, help string) {
		text := wrap(help, strings.Repeat(" ", helpAt))
		if len(name)+2 < helpAt {
			text = text[len(name)+2:]
		} else {
			name += "\n"
		}
		fmt.Fprint(w, "  "+name+text)
	}
	fmt.Fprint(w, "Rules; a number unless it says condition:\n")
	for _, r := range p.Rules {
		help := r.Help
		if r.Condition {
			help = "Condition. " + help
		}
		if r.Default != "" {
			help += " Without it: " + r.Default + "."
		}
		line(r.Name, help)
	}
	if len(p.Events) > 0 {
		fmt.Fprint(w, "\nEvents, after which numbers that are kept change:\n")
	}
	for _, e := range p.Events {
		line(e.Name, e.Help)
	}
	waits := ""
	if slices.ContainsFunc(p.Rules, func(r policy.Rule) bool { return !r.Condition && !r.Each }) {
		waits = " A rule that reads nothing marked live is asked once, when something\nbegins to wait; else all that wait are asked each time."
	}
	fmt.Fprint(w, "\nWhat there is to know."+waits+" What reads the future is a bound:\n")
	for _, f := range p.Features {
		name := f.Name
		if f.Unit != "" {
			name += ", " + f.Unit
		}
		var marks []string
		if f.Condition {
			marks = append(marks, "condition")
		}
		for _, seam := range f.Seams {
			at := slices.IndexFunc(p.Rules, func(r policy.Rule) bool { return r.Seam == seam })
			marks = append(marks, "with "+p.Rules[at].Name)
		}
		if f.Live && waits != "" {
			marks = append(marks, "live")
		}
		if f.Future {
			marks = append(marks, "future")
		}
		if len(marks) > 0 {
			name += " (" + strings.Join(marks, ", ") + ")"
		}
		line(name, f.Help)
	}
	fmt.Fprint(w, "\nIn an expression stand + - * / < <= > >= == != and or not, x if c else y, min max abs floor\nsqrt, and units: 3ms, 64MiB. x / 0 is 0. NAME = ... names an expression"+keeps(p)+".\n")
}

// keeps says how numbers are kept, where something happens after which they may change.
func keeps(p *policy.Place) string {
	if len(p.Events) == 0 {
		return ""
	}
	of := ""
	if things := p.Things(); len(things) > 0 {
		of = ", or\nkeep NAME of " + things[0] + " = 0,"
	}
	return "; keep NAME = 0" + of + " keeps a number, and when EVENT: NAME = ... changes it"
}

// checkPolicy says whether a text is right.
func (s *shell) checkPolicy(place *policy.Place, file string) error {
	text, err := readText(file)
	if err != nil {
		return err
	}
	p, err := policy.Parse(place, text)
	if err != nil {
		return fmt.Errorf("%s:%w", said(file), err)
	}
	title := p.Title
	if title == "" {
		title = "no title"
	}
	fmt.Fprintf(s.out, "%s: right; %s, %.8s, %d bytes in a link\n", said(file), title, p.SHA256(), len(p.Text))
	for _, r := range place.Rules {
		c := p.Rule(r.Name)
		if c == nil {
			continue
		}
		how := "asked of all that wait, each time"
		switch {
		case r.Condition && r.Thing != "":
			how = "asked about one " + r.Thing + " each time"
		case r.Condition || r.Each:
			how = "asked each time"
		case c.Fixed:
			how = "asked once, when something begins to wait"
		}
		if !p.Given(r.Name) {
			how = "by default; " + how
		}
		fmt.Fprintf(s.out, "  %s: %d operations and numbers read; %s\n", r.Name, c.Cost(), how)
	}
	if p.Future {
		fmt.Fprintln(s.out, "  It knows the future, so it is a bound.")
	}
	return nil
}

// mostPolicy is more than a policy has.
const mostPolicy = 1 << 16

// policyText is what policy=TEXT means: @PATH is a file, - standard input.
func policyText(text string) (string, error) {
	file, named := strings.CutPrefix(text, "@")
	if !named && text != "-" {
		return text, nil
	}
	if !named {
		file = "-"
	}
	text, err := readText(file)
	if err != nil {
		return "", err
	}
	// Its place is not known yet; what is wrong with any has the line of the file.
	if _, err := policy.Format(text); err != nil {
		return "", fmt.Errorf("%s:%w", said(file), err)
	}
	return text, nil
}

// said is how errors name a file.
func said(file string) string {
	if file == "-" {
		return "standard input"
	}
	return file
}

// readText reads a file, or standard input.
func readText(file string) (string, error) {
	in := io.Reader(os.Stdin)
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, mostPolicy+1))
	if err == nil && len(data) > mostPolicy {
		err = fmt.Errorf("%s is no policy: it is longer than %d bytes", said(file), mostPolicy)
	}
	return string(data), err
}
