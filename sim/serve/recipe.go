package serve

import "spillway/sim/unit"

// An Arrival is how requests come.
type Arrival uint8

// The kinds of arrivals.
const (
	Burst   Arrival = iota // all at once
	Poisson                // independently of each other, at a rate
	Gamma                  // the same with another spread of the times between
	Closed                 // so many users, each of whom waits for the answer
)

// A Stage is a part of a run with a rate of its own.
type Stage struct {
	Rate int64 // thousandths of requests a second
	Time unit.Time
}

// A Length is how many tokens prompts or answers have: Mean of them, with Sigma of the logarithm in thousandths
// (0: all the same), at most Max (0: no limit).
type Length struct {
	Mean, Max int32
	Sigma     int64
}

// A Recipe makes a workload, the same one each time.
type Recipe struct {
	Arrivals Arrival
	Requests int64
	Rate     int64 // thousandths of requests a second, of Poisson and Gamma
	CV       int64 // of Gamma: spread of the times between requests, in thousandths of their mean
	Stages   []Stage
	Users    int64 // of Closed
	Think    unit.Time

	Input, Output Length
	// Groups share so many tokens at the beginning of their prompts, which Input counts too; Zipf draws groups unevenly, in
	// thousandths of its exponent. 0 groups: nothing is shared.
	Groups int64
	Shared int32
	Zipf   int64
	// Turns are questions of a conversation: each has the text before it, and the answer, as its beginning, and Input more. The
	// next comes Think after the answer. 1 or 0: there are no conversations.
	Turns int64

	Block int32 // tokens of a block, 0: 16
	Seed  int64
}

// Workload makes it. The error says which number cannot be.
func (r *Recipe) Workload() (*Workload, error) { return nil, nil }
