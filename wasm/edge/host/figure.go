package host

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/draw"
	"spillway/ui/headless"
	"spillway/ui/lab"
	"spillway/ui/lab/own"
	"spillway/ui/model/link"
	"spillway/ui/model/state"
)

// A want is what an address asks for.
type want struct {
	lab    lab.Lab
	info   *lab.Info
	name   string // of the preset or the laboratory, as in the address
	preset *lab.Preset
	pairs  []knob.Pair // settings and looks that it changes
	state  *state.State
	chart  *report.Chart
	theme  string
	width  int
}

// themes are those of an address, with what ui/draw calls them.
var themes = map[string]string{"": "", "auto": "", "light": draw.Light, "dark": draw.Dark}

// read understands a preset's name and the query behind it.
func read(name, query string) (*want, *problem) {
	if len(query) > MaxQuery {
		return nil, refused(http.StatusRequestURITooLong, "the address has %d bytes behind its ?; want at most %d", len(query), MaxQuery)
	}
	pairs, err := knob.Pairs(query)
	if err != nil {
		return nil, refused(http.StatusBadRequest, "the address is damaged: %v", err)
	}
	x := &want{name: name}
	var key string
	var p *problem
	if x.lab, key, p = find(name); p != nil {
		return nil, p
	}
	info := x.lab.Complete()
	x.info = &info
	for i := range info.Presets {
		if info.Presets[i].Key == key {
			x.preset = &info.Presets[i]
		}
	}
	if p := x.take(pairs); p != nil {
		return nil, p
	}
	if x.state, err = headless.State(x.info, key, x.pairs); err != nil {
		return nil, refused(http.StatusBadRequest, "%v", err)
	}
	if err := x.lab.Check(x.state.Setup); err != nil {
		return nil, refused(http.StatusBadRequest, "%v", err)
	}
	if len(x.state.On) == 0 {
		return nil, refused(http.StatusBadRequest, "systems names none; there are %s", systems(x.info))
	}
	if x.info.Script() != nil { // whether anything follows it or not
		written := own.Setting{Text: x.state.Setup.Text(own.TextKey)}
		if _, err := written.Read(own.Place(&x.lab)); err != nil {
			return nil, refused(http.StatusBadRequest, "%v", err)
		}
	}
	return x, nil
}

// take sorts what the address says.
func (x *want) take(pairs []knob.Pair) *problem {
	if len(pairs) > MaxSettings {
		return refused(http.StatusBadRequest, "the address has %d settings; want at most %d", len(pairs), MaxSettings)
	}
	first := state.Default(x.info)
	seen, chart, width := map[string]bool{}, "", ""
	for _, p := range pairs {
		if seen[p.Key] {
			return refused(http.StatusBadRequest, "the address says %s twice", cut(p.Key))
		}
		seen[p.Key] = true
		switch {
		case p.Key == "chart":
			chart = p.Text
		case p.Key == "width":
			width = p.Text
		case p.Key == "theme":
			theme, ok := themes[p.Text]
			if !ok {
				return refused(http.StatusBadRequest, "there is no theme %q; there are auto, light, dark", cut(p.Text))
			}
			x.theme = theme
		case p.Key == x.info.Entry && p.Key != "":
			return refused(http.StatusBadRequest, "%s is about opened files, which this host does not have", p.Key)
		case first.Setup.Knob(p.Key) != nil, first.Look.Knob(p.Key) != nil, p.Key == "systems":
			x.pairs = append(x.pairs, p)
		default:
			return refused(http.StatusBadRequest, "unknown setting %q; an address has settings of %s, systems, chart, theme and width", cut(p.Key), x.info.Title)
		}
	}
	if p := x.size(width); p != nil {
		return p
	}
	return x.choose(chart)
}

func (x *want) size(text string) *problem {
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < MinWidth || n > MaxWidth {
		return refused(http.StatusBadRequest, "width is %q; want %d to %d pixels", cut(text), MinWidth, MaxWidth)
	}
	x.width = n
	return nil
}

// choose takes the chart with an ID, or the first.
func (x *want) choose(id string) *problem {
	var names []string
	for i := range x.info.Charts {
		c := &x.info.Charts[i]
		if c.Kind == report.Values {
			continue
		}
		if c.ID == id || id == "" {
			x.chart = c
			return nil
		}
		names = append(names, c.ID)
	}
	return refused(http.StatusBadRequest, "there is no chart %q; there are %s", cut(id), strings.Join(names, ", "))
}

func systems(i *lab.Info) string {
	var names []string
	for k := range i.Systems {
		names = append(names, i.Systems[k].Name)
	}
	return strings.Join(names, ", ")
}

// fragment is the state as the page's link has it.
func (x *want) fragment() string { return link.Encode(x.info, x.state) }

// query is the address's query again, in one order.
func (x *want) query() string {
	p := slices.Clone(x.pairs)
	p = append(p, knob.Pair{Key: "chart", Text: x.chart.ID})
	if x.theme != "" {
		p = append(p, knob.Pair{Key: "theme", Text: x.theme})
	}
	if x.width != 0 {
		p = append(p, knob.Pair{Key: "width", Text: strconv.Itoa(x.width)})
	}
	return knob.Join(p, "&")
}

// figure answers with a chart as SVG.
func (h *Host) figure(w http.ResponseWriter, r *http.Request, file string) *problem {
	name, ok := strings.CutSuffix(file, ".svg")
	if !ok {
		return refused(http.StatusNotFound, "figures are at /figure/PRESET.svg")
	}
	x, p := read(name, r.URL.RawQuery)
	if p != nil {
		return p
	}
	x.restrain()
	const mime = "image/svg+xml; charset=utf-8"
	at := origin(r.URL)
	sum := sha256.Sum256([]byte(strings.Join([]string{h.Version, at, x.fragment(), x.chart.ID, x.theme, strconv.Itoa(x.width)}, "\n")))
	address := at + "/figure/kept/" + hex.EncodeToString(sum[:16]) + ".svg"
	if h.Get != nil {
		if kept := h.Get(address); kept != nil {
			w.Header().Set("X-Spillway-Cache", "hit")
			tagged(w, r, mime, kept)
			return nil
		}
	}
	text, p := x.draw(at, h.Version)
	if p != nil {
		return p
	}
	if h.Put != nil {
		h.Put(address, []byte(text))
	}
	w.Header().Set("X-Spillway-Cache", "miss")
	tagged(w, r, mime, []byte(text))
	return nil
}

// known reports whether a preset's own settings and systems are wanted: there are few of
// them, and a page has the picture, so each is drawn whatever work it is.
func (x *want) known() bool {
	if x.preset == nil {
		return false
	}
	of, err := headless.State(x.info, x.preset.Key, nil)
	return err == nil && of.Setup.Equal(x.state.Setup) && !slices.ContainsFunc(x.state.On, func(name string) bool { return !slices.Contains(of.On, name) })
}

// follows reports whether a system that does what somebody wrote is among the wanted.
func (x *want) follows() bool {
	return slices.ContainsFunc(x.state.On, func(name string) bool {
		s, err := x.info.System(name)
		return err == nil && s.Follows != ""
	})
}

// restrain gives somebody's own policy no more work than this host has for one, but for a preset as
// it is: beyond it the run is given up, and the drawing and its link say so.
func (x *want) restrain() {
	if x.known() || !x.follows() {
		return
	}
	if work, err := strconv.Atoi(x.state.Setup.Text(own.WorkKey)); err == nil && work > MaxPolicy {
		_ = x.state.Setup.Set(own.WorkKey, strconv.Itoa(MaxPolicy)) // it is a number below another
	}
}

// draw runs what is wanted and draws it.
func (x *want) draw(at, version string) (string, *problem) {
	all, most := 0, 0
	for _, name := range x.state.On {
		steps, err := x.lab.Steps(x.state.Setup, name)
		if err != nil {
			return "", refused(http.StatusBadRequest, "%v", err)
		}
		all, most = all+steps, max(most, steps)
	}
	if all > MaxSteps && !x.known() {
		return "", refused(http.StatusUnprocessableEntity,
			"this is too much work for this host: up to %d steps of %d systems are %d, and it does %d. Name fewer with systems=, choose a smaller workload, or open it in the page, %s/#%s , which may do %d for each",
			most, len(x.state.On), all, MaxSteps, at, x.fragment(), lab.MostSteps)
	}
	n, err := headless.Show(x.lab, nil, x.fragment())
	var broke *headless.Failure
	switch {
	case errors.As(err, &broke):
		return "", refused(http.StatusInternalServerError, "%v", err)
	case err != nil:
		return "", refused(http.StatusBadRequest, "%v", err)
	}
	views := n.Charts()
	for i := range views {
		if views[i].ID != x.chart.ID {
			continue
		}
		text := draw.SVG(&views[i], draw.Options{Theme: x.theme, Width: x.width, Version: version, Link: at + "/#" + x.fragment()})
		if len(text) > MaxAnswer {
			return "", refused(http.StatusUnprocessableEntity, "the drawing has %d bytes; want at most %d", len(text), MaxAnswer)
		}
		return text, nil
	}
	return "", refused(http.StatusInternalServerError, "the chart %s was not drawn", x.chart.ID)
}

// title is what the figure is called in other places.
func (x *want) title() string {
	if x.preset == nil {
		return x.chart.Title + " · " + x.info.Title
	}
	return x.chart.Title + " · " + x.preset.Title
}

// about says what the figure is of, in words.
func (x *want) about() string {
	said := []string{x.info.About}
	if x.preset != nil {
		said = []string{strings.TrimSpace(x.preset.About)}
	}
	var changed []string
	for _, p := range x.pairs {
		if k := x.state.Setup.Knob(p.Key); k != nil {
			changed = append(changed, fmt.Sprintf("%s %s", k.Label, strings.TrimSpace(x.state.Setup.Text(p.Key)+" "+k.Unit)))
		}
	}
	if len(changed) > 0 {
		said = append(said, "With "+strings.Join(changed, ", ")+".")
	}
	return strings.Join(said, " ")
}
