package promise

import (
	"slices"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/crash"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
)

// Paces are how long a program waits before each call: as quick as it can; so long that a
// journal commits between any two; so long that dirty pages are written and checkpoints made.
func Paces(s *machine.Setup) []unit.Time {
	h := &s.Host
	return []unit.Time{0, h.Commit * 7 / 5, max(h.Commit, h.Checkpoint, h.Expire) * 7 / 6}
}

// Machine returns a small machine for short lists of calls, with what of a setup decides what
// is durable when.
func Machine(s *machine.Setup) *machine.Setup {
	m := *s
	m.Scale, m.Payload, m.OpenLoop, m.Quirks = 1, machine.Random, false, 0
	m.Warm, m.KeepF2FS, m.Loaded, m.Prepared = false, false, false, false
	d := machine.Default()
	m.Device.Capacity, m.Device.DRAM = unit.GiB, 4*unit.MiB
	m.Device.Channels, m.Device.Pages = d.Device.Channels, d.Device.Pages
	m.Device.Old, m.Device.CollectAt, m.Device.CollectUntil = 0, d.Device.CollectAt, d.Device.CollectUntil
	m.Host.Cache, m.Host.OwnCache, m.Host.Journal = 64*unit.MiB, 0, 16*unit.MiB
	return &m
}

// A Trial is a run at a pace, and what was found.
type Trial struct {
	Pace    unit.Time
	History *History
	Found   *Found
}

// Try runs a recording on a system at every pace, and looks for broken promises.
func Try(r *load.Recording, s *machine.Setup, system string, search Search, paces ...unit.Time) ([]Trial, error) {
	var list []Trial
	for _, pace := range paces {
		h, err := Record(r, s, system, pace)
		if err != nil {
			return nil, err
		}
		list = append(list, Trial{pace, h, Look(h, search)})
	}
	return list, nil
}

// Record runs a recording on a system at a pace, and then as long as its timers need to make
// all durable, and returns its history.
func Record(r *load.Recording, s *machine.Setup, system string, pace unit.Time) (*History, error) {
	paced := *r
	paced.Threads = make([][]call.Call, len(r.Threads))
	calls := int64(0)
	for i, t := range r.Threads {
		paced.Threads[i] = slices.Clone(t)
		for k := range t {
			paced.Threads[i][k].Think += pace
		}
		calls += int64(len(t))
	}
	w, err := load.Replay(&paced, s)
	if err != nil {
		return nil, err
	}
	idle := unit.Time(calls)*pace + 2*max(s.Host.Commit, s.Host.Checkpoint, s.Host.Expire)
	run, err := crash.Record(w, s, system, calls, idle)
	if err != nil {
		return nil, err
	}
	return New(run, s)
}

// Shorten leaves calls out of a recording of one thread as long as a promise of a kind is still
// broken at a pace, and returns what is left, with its trial.
func Shorten(r *load.Recording, s *machine.Setup, system string, search Search, kind Kind, pace unit.Time) (*load.Recording, *Trial, error) {
	has := func(r *load.Recording) *Trial {
		list, err := Try(r, s, system, search, pace)
		if err != nil || !slices.ContainsFunc(list[0].Found.Breaks, func(b Break) bool { return b.Kind == kind }) {
			return nil
		}
		return &list[0]
	}
	best, trial := r, has(r)
	if len(r.Threads) != 1 || trial == nil {
		list, err := Try(r, s, system, search, pace)
		if err != nil {
			return nil, nil, err
		}
		return r, &list[0], nil
	}
	for i := len(best.Threads[0]) - 1; i >= 0 && len(best.Threads[0]) > 1; i-- {
		less := *best
		less.Threads = [][]call.Call{slices.Delete(slices.Clone(best.Threads[0]), i, i+1)}
		less.Order = make([]int32, len(less.Threads[0]))
		if t := has(&less); t != nil {
			best, trial = &less, t
		}
	}
	return best, trial, nil
}
