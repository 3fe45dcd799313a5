package kineto

import "bytes"

// A category is what an event is about, as far as anybody needs to know.
type category uint8

const (
	unneeded category = iota
	undecided
	operator
	annotation
	python
	launch
	kernel
	copied
	set
	memory
	mtia // of Meta's accelerators
)

// categoryOf reads an event's "cat", in today's spelling and that of 2021 and 2022.
func categoryOf(s []byte) category {
	switch string(s) {
	case "cpu_op", "Operator":
		return operator
	case "user_annotation":
		return annotation
	case "python_function":
		return python
	case "Runtime":
		return launch
	case "kernel", "Kernel":
		return kernel
	case "gpu_memcpy", "Memcpy":
		return copied
	case "gpu_memset", "Memset":
		return set
	case "cpu_instant_event":
		return memory
	case "mtia_runtime", "mtia_ccp_events":
		return mtia
	}
	if bytes.HasSuffix(s, []byte("_runtime")) || bytes.HasSuffix(s, []byte("_driver")) {
		return launch // of whatever vendor: cuda, hip, xpu, privateuse1
	}
	return unneeded
}

// A clock is a time as recorded: microseconds since whenever, and picoseconds.
type clock struct {
	micros int64
	picos  int64
}

// fields tells which numbers an event has.
type fields uint32

const (
	hasTime fields = 1 << iota
	hasDuration
	hasCorrelation
	hasExternal
	hasDevice
	hasBytes
	hasAddress
	hasTotal
	hasSequence
	fractional // a time has digits after the point
)

// An event is what is read of one. Its texts lie in buffers that the next one uses
// again.
type event struct {
	phase    byte
	category category
	has      fields
	name     []byte

	process, thread int64
	start, duration clock

	correlation, external int64
	device, stream        int64
	deviceType, deviceID  int64
	bytes, total          int64
	address               uint64
	sequence, record      int64
	forwardThread         int64 // of a backward operator, 0 of others

	// dims, types and strides of the inputs, and their values, as written.
	dims, types, strides, values []byte
}

// reset makes e ready for the next event.
func (e *event) reset() {
	*e = event{category: undecided, process: -1, thread: -1}
}

// needed reports whether anything of an event is kept, as far as is known yet.
func (e *event) needed() bool {
	switch e.category {
	case unneeded:
		return false
	case python:
		return (e.phase == 0 || e.phase == 'X') && (e.name == nil || isModule(e.name))
	case memory:
		return (e.phase == 0 || e.phase == 'i') && (e.name == nil || string(e.name) == "[memory]")
	case undecided:
		return e.phase == 0 || e.phase == 'X' || e.phase == 'i'
	}
	return e.phase == 0 || e.phase == 'X'
}

// kept reports whether something of an event that is read to its end is kept.
func (e *event) kept() bool {
	switch e.category {
	case unneeded, undecided:
		return false
	case python:
		return e.phase == 'X' && isModule(e.name)
	case memory:
		return e.phase == 'i' && string(e.name) == "[memory]"
	}
	return e.phase == 'X'
}

// modulePrefix begins the names of the python functions that are kept.
const modulePrefix = "nn.Module: "

func isModule(name []byte) bool {
	return len(name) > len(modulePrefix) && string(name[:len(modulePrefix)]) == modulePrefix
}

// A number's place among an event's, by its key.
type number uint8

const (
	noNumber number = iota
	process
	thread
	correlation
	external
	device
	stream
	deviceType
	deviceID
	byteCount
	totalAllocated
	address
	sequence
	record
	forwardThread
)

// numberOf reads a key of "args" whose value is a whole number.
func numberOf(key []byte) number {
	switch string(key) {
	case "correlation":
		return correlation
	case "External id", "external id":
		return external
	case "device":
		return device
	case "stream":
		return stream
	case "Device Type":
		return deviceType
	case "Device Id":
		return deviceID
	case "bytes", "Bytes":
		return byteCount
	case "Total Allocated":
		return totalAllocated
	case "Addr":
		return address
	case "Sequence number":
		return sequence
	case "Record function id":
		return record
	case "Fwd thread id":
		return forwardThread
	}
	return noNumber
}

// put keeps a number.
func (e *event) put(n number, v int64) {
	switch n {
	case process:
		e.process = v
	case thread:
		e.thread = v
	case correlation:
		e.correlation, e.has = v, e.has|hasCorrelation
	case external:
		e.external, e.has = v, e.has|hasExternal
	case device:
		e.device, e.has = v, e.has|hasDevice
	case stream:
		e.stream = v
	case deviceType:
		e.deviceType = v
	case deviceID:
		e.deviceID = v
	case byteCount:
		e.bytes, e.has = v, e.has|hasBytes
	case totalAllocated:
		e.total, e.has = v, e.has|hasTotal
	case address:
		e.address, e.has = uint64(v), e.has|hasAddress
	case sequence:
		e.sequence, e.has = v, e.has|hasSequence
	case record:
		e.record = v
	case forwardThread:
		e.forwardThread = v
	}
}

// text returns where an array of an operator's inputs is kept, nil if nobody needs
// it.
func (e *event) text(key []byte) *[]byte {
	switch string(key) {
	case "Input Dims", "Input dims":
		return &e.dims
	case "Input type":
		return &e.types
	case "Input Strides":
		return &e.strides
	case "Concrete Inputs":
		if e.name != nil && wantsValues(e.name) {
			return &e.values
		}
	}
	return nil
}

// wantsValues reports whether the size of an operator's output depends on the
// values of its arguments.
func wantsValues(name []byte) bool {
	return len(name) > 10 && (string(name[:10]) == "aten::conv" || string(name[:10]) == "aten::_con")
}
