package networks

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Description is a transformer as numbers: what its config.json says, without JSON. It has a
// text form, which a link can carry.
type Description struct {
	Title string // what it is called
	// Kind is the key of its kind: "decoder", "encoder", "pair" or "picture".
	Kind string

	Layers, Encoder         int64 // Encoder: layers of a pair's encoder; 0: as many as Layers
	Hidden, Heads, KV, Dim  int64 // of attention: heads of queries, of keys and values, and numbers of a head
	Inner, Vocabulary       int64 // width of the feed-forward block
	Positions, Types        int64 // rows of trained tables: positions, and token types
	Distances               int64 // rows of a pair's table of distances
	Side, Patch, Channels   int64 // of pictures: pixels of a side, of a patch's, and numbers a pixel
	Classes                 int64 // that pictures are told apart by
	Sequence                int64 // the usual length in tokens
	Activation              string
	RMS, Gated, Rotary      bool // norms without mean and bias; gated feed-forward; rotary positions
	QKVBias, OutBias        bool // of queries, keys and values, and behind attention
	FFNBias, NormBias       bool
	EmbedNorm, NoFinalNorm  bool
	HeadNorms, Tied         bool // norms of queries and keys; the head is the embedding's table
	Dropout, Pooled, Masked bool // Pooled: a head beside the words'; Masked: only masked words are told
}

// kindsDescribed are the kinds with what they are called.
var kindsDescribed = map[string]string{"decoder": "language model", "encoder": "encoder of words", "pair": "encoder and decoder", "picture": "Vision Transformer"}

// A part of a description's text: a number that is written where it is not 0, or a word that is
// there where it is so.
type part struct {
	key    string
	number *int64
	most   int64
	word   *bool
}

// parts are those of d, in their order.
func (d *Description) parts() []part {
	n := func(key string, p *int64, most int64) part { return part{key: key, number: p, most: most} }
	w := func(key string, p *bool) part { return part{key: key, word: p} }
	return []part{
		n("layers", &d.Layers, 512), n("encoder", &d.Encoder, 512), n("hidden", &d.Hidden, 1<<16), n("heads", &d.Heads, 1<<10), n("kv", &d.KV, 1<<10), n("dim", &d.Dim, 1<<12),
		n("inner", &d.Inner, 1<<18), n("vocabulary", &d.Vocabulary, 1<<20), n("positions", &d.Positions, 1<<20), n("types", &d.Types, 1<<10), n("distances", &d.Distances, 1<<10),
		n("side", &d.Side, MaxSide), n("patch", &d.Patch, 1<<8), n("channels", &d.Channels, 16), n("classes", &d.Classes, 1<<20), n("sequence", &d.Sequence, MaxSequence),
		w("rms", &d.RMS), w("gated", &d.Gated), w("rotary", &d.Rotary), w("qkv-bias", &d.QKVBias), w("out-bias", &d.OutBias), w("ffn-bias", &d.FFNBias), w("norm-bias", &d.NormBias),
		w("embed-norm", &d.EmbedNorm), w("no-final-norm", &d.NoFinalNorm), w("head-norms", &d.HeadNorms), w("tied", &d.Tied), w("dropout", &d.Dropout), w("pooled", &d.Pooled), w("masked", &d.Masked),
	}
}

// String is the text form: the title, "|", the kind, and numbers and words behind commas.
func (d *Description) String() string {
	list := []string{d.Kind}
	for _, p := range d.parts() {
		switch {
		case p.number != nil && *p.number != 0:
			list = append(list, p.key+":"+strconv.FormatInt(*p.number, 10))
		case p.word != nil && *p.word:
			list = append(list, p.key)
		}
	}
	if d.Activation != "" {
		list = append(list, d.Activation)
	}
	return d.Title + "|" + strings.Join(list, ",")
}

// activations are the functions inside feed-forward blocks. Spelled is the tanh form of GELU,
// operator by operator, as GPT-2 has it.
var activations = []string{"gelu", "relu", "silu", "spelled-gelu"}

// ParseDescription reads the text form, and says what is missing or contradicts itself.
func ParseDescription(text string) (*Description, error) {
	title, rest, _ := strings.Cut(text, "|")
	list := strings.Split(rest, ",")
	d := &Description{Title: title, Kind: list[0]}
	if _, ok := kindsDescribed[d.Kind]; !ok {
		return nil, fmt.Errorf("network %q: want a name, \"|\", and decoder, encoder, pair or picture, as a dropped config.json gives it", short(text))
	}
	parts := d.parts()
next:
	for _, word := range list[1:] {
		key, value, _ := strings.Cut(word, ":")
		for _, p := range parts {
			switch {
			case p.key != key:
			case p.word != nil && value == "":
				*p.word = true
				continue next
			case p.number != nil:
				n, err := strconv.ParseInt(value, 10, 64)
				if err != nil || n < 1 || n > p.most {
					return nil, fmt.Errorf("network %s: %s is %q; want 1 to %d", title, key, short(value), p.most)
				}
				*p.number = n
				continue next
			}
		}
		if !slices.Contains(activations, word) {
			return nil, fmt.Errorf("network %s: %q is nothing that a description has", title, short(word))
		}
		d.Activation = word
	}
	return d, d.check()
}

// short is a text as far as a message has room for it.
func short(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

// check says what is missing of a description.
func (d *Description) check() error {
	need := []string{"layers", "hidden", "heads", "inner"}
	switch d.Kind {
	case "picture":
		need = append(need, "side", "patch", "channels", "classes")
	case "pair":
		need = append(need, "vocabulary", "distances", "dim")
	case "encoder":
		need = append(need, "vocabulary", "positions")
	default:
		need = append(need, "vocabulary")
	}
	for _, p := range d.parts() {
		for _, key := range need {
			if p.key == key && *p.number == 0 {
				return fmt.Errorf("network %s: %s is missing", d.Title, key)
			}
		}
	}
	kv := cmp.Or(d.KV, d.Heads)
	switch {
	case d.Heads%kv != 0:
		return fmt.Errorf("network %s: %d heads of queries cannot share %d of keys and values", d.Title, d.Heads, kv)
	case d.Dim == 0 && d.Hidden%d.Heads != 0:
		return fmt.Errorf("network %s: a width of %d cannot be cut into %d heads", d.Title, d.Hidden, d.Heads)
	case d.Kind == "picture" && d.Side%d.Patch != 0:
		return fmt.Errorf("network %s: a side of %d pixels cannot be cut into patches of %d", d.Title, d.Side, d.Patch)
	}
	return nil
}

// Network is the network of a description, which Lower takes as any other.
func (d *Description) Network() (*Network, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	n := Network{Name: "config", Title: cmp.Or(d.Title, kindsDescribed[d.Kind]), Optimizer: "adam", Sequence: cmp.Or(d.Sequence, 512), Family: "Described"}
	dim, kv := cmp.Or(d.Dim, d.Hidden/d.Heads), cmp.Or(d.KV, d.Heads)
	switch d.Kind {
	case "picture":
		n.Family, n.Side, n.Sequence, n.multiple = "ViT", d.Side, 0, d.Patch
		n.write = visual{
			layers: d.Layers, hidden: d.Hidden, heads: d.Heads, patch: d.Patch,
			inner: d.Inner, classes: d.Classes, channels: d.Channels, unbiased: !d.QKVBias,
		}.write
	case "encoder":
		n.write = bidirectional{
			layers: d.Layers, hidden: d.Hidden, heads: d.Heads,
			inner: d.Inner, vocabulary: d.Vocabulary, positions: d.Positions, types: d.Types, pretraining: d.Pooled, words: d.Masked,
		}.write
	case "pair":
		n.Family = "T5"
		n.write = pair{
			layers: d.Layers, encoder: d.Encoder, hidden: d.Hidden, inner: d.Inner, heads: d.Heads, dim: dim,
			vocabulary: d.Vocabulary, rows: d.Distances, gated: d.Gated, untied: !d.Tied,
		}.write
	default:
		n.write = decoder{
			layers: d.Layers, hidden: d.Hidden, heads: d.Heads, kv: kv, dim: dim, inner: d.Inner, vocabulary: d.Vocabulary, positions: d.Positions,
			rms: d.RMS, rotary: d.Rotary, gated: d.Gated, headNorms: d.HeadNorms, embedNorm: d.EmbedNorm, noFinalNorm: d.NoFinalNorm,
			bias: biases{d.QKVBias, d.OutBias, d.FFNBias, d.NormBias}, activation: d.Activation, dropout: d.Dropout, tied: d.Tied,
		}.write
	}
	return &n, nil
}
