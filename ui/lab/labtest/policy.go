package labtest

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"spillway/sim/policy"
	"spillway/ui/lab"
	"spillway/ui/lab/own"
)

// Policies runs every policy that the document has for a laboratory (```policy store), with the
// workload of a text, and wants at least so many. Each runs under its title, and what the document
// shows is what settings make of it.
func Policies(t *testing.T, l *lab.Lab, workload string, least int) {
	text, err := os.ReadFile("../../../public/docs/policies.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(text), "```policy "+l.Name+"\n")[1:]
	for _, b := range blocks {
		b, _, _ = strings.Cut(b, "```")
		p, err := policy.Parse(own.Place(l), b)
		if err != nil {
			t.Errorf("%v\n%s", err, b)
			continue
		}
		u := Setup(t, l, workload)
		if err := u.Set(own.TextKey, b); err != nil || u.Text(own.TextKey) != p.Text {
			t.Fatalf("%v, %s", err, u.Text(own.TextKey))
		}
		rep, _, err := l.Run(u, own.Name, nil, nil)
		if err != nil || !rep.Fits || p.Title != "" && rep.Called != p.Title {
			t.Errorf("%v, %+v\n%s", err, rep, b)
		}
	}
	if len(blocks) < least {
		t.Errorf("the document has %d policies for %s, want %d", len(blocks), l.Name, least)
	}
}

// Misspelt checks that a policy that cannot be read says where, and stops no other system: set is the setup with it, want the error.
func Misspelt(t *testing.T, l *lab.Lab, set, other, want string) {
	t.Helper()
	u := Setup(t, l, set)
	if _, _, err := l.Run(u, other, nil, nil); err != nil {
		t.Errorf("what somebody writes stops others: %v", err)
	}
	_, _, err := l.Run(u, own.Name, nil, nil)
	var at *policy.Error
	if err == nil || err.Error() != want || !errors.As(err, &at) || !strings.HasPrefix(want, fmt.Sprintf("Policy %d:", at.Line)) {
		t.Errorf("%v, want %s", err, want)
	}
}

// Place checks what a laboratory says of policies that people write: it is the laboratory's, all
// names are explained, and no policy can be called as a system that is compared is.
func Place(t *testing.T, l *lab.Lab) {
	p := own.Place(l)
	if p == nil || p.Lab != l.Name || p.Title != l.Title {
		t.Fatalf("%s: the place is of another laboratory", l.Name)
	}
	for i, f := range p.Features {
		if f.Help == "" || p.Feature(f.Name) != i {
			t.Errorf("%s: feature %d, %q", l.Name, i, f.Name)
		}
	}
	for _, r := range p.Rules {
		if r.Help == "" {
			t.Errorf("%s: rule %q", l.Name, r.Name)
		}
	}
	for _, e := range p.Events {
		if e.Help == "" {
			t.Errorf("%s: event %q", l.Name, e.Name)
		}
	}
	for _, e := range p.Examples {
		if x, err := policy.Parse(p, e.Text); err != nil || e.Title == "" || e.About == "" {
			t.Errorf("%s: example %q: %v", l.Name, e.Title, err)
		} else if r := p.Proof(e.Text, false); r.Wrong != "" || r.SHA256 != x.SHA256() || r.Text != e.Text {
			t.Errorf("%s: example %q: %+v", l.Name, e.Title, r)
		}
	}
	for _, s := range l.Systems {
		if _, err := policy.Parse(p, "#"+s.Title+"\n"+p.Rules[0].Name+"="+value(&p.Rules[0])); s.Name != own.Name && err == nil {
			t.Errorf("%s: a policy may be called %s", l.Name, s.Title)
		}
	}
}

// value is an answer to a rule.
func value(r *policy.Rule) string {
	if r.Condition {
		return "1<2"
	}
	return "0"
}
