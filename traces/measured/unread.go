package measured

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// always are keys that every row may have.
var always = []string{"class", "net", "gpu", "precision", "policy", "op", "kind", "unit", "source"}

// readBy are the keys that a family of classes, or a network, reads besides.
var readBy = map[string][]string{
	products:     {"batch", "m", "n", "k"},
	batches:      {"batch", "m", "n", "k"},
	convolutions: {"batch", "c", "h", "w", "k", "r", "s", "stride", "pad", "groups", "layout", "direction"},
	attentions:   {"batch", "heads", "kv_heads", "seq_q", "seq_kv", "head_dim", "causal", "direction", "attention"},
	movers:       {"bytes"},
	"":           {"batch", "mode", "layout", "img", "seq", "gpus", "accumulate", "checkpoint", "compile", "attention", "optimizer"},
}

// Unread says which keys of a row nothing reads, because its class or a network has none such;
// empty where there are none.
func (r Row) Unread() string {
	of, family := r.get("class"), ""
	if of != "" {
		if family = classWords[r.word("class")]; family == "" {
			family = movers
		}
	} else {
		of = r.get("net")
	}
	var extra []string
	for _, key := range slices.Sorted(maps.Keys(r)) {
		if r.get(key) != "" && !slices.Contains(always, key) && !slices.Contains(readBy[family], key) {
			extra = append(extra, key)
		}
	}
	if len(extra) == 0 {
		return ""
	}
	return fmt.Sprintf("nothing reads %s of %s, which has %s", strings.Join(extra, ", "), of, strings.Join(readBy[family], ", "))
}
