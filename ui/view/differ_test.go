package view

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vugu/vugu"
)

// An element is one of a document as Vugu's renderer changes it.
type element struct {
	tag, text, html string
	attr            map[string]string
	prop            string
	kids            []*element
}

// render does to a document what the renderer does with n: it takes elements by
// their place, puts new ones where tags differ, sets all attributes and fields,
// and leaves alone what is inside an element for which it has nothing.
func render(n *vugu.VGNode, list *[]*element, at int) {
	if at == len(*list) {
		*list = append(*list, &element{tag: "?"})
	}
	tag := n.Data
	if n.Type != vugu.ElementNode {
		tag = ""
	}
	if (*list)[at].tag != tag {
		(*list)[at] = &element{tag: tag}
	}
	e := (*list)[at]
	if n.Type != vugu.ElementNode {
		e.text = n.Data
		return
	}
	e.attr = map[string]string{}
	for _, a := range n.Attr {
		e.attr[a.Key] = a.Val
	}
	for _, p := range n.Prop {
		e.prop = string(p.JSONVal)
	}
	if n.InnerHTML != nil {
		e.html, e.kids = *n.InnerHTML, nil
	}
	if n.FirstChild == nil {
		return
	}
	count := 0
	var inside func(n *vugu.VGNode)
	inside = func(n *vugu.VGNode) {
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			if child.IsTemplate() {
				inside(child)
				continue
			}
			render(child, &e.kids, count)
			count++
		}
	}
	inside(n)
	e.kids = e.kids[:count]
}

func (e *element) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<%s %v %s>%s%s", e.tag, e.attr, e.prop, e.text, e.html)
	for _, k := range e.kids {
		b.WriteString(k.String())
	}
	return b.String() + "</>"
}

// tree draws a page. Pages drawn from sources that differ a little are much alike.
func tree(r *rand.Rand, deep int) *vugu.VGNode {
	n := &vugu.VGNode{Type: vugu.ElementNode, Data: []string{"div", "div", "div", "p"}[r.IntN(4)]}
	if r.IntN(2) == 0 {
		n.Attr = append(n.Attr, vugu.VGAttribute{Key: "class", Val: string(rune('a' + r.IntN(3)))})
	}
	switch kind := r.IntN(8); {
	case deep == 0 || kind == 0:
		text := string(rune('a' + r.IntN(3)))
		n.InnerHTML = &text
	case kind == 1:
		n.Data, n.Prop = "input", []vugu.VGProperty{{Key: "value", JSONVal: []byte{byte('0' + r.IntN(3))}}}
	default:
		n.AppendChild(&vugu.VGNode{Type: vugu.CommentNode, Data: "keep"})
		for range r.IntN(4) {
			child := tree(r, deep-1)
			if r.IntN(4) == 0 { // a condition that holds makes no difference to the page
				around := &vugu.VGNode{Type: vugu.ElementNode}
				around.AppendChild(child)
				child = around
			}
			n.AppendChild(child)
		}
	}
	return n
}

// results wraps a page.
func results(n *vugu.VGNode) *vugu.BuildResults {
	return &vugu.BuildResults{Out: &vugu.BuildOut{Out: []*vugu.VGNode{n}}}
}

// What stands is left out, and the page is the same as if it were not.
func TestStill(t *testing.T) {
	spared := 0
	for seed := range uint64(300) {
		var full, lean []*element
		still := NewDiffer()
		var last uint64
		for step := range 12 {
			// The page before, or another: of few sources, so that they come again.
			next := seed*8 + rand.New(rand.NewPCG(seed, uint64(step))).Uint64N(4)
			draw := func() *vugu.VGNode {
				n := tree(rand.New(rand.NewPCG(next, 1)), 4)
				n.Data = "main"
				n.InnerHTML, n.Prop = nil, nil
				return n
			}
			render(draw(), &full, 0)
			n := draw()
			touched := step%3 == 2
			if touched { // somebody types into every field
				for _, list := range [][]*element{full, lean} {
					for _, e := range list {
						scribble(e)
					}
				}
				render(draw(), &full, 0)
			}
			still.Take(results(n), touched)
			if n.FirstChild == nil && next == last {
				spared++
			}
			render(n, &lean, 0)
			if full[0].String() != lean[0].String() {
				t.Fatalf("seed %d, step %d:\n%v\nwant\n%v", seed, step, lean[0], full[0])
			}
			last = next
		}
	}
	if spared < 100 {
		t.Errorf("only %d pages that were there already were left alone", spared)
	}
}

// scribble changes all fields, as a visitor does.
func scribble(e *element) {
	if e.tag == "input" {
		e.prop = "typed"
	}
	for _, k := range e.kids {
		scribble(k)
	}
}

// Places that something else fills are visited at every drawing.
func TestStillVisits(t *testing.T) {
	still := NewDiffer()
	for range 3 {
		top, mid, leaf := &vugu.VGNode{Type: vugu.ElementNode, Data: "main"}, &vugu.VGNode{Type: vugu.ElementNode, Data: "div"}, &vugu.VGNode{Type: vugu.ElementNode, Data: "div"}
		leaf.JSCreateHandler = vugu.JSValueFunc(nil)
		mid.AppendChild(leaf)
		top.AppendChild(mid)
		still.Take(results(top), false)
		if top.FirstChild != mid || mid.FirstChild != leaf {
			t.Fatal("a place that is filled elsewhere was taken out")
		}
	}
}
