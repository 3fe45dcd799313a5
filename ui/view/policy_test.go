package view

import (
	"strings"
	"testing"

	"spillway/sim/script"
	"spillway/ui/model/form"
)

// The field of a policy has what it may say and texts to start from beside it, its error below,
// which the field points to, and does not lose what is typed.
func TestPolicyField(t *testing.T) {
	s := newStage(t, small)
	s.finish()
	if !s.there("f-policy") {
		t.Fatal("no field")
	}
	s.fire("f-policy", "input", "# Mine\nevict = lost # here\n")
	s.finish()
	s.want("err-policy", "Line 2, column 9: lost is unknown; do you mean last?")
	s.want("f-policy", `aria-invalid="true"`)
	s.want("f-policy", `aria-describedby="err-policy"`)
	s.want("policy-go", "Go there")
	for _, c := range [][3]string{
		{"# Mine\nevict = lost # here\n", "Line 2, column 9: x", "# Mine\nevict = <u>lost</u> # here\n"},
		{"é=1@a<b", "Line 2, column 2: x", "é=1@a<u>&lt;</u>b"},
		{"evict =", "Line 1, column 8: x", "evict =<u> </u>"},
		{"evict =", "Line 3, column 1: x", ""},
		{"evict =", "Something else", ""},
	} {
		if got := string(underlined(form.Field{Text: c[0], Error: c[1]})); got != c[2] {
			t.Errorf("%q, %s: %q", c[0], c[1], got)
		}
	}
	s.click("policy-more")
	s.want("policy-more", `aria-expanded="true"`)
	if s.root.State.Setup.Text("policy") != "" {
		t.Error("what is wrong is a setting")
	}
	s.fire("f-policy", "input", "# Mine\nevict = last # here\n")
	s.finish()
	if s.there("policy-go") || s.root.State.Setup.Text("policy") != script.Join("# Mine\nevict=last") {
		t.Error(s.root.State.Setup.Text("policy"))
	}
	s.want("run-own", "done")
	if html := string(s.root.broughtHTML()); !strings.Contains(html, "The policy: Mine · ") || !strings.Contains(html, "evict = last") {
		t.Error(html)
	}
	// The system has one name wherever it stands: its policy's, and its own without one.
	for _, x := range []struct{ text, is, other string }{{"# Mine\nevict = last\n", ">Mine<", ">Yours<"}, {"evict = last\n", ">Yours<", ">Mine<"}} {
		s.fire("f-policy", "input", x.text)
		s.finish()
		if html := s.html("show-own"); !strings.Contains(html, x.is) || strings.Contains(html, x.other) {
			t.Errorf("%q: %s", x.text, html)
		}
	}
	html := string((&Panel{App: s.root.App}).wordsHTML()) + string((&Panel{App: s.root.App}).startHTML())
	if !strings.Contains(html, `data-write="evict = "`) || !strings.Contains(html, "data-whole") {
		t.Error(html)
	}
}
