package kerneltime

import (
	"math"

	"spillway/sim/unit"
)

// Moved is how long a kernel takes on another GPU that was measured on one to take t: as the
// law's times of both stand to each other, so that what it gets wrong on both alike cancels.
func Moved(t unit.Time, from, to *GPU, p Policy, k *Kernel) unit.Time {
	was, is := Time(from, p, k).Time, Time(to, p, k).Time
	return unit.Time(unit.MulDiv(int64(max(t, 0)), int64(is), int64(max(was, 1))))
}

// MovedByClass is Moved of a kernel of which only the class and the size of an element are
// known: what it took besides its start goes by the rates that the class reaches on both.
func MovedByClass(t unit.Time, from, to *GPU, p Policy, class Class, element unit.Bytes) unit.Time {
	const operations, bytes = 1 << 50, 1 << 40 // so many that nothing else counts
	moved := unit.Bytes(bytes)
	if class >= Product {
		moved = 0
	}
	was, is := Unshaped(from, p, class, element, operations, moved), Unshaped(to, p, class, element, operations, moved)
	working := t - was.Start
	if working <= 0 {
		return t
	}
	return most(is.Start, unit.Time(unit.MulDiv(int64(working), int64(is.Time-is.Start), int64(max(was.Time-was.Start, 1)))))
}

// movedParts are what a moved time keeps of the law's band, in percent: networks that were
// measured on two GPUs need so much (traces/measured), because both have most of their error in
// common.
var movedParts = [kinds]int64{Images: 75, Transformer: 60, Language: 50}

// MovedBand is how far off eight of ten times of a network are at most, in percent, that were
// measured on one GPU and moved to another: a part of the law's on the one that it knows less of.
// Unshaped is how much of the time, in percent, was moved by classes alone; of that it is the
// law's own.
func MovedBand(of Kind, from, to *GPU, unshaped int64) int64 {
	band := max(from.Band(of, Compute), to.Band(of, Compute))
	part := float64(band*movedParts[of]) / 100
	rest := float64(band*min(max(unshaped, 0), 100)) / 100
	return int64(math.Ceil(math.Sqrt(float64(part*part) + float64(rest*rest))))
}

// movedKernels are how far off eight of ten kernels of a class are at most, in percent, that were
// measured on one GPU and moved to another, by shape and by class alone, where pairs were measured
// (traces/measured, whose test holds them); 0 where none were.
var movedKernels = [classes][2]int64{
	Elementwise:       {8, 8},
	Normalization:     {21, 20},
	Product:           {24, 32},
	AttentionForward:  {8, 9},
	AttentionBackward: {8, 9},
}

// unshapedKernel is what a kernel of a class that multiplies has besides, in percent and in squares,
// where only its class is known and no pairs were measured.
const unshapedKernel = 40

// ClassBand is how far off eight of ten kernels of a class are at most on a GPU, in percent. Of
// times that were measured on another, from, it is what pairs needed, or what the law is off on both
// where none of such GPUs were measured; from is nil where times were not measured.
func ClassBand(class Class, from, on *GPU, shaped bool) int64 {
	at := 0
	if !shaped {
		at = 1
	}
	if from != nil && from.Ground == Measured && on.Ground == Measured && movedKernels[class][at] > 0 {
		return movedKernels[class][at]
	}
	squares := kernelBands[class][on.Ground] * kernelBands[class][on.Ground]
	if from != nil {
		squares += kernelBands[class][from.Ground] * kernelBands[class][from.Ground]
	}
	if !shaped && class >= Product {
		squares += unshapedKernel * unshapedKernel
	}
	return int64(math.Ceil(math.Sqrt(float64(squares))))
}
