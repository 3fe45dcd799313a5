package stream

import (
	"reflect"
	"strings"
	"testing"
)

func TestClassesText(t *testing.T) {
	for _, w := range Recipes() {
		text := FormatClasses(w.Recipe.Classes)
		got, err := ParseClasses(text)
		if err != nil || !reflect.DeepEqual(got, w.Recipe.Classes) {
			t.Errorf("%s: %v\n%s\n%s", w.Name, err, text, FormatClasses(got))
		}
		if err := w.Recipe.Check(); err != nil {
			t.Errorf("%s: %v", w.Name, err)
		}
	}
	got, err := ParseClasses(" a pages:10 /\n b random pages:1e3 visits:20 skew:.5 lines:1@0.25,2-4@.75 writes:0.5 warm:0@0,64 warm_log:none/")
	want := "a pages:10 lines:64 / b pages:1000 visits:20 random skew:0.5 lines:1@0.25,2-4@0.75 writes:0.5 warm:0@0,64 warm_log:none"
	if err != nil || FormatClasses(got) != want {
		t.Errorf("%s, %v; want %s", FormatClasses(got), err, want)
	}
}

func TestClassesErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "there is no class",
		"/ /":                             "there is no class",
		"a":                               `class 1, "a": pages is 0; want 1 to 16777216`,
		"a pages:1 pages:2":               "class 1: pages stands twice in a",
		"a pages:1 / a pages:1":           "classes 1 and 2 are both named a",
		"a pages:1 / b page:1":            `class 2: "page:1" in b: there are pages, visits`,
		"a pages":                         `"pages" in a is neither random nor key:value`,
		"a random:1":                      `"random:1" in a is neither random nor key:value`,
		"A pages:1":                       "a name is 1 to 32 of a-z",
		"a pages:-1":                      "pages is -1",
		"a pages:1.5":                     "not a whole number",
		"a pages:99999999":                "pages is 99999999; want 1 to 16777216",
		"a pages:16777216 / b pages:1":    "the classes have 16777217 pages",
		"a pages:9 visits:60e6 random":    "the classes make about 3840 million requests; at most 64 million",
		"a pages:9 visits:-1":             "visits is -1",
		"a pages:9 skew:0.5":              "skew is of drawn pages only",
		"a pages:9 random skew:1":         "skew is 1; want 0 to 0.99",
		"a pages:9 lines:0":               "0-0 is no range of lines",
		"a pages:9 lines:5-4":             "5-4 is no range of lines",
		"a pages:9 lines:65":              "64-65 is no range",
		"a pages:9 lines:x":               `"x" is no number of lines`,
		"a pages:9 lines:1@0.5,2@0.4":     "the shares of lines add up to 0.9; want 1",
		"a pages:9 lines:1@2,2@-1":        "lines have a share of -1",
		"a pages:9 writes:1.1":            "writes is 1.1",
		"a pages:9 warm:5@0.5,5@0.6":      "5 pages stand behind 5",
		"a pages:9 warm:5@0.5,6@0.4":      "the share 0.4 stands behind 0.5",
		"a pages:9 warm:5@1.5":            "the share 1.5",
		"a pages:9 warm_log:9@-1":         "warm_log: the share -1",
		strings.Repeat("a", 9000):         "9000 characters of classes are more than 8000",
		strings.Repeat("a pages:1 /", 33): "33 classes are more than 32",
		"a pages:9 lines:1" + strings.Repeat(",1", 64): "there are more than 64",
	} {
		text = strings.ReplaceAll(text, "lines:65", "lines:64-65")
		list, err := ParseClasses(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, %v; want %s", text, list, err, want)
		}
	}
}

func FuzzClasses(f *testing.F) {
	for _, w := range Recipes() {
		f.Add(FormatClasses(w.Recipe.Classes))
	}
	f.Add("a pages:1 lines:1@0.3,2@0.7 warm:1@0,2 warm_log:none / b pages:3 random skew:.99")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseClasses(text)
		if err != nil {
			return
		}
		again, err := ParseClasses(FormatClasses(list))
		if err != nil || !reflect.DeepEqual(list, again) {
			t.Fatalf("%q became %q: %v", text, FormatClasses(list), err)
		}
		r := bc
		r.Classes = list
		requests := func() (n int64) {
			for i := range r.Classes {
				n += r.Classes[i].Total() * r.Classes[i].length() / 1e6
			}
			return n
		}
		if n := requests(); n > 20_000 {
			r = r.Scaled(n/20_000 + 1)
		}
		if r.Pages() > 1e5 || requests() > 1e5 { // many classes of one page
			return
		}
		s := generate(&r, 1, 3)
		for _, requests := range s.Threads {
			for _, q := range requests {
				if int64(q.Page()) >= r.Pages() {
					t.Fatalf("page %d of %d", q.Page(), r.Pages())
				}
			}
		}
	})
}
