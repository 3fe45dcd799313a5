package load

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
	"spillway/sim/knob"
	"spillway/sim/unit"
)

// A Pattern is a generated workload of requests to an SSD by itself.
type Pattern struct {
	Name         string // key
	Title, About string // for people
	Requests     int64  // at full scale
	Size         unit.Bytes
	Reads        int64 // percent of the requests
	// Hot percent of the pages get HotWrites percent of the requests; 0 and 0 where all are alike.
	Hot, HotWrites int64
	Sequential     bool // one request behind the other, from the first page to the last and again
}

// Patterns are those that are offered.
func Patterns() []Pattern {
	const size = 4 * unit.KiB
	return []Pattern{
		{Name: "block-hot-cold", Title: "blocks, hot and cold", About: "Requests of blocks: 5 % of the data get 95 % of the requests.", Requests: 16e6, Size: size, Hot: 5, HotWrites: 95},
		{Name: "block-uniform", Title: "blocks, at random", About: "Requests of blocks all over the SSD, each as likely as any other.", Requests: 16e6, Size: size},
		{Name: "block-sequential", Title: "blocks, in a row", About: "Requests of blocks one behind the other, over the SSD again and again.", Requests: 16e6, Size: size, Sequential: true},
	}
}

// FindPattern returns the pattern of a name.
func FindPattern(name string) (*Pattern, bool) {
	for _, p := range Patterns() {
		if p.Name == name {
			return &p, true
		}
	}
	return nil, false
}

// PatternKnobs returns the list of every number of a Pattern.
func PatternKnobs() []knob.Knob[Pattern] {
	const source = "ours"
	return []knob.Knob[Pattern]{
		knob.Int(knob.Info{Key: "requests", Label: "Requests", Scale: 1, Min: 1, Max: 1e9, Help: "How many requests of blocks there are at full scale.", Source: source}, func(p *Pattern) *int64 { return &p.Requests }),
		knob.Int(knob.Info{Key: "request_size", Label: "Size of a request", Unit: "KiB", Scale: int64(unit.KiB), Min: 512, Max: int64(16 * unit.MiB), Help: "Each begins at a multiple of it. Below 4 KiB the SSD reads what of a page is not written.", Source: source}, func(p *Pattern) *unit.Bytes { return &p.Size }),
		knob.Int(knob.Info{Key: "request_reads", Label: "Reads", Unit: "%", Scale: 1, Max: 100, Help: "How many of the requests of blocks read; the others write.", Source: source}, func(p *Pattern) *int64 { return &p.Reads }),
		knob.Int(knob.Info{Key: "hot_data", Label: "Hot data", Unit: "%", Scale: 1, Min: 1, Max: 99, Help: "How much of the data is hot, where hot and cold are told apart.", Source: "ours: 5, as Stoica and Ailamaki, Improving Flash Write Performance by Using Update Frequency (VLDB 2013), skew it most"}, func(p *Pattern) *int64 { return &p.Hot }),
		knob.Int(knob.Info{Key: "hot_requests", Label: "Requests of hot data", Unit: "%", Scale: 1, Min: 1, Max: 99, Help: "How many of the requests are about hot data.", Source: "ours: 95"}, func(p *Pattern) *int64 { return &p.HotWrites }),
	}
}

// Uses reports whether a pattern has a number.
func (p *Pattern) Uses(key string) bool {
	return p.Hot > 0 || key != "hot_data" && key != "hot_requests"
}

// Requests returns the workload of a pattern at a scale, over the whole SSD. The error says what
// contradicts.
func Requests(p *Pattern, s *machine.Setup) (*call.Workload, error) {
	var errs []error
	for _, k := range PatternKnobs() {
		if p.Uses(k.Key) {
			errs = append(errs, k.Check(p))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	d := s.Scaled().Device
	pages := int64(d.Capacity / unit.Page)
	sizes := []int64{pages * int64(unit.Page)}
	if p.Hot > 0 {
		hot := pages * p.Hot / 100 * int64(unit.Page)
		sizes = []int64{hot, sizes[0] - hot}
	}
	w := &call.Workload{
		Name: p.Name, Scale: s.Scale, Threads: int(d.Depth), Blocks: true, Unsure: unsureRequests,
		Nodes: []call.Node{{Parent: -1, Dir: true}}, Calls: scaled(p.Requests, s.Scale),
	}
	for _, size := range sizes {
		if size < int64(p.Size) {
			return nil, fmt.Errorf("requests of %v are larger than the data that they are about, %v at this scale: a smaller request_size, or more of the workload (scale) or of the SSD (capacity), would help", p.Size, unit.Bytes(size))
		}
		w.Nodes = append(w.Nodes, call.Node{Size: size})
	}
	w.Most = int32(len(w.Nodes))
	start := func(pass uint64, calls int64) call.Source {
		return &requested{p: *p, sizes: sizes, left: calls, random: rand.New(rand.NewPCG(uint64(s.Seed), pass))}
	}
	w.Start = func() call.Source { return start(0, w.Calls) }
	w.Before = func(pass uint64) call.Source { return start(pass, max(w.Calls, pages)) }
	return w, nil
}

const unsureRequests = "it is about an SSD without a file system"

// A requested is a source of a pattern's requests, for whoever asks.
type requested struct {
	p      Pattern
	sizes  []int64 // by node, from 1 on
	left   int64
	at     int64 // of the next, where they are in a row
	random *rand.Rand
}

// Woken implements call.Source.
func (*requested) Woken() []int32 { return nil }

// Next implements call.Source.
func (r *requested) Next(_ int32, _ unit.Time, c *call.Call) call.State {
	if r.left == 0 {
		return call.Done
	}
	r.left--
	*c = call.Call{Code: call.Write, Node: 1, Flags: call.Direct, Changed: call.Unknown, Length: int64(r.p.Size)}
	if r.random.Int64N(100) < r.p.Reads {
		c.Code = call.Read
	}
	if len(r.sizes) > 1 && r.random.Int64N(100) >= r.p.HotWrites {
		c.Node = 2
	}
	places := r.sizes[c.Node-1] / c.Length
	if r.p.Sequential {
		c.Offset = r.at * c.Length
		r.at = (r.at + 1) % places
		return call.Ready
	}
	c.Offset = r.random.Int64N(places) * c.Length
	return call.Ready
}

// requests makes the workload of a recording of requests.
func requests(w *call.Workload, r *Recording, s *machine.Setup) error {
	list := make([]call.Call, 0, w.Calls)
	at := make([]int, len(r.Threads))
	for _, t := range r.Order {
		c := r.Threads[t][at[t]]
		at[t]++
		switch c.Code {
		case call.Read, call.Write, call.Fsync, call.Fdatasync, call.Truncate:
		default:
			return fmt.Errorf("call %d of thread %d is about a file system, and a recording of requests has none", at[t], t)
		}
		if !s.OpenLoop {
			c.At = 0
		}
		list = append(list, c)
	}
	w.Blocks, w.Threads, w.Calls, w.Unsure = true, max(1, int(s.Device.Depth)), int64(len(list)), unsureRequests
	w.Start = func() call.Source { return &requestedBefore{list} }
	return nil
}

// A requestedBefore is a source of a recording's requests in their order, for whoever asks.
type requestedBefore struct{ left []call.Call }

// Woken implements call.Source.
func (*requestedBefore) Woken() []int32 { return nil }

// Next implements call.Source.
func (r *requestedBefore) Next(_ int32, _ unit.Time, c *call.Call) call.State {
	if len(r.left) == 0 {
		return call.Done
	}
	*c, r.left = r.left[0], r.left[1:]
	return call.Ready
}
