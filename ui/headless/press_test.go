package headless

import (
	"fmt"
	"testing"

	"spillway/build/effort"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/lab/all"
	"spillway/ui/model/session"
)

// answer answers runs with nothing but what is in their way.
func answer(l *lab.Lab, h *host, n *session.Session) {
	for len(h.jobs) > 0 {
		j := h.jobs[0]
		h.jobs = h.jobs[1:]
		a := exec.Answer{ID: j.ID, Last: true}
		if u, err := l.Read(j.Setup); err != nil {
			a.Error = err.Error()
		} else if j.Kind == exec.Run {
			refused, err := h.bench.Refuses(u, j, nil, &a)
			if err != nil {
				a.Error = err.Error()
			} else if !refused {
				a.Report = &report.Report{Fits: true, Values: make([]float64, len(l.Quantities))}
			}
		}
		n.Answer(&a)
	}
}

// stuck says why not all that is compared can run, empty if it can.
func stuck(n *session.Session) string {
	for _, x := range n.Runs.Troubles() {
		if x.Class == "error" {
			return x.Text
		}
	}
	return n.Runs.Blocked()
}

// Every option of every piece of the sentence and of every card, of every preset, leads somewhere: what
// was chosen stays, and where settings contradict each other then, there are remedies, each of which helps.
func TestEveryOption(t *testing.T) {
	effort.Natively(t)
	for _, e := range all.Labs {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			every(t, e.New())
		})
	}
}

func every(t *testing.T, l lab.Lab) {
	h := &host{bench: exec.Executor{Lab: l}}
	n, err := open(l, nil, "lab="+l.Name, h)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	press := func(preset, what, key, option string, do func()) {
		if asked++; !effort.Takes(asked, 2) {
			return
		}
		n.UsePreset(preset)
		answer(&l, h, n)
		do()
		answer(&l, h, n)
		k := n.State.Setup.Knob(key)
		if is := n.State.Setup.Text(key); option != "" && is != option && !k.Derived {
			t.Errorf("%s, %s: %s is %s, not %s", preset, what, key, is, option)
		}
		says, remedies := stuck(n), n.Runs.Remedies.List()
		if says != "" && len(remedies) == 0 {
			t.Errorf("%s, %s: a dead end: %s", preset, what, says)
		}
		for _, text := range remedies {
			n.Runs.Remedies.Take(text)
			answer(&l, h, n)
			if says := stuck(n); says != "" {
				t.Errorf("%s, %s, %s does not help: %s", preset, what, text, says)
			}
			n.Undo()
			answer(&l, h, n)
		}
	}
	for _, p := range l.Presets {
		n.UsePreset(p.Key)
		answer(&l, h, n)
		if says := stuck(n); says != "" {
			t.Errorf("%s: %s", p.Key, says)
		}
		tokens, parts := n.Form.Tokens(), n.Drawing.View().Parts
		for _, token := range tokens {
			for _, turn := range n.Form.Turns(&token) {
				for _, o := range turn.Options {
					press(p.Key, fmt.Sprintf("%s, %s", turn.Label, o.Label), turn.Key, o.Key, func() { n.Form.Take(turn.Key, o.Key) })
				}
			}
			n.UsePreset(p.Key)
		}
		for _, part := range parts {
			for _, o := range n.Drawing.Products(&part) {
				press(p.Key, part.Title+", "+o.Label, "", "", func() { n.Drawing.Pick(&part, o.Key) })
			}
			n.UsePreset(p.Key)
			for _, d := range n.Drawing.Dials(&part) {
				for _, o := range d.Options {
					press(p.Key, d.Label+", "+o.Label, d.Key, o.Key, func() { n.Choose(d.Key, o.Key) })
				}
				for _, at := range []string{"0", "20", "500", "1000"} {
					if d.Kind == knob.Number {
						press(p.Key, d.Label+" at "+at, "", "", func() { n.Drawing.Turn(&part, d.Key, at) })
					}
				}
			}
		}
	}
	t.Logf("%d options", asked)
}
