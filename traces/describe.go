package traces

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// nsight says what to do with what NVIDIA's Nsight tools write.
const nsight = "as Nsight Systems writes, which says when kernels ran but not with what data; record with Spillway's capture.py, or a trace of PyTorch's profiler with record_shapes=True and profile_memory=True"

// signatures are the beginnings of files that people take for traces, and what
// to do with them.
var signatures = []struct {
	at    int
	bytes string
	what  string
}{
	{0, "\x89PNG\r\n\x1a\n", "an image (PNG), not a trace"},
	{0, "\xff\xd8\xff", "an image (JPEG), not a trace"},
	{0, "GIF8", "an image (GIF), not a trace"},
	{8, "WEBP", "an image (WebP), not a trace"},
	{0, "%PDF-", "a PDF document, not a trace"},
	{0, "\x89HDF\r\n\x1a\n", "an HDF5 file, which holds model weights or arrays, not a trace"},
	{0, "SQLite format 3\x00", "a SQLite database, " + nsight},
	{0, "\x7fELF", "a program (ELF), not a trace"},
	{0, "\x00asm", "a WebAssembly program, not a trace"},
	{0, "GGUF", "a GGUF file, whose weights are quantized already; drop the config.json of the model that it was made of, or for compression that model's safetensors"},
	{0, "PAR1", "a Parquet table; this format is not supported"},
	{0, "PK\x03\x04", "a zip archive inside another; unpack the outer one"},
	{0, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive; unpack it and drop the folder"},
	{0, "\xfd7zXZ\x00", "compressed with xz; unpack it and drop the folder"},
	{0, "\x28\xb5\x2f\xfd", "compressed with Zstandard; unpack it and drop the folder"},
	{0, "BZh", "compressed with bzip2; unpack it and drop the folder"},
	{257, "ustar", "a tar archive; unpack it and drop the folder, or use the zip download"},
	{0, "\x1f\x8b", "compressed twice; decompress it once"},
	{0, "\xff\xfe", "text in UTF-16; save it as UTF-8"},
	{0, "\xfe\xff", "text in UTF-16; save it as UTF-8"},
}

// A foreign is a format of other programs that people drop here: what it says of itself, and what to
// do with it.
type foreign struct {
	has  []string // texts that its beginning has, all of them; of several with a bar between, one
	what string
}

// foreigns are looked through in order.
var foreigns = []foreign{
	{[]string{`"fio version"`, `"jobs"`}, "results of fio as JSON, which say how fast a drive was and not which calls were made; run the job with --write_iolog=FILE and drop that file"},
	{[]string{"rw=|readwrite=", "ioengine=|filename=|size=|runtime=|[global]"}, "a job file of fio; run it with --write_iolog=FILE and drop that file"},
	{[]string{"% time", "usecs/call", "syscall"}, "a summary of strace (-c), which has no calls one by one; record with strace -f -ttt -y -o FILE PROGRAM"},
	{[]string{`"zero_optimization"|"train_micro_batch_size_per_gpu"`, `"fp16"|"bf16"|"optimizer"|"zero_optimization"`}, "a configuration of DeepSpeed, which names no model; drop the model's config.json and set system (ZeRO), micro and accumulate under LLM training"},
	{[]string{`"peft_type"`}, "a PEFT adapter's configuration; drop the config.json of its base model and set method=lora, rank (r) and targets under LLM training"},
	{[]string{`"_diffusers_version"`}, "the index of a Diffusers pipeline, which names its parts and not their layers; pick a network under Training memory, or record a step with Spillway's capture.py"},
	{[]string{`"mean_ttft_ms"|"median_ttft_ms"`, `"request_throughput"|"total_token_throughput"|"output_throughput"`}, "a result of a serving benchmark without its requests; run it again with --save-result --save-detailed"},
	{[]string{"_component_:"}, "a recipe of torchtune; drop the model's config.json and set method, rank, micro, sequence and optimizer under LLM training as it says"},
	{[]string{"model_name_or_path:", "finetuning_type:|stage:|per_device_train_batch_size:"}, "a recipe of LLaMA-Factory; drop the model's config.json and set method, rank, micro, accumulate and sequence under LLM training as it says"},
	{[]string{"base_model:", "adapter:|sequence_len:|micro_batch_size:|datasets:"}, "a recipe of Axolotl; drop the model's config.json and set method, rank, micro, accumulate and sequence under LLM training as it says"},
	{[]string{"distributed_type:", "compute_environment:|mixed_precision:|num_processes:"}, "a configuration of accelerate, which says how processes start and names no model; drop the model's config.json on LLM training"},
	{[]string{`"tokenizer_class"|"added_tokens"`}, "a tokenizer's file, which says nothing of layers; drop the config.json beside it"},
	{[]string{`"do_sample"|"eos_token_id"`, `"transformers_version"`}, "settings of generation, which say nothing of layers; drop the config.json beside it"},
}

// within reports whether a text is of the format.
func (f *foreign) within(text []byte) bool {
	for _, one := range f.has {
		if !slices.ContainsFunc(strings.Split(one, "|"), func(s string) bool { return bytes.Contains(text, []byte(s)) }) {
			return false
		}
	}
	return true
}

// offices are the ends of the names of what office programs write.
var offices = []string{".xlsx", ".xlsm", ".docx", ".pptx", ".ods", ".odt", ".odp"}

// Office reports whether a file with this name and beginning is a document of an office program.
func Office(name string, data []byte) bool {
	if !bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return false
	}
	return bytes.Contains(data[:min(len(data), 512)], []byte("mimetypeapplication/")) ||
		slices.ContainsFunc(offices, func(end string) bool { return strings.HasSuffix(strings.ToLower(name), end) })
}

// describe says what content looks like that no format recognizes.
func describe(name string, data []byte) string {
	switch {
	case len(data) == 0:
		return "an empty file"
	case strings.HasSuffix(name, ".nsys-rep"), strings.HasSuffix(name, ".qdrep"):
		return "a report, " + nsight
	case bytes.HasPrefix(data, []byte("PK\x03\x04")) && bytes.Contains(data[:min(len(data), 512)], []byte("/data.pkl")):
		return reasons[checkpoint]
	case Office(name, data):
		return "a document of an office program; save a table as CSV, a text as plain text, and drop that"
	case bytes.HasPrefix(data, []byte("PK\x03\x04")) && bytes.Contains(data[:min(len(data), 512)], []byte(".npy")):
		return "arrays of NumPy (.npz), not what happens in a step: the laboratory Compression takes them; record a step with Spillway's capture.py"
	}
	for _, s := range signatures {
		if len(data) >= s.at && bytes.HasPrefix(data[s.at:], []byte(s.bytes)) {
			return s.what
		}
	}
	if why := reasons[recognize(data)]; why != "" {
		return why
	}
	head := data[:min(len(data), 64<<10)]
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	lower := bytes.ToLower(text[:min(len(text), 256)])
	has := func(s string) bool { return bytes.Contains(head, []byte(s)) }
	isText := utf8.Valid(head[:max(0, len(head)-utf8.UTFMax)])
	for i := range foreigns {
		if isText && foreigns[i].within(head) {
			return foreigns[i].what
		}
	}
	switch {
	case bytes.HasPrefix(lower, []byte("<!doctype html")), bytes.HasPrefix(lower, []byte("<html")):
		switch {
		case has("memory_viz"), has("device_traces"), has("torch.cuda.memory"):
			return "a web page (HTML) that shows a PyTorch memory snapshot; open the snapshot itself (.pickle), with a profiler trace of the same run"
		case has("data:image/png;base64"), has("Memory Timeline"):
			return "a picture (HTML) of the memory timeline; export_memory_timeline writes the numbers into a file whose name ends in .raw.json.gz, and a profiler trace of the same run has the kernels"
		}
		return "a web page (HTML); use the site's download link instead of saving the page"
	case bytes.HasPrefix(text, []byte("<")):
		return "an XML file, not a trace"
	case bytes.HasPrefix(text, []byte("{")) && (has(`"CudaEvent"`) || has(`"TraceProcessEvent"`) || has(`"NvtxEvent"`)):
		return "lines of JSON, " + nsight
	case bytes.HasPrefix(text, []byte("{")), bytes.HasPrefix(text, []byte("[")):
		return "JSON, but no recording or trace that is known"
	case isOldPickle(data):
		return "a Python pickle of protocol 0 or 1, which no recording is; a memory snapshot has protocol 2 to 5. Nothing of it was executed"
	case has("kernel_stat.") || has("exe_time"):
		return "a result of the artifact's simulator, not its input"
	case !isText || bytes.IndexByte(head, 0) >= 0:
		return "a binary file of an unknown kind"
	}
	return "text, but none that is known"
}

// isOldPickle reports whether data looks like a pickle without a head: opcodes that
// are text, a line each, and a point that ends it.
func isOldPickle(data []byte) bool {
	const longest = 4 // of the last line
	if !bytes.HasSuffix(data, []byte(".")) || bytes.IndexByte([]byte("(]}cSVIFL"), data[0]) < 0 {
		return false
	}
	at := bytes.LastIndexByte(data, '\n')
	return at >= 0 && len(data)-at-1 <= longest
}
