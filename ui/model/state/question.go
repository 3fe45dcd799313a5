package state

import (
	"cmp"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/lab"
)

// The keys of the question, a setup of its own that links carry.
const (
	AskKey     = "ask"         // what is asked: one of the kinds below
	VaryKey    = "ask-vary"    // the knob that is varied, or of which the least or most is searched
	ValuesKey  = "ask-values"  // its points; empty for those that suggest themselves
	Vary2Key   = "ask-vary2"   // a second knob, or NoKnob
	Values2Key = "ask-values2" // its points
	ShowKey    = "ask-show"    // which map of two knobs
	OfKey      = "ask-of"      // the quantity that is looked at
	FindKey    = "ask-find"    // what is searched
	RangeKey   = "ask-range"   // the values among which it is searched; empty for all
	WithinKey  = "ask-within"  // how near to the bound, in percent
	AmongKey   = "ask-among"   // which systems are searched or ranked
	BudgetKey  = "ask-budget"  // what a part may cost more
)

// The kinds of question.
const (
	Vary    = "vary"    // what one knob or two do
	Find    = "find"    // the least or most of a knob that still does
	Matters = "matters" // what half and twice as much of each knob do to the system in focus
	Effects = "effects" // what a little more of each knob brings
	Buy     = "buy"     // what each other part brings
	Rank    = "rank"    // which system is best
)

// Among which systems.
const (
	Compared = "compared" // those that are compared
	All      = "all"      // all of the laboratory but twins
	Twins    = "twins"    // all
)

// What maps of two knobs show.
const (
	ShowEach  = "each"  // a small map a system
	ShowFocus = "focus" // one map, of the system in focus
	ShowWins  = "wins"  // which system is best
)

// What is searched.
const (
	Least = "least" // the smallest value that is within some percent of the bound
	Most  = "most"  // the largest that runs
	Close = "close" // the largest within some percent of the bound
)

const NoKnob = "none"

// AnyPrice is a budget without end.
const AnyPrice = "any"

// budgets are what people have.
var budgets = []string{"500", "1000", "2000", "5000", "10000", "30000"}

// questions are the knobs of the question.
func questions(i *lab.Info) []knob.Info {
	one := func(key, label, def string, choices ...knob.Choice) knob.Info {
		return knob.Info{Key: key, Label: label, Kind: knob.One, Default: def, Choices: choices}
	}
	var first, number string
	var knobs []knob.Choice
	for k := range i.Knobs {
		n := &i.Knobs[k]
		if n.Kind >= knob.Word || slices.Contains(i.EntryKnobs, n.Key) || n.Kind == knob.Many && len(n.Sets) == 0 {
			continue
		}
		knobs = append(knobs, knob.Choice{Key: n.Key, Label: report.WithUnit(n.Label, bracket(n.Unit))})
		first = cmp.Or(first, n.Key)
		if n.Kind == knob.Number && (number == "" || n.Panel == i.Contradictions && i.Setup().Knob(number).Panel != n.Panel) {
			number = n.Key
		}
	}
	var of []knob.Choice
	for k := range i.Quantities {
		q := &i.Quantities[k]
		of = append(of, knob.Choice{Key: q.Key, Label: report.WithUnit(q.Label, bracket(q.Unit))})
	}
	return []knob.Info{
		one(AskKey, "Question", Vary,
			knob.Choice{Key: Vary, Label: "Vary a setting"}, knob.Choice{Key: Find, Label: "Find a setting"},
			knob.Choice{Key: Matters, Label: "What matters here"}, knob.Choice{Key: Effects, Label: "Every setting, 10 % more"}, knob.Choice{Key: Buy, Label: "What to buy next"}, knob.Choice{Key: Rank, Label: "Which system"}),
		one(VaryKey, "Setting", cmp.Or(i.Vary, number, first), knobs...),
		{Key: ValuesKey, Label: "Values", Kind: knob.Word},
		one(Vary2Key, "And", NoKnob, append([]knob.Choice{{Key: NoKnob, Label: "nothing else"}}, knobs...)...),
		{Key: Values2Key, Label: "Values", Kind: knob.Word},
		one(ShowKey, "Map of", ShowWins,
			knob.Choice{Key: ShowWins, Label: "who is best"}, knob.Choice{Key: ShowEach, Label: "every system"}, knob.Choice{Key: ShowFocus, Label: "the system in focus"}),
		one(OfKey, "Look at", i.Say.Quantity, of...),
		one(FindKey, "Find", Least,
			knob.Choice{Key: Least, Label: "the least that is near the bound"}, knob.Choice{Key: Most, Label: "the most that runs"}, knob.Choice{Key: Close, Label: "the most that is near the bound"}),
		{Key: RangeKey, Label: "Between", Kind: knob.Word},
		{Key: WithinKey, Label: "Within", Unit: "% of the bound", Scale: 100, Min: 1, Max: 99 * 100, Default: "5"},
		one(AmongKey, "Among", Compared, among(i)...),
		one(BudgetKey, "Spend at most", AnyPrice, affordable(i)...),
	}
}

// affordable are the choices of budgets, in the unit of what machines cost.
func affordable(i *lab.Info) []knob.Choice {
	list := []knob.Choice{{Key: AnyPrice, Label: "any amount"}}
	if at := i.Quantity(i.Cost.Price); at >= 0 {
		for _, key := range budgets {
			list = append(list, knob.Choice{Key: key, Label: report.WithUnit(key, i.Quantities[at].Unit)})
		}
	}
	return list
}

// among are the choices of systems.
func among(i *lab.Info) []knob.Choice {
	list := []knob.Choice{{Key: Compared, Label: "the compared systems"}, {Key: All, Label: "all systems"}}
	var families []string
	for k := range i.Systems {
		if s := &i.Systems[k]; s.Variant && !slices.Contains(families, s.Family) {
			families = append(families, s.Family)
		}
	}
	if len(families) > 0 {
		list = append(list, knob.Choice{Key: Twins, Label: "all systems, also " + lowered(strings.Join(families, ", "))})
	}
	return list
}

// lowered is a heading inside a sentence.
func lowered(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// bracket is a unit behind a label.
func bracket(unit string) string {
	if unit == "" {
		return ""
	}
	return "(" + unit + ")"
}
