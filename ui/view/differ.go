package view

import (
	"hash/maphash"

	"github.com/vugu/vugu"
)

// A Differ takes out of what the page is about to be drawn with what stands there
// already. Vugu's renderer sets every attribute and text of every element again;
// it leaves alone what is inside an element for which it is given nothing.
//
// It remembers what was drawn at every place. Elements that must be seen at every
// drawing (where charts and markup are put in) and the way to them stay.
type Differ struct {
	seed maphash.Seed
	root place
}

// A place is what stands at one place of the page.
type place struct {
	tag  string
	sum  uint64
	kids []place
}

// NewDiffer returns one that has seen nothing.
func NewDiffer() *Differ { return &Differ{seed: maphash.MakeSeed()} }

// Take removes from built what stands already. touched says that somebody has
// typed or chosen since the last drawing: then fields may show something else than
// they were told to, and all of them are set again.
func (s *Differ) Take(built *vugu.BuildResults, touched bool) {
	w := walk{built: built, touched: touched}
	w.h.SetSeed(s.seed)
	w.node(built.Out.Out[0], &s.root)
}

// A walk is one Take.
type walk struct {
	built   *vugu.BuildResults
	touched bool
	h       maphash.Hash
}

// node compares n with what stands at its place and takes out what is the same.
// It returns what the place has now, and whether something there must be visited.
func (w *walk) node(n *vugu.VGNode, at *place) (sum uint64, visit bool) {
	if n.Component != nil {
		return w.node(w.built.ResultFor(n.Component).Out[0], at)
	}
	if tag := n.Data; n.Type == vugu.ElementNode && at.tag != tag || n.Type != vugu.ElementNode && at.tag != "" {
		*at = place{} // another element comes here, with nothing in it
		if n.Type == vugu.ElementNode {
			at.tag = tag
		}
	}
	visit = n.JSCreateHandler != nil || n.JSPopulateHandler != nil || w.touched && len(n.Prop) > 0
	kids := 0
	inside := w.kids(n, at, &kids, &visit)
	at.kids = at.kids[:min(kids, len(at.kids))]
	sum = w.sum(n, inside)
	if sum == at.sum && !visit && n.Type == vugu.ElementNode {
		n.FirstChild, n.LastChild, n.InnerHTML = nil, nil, nil
	}
	at.sum = sum
	return sum, visit
}

// kids compares what is inside n. The children of templates are those of the
// element around them.
func (w *walk) kids(n *vugu.VGNode, at *place, count *int, visit *bool) (sum uint64) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.IsTemplate() {
			sum = sum*31 + w.kids(child, at, count, visit)
			continue
		}
		if *count == len(at.kids) {
			at.kids = append(at.kids, place{})
		}
		one, seen := w.node(child, &at.kids[*count])
		*count++
		*visit = *visit || seen
		sum = sum*31 + one
	}
	return sum
}

// sum is equal for equal nodes with equal insides.
func (w *walk) sum(n *vugu.VGNode, inside uint64) uint64 {
	h := &w.h
	h.Reset()
	text := func(s string) {
		_, _ = h.WriteString(s) // never fails
		_ = h.WriteByte(0)
	}
	_ = h.WriteByte(byte(n.Type))
	text(n.Data)
	for i := range n.Attr {
		text(n.Attr[i].Key)
		text(n.Attr[i].Val)
	}
	_ = h.WriteByte(1)
	for i := range n.Prop {
		text(n.Prop[i].Key)
		_, _ = h.Write(n.Prop[i].JSONVal)
		_ = h.WriteByte(0)
	}
	for i := range n.DOMEventHandlerSpecList {
		text(n.DOMEventHandlerSpecList[i].EventType)
	}
	if n.InnerHTML != nil {
		_ = h.WriteByte(2)
		text(*n.InnerHTML)
	}
	return h.Sum64() ^ inside*0x9e3779b97f4a7c15
}
