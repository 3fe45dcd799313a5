// Package proof has policies read while somebody types them: what is wrong stands under the field
// with its line and column, and what is right becomes the setting. The language is in the
// laboratory's program, and a worker reads it there.
package proof

import (
	"slices"
	"strconv"
	"strings"

	"spillway/sim/script"
	"spillway/ui/exec"
	"spillway/ui/model/calls"
	"spillway/ui/model/workspace"
)

// A Proof is what is known of the policy of a laboratory.
type Proof struct {
	room *workspace.Workspace
	desk *calls.Desk
	open bool // somebody sees the field
	call *calls.Call
	of   asked         // that is read, or was
	last *exec.Proofed // nil before anything was read
}

// asked is a text, and whether settings have it so.
type asked struct {
	text   string
	joined bool
}

// New returns what reads policies of a laboratory; it does once somebody writes one, or a link brings one.
func New(w *workspace.Workspace, d *calls.Desk) *Proof { return &Proof{room: w, desk: d} }

// Look says that somebody sees the field: what may stand in it is asked for.
func (p *Proof) Look() {
	p.open = true
	p.Follow()
}

// Follow has the text read that is there now.
func (p *Proof) Follow() {
	k := p.room.Info.Script()
	if k == nil {
		return
	}
	now := asked{p.room.State.Setup.Text(k.Key), true}
	draft, typed := p.room.Drafts[k.Key]
	if typed {
		now = asked{draft, false}
	}
	if !p.open && !typed && (now.text == "" || !p.follows(k.Key)) || p.of == now && (p.call.Active() || p.last != nil) {
		return
	}
	calls.Stop(p.call)
	p.of = now
	j := &exec.Job{Kind: exec.Proof, View: now.text}
	if now.joined {
		j.Key = exec.Joined
	}
	p.call = p.desk.Start(j, calls.Shown, func(a *exec.Answer) { p.read(k.Key, a) })
}

// follows reports whether a system is compared that follows the policy.
func (p *Proof) follows(key string) bool {
	for i := range p.room.Info.Systems {
		if s := &p.room.Info.Systems[i]; s.Follows == key && slices.Contains(p.room.State.On, s.Name) {
			return true
		}
	}
	return false
}

// read takes what a worker says of the text.
func (p *Proof) read(key string, a *exec.Answer) {
	if a.Proofed == nil {
		p.last = &exec.Proofed{Text: p.of.text}
		p.room.Wrong = workspace.Remark{Of: p.of.text, Says: a.Error}
		p.room.Refresh()
		return
	}
	p.last = a.Proofed
	if p.of.joined {
		p.room.Spaced = workspace.Remark{Of: p.of.text, Says: a.Proofed.Text}
	}
	wrong := a.Proofed.Wrong
	if script.Join(a.Proofed.Text) == "" { // nothing is written: the system does what it does then
		wrong = ""
	}
	p.room.Wrong = workspace.Remark{Of: a.Proofed.Text, Says: wrong}
	if wrong == "" && !p.of.joined && p.room.State.Setup.Text(key) != script.Join(p.of.text) {
		p.accept(key)
	}
	p.room.Refresh()
}

// accept makes what was typed the setting, and compares the system that follows it. That belongs
// to the step in which it was typed.
func (p *Proof) accept(key string) {
	_ = p.room.State.Setup.Set(key, p.of.text) // the field shows the error
	if p.follows(key) {
		return
	}
	for i := range p.room.Info.Systems {
		if s := &p.room.Info.Systems[i]; s.Follows == key {
			p.room.State.Toggle(p.room.Info, s.Name)
		}
	}
}

// Rest stops what is read in a laboratory that is left.
func (p *Proof) Rest() {
	if p.call.Active() {
		p.of = asked{}
	}
	calls.Stop(p.call)
}

// Start are the texts to start from, as HTML; Words what may stand in a policy.
func (p *Proof) Start() string {
	if p.last == nil {
		return ""
	}
	return p.last.Start
}

// Words are what may stand in a policy, as HTML.
func (p *Proof) Words() string {
	if p.last == nil {
		return ""
	}
	return p.last.Words
}

// Brought is the policy that a compared system follows, as people read it, and its name with the
// first digits of its hash; empty where there is none.
func (p *Proof) Brought() (name, text string) {
	k := p.room.Info.Script()
	if k == nil || !p.follows(k.Key) {
		return "", ""
	}
	joined := p.room.State.Setup.Text(k.Key)
	if joined == "" {
		return "", ""
	}
	text = script.Lines(joined)
	name = script.Title(joined)
	if name == "" {
		name = "A policy without a title"
	}
	if p.last != nil && script.Join(p.last.Text) == joined {
		text = p.last.Text
		if len(p.last.SHA256) > 8 {
			name += " · " + p.last.SHA256[:8]
		}
	}
	lines := strconv.Itoa(1+strings.Count(joined, string(script.End))) + " lines"
	if lines == "1 lines" {
		lines = "1 line"
	}
	return name + ", " + lines, text
}
