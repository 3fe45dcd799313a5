package cxlssd

import (
	"strconv"

	"spillway/sim/hash"
	"spillway/sim/unit"
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
	t.Int("cores", int64(r.Cores))
	t.Int("time_ps", int64(r.Time))
	hash.Ints(&t, "core_times_ps", r.CoreTimes)
	hash.Counts(&t, "ledger_ps", r.Ledger[:])
	hash.Counts(&t, "requests", r.Requests[:])
	hash.Counts(&t, "bill_ps", r.Bill[:])
	t.Name("bill_of_ps")
	t.Open('{')
	for kind := range r.BillOf {
		if r.BillOf[kind] != ([Parts]unit.Time{}) {
			hash.Counts(&t, strconv.Itoa(kind), r.BillOf[kind][:])
		}
	}
	t.Close('}')
	t.Int("writes", r.Writes)
	t.Int("switches", r.Switches)
	t.Int("repeated", r.Repeated)
	t.Int("stores", r.Stores)
	t.Int("user_reads", r.UserReads)
	t.Int("compaction_reads", r.CompactionReads)
	t.Int("collection_reads", r.CollectionReads)
	t.Int("user_read_time_ps", int64(r.UserReadTime))
	t.Int("eviction_programs", r.EvictionPrograms)
	t.Int("compaction_programs", r.CompactionPrograms)
	t.Int("demotion_programs", r.DemotionPrograms)
	t.Int("collection_programs", r.CollectionPrograms)
	t.Int("erases", r.Erases)
	hash.Ints(&t, "channel_busy_ps", r.ChannelBusy)
	t.Int("slots", r.Slots)
	t.Int("appends", r.Appends)
	t.Int("replaced", r.Replaced)
	t.Int("compactions", r.Compactions)
	hash.Counts(&t, "merged", r.Merged[:])
	t.Int("warm_programs", r.WarmPrograms)
	t.Int("warm_reads", r.WarmReads)
	t.Int("promotions", r.Promotions)
	t.Int("demotions", r.Demotions)
	t.Int("host_pages", r.HostPages)
	t.Int("promote_at", r.PromoteAt)
	hash.Counts(&t, "lines_read", r.LinesRead[:])
	hash.Counts(&t, "lines_written", r.LinesWritten[:])
	t.Int("dirty_lines", r.DirtyLines)
	t.Int("lines_programmed", r.LinesProgrammed)
	t.Int("lines_in_host", r.LinesInHost)
	t.Int("lines_in_device", r.LinesInDevice)
	t.Int("lines_overwritten", r.LinesOverwritten)
	t.Int("lines_lost", r.LinesLost)
	t.Int("on_chip_ps", int64(r.OnChip))
	t.Int("footprint_pages", r.Footprint)
	hash.List(&t, "samples", r.Samples, sample)
	if r.Script != nil {
		t.Name("script")
		t.Open('{')
		r.Script.Named.Freeze(&t)
		r.Script.Spent.Freeze(&t)
		t.Close('}')
	}
	if r.GaveUp != "" {
		t.String("gave_up", r.GaveUp)
	}
	t.Close('}')
	return t
}

func sample(t *hash.Text, s *Sample) {
	t.Open('{')
	t.Int("at_ps", int64(s.At))
	t.Int("log_slots", s.Log)
	t.Int("backlog_ps", int64(s.Backlog))
	t.Int("flash_programs", s.Programs)
	t.Int("flash_reads", s.Reads)
	t.Close('}')
}
