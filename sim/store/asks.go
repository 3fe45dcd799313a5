package store

import "spillway/sim/policy"

// The features of the store's place, in its order.
const (
	featSize = iota
	featUses
	featLast
	featPut
	featDue
	featFetchCost
	featEvictCost
	featCapacity
	featClients
	featNext
	featAge
	featNow
	featShort
	featFree
	featMine
	featShare
	featTruth
	featTruthOp
	featDials // p1 to p4
)

// thing is what the store's policies are about.
const thing = "tensor"

// Asks is what the store asks a policy of somebody's own, and what it lets it know. Names and
// meanings stay for ever: links have them.
func Asks() *policy.Place {
	return &policy.Place{
		Lab: "store", Title: "Object store",
		Rules: []policy.Rule{
			{Name: "evict", Thing: thing, Default: "-last", Help: "Of the tensors in the store's GPU memory the one with the greatest number leaves, until enough is free."},
			{Name: "fetch", Thing: thing, Default: "-evict", Help: "Of the evicted tensors that fit the one with the greatest number comes back, where there is prefetch."},
			{Name: "tie", Thing: thing, Help: "Of equal numbers of evict the greatest of this decides, of equal numbers of fetch the least; then the tensor that the trace names first."},
			{Name: "bring", Thing: thing, Condition: true, Help: "Whether the tensor that fetch chose comes back now; if not, none does."},
			{Name: "admit", Thing: thing, Condition: true, Help: "Whether a tensor that is put stays in GPU memory; if not, it is evicted at once, at the cost of an eviction."},
		},
		Events: []policy.Event{
			{Name: "put", Thing: thing, Help: "A client leaves the tensor in the store."},
			{Name: "got", Thing: thing, Help: "A client takes the tensor, wherever it is; uses counts it already."},
			{Name: "evicted", Thing: thing, Help: "The tensor is in host memory now."},
		},
		Features: append([]policy.Feature{
			featSize:      {Name: "size", Unit: "bytes", Help: "Bytes of the tensor."},
			featUses:      {Name: "uses", Help: "How often it was got since it was created."},
			featLast:      {Name: "last", Help: "Number of its last create or get among all operations."},
			featPut:       {Name: "put", Help: "Number of its last put among all operations."},
			featDue:       {Name: "due", Unit: "s", Help: "When it is needed next by the time that its client declared; 1e18 if it declared none."},
			featFetchCost: {Name: "fetch_cost", Unit: "s", Help: "How long its way back takes."},
			featEvictCost: {Name: "evict_cost", Unit: "s", Help: "How long its eviction takes."},
			featCapacity:  {Name: "capacity", Unit: "bytes", Help: "GPU memory for tensors."},
			featClients:   {Name: "clients", Help: "How many clients there are."},
			featNext:      {Name: "next", Live: true, Help: "In how many of its client's operations it is needed next, as the client declared; 1e18 if it declared nothing."},
			featAge:       {Name: "age", Unit: "s", Live: true, Help: "Time since its last create or get. Calls take time, so this is not the order of last."},
			featNow:       {Name: "now", Unit: "s", Live: true, Help: "Simulated time."},
			featShort:     {Name: "short", Unit: "bytes", Live: true, Help: "Bytes that are still missing; 0 where nothing is evicted."},
			featFree:      {Name: "free", Unit: "bytes", Live: true, Help: "GPU memory that is free."},
			featMine:      {Name: "mine", Condition: true, Live: true, Help: "Its client is the one whose call is handled."},
			featShare:     {Name: "share", Live: true, Help: "What its client's tensors in the store take of the GPU memory for tensors, 0 to 1."},
			featTruth:     {Name: "truth", Unit: "s", Live: true, Future: true, Help: "Its client's computing until the trace gets it next; 1e18 if it never does."},
			featTruthOp:   {Name: "truth_op", Live: true, Future: true, Help: "Number of that get among its client's operations; 1e18 if there is none."},
		}, policy.DialFeatures()...),
		Examples: examples(),
		Challenge: &policy.Challenge{
			Setup: "prefetch_yields=1", Vary: "workload", Workloads: []string{"training-and-bursts", "two-trainings", "services", "table-and-blocks", "late-clock"},
			Quantity: "time_s",
		},
		Taken: taken(),
	}
}

// taken are the titles of what runs here.
func taken() []string {
	var list []string
	for _, p := range append(Policies(), Oracle(), Known()) {
		list = append(list, p.Title)
	}
	return list
}
