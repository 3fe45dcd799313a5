package cxlssd

import "spillway/sim/policy"

// The features of the expander's place, in its order.
const (
	featHits = iota
	featRead
	featWritten
	featDirty
	featLogged
	featAge
	featMost
	featReset
	featRoom
	featCapacity
	featPromoted
	featLogUsed
	featLogSlots
	featLogHalf
	featBacklog
	featWait
	featThreshold
	featMerged
	featLatencyKnown
	featWaiting
	featCores
	featNow
	featTotal
	featDials // p1 to p4
)

// thing is what most rules of the expander are about.
const thing = "page"

// Asks is what the expander and its host ask a policy of somebody's own, and what they let it know. Names and
// meanings stay for ever: links have them.
func Asks() *policy.Place {
	p := &policy.Place{
		Lab: "cxlssd", Title: "CXL-SSD",
		Without: "the system Own design",
		Rules: []policy.Rule{
			{Name: "promote", Thing: thing, Condition: true, Help: "Whether a page of the device's cache that was just hit moves to host DRAM, where the page that was used the longest ago leaves. Without it: as Promotion (P) of Own design says."},
			{Name: "switch", Thing: thing, Condition: true, Help: "Whether a load that has to wait for flash gives its core to another thread; with it there are as many threads as the workload has for designs that switch. Without it: as Context switches (C) of Own design says."},
			{Name: "compact", Condition: true, Help: "Whether the write log is compacted now, asked after every line that it takes while it is not; one that is full is compacted anyway, and of two logs that take turns only one that is full. With it there is a log. Without it: when half of it is full, if Write log (W) of Own design has one."},
		},
		Events: []policy.Event{
			{Name: "access", Thing: thing, Help: "A request asks the device for a line that is not a write into the log."},
			{Name: "hit", Thing: thing, Help: "It finds the page in the device's cache, ready; promote has decided already, and promoted says how."},
			{Name: "miss", Thing: thing, Help: "The page is nowhere but in flash, and comes into the device's cache."},
			{Name: "promoted", Thing: thing, Help: "The page moved to host DRAM."},
			{Name: "evicted", Thing: thing, Help: "The page left the device's cache for another that is read."},
		},
		Features: append([]policy.Feature{
			featHits:         {Name: "hits", Thing: thing, Live: true, Help: "How often the page was hit since it came into the device's cache, this time included; 0 elsewhere."},
			featRead:         {Name: "read", Thing: thing, Unit: "lines", Live: true, Help: "How many of its 64 lines were read since it came into the device's cache."},
			featWritten:      {Name: "written", Thing: thing, Unit: "lines", Live: true, Help: "How many of its 64 lines were written since it came into the device's cache."},
			featDirty:        {Name: "dirty", Thing: thing, Unit: "lines", Live: true, Help: "How many of its lines are newer in the device's cache than in flash; with a log those are in the log, and this is 0."},
			featLogged:       {Name: "logged", Thing: thing, Unit: "lines", Live: true, Help: "How many of its lines are in the log."},
			featAge:          {Name: "age", Thing: thing, Unit: "s", Live: true, Help: "Time since flash had read it into the cache; since the run began if it was there then, 0 elsewhere."},
			featMost:         {Name: "most", Constant: true, Help: "The setting Promote at."},
			featReset:        {Name: "reset", Constant: true, Help: "The setting Counters start over after."},
			featRoom:         {Name: "room", Unit: "pages", Live: true, Help: "Host DRAM that nothing is in; where it is 0, a promoted page takes the place of another."},
			featCapacity:     {Name: "capacity", Constant: true, Unit: "pages", Help: "Host DRAM for promoted pages."},
			featPromoted:     {Name: "promoted", Thing: thing, Condition: true, Live: true, Help: "In hit: the page moves to host DRAM. In rules it is no."},
			featLogUsed:      {Name: "log_used", Unit: "slots", Live: true, Help: "Slots of the log that are taken, a line each, those of lines that were written again included."},
			featLogSlots:     {Name: "log_slots", Constant: true, Unit: "slots", Help: "Slots that the log has."},
			featLogHalf:      {Name: "log_half", Constant: true, Unit: "slots", Help: "Half of them, where compaction begins without a policy."},
			featBacklog:      {Name: "backlog", Unit: "s", Live: true, Help: "Work that is queued on the busiest part of the flash."},
			featWait:         {Name: "wait", Unit: "s", Live: true, Help: "In switch: how long the load has to wait for flash, as far as the device knows: what is left of the read of a page on its way, and of another the true time with the switch true-latency, else what the lengths of queues make it guess, 1e18 while garbage collection is in its way."},
			featThreshold:    {Name: "threshold", Constant: true, Unit: "s", Help: "The setting Switch threshold."},
			featMerged:       {Name: "merged", Condition: true, Live: true, Help: "In switch: the page is on its way for another load."},
			featLatencyKnown: {Name: "latency_known", Constant: true, Condition: true, Help: "The switch true-latency is on: a device knows how long a load will wait."},
			featWaiting:      {Name: "waiting", Unit: "threads", Live: true, Help: "Threads that wait for a core, whether or not what they asked for is there."},
			featCores:        {Name: "cores", Constant: true, Help: "Cores that the threads have."},
			featNow:          {Name: "now", Unit: "s", Live: true, Help: "Simulated time; 0 while the log is warmed before the run."},
			featTotal:        {Name: "total", Thing: thing, Future: true, Help: "How many requests all threads have for the page, from the first to the last."},
		}, policy.DialFeatures()...),
		Examples: examples(),
	}
	for i := featDials; i < len(p.Features); i++ {
		p.Features[i].Constant = true
	}
	for i := range Systems {
		p.Taken = append(p.Taken, Systems[i].Title)
	}
	return p
}
