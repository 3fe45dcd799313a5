package xplane

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/unit"
	"spillway/traces/protobuf"
)

const metadataPlane = "/host:metadata"

// gpuNumber returns the number of a GPU by its plane's name, -1 if it is none.
func gpuNumber(plane string) int {
	rest, ok := strings.CutPrefix(plane, "/device:GPU:")
	if !ok {
		return -1
	}
	if end := strings.IndexByte(rest, ' '); end >= 0 {
		rest = rest[:end]
	}
	n, err := strconv.Atoi(rest)
	if err != nil || n < 0 || n > 1<<16 {
		return -1
	}
	return n
}

// kindOfPlane sorts planes that are passed over.
func kindOfPlane(name string) string {
	for _, kind := range []string{"/device:TPU", "/host"} {
		if strings.HasPrefix(name, kind) {
			return kind
		}
	}
	return "other"
}

// A meta is what a plane says of all events of a kind.
type meta struct {
	name  []byte
	about protobuf.Message // whose field 5 are statistics
}

// maxMeta is how many kinds and names a plane may have.
const maxMeta = 1 << 20

// A plane is read in two passes, because names may follow what has them.
type plane struct {
	*reader
	stats  map[uint64][]byte // names of statistics
	events map[uint64]meta
}

// plane reads a GPU's plane, or that of the modules.
func (x *reader) plane(name string, m protobuf.Message) error {
	p := plane{x, map[uint64][]byte{}, map[uint64]meta{}}
	again := m
	for m.Next() {
		switch m.Field {
		case 4:
			p.eventMeta(&m)
		case 5:
			p.statMeta(&m)
		}
		if len(p.events) > maxMeta || len(p.stats) > maxMeta {
			return fmt.Errorf("byte %d: more than %d names", m.Offset(), maxMeta)
		}
	}
	if m.Err() != nil {
		return m.Err()
	}
	if name == metadataPlane {
		return p.modules()
	}
	g := GPU{ID: gpuNumber(name)}
	for again.Next() {
		switch again.Field {
		case 3:
			line := again.Message()
			if err := p.line(&line, &g); err != nil {
				return err
			}
		case 6:
			v := p.stat(again.Message())
			if v.err != nil {
				return v.err
			}
			if v.name == "memory_size" && v.number < 1<<50 {
				g.Memory = unit.Bytes(v.number)
			}
		}
	}
	slices.SortStableFunc(g.Events, func(a, b Event) int { return cmp.Compare(a.Start, b.Start) })
	x.trace.GPUs = append(x.trace.GPUs, g)
	return nil
}

// eventMeta reads one entry of the events' kinds.
func (p *plane) eventMeta(m *protobuf.Message) {
	var id uint64
	var one meta
	entry := m.Message()
	for entry.Next() {
		if entry.Field == 1 {
			id = entry.Number()
		}
		if entry.Field != 2 {
			continue
		}
		value := entry.Message()
		one.about = value
		for value.Next() {
			if value.Field == 2 {
				one.name = value.Bytes()
			}
		}
		entry.Adopt(&value)
	}
	m.Adopt(&entry)
	p.events[id] = one
}

// statMeta reads one name of a statistic.
func (p *plane) statMeta(m *protobuf.Message) {
	var id uint64
	var name []byte
	entry := m.Message()
	for entry.Next() {
		if entry.Field == 1 {
			id = entry.Number()
		}
		if entry.Field != 2 {
			continue
		}
		value := entry.Message()
		for value.Next() {
			if value.Field == 2 {
				name = value.Bytes()
			}
		}
		entry.Adopt(&value)
	}
	m.Adopt(&entry)
	p.stats[id] = name
}

// A statistic is a named value.
type statistic struct {
	name   string
	number uint64
	text   []byte
	inside protobuf.Message // of bytes that are a message
	err    error
}

// stat reads a statistic. Text may stand elsewhere, under a number.
func (p *plane) stat(m protobuf.Message) (s statistic) {
	for m.Next() {
		switch m.Field {
		case 1:
			s.name = string(p.stats[m.Number()])
		case 3, 4:
			s.number = m.Number()
		case 5, 6:
			s.text, s.inside = m.Bytes(), m.Message()
		case 7:
			s.text = p.stats[m.Number()]
		}
	}
	s.err = m.Err()
	return s
}

// line reads what ran in a stream. Other lines of a GPU say the same again.
func (p *plane) line(m *protobuf.Message, g *GPU) error {
	var from uint64
	stream := int32(-1)
	again := *m
	for m.Next() {
		switch m.Field {
		case 2:
			stream = streamNumber(m.Bytes())
		case 3:
			from = m.Number()
		}
	}
	if m.Err() != nil || stream < 0 {
		return m.Err()
	}
	if from > 1<<62/uint64(unit.Nanosecond) {
		p.long++
		from = 0
	}
	for again.Next() {
		if again.Field != 4 {
			continue
		}
		if p.reader.events++; p.reader.events > maxEvents {
			return fmt.Errorf("byte %d: more than %d events; profile fewer steps", again.Offset(), maxEvents)
		}
		e := Event{Stream: stream, Start: unit.Time(from) * unit.Nanosecond}
		one := again.Message()
		if err := p.event(&one, &e); err != nil {
			return err
		}
		g.Events = append(g.Events, e)
	}
	return nil
}

// streamNumber returns the number of a stream by its line's name, as in
// "Stream #17(Kernel)"; -1 if it is none.
func streamNumber(name []byte) int32 {
	rest, ok := bytes.CutPrefix(name, []byte("Stream #"))
	if !ok {
		return -1
	}
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(string(rest[:end]), 10, 32)
	if err != nil {
		return -1
	}
	return int32(n)
}

// event reads an event.
func (p *plane) event(m *protobuf.Message, e *Event) error {
	const most = uint64(1000 * unit.Second)
	for m.Next() {
		switch m.Field {
		case 1:
			kind := p.events[m.Number()]
			e.Name = p.intern(kind.name)
			for kind.about.Next() {
				if kind.about.Field != 5 {
					continue
				}
				if err := p.about(kind.about.Message(), e); err != nil {
					return err
				}
			}
		case 2:
			if n := m.Number(); n < 1<<61 {
				e.Start += unit.Time(n)
			} else {
				p.long++
			}
		case 3:
			if n := m.Number(); n <= most {
				e.Time = unit.Time(n)
			} else {
				p.long++
			}
		case 4:
			if err := p.about(m.Message(), e); err != nil {
				return err
			}
		}
	}
	return m.Err()
}

// about reads what a statistic says of an event.
func (p *plane) about(m protobuf.Message, e *Event) error {
	s := p.stat(m)
	switch s.name {
	case "hlo_module":
		e.Module = p.intern(s.text)
	case "hlo_op":
		e.Op = p.intern(s.text)
	case "program_id":
		e.Program = s.number
	}
	return s.err
}

// modules reads the modules that the metadata plane has.
func (p *plane) modules() error {
	ids := make([]uint64, 0, len(p.events))
	for id := range p.events {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		kind := p.events[id]
		for kind.about.Next() {
			if kind.about.Field != 5 {
				continue
			}
			v := p.stat(kind.about.Message())
			if v.err != nil {
				return v.err
			}
			if v.name != "Hlo Proto" && v.name != "hlo_proto" {
				continue
			}
			mod, err := readModule(v.inside, p.intern)
			if err != nil {
				return err
			}
			mod.Program = programOf(kind.name, id)
			p.trace.Modules = append(p.trace.Modules, *mod)
		}
	}
	return nil
}

// programOf returns a module's number, which stands behind its name in brackets.
func programOf(name []byte, id uint64) uint64 {
	open := bytes.LastIndexByte(name, '(')
	if open < 0 || name[len(name)-1] != ')' {
		return id
	}
	n, err := strconv.ParseUint(string(name[open+1:len(name)-1]), 10, 64)
	if err != nil {
		return id
	}
	return n
}
