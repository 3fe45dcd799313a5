package deepum

import "strings"

// What the tests of whole runs need, which live outside of the package because the
// laboratory imports it.
var (
	Reason = reason
)

// A Cell is one of Tables 3 and 7: a largest batch.
type Cell struct {
	Table, Model, System, Published string
}

// Cells returns them in the order of maxbatch.csv.
func Cells() (list []Cell) {
	for _, f := range table("published/table3.csv") {
		list = append(list, Cell{"T3", f[0], lms, f[2]}, Cell{"T3", f[0], deepum, f[3]})
	}
	for k, model := range table7Models {
		for _, f := range table("published/table7.csv") {
			list = append(list, Cell{"T7", model, strings.ToLower(f[0]), f[1+k]})
		}
	}
	return list
}

// Setup is that of a cell without the batch: the paper's standard one, and for Table 7
// half the GPU memory, a quarter of the host's.
func (c *Cell) Setup() (model, set string) {
	name := c.Model
	if c.Table == "T7" {
		for from, n := range map[string]network{
			"ResNet200 (CIFAR-10)":  {id: "resnet-200-cifar-pytorch", family: resnet, optimizer: "sgd"},
			"BERT Large (CoLA)":     {id: "bert-large-pytorch", family: bertLarge, optimizer: "adam"},
			"DCGAN (celebA)":        {id: "dcgan-pytorch", family: resnet, optimizer: "adam"},
			"MobileNet (CIFAR-100)": {id: "mobilenet-cifar-pytorch", family: resnet, optimizer: "sgd"},
		} {
			if from == name {
				return n.id, row{&n, "", 1}.conditions() + small
			}
		}
	}
	n := networkOf(name)
	return n.id, row{n, "", 1}.conditions()
}

// Lawful is bylaw.csv.
var Lawful = lawful

// A TypicalRow is one of those that stand for a network.
type TypicalRow struct{ Name, Batch, Set string }

// Typical are they.
func Typical() (list []TypicalRow) {
	for _, r := range typical() {
		list = append(list, TypicalRow{r.name, r.text, r.set()})
	}
	return list
}
