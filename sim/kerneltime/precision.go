package kerneltime

import (
	"strings"

	"spillway/sim/unit"
)

// A Precision says on which units products and convolutions run, and in which element type.
type Precision uint8

// The precisions.
const (
	FP32     Precision = iota // all on FP32 units
	TF32                      // products and convolutions on TF32 units: PyTorch 1.7 to 1.11
	TF32Conv                  // convolutions only: PyTorch since 1.12 by default
	AMPFP16                   // automatic mixed precision; parameters and norms in fp32
	AMPBF16                   // the same in bfloat16
	FP16                      // all in fp16
	BF16                      // all in bfloat16
	FP8                       // products in fp8, all else in bfloat16
	precisions
)

// Cast is how many bytes an element of 2 moves until it has one: the largest is looked for, it is read again, and written.
const Cast unit.Bytes = 2 + 2 + 1

// precisionNames are the keys, by precision.
var precisionNames = [precisions]string{"fp32", "tf32", "tf32-conv", "amp-fp16", "amp-bf16", "fp16", "bf16", "fp8"}

// precisionAliases are other words for them, without separators.
var precisionAliases = map[string]Precision{
	"float32": FP32, "float": FP32, "f32": FP32, "single": FP32, "full": FP32, "amp": AMPFP16, "mixed": AMPFP16,
	"fp32/tf32": TF32, "tensorfloat32": TF32, "ampfloat16": AMPFP16, "ampbfloat16": AMPBF16,
	"half": FP16, "float16": FP16, "f16": FP16, "bfloat16": BF16, "float8": FP8, "pytorch": TF32Conv,
}

// Precisions returns the keys of all precisions.
func Precisions() []string { return precisionNames[:] }

// ParsePrecision returns the precision of a key, or of another common spelling of it.
func ParsePrecision(s string) (Precision, bool) {
	word := strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
	for i, name := range precisionNames {
		if word == strings.ReplaceAll(name, "-", "") {
			return Precision(i), true
		}
	}
	p, ok := precisionAliases[word]
	return p, ok
}

// String is the precision's key.
func (p Precision) String() string { return precisionNames[p] }

// Mixed reports whether parameters and norms stay in fp32 while products do not.
func (p Precision) Mixed() bool { return p == AMPFP16 || p == AMPBF16 }

// Element is the size of an activation's element.
func (p Precision) Element() unit.Bytes {
	if p < AMPFP16 {
		return 4
	}
	return 2
}

// An Engine is the part of a GPU that multiplies.
type Engine uint8

// The engines.
const (
	FP32Units Engine = iota
	TF32Cores
	HalfCores // fp16 or bfloat16 with sums in fp32
	FP8Cores
)

// Products is the engine of matrix products.
func (p Precision) Products() Engine {
	switch p {
	case FP32, TF32Conv:
		return FP32Units
	case TF32:
		return TF32Cores
	case FP8:
		return FP8Cores
	}
	return HalfCores
}

// Convolutions is the engine of convolutions.
func (p Precision) Convolutions() Engine {
	switch p {
	case FP32:
		return FP32Units
	case TF32, TF32Conv:
		return TF32Cores
	}
	return HalfCores
}

// Instead says what runs in p's place on a GPU that has no such numbers; empty where it has them.
// GPUs before Ampere multiply no bfloat16; fp16, of as many bytes, is what is computed here.
func (g *GPU) Instead(p Precision) string {
	if g.Family >= Ampere || p != BF16 && p != AMPBF16 {
		return ""
	}
	return g.Name + " has no bf16: this is what fp16 takes there, with as many bytes."
}
