package exec

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/sim/script"
	"spillway/sim/study"
	"spillway/ui/board"
	"spillway/ui/columns"
	"spillway/ui/lab"
)

// An Executor does the jobs of one laboratory, one at a time.
type Executor struct {
	Lab lab.Lab
	// Reader reads files for a laboratory; nil in a program that gets what another found
	// in them. Package files has it.
	Reader func(l *lab.Lab, files []lab.File) (lab.Files, error)

	number int // of the files at hand
	files  []lab.File
	source lab.Files // what they hold, nil until needed
	opened bool      // it is known what they hold
	err    error     // why it could not be opened
}

// Open gives b a set of files under a number, instead of the one it had.
func (b *Executor) Open(number int, files []lab.File) {
	b.number, b.files, b.source, b.opened, b.err = number, files, nil, false, nil
}

// open returns what the files with this number hold, nil for number 0. progress is
// told of bytes.
func (b *Executor) open(number int, progress lab.Progress) (lab.Files, error) {
	switch {
	case number == 0:
		return nil, nil
	case number != b.number:
		return nil, errors.New("the files are no longer at hand; open them again")
	}
	if !b.opened {
		b.opened = true
		b.source, b.err = b.look(progress)
	}
	return b.source, b.err
}

// look finds out what the files at hand hold.
func (b *Executor) look(progress lab.Progress) (lab.Files, error) {
	if found := b.found(); found != nil && b.Lab.Accept != nil {
		return b.Lab.Accept(found, b.files)
	}
	if b.Reader == nil {
		return nil, fmt.Errorf("%s takes no such files", b.Lab.Title)
	}
	files, quiet, err := Counted(b.files, progress)
	if err != nil {
		return nil, err
	}
	defer quiet() // who reads them again tells nobody
	return b.Reader(&b.Lab, files)
}

// found takes what another program found in the files at hand from before them, nil if
// it is not there.
func (b *Executor) found() []byte {
	if len(b.files) == 0 {
		return nil
	}
	found, ok := b.files[0].Found()
	if ok {
		b.files = b.files[1:]
	}
	return found
}

// Do does j. progress may be nil; it is told now and then how much of a run is
// done. A bug that makes the simulator panic becomes the answer's error.
func (b *Executor) Do(j *Job, progress lab.Progress) Answer {
	a, err := b.try(j, progress)
	if err != nil {
		a.Error = err.Error()
	}
	return a
}

// try does j. A bug that makes the simulator panic is an error.
func (b *Executor) try(j *Job, progress lab.Progress) (a Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			a, err = Answer{ID: j.ID, Last: true}, fmt.Errorf("the simulator has a bug: %v (%s)", p, place())
		}
	}()
	a = Answer{ID: j.ID, Last: true}
	err = b.do(j, progress, &a)
	return a, err
}

func (b *Executor) do(j *Job, progress lab.Progress, a *Answer) error {
	files, err := b.open(j.Files, progress)
	if err != nil {
		return err
	}
	switch j.Kind {
	case Run, Raw:
		return b.run(j, files, progress, a)
	case Open: // of one laboratory, whose Reader reads them later
		a.Takers = []Taker{{Lab: b.Lab.Name}}
		return nil
	case Again:
		a.Redone, err = Redo(&b.Lab, j.Ask, j.Outcomes, files, progress)
		return err
	case Carry:
		return b.carry(j, files, a)
	case List:
		return b.list(j, files, progress, a)
	case Survey, Join:
		return b.survey(j, files, progress, a)
	case Section:
		return b.section(j, files, progress, a)
	case Export:
		u, err := b.Lab.Read(j.Setup)
		if err == nil {
			a.Data, err = b.Lab.Export(j.Key, u, j.System, files, j.Origin, progress)
		}
		return err
	case Timeline:
		return b.timeline(j, files, progress, a)
	case Proof:
		return b.proof(j, a)
	case Several:
		b.several(j, a)
		return nil
	case Outline, Measure, Sheet, Tallies:
		return b.paper(j, files, progress, a)
	}
	return fmt.Errorf("there is no work of kind %d", j.Kind)
}

// proof reads a policy as it is typed.
func (b *Executor) proof(j *Job, a *Answer) error {
	r, ok := b.Lab.Asks.(script.Reader)
	if !ok {
		return fmt.Errorf("%s runs no policies of one's own", b.Lab.Title)
	}
	p := r.Proof(j.View, j.Key == Joined)
	a.Proofed = &Proofed{Text: p.Text, SHA256: p.SHA256, Start: board.Examples(p), Words: board.Words(p)}
	if p.Wrong != "" {
		a.Proofed.Wrong = fmt.Sprintf("Line %d, column %d: %s", p.Line, p.Column, p.Wrong)
	}
	return nil
}

// carry says what a bundle of a setup has of the opened files.
func (b *Executor) carry(j *Job, files lab.Files, a *Answer) error {
	c, ok := files.(lab.Sharer)
	if !ok {
		return nil
	}
	u, err := b.Lab.Read(j.Setup)
	if err == nil {
		a.Handed, err = c.Carry(u)
	}
	return err
}

// paper does the jobs that are about a paper.
func (b *Executor) paper(j *Job, files lab.Files, progress lab.Progress, a *Answer) error {
	paper, err := b.Lab.Paper(j.Paper)
	if err != nil {
		return err
	}
	switch j.Kind {
	case Outline:
		a.Outline = paper.Outline()
	case Measure:
		o, raw, err := b.Lab.Measure(paper, j.Name, j.Setup, files, progress)
		if err != nil {
			return err
		}
		o.Rebuilt, a.Outcome = j.Rebuilt, o
		if j.Hash && raw != nil {
			a.Hash = b.Lab.Hash(raw)
		}
	case Sheet:
		a.Sheet, err = paper.Sheet(j.Name, j.Outcomes)
	case Tallies:
		var scores []study.Score
		if a.Tallies, scores, err = paper.Tallies(j.Outcomes); err == nil {
			a.Board = board.HTML(paper, a.Tallies, scores)
		}
	}
	return err
}

func (b *Executor) run(j *Job, files lab.Files, progress lab.Progress, a *Answer) error {
	u, err := b.Lab.Read(j.Setup)
	if err != nil {
		return err
	}
	r, raw, err := b.Lab.Run(u, j.System, files, progress)
	if err != nil {
		if refused, wrong := b.Refuses(u, j, files, a); refused || wrong != nil {
			return wrong
		}
		return err
	}
	if j.Hash {
		a.Hash = b.Lab.Hash(raw)
	}
	if j.Kind == Run {
		if j.Lean {
			r.Curves = nil
		}
		a.Report = r
		return nil
	}
	text, err := b.Lab.JSON(raw)
	if err != nil {
		return err
	}
	r.Curves = nil // all of them are in the result
	a.JSON, a.Report = string(text), r
	return nil
}

// Refuses says in a what is in the way of a run, and what to set instead; it reports whether
// the settings contradict each other. What else is in the way is the error.
func (b *Executor) Refuses(u *knob.Setup, j *Job, files lab.Files, a *Answer) (contradict bool, err error) {
	if wrong := b.Lab.Check(u); wrong != nil {
		a.Problems, contradict = Lines(wrong), true
	} else if err = b.Lab.Ready(u, j.System, files); err == nil {
		return false, nil
	}
	if !j.Lean { // of many runs nobody asks
		a.Remedies = b.Lab.Remedies(u, j.System, files)
	}
	return contradict, err
}

// timeline runs a system with a recorder.
func (b *Executor) timeline(j *Job, files lab.Files, progress lab.Progress, a *Answer) error {
	if b.Lab.Timeline == nil {
		return fmt.Errorf("%s has nothing that happens over time", b.Lab.Title)
	}
	u, err := b.Lab.Read(j.Setup)
	if err != nil {
		return err
	}
	if err := b.Lab.Check(u); err != nil {
		a.Problems = Lines(err)
		return nil
	}
	h, err := b.Lab.Timeline(u, j.System, files, j.Window, progress)
	if err != nil {
		return err
	}
	a.Timeline = columns.Tell(h)
	if j.Against != "" {
		other, err := b.Lab.Timeline(u, j.Against, files, lab.Window{}, nil)
		if err != nil {
			a.Timeline.Alone = err.Error()
		} else if h, err = b.beside(j, h, other, a.Timeline); err != nil {
			return err
		}
	}
	a.Columns, err = columns.Encode(h)
	return err
}

// beside puts a run beside that of another system.
func (b *Executor) beside(j *Job, h, other *lab.Happening, about *columns.About) (*lab.Happening, error) {
	x, err := b.Lab.System(j.System)
	if err != nil {
		return nil, err
	}
	y, err := b.Lab.System(j.Against)
	if err != nil {
		return nil, err
	}
	if h.Linked(other.Timeline) {
		about.Word = h.Word
	}
	return columns.Beside(h, other, x.Title, y.Title, !j.ByTime)
}

// several does the runs of a question. One that fails leaves the others alone; that one
// is too much work is an answer.
func (b *Executor) several(j *Job, a *Answer) {
	a.Parts = make([]Part, len(j.Picks))
	for i, p := range j.Picks {
		one, err := b.try(&Job{Kind: Run, Setup: p.Setup, System: p.System, Files: j.Files, Lean: true}, nil)
		if much := new(lab.Much); errors.As(err, &much) { // to try again changes nothing
			a.Parts[i] = Part{Report: &report.Report{Reason: err.Error()}}
			continue
		}
		a.Parts[i] = Part{Problems: one.Problems}
		if err != nil {
			a.Parts[i].Error = err.Error()
		}
		if r := one.Report; r != nil {
			a.Parts[i].Report = &report.Report{Fits: r.Fits, Reason: r.Reason, Values: r.Values}
		}
	}
}

func (b *Executor) section(j *Job, files lab.Files, progress lab.Progress, a *Answer) error {
	u, err := b.Lab.Read(j.Setup)
	if err != nil {
		return err
	}
	for i := range b.Lab.Sections {
		if s := &b.Lab.Sections[i]; s.Key == j.Key {
			view := knob.NewSetup(s.Knobs)
			if err := view.Read(j.View); err != nil {
				return err
			}
			if j.Key == lab.WhyKey && b.Lab.Causes() {
				return b.why(j, u, view.Text(lab.WhyKey), files, a)
			}
			a.Section, err = b.Lab.Section(j.Key, view, u, j.System, files, progress)
			return err
		}
	}
	return fmt.Errorf("%s has no section %q", b.Lab.Title, j.Key)
}

// why says which runs it takes to say why a system is slow, and answers with what came of them.
func (b *Executor) why(j *Job, u *knob.Setup, against string, files lab.Files, a *Answer) (err error) {
	q := lab.Question{Lab: &b.Lab, Setup: u, System: j.System, Against: against, Files: files}
	if j.Base != "" {
		if q.Base, err = b.Lab.Read(j.Base); err != nil {
			return err
		}
	}
	a.Section, a.Picks, err = b.Lab.Explain(&q, j.Known)
	return err
}

// Lines splits a joined error into its messages.
func Lines(err error) []string {
	var many interface{ Unwrap() []error }
	if !errors.As(err, &many) {
		return []string{err.Error()}
	}
	var out []string
	for _, e := range many.Unwrap() {
		out = append(out, Lines(e)...)
	}
	return out
}

// place returns the function and line where the running panic began.
func place() string {
	_, after, _ := strings.Cut(string(debug.Stack()), "panic(")
	lines := strings.Split(after, "\n")
	for i := 2; i+1 < len(lines); i += 2 {
		if name := lines[i]; !strings.HasPrefix(name, "runtime.") && strings.Contains(name, "spillway/") {
			file := strings.TrimSpace(lines[i+1])
			return file[strings.LastIndex(file, "/")+1:]
		}
	}
	return "place unknown"
}
