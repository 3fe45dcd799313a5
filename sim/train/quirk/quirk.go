// Package quirk lists the accidents of the published G10 simulator as named
// switches. As-published mode turns all of them on and reproduces the
// artifact's numbers; corrected mode turns all of them off and is what the
// paper describes. Code reads a quirk exactly where it matters.
package quirk

import (
	"fmt"
	"math/bits"
	"strings"
)

// A Set is a set of quirks that are switched on.
type Set uint32

// The quirks. The order is stable: it is that of their numbers in documents.
const (
	// Run-time accidents of the paged memory model.

	ProfilePenalty     Set = 1 << iota // fault cost from profiled slowdowns, in whole seconds
	ArrivalOrder                       // "LRU" evicts by arrival
	OverlapFaults                      // a faulting kernel computes while its pages arrive
	DeadWriteback                      // dead pages are written back and read again
	NoPromotion                        // a page queued for prefetch is not promoted when it faults
	FreeSkipsMoving                    // freeing skips pages that are moving
	SymmetricSSD                       // the SSD writes at its read rate
	FasterIteration                    // the faster of the two iterations is reported
	PointerOrder                       // tensors of a kernel are visited in hash order of their addresses
	ZeroBenefit                        // the planner also moves tensors whose move helps nothing
	UnstableSort                       // ties are ordered by the C++ library's sort
	BinaryGigabytes                    // the planner reads GB/s as GiB/s
	DoubleInput                        // tensor 0 is counted twice and never freed
	EagerOvershoot                     // eager prefetch forgets the tensor it is about to add
	WrapSlip                           // the benefit of a wrapping period is off by one kernel
	EmptyWindowBusy                    // an empty SSD window counts as a busy SSD
	WeightsIgnoreLanes                 // wrapping periods go to the SSD and take no bandwidth
	HandTuned                          // per-workload headroom constants
	ArenaForGDS                        // the GDS variants run without page faults in a pool four times too large
	CoarseBatch                        // link shares are whole pages of a small batch
	SSDBenefit                         // the planner weighs every move by the SSD's lanes
	OneLink                            // the planner takes the host's link for the GPU's
	HostPeak                           // host memory that is full at any time is full for the planner
	OwnVictims                         // pages that are needed or prefetched leave all the same
	LinkOvercommit                     // evictions go on when every link's share is used up
	EarlyBatch                         // a batch moves its pages when it begins
	ExactArena                         // the arena draws no kernel time error
	InstantSSD                         // without page faults the SSD has no latency
)

// Published returns all quirks: the artifact as it is.
func Published() Set { return 1<<len(list) - 1 }

// Corrected returns no quirks: the paper as it reads.
func Corrected() Set { return 0 }

// Has reports whether every quirk in q is in s.
func (s Set) Has(q Set) bool { return s&q == q }

// An Entry documents one quirk.
type Entry struct {
	Quirk  Set
	Number int    // stable number in documents
	Key    string // stable name in URLs and on the command line
	Text   string // what the published simulator does, one sentence
	Paper  string // what corrected mode does instead, one sentence
	Source string // where it can be seen
}

// All returns every quirk in numeric order.
func All() []Entry {
	es := make([]Entry, len(list))
	for i, e := range list {
		e.Quirk, e.Number = 1<<i, i+1
		es[i] = e
	}
	return es
}

// Parse reads "published", "corrected", or a comma-separated list of keys.
func Parse(s string) (Set, error) {
	switch s {
	case "published":
		return Published(), nil
	case "corrected", "":
		return Corrected(), nil
	}
	var set Set
next:
	for key := range strings.SplitSeq(s, ",") {
		for _, e := range All() {
			if e.Key == key {
				set |= e.Quirk
				continue next
			}
		}
		return 0, fmt.Errorf("unknown quirk %q; want published, corrected, or names such as %s", key, list[0].Key)
	}
	return set, nil
}

// String is the inverse of Parse.
func (s Set) String() string {
	switch s {
	case Published():
		return "published"
	case Corrected():
		return "corrected"
	}
	keys := make([]string, 0, bits.OnesCount32(uint32(s)))
	for _, e := range All() {
		if s.Has(e.Quirk) {
			keys = append(keys, e.Key)
		}
	}
	return strings.Join(keys, ",")
}

// Inert returns the keys of the settings that change no system's result
// with the quirks in s, because one of them keeps them from being read.
func (s Set) Inert() []string {
	var keys []string
	if s.Has(SymmetricSSD) {
		keys = append(keys, "ssd_write")
	}
	if s.Has(ProfilePenalty) {
		keys = append(keys, "fault_batch")
	}
	if s != Corrected() { // what publications do not have
		keys = append(keys, "spare")
	}
	return keys
}

const (
	runtime   = "G10 artifact, run-time simulator"
	scheduler = "G10 artifact, migration scheduler"
)

var list = [...]Entry{
	{
		Key: "profile-penalty", Source: runtime + ", fault time model",
		Text:  "A kernel that faults is charged a penalty derived from profiled slowdowns truncated to whole seconds, unallocated pages charged like host pages; an infinite penalty becomes zero.",
		Paper: "Each batch of page faults costs the page fault latency, plus the SSD latency when SSD pages are in it; a fresh page faults only when no memory is free.",
	},
	{
		Key: "arrival-order", Source: runtime + ", eviction",
		Text:  "The policy named LRU evicts pages in the order they arrived; using a page does not renew it.",
		Paper: "A kernel that starts renews the pages it uses.",
	},
	{
		Key: "overlap-faults", Source: runtime + ", kernel begin",
		Text:  "A kernel that waits for page faults executes during the wait.",
		Paper: "A kernel executes after its pages have arrived.",
	},
	{
		Key: "dead-writeback", Source: runtime + ", eviction",
		Text:  "Pages of dead tensors stay until they are evicted; Base UVM and G10 then write them to the host and fetch the stale copies again next iteration.",
		Paper: "Pages of dead tensors are dropped: freed when the tensor dies.",
	},
	{
		Key: "no-promotion", Source: runtime + ", kernel begin",
		Text:  "A page that waits in a prefetch queue keeps its place when the kernel that needs it blocks.",
		Paper: "A needed page moves to the front, ahead of other prefetches.",
	},
	{
		Key: "free-skips-moving", Source: runtime + ", hints",
		Text:  "Freeing a tensor skips its pages that are queued to move; they stay behind as garbage.",
		Paper: "Freeing a tensor cancels its queued moves.",
	},
	{
		Key: "symmetric-ssd", Source: runtime + ", batch limits",
		Text:  "The SSD writes as fast as it reads.",
		Paper: "Writes run at the SSD's write rate.",
	},
	{
		Key: "faster-iteration", Source: "G10 artifact, scripts that gather results",
		Text:  "Two iterations run and the faster one is reported, even when it is the cold first one.",
		Paper: "The second, warm iteration is reported.",
	},
	{
		Key: "pointer-order", Source: "G10 artifact, sets of tensor pointers",
		Text:  "The tensors of a kernel are visited in an order that follows their addresses in the simulator's memory.",
		Paper: "They are visited in argument order.",
	},
	{
		Key: "zero-benefit", Source: scheduler,
		Text:  "While any kernel is above 99 % of capacity, tensors are moved even when the move relieves nothing.",
		Paper: "A move must help. Where none does, kernels wait for what the links cannot carry in time, and what may be missing is prefetched before its use.",
	},
	{
		Key: "unstable-sort", Source: scheduler,
		Text:  "Candidates with equal benefit are ordered by the internals of the C++ library's sort.",
		Paper: "Ties keep tensor order.",
	},
	{
		Key: "binary-gigabytes", Source: scheduler,
		Text:  "The planner reads GB/s as GiB/s while the run-time simulator reads it as 10⁹ B/s.",
		Paper: "One GB/s is 10⁹ B/s everywhere.",
	},
	{
		Key: "double-input", Source: scheduler,
		Text:  "The first tensor is counted twice in the planner's memory estimate and never freed.",
		Paper: "Every tensor is counted once and freed when it dies.",
	},
	{
		Key: "eager-overshoot", Source: scheduler,
		Text:  "A prefetch is moved earlier while memory without the tensor is below the target, and memory is mapped ahead of a tensor's birth whatever is there.",
		Paper: "Both happen earlier only while the tensor fits.",
	},
	{
		Key: "wrap-slip", Source: scheduler,
		Text:  "The benefit of a period that wraps into the next iteration sums over shifted kernels, one of them negative.",
		Paper: "It sums over the kernels of the period.",
	},
	{
		Key: "empty-window-busy", Source: scheduler,
		Text:  "When the time window for testing the SSD is empty, the SSD counts as busy and the host is chosen.",
		Paper: "An empty window counts as free.",
	},
	{
		Key: "weights-ignore-lanes", Source: scheduler,
		Text:  "Long periods that wrap (weights) always go to the SSD and are charged no bandwidth.",
		Paper: "They choose a destination and take bandwidth like all others.",
	},
	{
		Key: "hand-tuned", Source: scheduler,
		Text:  "Capacity headroom is multiplied by constants set for single workloads (BERT-512 1.394, ViT-1280 1.1 at 6.4 GB/s, GDS variants 1.06 and 1.27, FlashNeuron ViT-1024 0.993).",
		Paper: "The headroom is 1 % for every workload.",
	},
	{
		Key: "arena-for-gds", Source: "G10 artifact, second simulator inside the analysis",
		Text:  "G10-GDS and G10-Host run without page faults in a pool four times the GPU; kernels may start before a prefetch has finished and evicted weights come back for free.",
		Paper: "They run on the same engine as all others.",
	},
	{
		Key: "coarse-batch", Source: runtime + ", derived constants",
		Text:  "A link's share of a 50-page batch is cut to whole pages: a 3.2 GB/s SSD moves 3.15 GB/s, a slow one nothing at all; free memory too is mapped batch by batch.",
		Paper: "The batch is doubled until every link that is in use has a share of 32 pages or more; a kernel maps free memory at once.",
	},
	{
		Key: "ssd-benefit", Source: scheduler,
		Text:  "What a move helps is judged by when the SSD could carry the tensor, even when it will go to host memory; a busy SSD ends the plan while the host is empty.",
		Paper: "Each destination is judged by the links that lead to it.",
	},
	{
		Key: "one-link", Source: scheduler,
		Text:  "SSD traffic is charged to the host's link, and so is all of the GPU's.",
		Paper: "SSD and host have their own links and share the GPU's.",
	},
	{
		Key: "host-peak", Source: scheduler,
		Text:  "Host memory counts as full for every move when it is full at any time of the iteration.",
		Paper: "It must have room while the tensor is there.",
	},
	{
		Key: "own-victims", Source: runtime + ", eviction",
		Text:  "Pages that the current kernel uses are evicted like any others while it waits for the rest of them or runs, in turns if it needs nearly all memory; pages that are queued to leave do so although they are prefetched or needed meanwhile. All are fetched again.",
		Paper: "A kernel's pages stay until it has ended, and pages that are wanted again do not leave.",
	},
	{
		Key: "link-overcommit", Source: runtime + ", eviction",
		Text:  "When a batch has used up what it may write to the host, victims go to the SSD though the host has room; when that is used up too, they go on to the host as far as the GPU link carries. A faulting kernel reads without limit from an SSD whose share is nothing.",
		Paper: "Victims go to the SSD when the host is full. No link moves more than its rate allows; what cannot leave waits for the next batch.",
	},
	{
		Key: "early-batch", Source: runtime + ", batch event",
		Text:  "A batch moves its pages when it begins, so that the first one of a run takes no time.",
		Paper: "Its pages have moved when it ends.",
	},
	{
		Key: "exact-arena", Source: "G10 artifact, main program",
		Text:  "The second simulator, in which FlashNeuron, G10-GDS and G10-Host run, ends the program before an error of kernel times is drawn.",
		Paper: "The error disturbs every system.",
	},
	{
		Key: "instant-ssd", Source: "G10 artifact, second simulator inside the analysis",
		Text:  "Systems without page faults reach the SSD with no latency.",
		Paper: "A transfer pays the SSD's latency when none was under way in its direction; else it was asked for meanwhile.",
	},
}
