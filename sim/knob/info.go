package knob

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/prose"
	"spillway/sim/script"
)

// A Kind says which texts a knob has.
type Kind uint8

// The kinds of knob.
const (
	Number Kind = iota // a decimal number
	One                // the key of one of the choices
	Many               // keys of choices with commas between them, or the key of a set; empty is none
	Word               // any text
	Rules              // patterns, each with = and the key of a choice, and commas between; "*.bias=small,a?=large"
	Script             // lines of a policy, joined as package script does it; whoever runs it reads what they say
)

// An Info is a knob without its settings struct: all that a form, a link or a
// command line needs.
type Info struct {
	Key    string // stable, in links and files: "gpu_memory"
	Config string // its key in files of the program that was simulated, empty if none
	Label  string // short, for people
	Help   string // what it means and who uses it, one sentence
	Source string // where the default comes from
	Unit   string // unit of the text form: "GiB", "GB/s", "µs"
	Panel  string // where forms show it: "hardware"
	Group  string // heading there: "Links"
	Kind   Kind
	Scale  int64 // base units in one Unit; the text form is value/Scale
	// Min and Max bound the value, in base units, both included.
	Min, Max int64
	// Choices are what One and Many choose from; Sets are names for several of
	// Many's at once.
	Choices, Sets []Choice
	// Grid is there of a Many whose choices are cells of a table.
	Grid    *Grid
	Default string
	// Derived marks a One that is a name for values of other knobs: it shows the
	// first choice whose Set holds, and choosing one applies its Set. It has no
	// value of its own and is in no link.
	Derived bool
	// Product marks a One whose choices are sold: what to buy is looked for among them, as among derived ones.
	Product bool
	// Ceiling is the key of another number that this one is lowered to when a choice
	// sets either of them; one that is typed is not, and may contradict it.
	Ceiling string
	// Within is the key of another number that this one is never larger than, such as the
	// batch of a micro-batch, and WithinWhy why: whoever sets one of the two moves the other.
	Within, WithinWhy string
	// Titled is true of a Word whose text is a name, "|", and what only programs read.
	Titled bool
	// Always puts the knob into every link, so that a link keeps its meaning when
	// the default changes.
	Always bool
	// Zero is what a number of 0 leaves it to, where that is no number: "as the workload
	// has them". A form shows it instead of the 0, which stands beside Min and Max.
	Zero string
	// Idle is when other settings leave this one nothing to change.
	Idle []Idle
}

// An Idle is a state of other settings in which one changes nothing, and why, with what would help. While is a setup
// text in which a value may be several with commas between, or of numbers a span: "nodes=0 gpus=1..8".
type Idle struct{ While, Why string }

// A Grid is the table whose cells are the choices of a Many: the key of one is that of its
// column, a point, and that of its row.
type Grid struct {
	Rows, Columns []Line
	Off, On       string // what a cell says that is not chosen, and one that is
}

// A Line is a row or a column of a Grid.
type Line struct{ Key, Label string }

// Name is what a cell is called: "Inodes, rename".
func (g *Grid) Name(key string) string {
	column, row, _ := strings.Cut(key, ".")
	return label(g.Columns, column) + ", " + label(g.Rows, row)
}

func label(list []Line, key string) string {
	for i := range list {
		if list[i].Key == key {
			return list[i].Label
		}
	}
	return key
}

// A Choice is one text that a knob can have.
type Choice struct {
	Key, Label, Help, Source string
	// Names are other spellings that are read as the key.
	Names []string
	// Word is what a sentence says of it: the label if empty, nothing if "-".
	Word string
	// More is the long explanation, for those who ask.
	More string
	// Set is a setup text (see Pairs) that comes with the choice. What it sets is
	// what the settings go back to while the choice stands.
	Set string
	// Suggests is a setup text that comes with the choice, too, but that a derived knob
	// shows the choice without: of several whose Set holds, the one of whose Also most
	// is so.
	Suggests string
	// Companions is a setup text of what stands around the choice as a rule, such as the
	// machine around a GPU. Whoever names the choice has it, too, but for what is named
	// beside it (Setup.WithCompanions). Choices of the same Kin take each other's place
	// and leave what stands around them.
	Companions, Kin string
	// Rates is a setup text of the choice's own data-sheet rates, by the knobs that go with them: where
	// the choice takes the place of one of its kin, these change in proportion.
	Rates string
	// Limits is what the choice allows other knobs.
	Limits []Limit
	// Ineffective lists knobs that change nothing while the choice stands, and Why: what numbers decide is Info.Idle.
	// Hides lists those that are not even of its subject.
	Ineffective []string
	Why         string
	Hides       []string
}

// A Limit is what a choice allows another knob.
type Limit struct {
	Key      string
	Min, Max int64    // of a Number, in its base units
	Choices  []string // of a One
	Hint     string   // for people: which values are worth trying
	Why      string   // why no others, behind "is not possible here: "
}

// Infos returns the knobs of one panel with the defaults in s.
func Infos[S any](panel string, knobs []Knob[S], s *S) []Info {
	out := make([]Info, len(knobs))
	for i := range knobs {
		out[i] = knobs[i].Info
		out[i].Panel = panel
		if !knobs[i].Derived {
			out[i].Default = knobs[i].Text(s)
		}
	}
	return out
}

// Fill stores the texts of u in s, by key. Knobs that u does not have keep their
// value.
func Fill[S any](knobs []Knob[S], s *S, u *Setup) error {
	for i := range knobs {
		k := &knobs[i]
		if u.Knob(k.Key) == nil || k.Derived {
			continue
		}
		if err := k.Parse(s, u.Text(k.Key)); err != nil {
			return err
		}
	}
	return nil
}

// Choice returns the choice, or set, with this key, or nil. It is asked for every
// field on every drawing, so no choice is copied on the way.
func (i *Info) Choice(key string) *Choice {
	for k := range i.Choices {
		if i.Choices[k].Key == key {
			return &i.Choices[k]
		}
	}
	return i.set(key)
}

// spans reports whether the bounds of a number, in base units, allow v, or 0 means no number.
func (i *Info) spans(v int64) bool { return v >= i.Min && v <= i.Max || v == 0 && i.Zero != "" }

// Canon returns text as it is stored and printed. The error says what is allowed.
func (i *Info) Canon(text string) (string, error) {
	switch i.Kind {
	case Number:
		v, err := i.Measure(text)
		if err != nil {
			return "", unread(err, i.Label, i.Min, i.Max, i.Scale)
		}
		if !i.spans(v) {
			return "", i.outside(v, i.Min, i.Max)
		}
		return Decimal(v, i.Scale), nil
	case One:
		if i.Choice(text) != nil {
			break
		}
		for k := range i.Choices {
			if slices.Contains(i.Choices[k].Names, text) {
				return i.Choices[k].Key, nil
			}
		}
		return "", fmt.Errorf("unknown %s %q; %s", i.name(), text, prose.Among(text, keys(i.Choices)))
	case Many:
		return i.canonMany(text)
	case Rules:
		return i.canonRules(text)
	case Script:
		text = script.Join(text)
		return text, i.short(text, script.Most)
	}
	return text, nil
}

// The most that rules may be: more is no text that a person wrote.
const (
	mostRules = 100
	mostText  = 2000
)

// short reports an error if a text is longer than a person's.
func (i *Info) short(text string, most int) error {
	if len(text) > most {
		return fmt.Errorf("%s: %d characters are more than %d", i.Label, len(text), most)
	}
	return nil
}

// canonRules takes the blanks out of rules. What stands before the last = of one is
// its pattern.
func (i *Info) canonRules(text string) (string, error) {
	if err := i.short(text, mostText); err != nil {
		return "", err
	}
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	var rules []string
	for rule := range strings.SplitSeq(text, ",") {
		rule = strings.TrimSpace(rule)
		at := strings.LastIndexByte(rule, '=')
		if at <= 0 {
			return "", fmt.Errorf("%s: %q is no rule; write pattern=%s, and commas between rules", i.Label, rule, i.Choices[0].Key)
		}
		pattern, key := strings.TrimSpace(rule[:at]), strings.TrimSpace(rule[at+1:])
		switch {
		case pattern == "":
			return "", fmt.Errorf("%s: %q has no pattern before =; * stands for any text", i.Label, rule)
		case i.Choice(key) == nil:
			return "", fmt.Errorf("%s: unknown %q behind %s=; %s", i.Label, key, pattern, prose.Among(key, keys(i.Choices)))
		}
		rules = append(rules, pattern+"="+key)
	}
	if len(rules) > mostRules {
		return "", fmt.Errorf("%s: %d rules are more than %d", i.Label, len(rules), mostRules)
	}
	return strings.Join(rules, ","), nil
}

func (i *Info) outside(v, least, most int64) error {
	return fmt.Errorf("%s is %s; want %s to %s", i.Label, join(Decimal(v, i.Scale), i.Unit), Decimal(least, i.Scale), Decimal(most, i.Scale))
}

// name is the label as it stands inside a sentence.
func (i *Info) name() string { return prose.Lower(i.Label) }

// canonMany orders the keys as the choices are and names a set that they are.
func (i *Info) canonMany(text string) (string, error) {
	if c := i.set(text); c != nil {
		text = c.Set
	}
	on := make([]bool, len(i.Choices))
	for key := range strings.SplitSeq(text, ",") {
		if key == "" {
			continue
		}
		at := slices.IndexFunc(i.Choices, func(c Choice) bool { return c.Key == key })
		if at < 0 {
			among := prose.Among(key, keys(i.Choices))
			if len(i.Sets) > 0 {
				among = "there are " + strings.Join(keys(i.Sets), ", ") + ", or some of " + strings.Join(keys(i.Choices), ", ")
			}
			return "", fmt.Errorf("unknown %s %q; %s", i.name(), key, among)
		}
		on[at] = true
	}
	var list []string
	for at := range i.Choices {
		if on[at] {
			list = append(list, i.Choices[at].Key)
		}
	}
	text = strings.Join(list, ",")
	for at := range i.Sets {
		if i.Sets[at].Set == text {
			return i.Sets[at].Key, nil
		}
	}
	return text, nil
}

// set returns the named set, or nil.
func (i *Info) set(key string) *Choice {
	for k := range i.Sets {
		if i.Sets[k].Key == key {
			return &i.Sets[k]
		}
	}
	return nil
}

// Members lists the keys of choices that text, a canonical value of a Many,
// stands for.
func (i *Info) Members(text string) []string {
	if c := i.set(text); c != nil {
		text = c.Set
	}
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

func keys(list []Choice) []string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Key
	}
	return names
}

// join puts a unit behind a number.
func join(text, unit string) string {
	if unit == "" {
		return text
	}
	return text + " " + unit
}

// Range says in words which values the knob has.
func (i *Info) Range() string {
	switch i.Kind {
	case Number:
		return join(Decimal(i.Min, i.Scale)+" to "+Decimal(i.Max, i.Scale), i.Unit)
	case One:
		return "one of " + strings.Join(keys(i.Choices), ", ")
	case Many:
		if len(i.Sets) > 0 {
			return strings.Join(keys(i.Sets), ", ") + ", or some of " + strings.Join(keys(i.Choices), ", ")
		}
		return "some of " + strings.Join(keys(i.Choices), ", ")
	}
	if i.Kind == Rules {
		return "rules of a pattern with one of " + strings.Join(keys(i.Choices), ", ")
	}
	if i.Kind == Script {
		return "lines of a policy, with @ between them"
	}
	return "any text"
}
