// Package labtest is what every laboratory must hold, whatever it is about. ui/lab/all
// puts it to all of its list; a laboratory's own tests add what only it can know. Only
// tests import it.
package labtest

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"spillway/build/effort"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/lab"
)

// Report checks a report: values are finite and within their measure's bounds, curves are
// well formed, a refusal has a reason, and no text was made wrong.
func Report(t testing.TB, l *lab.Lab, about string, r *report.Report) {
	t.Helper()
	if !r.Fits && len(r.Reason) < len("no room") {
		t.Errorf("%s: it cannot run and says %q", about, r.Reason)
	}
	if r.Fits && len(r.Values) != len(l.Quantities) {
		t.Fatalf("%s: %d values of %d quantities", about, len(r.Values), len(l.Quantities))
	}
	for i, v := range r.Values {
		if !l.Within(i, v) {
			t.Errorf("%s: %s is %v, outside the bounds of its measure", about, l.Quantities[i].Key, v)
		}
		if chart := l.Law(i).Parts; chart != "" && !math.IsNaN(v) {
			ledger(t, l, about, r, chart, i)
		}
	}
	for _, c := range l.Charts {
		if at := l.Quantity(c.Sum); at >= 0 && at < len(r.Values) && !math.IsNaN(r.Values[at]) {
			ledger(t, l, about, r, c.ID, at)
		}
	}
	for _, c := range r.Curves {
		if len(c.X) != len(c.Y) || len(c.X) == 0 || c.Line() && !slices.IsSorted(c.X) || c.Picks != nil && len(c.Picks) != len(c.X) {
			t.Errorf("%s: curve %s %s has %d and %d points, or goes back", about, c.Chart, c.Name, len(c.X), len(c.Y))
		}
		if slices.ContainsFunc(c.Y, func(y float64) bool { return math.IsNaN(y) || math.IsInf(y, 0) }) {
			t.Errorf("%s: curve %s %s has points that are no numbers", about, c.Chart, c.Name)
		}
		if !slices.ContainsFunc(l.Charts, func(x report.Chart) bool { return x.ID == c.Chart }) {
			t.Errorf("%s: a curve is of the chart %q, which is not there", about, c.Chart)
		}
	}
	if len(r.Caveats) > 3 {
		t.Errorf("%s: %d caveats: who reads that many?", about, len(r.Caveats))
	}
	for _, text := range slices.Concat(r.Notes, r.Caveats, []string{r.Reason, r.Lead, r.About, r.Origin}) {
		if strings.Contains(text, "%!") || strings.Contains(text, "NaN") {
			t.Errorf("%s: it says %q", about, text)
		}
	}
}

// ledger checks that what a chart shows adds up to a quantity, by its place.
func ledger(t testing.TB, l *lab.Lab, about string, r *report.Report, chart string, of int) {
	t.Helper()
	at := slices.IndexFunc(l.Charts, func(c report.Chart) bool { return c.ID == chart })
	if at < 0 {
		t.Fatalf("%s: %s is the sum of the chart %q, which is not there", about, l.Quantities[of].Key, chart)
	}
	shown := func(at int, v float64) float64 { return l.Quantities[at].Shown(v) }
	sum, parts := 0.0, 0
	for _, key := range l.Charts[at].Of {
		// What cannot run may have values, too.
		if at := l.Quantity(key); at >= 0 && at < len(r.Values) && !math.IsNaN(r.Values[at]) {
			sum += shown(at, r.Values[at])
			parts++
		}
	}
	if parts == 0 && l.Floor.System != "" && r.Fits {
		return // a proof has no parts
	}
	if want := shown(of, r.Values[of]); math.Abs(sum-want) > 1e-6*max(1, math.Abs(want)) {
		t.Errorf("%s: parts of the chart %s are %v, and %s is %v", about, chart, sum, l.Quantities[of].Key, want)
	}
}

// Section checks that a section is what the page can show: it says something, rows have a
// cell for every head, maps a class for every cell.
func Section(t testing.TB, about string, s *report.Section) {
	t.Helper()
	if len(s.Text)+len(s.Tables)+len(s.Maps) == 0 {
		t.Errorf("%s says and shows nothing", about)
	}
	for _, x := range slices.Concat(s.Text, s.Notes) {
		if spoiled(x) {
			t.Errorf("%s says %q", about, x)
		}
	}
	for _, table := range s.Tables {
		if len(table.Rows) == 0 {
			t.Errorf("%s: table %q is empty", about, table.Title)
		}
		for _, r := range table.Rows {
			if len(r.Cells) != len(table.Head)-1 {
				t.Errorf("%s: table %q, row %q has %d cells under %d heads", about, table.Title, r.Head, len(r.Cells), len(table.Head)-1)
			}
			for _, c := range r.Cells {
				if c.Text == "" || spoiled(c.Text) || c.Share < 0 || c.Share > 1.0001 || len(c.Stack) > report.Levels {
					t.Errorf("%s: table %q, row %q has %+v", about, table.Title, r.Head, c)
				}
			}
		}
	}
	data(t, about, s)
	for _, f := range s.Falls {
		fall(t, about, &f)
	}
	for _, m := range s.Maps {
		if len(m.Cells) != len(m.Grids)*len(m.Rows)*m.Columns || len(m.Classes) > report.Levels || m.Pick.Key != "" && len(m.Pick.First) != len(m.Rows) {
			t.Errorf("%s: map %q has %d cells, %d classes", about, m.ID, len(m.Cells), len(m.Classes))
		}
		if slices.ContainsFunc(m.Cells, func(c uint8) bool { return c != report.NoCell && int(c) >= len(m.Classes) }) {
			t.Errorf("%s: map %q has a class that is not there", about, m.ID)
		}
	}
}

// fall checks that steps add up: each total is what stands before it, but for the first and what
// rounding leaves.
func fall(t testing.TB, about string, f *report.Fall) {
	t.Helper()
	at, largest := 0.0, 0.0
	for i, s := range f.Steps {
		largest = max(largest, math.Abs(s.Value))
		if s.Name == "" || spoiled(s.Text) || s.Text == "" || s.Color == "" || math.IsNaN(s.Value) {
			t.Errorf("%s, %s: step %+v", about, f.ID, s)
		}
		switch {
		case !s.Total:
			at += s.Value
		case i > 0 && math.Abs(at-s.Value) > 1e-6*largest:
			t.Errorf("%s, %s: steps lead to %v, and the total is %v", about, f.ID, at, s.Value)
		default:
			at = s.Value
		}
	}
}

// spoiled reports whether a text was made of what is no number.
func spoiled(text string) bool {
	text = strings.ReplaceAll(text, "Infinity", "")
	return strings.Contains(text, "%!") || strings.Contains(text, "NaN") || strings.Contains(text, "Inf")
}

// Links checks that every preset and stop of the tour is as links that name it: written and
// read it is the same.
func Links(t testing.TB, l *lab.Lab) {
	t.Helper()
	for _, p := range l.Presets {
		u := Setup(t, l, p.Set)
		if again := Setup(t, l, u.String()); !again.Equal(u) {
			t.Errorf("%s, %s: %s is read as %s", l.Name, p.Key, u, again)
		}
	}
	for _, stop := range l.Tour {
		set := stop.Set
		if at := slices.IndexFunc(l.Presets, func(p lab.Preset) bool { return p.Key == stop.Preset }); at >= 0 {
			set = l.Presets[at].Set + " " + set
		}
		u := Setup(t, l, set)
		if again := Setup(t, l, u.String()); !again.Equal(u) {
			t.Errorf("%s, stop %s: %s is read as %s", l.Name, stop.Key, u, again)
		}
	}
}

// Quick is how a laboratory runs in milliseconds. Of one that says nothing the setup that it
// opens on runs, with the system in focus and the bound.
type Quick struct {
	// Set is the setup, Other another one, and For that where a knob, by its key, needs it.
	Set, Other string
	For        map[string]string
	// After is set when a knob, by its key, was: what it brought along would take long.
	After map[string]string
	// Entry is set beside an entry of opened files, which would take long by itself.
	Entry string
	// Long are the knobs of which the largest value, or any above the setup's, is left
	// to others.
	Long    []string
	Systems []string
	// Share: by day one in so many ends of knobs and sections is tried, others with another
	// commit; 0 is all.
	Share int
	// Write writes what the program that reads files writes, of exports that name a format.
	Write Writer
	// Cure are further setups with which a cause that is none with the setup changes something.
	Cure []string
	// Walk are further setups in which settings act that do nothing with Set.
	Walk []string
	// Elsewhere are keys of settings that act on no system in Set and Walk, or behind its name on one: on opened files, or on
	// another workload.
	Elsewhere []string
	// Off are setup texts that leave other settings nothing to change, as "turns=1" does the time between turns; Chance are
	// those of them that do so by chance, or with a setting's key behind to that.
	Off, Chance []string
	// Time is the key of the quantity that says how long a run takes, in which links carry what they do; Home those of
	// the places of the picture where bytes lie that nothing has moved; Tight a setting without which links carry more than
	// their rate, as a published simulator has it. Each may be empty.
	Time, Home, Tight string
	// Night are keys of sections that take many runs.
	Night []string
}

// Run puts all laws to a laboratory, each a subtest of its name. open makes another session.
func Run(t *testing.T, open func() lab.Lab, q Quick) {
	l := open()
	if q.Share == 0 {
		q.Share = 1
	}
	for i := range l.Systems {
		if x := &l.Systems[i]; len(q.Systems) < 2 && (x.Bound || x.Main) {
			q.Systems = append(q.Systems, x.Name)
		}
	}
	if len(q.Systems) == 0 {
		q.Systems = []string{l.Systems[0].Name}
	}
	for _, law := range []struct {
		name string
		long bool
		test func(*testing.T)
	}{
		{"info", false, func(t *testing.T) {
			if err := l.Valid(); err != nil {
				t.Error(err)
			}
			info(t, &l)
		}},
		{"links", false, func(t *testing.T) { Links(t, &l) }},
		{"alone", false, func(t *testing.T) { alone(t, &l) }},
		{"refusals", false, func(t *testing.T) { refusals(t, &l) }},
		{"determinism", false, func(t *testing.T) { determinism(t, open, q) }},
		{"laws", false, func(t *testing.T) { laws(t, &l, q) }},
		{"unread", true, func(t *testing.T) { unread(t, &l, q) }},
		{"told", true, func(t *testing.T) { told(t, &l, q) }},
		{"idle", true, func(t *testing.T) { idle(t, &l, q) }},
		{"exports", false, func(t *testing.T) { exports(t, &l, q) }},
		{"sections", true, func(t *testing.T) { sections(t, &l, q) }},
		{"cures", false, func(t *testing.T) { cures(t, &l, q) }},
		{"why", true, func(t *testing.T) { why(t, &l, q) }},
		{"needs", true, func(t *testing.T) { needs(t, &l, q) }},
		{"papers", false, func(t *testing.T) { papers(t, &l) }},
		{"presets", true, func(t *testing.T) { presets(t, &l, q) }},
		{"knobs", true, func(t *testing.T) { knobs(t, &l, open, q) }},
	} {
		t.Run(law.name, func(t *testing.T) {
			if law.long && testing.Short() {
				t.Skip("takes many runs")
			}
			law.test(t)
		})
	}
}

// alone checks that a choice which is all that somebody names is read: what it limits, and nobody
// named, gives way.
func alone(t *testing.T, l *lab.Lab) {
	for i := range l.Knobs {
		k := &l.Knobs[i]
		for c := range k.Choices {
			text := knob.Join([]knob.Pair{{Key: k.Key, Text: k.Choices[c].Key}}, " ")
			if _, err := l.Read(text); err != nil && l.Setup().Valid(k.Key, k.Choices[c].Key) == nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

// info checks what a laboratory says of itself: nothing that it needs is empty, and what it
// names is there.
func info(t *testing.T, l *lab.Lab) {
	said := func(what, key string, texts ...string) {
		for _, text := range texts {
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s, %s %q: something is not said", l.Name, what, key)
			}
		}
	}
	said("laboratory", l.Name, l.Title, l.About, l.Lead)
	const longest = 23 // letters that the axis of a chart has room for
	for _, s := range l.Systems {
		said("system", s.Name, s.Title, s.About, s.Paper)
		if utf8.RuneCountInString(s.Title) > longest {
			t.Errorf("system %s: charts cut the title %q", s.Name, s.Title)
		}
	}
	for _, q := range l.Quantities {
		said("quantity", q.Key, q.Label, q.Help)
	}
	for _, c := range l.Charts {
		said("chart", c.ID, c.Title)
	}
	for _, s := range l.Sections {
		said("section", s.Key, s.Title, s.About)
		for _, name := range s.Systems {
			if _, err := l.System(name); err != nil {
				t.Errorf("section %s: %v", s.Key, err)
			}
		}
	}
	for _, x := range l.Exports {
		said("export", x.Key, x.Title, x.Ext, x.Mime, x.About)
	}
	for _, p := range l.Presets {
		said("preset", p.Key, p.Title, p.About)
		for _, name := range p.Systems {
			if _, err := l.System(name); err != nil {
				t.Errorf("preset %s: %v", p.Key, err)
			}
		}
	}
	once := func(what string, n int, of func(i int) string) {
		seen := map[string]bool{}
		for i := range n {
			if seen[of(i)] {
				t.Errorf("%s: two %s are called %q", l.Name, what, of(i))
			}
			seen[of(i)] = true
		}
	}
	once("systems", len(l.Systems), func(i int) string { return l.Systems[i].Title })
	once("quantities", len(l.Quantities), func(i int) string { return l.Quantities[i].Label + ", " + l.Quantities[i].Unit })
	once("charts", len(l.Charts), func(i int) string { return l.Charts[i].Title })
	once("sections", len(l.Sections), func(i int) string { return l.Sections[i].Title })
	once("exports", len(l.Exports), func(i int) string { return l.Exports[i].Title })
	once("presets", len(l.Presets), func(i int) string { return l.Presets[i].Title })
	once("settings of a panel", len(l.Knobs), func(i int) string { return l.Knobs[i].Panel + ", " + l.Knobs[i].Group + ": " + l.Knobs[i].Label })
	const most = 9
	if len(l.Tour) > most {
		t.Errorf("the tour has %d stops: who goes so far?", len(l.Tour))
	}
}

// refusals checks that what is not there is said, and nothing breaks.
func refusals(t *testing.T, l *lab.Lab) {
	u := l.Setup()
	if _, _, err := l.Run(u, "nobody", nil, nil); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("an unknown system: %v", err)
	}
	if _, err := l.Section("nothing", u, u, l.Systems[0].Name, nil, nil); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("an unknown section: %v", err)
	}
	if _, err := l.Export("nothing", u, l.Systems[0].Name, nil, lab.Origin{}, nil); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("an unknown export: %v", err)
	}
	if _, err := l.Paper("nothing"); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("an unknown paper: %v", err)
	}
	if l.Entry != "" {
		if err := u.Set(l.Entry, "gone"); err != nil {
			t.Fatal(err)
		}
		if _, _, err := l.Run(u, l.Systems[0].Name, nil, nil); err == nil {
			t.Error("an entry of no files runs")
		} else {
			helps(t, "an entry of no files", err)
		}
	}
}

// determinism checks that a session which has run other things gives the same results, to
// the last bit.
func determinism(t *testing.T, open func() lab.Lab, q Quick) {
	fresh, used := open(), open()
	u, other := Setup(t, &fresh, q.Set), Setup(t, &used, q.Other)
	for _, system := range slices.Backward(q.Systems) {
		if q.Other != "" {
			if _, _, err := used.Run(other, system, nil, nil); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := used.Run(u, system, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, system := range q.Systems {
		about := fresh.Name + ", " + system
		a, first, err := fresh.Run(u, system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, second, err := used.Run(u, system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		switch a, b := fresh.Hash(first), used.Hash(second); {
		case a != b:
			t.Errorf("%s: two runs have the hashes %q and %q", about, a, b)
		case len(a) < 2:
			t.Errorf("%s: the hash %q is none: two characters at least", about, a)
		}
		same := func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }
		if !slices.EqualFunc(a.Values, b.Values, same) {
			t.Errorf("%s: two runs have other values", about)
		}
		Report(t, &fresh, about, a)
	}
}

// laws checks the laws of measures, of the quick setup's systems.
func laws(t *testing.T, l *lab.Lab, q Quick) {
	u := Setup(t, l, q.Set)
	done := map[string]*report.Report{}
	value := func(u *knob.Setup, system string, of int) (float64, bool) {
		key := system + " " + u.String()
		if done[key] == nil {
			r, _, err := l.Run(u, system, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			done[key] = r
		}
		return done[key].Value(of)
	}
	const rounding = 1e-9
	if at := l.Quantity(l.Floor.Of); l.Floor.System != "" { // nothing beats what is proven
		best, proven := value(u, l.Floor.System, at)
		for _, system := range q.Systems {
			if v, ok := value(u, system, at); ok && proven && (v-best)*float64(l.Quantities[at].Better) > rounding*math.Abs(best) {
				t.Errorf("%s: %s is %v, better than the proven %v", system, l.Floor.Of, v, best)
			}
		}
	}
	for i := range l.Quantities {
		law, quantity := l.Law(i), &l.Quantities[i]
		for _, system := range q.Systems {
			v, ok := value(u, system, i)
			if !ok {
				continue
			}
			if law.Bounded {
				best, ok := value(u, l.Ideal(nil).Name, i)
				if gain := (v - best) * float64(quantity.Better); ok && gain > rounding*math.Abs(best) {
					t.Errorf("%s: %s is %v, better than the bound's %v", system, quantity.Key, v, best)
				}
			}
			if law.Knob == "" {
				continue
			}
			low, high := v, v
			for _, more := range raised(t, l, u, law.Knob) {
				if low = high; law.Lowers {
					if high, ok = value(more, system, i); ok && high-low > rounding*max(1, math.Abs(low)) {
						t.Errorf("%s: %s: %s rises from %v to %v", system, more, quantity.Key, low, high)
					}
				} else if high, ok = value(more, system, i); ok && low-high > rounding*max(1, math.Abs(low)) {
					t.Errorf("%s: %s: %s falls from %v to %v", system, more, quantity.Key, low, high)
				}
			}
		}
	}
}

// raised are setups with larger and larger numbers of a knob, as far as they are allowed.
func raised(t *testing.T, l *lab.Lab, u *knob.Setup, key string) (list []*knob.Setup) {
	k := u.Knob(key)
	v, err := k.Measure(u.Text(key))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		v *= 2
		more := u.Clone()
		if more.Set(key, knob.Decimal(v, k.Scale)) == nil && l.Check(more) == nil {
			list = append(list, more)
		}
	}
	if len(list) == 0 {
		t.Errorf("%s of %s cannot be raised: the law that names it is never tried", key, u)
	}
	return list
}

// A Writer makes a file in a format of what a laboratory hands over.
type Writer func(format string, message []byte) ([]byte, error)

// exports checks that every format has content for every system of the quick setup, or says
// why not, and that what they hold adds up to the quantities of a report.
func exports(t *testing.T, l *lab.Lab, q Quick) {
	u := Setup(t, l, q.Set)
	for _, system := range q.Systems {
		r, _, err := l.Run(u, system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range l.Exports {
			x := &l.Exports[i]
			data := exported(t, l, x, u, system, q.Write)
			if data != nil {
				totals(t, l, l.Name+", "+system, x, data, r)
			}
		}
		if l.Timeline != nil && r.Fits {
			happens(t, l, u, system)
		}
	}
}

// happens checks that something happens over time, by the clock and without contradiction.
func happens(t *testing.T, l *lab.Lab, u *knob.Setup, system string) {
	t.Helper()
	h, err := l.Timeline(u, system, nil, lab.Window{}, nil)
	if err != nil {
		t.Errorf("%s with %s: %v", system, u, err)
		return
	}
	if err := h.Check(); err != nil {
		t.Errorf("%s with %s: %v", system, u, err)
	}
	if all := h.Spent(); h.End <= 0 || slices.Max(all) <= 0 {
		t.Errorf("%s with %s: a run of %d ticks spends %d", system, u, h.End, all)
	}
}

// exported checks that a format has content that can be read again.
func exported(t *testing.T, l *lab.Lab, x *lab.Export, u *knob.Setup, system string, write Writer) []byte {
	t.Helper()
	data, err := l.Export(x.Key, u, system, nil, lab.Origin{Title: "Title", Link: "https://example.org/", Version: "1"}, nil)
	if errors.Is(err, lab.ErrNothingHappens) {
		return nil
	}
	if err == nil && x.Format != "" && write != nil {
		data, err = write(x.Format, data)
	}
	if err == nil && len(data) < 10 {
		err = fmt.Errorf("%d bytes", len(data))
	}
	switch {
	case err != nil:
	case x.Mime == "application/json" && !json.Valid(data):
		err = errors.New("it is no JSON")
	case x.Mime == "text/csv":
		var rows [][]string
		if rows, err = csv.NewReader(bytes.NewReader(data)).ReadAll(); err == nil && len(rows) == 0 {
			err = errors.New("it has no head")
		}
	}
	if err != nil {
		t.Errorf("%s of %s with %s: %v", x.Key, system, u, err)
		return nil
	}
	return data
}

// presets checks that every preset has something in every section and export with the system
// that it shows, some of them by day.
func presets(t *testing.T, l *lab.Lab, q Quick) {
	const share = 48 // of sections and exports of presets
	tried := 0
	for i := range l.Presets {
		p := &l.Presets[i]
		u, system := Setup(t, l, p.Set), q.Systems[len(q.Systems)-1]
		if n := len(p.Systems); n > 0 {
			system = p.Systems[n-1]
		}
		for k := range l.Exports {
			if tried++; effort.Takes(tried, share) {
				exported(t, l, &l.Exports[k], u, system, q.Write)
			}
		}
		for k := range l.Sections {
			s := &l.Sections[k]
			if tried++; effort.Takes(tried, share) && (!slices.Contains(q.Night, s.Key) || effort.Nightly()) {
				sectionOf(t, l, s, u, system)
			}
		}
	}
}

// sectionOf checks a section of a run, if it is there with it.
func sectionOf(t *testing.T, l *lab.Lab, s *lab.Section, u *knob.Setup, system string) {
	t.Helper()
	if s.Entry || s.If != "" && u.Text(s.If) == "" || s.Systems != nil && !slices.Contains(s.Systems, system) {
		return
	}
	got, err := l.Section(s.Key, knob.NewSetup(s.Knobs), u, system, nil, nil)
	if err != nil {
		t.Errorf("%s of %s with %s: %v", s.Key, system, u, err)
		return
	}
	Section(t, l.Name+", "+s.Key+" of "+system, got)
}

// sections checks every section with every system that is compared at first.
func sections(t *testing.T, l *lab.Lab, q Quick) {
	u := Setup(t, l, q.Set)
	tried := 0
	for _, x := range l.Systems {
		if x.Off && !slices.Contains(q.Systems, x.Name) {
			continue
		}
		for i := range l.Sections {
			s := &l.Sections[i]
			if s.Entry || slices.Contains(q.Night, s.Key) && !effort.Nightly() {
				continue
			}
			if tried++; effort.Takes(tried, q.Share) {
				sectionOf(t, l, s, u, x.Name)
			}
		}
	}
}

// knobs sets every number to its ends, and now and then a step inside, and every choice to each
// of its texts: it runs, in good order, or a sentence says what to do. Now and then, and each time
// where there are few knobs, it is held against a session that has run nothing else, which the
// workload at hand may not outlive.
func knobs(t *testing.T, l *lab.Lab, open func() lab.Lab, q Quick) {
	const some = 12 // of as many
	tried, ran := 0, 0
	held := max(1, q.Share) * some
	if len(l.Knobs) <= some {
		held = 1
	}
	for i := range l.Knobs {
		k := &l.Knobs[i]
		set := q.Set
		if other, ok := q.For[k.Key]; ok {
			set = other
		}
		list := texts(k, slices.Contains(q.Long, k.Key))
		ends := len(list)
		list = append(list, inside(k, slices.Contains(q.Long, k.Key))...)
		for i, text := range list {
			share := max(1, q.Share)
			if i >= ends {
				share *= some
			}
			if tried++; !effort.Takes(tried, share) {
				continue
			}
			about := l.Name + ", " + k.Key + "=" + text
			u := Setup(t, l, set)
			if err := u.Set(k.Key, text); err != nil {
				helps(t, about, err) // another setting leaves no choice
				continue
			}
			if err := u.Read(q.After[k.Key]); err != nil {
				t.Errorf("%s: %v", about, err)
			}
			if err := l.Check(u); err != nil {
				helps(t, about, err)
				continue
			}
			for _, system := range q.Systems {
				r, raw, err := l.Run(u, system, nil, nil)
				if err != nil {
					helps(t, about+", "+system, err)
					continue
				}
				Report(t, l, about+", "+system, r)
				if ran++; effort.Takes(ran, held) {
					fresh := open()
					if _, again, err := fresh.Run(u, system, nil, nil); err != nil || fresh.Hash(again) != l.Hash(raw) {
						t.Errorf("%s, %s: a session that has run nothing else gives another result (%v): does Source name all that the workload depends on?", about, system, err)
					}
				}
			}
		}
	}
}

// inside are a number one step from its ends.
func inside(k *knob.Info, long bool) []string {
	switch {
	case k.Kind != knob.Number || k.Max-k.Min < 3:
		return nil
	case long:
		return []string{knob.Decimal(k.Min+1, k.Scale)}
	}
	return []string{knob.Decimal(k.Min+1, k.Scale), knob.Decimal(k.Max-1, k.Scale)}
}

// texts are the ends of a number, without the upper one of a long one, and all texts of a
// choice.
func texts(k *knob.Info, long bool) []string {
	var list []string
	switch {
	case k.Kind == knob.Number && long:
		return []string{knob.Decimal(k.Min, k.Scale)}
	case k.Kind == knob.Number:
		return []string{knob.Decimal(k.Min, k.Scale), knob.Decimal(k.Max, k.Scale)}
	case k.Kind != knob.One && k.Kind != knob.Many || long:
		return nil
	}
	for _, c := range slices.Concat(k.Sets, k.Choices) {
		list = append(list, c.Key)
	}
	return list
}

// helps checks that a refusal says what to do.
func helps(t testing.TB, about string, err error) {
	t.Helper()
	for _, word := range []string{"help", "lower", "raise", "must", "set ", "smaller", "larger", "more", "less", "choose", "open", "want", "at most", "at least", "there are"} {
		if strings.Contains(err.Error(), word) {
			return
		}
	}
	t.Errorf("%s: %v: it does not say what to do", about, err)
}
