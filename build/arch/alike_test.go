package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"spillway/build/effort"
)

// exact are the functions of package math that give the same bits on every platform,
// because their results are exact or because they only look at bits. The others are
// assembly on some platforms, by other methods, and may be off by some bits; sim/portable
// has those that are needed.
var exact = []string{
	"Abs", "Ceil", "Copysign", "Float32bits", "Float32frombits", "Float64bits", "Float64frombits", "Floor", "Frexp",
	"Inf", "IsInf", "IsNaN", "Ldexp", "Max", "Min", "Modf", "NaN", "Nextafter", "Pow10", "Round", "RoundToEven",
	"Signbit", "Sqrt", "Trunc",
	"E", "Pi", "Phi", "Sqrt2", "SqrtE", "SqrtPi", "SqrtPhi", "Ln2", "Log2E", "Ln10", "Log10E",
}

// numeric reports whether values, hashes or pictures are made in a folder. In ui/model
// people turn dials: what a dial says is a setting like any that is typed.
func numeric(folder string) bool {
	return effort.Covers("sim/...", folder) || effort.Covers("traces/...", folder) || effort.Covers("ui/...", folder) && !effort.Covers("ui/model/...", folder)
}

// inexact returns the functions of package math that a file uses and that are not exact.
func inexact(f file) (list []*ast.SelectorExpr) {
	name := ""
	for _, spec := range f.tree.Imports {
		if spec.Path.Value == `"math"` {
			name = "math"
			if spec.Name != nil {
				name = spec.Name.Name
			}
		}
	}
	if name == "" {
		return nil
	}
	for n := range ast.Preorder(f.tree) {
		x, ok := n.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		// Limits of types, like MaxInt64, are constants.
		limit := strings.HasPrefix(x.Sel.Name, "Max") || strings.HasPrefix(x.Sel.Name, "Smallest") || strings.HasPrefix(x.Sel.Name, "MinInt")
		if of, ok := x.X.(*ast.Ident); ok && of.Name == name && !limit && !slices.Contains(exact, x.Sel.Name) {
			list = append(list, x)
		}
	}
	return list
}

func TestNumbersAreTheSameOnEveryPlatform(t *testing.T) {
	for _, f := range files(t, "sim", "traces", "ui") {
		if !numeric(f.folder()) {
			continue
		}
		for _, x := range inexact(f) {
			t.Errorf("%s: math.%s need not be the same on every platform; sim/portable is", f.pos.Position(x.Pos()), x.Sel.Name)
		}
		for _, to := range f.imports() {
			if to == "math/cmplx" {
				t.Errorf("%s imports %s: what it computes need not be the same on every platform", f.name, to)
			}
		}
	}
}

// printing are the functions that write to whoever started the program.
func printing(f file) (list []ast.Node) {
	for n := range ast.Preorder(f.tree) {
		switch x := n.(type) {
		case *ast.CallExpr:
			if f, ok := x.Fun.(*ast.Ident); ok && (f.Name == "print" || f.Name == "println") {
				list = append(list, x)
			}
		case *ast.SelectorExpr:
			of, ok := x.X.(*ast.Ident)
			if ok && slices.Contains([]string{"fmt.Print", "fmt.Printf", "fmt.Println", "os.Stdout", "os.Stderr"}, of.Name+"."+x.Sel.Name) {
				list = append(list, x)
			}
		}
	}
	return list
}

// What the page and the command say, they say: nothing below them prints.
func TestNobodyBelowPrints(t *testing.T) {
	for _, f := range files(t, "sim", "traces", "ui") {
		if strings.HasSuffix(f.name, "_gen.go") {
			continue // Vugu's, which mention a log
		}
		for _, n := range printing(f) {
			t.Errorf("%s: prints to whoever started the program; return it, or leave it out", f.pos.Position(n.Pos()))
		}
		if to := f.imports(); slices.Contains(to, "log") || slices.Contains(to, "log/slog") {
			t.Errorf("%s: imports a log, which prints to whoever started the program", f.name)
		}
	}
}

// TestRulesFind shows that both rules find what they forbid.
func TestRulesFind(t *testing.T) {
	for _, tt := range []struct {
		text             string
		inexact, printed int
	}{
		{`x := math.Log(2) + math.Exp(1) + math.Pow(2, 3)`, 3, 0},
		{`x := math.Hypot(1, 2) + math.FMA(1, 2, 3)`, 2, 0},
		{`f := math.Log2`, 1, 0},
		{`x := math.Floor(math.Sqrt(2)) + math.MaxInt64 + math.SmallestNonzeroFloat64 + math.Max(1, math.Pi)`, 0, 0},
		{`println("work", 1)`, 0, 1},
		{`print(1); fmt.Println(); fmt.Printf("")`, 0, 3},
		{`fmt.Fprintln(os.Stderr)`, 0, 1},
		{`_ = fmt.Sprintln(fmt.Errorf(""))`, 0, 0},
	} {
		pos := token.NewFileSet()
		tree, err := parser.ParseFile(pos, "x.go", "package x\nimport \"math\"\nfunc f() {\n"+tt.text+"\n}", parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		f := file{"x.go", tree, pos}
		if n, k := len(inexact(f)), len(printing(f)); n != tt.inexact || k != tt.printed {
			t.Errorf("%s: %d functions that are not exact and %d that print, want %d and %d", tt.text, n, k, tt.inexact, tt.printed)
		}
	}
}
