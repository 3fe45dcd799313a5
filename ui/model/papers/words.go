package papers

import (
	"fmt"
	"time"
)

// State says how far everything is.
func (p *Papers) State(v View) string {
	if v.Outline == nil {
		return "Opening…"
	}
	s := p.Standing(v.All.Name)
	text := fmt.Sprintf("%d of %d runs", s.Known, s.Runs)
	if took := p.Elapsed(); took > 0 && s.Known > 0 {
		text += fmt.Sprintf(", %v", took.Round(time.Second/10))
	}
	return text + "." + s.sentence()
}

// Score says what came out so far.
func (v *View) Score() string {
	t := v.Tally
	if t == nil || t.Compared+t.Holds+t.Near+t.Differs == 0 {
		return ""
	}
	text := ""
	if t.Compared > 0 {
		text = fmt.Sprintf("%d published numbers compared: %d exact, %d within their limit, %d off. ", t.Compared, t.Exact, t.Within, t.Gap)
	}
	if t.Claims > 0 {
		text += fmt.Sprintf("%d of %d claims hold, %d near, %d differ.", t.Holds, t.Claims, t.Near, t.Differs)
	}
	return text
}

// Heard is what screen readers hear: only when all is done.
func (p *Papers) Heard(v View) string {
	if p.Active() || v.All.Percent < 100 {
		return ""
	}
	return v.Score()
}

// Source says which workloads are used.
func (v *View) Source() string {
	if v.Outline == nil {
		return ""
	}
	if v.Have == 0 {
		return v.Outline.Originals
	}
	return fmt.Sprintf("The opened files hold %d of the %d workloads; the others are rebuilt.", v.Have, v.Need)
}

// Turn runs what is in the list, or cancels it; show has it shown when it begins.
func (p *Papers) Turn(e Item, show bool) {
	if e.Running {
		p.Cancel(e.Name)
		return
	}
	if e.Known {
		p.Forget(e.Name)
	}
	p.Run(e.Name)
	if show {
		p.Show(e.Name)
	}
}
