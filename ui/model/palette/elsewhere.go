package palette

import (
	"slices"
	"strings"

	"spillway/sim/study"
	"spillway/ui/model/session"
)

// An Entry is something that another laboratory has: the site lists them all when it is
// built, so that the palette finds what is nowhere near.
type Entry struct {
	Lab                    string // its name
	ID, Kind, Title, About string // as of a Command
	Also, Asked            string // what it is found by besides, and words that people ask with
}

// elsewhere are the verbs of what is worth going to another laboratory for; words and topics of
// the help are about the one that is shown.
var elsewhere = map[string]bool{"preset": true, "workload": true, "knob": true, "system": true, "chart": true, "section": true, "figure": true}

// Entries lists what a session's laboratory has, for those who are in another one.
func Entries(n *session.Session) (list []Entry) {
	for _, c := range Commands(n) {
		verb, what, _ := strings.Cut(c.ID, " ")
		if !elsewhere[verb] {
			continue
		}
		e := Entry{Lab: n.Info.Name, ID: c.ID, Kind: c.Kind, Title: c.Title, About: short(c.About), Also: c.also, Asked: c.asked}
		if verb == "system" { // there it shall be shown, whether it is compared or not
			e.ID = "focus " + what
			e.Title = strings.TrimPrefix(strings.TrimPrefix(e.Title, "Compare "), "Leave out ")
		}
		list = append(list, e)
	}
	if i := n.Info; n.Laboratory != nil && i.Entry != "" {
		e := Entry{Lab: i.Name, ID: "files", Kind: "Files", Title: "Files for " + i.Title, About: i.Drop, Also: "open own trace upload load " + i.Drop}
		for _, x := range i.Asked {
			if x.ID == "press "+pickFiles {
				e.Asked += " " + x.Words
			}
		}
		list = append(list, e)
	}
	return list
}

// Figures lists what papers of a laboratory have, which it knows itself when Reproduce was
// opened.
func Figures(lab string, papers []*study.Paper) (list []Entry) {
	for _, p := range papers {
		for i := range p.Figures {
			f := &p.Figures[i]
			title := f.Title
			if label := study.Label(f.ID); label != "" {
				title = label + ": " + title
			}
			list = append(list, Entry{Lab: lab, ID: "figure " + p.Key + "." + f.ID, Kind: "Paper", Title: title, About: p.Title, Also: "reproduce " + p.Key})
		}
	}
	return list
}

// short is the first sentence of a text.
func short(text string) string {
	if at := strings.Index(text, ". "); at >= 0 {
		return text[:at+1]
	}
	return text
}

// Everything is what the palette finds: all that the laboratory has that is shown, and what
// others have.
func Everything(n *session.Session, others []Entry) []Command {
	list := Commands(n)
	titles := map[string]string{}
	for _, t := range n.Tabs {
		titles[t.Name] = t.Title
	}
	unread := !slices.ContainsFunc(list, func(c Command) bool { return strings.HasPrefix(c.ID, "figure ") })
	for i := range others {
		e := &others[i]
		if n.Laboratory != nil && e.Lab == n.Info.Name && unread && strings.HasPrefix(e.ID, "figure ") {
			list = append(list, Command{ID: e.ID, Kind: e.Kind, Title: e.Title, About: e.About, also: e.Also})
		}
		if n.Laboratory == nil || e.Lab != n.Info.Name {
			list = append(list, Command{ID: "in " + e.Lab + " " + e.ID, Kind: e.Kind + ", " + titles[e.Lab], Title: e.Title, About: e.About, also: e.Also, asked: e.Asked, far: true})
		}
	}
	return list
}
