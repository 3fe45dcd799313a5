package kineto

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"spillway/sim/unit"
	"spillway/traces/jsonstream"
	"spillway/traces/recording"
)

// mostRows is how many operators, launches, kernels or memory events a trace may
// have, each: what a tab has room for.
const mostRows = 4 << 20

// Rows of the tables that are filled while reading. Times are from the first
// event's; ids of threads and names are indices.
type (
	opRow struct {
		start, time         int64
		record              int64
		name, thread        int32
		external            uint32
		sequence, signature int32
		kind                OpKind
		backward            bool
	}
	launchRow struct {
		start, correlation int64
		thread             int32
		named              bool // it is called launch
	}
	kernelRow struct {
		start, time, correlation int64
		name, device, stream     int32
		external                 uint32
		kind                     recording.KernelKind
		hasExternal              bool
	}
	memoryRow struct {
		at, bytes, total int64
		address          uint64
		thread, device   int32
		hasTotal         bool
		placed           bool // it has an address
	}
)

// A reading is a trace being read.
type reading struct {
	r        *jsonstream.Reader
	e        event
	scratch  []byte
	tolerant bool // reads every event token by token; for tests

	names, signatures intern
	nameKind          []nameKind // by name
	threads           []Thread
	lastThread        int32
	ops               table[opRow]
	launches          table[launchRow]
	kernels           table[kernelRow]
	memory            table[memoryRow]
	hosted            table[memoryRow] // of the host, as long as there is nothing of a device
	crowded           bool             // the host had more
	properties        []recording.Device

	found      bool  // a list of events
	base       int64 // µs of the first event
	based      bool
	smallest   int64 // ps from base
	fractional bool
	shapes     bool
	process    int64

	timeless, negative, far, wordless int
	shared                            int // kernels of a launch that has another, but for graphs
	mtia                              int // events of Meta's accelerators
	captures                          int // of graphs, begun
	notes                             []string
}

// A nameKind is what a name alone tells.
type nameKind uint8

const (
	nameSeen nameKind = 1 << iota
	nameLaunches
	nameNeverLaunches
	nameMark     // an annotation, whatever its category
	nameBackward // an operator of autograd's backward
	nameCaptures // it begins the making of a graph
)

// Read reads a trace. tell may be nil; it is told about every MiB how many bytes are
// read.
func Read(r io.Reader, tell func(bytes int64)) (*Trace, error) {
	return newReading(r, tell).read()
}

func newReading(r io.Reader, tell func(bytes int64)) *reading {
	return &reading{r: jsonstream.NewReader(r, tell)}
}

func (rd *reading) read() (*Trace, error) {
	r := rd.r
	switch r.Peek() {
	case jsonstream.Array:
		rd.events()
	case jsonstream.Object:
		rd.top()
	default:
		r.Skip()
	}
	r.End()
	if err := r.Err(); err != nil {
		if _, ok := errors.AsType[*jsonstream.Error](err); ok {
			err = fmt.Errorf("this is no whole PyTorch trace: %w", err)
		}
		return nil, err
	}
	if !rd.found {
		return nil, fmt.Errorf("this is no PyTorch trace: want an object with \"traceEvents\", or a list of events")
	}
	return rd.finish()
}

// top reads the object around the events.
func (rd *reading) top() {
	r := rd.r
	for r.Object(); ; {
		key, ok := r.Key()
		if !ok {
			return
		}
		switch string(key) {
		case "traceEvents":
			if r.Peek() != jsonstream.Array {
				r.Fail("\"traceEvents\" is no list")
			}
			rd.events()
		case "deviceProperties":
			rd.devices()
		default:
			r.Skip()
		}
	}
}

// devices reads what the trace says of each GPU.
func (rd *reading) devices() {
	r := rd.r
	if !r.Array() {
		return
	}
	for r.Elem() {
		if !r.Object() {
			continue
		}
		// Kineto writes registers of a multiprocessor of NVIDIA's GPUs alone; other vendors' numbers of the same words say
		// something else (libkineto, DeviceProperties.cpp).
		d, capable := recording.Device{ID: -1}, false
		for {
			key, ok := r.Key()
			if !ok {
				break
			}
			switch string(key) {
			case "id":
				if v, ok := r.Int(); ok {
					d.ID = int(v)
				}
			case "name":
				if s, ok := r.Text(); ok && len(s) < 200 {
					d.Name = string(s)
				}
			case "computeMajor":
				d.Major, _ = r.Int()
			case "computeMinor":
				d.Minor, _ = r.Int()
			case "numSms":
				d.SMs, _ = r.Int()
			case "regsPerMultiprocessor":
				_, capable = r.Int()
			case "totalGlobalMem":
				if v, ok := r.Int(); ok && v > 0 {
					d.Memory = unit.Bytes(v)
				}
			default:
				r.Skip()
			}
		}
		if !capable {
			d.Major, d.Minor, d.SMs = 0, 0, 0
		}
		if len(rd.properties) < 1024 {
			rd.properties = append(rd.properties, d)
		}
	}
}

// events reads the list of events.
func (rd *reading) events() {
	r := rd.r
	rd.found = true
	r.Array()
	for r.Elem() {
		if !rd.fast() {
			rd.slow()
		}
		if r.Err() != nil || r.Cut() {
			return
		}
		rd.take()
	}
}

// fast reads the next event where it is written as the profiler does.
func (rd *reading) fast() bool {
	if rd.tolerant {
		return false
	}
	for {
		w := rd.r.Window()
		if len(w) > 0 && w[0] != '{' {
			return false
		}
		how := short
		n := 0
		if len(w) > 0 {
			rd.e.reset()
			n, how = rd.e.scan(w)
		}
		switch how {
		case whole:
			rd.r.Take(n)
			return true
		case odd:
			return false
		}
		if !rd.r.Wider() {
			return false
		}
	}
}

// slow reads the next event whatever it looks like.
func (rd *reading) slow() {
	r, e := rd.r, &rd.e
	e.reset()
	e.category = unneeded // if it is no object
	rd.scratch = rd.scratch[:0]
	if !r.Object() {
		return
	}
	e.category = undecided
	dull := false // nothing of it is needed, whatever comes
	for {
		if dull = dull || !e.needed(); dull {
			e.category = unneeded
		}
		key, ok := r.Key()
		if !ok {
			return
		}
		switch string(key) {
		case "ph":
			e.phase = '?'
			if s, ok := r.Text(); ok && len(s) == 1 {
				e.phase = s[0]
			}
		case "cat":
			s, _ := r.Text()
			e.category = categoryOf(s)
		case "name":
			if s, ok := r.Text(); ok {
				e.name = rd.keep(s)
			}
		case "ts":
			if t, ok := rd.clock(); ok {
				e.start, e.has = t, e.has|hasTime
			}
		case "dur":
			if t, ok := rd.clock(); ok {
				e.duration, e.has = t, e.has|hasDuration
			}
		case "pid":
			e.process = rd.id()
		case "tid":
			e.thread = rd.id()
		case "args":
			rd.arguments()
		default:
			r.Skip()
		}
	}
}

// keep copies a text that is needed until the event is taken. What was kept before
// stays where it is: it is not moved, only left behind.
func (rd *reading) keep(s []byte) []byte {
	at := len(rd.scratch)
	rd.scratch = append(rd.scratch, s...)
	return rd.scratch[at:len(rd.scratch):len(rd.scratch)]
}

// id reads the number of a process or thread, -1 if it is none.
func (rd *reading) id() int64 {
	if v, ok := rd.r.Int(); ok {
		return v
	}
	return -1
}

// clock reads a time.
func (rd *reading) clock() (clock, bool) {
	s, ok := rd.r.Number()
	if !ok {
		return clock{}, false
	}
	rd.scratch = append(rd.scratch, s...)
	rd.scratch = append(rd.scratch, ',')
	w := rd.scratch[len(rd.scratch)-len(s)-1:]
	t, n, how := micros(w, 0)
	if how != whole || w[n] != ',' {
		if v, ok := jsonstream.ParseDecimal(w[:len(w)-1], 6); ok {
			t = clock{v / 1e6, v % 1e6}
		} else if v, ok := jsonstream.ParseInt(w[:len(w)-1]); ok {
			t = clock{v, 0}
		} else {
			return clock{}, false
		}
	}
	if t.picos != 0 {
		rd.e.has |= fractional
	}
	return t, true
}

// arguments reads an event's "args".
func (rd *reading) arguments() {
	r, e := rd.r, &rd.e
	if !r.Object() {
		return
	}
	for {
		key, ok := r.Key()
		if !ok {
			return
		}
		if n := numberOf(key); n != noNumber {
			if v, ok := r.Int(); ok {
				e.put(n, v)
			}
		} else if to := e.text(key); to != nil && r.Peek() == jsonstream.Array {
			at := len(rd.scratch)
			rd.copyList(0)
			*to = rd.scratch[at:len(rd.scratch):len(rd.scratch)]
		} else {
			r.Skip()
		}
	}
}

// mostList is how many bytes of an operator's lists are read.
const mostList = 1 << 20

// copyList appends an array as the profiler writes it.
func (rd *reading) copyList(depth int) {
	r := rd.r
	rd.scratch = append(rd.scratch, '[')
	if depth > 1000 {
		r.Skip()
		rd.scratch = append(rd.scratch, ']')
		return
	}
	first := true
	for r.Array(); r.Elem(); {
		if len(rd.scratch) > mostList {
			r.Skip()
			continue
		}
		if !first {
			rd.scratch = append(rd.scratch, ',')
		}
		first = false
		switch r.Peek() {
		case jsonstream.Array:
			rd.copyList(depth + 1)
		case jsonstream.Number:
			if s, ok := r.Number(); ok {
				rd.scratch = append(rd.scratch, s...)
			} else {
				rd.scratch = append(rd.scratch, '0')
			}
		case jsonstream.String:
			rd.scratch = append(rd.scratch, '"')
			if s, ok := r.Text(); ok && plain(s) && bytes.IndexByte(s, '"') < 0 {
				rd.scratch = append(rd.scratch, s...)
			}
			rd.scratch = append(rd.scratch, '"')
		default:
			r.Skip()
			rd.scratch = append(rd.scratch, `""`...)
		}
	}
	rd.scratch = append(rd.scratch, ']')
}

// mostMicros is how far from the first event another may be: picoseconds have room
// for no more.
const mostMicros = 1_000_000_000_000

// relative returns a time from the first event's.
func (rd *reading) relative(t clock) (ps int64, ok bool) {
	if !rd.based {
		rd.base, rd.based, rd.smallest = t.micros, true, mostMicros*1e6
	}
	d := t.micros - rd.base
	if d > mostMicros || d < -mostMicros {
		rd.far++
		return 0, false
	}
	ps = d*1e6 + t.picos
	rd.smallest = min(rd.smallest, ps)
	return ps, true
}

// take keeps what is needed of the event.
func (rd *reading) take() {
	e := &rd.e
	if !e.kept() {
		return
	}
	if e.category == mtia {
		rd.mtia++
		return
	}
	if e.has&hasTime == 0 {
		rd.timeless++
		return
	}
	start, ok := rd.relative(e.start)
	if !ok {
		return
	}
	if e.has&fractional != 0 {
		rd.fractional = true
	}
	if e.category == memory {
		rd.takeMemory(start)
		return
	}
	time := rd.length()
	switch e.category {
	case operator, annotation, python:
		rd.takeOp(start, time)
	case launch:
		rd.takeLaunch(start)
	default:
		rd.takeKernel(start, time)
	}
}

// length returns how long the event took.
func (rd *reading) length() int64 {
	d := rd.e.duration
	switch {
	case rd.e.has&hasDuration == 0:
		rd.wordless++
		return 0
	case d.micros < 0 || d.picos < 0:
		rd.negative++
		return 0
	case d.micros > mostMicros:
		rd.far++
		return 0
	}
	return d.micros*1e6 + d.picos
}

// tooMany says that a trace has more of something than there is room for.
const tooMany = "the trace has more than %d %s: record fewer steps"

// full reports, and says, that a table has no room.
func (rd *reading) full(rows int, what string) bool {
	if rows < mostRows {
		return false
	}
	rd.r.Fail(tooMany, mostRows, what)
	return true
}

// name returns the number of the event's name, and what it tells.
func (rd *reading) name() (int32, nameKind) {
	s := rd.e.name
	if len(s) > 4096 {
		s = s[:4096]
	}
	id := rd.names.id(s)
	if id < 0 {
		return 0, 0
	}
	if int(id) == len(rd.nameKind) {
		rd.nameKind = append(rd.nameKind, judge(s))
	}
	return id, rd.nameKind[id]
}

// judge returns what a name tells.
func judge(s []byte) nameKind {
	k := nameSeen
	if bytes.HasPrefix(s, []byte("ProfilerStep#")) || bytes.HasPrefix(s, []byte("Optimizer.")) {
		k |= nameMark
	}
	if bytes.HasPrefix(s, []byte("autograd::engine::")) || bytes.HasPrefix(s, []byte("torch::autograd::")) ||
		bytes.HasSuffix(bytes.TrimRight(s, "0123456789"), []byte("Backward")) {
		k |= nameBackward
	}
	if bytes.Contains(s, []byte("StreamBeginCapture")) {
		return k | nameCaptures | nameNeverLaunches
	}
	if bytes.Contains(s, []byte("Launch")) {
		return k | nameLaunches
	}
	for _, w := range []string{"Get", "Query", "Synchronize", "Attribute", "Occupancy", "Capturing", "PeekAtLastError", "EventRecord", "WaitEvent"} {
		if bytes.Contains(s, []byte(w)) {
			return k | nameNeverLaunches
		}
	}
	return k
}

// onThread returns the number of the event's thread.
func (rd *reading) onThread() int32 {
	want := Thread{rd.e.process, rd.e.thread}
	if int(rd.lastThread) < len(rd.threads) && rd.threads[rd.lastThread] == want {
		return rd.lastThread
	}
	for i, t := range rd.threads {
		if t == want {
			rd.lastThread = int32(i)
			return int32(i)
		}
	}
	if len(rd.threads) == 10_000 {
		rd.r.Fail("the trace has more than %d threads", len(rd.threads))
		return 0
	}
	rd.threads = append(rd.threads, want)
	rd.lastThread = int32(len(rd.threads) - 1)
	return rd.lastThread
}

func (rd *reading) takeOp(start, time int64) {
	e := &rd.e
	if rd.full(rd.ops.n, "operators") {
		return
	}
	if e.category == python {
		e.name = e.name[len(modulePrefix):]
	}
	name, told := rd.name()
	row := opRow{
		start: start, time: time, record: e.record, name: name, thread: rd.onThread(),
		external: uint32(e.external), sequence: -1, signature: -1,
	}
	switch {
	case e.category == python:
		row.kind = Module
	case e.category == annotation || told&nameMark != 0:
		row.kind = Annotation
	default:
		row.backward = told&nameBackward != 0 || e.forwardThread != 0
		if rd.process == 0 {
			rd.process = e.process
		}
	}
	if e.has&hasSequence != 0 && e.sequence >= 0 && e.sequence < 1<<31 {
		row.sequence = int32(e.sequence)
	}
	if tensors(e.dims) {
		rd.shapes = true
		row.signature = rd.signatures.id(e.dims, e.types, e.strides, e.values)
	}
	rd.ops.add(row)
}

// tensors reports whether a list of dimensions has any.
func tensors(dims []byte) bool {
	for _, c := range dims {
		if c >= '0' && c <= '9' {
			return true
		}
	}
	return false
}

func (rd *reading) takeLaunch(start int64) {
	e := &rd.e
	if e.has&hasCorrelation == 0 {
		return
	}
	_, told := rd.name()
	if told&nameCaptures != 0 {
		rd.captures++
	}
	if told&nameNeverLaunches != 0 || rd.full(rd.launches.n, "launches") {
		return
	}
	rd.launches.add(launchRow{start, e.correlation, rd.onThread(), told&nameLaunches != 0})
}

func (rd *reading) takeKernel(start, time int64) {
	e := &rd.e
	if rd.full(rd.kernels.n, "kernels") {
		return
	}
	name, _ := rd.name()
	row := kernelRow{
		start: start, time: time, correlation: -1, name: name,
		device: clip(e.device), stream: clip(e.stream),
		external: uint32(e.external), hasExternal: e.has&hasExternal != 0,
		kind: kernelKind(e.category, e.name),
	}
	if e.has&hasDevice == 0 {
		row.device = clip(max(e.process, 0))
	}
	if e.has&hasCorrelation != 0 {
		row.correlation = e.correlation
	}
	rd.kernels.add(row)
}

// clip makes a number fit.
func clip(v int64) int32 { return int32(min(max(v, -1<<31), 1<<31-1)) }

func (rd *reading) takeMemory(at int64) {
	e := &rd.e
	if e.bytes == 0 {
		return
	}
	if e.deviceType == 0 {
		if rd.kernels.n == 0 && rd.memory.n == 0 && believed(e.bytes) { // of what is there before the host's counter knows nothing
			if rd.hosted.n == mostRows {
				rd.crowded = true
				return
			}
			whole := (max(e.bytes, -e.bytes) + 511) / 512 * 512 // as a GPU's allocator counts
			if e.bytes < 0 {
				whole = -whole
			}
			rd.hosted.add(memoryRow{at: at, bytes: whole, address: e.address, thread: rd.onThread(), placed: e.has&hasAddress != 0})
		}
		return
	}
	if rd.full(rd.memory.n, "memory events") {
		return
	}
	if rd.hosted.n > 0 {
		rd.hosted = table[memoryRow]{}
	}
	rd.memory.add(memoryRow{at, e.bytes, e.total, e.address, rd.onThread(), clip(e.deviceID), e.has&hasTotal != 0, e.has&hasAddress != 0})
}

// kernelKind returns what a launch does.
func kernelKind(c category, name []byte) recording.KernelKind {
	switch {
	case c == set:
		return recording.Memset
	case c == copied && bytes.Contains(name, []byte("HtoD")):
		return recording.HostToDevice
	case c == copied && bytes.Contains(name, []byte("DtoH")):
		return recording.DeviceToHost
	case c == copied:
		return recording.DeviceToDevice
	case communicates(name):
		return recording.Communication
	}
	return recording.Compute
}

// communicates reports whether a kernel's name is that of a collective.
func communicates(name []byte) bool {
	for _, w := range []string{"nccl", "rccl", "cross_device_reduce", "all_reduce", "allreduce", "AllReduce"} {
		if bytes.Contains(name, []byte(w)) {
			return true
		}
	}
	return false
}
