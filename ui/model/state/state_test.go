package state

import (
	"slices"
	"strings"
	"testing"

	"spillway/ui/lab"
	"spillway/ui/lab/all"
)

// The question's keys are those that no laboratory can have.
func TestAskKeys(t *testing.T) {
	for _, l := range all.Labs {
		i := l.New().Info
		for _, k := range questions(&i) {
			if k.Key != AskKey && !strings.HasPrefix(k.Key, AskKey+"-") {
				t.Errorf("%q could be a laboratory's", k.Key)
			}
		}
	}
}

// TestMainSystem is about the system that is in focus at first.
func TestMainSystem(t *testing.T) {
	systems := []lab.System{{Name: "dream", Bound: true}, {Name: "oven"}, {Name: "kiln"}}
	for at, want := range map[int]string{0: "dream", 1: "oven", 2: "kiln", 3: "oven"} {
		i := &lab.Info{Systems: append([]lab.System(nil), systems...)}
		if at < len(systems) {
			i.Systems[at].Main = true
		}
		if k := looks(i); k[0].Default != want {
			t.Errorf("system %d is the main one: in focus is %s", at, k[0].Default)
		}
	}
}

// Twins are a choice of their own where a laboratory has some.
func TestAmongTwins(t *testing.T) {
	i := &lab.Info{Systems: []lab.System{{Name: "oven"}, {Name: "ice-oven", Family: "In ice", Variant: true}}}
	var keys []string
	for _, c := range among(i) {
		keys = append(keys, c.Key)
	}
	if !slices.Equal(keys, []string{Compared, All, Twins}) || !strings.HasSuffix(among(i)[2].Label, "also in ice") {
		t.Errorf("%+v", among(i))
	}
}
