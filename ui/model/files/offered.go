package files

import (
	"slices"

	"spillway/sim/prose"
)

// Offered are files that were dropped, and the laboratories that take them, the one that
// shall be shown first.
type Offered struct {
	Names  []string // of the files
	Number int      // of their set
	By     []Taker
	// Anything says that nobody knows the files: who takes them takes any bytes at all.
	Anything bool
}

// A Taker is a laboratory that takes files.
type Taker struct{ Lab, Title string }

// but is what others than a laboratory take, nil if nobody does.
func (o *Offered) but(lab string) *Offered {
	rest := *o
	rest.By = slices.DeleteFunc(slices.Clone(o.By), func(t Taker) bool { return t.Lab == lab })
	if len(rest.By) == 0 {
		return nil
	}
	return &rest
}

// Takers are the other laboratories that take what was dropped last, until one was chosen.
func (w words) Takers() []Taker {
	if w.files.offered == nil || w.files.Opening {
		return nil
	}
	return w.files.offered.By
}

// Offering says what they would do with it: a button for each stands behind.
func (w words) Offering() string {
	o := w.files.offered
	switch {
	case len(w.Takers()) == 0:
		return ""
	case o.Anything:
		return "Nothing here is a trace. Look at how its bytes compress?"
	}
	var titles []string
	for _, t := range o.By {
		titles = append(titles, t.Title)
	}
	return Describe(o.Names) + " can also be opened in " + prose.List(titles) + "."
}

// Decline leaves it where it is.
func (w words) Decline() { w.files.offered = nil }

// Accept is what one of them shall open, which is first then, nil if nothing was offered. The
// laboratory that has the files is offered in its turn.
func (f *Files) Accept(lab string) *Offered {
	o := f.offered
	if o == nil {
		return nil
	}
	at := slices.IndexFunc(o.By, func(t Taker) bool { return t.Lab == lab })
	if at < 0 {
		return nil
	}
	f.offered = nil
	of := *o
	of.By = append([]Taker{o.By[at]}, o.but(lab).others()...)
	if !o.Anything && f.Number == o.Number {
		of.By = append(of.By, Taker{f.room.Info.Name, f.room.Info.Title})
	}
	return &of
}

func (o *Offered) others() []Taker {
	if o == nil {
		return nil
	}
	return o.By
}
