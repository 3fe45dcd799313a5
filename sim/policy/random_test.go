package policy

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/sim/script"
)

// random writes an expression over the shop's features. Its numbers all have a point, so that
// Python reads them as Go does.
type random struct {
	*rand.Rand
	plain bool // without units
	lets  []string
}

func pick(r *random, list ...string) string { return list[r.IntN(len(list))] }

func (r *random) number(depth int) string {
	if depth == 0 || r.IntN(6) == 0 {
		switch n := r.IntN(8); {
		case n == 0 && !r.plain:
			return pick(r, "3ms", "2.5us", "64KiB", "1.5MiB", "7GB", "1e3ns", "0.1s")
		case n < 3:
			return pick(r, "0.0", "1.0", "2.0", "0.5", "3.25", "1e18", "1e300", "1e-300", "1000000.0", "0.1", "0.3", "1048576.0")
		case n == 3 && len(r.lets) > 0:
			return pick(r, r.lets...)
		}
		return pick(r, "size", "uses", "last", "next", "age", "short", "truth", "fetch_cost", "p1", "p2")
	}
	a := func() string { return r.number(depth - 1) }
	switch r.IntN(12) {
	case 0:
		return "-" + r.paren(a())
	case 1, 2:
		return a() + " + " + a()
	case 3:
		return a() + " - " + r.paren(a())
	case 4, 5:
		return r.paren(a()) + " * " + r.paren(a())
	case 6:
		return r.paren(a()) + " / " + r.paren(a())
	case 7:
		return "min(" + a() + ", " + a() + ")"
	case 8:
		return "max(" + a() + ", " + a() + ", " + a() + ")"
	case 9:
		return pick(r, "abs", "floor", "sqrt") + "(" + a() + ")"
	case 10:
		return "(" + a() + " if " + r.condition(depth-1) + " else " + a() + ")"
	}
	return r.paren(a())
}

func (r *random) condition(depth int) string {
	if depth <= 0 || r.IntN(3) == 0 {
		if r.IntN(3) == 0 {
			return "mine"
		}
		return "(" + r.number(max(0, depth-1)) + pick(r, " < ", " <= ", " > ", " >= ", " == ", " != ") + r.number(max(0, depth-1)) + ")"
	}
	switch r.IntN(3) {
	case 0:
		return "not " + r.condition(depth-1)
	case 1:
		return "(" + r.condition(depth-1) + " and " + r.condition(depth-1) + ")"
	}
	return "(" + r.condition(depth-1) + " or " + r.condition(depth-1) + ")"
}

func (r *random) paren(s string) string { return "(" + s + ")" }

// trees reads a text as Parse does, and returns what it makes code of.
func trees(place *Place, text string) (*parser, error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{place: place, policy: &Policy{place: place}, rules: make([]*expr, len(place.Rules)), events: make([][]change, len(place.Events))}
	if p.tokens, err = plain(tokens); err != nil {
		return nil, err
	}
	for p.peek().kind != end {
		if p.peek().kind == newline {
			p.at++
		} else if err := p.line(); err != nil {
			return nil, err
		}
	}
	return p, p.compile()
}

// walk computes an expression as it stands: the slow way.
func walk(e *expr, features, kept []float64, quiet bool, d *Doubts) float64 {
	kid := func(i int) float64 {
		behind := (e.op == opIf || e.op == opAnd || e.op == opOr) && i > 0
		return walk(e.kids[i], features, kept, quiet || behind, d)
	}
	is := func(i int) bool { return kid(i) != 0 }
	switch e.op {
	case opNumber:
		return e.value
	case opFeature:
		return features[e.ref]
	case opKept:
		return kept[e.ref]
	case opNeg:
		return -kid(0)
	case opNot:
		return Truth(!is(0))
	case opAbs:
		return math.Abs(kid(0))
	case opFloor:
		return math.Floor(kid(0))
	case opSqrt:
		x := kid(0)
		if x < 0 {
			if !quiet {
				d.Rooted++
			}
			return 0
		}
		return math.Sqrt(x)
	case opAdd:
		return kid(0) + kid(1)
	case opSub:
		return kid(0) - kid(1)
	case opMul:
		return kid(0) * kid(1)
	case opDiv:
		x, y := kid(0), kid(1)
		if y == 0 {
			if !quiet {
				d.Divided++
			}
			return 0
		}
		return x / y
	case opMin:
		x, y := kid(0), kid(1)
		if y < x {
			return y
		}
		return x
	case opMax:
		x, y := kid(0), kid(1)
		if y > x {
			return y
		}
		return x
	case opLess:
		return Truth(kid(0) < kid(1))
	case opLessEqual:
		return Truth(kid(0) <= kid(1))
	case opGreater:
		return Truth(kid(0) > kid(1))
	case opGreaterEqual:
		return Truth(kid(0) >= kid(1))
	case opEqual:
		return Truth(kid(0) == kid(1))
	case opUnequal:
		return Truth(kid(0) != kid(1))
	case opAnd:
		x, y := is(0), is(1)
		return Truth(x && y)
	case opOr:
		x, y := is(0), is(1)
		return Truth(x || y)
	}
	c, x, y := kid(0), kid(1), kid(2)
	if c != 0 {
		return x
	}
	return y
}

// table is an engine that knows features by thing and feature.
type table [][]float64

func (t table) Read(feature int, things []int32, out []float64) {
	for i, thing := range things {
		out[i] = t[thing][feature]
	}
}

// things are inputs: small and large ones, those that are wrong and those that are nearly so.
func things(r *rand.Rand, features, n int) table {
	list := []float64{0, 1, 2, 3, 7, 1e18, 1e300, -1, 0.1, 1 << 20, 1 << 53, math.Copysign(0, -1), 1e-320, 5e-12}
	t := make(table, n)
	for i := range t {
		t[i] = make([]float64, features)
		for f := range t[i] {
			if t[i][f] = list[r.IntN(len(list))]; r.IntN(2) == 0 {
				t[i][f] = r.ExpFloat64() * float64(uint64(1)<<r.IntN(40))
			}
		}
		t[i][6] = float64(r.IntN(2)) // mine
	}
	return t
}

func bits(x float64) uint64 {
	if x != x {
		return 1 // which no number is that is not: what it is depends on the processor
	}
	return math.Float64bits(x)
}

// ways computes a rule of a text in three ways for all things, and returns the values, or how the
// ways differ.
func ways(text, rule string, in table) ([]float64, error) {
	place := shop()
	p, err := trees(place, text)
	if err != nil {
		return nil, err
	}
	kept := make([]float64, len(p.policy.Kept))
	for i, k := range p.policy.Kept {
		kept[i] = k.First
	}
	c, e := p.policy.Rule(rule), p.rules[place.rule(rule)]
	chosen := &Chosen{Policy: p.policy, Work: 1 << 60}
	single, columns := NewAsker(chosen, in, len(in)), NewAsker(chosen, in, len(in))
	var d Doubts
	var out []float64
	all := make([]int32, len(in))
	for i := range all {
		all[i] = int32(i)
	}
	var by []float64
	for at := 0; at < len(all); at += Width {
		by = append(by, columns.column(c, all[at:min(len(all), at+Width)])...)
	}
	for i := range in {
		want := walk(e, in[i], kept, false, &d)
		got := single.Value(c, int32(i))
		if bits(got) != bits(want) || bits(by[i]) != bits(want) {
			return nil, fmt.Errorf("thing %d: the tree says %v, registers %v, columns %v", i, want, got, by[i])
		}
		out = append(out, want)
	}
	if len(p.lets) == 0 && (d != single.Doubts) || single.Doubts != columns.Doubts { // a let is computed once
		return nil, fmt.Errorf("doubts: the tree has %+v, registers %+v, columns %+v", d, single.Doubts, columns.Doubts)
	}
	return out, nil
}

// The tree, registers and columns say the same of random expressions, and all platforms do: the
// hash of the bits is one number wherever the test runs.
func TestOneHash(t *testing.T) {
	const want = 0x812b57b8c7f9122b
	expressions := 20_000
	h := fnv.New64a()
	r := &random{Rand: rand.New(rand.NewPCG(36, 1))}
	for n := range expressions {
		text := "evict = " + r.number(5)
		if len(script.Join(text)) > script.Most {
			continue
		}
		out, err := ways(text, "evict", things(r.Rand, len(shop().Features), 4))
		if err != nil {
			t.Fatalf("%d: %s: %v", n, text, err)
		}
		for _, x := range out {
			fmt.Fprintf(h, "%x ", bits(x))
		}
	}
	if got := h.Sum64(); got != want {
		t.Errorf("the hash of %d expressions is %#x, want %#x", expressions, got, uint64(want))
	}
}

// Columns end where candidates do, and lets and what is kept are what they stand for.
func TestColumns(t *testing.T) {
	r := &random{Rand: rand.New(rand.NewPCG(36, 2))}
	for seed := range effort.Seeds(60) {
		r.lets = nil
		var b strings.Builder
		b.WriteString("keep k0 = -3\nkeep k1 of tensor = 2.5\n")
		r.lets = append(r.lets, "k0", "k1")
		for i := range 3 {
			name := "let" + strconv.Itoa(i)
			fmt.Fprintf(&b, "%s = %s\n", name, r.number(2))
			r.lets = append(r.lets, name)
		}
		b.WriteString("evict = let0 + let1 + let2 + " + r.number(3))
		n := []int{1, 2, Width - 1, Width, Width + 1, 2*Width + 7}[r.IntN(6)]
		if _, err := ways(b.String(), "evict", things(r.Rand, len(shop().Features), n)); err != nil && !strings.Contains(err.Error(), "more than 512") {
			t.Errorf("seed %d: %v\n%s", seed, err, b.String())
		}
	}
}

// What a text says is what Python says, but for units, and where Python gives up.
func TestPython(t *testing.T) {
	effort.Natively(t)
	python, err := exec.LookPath("python3")
	if err == nil {
		err = exec.Command(python, "-c", "").Run()
	}
	if err != nil {
		t.Skip("expressions are not compared with Python's: there is no python3")
	}
	r := &random{Rand: rand.New(rand.NewPCG(36, 3)), plain: true}
	place := shop()
	script := &bytes.Buffer{}
	script.WriteString(`import math, struct
floor = lambda x: math.copysign(math.floor(x), x) # keeps the sign of 0
sqrt = math.sqrt
def out(f):
    try:
        x = f()
        print("nan" if x != x else struct.pack(">d", x).hex())
    except (ZeroDivisionError, ValueError, OverflowError):
        print("-")
`)
	var want, texts []string
	for range 3000 {
		text := r.number(5)
		in := things(r.Rand, len(place.Features), 1)
		values, err := ways("evict = "+text, "evict", in)
		if err != nil {
			t.Fatal(text, err)
		}
		for i, f := range place.Features {
			v := strconv.FormatFloat(in[0][i], 'g', -1, 64)
			if f.Condition {
				v = map[float64]string{0: "False", 1: "True"}[in[0][i]]
			} else {
				v = "float('" + v + "')"
			}
			fmt.Fprintf(script, "%s = %s\n", f.Name, v)
		}
		fmt.Fprintf(script, "out(lambda: %s)\n", text)
		texts = append(texts, text)
		if x := values[0]; x != x {
			want = append(want, "nan")
		} else {
			want = append(want, fmt.Sprintf("%016x", math.Float64bits(x)))
		}
	}
	run := exec.Command(python, "-")
	run.Stdin = script
	said, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Fields(string(said))
	compared := 0
	for i := range want {
		if got[i] == "-" {
			continue
		}
		compared++
		if got[i] != want[i] {
			t.Errorf("%s: Python says %s, here it is %s", texts[i], got[i], want[i])
		}
	}
	if compared < 1500 {
		t.Errorf("only %d of 3000 compared", compared)
	}
}

// Order keeps the order of numbers.
func TestOrder(t *testing.T) {
	list := []float64{math.NaN(), math.Inf(-1), -1e300, -1, -5e-324, 0, 5e-324, 1, 2, 1e300, math.Inf(1)}
	for i := range list {
		for k := range list {
			if got, want := Order(list[i]) < Order(list[k]), i < k; got != want {
				t.Errorf("%v < %v: %v", list[i], list[k], got)
			}
		}
	}
	if Order(math.Copysign(0, -1)) != Order(0) || Order(-math.NaN()) != Order(math.NaN()) {
		t.Error("equal scores have different orders")
	}
}

// FuzzParse: whatever is read ends, joins, prints and reads again as the same, and is the same in
// all ways of computing it.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"evict = -last\nfetch = last", "# GDSF\nkeep L = 0\nkeep H of tensor = 0\nwhen put: H = L + uses * fetch_cost / size\nwhen evicted: L = max(L, H)\nevict = -H\nfetch = H",
		"evict = next * min(size, short) * (p1 if mine else 1)", "x=3ms@evict=x/size if mine and not age>1 else--x", "bring = (1 < 2", "evict = \xff", "# a\n# b\nevict = 1 # c\n",
		"when put: H = 1", "keep H = -1e5\nwhen tick: H = H * 2\npace = H", "evict = " + strings.Repeat("(", 60), "evict=1e -5", "a@b@c", "evict = 1KiBB", "\n#0\nevict=0 ",
	} {
		f.Add(text)
	}
	r := rand.New(rand.NewPCG(36, 4))
	in := things(r, len(shop().Features), 3)
	f.Fuzz(func(t *testing.T, text string) {
		joined := script.Join(text)
		if again := script.Join(joined); again != joined {
			t.Fatalf("%q joined is %q, and again %q", text, joined, again)
		}
		p, err := Parse(shop(), text)
		if err != nil {
			if _, ok := err.(*Error); !ok {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if p.Text != joined {
			t.Fatalf("%q is %q", p.Text, joined)
		}
		printed := Print(p.Text)
		for _, other := range []string{p.Text, printed} {
			q, err := Parse(shop(), other)
			if err != nil || q.Text != p.Text || q.Title != p.Title || q.Future != p.Future {
				t.Fatalf("%q as %q: %v", text, other, err)
			}
		}
		if formatted, err := Format(text); err != nil || script.Join(formatted) != p.Text {
			t.Fatalf("%q formatted %q: %v", text, formatted, err)
		}
		for _, rule := range []string{"evict", "fetch", "bring", "pace"} {
			if p.Given(rule) {
				if _, err := ways(text, rule, in); err != nil {
					t.Fatalf("%q: %v", text, err)
				}
			}
		}
	})
}
