package store

import "spillway/sim/unit"

// shelf holds the evicted tensors in the order in which prefetch wants them,
// one binary search tree a group. Each node knows the smallest tensor below it,
// so the first that fits is found in one descent. Priorities are a hash of the
// tensor's number: the trees are balanced, and always the same.
type shelf struct {
	by    order
	roots []int32
	least []unit.Bytes // smallest size in a tree
	nodes []node       // by tensor
}

type node struct {
	key         int64
	least       unit.Bytes // smallest size in this subtree
	bytes       unit.Bytes
	left, right int32 // -1: none
}

// none is the smallest size in an empty tree.
const none unit.Bytes = 1 << 62

func newShelf(by order, clients, tensors int) shelf {
	groups := 1
	if by.perClient() {
		groups = clients
	}
	s := shelf{by: by, roots: make([]int32, groups), nodes: make([]node, tensors)}
	s.least = make([]unit.Bytes, groups)
	for i := range s.roots {
		s.roots[i], s.least[i] = -1, none
	}
	return s
}

// sortKey is what the tree is sorted by: the nearest first, and by put what was
// put first, whose key is the greatest.
func (s *shelf) sortKey(key int64) int64 {
	if s.by == byPut {
		return -key
	}
	return key
}

func (s *shelf) group(x *tensor) int {
	if s.by.perClient() {
		return int(x.client)
	}
	return 0
}

func (s *shelf) add(x *tensor, t int32, key int64) {
	s.nodes[t] = node{s.sortKey(key), x.bytes, x.bytes, -1, -1}
	g := s.group(x)
	s.roots[g] = s.insert(s.roots[g], t)
	s.least[g] = min(s.least[g], x.bytes)
}

func (s *shelf) remove(x *tensor, t int32) {
	g := s.group(x)
	s.roots[g] = s.delete(s.roots[g], t)
	s.least[g] = none
	if s.roots[g] >= 0 {
		s.least[g] = s.nodes[s.roots[g]].least
	}
}

// less: the smaller key first, among equals the smaller tensor number.
func (s *shelf) less(a, b int32) bool {
	x, y := s.nodes[a].key, s.nodes[b].key
	return x < y || x == y && a < b
}

func (s *shelf) insert(root, t int32) int32 {
	if root < 0 {
		return t
	}
	if priority(t) > priority(root) {
		s.nodes[t].left, s.nodes[t].right = s.split(root, t)
		s.sum(t)
		return t
	}
	n := &s.nodes[root]
	if s.less(t, root) {
		n.left = s.insert(n.left, t)
	} else {
		n.right = s.insert(n.right, t)
	}
	n.least = min(n.least, s.nodes[t].bytes)
	return root
}

// split cuts a tree into what is before t and what is after.
func (s *shelf) split(root, t int32) (before, after int32) {
	if root < 0 {
		return -1, -1
	}
	n := &s.nodes[root]
	if s.less(root, t) {
		n.right, after = s.split(n.right, t)
		before = root
	} else {
		before, n.left = s.split(n.left, t)
		after = root
	}
	s.sum(root)
	return before, after
}

func (s *shelf) delete(root, t int32) int32 {
	n := &s.nodes[root]
	switch {
	case root == t:
		return s.merge(n.left, n.right)
	case s.less(t, root):
		n.left = s.delete(n.left, t)
	default:
		n.right = s.delete(n.right, t)
	}
	s.sum(root)
	return root
}

func (s *shelf) merge(a, b int32) int32 {
	switch {
	case a < 0:
		return b
	case b < 0:
		return a
	case priority(a) > priority(b):
		s.nodes[a].right = s.merge(s.nodes[a].right, b)
		s.sum(a)
		return a
	}
	s.nodes[b].left = s.merge(a, s.nodes[b].left)
	s.sum(b)
	return b
}

func (s *shelf) sum(t int32) {
	n := &s.nodes[t]
	n.least = n.bytes
	if n.left >= 0 {
		n.least = min(n.least, s.nodes[n.left].least)
	}
	if n.right >= 0 {
		n.least = min(n.least, s.nodes[n.right].least)
	}
}

// fitting returns the first tensor of a group that is no larger than room;
// there must be one.
func (s *shelf) fitting(group int, room unit.Bytes) int32 {
	for t := s.roots[group]; ; {
		n := &s.nodes[t]
		switch {
		case n.left >= 0 && s.nodes[n.left].least <= room:
			t = n.left
		case n.bytes <= room:
			return t
		default:
			t = n.right
		}
	}
}

// priority is a bijective hash of t, so that no two are equal.
func priority(t int32) uint32 {
	x := uint32(t) * 0x9e3779b9
	x = (x ^ x>>16) * 0x85ebca6b
	x = (x ^ x>>13) * 0xc2b2ae35
	return x ^ x>>16
}

// putAway makes tensor t one that prefetch may bring back.
func (r *run) putAway(x *tensor, t int32) {
	switch {
	case r.own == nil:
		r.shelf.add(x, t, x.key)
	case r.own.tree:
		r.shelf.add(x, t, ^r.own.Score(r.own.fetch, t)) // the greatest score is the smallest key
	default:
		r.own.inHost.add(t)
	}
}

// takeOut makes it one that it may not.
func (r *run) takeOut(x *tensor, t int32) {
	if r.own == nil || r.own.tree {
		r.shelf.remove(x, t)
	} else {
		r.own.inHost.remove(t)
	}
}

// wanted returns the evicted tensor that prefetch brings back first where room
// bytes are free, or -1.
func (r *run) wanted(room unit.Bytes) int32 {
	if r.own == nil {
		return r.nearest(room)
	}
	t := int32(-1)
	if r.own.tree {
		t = r.nearest(room)
	} else {
		t = r.own.wanted(room)
	}
	if t < 0 || r.own.Over() || r.own.bring != nil && !r.own.Yes(r.own.bring, t) {
		return -1
	}
	return t
}

// nearest is wanted by the order of the trees.
func (r *run) nearest(room unit.Bytes) int32 {
	s := &r.shelf
	best, nearest := int32(-1), int64(0)
	for g := range s.roots {
		if s.least[g] > room {
			continue
		}
		t := s.fitting(g, room)
		d := s.nodes[t].key
		if s.by.perClient() {
			d = r.distance(s.by, int32(g), d)
		}
		if best < 0 || d < nearest || d == nearest && t < best {
			best, nearest = t, d
		}
	}
	return best
}
