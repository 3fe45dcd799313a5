// Package lengths has how long prompts and answers of a service are that completes code: a histogram of both together. No text
// is in it, nor was in the trace, and no times.
//
// # Source
//
// Azure/AzurePublicDataset, data/AzureLLMInferenceTrace_code.csv at b469a113cedc: an hour of 2023, 8819 requests, published with
// Patel et al., Splitwise, ISCA 2024, under the Creative Commons Attribution 4.0 licence (CC-BY 4.0).
//
// # What was left out
//
// Times, and lengths within a class, of which there are four from one to its double: drawn again, means are within 2 % of the trace's.
package lengths

import (
	_ "embed"
	"math/rand/v2"
	"strconv"
	"strings"

	"spillway/sim/serve/load"
)

// Whole is how many requests the trace has.
const Whole = 8819

//go:embed azure_code.txt
var counted string

// A class is so many requests with a prompt and an answer of some lengths.
type class struct {
	prompt, answer int32 // numbers of classes of lengths
	upTo           int32 // requests of this class and of those before it
}

// quarters are what a length grows by within an octave, in millionths.
var quarters = [4]int64{1_000_000, 1_189_207, 1_414_214, 1_681_793}

// lower is the least length of a class.
func lower(i int32) int64 { return quarters[i%4] * (1 << (i / 4)) / 1_000_000 }

// classes reads the histogram.
func classes() []class {
	var list []class
	n := int32(0)
	number := func(s string) int32 {
		v, err := strconv.ParseInt(s, 10, 32)
		if err != nil {
			panic("lengths: " + err.Error()) // a test reads it
		}
		return int32(v)
	}
	for _, line := range strings.Split(strings.TrimSpace(counted), "\n")[1:] {
		f := strings.Fields(line)
		for _, x := range f[1:] {
			answer, count, _ := strings.Cut(x, ":")
			n += number(count)
			list = append(list, class{number(f[0]), number(answer), n})
		}
	}
	return list
}

// Workload draws so many requests, always the same of a seed. They come at once and share nothing.
func Workload(requests int, seed int64) *load.Workload {
	w := &load.Workload{Name: "azure-code", Requests: make([]load.Request, requests)}
	all, r := classes(), rand.New(rand.NewPCG(uint64(seed), 37))
	within := func(i int32) int32 {
		low, high := lower(i), max(lower(i)+1, lower(i+1))
		return int32(low + r.Int64N(high-low))
	}
	for i := range w.Requests {
		at := r.Int32N(all[len(all)-1].upTo)
		low, high := 0, len(all)-1
		for low < high {
			if middle := (low + high) / 2; all[middle].upTo > at {
				high = middle
			} else {
				low = middle + 1
			}
		}
		w.Requests[i] = load.Request{Prompt: within(all[low].prompt), Output: within(all[low].answer), After: -1}
	}
	return w
}
