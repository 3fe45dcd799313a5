package main

import (
	"fmt"
	"syscall/js"

	"spillway/ui/model/link"
	"spillway/ui/model/palette"
	"spillway/ui/model/session"
	"spillway/ui/model/tour"
	"spillway/ui/wire"
)

// mostFound is how many commands the palette shows.
const mostFound = 30

// mostNear is how many it shows where nothing is called what was typed.
const mostNear = 3

// Help implements view.Page. The dialog has what is the same for all laboratories.
func (p *page) Help() {
	what := map[string]any{"title": "", "about": "", "topics": []any{}, "words": []any{}, "stops": []any{}}
	if r := p.session.Laboratory; r != nil {
		what["title"], what["about"] = r.Info.Title, r.Info.About
		what["topics"], what["words"], what["stops"] = topics(r), glossary(r), stops(r)
	}
	p.tools.Call("help", what)
}

// Find implements view.Page.
func (p *page) Find() { p.tools.Call("palette") }

func topics(r *session.Laboratory) (list []any) {
	for _, h := range r.Info.Help {
		list = append(list, map[string]any{"title": h.Title, "text": h.Text})
	}
	return list
}

func glossary(r *session.Laboratory) (list []any) {
	for _, t := range palette.Glossary(r.Info) {
		list = append(list, map[string]any{"title": t.Name, "text": t.Is, "source": t.Source})
	}
	return list
}

// stops are the links of the tour.
func stops(r *session.Laboratory) (list []any) {
	for i := range r.Info.Tour {
		if s, err := tour.StopState(r.Info, &r.Info.Tour[i]); err == nil {
			list = append(list, map[string]any{"title": r.Info.Tour[i].Title, "link": "#" + link.Encode(r.Info, &s)})
		}
	}
	return list
}

// listenHelp connects the help and the palette.
func (p *page) listenHelp(on func(name string, f func(args []js.Value) func())) {
	on("onHelp", func([]js.Value) func() { return p.Help })
	on("onCommand", func(args []js.Value) func() {
		id := args[0].String()
		return func() { p.app.Obey(id) }
	})
	p.tools.Set("find", js.FuncOf(func(_ js.Value, args []js.Value) any {
		all, query := palette.Everything(p.session, p.others), args[0].String()
		found := palette.Find(all, query, mostFound)
		near := len(found) == 0
		if near {
			found = palette.Nearest(all, query, mostNear)
		}
		list := []any{}
		for _, c := range found {
			list = append(list, map[string]any{"id": c.ID, "kind": c.Kind, "title": c.Title, "about": c.About})
		}
		return map[string]any{"list": list, "near": near}
	}))
	// What other laboratories have comes when the palette is opened first.
	p.tools.Set("others", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if p.others != nil {
			return nil
		}
		p.others = []palette.Entry{}
		look := args[0]
		go func() {
			data, err := fetch("search.info")
			var list []palette.Entry
			if err == nil {
				err = wire.Unmarshal(data, &list)
			}
			p.inbox.put(func() {
				if err != nil {
					p.others = nil // tried again with the next opening
					return
				}
				p.others = list
				look.Invoke()
			})
		}()
		return nil
	}))
}

// look shows what a stop of a tour is about, when it is drawn, and again when what takes
// time is there.
func (p *page) look() {
	r := p.session.Laboratory
	if r == nil || r.Tour.Stop() == nil {
		p.looked = ""
		return
	}
	stop := r.Tour.Stop()
	if looked := fmt.Sprint(r.Info.Name, " ", stop.Key, " ", r.Tour.Ready()); p.looked != looked {
		p.looked = looked
		p.tools.Call("lookAt", stop.Look)
	}
}
