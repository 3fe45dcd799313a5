package et

// Marked returns the blocks of the tensors that are touched, one aten::detach each,
// under the annotation called name, in their order; -1 for one without memory. A
// recording of capture.py names its tensors that way, since storages here have
// numbers of their own and no addresses.
func (t *Trace) Marked(name string) (blocks []int32) {
	mark := int32(-1)
	for n := range t.Nodes {
		if t.Name(int32(n)) == name {
			mark = int32(n) // the last, should there be several
		}
	}
	if mark < 0 {
		return nil
	}
	for n := mark + 1; n <= t.Nodes[mark].Last; n++ {
		node := &t.Nodes[n]
		if node.Parent != mark || t.Name(n) != "aten::detach" {
			continue
		}
		block := int32(-1)
		if node.In < node.Out {
			block = t.Mentions[node.In].Block
		}
		blocks = append(blocks, block)
	}
	return blocks
}
