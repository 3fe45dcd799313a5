// Package palette is commands by name, and what carries them out.
package palette

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/order"
	"spillway/sim/report"
	"spillway/ui/lab"
	"spillway/ui/model/session"
	"spillway/ui/model/state"
)

// A Command is one thing that the palette finds by what is typed.
type Command struct {
	// ID is a verb and what it is done to: "knob ssd_read". The verbs press, topic
	// and term are the browser's: a button's ID, a heading of the help, a word; save
	// is the page's, of a file.
	ID    string
	Kind  string // for people: "Setting"
	Title string
	About string // more in a line; may be empty
	also  string // what it is found by besides
	asked string // words that people ask with, which mean it before what only begins so
	far   bool   // another laboratory has it
}

// The views as people know them.
var viewTitles = []struct {
	state.View
	title, about string
}{
	{state.Explore, "Explore", "charts and numbers of one setup"},
	{state.Timeline, "Timeline", "one run over time: what waits, and what for"},
	{state.WhatIf, "What if", "vary a setting, search, weigh"},
	{state.Reproduce, "Reproduce", "a paper's figures, computed here"},
}

// pickFiles is the button that opens files.
const pickFiles = "pick-files-button"

// buttons are what the palette presses, where they are shown.
var buttons = []struct{ id, title, also string }{
	{"link", "Share a link to what is shown", "copy url address embed"},
	{"undo", "Undo the last change of settings", "back"},
	{"redo", "Redo what was undone", "forward"},
	{"theme", "Switch between dark and light", "colours colors night"},
	{"cite", "How to cite", "bibtex reference"},
	{pickFiles, "Open files", "own trace upload load"},
	{"kept", "Kept runs", "compare side by side against"},
}

// Commands lists what the palette finds: everything that the page has, for the
// laboratory that is shown.
func Commands(n *session.Session) []Command {
	var list []Command
	for _, t := range n.Tabs {
		list = append(list, Command{ID: "lab " + t.Name, Kind: "Laboratory", Title: t.Title, About: t.About})
	}
	r := n.Laboratory
	if r == nil {
		return list
	}
	for _, v := range viewTitles {
		if v.View != state.Reproduce || len(r.Info.Papers) > 0 {
			list = append(list, Command{ID: "view " + string(v.View), Kind: "View", Title: v.title, About: v.about})
		}
	}
	if len(r.Info.Tour) > 0 {
		list = append(list, Command{ID: "tour 1", Kind: "Help", Title: "Tour of " + r.Info.Title, About: "two minutes", also: "introduction guide start"})
	}
	for i := range r.Info.Presets {
		p := &r.Info.Presets[i]
		list = append(list, Command{ID: "preset " + p.Key, Kind: "Start from", Title: p.Title, About: p.About, also: "preset"})
	}
	list = append(list, settingCommands(r)...)
	for i := range r.Info.Systems {
		s := &r.Info.Systems[i]
		title := "Compare " + s.Title
		if slices.Contains(r.State.On, s.Name) {
			title = "Leave out " + s.Title
		}
		list = append(list, Command{ID: "system " + s.Name, Kind: "System", Title: title, About: s.About, also: s.Name + " on off"})
	}
	list = append(append(list, placeCommands(r)...), helpCommands(r)...)
	for _, x := range r.Info.Asked {
		if at := slices.IndexFunc(list, func(c Command) bool { return c.ID == x.ID }); at >= 0 {
			list[at].asked += " " + x.Words
		}
	}
	return list
}

// settingCommands are the workloads and every setting that is shown.
func settingCommands(r *session.Laboratory) []Command {
	var list []Command
	of := workloadKnob(r)
	for _, f := range r.Form.Forms() {
		for _, g := range f.Groups {
			for i := range g.Fields {
				x := &g.Fields[i]
				list = append(list, Command{ID: "knob " + x.Key, Kind: "Setting", Title: x.Label, About: x.Help, also: x.Key + " " + x.Group + " " + f.Title})
				for _, o := range x.Options {
					if x.Key == of && !o.Off {
						list = append(list, Command{ID: "workload " + o.Key, Kind: "Workload", Title: o.Label, About: o.Help, also: o.Key})
					}
				}
			}
		}
	}
	return list
}

// workloadKnob is the key of the knob that says what runs: the first of the first
// panel.
func workloadKnob(r *session.Laboratory) string {
	at := slices.IndexFunc(r.Info.Knobs, func(k knob.Info) bool { return k.Panel == r.Info.Panels[0].Key })
	if at < 0 {
		return ""
	}
	return r.Info.Knobs[at].Key
}

// placeCommands are the charts, the laboratory's sections, the papers' figures and
// the buttons.
func placeCommands(r *session.Laboratory) []Command {
	var list []Command
	for i := range r.Info.Charts {
		c := &r.Info.Charts[i]
		if c.Kind == report.Values {
			continue // a table, with the others
		}
		list = append(list, Command{ID: "chart " + c.ID, Kind: "Chart", Title: c.Title, About: c.Help})
	}
	for i := range r.Info.Sections {
		s := &r.Info.Sections[i]
		list = append(list, Command{ID: "section " + s.Key, Kind: "Section", Title: s.Title, About: s.About})
	}
	for _, v := range r.Papers.Views() {
		for i := range v.Items {
			x := &v.Items[i]
			list = append(list, Command{ID: "figure " + x.Name, Kind: "Paper", Title: x.Label + ": " + x.Title, About: v.Title, also: "reproduce"})
		}
	}
	list = append(list, saveCommands(r)...)
	for _, b := range buttons {
		c := Command{ID: "press " + b.id, Kind: "Do", Title: b.title, also: b.also}
		if b.id == pickFiles {
			c.About = r.Info.Drop
			c.also += " " + r.Info.Drop // found by the formats that it names
		}
		list = append(list, c)
	}
	return list
}

// saveCommands are the formats in which all numbers, all results and the run in
// focus can be saved.
func saveCommands(r *session.Laboratory) []Command {
	save := func(key, title, about string) Command {
		return Command{ID: "save " + key, Kind: "Save", Title: title, About: about, also: "export download file"}
	}
	list := []Command{
		save("csv", "All numbers as CSV", ""), save("md", "All numbers as Markdown", ""), save("tex", "All numbers as LaTeX", ""),
		save("json", "All results as JSON", ""), save("bundle", "A bundle to check the results by", "settings, results and hashes in one zip"),
	}
	for i := range r.Info.Exports {
		e := &r.Info.Exports[i]
		list = append(list, save(e.Key, e.Title, e.About))
	}
	return list
}

// helpCommands are the topics of the help, and the glossary.
func helpCommands(r *session.Laboratory) []Command {
	list := []Command{{ID: "topic Keys", Kind: "Help", Title: "Keys", About: "what the keyboard does", also: "shortcuts keyboard"}}
	for _, h := range r.Info.Help {
		list = append(list, Command{ID: "topic " + h.Title, Kind: "Help", Title: h.Title, About: h.Text})
	}
	for _, t := range Glossary(r.Info) {
		list = append(list, Command{ID: "term " + t.Name, Kind: "Word", Title: t.Name, About: t.Is, also: "glossary"})
	}
	return list
}

// Glossary are the laboratory's words and everybody's, by name.
func Glossary(i *lab.Info) []lab.Term {
	list := append(lab.Terms(), i.Glossary...)
	order.Stable(list, func(a, b lab.Term) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return list
}

// Nearest returns what fits a query of which not every word is found, the best first: what has
// most of its words, or words that differ from them in a letter or two.
func Nearest(list []Command, query string, most int) []Command {
	words := telling(query)
	type hit struct{ score, at int }
	var hits []hit
	for i := range list {
		score := 0
		for _, w := range words {
			if s := list[i].match(w); s > 0 {
				score += s
			} else if len(w) > 3 {
				score += list[i].resembles(w)
			}
		}
		if score > 0 {
			hits = append(hits, hit{score, i})
		}
	}
	order.Stable(hits, func(a, b hit) int { return b.score - a.score })
	var found []Command
	for _, h := range hits[:min(most, len(hits))] {
		found = append(found, list[h.at])
	}
	return found
}

// resembles says how near a word of the title is to one that is misspelt, 0 if none is.
func (c *Command) resembles(word string) int {
	best := 0
	for own := range strings.FieldsSeq(folded(c.Title)) {
		if d := distance(own, word); d <= 2 && 3*d < len(word)+3 {
			best = max(best, 8-2*d)
		}
	}
	return best
}

// distance is how many letters have to be put, taken or changed to make b of a.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for k := range row {
		row[k] = k
	}
	for i := range x {
		before := row[0]
		row[0] = i + 1
		for k := range y {
			cost := before
			if x[i] != y[k] {
				cost = 1 + min(before, row[k], row[k+1])
			}
			before, row[k+1] = row[k+1], cost
		}
	}
	return row[len(y)]
}

// Find returns the commands that fit a query, the best first. Every word
// of the query must be found; letters may be left out of a title's word.
func Find(list []Command, query string, most int) []Command {
	words := telling(query)
	type hit struct{ score, at int }
	var hits []hit
	for i := range list {
		score := 0
		for _, w := range words {
			s := list[i].match(w)
			if s == 0 {
				score = -1
				break
			}
			score += s
		}
		if score >= 0 {
			score += list[i].whole(strings.Join(strings.Fields(folded(query)), " "))
			if list[i].far { // what is at hand comes first where both fit as well
				score--
			}
			hits = append(hits, hit{score, i})
		}
	}
	order.Stable(hits, func(a, b hit) int { return b.score - a.score })
	hits = hits[:min(most, len(hits))]
	found := make([]Command, len(hits))
	for i, h := range hits {
		found[i] = list[h.at]
	}
	return found
}

// asking are words that questions have and that nothing is called by.
var asking = map[string]bool{
	"a": true, "an": true, "and": true, "are": true, "at": true, "be": true, "can": true, "could": true, "do": true, "does": true, "for": true, "have": true,
	"how": true, "i": true, "in": true, "is": true, "it": true, "long": true, "many": true, "me": true, "much": true, "my": true, "of": true, "on": true,
	"should": true, "the": true, "there": true, "to": true, "what": true, "when": true, "where": true, "which": true, "will": true, "with": true, "would": true, "you": true,
}

// telling are the words of a query that say what is looked for: all, where it has no others.
func telling(query string) []string {
	words := strings.Fields(folded(strings.TrimRight(query, "?! ")))
	if list := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return asking[w] }); len(list) > 0 {
		return list
	}
	return words
}

// match says how well a word fits, 0 if it does not.
func (c *Command) match(word string) int {
	title := folded(c.Title)
	_, key, _ := strings.Cut(folded(c.ID), " ")
	asked := folded(c.asked) + " "
	switch also := folded(c.also+" "+c.Kind) + asked; {
	case title == word || key == word:
		return 40
	case strings.Contains(asked, " "+word+" "):
		return 35
	case strings.HasPrefix(title, word) || strings.HasPrefix(key, word):
		return 30
	case startsWord(title, word):
		return 24
	case startsWord(also, word):
		return 20
	case strings.Contains(title, word) || strings.Contains(key, word) || strings.Contains(also, word):
		return 12
	case startsWord(folded(c.About), word):
		return 6
	case len(word) >= 3 && (scattered(title, word) || scattered(key, word)):
		return 3
	}
	return 0
}

// whole is what a query brings that is the title, or its beginning.
func (c *Command) whole(query string) int {
	title := folded(c.Title)
	switch {
	case query == "":
		return 0
	case title == query:
		return 100
	case strings.HasPrefix(title, query):
		return 50
	}
	return 0
}

// folded is a text as queries are held against it: small, and hyphens are blanks.
func folded(text string) string { return strings.ReplaceAll(strings.ToLower(text), "-", " ") }

// startsWord reports whether one of a text's words begins with word.
func startsWord(text, word string) bool {
	return strings.Contains(" "+strings.NewReplacer("(", " ", "_", " ", ",", " ").Replace(text), " "+word)
}

// scattered reports whether one of a text's words is word with letters left out.
func scattered(text, word string) bool {
	return slices.ContainsFunc(strings.Fields(text), func(one string) bool {
		if one[0] != word[0] {
			return false
		}
		for _, c := range word {
			at := strings.IndexRune(one, c)
			if at < 0 {
				return false
			}
			one = one[at+len(string(c)):]
		}
		return true
	})
}

// Obey does what a command of the palette says to the state. It returns the ID of
// the element to go to, empty if none, and whether it knows the command.
func Obey(n *session.Session, id string) (show string, err error) {
	verb, what, _ := strings.Cut(id, " ")
	if verb == "lab" {
		n.Go(what)
		return "main", nil
	}
	r := n.Laboratory
	if r == nil {
		return "", fmt.Errorf("no laboratory is shown")
	}
	switch verb {
	case "view":
		r.SetView(state.View(what))
		return "main", nil
	case "tour":
		r.Tour.GoTo(1)
		return "tour", nil
	case "preset":
		explore(r)
		r.UsePreset(what)
	case "workload":
		explore(r)
		r.Choose(workloadKnob(r), what)
	case "system":
		r.ToggleSystem(what)
	case "focus":
		explore(r)
		if !slices.Contains(r.State.On, what) {
			r.ToggleSystem(what)
		}
		r.SetFocus(what)
		return "drawing", nil
	case "knob":
		if r.State.View == state.Reproduce {
			explore(r)
		}
	case "chart":
		explore(r)
		return "chart-" + what, nil
	case "section":
		explore(r)
		if r.Info.Section(what) != nil && !r.Sections.IsOpen(what) {
			r.Sections.Toggle(what)
		}
		return "section-" + what, nil
	case "files":
		explore(r)
		return "drop-own", nil
	case "figure":
		r.SetView(state.Reproduce)
		r.Papers.Show(what)
		return "paper-title", nil
	default:
		return "", fmt.Errorf("unknown command %q", id)
	}
	return "", nil
}

// explore shows the view that has charts of one setup.
func explore(r *session.Laboratory) {
	if r.State.View != state.Explore {
		r.SetView(state.Explore)
	}
}
