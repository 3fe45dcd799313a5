// Package model is everything the page shows and remembers, without the page:
// the state and its link, forms, runs and their results as charts, tables and
// sentences. It knows neither Vugu nor the browser.
package model

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/flash"
	"spillway/sim/knob"
	"spillway/sim/train"
	"spillway/sim/train/machine"
	study "spillway/sim/train/papers/g10"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/workload"
	"spillway/ui/job"
)

// A State decides everything that is computed and shown. Its text form is the
// page's link.
type State struct {
	Source  job.Source
	Preset  string // key of the preset that Machine started from
	Machine machine.Machine
	SSD     string // key of the drive to simulate, empty for the machine's fixed rates
	Options system.Options
	Off     []string // stable names of systems that are not compared, sorted
	Axis    Axis     // of the memory chart
	View    View     // the page of the page
	Figure  string   // of the paper, that the view Reproduce shows
}

// An Axis is what the memory chart's horizontal axis counts.
type Axis string

// The axes of the memory chart.
const (
	ByTime   Axis = "time"
	ByKernel Axis = "kernel"
)

// version is the version of the link's format.
const version = 1

// Default is what the page shows first: the G10 paper's headline workload on
// its machine, as published.
func Default() State {
	p := Presets()[0]
	return State{
		Source:  job.Source{Model: "bert-base", Batch: 256, Times: workload.ColdModel, GPU: job.GPUs()[0].Key},
		Preset:  p.Key,
		Machine: p.Machine,
		Options: system.Published(),
		Axis:    ByTime,
		View:    Explore,
		Figure:  "11",
	}
}

// Base returns the machine of the state's preset: what Reset goes back to.
func (s *State) Base() machine.Machine {
	for _, p := range Presets() {
		if p.Key == s.Preset {
			return p.Machine
		}
	}
	return Presets()[0].Machine
}

// On reports whether the system with this stable name is compared.
func (s *State) On(name string) bool { return !slices.Contains(s.Off, name) }

// Toggle adds the system to the comparison or takes it out.
func (s *State) Toggle(name string) {
	off := slices.Clone(s.Off)
	if i := slices.Index(off, name); i >= 0 {
		off = slices.Delete(off, i, i+1)
	} else {
		off = append(off, name)
	}
	slices.Sort(off)
	s.Off = off
}

// Request returns what to run for one system.
func (s *State) Request(name string) train.Request {
	return train.Request{System: name, Machine: s.Machine, Options: s.Options, SSD: s.SSD}
}

// Fidelity names the mode for people.
func (s *State) Fidelity() string {
	switch q := s.Options.Quirks; q {
	case quirk.Published():
		return "as published"
	case quirk.Corrected():
		return "corrected"
	default:
		n := 0
		for _, e := range quirk.All() {
			if q.Has(e.Quirk) {
				n++
			}
		}
		return fmt.Sprintf("custom, %d of %d quirks", n, len(quirk.All()))
	}
}

// Encode returns the state as the text of a link's fragment. What is as in
// Default or as in the preset is left out.
func (s *State) Encode() string {
	d := Default()
	p := []string{"v=" + strconv.Itoa(version)}
	add := func(key, value string) { p = append(p, key+"="+escape(value)) }
	if s.Source.Entry != "" {
		add("entry", s.Source.Entry)
	} else {
		add("model", s.Source.Model)
		add("batch", strconv.Itoa(s.Source.Batch))
		add("times", string(s.Source.Times))
		if s.Source.GPU != d.Source.GPU {
			add("gpu", s.Source.GPU)
		}
	}
	if s.Preset != d.Preset {
		add("machine", s.Preset)
	}
	base := s.Base()
	for _, k := range machine.Knobs() {
		if k.Get(&s.Machine) != k.Get(&base) {
			add(k.Key, k.Text(&s.Machine))
		}
	}
	if s.SSD != "" {
		add("ssd", s.SSD)
	}
	for _, k := range train.Knobs() {
		if k.Get(&s.Options) != k.Get(&d.Options) {
			add(k.Key, k.Text(&s.Options))
		}
	}
	if s.Options.Quirks != d.Options.Quirks {
		add("mode", s.Options.Quirks.String())
	}
	if len(s.Off) > 0 {
		add("without", strings.Join(s.Off, ","))
	}
	if s.Axis != d.Axis {
		add("axis", string(s.Axis))
	}
	if s.View != d.View {
		add("view", string(s.View))
		if s.Figure != d.Figure {
			add("figure", s.Figure)
		}
	}
	return strings.Join(p, "&")
}

// escape makes text safe in a fragment and keeps commas readable.
func escape(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "%2C", ",")
}

// Decode reads a link's fragment. The state is usable even when the error is
// not nil: what could not be read is as in Default. An empty fragment is
// Default.
func Decode(fragment string) (State, error) {
	s := Default()
	fragment = strings.TrimPrefix(fragment, "#")
	if fragment == "" {
		return s, nil
	}
	values, err := url.ParseQuery(fragment)
	if err != nil {
		return s, errors.New("this link is damaged; ask for it again, or start from the settings shown")
	}
	switch v, err := strconv.Atoi(values.Get("v")); {
	case values.Get("v") == "":
		return s, errors.New("this link says no version (v=1); it may be cut off. The default settings are shown")
	case err != nil || v < 1:
		return s, fmt.Errorf("this link has the version %q, which never existed; the default settings are shown", values.Get("v"))
	case v > version:
		return s, fmt.Errorf("this link was made by a newer Spillway (format %d; this one reads up to %d). Reload to get the newest version; until then the default settings are shown", v, version)
	}
	values.Del("v")
	return s, s.read(values)
}

// read applies every value, the preset first because knobs are relative to it.
func (s *State) read(values url.Values) error {
	var errs []error
	if key := values.Get("machine"); key != "" {
		if p, ok := findPreset(key); ok {
			s.Preset, s.Machine = p.Key, p.Machine
		} else {
			errs = append(errs, fmt.Errorf("this link names the machine %q, which this version does not have", key))
		}
		values.Del("machine")
	}
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		if err := s.set(key, values.Get(key)); err != nil {
			errs = append(errs, fmt.Errorf("in this link: %w", err))
		}
	}
	if s.Source.Entry != "" {
		s.Source = job.Source{Entry: s.Source.Entry}
		return errors.Join(errs...)
	}
	return errors.Join(append(errs, s.settle())...)
}

// settle makes batch size and time source ones that the model has, and says
// what was changed.
func (s *State) settle() error {
	m, err := job.FindModel(s.Source.Model)
	if err != nil {
		return err
	}
	if s.Source.Batch < m.MinBatch || s.Source.Batch > m.MaxBatch {
		err = fmt.Errorf("in this link: %w", batchError(strconv.Itoa(s.Source.Batch), m))
		s.Source.Batch = m.DefaultBatch
	}
	if !slices.Contains(m.Sources(), s.Source.Times) {
		err = errors.Join(err, fmt.Errorf("in this link: %s has no %q kernel times", m.Title, s.Source.Times))
		s.Source.Times = m.Sources()[0]
	}
	return err
}

// set applies one key and value of a link.
func (s *State) set(key, value string) (err error) {
	switch key {
	case "model":
		if _, err := job.FindModel(value); err != nil {
			return err
		}
		s.Source.Model = value
	case "gpu":
		if _, err := job.FindGPU(value); err != nil {
			return err
		}
		s.Source.GPU = value
	case "batch":
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("batch size is %q; want a whole number", value)
		}
		s.Source.Batch = n
	case "times":
		if t := workload.TimeSource(value); t != workload.Estimated && t != workload.ColdModel {
			return fmt.Errorf("unknown time source %q; want %s or %s", value, workload.Estimated, workload.ColdModel)
		}
		s.Source.Times = workload.TimeSource(value)
	case "entry":
		s.Source.Entry = value
	case "ssd":
		if _, err := flash.Find(value); err != nil && value != "" {
			return err
		}
		s.SSD = value
	case "mode":
		q, err := quirk.Parse(value)
		if err != nil {
			return err
		}
		s.Options.Quirks = q
	case "without":
		for name := range strings.SplitSeq(value, ",") {
			if _, err := train.Find(name); err != nil {
				return err
			}
			if s.On(name) {
				s.Toggle(name)
			}
		}
	case "axis":
		if a := Axis(value); a != ByTime && a != ByKernel {
			return fmt.Errorf("unknown axis %q", value)
		}
		s.Axis = Axis(value)
	case "view":
		if v := View(value); v != Explore && v != Reproduce {
			return fmt.Errorf("unknown view %q", value)
		}
		s.View = View(value)
	case "figure":
		if _, ok := study.FindFigure(value); !ok && value != ClaimsID {
			return fmt.Errorf("the G10 paper's figure %q is not among the reproduced", value)
		}
		s.Figure = value
	default:
		return s.setKnob(key, value)
	}
	return nil
}

func (s *State) setKnob(key, value string) error {
	if k := find(machine.Knobs(), key); k != nil {
		return k.Parse(&s.Machine, value)
	}
	if k := find(train.Knobs(), key); k != nil {
		return k.Parse(&s.Options, value)
	}
	return fmt.Errorf("unknown setting %q", key)
}

// find returns the knob with this key, or nil.
func find[S any](knobs []knob.Knob[S], key string) *knob.Knob[S] {
	for i := range knobs {
		if knobs[i].Key == key {
			return &knobs[i]
		}
	}
	return nil
}

// ParseBatch reads a batch size of the model.
func ParseBatch(text string, m *job.Model) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < m.MinBatch || n > m.MaxBatch {
		return 0, batchError(text, m)
	}
	return n, nil
}

func batchError(text string, m *job.Model) error {
	return fmt.Errorf("batch size is %q; %s takes a whole number from %d to %d", text, m.Title, m.MinBatch, m.MaxBatch)
}

// Presets lists the machines to start from; the first is the default.
func Presets() []machine.Preset { return machine.Presets() }

func findPreset(key string) (machine.Preset, bool) {
	for _, p := range Presets() {
		if p.Key == key {
			return p, true
		}
	}
	return machine.Preset{}, false
}
