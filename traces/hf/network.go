package hf

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/model"
	"spillway/sim/prose"
	"spillway/traces/jsonx"
	"spillway/traces/networks"
)

// A Trained is what a config.json says of a network that one GPU trains.
type Trained struct {
	networks.Description
	// Notes say what was taken from the defaults of transformers, and what is not simulated.
	Notes []string
}

// A kind is a family that ReadNetwork knows besides those of ReadConfig.
type kind struct {
	name, prefix, class string // as family's
	read                func(o *object, d *networks.Description, class string)
}

// kinds lists them. Defaults are those of the classes in transformers 4.
var kinds = []kind{
	{"bert", "Bert", "BertConfig", words{vocabulary: 30522, positions: 512, types: 2}.read},
	{"roberta", "Roberta", "RobertaConfig", words{vocabulary: 50265, positions: 512, types: 2}.read},
	{"distilbert", "DistilBert", "DistilBertConfig", words{vocabulary: 30522, positions: 512}.read},
	{"vit", "ViT", "ViTConfig", picture},
	{"mpt", "MPT", "MptConfig", mpt},
}

// ReadNetwork reads a config.json as a network that is trained on one GPU. name is the file's, in
// errors, which say what is missing or not known, and where.
func ReadNetwork(name string, data []byte) (*Trained, error) {
	data = text(data)
	if len(data) > maxConfig {
		return nil, fmt.Errorf("%s: %d bytes; a config.json of a model has at most %d", name, len(data), maxConfig)
	}
	o := object{data: data}
	if err := jsonx.Unmarshal(data, &o.values); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	typ, class := o.plain("model_type"), o.architecture()
	prefix, _ := split(class)
	for _, key := range []string{"ForMaskedLM", "ForPreTraining", "ForImageClassification"} {
		if p, ok := strings.CutSuffix(class, key); ok {
			prefix = p
		}
	}
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == strings.ToLower(typ) })
	if at < 0 && typ == "" {
		at = slices.IndexFunc(kinds, func(k kind) bool { return k.prefix == prefix })
	}
	if at < 0 {
		return ofLanguage(name, data)
	}
	k := &kinds[at]
	o.class = k.class
	t := &Trained{}
	k.read(&o, &t.Description, class)
	o.ignored()
	if err := o.err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t.Title = title(name, o.plain("_name_or_path"), k.name, &model.Arch{Layers: t.Layers, Hidden: t.Hidden})
	t.Notes = o.notes
	return t, t.valid(name)
}

// valid says what is wrong with a description that was read.
func (t *Trained) valid(name string) error {
	if _, err := networks.ParseDescription(t.String()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// ofLanguage is a network of the families of ReadConfig.
func ofLanguage(name string, data []byte) (*Trained, error) {
	m, err := ReadConfig(name, data)
	if err != nil {
		return nil, also(err)
	}
	a, o := &m.Arch, object{data: data}
	_ = jsonx.Unmarshal(data, &o.values) // ReadConfig has done so
	lacks := func(what string) error {
		return fmt.Errorf("%s: to train %s on one GPU, what is missing here is %s; LLM training has that", name, a.Title, what)
	}
	if what := beyond(a); what != "" {
		return nil, lacks(what)
	}
	inner := o.language()
	t := &Trained{Notes: m.Notes}
	d := &t.Description
	*d = networks.Description{
		Title: a.Title, Kind: "decoder", Layers: a.Layers, Hidden: a.Hidden, Heads: a.Heads, KV: a.KVHeads, Dim: a.HeadDim, Inner: a.FFN, Vocabulary: a.Vocab,
		Positions: a.Positions, RMS: a.Norm == model.RMSNorm, Gated: a.Gated, Rotary: a.Positions == 0 && a.Buckets == 0 && !a.EmbedNorm,
		QKVBias: a.QKVBias, OutBias: a.OutBias, FFNBias: a.FFNBias, NormBias: a.Norm == model.LayerNorm,
		HeadNorms: a.HeadNorms == model.EachHead, EmbedNorm: a.EmbedNorm, NoFinalNorm: !a.FinalNorm, Tied: a.Tied, Dropout: a.Dropout,
		Activation: activation(inner),
	}
	d.Sequence = min(2048, max(networks.MinSequence, inner.size(1, 2048, "max_position_embeddings", "n_positions", "seq_length")))
	if a.Encoder > 0 {
		d.Kind, d.Encoder, d.Distances, d.Rotary, d.Sequence = "pair", a.Encoder, a.Buckets, false, 512
	}
	return t, t.valid(name)
}

// beyond is what a network of Training has no place for, "" if it has all.
func beyond(a *model.Arch) string {
	switch {
	case a.Experts > 0:
		return "a mixture of experts"
	case a.EmbedWidth > 0:
		return "an embedding narrower than the layers"
	case a.KeyLatent > 0:
		return "attention over a latent vector"
	case a.LayerNorms() != 2:
		return "another number of norms in a layer than two"
	case a.HeadNorms == model.AllHeads:
		return "a norm of all queries and keys together"
	case a.Norm == model.BareNorm:
		return "norms without weights"
	case a.Sinks, a.HeadBias:
		return "learned sinks of attention, or a bias of the words that are predicted"
	}
	return ""
}

// also adds to an error about a family that is not known those that ReadNetwork knows besides.
func also(err error) error {
	at := strings.LastIndex(err.Error(), "; known are ")
	if at < 0 {
		return err
	}
	known := names()
	for _, k := range kinds {
		if !slices.Contains(known, k.name) {
			known = append(known, k.name)
		}
	}
	return fmt.Errorf("%s; known are %s", err.Error()[:at], prose.List(known))
}

// activation is the function inside feed-forward blocks, as its kernels go; empty for the usual.
func activation(o *object) string {
	switch key := o.first([]string{"hidden_act", "activation_function", "hidden_activation"}); o.plain(key) {
	case "gelu", "gelu_pytorch_tanh", "gelu_fast", "quick_gelu":
		return "gelu"
	case "gelu_new":
		return "spelled-gelu"
	case "relu":
		return "relu"
	}
	switch o.plain("model_type") { // where nothing is said
	case "gpt2":
		return "spelled-gelu"
	case "opt":
		return "relu"
	}
	return ""
}

// words are the defaults of an encoder like BERT.
type words struct{ vocabulary, positions, types int64 }

func (w words) read(o *object, d *networks.Description, class string) {
	d.Kind = "encoder"
	d.Vocabulary = o.count(w.vocabulary, "vocab_size")
	d.Hidden = o.count(768, "hidden_size", "dim")
	d.Layers = o.count(12, "num_hidden_layers", "n_layers")
	d.Heads = o.count(12, "num_attention_heads", "n_heads")
	d.Inner = o.count(4*768, "intermediate_size", "hidden_dim")
	d.Positions = o.count(w.positions, "max_position_embeddings")
	if w.types > 0 {
		d.Types = o.count(w.types, "type_vocab_size")
	}
	d.Sequence = min(512, d.Positions)
	switch {
	case strings.HasSuffix(class, "ForPreTraining"):
		d.Pooled = true
	case strings.HasSuffix(class, "ForQuestionAnswering"):
	default:
		d.Masked = true
		if class != "" && !strings.HasSuffix(class, "ForMaskedLM") {
			o.note("%s: it is trained here to predict masked words.", called(class))
		}
	}
}

func picture(o *object, d *networks.Description, _ string) {
	d.Kind = "picture"
	d.Hidden = o.count(768, "hidden_size")
	d.Layers = o.count(12, "num_hidden_layers")
	d.Heads = o.count(12, "num_attention_heads")
	d.Inner = o.count(3072, "intermediate_size")
	d.Side = o.count(224, "image_size")
	d.Patch = o.count(16, "patch_size")
	d.Channels = o.size(1, 3, "num_channels")
	d.QKVBias = o.yes("qkv_bias", true)
	d.Classes = 2
	switch names, ok := o.values["id2label"].(map[string]any); {
	case ok && len(names) > 0:
		d.Classes = int64(len(names))
	case o.has("num_labels"):
		d.Classes = o.size(1, 2, "num_labels")
	default:
		o.note("id2label is not in the file: 2 classes, the default of %s.", o.class)
	}
}

func mpt(o *object, d *networks.Description, _ string) {
	d.Kind, d.Tied = "decoder", true
	d.Hidden = o.count(2048, "d_model")
	d.Layers = o.count(24, "n_layers")
	d.Heads = o.count(16, "n_heads")
	d.Inner = d.Hidden * o.size(1, 4, "expansion_ratio")
	d.Vocabulary = o.count(50368, "vocab_size")
	d.Sequence = min(2048, o.size(networks.MinSequence, 2048, "max_seq_len"))
	if !o.yes("no_bias", true) {
		d.QKVBias, d.OutBias, d.FFNBias, d.NormBias = true, true, true, true
	}
	inner := &object{data: o.data, path: []string{"attn_config"}, class: o.class}
	inner.values, _ = o.values["attn_config"].(map[string]any)
	d.KV = inner.size(1, d.Heads, "kv_n_heads")
	if inner.plain("attn_type") == "multiquery_attention" {
		d.KV = 1
	}
	if !inner.yes("alibi", true) {
		d.Positions = o.size(1, 2048, "max_seq_len")
	}
	o.errs = append(o.errs, inner.errs...)
	if d.Hidden%max(1, d.Heads) == 0 {
		d.Dim = d.Hidden / max(1, d.Heads)
	}
}
