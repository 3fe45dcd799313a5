package traces

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/build/effort"
	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
	"spillway/traces/archive/archivetest"
	"spillway/traces/recording"
)

// opened opens samples together.
func opened(t *testing.T, names ...string) (*Source, error) {
	t.Helper()
	dir := artifact.Traces(t)
	var files []File
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, File{Name: filepath.Base(name), Data: data})
	}
	return Open(files, nil)
}

const (
	weightsOnly = "weights (safetensors), not what happens in a step: the laboratory Compression takes them; record a step with Spillway's capture.py."
	noClass     = "is refused, because it names a class or function; nothing of a pickle is ever executed here"
	noNeed      = "is refused, because no recording needs it; nothing of a pickle is ever executed here"
)

// hostile are the 32 files of SOURCES.md: refused says why, else noted is part of
// what is said of a file that was repaired, empty of the two that are sound.
var hostile = []struct{ name, refused, noted string }{
	{"chakra-endless-varint.et", "byte 0: a message's length: a number (varint) that does not end within 10 bytes, or does not fit into 64 bits", ""},
	{"chakra-length-past-end.et", "byte 6: a message of 4294967295 bytes; at most 67108864 are read", ""},
	{"et-cycle-duplicate-dangling.json", "line 1 (byte 394): a tensor of 9223372036854775807 elements of 8 bytes from the 0-th on: at most 4 TiB is believed", ""},
	{"et-deep.json", "line 1 (byte 61): lists of values nest deeper than 16 levels", ""},
	{"gzip-bomb-100MB.json.gz", "unpacks to more than 250 times its size, as no recording does; compress it again", ""},
	{"kineto-bad-backslash.json", "", "Backslashes that escape nothing, taken as they are: 2."},
	{"kineto-dup-correlation.json", "", "Kernels that share the number of their launch with others: 2."},
	{"kineto-huge-dims.json", "", "only the times of kernels are known"},
	{"kineto-minimal-good.json", "", ""},
	{"kineto-missing-bracket.json", "", "The file ends too early; what is there was read. Missing brackets: 2."},
	{"kineto-nan-inf.json", "", "Numbers that are NaN or Infinity, taken as missing: 2."},
	{"kineto-negative-dur.json", "", "Negative durations, taken as 0: 1."},
	{"kineto-string-dur.json", "", ""},
	{"kineto-trailing-comma.json", "", "Commas too many, which were ignored: 1."},
	{"kineto-truncated.json", "ends too early, before any work of a GPU: 1 operators and 1 launches are there. Record or copy it again.", ""},
	{"kineto-two-devices.json", "", "GPU 1"},
	{"pickle-bytes8-huge.pickle", "byte 2: the opcode BINBYTES8 (0x8e) " + noNeed, ""},
	{"pickle-doubling.pickle", "byte 487: STOP with 61 values on the stack and 0 marks; want one value and no mark", ""},
	{"pickle-ext1.pickle", "byte 2: the opcode EXT1 (0x82) " + noClass, ""},
	{"pickle-global.pickle", "byte 2: the opcode GLOBAL (0x63) " + noClass, ""},
	{"pickle-inst.pickle", "a Python pickle of protocol 0 or 1, which no recording is; a memory snapshot has protocol 2 to 5. Nothing of it was executed.", ""},
	{"pickle-long4-huge.pickle", "byte 2: the opcode LONG4 (0x8b) " + noNeed, ""},
	{"pickle-memo-huge-index.pickle", "byte 3: memo entry 2147483647 is put after only 3 opcodes", ""},
	{"pickle-no-stop.pickle", "byte 49: the file ends inside the pickle; it was cut off, or is not whole yet: the frame of byte 2 should go on to byte 50", ""},
	{"pickle-persid.pickle", "byte 6: the opcode BINPERSID (0x51) is refused, because it refers to what is not in the file; nothing of a pickle is ever executed here", ""},
	{"pickle-self-list.pickle", "byte 6: a list contains itself; no recording does", ""},
	{"pickle-stack-global-reduce.pickle", "byte 19: the opcode STACK_GLOBAL (0x93) " + noClass, ""},
	{"pickle-stack-underflow.pickle", "byte 2: there is too little on the stack: want what is put, and before it where it is put", ""},
	{"pickle-uint64.pickle", "", ""},
	{"safetensors-deep.safetensors", weightsOnly, ""},
	{"safetensors-header-too-long.safetensors", weightsOnly, ""},
	{"safetensors-overlap-mismatch.safetensors", weightsOnly, ""},
}

// TestHostile: every hostile file is refused, repaired or noted, in the words above, and
// takes little memory for what it has.
func TestHostile(t *testing.T) {
	list, err := os.ReadDir(filepath.Join(artifact.Traces(t), "hostile"))
	if err != nil || len(list) != len(hostile) {
		t.Fatalf("%v; %d files, want %d", err, len(list), len(hostile))
	}
	for _, h := range hostile {
		size := len(artifact.Sample(t, "hostile/"+h.name))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := opened(t, "hostile/"+h.name)
		runtime.ReadMemStats(&after)
		if n, most := after.TotalAlloc-before.TotalAlloc, uint64(4<<20+32*size); n > most {
			t.Errorf("%s of %d bytes: %d bytes are allocated, want at most %d", h.name, size, n, most)
		}
		if h.refused != "" {
			want := h.name + ": " + h.refused
			if strings.HasPrefix(h.refused, "has ") || strings.HasPrefix(h.refused, "ends ") {
				want = h.name + " " + h.refused
			}
			if err == nil || strings.TrimSuffix(strings.TrimSuffix(err.Error(), Takes()), "\n") != want {
				t.Errorf("%s: got %v\nwant %s", h.name, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", h.name, err)
			continue
		}
		var said strings.Builder
		said.WriteString(strings.Join(s.Notes, "\n"))
		for _, e := range s.Entries {
			_, rep, err := e.Recording.Fold(recording.Choices{})
			said.WriteString("\n" + e.Name + "\n" + strings.Join(e.Recording.Notes, "\n"))
			if err != nil {
				said.WriteString("\n" + err.Error())
			} else {
				said.WriteString("\n" + strings.Join(append(rep.Notes, rep.Warnings...), "\n"))
			}
		}
		if !strings.Contains(said.String(), h.noted) {
			t.Errorf("%s: %q is not said: %s", h.name, h.noted, said.String())
		}
	}
}

// TestSystems runs every system on a share of the samples that become workloads, at night
// on all, as published and corrected, with GPU memory for all of it and for half.
func TestSystems(t *testing.T) {
	ran := 0
	for _, names := range runnable(t) {
		s, err := opened(t, names...)
		if err != nil {
			continue // TestSamples of the command says why
		}
		for i := range s.Entries {
			w, err := s.Entries[i].Load()
			if err != nil || i > 1 { // GPUs of one recording are much alike
				continue
			}
			ran++
			for k, mode := range []quirk.Set{quirk.Published(), quirk.Corrected()} {
				if effort.Takes(2*ran+k, 4) {
					everySystem(t, w, mode)
				}
			}
		}
	}
	if ran < 20 && !testing.Short() || ran < 10 {
		t.Errorf("only %d samples become workloads", ran)
	}
}

// TestJAX: of the eight GPUs every event is in a step or accounted for.
func TestJAX(t *testing.T) {
	s, err := opened(t, "jax/mi300-conv3d-8gpu.xplane.pb")
	if err != nil || len(s.Entries) != 8 {
		t.Fatalf("%v: %+v", err, s)
	}
	events, all := 0, unit.Time(0)
	for i := range s.Entries {
		r := s.Entries[i].Recording
		for _, l := range r.Missing {
			events += l.Kernels
			all += l.Time
		}
		for j := range r.Steps {
			events += len(r.Steps[j].Kernels)
			for k := range r.Steps[j].Kernels {
				all += r.Steps[j].Kernels[k].Time
			}
		}
		if n := len(r.Steps[r.Chosen].Tensors); n != 8 {
			t.Errorf("%s: %d buffers, want 8", r.Name, n)
		}
		if said := strings.Join(r.Notes, "\n"); !strings.Contains(said, "579072256 bytes, of which 579072000") {
			t.Errorf("%s: %s", r.Name, said)
		}
	}
	if events != 235 || all != 28137077000 {
		t.Errorf("%d events and %d ps, want 235 and 28137077000", events, all)
	}
}

// runnable lists the samples that may become workloads, together where they belong
// together.
func runnable(t *testing.T) (list [][]string) {
	t.Helper()
	dir := artifact.Traces(t)
	for _, folder := range []string{"kineto", "et", "chakra", "jax"} {
		files, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if info, err := f.Info(); err != nil || testing.Short() && info.Size() > 200_000 {
				continue
			}
			list = append(list, []string{folder + "/" + f.Name()})
		}
	}
	for _, name := range []string{"dlrm-rank0", "dlrm-rank1", "simple-add"} {
		list = append(list, []string{"et-kineto-pair/" + name + "-et.json.gz", "et-kineto-pair/" + name + "-kineto.json.gz"})
	}
	return list
}

func everySystem(t *testing.T, w *workload.Workload, mode quirk.Set) {
	t.Helper()
	most := vitality.Analyze(w).Measure(w).Most
	least := unit.Bytes(w.HeldPages()) * unit.Page
	ideal := unit.Cycles(0)
	for _, s := range train.Systems {
		for _, memory := range []unit.Bytes{2*most + 64*unit.MiB, least + (most-least)/2} {
			q := train.Request{System: s.Name, Machine: machine.G10(), Options: system.Published()}
			q.Options.Quirks = mode
			q.Machine.GPUMemory = max(16*unit.MiB, memory)
			r, err := train.Run(w, q, nil)
			switch {
			case err != nil:
				t.Errorf("%s: %s, %v: %v", w.Name, s.Name, mode, err)
			case s.Name == "ideal":
				ideal = r.Time()
			case r.Fits && r.Time() < ideal:
				t.Errorf("%s: %s, %v: %d cycles, ideal takes %d", w.Name, s.Name, mode, r.Time(), ideal)
			case s.Name == "vdnn" && strings.Contains(r.Reason, "none is a convolution"):
			case !r.Fits && memory > most && memory == q.Machine.GPUMemory:
				t.Errorf("%s: %s, %v: it does not fit into twice its memory: %s", w.Name, s.Name, mode, r.Reason)
			}
		}
	}
}

// TestSaveSamples: what samples become is the same after it was saved as a Spillway
// trace, with the same results, and without names runs as long: a share, at night all.
func TestSaveSamples(t *testing.T) {
	for n, names := range runnable(t) {
		if !effort.Takes(n, 4) {
			continue
		}
		s, err := opened(t, names...)
		if err != nil {
			continue
		}
		for i := range s.Entries {
			w, err := s.Entries[i].Load()
			if err != nil || i > 1 || len(w.Kernels) > 2000 && testing.Short() {
				continue
			}
			memory := max(16*unit.MiB, vitality.Analyze(w).Measure(w).Most*3/4)
			want := hashes(t, w, memory)
			for j, got := range hashes(t, saved(t, w), memory) {
				if got != want[j] {
					t.Errorf("%s: %s does something else after saving", w.Name, train.Systems[j].Name)
				}
			}
			if back := saved(t, recording.Anonymous(w)); len(back.Kernels) != len(w.Kernels) || strings.Contains(back.Origin, ".json") || !recording.IsOrigin(back.Origin) {
				t.Errorf("%s: %q, %d kernels", w.Name, back.Origin, len(back.Kernels))
			}
		}
	}
}

// TestPrefixes: no beginning of a file crashes, packed or not, nor does any that is
// in an archive with others.
func TestPrefixes(t *testing.T) {
	dir := artifact.Traces(t)
	list, err := os.ReadDir(filepath.Join(dir, "hostile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		data, err := os.ReadFile(filepath.Join(dir, "hostile", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > 1000 {
			continue
		}
		packed := zipped(t, []File{{Name: e.Name() + ".gz", Data: archivetest.Gzip(t, data)}})
		for _, whole := range [][]byte{data, packed} {
			for n := 0; n < len(whole); n += 1 + n/50 {
				s, err := Open([]File{{Name: e.Name(), Data: whole[:n]}}, nil)
				if (err == nil) == (s == nil) {
					t.Fatalf("%s, %d bytes: %v, %v", e.Name(), n, s, err)
				}
				for i := 0; err == nil && i < len(s.Entries); i++ {
					if w, err := s.Entries[i].Load(); err == nil && w.Validate() != nil {
						t.Errorf("%s, %d bytes: %v", e.Name(), n, w.Validate())
					}
				}
			}
		}
	}
}
