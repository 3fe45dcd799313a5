package view

import (
	"bytes"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The law of components: they show plain values that the page's state hands out, call one
// method of it for an event, and print no number.
//
// A law is what each of them is held to, over the types of all expressions.
type law struct {
	*testing.T
	fset  *token.FileSet
	info  *types.Info
	files []*ast.File
}

// inside is where components may not reach: the state itself, and who computes.
var inside = []string{"spillway/ui/model/state", "spillway/ui/model/calls", "spillway/ui/model/results", "spillway/ui/exec"}

// check reads the package with the types of what it imports, which the compiler has written.
func check(t *testing.T) *law {
	t.Helper()
	l := &law{T: t, fset: token.NewFileSet(), info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}}
	names, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	for _, f := range names {
		if name := f.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, "_js.go") {
			tree, err := parser.ParseFile(l.fset, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			l.files = append(l.files, tree)
			for _, spec := range tree.Imports {
				args = append(args, strings.Trim(spec.Path.Value, `"`))
			}
		}
	}
	list := exec.Command("go", args...)
	var problem bytes.Buffer
	list.Stderr = &problem
	out, err := list.Output()
	if err != nil {
		t.Skip("no go command: ", err, problem.String())
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if of, file, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			exports[of] = file
		}
	}
	c := types.Config{Importer: importer.ForCompiler(l.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	if _, err := c.Check("spillway/ui/view", l.fset, l.files, l.info); err != nil {
		t.Fatal(err)
	}
	return l
}

// of is the path of the package that a type, or what it points to, is declared in, and
// whether it is more than a word.
func of(t types.Type) (path string, more bool) {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return "", false
	}
	_, word := n.Underlying().(*types.Basic)
	return n.Obj().Pkg().Path(), !word
}

func float(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsFloat|types.IsComplex) != 0 && b.Kind() != types.UntypedFloat
}

// TestComponentsShowPlainValues: no component holds or reads anything of the state, of calls
// or of results, but words like the name of a view; and none has a number with a point, so it
// cannot print one.
func TestComponentsShowPlainValues(t *testing.T) {
	l := check(t)
	seen := map[string]bool{}
	for x, is := range l.info.Types {
		at := l.fset.Position(x.Pos())
		at.Column = 0
		say := func(what string) {
			if key := at.String() + what; !seen[key] {
				seen[key] = true
				t.Errorf("%s: %s", at, what)
			}
		}
		if is.IsType() || is.Type == nil {
			continue
		}
		if path, more := of(is.Type); more && slices.Contains(inside, path) {
			say("a component has a " + is.Type.String() + "; a feature of ui/model shall say what is needed of it")
		}
		if float(is.Type) {
			say("a component has a number with a point; ui/chart or a feature of ui/model shall print it")
		}
	}
	for _, f := range l.files {
		for _, spec := range f.Imports {
			if path := strings.Trim(spec.Path.Value, `"`); slices.Contains(inside[1:], path) {
				t.Errorf("%s imports %s", l.fset.Position(spec.Pos()), path)
			}
		}
	}
}

// handler finds the methods that templates call for events.
var handler = regexp.MustCompile(`@\w+=["']c\.(\w+)\(`)

// TestHandlersCallOnce: what handles an event calls at most one method of the page's state
// that changes something, on every way through it, and sets nothing of it itself.
func TestHandlersCallOnce(t *testing.T) {
	l := check(t)
	handlers := map[string]bool{}
	templates, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range templates {
		if strings.HasSuffix(f.Name(), ".vugu") {
			text, err := os.ReadFile(f.Name())
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range handler.FindAllSubmatch(text, -1) {
				handlers[string(m[1])] = true
			}
		}
	}
	if len(handlers) < 20 {
		t.Fatalf("only %d handlers were found", len(handlers))
	}
	for _, f := range l.files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil {
				continue
			}
			if n := l.calls(fn.Body.List); handlers[fn.Name.Name] && n > 1 {
				t.Errorf("%s: %s calls %d methods of ui/model; one shall do", l.fset.Position(fn.Pos()), fn.Name.Name, n)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			var set []ast.Expr
			switch n := n.(type) {
			case *ast.AssignStmt:
				set = n.Lhs
			case *ast.IncDecStmt:
				set = []ast.Expr{n.X}
			}
			for _, x := range set {
				if s, ok := x.(*ast.SelectorExpr); ok && l.ours(s) {
					t.Errorf("%s: a component sets %s of ui/model; a method shall", l.fset.Position(x.Pos()), s.Sel.Name)
				}
			}
			return true
		})
	}
}

// ours reports whether what is selected is declared in ui/model.
func (l *law) ours(s *ast.SelectorExpr) bool {
	sel := l.info.Selections[s]
	return sel != nil && sel.Obj().Pkg() != nil && strings.HasPrefix(sel.Obj().Pkg().Path(), "spillway/ui/model/")
}

// calls counts, on the way through statements that has most, those that call methods of
// ui/model and leave what these return.
func (l *law) calls(list []ast.Stmt) (n int) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok {
				if f, ok := call.Fun.(*ast.SelectorExpr); ok && l.ours(f) {
					n++
				}
			}
		case *ast.IfStmt:
			other := 0
			if s.Else != nil {
				other = l.calls([]ast.Stmt{s.Else})
			}
			n += max(l.calls(s.Body.List), other)
		case *ast.BlockStmt:
			n += l.calls(s.List)
		case *ast.SwitchStmt:
			most := 0
			for _, c := range s.Body.List {
				most = max(most, l.calls(c.(*ast.CaseClause).Body))
			}
			n += most
		case *ast.ForStmt:
			n += 2 * l.calls(s.Body.List)
		case *ast.RangeStmt:
			n += 2 * l.calls(s.Body.List)
		}
	}
	return n
}
