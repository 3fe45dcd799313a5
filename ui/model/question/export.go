package question

import (
	"encoding/csv"
	"strconv"
	"strings"

	"spillway/sim/report"
	"spillway/ui/jsontext"
	"spillway/ui/model/results"
)

// asked is the version of the format of exported questions.
const asked = 3

// record is one run as files have it.
type record struct {
	task
	turned  string // what differs from the settings that stand
	outcome *results.Outcome
}

// records lists what is known of the question that is shown.
func (a *answers) records() []record {
	var list []record
	if a.now == nil {
		return nil
	}
	seen := map[task]bool{}
	add := func(t task) {
		if o := a.outcome(t); o != nil && !seen[t] {
			seen[t] = true
			list = append(list, record{t, "", o})
		}
	}
	for v := range a.now.variants {
		x := &a.now.variants[v]
		if !x.can {
			list = append(list, record{outcome: &results.Outcome{Problem: x.problem}, turned: a.turn(v)})
			continue
		}
		for _, system := range a.now.systems {
			add(task{x.setup, system})
		}
	}
	for _, w := range a.now.adaptive {
		for _, t := range w.asked {
			add(t)
		}
	}
	return list
}

// turn says which point a variant is.
func (a *answers) turn(v int) string {
	var texts []string
	v /= 1 + len(a.now.seeds)
	for i := len(a.now.axes) - 1; i >= 0; i-- {
		x := &a.now.axes[i]
		texts = append([]string{x.Knob.Key + "=" + x.Texts[v%len(x.Texts)]}, texts...)
		v /= len(x.Texts)
	}
	return strings.Join(texts, " ")
}

// status says in a word what came out, as the command does; where it ends with the
// first run that breaks off, the page goes on.
func (a *answers) status(o *results.Outcome) string {
	if o.Error != "" {
		return "failed"
	}
	r := a.search.reading(o)
	return r.Status()
}

// CSV returns every run of the question with all its quantities and its settings.
func (a *answers) CSV() string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	head := []string{"system", "status", "reason"}
	for i := range a.room.Info.Quantities {
		head = append(head, a.room.Info.Quantities[i].Key)
	}
	_ = w.Write(append(head, "setup")) // a Builder takes everything
	for _, r := range a.records() {
		row := []string{r.system, a.status(r.outcome), r.outcome.Problem + r.outcome.Error}
		for i := range a.room.Info.Quantities {
			text := ""
			if v, ok := r.outcome.Value(i); ok {
				text = strconv.FormatFloat(v, 'g', -1, 64)
			}
			row = append(row, text)
		}
		_ = w.Write(report.Cells(append(row, r.setup+r.turned)))
	}
	w.Flush()
	return b.String()
}

// JSON returns the same with the question and the link that asks it.
func (a *answers) JSON() string {
	r := a.room
	runs := []any{}
	for _, x := range a.records() {
		values := map[string]any{}
		for i := range r.Info.Quantities {
			if v, ok := x.outcome.Value(i); ok {
				values[r.Info.Quantities[i].Key] = v
			}
		}
		run := map[string]any{"system": x.system, "status": a.status(x.outcome), "setup": x.setup + x.turned, "values": values}
		if why := x.outcome.Problem + x.outcome.Error; why != "" {
			run["reason"] = why
		}
		runs = append(runs, run)
	}
	_, origin := a.runs.About()
	text, err := jsontext.MarshalIndent(map[string]any{
		"format": "spillway-question", "version": asked, "lab": r.Info.Name, "link": a.files.RunLink(),
		"question": r.State.Ask.String(), "setup": a.files.Runs(), "files": r.Entry(), "origin": origin, "runs": runs,
	})
	if err != nil {
		return "{}" // only a value that is not finite could do that, and those are none
	}
	return string(text)
}
