package filesys

import (
	"strconv"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/plan"
	"spillway/sim/hash"
)

// Hash returns the SHA-256 of what r holds, in hexadecimal. Equal results have equal hashes
// on every platform and in every version of this program: what is hashed is listed here. A
// fact that results learn to hold later is not in it.
func Hash(r *Result) string { return hash.Sum(frozen(r)) }

// frozen returns r as text that never changes. What is counted by kind is written by the
// kind's number, so new kinds come last.
func frozen(r *Result) []byte {
	var t hash.Text
	t.Open('{')
	t.String("system", r.System)
	t.String("workload", r.Workload)
	t.Int("scale", r.Scale)
	t.Int("threads", int64(r.Threads))
	t.Int("time_ps", int64(r.Time))
	t.Int("calls", r.Calls)
	t.Int("failed", r.Failed)
	hash.Counts(&t, "asked_bytes", r.Asked[:])
	tallies(&t, &r.Tallies)
	hash.Counts(&t, "read_latency", r.ReadLatency[:])
	t.Int("longest_read_ps", int64(r.Longest))
	hash.Counts(&t, "ledger_ps", r.Ledger[:])
	t.Int("ended_ps", int64(r.Ended))
	counts(&t, "device", &r.Device)
	counts(&t, "left", &r.Left)
	t.Int("left_in_dram_pages", r.LeftInDRAM)
	t.Int("cache_hits", r.Hits)
	t.Int("cache_misses", r.Misses)
	t.Int("sent_nothing", r.SentNothing)
	t.Int("sent_bytes", r.SentBytes)
	t.Int("sent_blocks", r.SentBlocks)
	t.Int("duplicates", r.Duplicates)
	t.Int("cached", r.Cached)
	t.Int("commits", r.Commits)
	hash.List(&t, "samples", r.Samples, sample)
	if r.Requests != nil { // which no file system has
		requests(&t, r)
	}
	t.Close('}')
	return t
}

// tallies writes what calls did, by code; those that nobody made are left out.
func tallies(t *hash.Text, all *[call.Codes]Tally) {
	t.Name("tallies")
	t.Open('{')
	for code := range all {
		x := &all[code]
		if *x == (Tally{}) {
			continue
		}
		t.Name(strconv.Itoa(code))
		t.Open('{')
		t.Int("count", x.Count)
		t.Int("time_ps", int64(x.Time))
		moved(t, "bytes", &x.Bytes)
		t.Close('}')
	}
	t.Close('}')
}

// moved writes what moved, by structure, interface and direction.
func moved(t *hash.Text, key string, all *[plan.Structures][device.Interfaces][device.Directions]int64) {
	t.Name(key)
	t.Open('{')
	for s := range all {
		for i := range all[s] {
			for way, n := range all[s][i] {
				if n != 0 {
					t.Int(strconv.Itoa(s)+"."+strconv.Itoa(i)+"."+strconv.Itoa(way), n)
				}
			}
		}
	}
	t.Close('}')
}

// counts writes what a device did.
func counts(t *hash.Text, key string, c *device.Counts) {
	t.Name(key)
	t.Open('{')
	moved(t, "bytes", &c.Bytes)
	moved(t, "accesses", &c.Accesses)
	hash.Counts(t, "flash_reads", c.FlashReads[:])
	hash.Counts(t, "flash_programs", c.FlashPrograms[:])
	hash.Counts(t, "programmed", c.Programmed[:])
	t.Int("erases", c.Erases)
	t.Int("commits", c.Commits)
	t.Int("appended", c.Appended)
	t.Int("replaced", c.Replaced)
	t.Int("voided", c.Voided)
	t.Int("carried", c.Carried)
	t.Int("log_hits", c.LogHits)
	t.Int("log_partial", c.LogPartial)
	t.Int("swaps", c.Swaps)
	hash.Counts(t, "merged", c.Merged[:])
	t.Int("full", c.Full)
	t.Int("buffer_hits", c.BufferHits)
	t.Int("buffer_misses", c.BufferMisses)
	if c.Promoted != 0 { // which results learned to hold later
		t.Int("promoted", c.Promoted)
	}
	hash.Ints(t, "busy_ps", c.Busy)
	t.Close('}')
}

// requests writes what is known of an SSD by itself.
func requests(t *hash.Text, r *Result) {
	hash.Counts(t, "collecting_ps", r.Collecting[:])
	t.Name("requests")
	t.Open('{')
	for way := range r.Requests.Of {
		w := &r.Requests.Of[way]
		t.Name(strconv.Itoa(way))
		t.Open('{')
		hash.Counts(t, "took_ps", w.Took[:])
		hash.Counts(t, "collecting_ps", w.Collecting[:])
		t.Int("worst_ps", int64(w.Worst))
		t.Int("worst_collecting_ps", int64(w.WorstCollecting))
		t.Int("worst_at_ps", int64(w.WorstAt))
		t.Close('}')
	}
	t.Int("least_erases", r.Requests.Least)
	t.Int("erases", r.Requests.Erases)
	t.Int("most_erases", r.Requests.Most)
	t.Int("blocks", r.Requests.Blocks)
	t.Close('}')
}

func sample(t *hash.Text, s *Sample) {
	t.Open('{')
	t.Int("at_ps", int64(s.At))
	t.Int("calls", s.Calls)
	t.Int("log_bytes", s.Log)
	t.Bool("cleaning", s.Cleaning)
	t.Int("dirty_pages", s.Dirty)
	t.Int("flash_reads", s.Reads)
	t.Int("flash_programs", s.Programs)
	t.Int("cached_pages", s.Cached)
	t.Int("duplicate_pages", s.Duplicates)
	t.Close('}')
}
