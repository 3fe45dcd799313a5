package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/sweep"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/lab/all"
)

const sweepForm = `lab=LAB [system=NAME,...] [file=PATH ...] [KEY=VALUE ...] --vary KEY=VALUES ... [--csv | --json]
       spillway sweep lab=LAB ... --vary KEY=VALUES ... --shard I/N [--parts FOLDER]
       spillway sweep [FLAGS]`

const sweepAbout = `The first form runs systems of any laboratory, as run does, with every value of a
setting. --vary may be repeated, for another setting or further values; the first
setting changes slowest, the last faster, the system fastest. VALUES are

  1.6,3.2,6.4    these
  1.6..12.8/8    8 values, evenly from the first to the last
  1.6..12.8x4    4 values, each by the same factor above the one before
  32..512*2      32, 64, 128 and so on, up to 512
  32..512+32     32, 64, 96 and so on, up to 512
  *              all choices of a setting that has choices, or all named sets

A product such as part-ssd=990-pro is a choice that brings values of other
settings; settings on the command line count more than what it brings. A run whose
settings contradict is in the output and says so. Of all runs the table has the
quantities that --of names.

The second form makes one of N parts of a sweep, which merge joins: give every
machine the same command with an I of its own, from 1 to N. It prints the part's
file. A part that is there and whole is not made again, one that is damaged is.

The third form runs workloads of training on systems, once for every value of one
setting. Its flags are those that the first does not name.
`

// sweepFlags are those of the forms with lab=.
var sweepFlags = []string{"vary", "of", "json", "csv", "shard", "parts", "force"}

func (s *shell) sweep(args []string) error {
	fs := s.flags("sweep", sweepForm, sweepAbout, doc{"With lab=, --json prints an array of objects, one a run:", sweepRun{}}, doc{csvHelp, struct{}{}})
	var vary words
	fs.Var(&vary, "vary", "a setting and its values: `KEY=VALUES`")
	of := fs.String("of", "", "comma-separated `KEYS` of quantities; without it the table has the one that the laboratory's headline is about, and --csv has all")
	form := formFlags(fs, "below")
	shard := fs.String("shard", "", "make part I of N, as `I/N`")
	parts := fs.String("parts", ".", "`FOLDER` for the part of --shard")
	var o grid
	fs.StringVar(&o.workloads, "workloads", "bert-base@256", "comma-separated `LIST`: MODEL@BATCH[@as-paper|@GPU], .config files or traces")
	fs.StringVar(&o.systems, "systems", "", "comma-separated `NAMES` of systems; all without it")
	fs.StringVar(&o.mode, "mode", "", modeHelp)
	fs.StringVar(&o.artifact, "artifact", "", "`FOLDER` of the G10 artifact that .config files refer to")
	fs.Var(&o.set, "set", "override a key for all runs: `KEY=VALUE`; may be repeated")
	s.forceFlag(fs)
	rest, err := parse(fs, args)
	if err != nil {
		return err
	}
	q, err := readRequest("", rest)
	if q.lab == "" {
		if foreign := given(fs, "of", "json", "csv", "shard", "parts"); foreign != "" {
			return fmt.Errorf("sweep: --%s needs lab=LAB", foreign)
		}
		if len(vary) > 0 {
			o.vary = vary[len(vary)-1]
		}
		if err := noMore(rest, nil); err != nil {
			return err
		}
		return s.trainingSweep(&o)
	}
	if err == nil {
		err = form.check()
	}
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	if err := only(fs, sweepFlags...); err != nil {
		return err
	}
	sharded := given(fs, "shard") != ""
	if err := ofPart(fs, sharded); err != nil {
		return err
	}
	x, err := s.prepare(q, vary, *of)
	switch {
	case err != nil:
		return err
	case !sharded:
		return x.run(x.writer(s, form), wholly)
	}
	return x.part(*shard, *parts)
}

// ofPart refuses flags that would do nothing: those of a part without --shard, and
// with it those of what merge prints.
func ofPart(fs *flag.FlagSet, sharded bool) error {
	if form := given(fs, "json", "csv"); sharded && form != "" {
		return fmt.Errorf("sweep: --shard makes a part, which is the same in every form; give --%s to merge", form)
	}
	if !sharded && given(fs, "parts") != "" {
		return errors.New("sweep: --parts is the folder for the part of --shard; say which part: --shard I/N")
	}
	return nil
}

// given returns the first of these flags that is set, or "".
func given(fs *flag.FlagSet, names ...string) string {
	found := ""
	fs.Visit(func(f *flag.Flag) {
		if found == "" && slices.Contains(names, f.Name) {
			found = f.Name
		}
	})
	return found
}

// words collects a repeated flag.
type words []string

func (v *words) String() string { return strings.Join(*v, " ") }

func (v *words) Set(s string) error {
	*v = append(*v, s)
	return nil
}

// A plan is a sweep in full, as it stands in a part: what must be the same in all
// of them. Nothing in it is about the machine it is made on.
type plan struct {
	Lab      string     `json:"lab" help:"name of the laboratory"`
	Settings string     `json:"settings" help:"those that were given, as a setup text"`
	Systems  []string   `json:"systems" help:"their names"`
	Axes     []planAxis `json:"axes" help:"what is varied; the first changes slowest"`
	Files    []planFile `json:"files" help:"the opened files"`
	Table    []string   `json:"table" help:"keys of the quantities in the table"`
	Force    bool       `json:"force,omitempty" help:"whether runs may be any work; missing if not"`
	Columns  []string   `json:"columns" help:"keys of the quantities in the CSV file"`
}

type planAxis struct {
	Key    string   `json:"key" help:"of the setting"`
	Values []string `json:"values" help:"all of them"`
}

type planFile struct {
	Name   string `json:"name" help:"without the folder that all are in"`
	SHA256 string `json:"sha256" help:"of the content"`
}

// A sweeping is a sweep that is ready to run.
type sweeping struct {
	plan
	shell  *shell
	door   all.Entry
	lab    *lab.Lab
	opened []lab.File
	files  lab.Files // what they hold
	grid   sweep.Grid
}

// prepare reads what a command line asks for.
func (s *shell) prepare(q request, vary []string, of string) (*sweeping, error) {
	x, err := s.open(q)
	if err != nil {
		return nil, err
	}
	base := x.lab.Setup()
	for _, p := range q.pairs {
		if err := known(base, x.lab.Name, p); err != nil {
			return nil, err
		}
	}
	typed := base.Clone()
	_ = typed.Apply(q.pairs) // what contradicts may no longer do so where an axis says otherwise
	axes, err := sweep.ParseAxes(typed, vary)
	if err != nil {
		return nil, fmt.Errorf("sweep: %w", listed(err, x.lab.Name))
	}
	x.grid = sweep.Grid{Base: base, Axes: axes, Systems: x.Systems, Keep: q.pairs}
	x.grid.Start = func(axes []knob.Pair) (*knob.Setup, error) {
		all := slices.Concat(q.pairs, axes)
		u, err := fromFiles(x.lab, x.files, all)
		if err == nil {
			_ = u.Apply(u.WithCompanions(all)) // what contradicts is said when the axes are applied
		}
		return u, err
	}
	if err := x.grid.Check(); err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	if x.Table, x.Columns, err = columns(&x.lab.Info, of); err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	if _, ok := x.files.(lab.Surveyor); ok {
		var setups []*knob.Setup
		for i := 0; i < x.grid.Len(); i += len(x.Systems) {
			setups = append(setups, x.grid.At(i).Setup)
		}
		if x.files, err = s.surveyed(x.lab, x.files, x.opened, setups...); err != nil {
			return nil, err
		}
	}
	x.Axes = []planAxis{}
	for _, a := range axes {
		x.Axes = append(x.Axes, planAxis{a.Key, a.Texts})
	}
	if len(axes) > 0 {
		return x, nil
	}
	p := x.grid.At(0) // what does not vary and contradicts is wrong use
	if p.Problem != "" {
		return nil, errors.New(p.Problem)
	}
	return x, x.lab.Check(p.Setup)
}

// open opens the laboratory and the files that q names.
func (s *shell) open(q request) (*sweeping, error) {
	door, err := s.door(q.lab)
	if err != nil {
		return nil, err
	}
	l := door.New()
	x := &sweeping{plan: plan{Lab: l.Name, Force: s.force, Settings: knob.Join(q.pairs, " "), Files: []planFile{}}, shell: s, door: door, lab: &l}
	list, err := readLab(&l, q.files)
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		sum := sha256.Sum256(f.Data)
		x.Files = append(x.Files, planFile{f.Name, hex.EncodeToString(sum[:])})
	}
	x.opened = list
	if list != nil {
		if x.files, err = openLab(&l, list); err != nil {
			return nil, err
		}
		for _, note := range x.files.Notes() {
			fmt.Fprintln(s.errs, "note:", note)
		}
	}
	systems, err := chosen(&l, x.files, q)
	if err != nil {
		return nil, err
	}
	for _, system := range systems {
		x.Systems = append(x.Systems, system.Name)
	}
	return x, nil
}

// known reports whether there is such a setting with such a value; whether other
// settings allow it is not asked.
func known(u *knob.Setup, lab string, p knob.Pair) error {
	k := u.Knob(p.Key)
	if k == nil {
		return listed(fmt.Errorf("unknown setting %q", p.Key), lab)
	}
	_, err := k.Canon(p.Text)
	return err
}

// listed says of an unknown setting where all are.
func listed(err error, lab string) error {
	if strings.HasPrefix(err.Error(), "unknown setting") {
		return fmt.Errorf("%w; spillway list %s has the settings", err, lab)
	}
	return err
}

// columns returns the keys of the quantities in the table and in the CSV file.
func columns(i *lab.Info, of string) (table, all []string, err error) {
	if of == "" {
		for k := range i.Quantities {
			all = append(all, i.Quantities[k].Key)
		}
		return []string{i.Say.Quantity}, all, nil
	}
	for key := range strings.SplitSeq(of, ",") {
		at, err := quantity(i, strings.TrimSpace(key))
		if err != nil {
			return nil, nil, err
		}
		table = append(table, i.Quantities[at].Key)
	}
	return table, table, nil
}

// quantity returns the place of the quantity with this key.
func quantity(i *lab.Info, key string) (int, error) {
	at := i.Quantity(key)
	if at < 0 {
		return 0, fmt.Errorf("unknown quantity %q; spillway list %s has the quantities", key, i.Name)
	}
	return at, nil
}

// A share is every of-th setup of a sweep, from the at-th on, with all systems.
type share struct{ at, of int }

// wholly is all of it.
var wholly = share{0, 1}

// place returns where in the sweep the k-th run of the share is.
func (h share) place(k, systems int) int {
	return (k/systems*h.of+h.at)*systems + k%systems
}

// len is how many of n runs are in the share.
func (h share) len(n, systems int) int {
	setups := n / systems
	return (setups - h.at + h.of - 1) / h.of * systems
}

// run runs a share of the sweep; w gets the runs in order.
func (x *sweeping) run(w runWriter, h share) error {
	if err := w.begin(&x.plan); err != nil {
		return err
	}
	bad, first := 0, ""
	n := h.len(x.grid.Len(), len(x.Systems))
	c := x.shell.crew(x.door)
	err := ordered(c, n, len(x.Systems), func(l *lab.Lab, k int) (*sweepRun, error) {
		return x.one(l, h.place(k, len(x.Systems)))
	}, func(_ int, r *sweepRun) error {
		if r.Problem != "" {
			if bad++; first == "" {
				first = r.Problem
			}
		}
		return w.row(r)
	})
	if err != nil {
		return err
	}
	if bad > 0 {
		fmt.Fprintf(x.shell.errs, "note: the settings of %d of %d runs contradict; the first: %s\n", bad, n, first)
	}
	return w.end()
}

// one runs the i-th run of the grid.
func (x *sweeping) one(l *lab.Lab, i int) (*sweepRun, error) {
	p := x.grid.At(i)
	r := &sweepRun{Record: exec.RecordOf(&l.Info, p.System, p.Setup), At: map[string]string{}, Problem: p.Problem}
	for k := range x.Axes {
		r.At[x.Axes[k].Key] = p.Texts[k]
	}
	if r.Problem == "" {
		if err := l.Check(p.Setup); err != nil {
			r.Problem = sweep.OneLine(err)
		}
	}
	if r.Problem != "" {
		return r, nil
	}
	rep, raw, err := l.Run(p.Setup, p.System, x.files, nil)
	if r.Problem = much(err); r.Problem != "" {
		return r, nil
	}
	if err != nil {
		return nil, broken(l, p.Run, err)
	}
	system, err := l.System(p.System)
	if err != nil {
		return nil, err
	}
	r.Record = (&labResult{system: system, setup: p.Setup, report: rep, hash: l.Hash(raw)}).record(l)
	return r, nil
}

// broken is the error of a run that broke off, though nothing in its settings
// contradicts: of what it would have said nothing is known.
func broken(l *lab.Lab, r sweep.Run, err error) error {
	return failed{fmt.Errorf("the run lab=%s system=%s %s broke off: %w", l.Name, r.System, r.Setup, err)}
}
