package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/ui/lab/all"
)

// What a system is, is said by facts on it (a field with a comment), never by its name: who
// asks names gives the next system the wrong answer, silently.
//
// Names stand where a system is declared (Name:), in what was published (papers), and in
// texts for people: presets and tours.
var (
	nameTexts = []string{"presets.go", "guide.go", "tour.go"}
	// nameWords are files where what is spelled like a system's name is something else, or
	// is what a paper published.
	nameWords = map[string][]string{
		"sim/cxlssd/design.go":         {"own-design"},   // the declaration
		"sim/cxlssd/own.go":            {"own"},          // the declaration
		"sim/llm/own/own.go":           {"own"},          // the declaration
		"sim/train/own/own.go":         {"own"},          // the declaration
		"ui/lab/llm/knobs.go":          {"own"},          // a setting's choice
		"sim/train/program/program.go": {"recompute"},    // what a program does
		"sim/train/result/hash.go":     {"ideal"},        // a result's field
		"ui/lab/train/numbers.go":      {"ideal"},        // a quantity's key
		"ui/lab/compress/lab.go":       {"naive"},        // a setting's key
		"ui/lab/filesys/factors.go":    {"ext4", "f2fs"}, // ratios of ByteFS's Figure 6
		"ui/lab/serve/picture.go":      {"host"},         // a place
		"ui/lab/serve/settings.go":     {"host", "ssd"},  // a setting's key, and places
		"build/site/landing.go":        {"raw"},          // how a blank of a document is written
	}
)

// named returns the literals of a file that are one of these names where it may not stand:
// anywhere but as a declaration's Name or a Key. Where only is set they are those by which
// something is decided: compared, a case, an index, or handed to package strings or slices.
func named(f file, names []string, only bool) (list []*ast.BasicLit) {
	allowed, decides := map[ast.Expr]bool{}, map[ast.Expr]bool{}
	for n := range ast.Preorder(f.tree) {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if k, ok := n.Key.(*ast.Ident); ok && (k.Name == "Name" || k.Name == "Key") {
				allowed[n.Value] = true
			}
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				decides[n.X], decides[n.Y] = true, true
			}
		case *ast.CaseClause:
			for _, x := range n.List {
				decides[x] = true
			}
		case *ast.IndexExpr:
			decides[n.Index] = true
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok {
				if of, ok := s.X.(*ast.Ident); ok && (of.Name == "strings" || of.Name == "slices") {
					for _, x := range n.Args {
						decides[x] = true
					}
				}
			}
		case *ast.Field:
			if n.Tag != nil {
				allowed[n.Tag] = true
			}
		case *ast.ImportSpec:
			allowed[n.Path] = true
		}
	}
	for n := range ast.Preorder(f.tree) {
		x, ok := n.(*ast.BasicLit)
		if !ok || x.Kind != token.STRING || allowed[x] || only && !decides[x] {
			continue
		}
		if text, err := strconv.Unquote(x.Value); err == nil && slices.Contains(names, text) {
			list = append(list, x)
		}
	}
	return list
}

func TestWhatASystemIsIsNoQuestionOfItsName(t *testing.T) {
	names, every := map[string][]string{}, []string{}
	for _, d := range all.Labs {
		l := d.New()
		for _, s := range l.Running() {
			names[d.Package] = append(names[d.Package], s.Name)
			every = append(every, s.Name)
		}
	}
	used := map[string]bool{}
	for _, f := range files(t, "sim", "ui", "wasm", "build") {
		of, only := every, true
		for lab, list := range names {
			if effort.Covers("sim/"+lab+"/...", f.folder()) || effort.Covers("ui/lab/"+lab+"/...", f.folder()) {
				of, only = list, false
			}
		}
		if strings.Contains(f.name, "/papers/") || !only && slices.Contains(nameTexts, path.Base(f.name)) {
			continue
		}
		for _, x := range named(f, of, only) {
			text, _ := strconv.Unquote(x.Value)
			used[f.name+text] = true
			if !slices.Contains(nameWords[f.name], text) {
				t.Errorf("%s: %s is a system's name; give systems a fact (a field) and ask for that, or name the declaration (package.System.Name)", f.pos.Position(x.Pos()), x.Value)
			}
		}
	}
	for name, list := range nameWords {
		for _, text := range list {
			if !used[name+text] {
				t.Errorf("%s has no %q any more; it needs no exception", name, text)
			}
		}
	}
}

func TestNamesAreSeen(t *testing.T) {
	const text = "package p\nimport \"strings\"\nvar s = System{Name: \"own\", Base: \"own\"}\nfunc f(n string) bool { switch n { case \"own\": return true }; m[\"own\"]++; return n == \"own\" || strings.HasPrefix(n, \"own\") || g(\"own\") }"
	pos := token.NewFileSet()
	tree, err := parser.ParseFile(pos, "p.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for only, want := range map[bool]int{false: 6, true: 4} {
		if n := len(named(file{"p.go", tree, pos}, []string{"own"}, only)); n != want {
			t.Errorf("%d are seen, want %d", n, want)
		}
	}
}
