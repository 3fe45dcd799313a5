package snapshot

import (
	"errors"
	"fmt"

	"spillway/traces/pickle"
)

// fromPickle takes a snapshot out of a pickle.
func fromPickle(d *pickle.Doc) (*Snapshot, error) {
	// Only call stacks are in several places, and each is read once.
	p := pickled{d: d, w: d.Walk(4*d.Size() + 1e6), raw: newRaw(), stacks: map[pickle.Value]stack{}}
	if d.Kind(d.Root) != pickle.Dict {
		return nil, fmt.Errorf("not a CUDA memory snapshot: the pickle is %v; want a dictionary with segments and device_traces", d.Kind(d.Root))
	}
	if err := p.read(); err != nil {
		return nil, err
	}
	if p.w.Exhausted() {
		return nil, errors.New("the pickle contains the same values so often that it would never end")
	}
	s, err := p.raw.snapshot()
	if err == nil && d.Rest >= 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("What stands behind the end of the snapshot, from byte %d, was not read.", d.Rest))
	}
	return s, err
}

type pickled struct {
	d      *pickle.Doc
	w      *pickle.Walk
	raw    *raw
	stacks map[pickle.Value]stack // call stacks are shared; each is read once
}

// A stack is what a call stack tells.
type stack struct {
	role   Role
	framed bool
}

func (p *pickled) read() error {
	r := p.raw
	for k, v := range p.w.Pairs(p.d.Root) {
		var err error
		switch p.d.Text(k) {
		case "segments":
			r.found = true
			err = p.segments(v)
		case "device_traces":
			r.found = true
			err = p.traces(v)
		case "allocator_settings":
			for k, v := range p.w.Pairs(v) {
				switch p.d.Text(k) {
				case "trace_alloc_overflowed":
					r.overflow = r.overflow || p.d.Kind(v) == pickle.True
				case "trace_alloc_max_entries":
					r.most, _ = p.d.Int(v)
				}
			}
		case "external_annotations":
			p.annotations(v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *pickled) segments(list pickle.Value) error {
	for v := range p.w.Items(list) {
		s := seg{}
		for k, v := range p.w.Pairs(v) {
			switch p.d.Text(k) {
			case "address":
				s.address, _ = p.d.Uint(v)
			case "device":
				n, ok := p.d.Int(v)
				s.device = deviceNumber(n, ok)
			case "blocks":
				s.blocks = s.blocks[:0] // the later of two keys counts
				for v := range p.w.Items(v) {
					s.blocks = append(s.blocks, p.block(v))
				}
			}
		}
		if err := p.raw.keep(&s); err != nil {
			return err
		}
	}
	return nil
}

// deviceNumber returns a device's number, -1 if it cannot be one.
func deviceNumber(n int64, ok bool) int32 {
	if !ok || n < 0 || n >= maxDevices {
		return -1
	}
	return int32(n)
}

func (p *pickled) block(v pickle.Value) (b block) {
	for k, v := range p.w.Pairs(v) {
		switch p.d.Text(k) {
		case "address":
			b.address, b.addressed = p.d.Uint(v)
		case "size":
			b.bytes, _ = p.d.Int(v)
		case "requested_size":
			b.requested, _ = p.d.Int(v)
		case "state":
			b.inUse = inUse(p.d.Text(v))
		}
	}
	return b
}

func (p *pickled) traces(list pickle.Value) error {
	for t := range p.w.Items(list) {
		device, err := p.raw.device()
		if err != nil {
			return err
		}
		for v := range p.w.Items(t) {
			if p.d.Kind(v) != pickle.Dict {
				continue
			}
			if err := p.raw.add(device, p.entry(v)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *pickled) entry(v pickle.Value) entry {
	e := entry{bytes: -1, role: Other}
	for k, v := range p.w.Pairs(v) {
		switch p.d.Text(k) {
		case "action":
			e.action = actionOf(p.d.Text(v))
		case "addr":
			e.address, _ = p.d.Uint(v)
		case "size":
			e.bytes = -1
			if n, ok := p.d.Int(v); ok {
				e.bytes = n
			}
		case "time_us":
			e.time, _ = p.d.Int(v)
		case "frames":
			s := p.stack(v)
			e.role, e.framed = s.role, s.framed
		}
	}
	return e
}

// stack reads a call stack, the innermost function first.
func (p *pickled) stack(list pickle.Value) stack {
	s, ok := p.stacks[list]
	if ok {
		return s
	}
	s.role = Other
	for v := range p.w.Items(list) {
		s.framed = true
		var name, file string
		for k, v := range p.w.Pairs(v) {
			switch p.d.Text(k) {
			case "name":
				name = p.d.Text(v)
			case "filename":
				file = p.d.Text(v)
			}
		}
		if role, ok := roleOf(name, file); ok {
			s.role = role
			break
		}
	}
	p.stacks[list] = s
	return s
}

func (p *pickled) annotations(list pickle.Value) {
	for v := range p.w.Items(list) {
		var a annotation
		for k, v := range p.w.Pairs(v) {
			switch p.d.Text(k) {
			case "name":
				a.optimizer = optimizing(p.d.Text(v))
			case "stage":
				a.start = p.d.Text(v) == "START"
			case "time_us":
				a.time, _ = p.d.Int(v)
			}
		}
		p.raw.annotate(a)
	}
}
