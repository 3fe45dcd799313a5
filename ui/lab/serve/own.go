package serve

import (
	"fmt"
	"slices"

	"spillway/sim/knob"
	"spillway/sim/report"
	core "spillway/sim/serve"
	"spillway/ui/lab/own"
)

// asks is what policies that people write can be asked.
var asks = core.Asks()

// tiersOf are the systems whose tiers a policy of somebody's own may rule, the first where nobody says: those that keep prefixes
// and do nothing else with them.
var tiersOf = func() []string {
	var list []string
	for _, x := range core.Systems() {
		switch {
		case !x.Prefix || x.Free || x.Weigh:
		case x.Main:
			list = append([]string{x.Key}, list...)
		default:
			list = append(list, x.Key)
		}
	}
	return list
}()

// system is what runs under a name: Yours is the system whose tiers it rules, under its own name and title.
func (s *settings) system(name string) (*core.System, error) {
	if name != own.Name {
		return core.FindSystem(name)
	}
	x, err := core.FindSystem(s.Tiers)
	if err != nil {
		return x, err
	}
	o, yours := own.System(asks, 0), *x
	yours.Key, yours.Title = o.Name, o.Title
	return &yours, nil
}

// ruled is the setting of a run with the policy that somebody wrote, where there is one.
func (s *settings) ruled(x *core.Setting) (err error) {
	x.System = s.Tiers
	if s.Own.Text == "" {
		return nil // the same as by rule, and no work
	}
	x.Policy, err = s.Own.Read(asks)
	return err
}

// spend takes what a run spent on a policy from what the next may spend, and reports whether anything is left.
func spend(x *core.Setting, r *core.Result) bool {
	if r.Script == nil {
		return true
	}
	left := *x.Policy
	left.Work -= r.Script.Work
	x.Policy = &left
	return r.Ran() && left.Work > 0
}

// yours are the settings of a policy.
func yours(tiers knob.Knob[settings]) []knob.Knob[settings] {
	return append(own.Knobs(asks, func(s *settings) *own.Setting { return &s.Own }), tiers)
}

// tiersKnob chooses the tiers that a policy rules.
func tiersKnob() knob.Info {
	k := knob.Info{Key: "policy_tiers", Label: "Tiers of Yours", Help: "Where Yours keeps keys and values besides requests under way."}
	for _, name := range tiersOf {
		list := core.Systems()
		x := list[slices.IndexFunc(list, func(x core.System) bool { return x.Key == name })]
		k.Choices = append(k.Choices, knob.Choice{Key: name, Label: x.Title})
	}
	return k
}

// tell writes what a policy was, and what it did, into the report of a run.
func (r *result) tell(rep *report.Report) {
	if r.Script == nil {
		return
	}
	said := own.Ran{Named: r.Script.Named, Spent: r.Script.Spent}
	for i := range asks.Rules {
		rule := &asks.Rules[i]
		if c := r.setting.Policy.Rule(rule.Name); c != nil && !c.Fixed && rule.Name == "evict" {
			said.All = append(said.All, rule.Name) // all others always are
		}
	}
	said.Tell(rep)
	if r.knee.short {
		rep.Notes = append(rep.Notes, fmt.Sprintf("What is left of Policy work, %d million, is too little for its knee: raise it for users and loads.", r.work))
	}
}

// title is what people call the system of a run.
func (r *result) title() string {
	switch {
	case r.Script != nil:
		return r.setting.Policy.Called()
	case r.System == own.Name:
		return own.System(asks, 0).Title
	}
	return titleOf(r.System)
}
