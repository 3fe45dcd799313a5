// Package cite has the papers that systems are from, as BibTeX.
package cite

import (
	_ "embed" // the entries
	"regexp"
	"slices"
	"strings"
)

//go:embed papers.bib
var bib string

// An Entry is a paper.
type Entry struct {
	Key    string `json:"key"`    // in BibTeX: "flashneuron"
	Short  string `json:"short"`  // for a sentence: "FlashNeuron (FAST 2021)"
	Name   string `json:"name"`   // what texts of systems call it by: "FlashNeuron"
	BibTeX string `json:"bibtex"` // the whole entry
}

// shorts are what papers are called, by key.
var shorts = map[string]string{
	"g10": "G10 (MICRO 2023)", "deepum": "DeepUM (ASPLOS 2023)", "flashneuron": "FlashNeuron (FAST 2021)", "vdnn": "vDNN (MICRO 2016)",
	"autotm": "AutoTM (ASPLOS 2020)", "swapadvisor": "SwapAdvisor (ASPLOS 2020)", "capuchin": "Capuchin (ASPLOS 2020)", "sentinel": "Sentinel (HPCA 2021)",
	"sublinear": "Training Deep Nets with Sublinear Memory Cost (2016)", "superneurons": "SuperNeurons (PPoPP 2018)", "ibm-lms": "IBM PyTorch Large Model Support",
	"buddy": "Buddy Compression (ISCA 2020)", "ravenstore": "Ravenstore report (2023)", "skybyte": "SkyByte (HPCA 2025)", "bytefs": "ByteFS (ASPLOS 2025)",
	"teraio": "TERAIO (NeurIPS 2025)", "zero-offload": "ZeRO-Offload (ATC 2021)", "zero-infinity": "ZeRO-Infinity (SC 2021)",
	"fsdp": "PyTorch FSDP (VLDB 2023)", "ddp": "PyTorch DDP (VLDB 2020)", "nvme": "NVM Express specification",
	"vllm": "vLLM (SOSP 2023)", "orca": "Orca (OSDI 2022)", "mooncake": "Mooncake (FAST 2025)", "flexgen": "FlexGen (ICML 2023)",
	"zero-inference": "ZeRO-Inference (SC 2022)", "tensorrt": "TensorRT-LLM (2025)", "lmcache": "LMCache (2025)", "llamacpp": "llama.cpp (2023)",
}

// head is the first line of an entry.
var head = regexp.MustCompile(`^@\w+\{([a-z0-9-]+),`)

// Entries lists all papers.
func Entries() []Entry {
	var list []Entry
	for text := range strings.SplitSeq(strings.TrimSpace(bib), "\n\n") {
		e := Entry{BibTeX: text}
		if m := head.FindStringSubmatch(text); m != nil {
			e.Key = m[1]
		}
		e.Short = shorts[e.Key]
		e.Name, _, _ = strings.Cut(e.Short, " (")
		list = append(list, e)
	}
	return list
}

// Of are the papers that texts name, what systems and papers say where they are from, in the
// order in which they are named first. Remarks name none.
func Of(texts ...string) []Entry {
	type found struct {
		Entry
		text, at int
	}
	var list []found
	for _, e := range Entries() {
		for i, text := range texts {
			if at := strings.Index(text, e.Name); at >= 0 {
				list = append(list, found{e, i, at})
				break
			}
		}
	}
	slices.SortStableFunc(list, func(a, b found) int {
		if a.text != b.text {
			return a.text - b.text
		}
		return a.at - b.at
	})
	out := make([]Entry, len(list))
	for i := range list {
		out[i] = list[i].Entry
	}
	return out
}

// Rests are the papers that a reproduction rests on: the paper with this key, and those that the
// systems it compares name.
func Rests(key string, systems []string) []Entry {
	var from []string
	for _, e := range Entries() {
		if e.Key == key {
			from = append(from, e.Name)
		}
	}
	return Of(append(from, systems...)...)
}

// BibTeX writes entries as a file.
func BibTeX(list []Entry) string {
	var b strings.Builder
	for i := range list {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(list[i].BibTeX + "\n")
	}
	return b.String()
}
