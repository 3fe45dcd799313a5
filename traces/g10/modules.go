package g10

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// A layerKind is the operator of a layer.
type layerKind uint8

const (
	conv layerKind = iota
	relu
	maxPool
	avgPool
	linear
	dropout
	batchNorm
	add // the rest is inserted between the printed layers
	concat
	scale
)

// layerNames are the operator names in the file and in kernel names.
var layerNames = [...]string{
	"Conv2d", "ReLU", "MaxPool2d", "AdaptiveAvgPool2d", "Linear", "Dropout", "BatchNorm2d",
	"Add", "Concat", "Scale",
}

// A shape is the extent of an activation. The batch is the same everywhere.
type shape struct{ c, h, w int64 }

// A layer is one operator of the forward pass.
type layer struct {
	kind  layerKind
	label string // path of labels, "layer1.0.conv1"
	line  int

	in, out int64    // channels or features as printed
	kernel  [2]int64 // or output size of a pool
	stride  [2]int64
	pad     [2]int64
	inplace bool
	bias    bool // Linear only: convolutions have none
	running bool // track_running_stats

	prev, next []*layer // in the order of the kernel's arguments
	like       *layer   // Scale only: its output is as high and wide as this layer's
	input      shape
	output     shape
	known      bool // input and output are set

	t tensors
}

const (
	maxDepth  = 64
	maxLayers = 1 << 16
)

// A modules parser reads a PyTorch module print. Its stack is explicit.
type modules struct {
	name  string
	rest  []byte
	line  int // of the last token
	ahead int // lines of the text read so far
	setup Setup

	layers []*layer
	stack  []block
}

// A block is a module with children.
type block struct {
	kind, label string
	line        int
	first       int   // index of its first layer
	children    []int // index of the first layer of each child
}

func (m *modules) errorf(format string, a ...any) error {
	return fmt.Errorf("%s:%d: %w", m.name, m.line, fmt.Errorf(format, a...))
}

// token returns the next word or punctuation mark, "" at the end.
func (m *modules) token() string {
	for len(m.rest) > 0 {
		c := m.rest[0]
		switch c {
		case '\n':
			m.ahead++
			fallthrough
		case ' ', '\t', '\r':
			m.rest = m.rest[1:]
			continue
		}
		m.line = m.ahead
		end := 1
		if !strings.ContainsRune("(),:=", rune(c)) {
			end = bytes.IndexAny(m.rest, "(),:= \t\r\n")
			if end < 0 {
				end = len(m.rest)
			}
		}
		word := m.rest[:end]
		m.rest = m.rest[end:]
		return string(word)
	}
	m.line = m.ahead
	return ""
}

// expect reads the given tokens.
func (m *modules) expect(tokens ...string) error {
	for _, want := range tokens {
		if got := m.token(); got != want {
			return m.errorf("%s; want %q", found(got), want)
		}
	}
	return nil
}

func found(token string) string {
	if token == "" {
		return "the file ends"
	}
	return strconv.Quote(clip(token))
}

// parse reads the whole description.
func (m *modules) parse() error {
	kind := m.token()
	if err := m.expect("("); err != nil {
		return err
	}
	m.stack = append(m.stack, block{kind: kind, line: m.line})
	for len(m.stack) > 0 {
		var err error
		switch t := m.token(); t {
		case ")":
			err = m.finish()
		case "(":
			err = m.item()
		default:
			err = m.errorf("%s in %s; want \"(label): Module(…)\" or \")\"", found(t), m.stack[len(m.stack)-1].kind)
		}
		if err != nil {
			return err
		}
	}
	if t := m.token(); t != "" {
		return m.errorf("%q after the end of the network; a file describes one network", clip(t))
	}
	if len(m.layers) == 0 || m.layers[0].kind != conv {
		return fmt.Errorf("%s: the network must begin with a Conv2d", m.name)
	}
	return nil
}

// item reads a child of the innermost block, up to its opening parenthesis or,
// for an operator, its end.
func (m *modules) item() error {
	label := m.token()
	if err := m.expect(")", ":"); err != nil {
		return err
	}
	kind := m.token()
	line := m.line
	if err := m.expect("("); err != nil {
		return err
	}
	parent := &m.stack[len(m.stack)-1]
	parent.children = append(parent.children, len(m.layers))
	if parent.label != "" {
		label = parent.label + "." + label
	}
	for k, name := range layerNames[:add] {
		if name == kind {
			l := &layer{kind: layerKind(k), label: label, line: line}
			if err := m.operator(l); err != nil {
				return err
			}
			if len(m.layers) >= maxLayers {
				return m.errorf("more than %d layers", maxLayers)
			}
			m.append(l)
			return nil
		}
	}
	if len(m.stack) >= maxDepth {
		return m.errorf("modules are nested more than %d deep", maxDepth)
	}
	m.stack = append(m.stack, block{kind: kind, label: label, line: line, first: len(m.layers)})
	return nil
}

// append adds l to the chain.
func (m *modules) append(l *layer) {
	if n := len(m.layers); n > 0 {
		last := m.layers[n-1]
		l.prev = []*layer{last}
		last.next = append(last.next, l)
	}
	m.layers = append(m.layers, l)
}

// finish closes the innermost block and rewires it if its name asks for it.
func (m *modules) finish() error {
	b := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	if len(b.children) == 0 && !strings.HasPrefix(b.kind, "Sequential") {
		return m.errorf("%s is neither an operator this format knows nor a block with children; known are %s",
			clip(b.kind), strings.Join(layerNames[:add], ", "))
	}
	return m.rewire(&b)
}

// An argument is one of an operator's, by position or by key.
type argument struct {
	key   string
	value [2]string // the second only in a pair
	pair  bool
}

// arguments reads an operator's arguments and the closing parenthesis.
func (m *modules) arguments() ([]argument, error) {
	var list []argument
	t := m.token()
	for t != ")" {
		var a argument
		if t != "(" {
			a.value[0] = t
			if t = m.token(); t == "=" {
				a.key, t = a.value[0], m.token()
				a.value[0] = t
				if t != "(" {
					t = m.token()
				}
			}
		}
		if t == "(" {
			a.pair = true
			a.value[0] = m.token()
			if err := m.expect(","); err != nil {
				return nil, err
			}
			a.value[1] = m.token()
			if err := m.expect(")"); err != nil {
				return nil, err
			}
			t = m.token()
		}
		list = append(list, a)
		switch t {
		case ",":
			t = m.token()
		case ")":
		default:
			return nil, m.errorf("%s; want \",\" or \")\"", found(t))
		}
	}
	return list, nil
}

// operator reads the arguments of l.
func (m *modules) operator(l *layer) error {
	list, err := m.arguments()
	if err != nil {
		return err
	}
	a := args{m: m, l: l, list: list}
	switch l.kind {
	case conv:
		l.in, l.out = a.number(0), a.number(1)
		l.kernel = a.pair("kernel_size", 1)
		l.stride = a.pair("stride", 1)
		l.pad = a.optionalPair("padding")
		a.only("groups", "1")
		a.only("dilation", "1")
	case maxPool:
		l.kernel = a.pair("kernel_size", 1)
		l.stride = a.pair("stride", 1)
		l.pad = a.optionalPair("padding")
	case avgPool:
		l.kernel = a.pair("output_size", 1)
	case linear:
		l.in, l.out = a.named("in_features"), a.named("out_features")
		l.bias = a.flag("bias", true)
	case batchNorm:
		l.in = a.number(0)
		l.running = a.flag("track_running_stats", true)
	case relu, dropout:
		l.inplace = a.flag("inplace", false)
	}
	return a.err
}

// args looks arguments up and keeps the first error.
type args struct {
	m    *modules
	l    *layer
	list []argument
	err  error
}

func (a *args) errorf(format string, v ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("%s:%d: %s: %w", a.m.name, a.l.line, layerNames[a.l.kind], fmt.Errorf(format, v...))
	}
}

func (a *args) find(key string) *argument {
	for i := range a.list {
		if a.list[i].key == key {
			return &a.list[i]
		}
	}
	return nil
}

func (a *args) integer(text, what string, low int64) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < low || n > maxNumber {
		a.errorf("%s is %s; want a whole number from %d to %d", what, found(text), low, maxNumber)
		return low
	}
	return n
}

// number returns the argument at a position.
func (a *args) number(at int) int64 {
	if at >= len(a.list) || a.list[at].key != "" {
		a.errorf("argument %d is missing; want a whole number", at+1)
		return 1
	}
	return a.integer(a.list[at].value[0], fmt.Sprintf("argument %d", at+1), 1)
}

func (a *args) named(key string) int64 {
	v := a.find(key)
	if v == nil {
		a.errorf("%s is missing", key)
		return 1
	}
	return a.integer(v.value[0], key, 1)
}

// pair returns two numbers; one alone stands for both.
func (a *args) pair(key string, low int64) [2]int64 {
	v := a.find(key)
	if v == nil {
		a.errorf("%s is missing", key)
		return [2]int64{low, low}
	}
	n := a.integer(v.value[0], key, low)
	if !v.pair {
		return [2]int64{n, n}
	}
	return [2]int64{n, a.integer(v.value[1], key, low)}
}

func (a *args) optionalPair(key string) [2]int64 {
	if a.find(key) == nil {
		return [2]int64{}
	}
	return a.pair(key, 0)
}

func (a *args) flag(key string, otherwise bool) bool {
	v := a.find(key)
	if v == nil {
		return otherwise
	}
	if v.value[0] != "True" && v.value[0] != "False" {
		a.errorf("%s is %s; want True or False", key, found(v.value[0]))
	}
	return v.value[0] == "True"
}

// only rejects what the format cannot express.
func (a *args) only(key, value string) {
	if v := a.find(key); v != nil && (v.value[0] != value || v.pair && v.value[1] != value) {
		a.errorf("%s=%s; the published simulator knows only %s", key, clip(v.value[0]), value)
	}
}
