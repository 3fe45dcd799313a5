package job

import "spillway/sim/workload"

// A Model is a bundled training workload.
type Model struct {
	ID      string // stable
	Title   string
	Info    string // one sentence
	Batch   int    // the default
	Batches []int  // sizes worth trying
	// Times are the sources of kernel times it has.
	Times []workload.TimeSource
}

// Models lists the bundled models.
func Models() []Model {
	return []Model{{ID: "bert-base", Title: "BERT-base", Batch: 256, Batches: []int{128, 256, 512, 768, 1024}, Times: []workload.TimeSource{workload.ColdModel, workload.Estimated}}}
}

// FindModel returns the bundled model with this stable name.
func FindModel(id string) (Model, bool) {
	for _, m := range Models() {
		if m.ID == id {
			return m, true
		}
	}
	return Model{}, false
}
