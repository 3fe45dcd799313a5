package main

import (
	"syscall/js"

	"spillway/sim/knob"
	"spillway/ui/chart"
	"spillway/ui/draw"
	"spillway/ui/embed"
	"spillway/ui/model/session"
)

// A frame is the page inside another one: public/embed.js says what its address
// asks for, and hands over the questions of the page around it.
type frame struct {
	*page
	tabs    []session.Tab
	options *embed.Options
	desk    *embed.Handler
	started string // the view and figure that has been started by itself
	waits   bool   // for sets that follow in a row
	theme   string // of drawings for the page around it; empty: as its reader's system says
}

// newFrame returns what the address asks for, nil if the page is no frame.
func newFrame(p *page, tabs []session.Tab) *frame {
	of := js.Global().Get("embed")
	if !of.Truthy() {
		return nil
	}
	text := func(name string) string { return of.Get(name).String() }
	return &frame{page: p, tabs: tabs, options: embed.Read(text("mode"), text("only"), text("hide"), text("site"))}
}

// drawn reports whether there is a page to draw: not in an engine.
func (f *frame) drawn() bool { return f == nil || f.options.Mode != embed.Engine }

// listen lets the page around the frame ask.
func (f *frame) listen() {
	f.desk = embed.NewDesk(f.options, f.session, fragment(), f)
	on := func(name string, do func(args []js.Value)) js.Func {
		return js.FuncOf(func(_ js.Value, args []js.Value) any {
			f.inbox.put(func() {
				f.changed = true
				do(args)
			})
			return nil
		})
	}
	js.Global().Get("embed").Call("start", map[string]any{
		"ask": on("ask", func(args []js.Value) {
			q := question(args[0])
			if a := f.desk.Ask(q); a != nil {
				f.answer(a)
			}
			if f.waits = q.Type == "set"; f.waits { // all else is done at once, behind them
				after(inARow, func() { f.inbox.put(func() { f.waits, f.changed = false, true }) })
			}
		}),
		"bye":   on("bye", func([]js.Value) { f.desk.Drop() }),
		"theme": on("theme", func(args []js.Value) { f.theme = args[0].String() }),
	})
	f.inbox.put(func() {}) // step may have something to do already
}

// inARow is how many milliseconds what is asked waits for more of it.
const inARow = 30

// step sends the answers that are ready.
func (f *frame) step() {
	if f == nil || f.desk == nil || f.waits {
		return
	}
	for _, a := range f.desk.Step() {
		f.answer(&a)
	}
	n := f.session
	if !f.drawn() || !f.Idle() || n.Laboratory == nil || n.Wanted() != n.Info.Name {
		return
	}
	if at := n.Info.Name + " " + string(n.State.View) + " " + n.State.Figure; at != f.started {
		f.started, f.changed = at, true
		embed.Kick(n)
	}
}

// serve is the whole program of an engine.
func (f *frame) serve() {
	f.listen()
	for {
		f.inbox.take()()
		f.step()
	}
}

// Begin implements embed.Stage.
func (f *frame) Begin(fragment string) *session.Session {
	f.session = session.New(f.tabs, fragment, f.page)
	f.session.Version = f.version()
	return f.session
}

// Idle implements embed.Stage.
func (f *frame) Idle() bool { return len(f.jobs) == 0 }

// Draw implements embed.Stage.
func (f *frame) Draw(v *chart.View, theme, link string) string {
	return draw.SVG(v, draw.Options{Theme: theme, Link: link, Version: f.version()})
}

// fragment is that of the frame's address.
func fragment() string { return js.Global().Get("location").Get("hash").String() }

// question reads what embed.js has taken apart: all of it is texts.
func question(of js.Value) *embed.Question {
	text := func(v js.Value) string {
		if v.Type() != js.TypeString {
			return ""
		}
		return v.String()
	}
	texts := func(v js.Value) []string {
		list := make([]string, v.Length())
		for i := range list {
			list[i] = text(v.Index(i))
		}
		return list
	}
	q := &embed.Question{
		ID: of.Get("serial").Int(), Type: text(of.Get("type")), Theme: text(of.Get("theme")),
		Link: text(of.Get("link")), HasLink: of.Get("link").Type() == js.TypeString,
		Only: texts(of.Get("only")), Fields: texts(of.Get("fields")),
	}
	values := of.Get("values")
	for i := range values.Length() {
		q.Values = append(q.Values, knob.Pair{Key: text(values.Index(i).Index(0)), Text: text(values.Index(i).Index(1))})
	}
	return q
}

// answer sends one answer.
func (f *frame) answer(a *embed.Answer) {
	message := map[string]any{"type": "error", "code": a.Code, "message": a.Message}
	switch {
	case a.Result != nil:
		message = result(a.Result)
	case a.State != nil:
		message = stateMessage(a.State)
	}
	js.Global().Get("embed").Call("answer", a.ID, message)
}

// result is a result as a message.
func result(x *embed.Result) map[string]any {
	return map[string]any{
		"type": "result", "link": x.Link, "title": x.Title, "mode": x.Mode, "says": x.Says, "problems": words(x.Problems),
		"systems": each(x.Systems, func(s *embed.System) any {
			return map[string]any{"name": s.Name, "title": s.Title, "status": s.Status}
		}),
		"figures": each(x.Figures, func(g *embed.Figure) any {
			rows := each(g.Rows, func(row *[]string) any { return words(*row) })
			return map[string]any{
				"id": g.ID, "title": g.Title, "alt": g.Alt, "text": g.Text, "svg": g.SVG,
				"table": map[string]any{"head": words(g.Head), "rows": rows},
			}
		}),
	}
}

// stateMessage is a state as a message.
func stateMessage(s *embed.State) map[string]any {
	return map[string]any{
		"type": "state", "link": s.Link, "problems": words(s.Problems),
		"fields": each(s.Fields, func(g *embed.Field) any {
			m := map[string]any{
				"key": g.Key, "label": g.Label, "unit": g.Unit, "kind": g.Kind, "text": g.Text,
				"choices": each(g.Choices, func(c *embed.Choice) any { return map[string]any{"key": c.Key, "label": c.Label} }),
			}
			if g.Kind == "number" {
				m["min"], m["max"] = g.Min, g.Max
			}
			return m
		}),
	}
}

// each makes a JavaScript array of a list.
func each[T any](list []T, f func(*T) any) []any {
	array := make([]any, len(list))
	for i := range list {
		array[i] = f(&list[i])
	}
	return array
}

func words(list []string) []any { return each(list, func(s *string) any { return *s }) }
