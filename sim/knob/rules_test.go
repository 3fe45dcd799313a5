package knob

import (
	"strings"
	"testing"
)

func TestRules(t *testing.T) {
	k := Info{Key: "roles", Label: "Roles", Kind: Rules, Choices: []Choice{{Key: "weight"}, {Key: "input"}}}
	for text, want := range map[string]string{
		"": "", "  ": "", "*=weight": "*=weight", " a b = input , *=x=weight ": "a b=input,*=x=weight",
	} {
		if got, err := k.Canon(text); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
		if again, err := k.Canon(want); again != want || err != nil {
			t.Errorf("%q: again %q, %v", want, again, err)
		}
	}
	for text, want := range map[string]string{
		"x":         `Roles: "x" is no rule; write pattern=weight, and commas between rules`,
		"=weight":   `Roles: "=weight" is no rule; write pattern=weight, and commas between rules`,
		"a=weight,": `Roles: "" is no rule; write pattern=weight, and commas between rules`,
		"a=hat":     `Roles: unknown "hat" behind a=; there are weight, input`,
		strings.Repeat("a=input,", 101) + "a=input": "Roles: 102 rules are more than 100",
		strings.Repeat("x", 2001):                   "Roles: 2001 characters are more than 2000",
	} {
		if got, err := k.Canon(text); err == nil || err.Error() != want || got != "" {
			t.Errorf("%.20q: %q, %v; want %q", text, got, err, want)
		}
	}
	if k.Range() != "rules of a pattern with one of weight, input" {
		t.Error(k.Range())
	}
}
