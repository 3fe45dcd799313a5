package recording

import (
	"fmt"
	"strings"

	"spillway/sim/workload"
)

// A rule gives the tensors whose names match a pattern a role.
type rule struct {
	pattern string
	kind    workload.Kind
	matched int
}

// The most that patterns may be: more is no text that a person wrote.
const (
	mostRules = 100
	mostText  = 10_000
)

// parseRoles reads Choices.Roles. What stands before the last = of a part is its
// pattern; a comma ends a part.
func parseRoles(text string) ([]rule, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	if len(text) > mostText {
		return nil, fmt.Errorf("the patterns for roles are %d bytes; at most %d are read", len(text), mostText)
	}
	var rules []rule
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		at := strings.LastIndexByte(part, '=')
		if at < 0 {
			return nil, fmt.Errorf("%q in the patterns for roles has no =; write PATTERN=ROLE, like *embed*=weight", part)
		}
		pattern, role := strings.TrimSpace(part[:at]), strings.TrimSpace(part[at+1:])
		if pattern == "" {
			return nil, fmt.Errorf("%q in the patterns for roles has no pattern before =; * stands for all tensors", part)
		}
		kind, err := workload.ParseKind(role)
		if err != nil {
			return nil, fmt.Errorf("%q in the patterns for roles: unknown role %q; there are weight, gradient, optimizer, intermediate, workspace and input", part, role)
		}
		if len(rules) == mostRules {
			return nil, fmt.Errorf("more than %d patterns for roles", mostRules)
		}
		rules = append(rules, rule{pattern: pattern, kind: kind})
	}
	return rules, nil
}

// matches reports whether a name is as a pattern says, in which * stands for any
// text and ? for any byte. It takes no more than the product of their lengths.
func matches(pattern, name string) bool {
	p, n := 0, 0
	star, from := -1, 0 // the last *, and where the text for it ended when it was last tried
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p, n = p+1, n+1
		case star >= 0:
			from++
			p, n = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// role returns what a tensor is for, and whether it outlives the step.
func (f *folding) role(t *Tensor) (kind workload.Kind, global bool) {
	for i := range f.rules {
		if r := &f.rules[i]; matches(r.pattern, t.Name) {
			r.matched++
			stays := r.kind == workload.Weight || r.kind == workload.Optimizer
			return r.kind, stays || t.Global && len(t.Uses) == 0 // what no kernel uses has no other life
		}
	}
	return t.Kind, t.Global
}
