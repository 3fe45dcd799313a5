package palette

import (
	"strings"

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
	for i := range others {
		e := &others[i]
		if n.Laboratory == nil || e.Lab != n.Info.Name {
			list = append(list, Command{ID: "in " + e.Lab + " " + e.ID, Kind: e.Kind + ", " + titles[e.Lab], Title: e.Title, About: e.About, also: e.Also, asked: e.Asked, far: true})
		}
	}
	return list
}
