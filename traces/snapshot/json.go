package snapshot

import (
	"io"
	"strconv"

	"spillway/traces/jsonstream"
)

// readJSON reads a snapshot as JSON.
func readJSON(in io.Reader, tell func(int64)) (*Snapshot, error) {
	j := streamed{Reader: jsonstream.NewReader(in, tell), raw: newRaw()}
	r := j.raw
	if j.Peek() == jsonstream.Object && j.Object() {
		for k, ok := j.Key(); ok; k, ok = j.Key() {
			switch string(k) {
			case "segments":
				r.found = true
				j.segments()
			case "device_traces":
				r.found = true
				j.traces()
			case "allocator_settings":
				j.settings()
			case "external_annotations":
				j.annotations()
			default:
				j.Skip()
			}
		}
	}
	if err := j.Err(); err != nil {
		return nil, err
	}
	s, err := r.snapshot()
	if err == nil && j.Cut() {
		s.Notes = append(s.Notes, "The file was cut off; what is in it was read.")
	}
	return s, err
}

type streamed struct {
	*jsonstream.Reader
	raw *raw
}

// fail stops reading if err is one.
func (j *streamed) fail(err error) {
	if err != nil {
		j.Fail("%v", err)
	}
}

// address returns a number from 0 to 2⁶⁴-1.
func (j *streamed) address() (uint64, bool) {
	b, ok := j.Number()
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b), 10, 64)
	return n, err == nil
}

// text returns a short string, until the next call.
func (j *streamed) text() string {
	b, _ := j.Text()
	return string(b)
}

func (j *streamed) segments() {
	if !j.Array() {
		return
	}
	for j.Elem() {
		s := seg{}
		if !j.Object() {
			continue
		}
		for k, ok := j.Key(); ok; k, ok = j.Key() {
			switch string(k) {
			case "address":
				s.address, _ = j.address()
			case "device":
				s.device = deviceNumber(j.Int())
			case "blocks":
				s.blocks = s.blocks[:0]
				if !j.Array() {
					continue
				}
				for j.Elem() {
					s.blocks = append(s.blocks, j.block())
				}
			default:
				j.Skip()
			}
		}
		j.fail(j.raw.keep(&s))
	}
}

func (j *streamed) block() (b block) {
	if !j.Object() {
		return b
	}
	for k, ok := j.Key(); ok; k, ok = j.Key() {
		switch string(k) {
		case "address":
			b.address, b.addressed = j.address()
		case "size":
			b.bytes, _ = j.Int()
		case "requested_size":
			b.requested, _ = j.Int()
		case "state":
			b.inUse = inUse(j.text())
		default:
			j.Skip()
		}
	}
	return b
}

func (j *streamed) traces() {
	if !j.Array() {
		return
	}
	for j.Elem() {
		device, err := j.raw.device()
		j.fail(err)
		if err != nil || !j.Array() {
			continue
		}
		for j.Elem() {
			if j.Peek() != jsonstream.Object {
				j.Skip()
				continue
			}
			j.fail(j.raw.add(device, j.entry()))
		}
	}
}

func (j *streamed) entry() entry {
	e := entry{bytes: -1, role: Other}
	j.Object()
	for k, ok := j.Key(); ok; k, ok = j.Key() {
		switch string(k) {
		case "action":
			b, _ := j.Text()
			e.action = actionOf(string(b))
		case "addr":
			e.address, _ = j.address()
		case "size":
			e.bytes = -1
			if n, ok := j.Int(); ok {
				e.bytes = n
			}
		case "time_us":
			e.time, _ = j.Int()
		case "frames":
			s := j.stack()
			e.role, e.framed = s.role, s.framed
		default:
			j.Skip()
		}
	}
	return e
}

// stack reads a call stack, the innermost function first.
func (j *streamed) stack() stack {
	s := stack{role: Other}
	if !j.Array() {
		return s
	}
	found := false
	for j.Elem() {
		s.framed = true
		if found || !j.Object() {
			if found {
				j.Skip()
			}
			continue
		}
		var name, file string
		for k, ok := j.Key(); ok; k, ok = j.Key() {
			switch string(k) {
			case "name":
				name = j.text()
			case "filename":
				file = j.text()
			default:
				j.Skip()
			}
		}
		if role, ok := roleOf(name, file); ok {
			s.role, found = role, true
		}
	}
	return s
}

func (j *streamed) settings() {
	if !j.Object() {
		return
	}
	for k, ok := j.Key(); ok; k, ok = j.Key() {
		switch string(k) {
		case "trace_alloc_overflowed":
			is, _ := j.Bool()
			j.raw.overflow = j.raw.overflow || is
		case "trace_alloc_max_entries":
			j.raw.most, _ = j.Int()
		default:
			j.Skip()
		}
	}
}

func (j *streamed) annotations() {
	if !j.Array() {
		return
	}
	for j.Elem() {
		var a annotation
		if !j.Object() {
			continue
		}
		for k, ok := j.Key(); ok; k, ok = j.Key() {
			switch string(k) {
			case "name":
				a.optimizer = optimizing(j.text())
			case "stage":
				a.start = j.text() == "START"
			case "time_us":
				a.time, _ = j.Int()
			default:
				j.Skip()
			}
		}
		j.raw.annotate(a)
	}
}
