// Package snapshot reads what PyTorch records of GPU memory alone: CUDA memory
// snapshots (torch.cuda.memory._dump_snapshot), as pickle or as the same JSON, and
// the profiler's memory timelines. They show memory over time by role; they have
// no kernels, so nothing is simulated of them alone. Beside a profiler's trace of
// the same run a snapshot names resident blocks by their addresses.
//
// Of call stacks only the role of an allocation is kept.
package snapshot

import (
	"fmt"

	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// A Snapshot is what is kept of a file.
type Snapshot struct {
	Devices     []Device // those with anything to show, by number
	Annotations int      // how many ends of named ranges it has
	Notes       []string
}

// A Device is the memory of one GPU.
type Device struct {
	ID          int32
	Segments    int // that the allocator held at the end
	Pieces      Pieces
	Entries     int // of the recorded history, all kinds
	Allocations int // of the history
	Frees       int // of the history, completed
	LevelBefore unit.Bytes
	Peak        unit.Bytes
	Blocks      []Block // those from before the history first, then as they were taken
	Notes       []string
	picture     recording.Picture
}

// Pieces is what the allocator holds at the end and nobody uses.
type Pieces struct {
	Reserved unit.Bytes // of the driver, used or not
	Free     unit.Bytes // of Reserved
	Largest  unit.Bytes // piece of Free
	Count    int
}

// A Block is a piece of memory from its allocation to its free.
type Block struct {
	Address   uint64
	Bytes     unit.Bytes // as the allocator counts them, in units of 512
	Requested unit.Bytes
	Role      Role
	Before    bool  // taken before the history begins
	From, To  int32 // entries of the history that took and freed it; -1 for before and for never
}

// A Role is what a block was taken for, as its call stack suggests.
type Role uint8

// The roles, in the order in which pictures have them.
const (
	Earlier   Role = iota // taken before the history begins, so without a call stack
	Model                 // building, loading or moving a model
	Optimizer             // inside an optimizer's step
	Forward               // inside a module's forward
	Backward              // inside autograd
	Other
	roles
)

// String returns the role's name in pictures.
func (r Role) String() string {
	return [...]string{"before the recording", "model", "optimizer", "forward", "backward", "other"}[r]
}

// kind is what a resident block of the role most likely holds.
func (r Role) kind() workload.Kind {
	switch r {
	case Earlier, Model:
		return workload.Weight
	case Optimizer:
		return workload.Optimizer
	case Backward:
		return workload.Gradient
	}
	return workload.Intermediate
}

// Residents returns the blocks that are alive at the end of the recording. Their
// names number those of a role, because a snapshot has no names.
func (s *Snapshot) Residents() []recording.Resident {
	var all []recording.Resident
	for i := range s.Devices {
		var count [roles]int
		d := &s.Devices[i]
		for j := range d.Blocks {
			b := &d.Blocks[j]
			if b.To >= 0 {
				continue
			}
			count[b.Role]++
			all = append(all, recording.Resident{
				Name: fmt.Sprintf("%v %d", b.Role, count[b.Role]), Kind: b.Role.kind(),
				Address: b.Address, Bytes: b.Bytes, Device: d.ID,
			})
		}
	}
	return all
}

// Recordings returns a picture of memory for each device. name is the file's,
// without folders.
func (s *Snapshot) Recordings(name string) []*recording.Recording {
	list := make([]*recording.Recording, len(s.Devices))
	for i := range s.Devices {
		d := &s.Devices[i]
		title := name
		if len(s.Devices) > 1 {
			title = fmt.Sprintf("%s, GPU %d", name, d.ID)
		}
		list[i] = &recording.Recording{
			Name: title, Format: "CUDA memory snapshot", Files: []string{name}, Label: recording.M,
			Device:  recording.Device{ID: int(d.ID)},
			Memory:  recording.Memory{Known: true, LevelBefore: d.LevelBefore, Peak: d.Peak, Allocations: d.Allocations},
			Notes:   append(append([]string(nil), s.Notes...), d.Notes...),
			Advice:  []string{"A memory snapshot has no kernels, so there is nothing to simulate. Record the PyTorch profiler in the same run, as capture.py does, and drop both: the snapshot then names the memory that was resident."},
			Picture: d.picture,
		}
	}
	return list
}
