// Package policy is a small language in which people write rules of their own: what a memory
// evicts, what it brings back. A text is rules, which are expressions over numbers that an
// engine knows, and numbers that are kept and that events change:
//
//	# GDSF
//	keep L = 0
//	keep H of tensor = 0
//	when put: H = L + uses * fetch_cost / size
//	when evicted: L = max(L, H)
//	evict = -H
//
// There are no loops, functions, texts, times or random numbers, so every text ends, and how
// long it takes is known when it is read. Expressions are those of Python but for units (3ms)
// and a division by zero, which is 0; their values have the same bits on every platform. A
// text is parsed, checked, and compiled to code for registers, which runs for one candidate
// or for columns of them.
//
// The package knows no engine. What can be asked is a [Place], which is data.
package policy

import (
	"slices"

	"spillway/sim/script"
)

// A Place is what a laboratory asks a policy, and what it lets a policy know.
type Place struct {
	Lab    string // its name: "store"
	Title  string // of the laboratory, for people
	Rules  []Rule
	Events []Event
	// Features are the numbers that rules may read.
	Features []Feature
	// Without ends the sentence that without a text the system does as this; empty if it does
	// as the default of the first rule says.
	Without string
	// Examples are texts to start from: what built-in systems do first, then what shows more.
	Examples []Example
	// Challenge is what policies of the place are compared by, nil if nothing is.
	Challenge *Challenge
	// Taken are the titles of systems, which a policy may not have.
	Taken []string
}

// An Example is a text to start from.
type Example = script.Example

// A Challenge is a fixed set of workloads, with a score over them: the mean of a quantity of which
// less is better, over that of the fastest that
// is known. It stays as it is, so that scores can be compared.
type Challenge struct {
	Setup     string   // what is set besides
	Vary      string   // the key of the setting that names workloads
	Workloads []string // what it is
	Quantity  string   // the key of what is compared
}

// A Rule is one question.
type Rule struct {
	Name      string
	Condition bool   // it is answered by yes or no; else by a number, of which the greatest wins
	Thing     string // what it is about: "tensor"; empty if about none
	Help      string // what it decides, one sentence
	// Default is the rule where a text has none, as an expression, in which the rules before it
	// may stand; empty if the engine does without.
	Default string
	// Each: it is asked each time, whatever it reads. Else a number that reads nothing live is
	// asked once, when a thing begins to wait.
	Each bool
	// Seam is which part of an engine asks it, where there are several: all rules of a text are
	// of one.
	Seam string
}

// A Feature is a number, or a condition, that an engine knows.
type Feature struct {
	Name      string
	Thing     string // what it is a number of, where not all rules and events are about one; else empty
	Condition bool
	Unit      string // "bytes", "s"; empty of what is counted
	Help      string // what it is, one sentence
	Source    string // where an engine has it from; empty where Help says it
	Live      bool   // it changes while a thing waits to be chosen: all that wait are asked
	Future    bool   // nobody who has to decide can know it
	Constant  bool   // it is the same during a whole run, of all things: it is read once
	// Seams are those whose rules may read it; nil: all.
	Seams []string
}

// An Event is something after which numbers that are kept change. An event of a thing happens
// when it joins those that wait to be chosen, or leaves them.
type Event struct {
	Name  string
	Thing string // what it happens to; empty if to none
	Help  string
	Seam  string // of rules beside which it happens; empty: of all
}

// Dials is how many numbers of every place a person turns; in a text they are p1 to p4.
const Dials = 4

// DialFeatures are the features that every place has behind its own.
func DialFeatures() []Feature {
	return []Feature{
		{Name: "p1", Help: "The setting Dial 1."},
		{Name: "p2", Help: "The setting Dial 2."},
		{Name: "p3", Help: "The setting Dial 3."},
		{Name: "p4", Help: "The setting Dial 4."},
	}
}

// Never is the value of what is not known, or does not happen.
const Never = 1e18

// Feature returns the place of the feature with this name, or -1.
func (p *Place) Feature(name string) int {
	for i := range p.Features {
		if p.Features[i].Name == name {
			return i
		}
	}
	return -1
}

// rule returns the place of the rule with this name, or -1.
func (p *Place) rule(name string) int {
	for i := range p.Rules {
		if p.Rules[i].Name == name {
			return i
		}
	}
	return -1
}

// event returns the place of the event with this name, or -1.
func (p *Place) event(name string) int {
	for i := range p.Events {
		if p.Events[i].Name == name {
			return i
		}
	}
	return -1
}

// Things lists what rules and events are about, each once.
func (p *Place) Things() []string {
	var list []string
	add := func(thing string) {
		if thing != "" && !slices.Contains(list, thing) {
			list = append(list, thing)
		}
	}
	for i := range p.Rules {
		add(p.Rules[i].Thing)
	}
	for i := range p.Events {
		add(p.Events[i].Thing)
	}
	return list
}
