package store

import (
	"spillway/sim/store/ops"
	"spillway/sim/unit"
)

// A Share is what became of one client among the others.
type Share struct {
	Name string
	// Together and Alone are from the client's first operation to its last;
	// Alone is 0 if the client does not fit even alone.
	Together, Alone unit.Time
	// Slowdown is Together/Alone in thousandths; 0 if Alone is 0.
	Slowdown int64
}

// Fairness runs each client's part of the trace alone on the setup and compares
// its time with that in r, a run of the whole that fits. Alone a client has the
// whole GPU and only its own page tables. It takes about as long as one run.
func Fairness(t *ops.Trace, s Setup, p Policy, r *Result) ([]Share, error) {
	shares := make([]Share, len(r.Clients))
	for c := range r.Clients {
		k := &r.Clients[c]
		shares[c] = Share{Name: k.Name, Together: k.End - k.Parts[Away]}
		own := t.Alone(c)
		if len(own.Ops) == 0 {
			continue
		}
		alone, err := Run(own, s, p)
		if err != nil {
			return nil, err
		}
		if k := &alone.Clients[0]; alone.Fits() {
			shares[c].Alone = k.End - k.Parts[Away]
			shares[c].Slowdown = unit.MulDiv(int64(shares[c].Together), 1000, int64(shares[c].Alone))
		}
		if shares[c].Alone == 0 {
			shares[c].Slowdown = 0
		}
	}
	return shares, nil
}
