package traces

import (
	"bytes"
	"encoding/binary"
	"strings"

	"spillway/traces/archive"
	"spillway/traces/tensorfile"
)

var bom = []byte("\xef\xbb\xbf")

// A kind is what a file is that people record of their jobs.
type kind uint8

const (
	unrecognized kind = iota
	// PyTorch's, which belong together.
	profilerTrace
	executionTrace
	memorySnapshot
	memoryTimeline
	rolesFile
	// Others that become workloads.
	chakraTrace
	xplaneTrace
	// Those that do not.
	oldProfiler
	workloadGraph
	safetensors
	checkpoint
	rocprofiler
	weightIndex
	modelConfig
)

// reasons say why a file of a kind is of no use here, and what to record instead.
var reasons = map[kind]string{
	oldProfiler:   "a trace of PyTorch's old profiler (torch.autograd.profiler), or of a PyTorch that was built without Kineto, as Debian's is, which does not say what ran on the GPU; record with torch.profiler.profile of another build, or with Spillway's capture.py",
	workloadGraph: "a workload graph (JSON of Chakra), which has no tensors; record an execution trace and a profiler trace, or with Spillway's capture.py, or use Chakra's own files (.et)",
	safetensors:   "weights (safetensors), not what happens in a step: the laboratory Compression takes them; record a step with Spillway's capture.py",
	rocprofiler:   "a recording of AMD's rocprofv3, which says when kernels ran but not with what data; record with Spillway's capture.py, or a trace of PyTorch's profiler with record_shapes=True and profile_memory=True",
	checkpoint:    "a PyTorch checkpoint, which holds weights, not what happens in a step: the laboratory Compression takes it; record a step with Spillway's capture.py",
	weightIndex:   "a list of weights' files, not what happens in a step: the laboratory LLM training takes it; record a step with Spillway's capture.py",
	modelConfig:   "a model's configuration, not what happens in a step: the laboratory LLM training takes it; record a step with Spillway's capture.py",
}

// Useless reports whether a file is one that people record of their jobs, and that is of
// no use to anybody here. Read says why.
func Useless(data []byte) bool {
	k := recognize(data)
	return k == oldProfiler || k == workloadGraph || k == rocprofiler || len(data) > 0 && k == unrecognized && isOldPickle(data)
}

// recognize says what a file is by its content, or by its beginning.
func recognize(data []byte) kind {
	text := bytes.TrimLeft(bytes.TrimPrefix(data[:min(len(data), archive.HeadBytes)], bom), " \t\r\n")
	switch {
	case tensorfile.IsLegacy(data):
		return checkpoint
	case len(data) > 1 && data[0] == 0x80 && data[1] >= 2 && data[1] <= 5:
		return memorySnapshot
	case bytes.HasPrefix(text, []byte("{")):
		return ofObject(text)
	case bytes.HasPrefix(text, []byte("[")):
		return ofArray(text)
	case isSafetensors(data):
		return safetensors
	case isXplane(data):
		return xplaneTrace
	case isChakra(data):
		return chakraTrace
	}
	return unrecognized
}

// ofObject recognizes JSON by the keys of its object.
func ofObject(text []byte) kind {
	seen := map[string]bool{}
	found := unrecognized
	keys(text, func(key, value []byte) bool {
		switch k := string(key); k {
		case "traceEvents":
			found = profilerTrace
		case "segments", "device_traces":
			found = memorySnapshot
		case "workload_graph":
			found = workloadGraph
		case "rocprofiler-sdk-tool":
			found = rocprofiler
		case "weight_map":
			found = weightIndex
		case "model_type":
			found = modelConfig
		case "format":
			if bytes.HasPrefix(value, []byte(`"spillway-roles"`)) {
				found = rolesFile
			}
		case "schema", "nodes":
			if seen[k] = true; seen["schema"] && seen["nodes"] {
				found = executionTrace
			}
		case "schemaVersion", "deviceProperties", "distributedInfo":
			seen["profiler"] = true // the events may come after what a user added
		}
		return found == unrecognized
	})
	switch {
	case found != unrecognized:
	case seen["profiler"]:
		return profilerTrace
	case seen["nodes"] && (bytes.Contains(text, []byte(`"ctrl_deps"`)) || bytes.Contains(text, []byte(`"rf_id"`))):
		return executionTrace // the schema comes behind
	}
	return found
}

// ofArray recognizes JSON by the first element of its array.
func ofArray(text []byte) kind {
	rest := bytes.TrimLeft(text[1:], " \t\r\n")
	switch {
	case bytes.HasPrefix(rest, []byte("{")):
		event := false
		keys(rest, func(key, _ []byte) bool {
			event = event || string(key) == "ph"
			return !event
		})
		if event && bytes.Contains(text, []byte(`"CPU functions"`)) {
			return oldProfiler
		}
		if event {
			return profilerTrace
		}
	case bytes.HasPrefix(rest, []byte("[")):
		end := bytes.IndexByte(rest, ']')
		if end > 0 && bytes.Count(rest[:end], []byte(",")) == 3 && len(bytes.Trim(rest[1:end], "-+0123456789.eE, \t\r\n")) == 0 {
			return memoryTimeline
		}
	}
	return unrecognized
}

// keys calls each for the keys of the object that text begins with and for the
// text that follows them, until it returns false or the text ends. Nothing is
// checked but strings and depth.
func keys(text []byte, each func(key, value []byte) bool) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return
			}
		case '"':
			end := endOfString(text, i)
			if depth == 1 {
				if rest := bytes.TrimLeft(text[min(end+1, len(text)):], " \t\r\n"); bytes.HasPrefix(rest, []byte(":")) {
					if !each(text[i+1:min(end, len(text))], bytes.TrimLeft(rest[1:], " \t\r\n")) {
						return
					}
				}
			}
			i = end
		}
	}
}

// endOfString returns where the string ends that begins at i.
func endOfString(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// isSafetensors reports whether data is the length of a header, and a header.
func isSafetensors(data []byte) bool {
	if len(data) < 9 || data[8] != '{' && data[8] != '[' {
		return false
	}
	n := binary.LittleEndian.Uint64(data)
	return n < 1<<32 || n >= 1<<63 // no text begins with five NULs
}

// isXplane reports whether data is planes of XLA's profiler: the first field is a
// plane, whose name is that of a host or device.
func isXplane(data []byte) bool {
	if len(data) == 0 || data[0] != 0x0a {
		return false
	}
	_, n := binary.Uvarint(data[1:])
	if n <= 0 {
		return false
	}
	head := data[1+n : min(len(data), 1+n+64)]
	for _, name := range []string{"/host:", "/device:", "Task Environment"} {
		if bytes.Contains(head, []byte(name)) {
			return true
		}
	}
	return false
}

// isChakra reports whether data is messages behind their lengths: a first one about
// all, which has a version or attributes, and a second one that begins with a
// number.
func isChakra(data []byte) bool {
	size, n := binary.Uvarint(data)
	if n <= 0 || size < 2 || size > 1<<20 || uint64(len(data)-n) < size {
		return false
	}
	first, rest := data[n:n+int(size)], data[n+int(size):]
	if length, m := binary.Uvarint(first[1:]); first[0] != 0x0a && first[0] != 0x12 || m <= 0 || length > uint64(len(first)-1-m) {
		return false
	}
	if len(rest) == 0 {
		return true
	}
	size, n = binary.Uvarint(rest)
	if n == 0 || n < 0 { // it ends in a length, or the length has no end
		return bytes.HasPrefix(first, []byte("\x0a"))
	}
	return size > 0 && n < len(rest) && (rest[n] == 0x08 || rest[n] == 0x12)
}

// isTorch reports whether a file is one of PyTorch's, which are read together.
func isTorch(data []byte) bool {
	switch recognize(data) {
	case profilerTrace, executionTrace, memorySnapshot, memoryTimeline, rolesFile:
		return true
	}
	return false
}

// chakraFile reports whether a file is a trace of Chakra. Of a damaged one the name
// may tell.
func chakraFile(name string, data []byte) bool {
	k := recognize(data)
	return k == chakraTrace || k == unrecognized && len(data) > 0 && strings.HasSuffix(name, ".et") && !bytes.HasPrefix(data, []byte("{"))
}
