package link

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/ui/lab/all"
	"spillway/ui/lab/own"
	"spillway/ui/model/state"
)

// Links with policies that people wrote: how long they may be, and the text as the link has it.
var withPolicies = []struct {
	text, link string
	most       int
}{
	{"evict = -last\nfetch = last", "policy=evict=-last@fetch=last", 200},
	{"# Whoever asks\nevict = next * min(size, short) * (p1 if mine else 2)\nfetch = -next", "policy=%23Whoever+asks@evict=next*min(size,short)*(p1+if+mine+else+2)@fetch=-next", 260},
	{
		"# GDSF\nkeep L = 0\nkeep H of tensor = 0\nwhen put: H = L + uses * fetch_cost / size\nwhen evicted: L = max(L, H)\nevict = -H\nfetch = H",
		"policy=%23GDSF@keep+L=0@keep+H+of+tensor=0@when+put:H=L%2Buses*fetch_cost/size@when+evicted:L=max(L,H)@evict=-H@fetch=H", 420,
	},
	{"evict = age if age > 3ms else 0", "policy=evict=age+if+age%3E3ms+else+0", 200},
}

// A policy travels in the link, where people can read it; one that is damaged is known to be.
func TestLinksWithAPolicy(t *testing.T) {
	at := slices.IndexFunc(all.Labs, func(e all.Entry) bool { return e.Name == "store" })
	i := all.Labs[at].New().Complete()
	for _, x := range withPolicies {
		s := state.Opening(&i)
		s.Setup = state.OfPreset(&i, &i.Presets[0])
		if err := s.Setup.Set(own.TextKey, x.text); err != nil {
			t.Fatal(err)
		}
		if err := s.Setup.Set("p1", "4"); err != nil {
			t.Fatal(err)
		}
		s.Toggle(&i, own.Name)
		link := Encode(&i, &s)
		if !strings.Contains(link, "&"+x.link+"&") || len(link) > x.most {
			t.Errorf("%d characters, at most %d: %s has not %s", len(link), x.most, link, x.link)
		}
		// As programs write it that escape more, and as they do that escape all.
		for _, text := range []string{link, strings.NewReplacer("(", "%28", ")", "%29", "*", "%2A").Replace(link), strings.Replace(link, "policy=evict=", "policy=evict%3D", 1)} {
			l, err := Parse(text)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			if back, err := Read(&i, l.Pairs); err != nil || !equal(&s, &back) {
				t.Errorf("%s: %v, %s", text, err, Encode(&i, &back))
			}
		}
		if _, err := Parse(strings.Replace(link, "evict", "evikt", 1)); err == nil {
			t.Errorf("a damaged link is read: %s", link)
		}
		pairs, err := knob.Pairs(s.Setup.String())
		u := i.Setup()
		if err == nil {
			err = u.Apply(pairs)
		}
		if err != nil || !u.Equal(s.Setup) {
			t.Errorf("%s: %v", s.Setup, err)
		}
	}
}
