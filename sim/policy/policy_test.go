package policy

import (
	"strings"
	"testing"

	"spillway/sim/script"
)

// shop is a place for tests: what an engine asks that keeps things.
func shop() *Place {
	return &Place{
		Lab: "shop", Title: "Shop",
		Rules: []Rule{
			{Name: "evict", Thing: "tensor", Default: "-last"},
			{Name: "fetch", Thing: "tensor", Default: "-evict"},
			{Name: "bring", Thing: "tensor", Condition: true},
			{Name: "pace"},
		},
		Events: []Event{{Name: "put", Thing: "tensor"}, {Name: "got", Thing: "tensor"}, {Name: "evicted", Thing: "tensor"}, {Name: "tick"}},
		Features: append([]Feature{
			{Name: "size", Unit: "bytes"},
			{Name: "uses"},
			{Name: "last"},
			{Name: "next", Live: true},
			{Name: "age", Unit: "s", Live: true},
			{Name: "short", Live: true},
			{Name: "mine", Condition: true, Live: true},
			{Name: "truth", Live: true, Future: true},
			{Name: "fetch_cost", Unit: "s"},
		}, DialFeatures()...),
		Taken: []string{"LRU"},
	}
}

// What is wrong, where, and what to write instead.
func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"evict = agee":                           "1:9: agee is unknown; do you mean age?",
		"evict = foo":                            "1:9: foo is unknown",
		"evict = age > 1":                        "1:1: evict is a number; this is a condition. Write (1 if ... else 0)",
		"bring = age":                            "1:1: bring is a condition; this is a number. Compare it with something",
		"evict = age if size else 0":             `1:13: "if" is for conditions; beside it is a number`,
		"evict = age if mine":                    `1:20: "if" needs "else": x if condition else y; here the line ends`,
		"evict = 1 if mine else mine":            `1:11: before "if" and after "else" are a number and a condition; both must be of one kind`,
		"evict = 1 + mine":                       `1:11: "+" is for numbers; beside it is a condition`,
		"evict = -mine":                          `1:9: "-" is for numbers; beside it is a condition`,
		"bring = not age":                        `1:9: "not" is for conditions; beside it is a number`,
		"bring = mine and age":                   `1:14: "and" is for conditions; beside it is a number`,
		"bring = mine == mine":                   `1:14: "==" is for numbers; beside it is a condition`,
		"bring = 1 < age < 2":                    "1:17: write a < b and b < c",
		"evict = 3GiX":                           `1:9: unit "GiX" after a number; units are KiB, MiB, GiB, KB, MB, GB, ns, us, ms, s`,
		"when put: H = 1\nevict = age":           `1:11: "H" is not kept; write before it: keep H = 0`,
		"when used: H = 1":                       `1:6: nothing happens that is called "used"; there are put, got, evicted, tick`,
		"when":                                   `1:5: here should be what happens, one of put, got, evicted, tick, but the line ends`,
		"evict = min(age)":                       "1:9: min takes 2 numbers, not 1",
		"evict = sqrt(age, 1)":                   "1:9: sqrt takes one number",
		"evict = abs()":                          "1:9: abs takes one number, not none",
		"evict = min":                            "1:12: min needs parentheses: min(...)",
		"evict = log(age)":                       "1:9: there is no function log; there are min, max, abs, floor, sqrt",
		"evict = age % 2":                        "1:13: '%' means nothing here",
		"evict = age // 2":                       `1:13: "//" means nothing here: floor(a / b) is the whole number of times`,
		"evict = age ** 2":                       `1:13: "**" means nothing here: there are no powers; multiply, or write sqrt(a)`,
		"bring = mine && mine":                   `1:14: "&&" means nothing here: write "and"`,
		"bring = mine || mine":                   `1:14: "||" means nothing here: write "or"`,
		"bring = !mine":                          `1:9: "!" means nothing here: write "not"`,
		"evict = mine ? 1 : 0":                   `1:14: "?" means nothing here: write x if condition else y`,
		"bring = age = 1":                        `1:13: to compare, write "=="`,
		"bring = (age = 1)":                      `1:14: to compare, write "=="`,
		"evict = age; fetch = 1":                 `1:12: ";" means nothing here: write every rule on a line of its own`,
		"evict += 1":                             `1:7: "+=" means nothing here: write x = x + ...`,
		"keep L = 0":                             "1:11: no rule; give one of evict, fetch, bring, pace",
		"":                                       "1:1: no rule; give one of evict, fetch, bring, pace",
		"evcit = age":                            "1:1: evcit is used nowhere; do you mean evict?",
		"evcit = age\nfetch = age":               "1:1: evcit is used nowhere; do you mean evict?",
		"evict = age\nevict = 1":                 "2:1: evict is there already, in line 1",
		"x = 1\nx = 2\nevict = x":                "2:1: x is there already, in line 1",
		"keep x = 1\nx = 2":                      "2:1: x is kept already, since line 1",
		"keep evict = 0":                         "1:6: evict is a rule",
		"keep H of page = 0":                     "1:11: things here are tensor",
		"keep H":                                 "1:7: H needs a first value: keep H = 0",
		"keep H = age":                           "1:10: the first value is a number",
		"keep while = 0":                         "1:6: while is kept for later; take another name",
		"keep if = 0":                            "1:6: if is a word of the language",
		"keep H of tensor = 0\npace = H":         "2:8: H is kept of a tensor, and the rule pace is not about one",
		"keep H of tensor = 0\nwhen tick: H = 1": "2:12: H is kept of a tensor, and the event tick is not about one",
		"keep H of tensor = 0\nx = H\npace = x":  "3:8: x has H in it, which is kept of a tensor, and the rule pace is not about one",
		"evict = fetch":                          "1:9: fetch is a rule and no number; write what stands in it",
		"evict = put":                            "1:9: put is something that happens: when put: ...",
		"put: H = 1":                             "1:1: write: when put: ...",
		"evict = y\ny = 1":                       "1:9: y is unknown",
		"evict = (age":                           "1:9: this is not closed",
		"evict = age)":                           "1:12: nothing was opened that this closes",
		"evict = age age":                        `1:13: here the line should end, but "age" stands`,
		"evict =":                                "1:8: here should be a number, but the line ends",
		"evict = +1":                             "1:9: leave the + out",
		"evict = 007":                            "1:9: a number begins with 0 only before a point",
		"evict = .5":                             "1:9: write 0 before the point",
		"evict = 5.":                             "1:9: write 0 behind the point",
		"evict = 1e999":                          "1:9: 1e999 is too large",
		"evict = true":                           "1:9: write a comparison: 1 == 1 is always so",
		"evict = 'a'":                            `1:9: '\'' means nothing here`,
		"evict = äge":                            "1:9: 'ä' means nothing here",
		"# ä\nevict = größe":                     "1:1: a title, which is the first line's comment, begins with a letter or a digit",
		"evict = (1 + # größe\n ö)":              "2:2: 'ö' means nothing here",
		"# SkyByte's\nevict = age":               `1:1: a title, which is the first line's comment, has letters, digits, blanks, points, _ and -; '\'' is none`,
		"# =cmd\nevict = age":                    "1:1: a title, which is the first line's comment, begins with a letter or a digit",
		"# 1234567890123456789012345\nevict = age": "1:1: a title, which is the first line's comment, has at most 24 characters",
		"# lru\nevict = age":                       "1:1: something else is called LRU; give the policy a title of its own",
		"abcdefghijklmnopqrstuvwxy = 1":            "1:1: a name has at most 24 letters",
		"evict = \x00":                             `1:9: '\x00' means nothing here`,
		"evict = \xff":                             "1:9: this is no UTF-8",
		"evict = 1 # \xff":                         "1:11: this is no UTF-8",
		"evict = " + strings.Repeat("(", 49) + "1" + strings.Repeat(")", 49): "1:49: nested more than 40 deep",
		"evict = " + strings.Repeat("-", 4000) + "1":                         "1:49: nested more than 40 deep",
		"bring = " + strings.Repeat("not ", 900) + "mine":                    "1:169: nested more than 40 deep",
		"evict = 1" + strings.Repeat("+1", 513):                              "1:1034: more than 512 operations",
		strings.Repeat("x", 4097):                                            "1:1: 4097 bytes, comments among them, are more than 4096",
		"evict = age" + strings.Repeat("+size*uses", 150):                    "1:1: 1509 bytes without comments and blanks are more than 1500",
		strings.Repeat("keep a = 0\n", 101):                                  "2:6: a is kept already, since line 1",
		"keep a = 0\nkeep b = 0\nkeep c = 0\nkeep d = 0\nkeep e = 0\nkeep f = 0\nkeep g = 0\nkeep h = 0\nkeep i = 0": "9:6: more than 8 numbers are kept",
	} {
		p, err := Parse(shop(), text)
		if err == nil || err.Error() != want {
			t.Errorf("%.60q: %v, %v; want %s", text, p != nil, err, want)
		}
	}
}

// Lets that each double the one before are refused before they are many.
func TestDoublingLets(t *testing.T) {
	text := "a = age + 1\nb = a + a\nc = b + b\nd = c + c\ne = d + d\nf = e + e\ng = f + f\nh = g + g\ni = h + h\nj = i + i\nevict = j"
	if _, err := Parse(shop(), text); err == nil || err.Error() != "10:7: more than 512 operations" {
		t.Error(err)
	}
	if p, err := Parse(shop(), strings.Replace(text, "i = h + h\nj = i + i\nevict = j", "evict = h", 1)); err != nil || p.Rule("evict").Cost() != 8+1 {
		t.Errorf("what a let stands for is computed once: %v", err)
	}
}

// Texts that are joined mean the same, and joining is done once; printed they join to the same.
func TestJoinAndPrint(t *testing.T) {
	for text, want := range map[string]struct{ joined, printed string }{
		"evict = age": {"evict=age", "evict = age"},
		"# My rule \r\n\n evict = -last # old\nfetch = last": {"#My rule@evict=-last@fetch=last", "# My rule\nevict = -last\nfetch = last"},
		"evict = next * min( size ,short )*(p1 if mine else 1)": {
			"evict=next*min(size,short)*(p1 if mine else 1)", "evict = next * min(size, short) * (p1 if mine else 1)",
		},
		"keep H of tensor=-1\nwhen put:H=H - -1,H=-H*2\nevict=- -H": {
			"keep H of tensor=-1@when put:H=H- -1,H=-H*2@evict=- -H", "keep H of tensor = -1\nwhen put: H = H - -1, H = -H * 2\nevict = --H",
		},
		"evict = (size + # two lines\n uses)@fetch = 3ms": {"evict=(size+uses)@fetch=3ms", "evict = (size + uses)\nfetch = 3ms"},
		"bring = not mine and (size<3 MiB\nor mine)":      {"", ""},
		"bring = not mine and (size<3MiB\nor mine)":       {"bring=not mine and(size<3MiB or mine)", "bring = not mine and (size < 3MiB or mine)"},
	} {
		p, err := Parse(shop(), text)
		if want.joined == "" {
			if err == nil {
				t.Errorf("%q is read", text)
			}
			continue
		}
		want.joined = strings.ReplaceAll(want.joined, "- -", "--")
		if err != nil || p.Text != want.joined || Print(p.Text) != want.printed {
			t.Errorf("%q: %v\n%q\n%q", text, err, p.Text, Print(p.Text))
			continue
		}
		if again := script.Join(p.Text); again != p.Text {
			t.Errorf("%q joined again: %q", p.Text, again)
		}
		if again := script.Join(want.printed); again != p.Text {
			t.Errorf("%q printed and joined: %q", p.Text, again)
		}
		q, err := Parse(shop(), p.Text)
		if err != nil || q.SHA256() != p.SHA256() || q.Title != p.Title {
			t.Errorf("%q read again: %v", p.Text, err)
		}
	}
}

// Files keep their comments and single empty lines.
func TestFormat(t *testing.T) {
	got, err := Format("#T\n\n\n\nkeep  a=0 #first\n#alone\n\nevict=(age+ #inside\n a)   \n\n")
	if want := "# T\n\nkeep a = 0 # first\n# alone\n\nevict = (age + a) # inside\n"; err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if again, err := Format(got); err != nil || again != got {
		t.Errorf("again %q, %v", again, err)
	}
}

// What a text says goes before what a place has, so that a feature that is added later changes
// no text; and which rules are fixed.
func TestWhatIsFixed(t *testing.T) {
	for text, want := range map[string]bool{
		"evict = -last": true,
		"evict = next":  false,
		"keep H of tensor = 0\nwhen put: H = H + 1\nevict = H + size": true,
		"keep L = 0\nwhen put: L = L + 1\nevict = L + size":           false,
		"next = 3\nevict = next * size":                               true,
		"keep next of tensor = 3\nevict = next * size":                true,
		"fetch = size":      true, // evict is the default
		"evict = 3":         true,
		"evict = p1 * size": true,
	} {
		p, err := Parse(shop(), text)
		if err != nil || p.Rule("evict").Fixed != want {
			t.Errorf("%q: %v, fixed is not %v", text, err, want)
		}
	}
	p, err := Parse(shop(), "evict = size")
	if err != nil || !p.Given("evict") || p.Given("fetch") || p.Rule("fetch") == nil || p.Rule("bring") != nil || p.Event("put") != nil || p.Future {
		t.Errorf("%+v, %v", p, err)
	}
	for _, text := range []string{"evict = truth", "keep x = 0\nwhen put: x = truth\nevict = x"} {
		if p, err := Parse(shop(), text); err != nil || !p.Future {
			t.Errorf("%q does not know the future: %v", text, err)
		}
	}
}
