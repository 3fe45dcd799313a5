package hf

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"spillway/sim/model"
	"spillway/sim/unit"
	"spillway/traces/jsonx"
)

// An Index is what model.safetensors.index.json says of a checkpoint.
type Index struct {
	Bytes   int64 // of all tensors (metadata.total_size)
	Tensors int
	Files   int
	// Parameters is metadata.total_parameters, 0 where that is missing.
	Parameters int64
	// Layers is how many layers the names of tensors count, of the decoder where there are two
	// stacks; 0 if they have no numbers.
	Layers int64
}

// ReadIndex reads a safetensors index. The error says what is missing or wrong, and where.
func ReadIndex(name string, data []byte) (*Index, error) {
	data = text(data)
	if len(data) > maxIndex {
		return nil, fmt.Errorf("%s: %d bytes; an index has at most %d", name, len(data), maxIndex)
	}
	var doc struct {
		Metadata  map[string]any    `json:"metadata"`
		WeightMap map[string]string `json:"weight_map"`
	}
	if err := jsonx.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(doc.WeightMap) == 0 {
		return nil, fmt.Errorf("%s: weight_map, which says where each tensor is, is missing or empty: this is no index of a checkpoint", name)
	}
	x := &Index{Tensors: len(doc.WeightMap)}
	var errs []error
	number := func(key string) int64 {
		f, ok := doc.Metadata[key].(float64)
		if !ok || f != math.Trunc(f) || f < 1 || f > 1<<53 {
			errs = append(errs, jsonx.Of(data, fmt.Sprintf("metadata.%s: want a whole number from 1 to 2^53, found %s", key, show(doc.Metadata[key])), "metadata", key))
			return 0
		}
		return int64(f)
	}
	x.Bytes = number("total_size")
	if doc.Metadata["total_parameters"] != nil {
		x.Parameters = number("total_parameters")
	}
	files := map[string]bool{}
	for tensor, file := range doc.WeightMap {
		files[file] = true
		x.Layers = max(x.Layers, layer(tensor))
	}
	x.Files = len(files)
	if len(errs) > 0 {
		return nil, fmt.Errorf("%s: %w", name, errors.Join(errs...))
	}
	return x, nil
}

// layer is the number in a tensor's name, from 1: 8 of "model.layers.7.mlp.up_proj.weight". It
// is 0 without one, and of an encoder, of pictures, say.
func layer(tensor string) int64 {
	for part := range strings.SplitSeq(tensor, ".") {
		if n, err := strconv.ParseInt(part, 10, 32); err == nil && n >= 0 {
			return n + 1
		}
		if strings.Contains(part, "encoder") || strings.Contains(part, "vision") || strings.Contains(part, "audio") {
			return 0
		}
	}
	return 0
}

// Says is what the index alone says of training: how large weights, gradients and Adam's states are, by
// parameters of two bytes where it does not count them.
func (x *Index) Says() string {
	n, by := x.Parameters, "by its own word"
	if n == 0 {
		n, by = x.Bytes/2, "of 2 bytes each"
	}
	return fmt.Sprintf("%s in %s and %s: %s parameters %s, so weights of %s and gradients of as much in 16 bits, and %s for Adam with 12 bytes a parameter",
		unit.Bytes(x.Bytes), counted(int64(x.Tensors), "tensor"), counted(int64(x.Files), "file"), digits(n), by, unit.Bytes(2*n), unit.Bytes(12*n))
}

// Compare says in a sentence whether the index fits the architecture: parameters of 1, 2 or 4
// bytes. ok is false if none of these fits. A head that is the embedding may be stored again, a thousandth
// may be buffers that are no parameters, and a hundredth what is not known of the architecture.
func (x *Index) Compare(a *model.Arch) (says string, ok bool) {
	p := a.Parameters()
	has := fmt.Sprintf("The checkpoint, %s in %s, has %s bytes", counted(int64(x.Tensors), "tensor"), counted(int64(x.Files), "file"), digits(x.Bytes))
	if x.Parameters > 0 {
		has += " and by its own word " + digits(x.Parameters) + " parameters"
	}
	if x.Layers > 0 && x.Layers != a.Layers {
		return fmt.Sprintf("%s, but its tensors are of %d layers, and %s has %d.", has, x.Layers, a.Title, a.Layers), false
	}
	if x.Parameters > 0 {
		if x.Parameters == p {
			return has + ", as many as " + a.Title + ".", true
		}
		return fmt.Sprintf("%s; %s has %s.", has, a.Title, digits(p)), false
	}
	for _, width := range []int64{2, 4, 1} {
		switch more := x.Bytes - p*width; {
		case more == 0:
			return fmt.Sprintf("%s: %s parameters of %s, exactly those of %s.", has, digits(p), counted(width, "byte"), a.Title), true
		case a.Tied && more == a.Vocab*a.Width()*width:
			return fmt.Sprintf("%s: the %s parameters of %s, of %s, and its head, which is its embedding, once more.", has, digits(p), a.Title, counted(width, "byte")), true
		case max(more, -more) <= p*width/100:
			word, what := "more", "buffers, say"
			if more < 0 {
				word = "fewer"
			}
			if max(more, -more) > p*width/1000 {
				what = "less than a hundredth of the model is not what this simulator takes it for"
			}
			return fmt.Sprintf("%s, %s %s than the %s parameters of %s of %s each: %s.",
				has, digits(max(more, -more)), word, digits(p), a.Title, counted(width, "byte"), what), true
		}
	}
	return fmt.Sprintf("%s; the %s parameters of %s would be %s, %s or %s with 1, 2 or 4 bytes each.",
		has, digits(p), a.Title, unit.Bytes(p), unit.Bytes(2*p), unit.Bytes(4*p)), false
}

// counted is a number of things.
func counted(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return digits(n) + " " + what
}

// digits writes a whole number in groups of three.
func digits(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
