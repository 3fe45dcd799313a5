package hf

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/prose"
	"spillway/traces/jsonx"
)

// maxCount is the largest size that is read; Check of an architecture has narrower bounds.
const maxCount = 1 << 24

// An object is one of the document's, with what was wrong with it so far.
type object struct {
	data   []byte
	path   []string // keys that lead to it
	values map[string]any
	class  string // of transformers, whose defaults are taken
	errs   []error
	notes  []string
}

// has reports whether a key is there and not null.
func (o *object) has(key string) bool { return o.values[key] != nil }

// wrong adds an error about a key.
func (o *object) wrong(key, format string, args ...any) {
	path := append(slices.Clone(o.path), key)
	o.errs = append(o.errs, jsonx.Of(o.data, strings.Join(path, ".")+": "+fmt.Sprintf(format, args...), path...))
}

// lack adds an error about something that the simulator has not.
func (o *object) lack(key, what string) { o.wrong(key, "%s; this is not simulated", what) }

func (o *object) note(format string, args ...any) {
	o.notes = append(o.notes, fmt.Sprintf(format, args...))
}

func (o *object) err() error { return errors.Join(o.errs...) }

// first returns the key that is there, of several for the same, or "".
func (o *object) first(keys []string) string {
	for _, k := range keys {
		if o.has(k) {
			return k
		}
	}
	return ""
}

// count returns a size that all files of the family have; a missing one is that of the class,
// with a note.
func (o *object) count(absent int64, keys ...string) int64 {
	if o.first(keys) == "" {
		o.note("%s is not in the file: %d, the default of %s.", keys[0], absent, o.class)
		return absent
	}
	return o.size(1, absent, keys...)
}

// size returns a size from least on that may be missing.
func (o *object) size(least, absent int64, keys ...string) int64 {
	key := o.first(keys)
	if key == "" {
		return absent
	}
	f, ok := o.values[key].(float64)
	if !ok || f != math.Trunc(f) || f < float64(least) || f > maxCount {
		o.wrong(key, "want a whole number from %d to %d, found %s", least, maxCount, show(o.values[key]))
		return absent
	}
	return int64(f)
}

// yes returns a truth that may be missing.
func (o *object) yes(key string, absent bool) bool {
	switch v := o.values[key].(type) {
	case nil:
		return absent
	case bool:
		return v
	}
	o.wrong(key, "want true or false, found %s", show(o.values[key]))
	return absent
}

// share reports whether one of several shares, from 0 to 1, is above 0; absent is whether the
// first is where it is missing.
func (o *object) share(absent bool, keys ...string) bool {
	above := absent && !o.has(keys[0])
	for _, key := range keys {
		if !o.has(key) {
			continue
		}
		f, ok := o.values[key].(float64)
		if !ok || f < 0 || f > 1 {
			o.wrong(key, "want a number from 0 to 1, found %s", show(o.values[key]))
			continue
		}
		above = above || f > 0
	}
	return above
}

// str returns a string that may be missing.
func (o *object) str(key string) string {
	switch v := o.values[key].(type) {
	case nil:
		return ""
	case string:
		return v
	}
	o.wrong(key, "want a string, found %s", show(o.values[key]))
	return ""
}

// plain is str of what may be anything.
func (o *object) plain(key string) string {
	s, _ := o.values[key].(string)
	return s
}

// architecture is the first of architectures, "" if there is none.
func (o *object) architecture() string {
	switch v := o.values["architectures"].(type) {
	case nil:
	case []any:
		if len(v) == 0 {
			break
		}
		if s, ok := v[0].(string); ok {
			return s
		}
		o.wrong("architectures", "want strings, found %s", show(v[0]))
	default:
		o.wrong("architectures", "want an array of strings, found %s", show(v))
	}
	return ""
}

// nested are the keys under which models of several kinds of data have their language model.
var nested = []string{"text_config", "llm_config", "language_config"}

// language is the object of the language model: o itself, or one inside it.
func (o *object) language() *object {
	for _, key := range nested {
		values, ok := o.values[key].(map[string]any)
		if !ok || len(values) == 0 {
			continue
		}
		inner := &object{data: o.data, path: []string{key}, values: values}
		if values["tie_word_embeddings"] == nil && o.values["tie_word_embeddings"] != nil {
			inner.values["tie_word_embeddings"] = o.values["tie_word_embeddings"]
		}
		var others []string
		for k := range o.values {
			if k != key && strings.HasSuffix(k, "_config") && !slices.Contains([]string{"quantization_config", "generation_config"}, k) {
				others = append(others, k)
			}
		}
		if slices.Sort(others); len(others) > 0 {
			inner.note("Of the model only %s is read; %s is not simulated.", key, prose.List(others))
		}
		if o.has("quantization_config") && !inner.has("quantization_config") {
			inner.values["quantization_config"] = o.values["quantization_config"]
		}
		return inner
	}
	return o
}

// ignored notes what the file has that changes nothing in a simulation, and could be thought to.
func (o *object) ignored() {
	sliding := o.values["use_sliding_window"] != false
	if w, ok := o.values["sliding_window"].(float64); ok && w > 0 && sliding {
		o.note("sliding_window: attention is simulated over the whole sequence.")
	}
	if o.has("vision_config") && len(o.path) == 0 {
		o.note("vision_config: only the part that reads words is simulated.")
	}
	if o.has("quantization_config") {
		o.note("quantization_config: training has its own precision; that of the file is not used.")
	}
}

// show is a value in an error.
func show(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(short(v, 24))
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return "null"
}

// short cuts a text to what fits into a message.
func short(s string, runes int) string {
	if r := []rune(s); len(r) > runes {
		return string(r[:runes]) + "…"
	}
	return s
}
