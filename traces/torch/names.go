package torch

import (
	"fmt"
	"slices"

	"spillway/sim/unit"
	"spillway/traces/et"
	"spillway/traces/recording"
	"spillway/traces/roles"
	"spillway/traces/snapshot"
)

// mark gives the blocks of ExecutionTraces the names that roles.json has for them.
func (o *opener) mark() {
	for _, r := range o.roles {
		if r.r.Mark == "" {
			continue
		}
		for _, e := range o.execs {
			blocks := e.t.Marked(r.r.Mark, "aten::detach")
			if len(blocks) == 0 {
				continue
			}
			if len(blocks) != len(r.r.Tensors) {
				o.note("%s and %s do not belong together: the one lists %d tensors, the other %d.", r.name, e.name, len(r.r.Tensors), len(blocks))
				continue
			}
			for i, b := range blocks {
				if t := &r.r.Tensors[i]; b >= 0 {
					e.t.SetName(b, et.Named{Name: t.Name, Kind: t.Kind})
				}
			}
			e.named = r.name
		}
	}
}

// nameAll gives resident memory names, from roles.json or else from a snapshot, and
// says what a missing file would add.
func (o *opener) nameAll() {
	named := 0
	for _, r := range o.recs {
		if r.Label == recording.M {
			continue
		}
		o.batch(r)
		if o.named(r) {
			named++
			continue
		}
		if r.Label == recording.L1m || r.Label == recording.L2 {
			r.Advice = append(r.Advice, "With roles.json of capture.py, or a memory snapshot of the same run, opened together with this file, resident memory would have names.")
		}
	}
	for i := range o.snapshots {
		if s := &o.snapshots[i]; !s.used {
			o.recs = append(o.recs, s.s.Recordings(s.name)...)
		}
	}
	if len(o.snapshots) > 0 && len(o.execs) > 0 && len(o.traces) == 0 {
		o.note("%s and %s were not joined: an ExecutionTrace has no addresses of memory; add the profiler's trace of the same run, recorded with profile_memory=True.", o.execs[0].name, o.snapshots[0].name)
	}
	if len(o.roles) > 0 && named == 0 {
		o.note("%s names memory of a run whose other files are not here, or without memory events: record with capture.py and drop its whole zip.", o.roles[0].name)
	}
}

// batch takes over the samples of a step.
func (o *opener) batch(r *recording.Recording) {
	if len(o.roles) == 1 && r.Batch == 0 && o.roles[0].r.Batch <= 1<<31-1 {
		r.Batch = int(o.roles[0].r.Batch)
	}
}

// named names what is resident in r and reports whether it could.
func (o *opener) named(r *recording.Recording) bool {
	for _, e := range o.execs {
		if e.named != "" && slices.Contains(r.Files, e.name) {
			r.Files = append(r.Files, e.named)
			if r.Label == recording.L2 {
				r.Label = recording.L3
			}
			return true
		}
	}
	if r.Label != recording.L1m && r.Label != recording.L2 {
		return false
	}
	var why reasons
	for _, x := range o.roles {
		list := fromRoles(x.r)
		known := map[uint64]bool{}
		for i := range list {
			known[list[i].Address] = true
		}
		if !o.fits(r, list, known, false, x.name, &why) {
			continue
		}
		if n := residents(r, list); n > 0 {
			r.Label = recording.L3
			r.Files = append(r.Files, x.name)
			r.Notes = append(r.Notes, fmt.Sprintf("%d resident tensors have their names from %s, by their sizes.", n, x.name))
			return true
		}
	}
	o.refused(r.Name, false, why)
	why = reasons{}
	for i := range o.snapshots {
		s := &o.snapshots[i]
		known, history := addresses(s.s, int32(r.Device.ID))
		list := s.s.Residents()
		if !o.fits(r, list, known, history, s.name, &why) {
			continue
		}
		if n := residents(r, list); n > 0 {
			s.used = true
			r.Label = recording.L3
			r.Files = append(r.Files, s.name)
			r.Notes = append(r.Notes, fmt.Sprintf("%d blocks of resident memory were told apart with %s.", n, s.name))
			return true
		}
	}
	o.refused(r.Name, false, why)
	return false
}

// fits reports whether blocks can be of the run of r. known are the addresses that
// the other file knows, of blocks that were freed too where it has those. What the
// trace leaves allocated must be among them, or what it took, or else most of the
// resident bytes must be of tensors whose sizes it has.
func (o *opener) fits(r *recording.Recording, blocks []recording.Resident, known map[uint64]bool, history bool, name string, why *reasons) bool {
	left, found, taken, hit := 0, 0, 0, 0
	if k := o.of[r]; k != nil {
		for i := range k.Blocks {
			b := &k.Blocks[i]
			if b.Device != int32(r.Device.ID) {
				continue
			}
			is := known[b.Address]
			taken++
			if is {
				hit++
			}
			if b.Free < 0 {
				left++
				if is {
					found++
				}
			}
		}
	}
	switch {
	case found > 0 || history && taken > 0 && 2*hit >= taken:
		return true
	case left > 0:
		why.add(name, "the trace leaves %d blocks of memory behind, and at none of their addresses the other file has one, so they are of different runs", left)
		return false
	case history && taken > 0:
		why.add(name, "of the %d blocks that the trace takes only %d are at addresses in the other file, so they are of different runs", taken, hit)
		return false
	}
	all, same := sizes(r, blocks)
	if all == 0 {
		why.add(name, "nothing that is resident in the one has a known size, so it cannot be told whether they are of one run")
		return false
	}
	if 2*same < all {
		why.add(name, "of %d bytes that are resident in the one, tensors of the same size in the other have %d, so they are of different models", all, same)
		return false
	}
	return true
}

// sizes returns the bytes of global tensors in the chosen step, and of those for which
// there are blocks of their size.
func sizes(r *recording.Recording, blocks []recording.Resident) (all, same unit.Bytes) {
	free := map[unit.Bytes]int{}
	for i := range blocks {
		if blocks[i].Device == int32(r.Device.ID) {
			free[whole(blocks[i].Bytes)]++
		}
	}
	if r.Chosen >= len(r.Steps) {
		return 0, 0
	}
	tensors := r.Steps[r.Chosen].Tensors
	for i := range tensors {
		if t := &tensors[i]; t.Global {
			all += t.Bytes
			if free[whole(t.Bytes)] > 0 {
				free[whole(t.Bytes)]--
				same += t.Bytes
			}
		}
	}
	return all, same
}

// addresses returns those of all blocks of a device, and whether some are from the
// snapshot's history.
func addresses(s *snapshot.Snapshot, device int32) (known map[uint64]bool, history bool) {
	known = map[uint64]bool{}
	for i := range s.Devices {
		d := &s.Devices[i]
		if d.ID != device {
			continue
		}
		for j := range d.Blocks {
			known[d.Blocks[j].Address] = true
			history = history || !d.Blocks[j].Before
		}
	}
	return known, history
}

// fromRoles lists the tensors of roles.json as blocks, one for each address.
func fromRoles(r *roles.Roles) (list []recording.Resident) {
	seen := map[uint64]bool{}
	for i := range r.Tensors {
		t := &r.Tensors[i]
		if t.Address == 0 || t.Device == roles.CPU || t.Bytes <= 0 || seen[t.Address] {
			continue
		}
		seen[t.Address] = true
		list = append(list, recording.Resident{Name: t.Name, Kind: t.Kind, Address: t.Address, Bytes: t.Bytes, Device: int32(t.Device)})
	}
	return list
}

// residents gives global tensors the names of blocks of their size, in order, and
// makes tensors of the blocks that are left, as far as memory is unaccounted for. It
// returns how many it placed in the chosen step.
func residents(r *recording.Recording, blocks []recording.Resident) (placed int) {
	for i := range r.Steps {
		n := residentsOf(&r.Steps[i], blocks, int32(r.Device.ID))
		if i == r.Chosen {
			placed = n
		}
	}
	return placed
}

func residentsOf(s *recording.Step, blocks []recording.Resident, device int32) (placed int) {
	free := map[unit.Bytes][]int{} // by size in whole blocks
	for i := range blocks {
		if b := &blocks[i]; b.Device == device && b.Bytes > 0 {
			free[whole(b.Bytes)] = append(free[whole(b.Bytes)], i)
		}
	}
	taken := make([]bool, len(blocks))
	for i := range s.Tensors {
		t := &s.Tensors[i]
		if !t.Global {
			continue
		}
		list := free[whole(t.Bytes)]
		at := slices.IndexFunc(list, func(b int) bool { return !taken[b] && blocks[b].Kind == t.Kind })
		if at < 0 {
			continue
		}
		taken[list[at]] = true
		t.Name = blocks[list[at]].Name
		placed++
	}
	for i := range blocks {
		b := &blocks[i]
		if taken[i] || b.Device != device || b.Bytes <= 0 || whole(b.Bytes) > s.Resident {
			continue
		}
		s.Resident -= whole(b.Bytes)
		s.Tensors = append(s.Tensors, recording.Tensor{Name: b.Name, Bytes: b.Bytes, Kind: b.Kind, Global: true, From: recording.Joined})
		placed++
	}
	return placed
}

// whole is a size in the allocator's blocks of 512 bytes.
func whole(b unit.Bytes) unit.Bytes { return (b + 511) / 512 * 512 }
