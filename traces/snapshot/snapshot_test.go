package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"spillway/build/artifact"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// read reads a snapshot twice; both must be the same, and right for all who take
// recordings.
func read(t testing.TB, data []byte) (*Snapshot, error) {
	t.Helper()
	s, err := Read(bytes.NewReader(data), nil)
	again, err2 := Read(bytes.NewReader(data), nil)
	if fmt.Sprint(err) != fmt.Sprint(err2) || !reflect.DeepEqual(s, again) {
		t.Fatalf("read twice: %v, %v", err, err2)
	}
	if err != nil {
		return nil, err
	}
	for _, r := range s.Recordings("x") {
		if err := r.Check(); err != nil {
			t.Error(err)
		}
		var peak unit.Bytes
		for i := range r.Picture.Times {
			var sum unit.Bytes
			for _, l := range r.Picture.Levels {
				sum += l[i]
			}
			peak = max(peak, sum)
		}
		if peak != r.Memory.Peak || len(r.Picture.Times) > maxPoints {
			t.Errorf("%s: the picture's peak is %d at %d points; want %d", r.Name, peak, len(r.Picture.Times), r.Memory.Peak)
		}
	}
	return s, nil
}

// The numbers of the samples' list.
func TestSamples(t *testing.T) {
	for _, tt := range []struct {
		name                                             string
		segments, entries, allocs, frees, before, annots int
		level, peak                                      unit.Bytes
		note                                             string
	}{
		{"gpu-mini-trimmed.pickle", 14, 50, 28, 4, 0, 0, 0, 402753536, "do not belong together"},
		{"gpu-mini-protocol2.pickle", 14, 50, 28, 4, 0, 0, 0, 402753536, "do not belong together"},
		{"gpu-mini-protocol3.pickle", 14, 50, 28, 4, 0, 0, 0, 402753536, "do not belong together"},
		{"gpu-mini-protocol4.pickle", 14, 50, 28, 4, 0, 0, 0, 402753536, "do not belong together"},
		{"gpu-mini-protocol5.pickle", 14, 50, 28, 4, 0, 0, 0, 402753536, "do not belong together"},
		{"gpu-mini.json", 14, 50, 28, 4, 0, 0, 0, 402753536, "do not belong together"},
		{"synthetic-annotations.pickle", 5, 1040, 520, 520, 17, 6, 8704, 2255416320, ""},
		{"synthetic-resnet50-step.pickle.gz", 1, 1638, 546, 546, 488, 0, 326331392, 3090008064, ""},
		{"synthetic-resnet50-step-overflowed.pickle.gz", 1, 819, 147, 336, 488 + 189, 0, 2631649280, 2631649280, "189 blocks are freed in it"},
	} {
		s, err := read(t, artifact.Sample(t, "snapshot/"+tt.name))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		d := &s.Devices[0]
		before := 0
		for i := range d.Blocks {
			if d.Blocks[i].Before {
				before++
			}
		}
		got := []int{len(s.Devices), d.Segments, d.Entries, d.Allocations, d.Frees, before, s.Annotations, int(d.LevelBefore), int(d.Peak)}
		want := []int{1, tt.segments, tt.entries, tt.allocs, tt.frees, tt.before, tt.annots, int(tt.level), int(tt.peak)}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d; want %d", tt.name, got, want)
		}
		notes := strings.Join(d.Notes, "\n")
		if tt.note == "" && notes != "" || !strings.Contains(notes, tt.note) {
			t.Errorf("%s: notes %q; want %q", tt.name, notes, tt.note)
		}
	}
}

// A pickle and JSON of one snapshot are one snapshot, whatever the protocol.
func TestSame(t *testing.T) {
	want, err := read(t, artifact.Sample(t, "snapshot/gpu-mini.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"trimmed", "protocol2", "protocol3", "protocol4", "protocol5"} {
		got, err := read(t, artifact.Sample(t, "snapshot/gpu-mini-"+name+".pickle"))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, not as JSON", name, err)
		}
	}
}

// Nothing of call stacks, folders or settings is in what is kept.
func TestPrivate(t *testing.T) {
	for _, name := range []string{"gpu-mini.json", "gpu-mini-trimmed.pickle", "synthetic-annotations.pickle"} {
		s, err := Read(bytes.NewReader(artifact.Sample(t, "snapshot/"+name)), nil)
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		fmt.Fprintf(&all, "%+v %+v", s, s.Residents())
		for _, r := range s.Recordings(name) {
			fmt.Fprintf(&all, "%+v", *r)
		}
		for _, not := range []string{"someone", "/home", "site-packages", "torch::", "Annotation3", "context2", "/path"} {
			if strings.Contains(all.String(), not) {
				t.Errorf("%s: %q is kept", name, not)
			}
		}
	}
}

// The blocks that are alive at the end, by role.
func TestResidents(t *testing.T) {
	s, err := read(t, artifact.Sample(t, "snapshot/synthetic-resnet50-step.pickle.gz"))
	if err != nil {
		t.Fatal(err)
	}
	var sum unit.Bytes
	list := s.Residents()
	for _, r := range list {
		sum += r.Bytes
	}
	if len(list) != 488 || sum != 326331392 || list[0].Name != "before the recording 1" || list[0].Kind != workload.Weight || list[0].Address < 1<<63 {
		t.Errorf("%d residents, %d bytes, the first %+v", len(list), sum, list[0])
	}
	s, err = read(t, artifact.Sample(t, "snapshot/gpu-mini.json"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range s.Residents() {
		names = append(names, strings.TrimRight(r.Name, " 0123456789"))
	}
	slices.Sort(names)
	if got := slices.Compact(names); !slices.Equal(got, []string{"forward", "model", "other"}) {
		t.Errorf("roles of residents: %q", got)
	}
}

// line is a snapshot of one device as JSON.
func line(segments, trace, more string) []byte {
	return []byte(`{"segments":[` + segments + `],"device_traces":[[` + trace + `]]` + more + `}`)
}

func event(action string, address, size, time int, frames string) string {
	return fmt.Sprintf(`{"action":"%s","addr":%d,"size":%d,"time_us":%d,"frames":[%s]}`, action, address, size, time, frames)
}

// What is odd is noted, and what remains is right.
func TestOdd(t *testing.T) {
	used := func(address, size, want int) string {
		return fmt.Sprintf(`{"device":0,"address":%d,"blocks":[{"address":%[1]d,"size":%d,"requested_size":%d,"state":"active_allocated"}]}`, address, size, want)
	}
	at := func(parts ...string) string { return strings.Join(parts, ",") }
	frame := `{"name":"forward","filename":"m.py","line":1}`
	for _, tt := range []struct {
		name, segments, trace, more string
		level, peak                 unit.Bytes
		blocks                      int
		note                        string
	}{
		{"a block of more than was asked for", used(8, 2048, 600), event("alloc", 8, 600, 1, frame), "", 0, 2048, 1, ""},
		{"a request of nothing", "", at(event("alloc", 8, 0, 1, frame), event("free_completed", 8, 0, 1, "")), "", 0, 512, 1, ""},
		{"taken twice", used(8, 512, 8), at(event("alloc", 8, 8, 1, frame), event("alloc", 8, 8, 2, frame)), "", 0, 512, 2, "1 blocks are taken or freed twice"},
		{"freed twice", "", at(event("alloc", 8, 8, 1, frame), event("free_completed", 8, 8, 2, ""), event("free_completed", 8, 8, 3, "")), "", 0, 512, 1, "1 blocks are taken or freed twice"},
		{"freed with another size", "", at(event("alloc", 8, 8, 1, frame), event("free_completed", 8, 999, 2, "")), "", 0, 512, 1, "1 blocks are freed with another size"},
		{"freed and not taken", "", event("free_completed", 8, 513, 3, ""), "", 1024, 1024, 1, "1 blocks of 1 KiB were there before and were freed: recording began after them."},
		{"as many entries as are kept", "", at(event("alloc", 8, 8, 1, frame), event("free_completed", 8, 8, 2, "")), `,"allocator_settings":{"trace_alloc_max_entries":2}`, 0, 512, 1, "The beginning of the history is missing"},
		{"freed, and yet in use", used(8, 512, 8), at(event("alloc", 8, 8, 1, frame), event("free_completed", 8, 8, 2, "")), "", 0, 512, 1, "History and segments differ in 1 blocks"},
		{"in use, but elsewhere", used(16, 512, 8), event("alloc", 8, 8, 1, frame), "", 512, 1024, 2, "History and segments differ in 1 blocks"},
		{"more in use than there is", "", event("alloc", 8, 8, 1, frame), "", 0, 512, 1, "do not belong together"},
		{"out of memory", "", at(event("oom", 0, 99, 1, ""), event("alloc", 8, 8, 1, frame), event("free_completed", 8, 8, 2, "")), "", 0, 512, 1, "ran out of memory 1 times"},
		{"a new kind", "", at(event("sing", 0, 99, 1, ""), event("alloc", 8, 8, 1, frame), event("free_completed", 8, 8, 2, "")), "", 0, 512, 1, "1 entries are of an unknown kind"},
		{"no stack", "", at(event("alloc", 8, 8, 1, ""), event("alloc", 9, 8, 1, frame), event("free_completed", 8, 8, 2, ""), event("free_completed", 9, 8, 2, "")), "", 0, 1024, 2, "1 allocations have no call stack"},
		{"no history", used(16, 512, 8), "", "", 512, 512, 1, "The history was not recorded"},
		{"blocks without addresses", `{"address":64,"blocks":[{"size":512,"state":"inactive"},{"size":512,"state":"active_pending_free"}]}`, event("alloc", 576, 8, 1, frame), "", 0, 512, 1, ""},
		{"time runs backward", "", at(event("alloc", 8, 8, 5, frame), event("free_completed", 8, 8, 2, "")), "", 0, 512, 1, ""},
	} {
		s, err := read(t, line(tt.segments, tt.trace, tt.more))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		d := &s.Devices[0]
		if d.LevelBefore != tt.level || d.Peak != tt.peak || len(d.Blocks) != tt.blocks {
			t.Errorf("%s: level %d, peak %d, %d blocks; want %d, %d, %d", tt.name, d.LevelBefore, d.Peak, len(d.Blocks), tt.level, tt.peak, tt.blocks)
		}
		if notes := strings.Join(d.Notes, "\n"); tt.note == "" && notes != "" || !strings.Contains(notes, tt.note) {
			t.Errorf("%s: notes %q; want %q", tt.name, notes, tt.note)
		}
	}
}

// Sizes that cannot be are left out, with a note.
func TestWrong(t *testing.T) {
	s, err := read(t, line(`{"device":-1},{"blocks":[{"size":-5,"state":"active_allocated"}]}`,
		event("alloc", 8, -8, 1, "")+","+event("alloc", 8, 1<<62, 1, "")+`,{"action":"alloc","addr":1,"size":1e99},7,`+event("alloc", 8, 8, 1, ""), ""))
	if err != nil || len(s.Notes) != 1 || !strings.HasPrefix(s.Notes[0], "5 entries and blocks of impossible sizes") || s.Devices[0].Peak != 512 {
		t.Errorf("%+v, %v", s, err)
	}
}

// Roles come from stacks, from where an optimizer steps, and from having no stack.
func TestRoles(t *testing.T) {
	for _, tt := range []struct {
		function, file string
		want           Role
	}{
		{"forward", "", Forward},
		{"_call_impl", "", Forward},
		{"backward", "", Backward},
		{"_apply", "", Model},
		{"step", "/x/torch/optim/adam.py", Optimizer},
		{"step", "symbolic_convert.py", Other},
		{"_multi_tensor_adamw", "", Optimizer},
		{"torch::autograd::Engine::evaluate_function(std::shared_ptr)", "", Backward},
		{"torch::autograd::generated::AddmmBackward0::apply(x)", "", Backward},
		{"torch::autograd::THPVariable_to(_object*)", "", Other},
		{"main", "", Other},
	} {
		role, ok := roleOf(tt.function, tt.file)
		if ok != (tt.want != Other) || ok && role != tt.want {
			t.Errorf("%s: %v, %v; want %v", tt.function, role, ok, tt.want)
		}
	}
	ann := `,"external_annotations":[{"name":"Optimizer.step#SGD.step","stage":"START","time_us":5},{"name":"Optimizer.step#SGD.step","stage":"END","time_us":7}]`
	s, err := read(t, line("", event("alloc", 8, 8, 4, "")+","+event("alloc", 16, 8, 6, "")+","+event("alloc", 24, 8, 8, "")+
		","+event("alloc", 32, 8, 8, `{"filename":"a.py","name":"backward"},{"name":"forward"}`), ann))
	if err != nil {
		t.Fatal(err)
	}
	var got []Role
	for _, b := range s.Devices[0].Blocks {
		got = append(got, b.Role)
	}
	if want := []Role{Backward, Optimizer, Backward, Backward}; !slices.Equal(got, want) {
		t.Errorf("roles %v; want %v", got, want)
	}
}

func TestRefused(t *testing.T) {
	for in, want := range map[string]string{
		"\x80\x04]\x94K\x01a.":                 "not a CUDA memory snapshot: the pickle is a list",
		"\x80\x04}\x8c\x01aNs.":                "not a CUDA memory snapshot: it has neither",
		"{}":                                   "not a CUDA memory snapshot: it has neither",
		"[1]":                                  "not a CUDA memory snapshot: it has neither",
		"":                                     "",
		`{"segments":[],"device_traces":[[]]}`: "the memory snapshot is empty",
		`{"segments" 7}`:                       "line 1",
	} {
		if _, err := read(t, []byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", in, err, want)
		}
	}
	// A list that holds one list 1000 times, which holds one list 1000 times ...
	bomb := "\x80\x04}\x8c\x08segments](}\x94\x8c\x06blocks](" + strings.Repeat("N", 60000) + "es" + strings.Repeat("h\x00", 60000) + "es."
	if _, err := Read(strings.NewReader(bomb), nil); err == nil || !strings.Contains(err.Error(), "would never end") {
		t.Errorf("the same values 3.6e9 times: %v", err)
	}
}

func TestUint64(t *testing.T) {
	s, err := read(t, artifact.Sample(t, "hostile/pickle-uint64.pickle"))
	if err != nil {
		t.Fatal(err)
	}
	if b := s.Devices[0].Blocks[0]; b.Address != 0xfffffffffffffe00 || b.Requested != 512 {
		t.Errorf("%+v", b)
	}
}

// No beginning of a file crashes; of a pickle every one is refused.
func TestPrefixes(t *testing.T) {
	small := line(`{"device":0,"address":64,"blocks":[{"size":512,"state":"active_allocated"}]}`,
		event("alloc", 8, 8, 4, `{"name":"forward"}`)+","+event("free_completed", 8, 8, 6, ""), `,"external_annotations":[]`)
	for n := range small {
		Read(bytes.NewReader(small[:n]), nil)
	}
	data := artifact.Sample(t, "hostile/pickle-uint64.pickle")
	for n := range data {
		if _, err := Read(bytes.NewReader(data[:n]), nil); err == nil {
			t.Errorf("the first %d bytes were read", n)
		}
	}
	data = artifact.Sample(t, "snapshot/gpu-mini.json")
	for n := 0; n < len(data); n += 40009 {
		Read(bytes.NewReader(data[:n]), nil)
	}
}

func TestTimeline(t *testing.T) {
	line, err := ReadTimeline(bytes.NewReader(artifact.Sample(t, "memory-timeline/memory-timeline.raw.json.gz")), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := line.Recording("m.json")
	if err := r.Check(); err != nil {
		t.Error(err)
	}
	if line.Rows != 16845 || line.Peak != 3082832104 || line.LevelBefore != 332060904 || line.Allocations != 3345 ||
		len(r.Picture.Times) > maxPoints || len(r.Notes) > 0 {
		t.Errorf("%d rows, peak %d, level %d, %d allocations, %d points, %q", line.Rows, line.Peak, line.LevelBefore, line.Allocations, len(r.Picture.Times), r.Notes)
	}
	for in, want := range map[string]string{
		"{}": "not a memory timeline", "[[1,2,3]]": "not a memory timeline", "[[1,5,3,0]]": "not a memory timeline", "[[1,2,3,9]]": "not a memory timeline", "[": "not a memory timeline",
	} {
		if _, err := ReadTimeline(strings.NewReader(in), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %s", in, err, want)
		}
	}
	line, err = ReadTimeline(strings.NewReader("[[-1,1,10,0],[5,2,7,1],[6,4,-9,1],[1],[7,3,-10,0],[7,3,10,2]]"), nil)
	if err != nil || line.Peak != 17 || line.LevelBefore != 10 || len(line.Notes) != 2 {
		t.Errorf("%+v, %v", line, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(line(`{"device":0,"address":64,"blocks":[{"size":512,"state":"active_allocated"}]}`,
		event("alloc", 8, 8, 4, `{"name":"forward"}`)+","+event("free_completed", 8, 8, 6, ""), `,"external_annotations":[]`))
	f.Add([]byte("\x80\x04}(\x8c\x08segments]\x8c\x0ddevice_traces](](}(\x8c\x06action\x8c\x05alloc\x8c\x04addrK\x01\x8c\x04sizeK\x02ueeu."))
	f.Add([]byte("[[-1,1,10,0],[5,2,7,1],[6,4,-9,1]]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		read(t, data)
		if line, err := ReadTimeline(bytes.NewReader(data), nil); err == nil {
			if err := line.Recording("x").Check(); err != nil {
				t.Error(err)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"gpu-mini.json", "gpu-mini-trimmed.pickle", "synthetic-resnet50-step.pickle.gz"} {
		data := artifact.Sample(b, "snapshot/"+name)
		b.Run("file="+name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := Read(bytes.NewReader(data), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Reading stops with the reader's own error, as when it is cancelled.
func TestCancelled(t *testing.T) {
	data := line("", event("alloc", 8, 8, 4, ""), "")
	stop := errors.New("stopped")
	for _, n := range []int{0, 1, 5, len(data) / 2, len(data) - 1} {
		r := io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(stop))
		if _, err := Read(r, nil); err == nil || !strings.Contains(err.Error(), "stopped") {
			t.Errorf("stopped after %d bytes: %v", n, err)
		}
	}
}

// Each device has its own history, blocks and picture.
func TestDevices(t *testing.T) {
	data := []byte(`{"device_traces":[[` + event("alloc", 8, 8, 1, "") + `],[],[` + event("alloc", 8, 600, 1, "") + `]],"segments":[` +
		`{"device":2,"address":8,"blocks":[{"address":8,"size":1024,"requested_size":600,"state":"active_allocated"}]},` +
		`{"device":0,"address":8,"blocks":[{"address":8,"size":512,"requested_size":8,"state":"active_allocated"}]}]}`)
	s, err := read(t, data)
	if err != nil {
		t.Fatal(err)
	}
	list := s.Recordings("x.json")
	if len(list) != 2 || list[0].Name != "x.json, GPU 0" || list[1].Name != "x.json, GPU 2" || list[1].Device.ID != 2 ||
		list[0].Memory.Peak != 512 || list[1].Memory.Peak != 1024 || len(list[0].Notes)+len(list[1].Notes) > 0 {
		t.Errorf("%+v", s)
	}
	if r := s.Residents(); len(r) != 2 || r[1].Device != 2 || r[1].Bytes != 1024 {
		t.Errorf("%+v", r)
	}
}

// Of many changes a picture keeps some, and the peak among them.
func TestThin(t *testing.T) {
	var events []string
	for i := range 9000 {
		events = append(events, event("alloc", 512*i, 1, i+1, ""))
		if i%3 > 0 {
			events = append(events, event("free_completed", 512*i, 1, i+1, ""))
		}
	}
	s, err := read(t, line("", strings.Join(events, ","), ""))
	if err != nil {
		t.Fatal(err)
	}
	p := s.Recordings("x")[0].Picture
	if n := len(p.Times); n < maxPoints/3 || n > maxPoints || s.Devices[0].Peak != 3000*512+512 {
		t.Errorf("%d points, peak %d", n, s.Devices[0].Peak)
	}
}

// Of too many blocks as many as there is room for are kept, also of equal ones, and what the others
// have at once is known.
func TestMostLives(t *testing.T) {
	var events []string
	take := func(size, held int) { // for so many events
		n := len(events)
		events = append(events, event("alloc", 4096*n, size, n+1, ""))
		for range held {
			n := len(events)
			events = append(events, event("alloc", 4096*n, 1, n+1, ""), event("free_completed", 4096*n, 1, n+2, ""))
		}
	}
	for range recording.MostLives - 1 {
		take(1024, 0)
	}
	take(1024, 3) // and three of 512 bytes, one behind the other
	s, err := read(t, line("", strings.Join(events, ","), ""))
	if err != nil {
		t.Fatal(err)
	}
	if p := s.Recordings("x")[0].Picture; len(p.Lives) != recording.MostLives || p.Lives[0].Bytes != 1024 || p.Rest != 512 {
		t.Errorf("%d lives, and %v", len(p.Lives), p.Rest)
	}
	for range 9 { // equal ones, which stay
		take(1024, 0)
	}
	if s, err = read(t, line("", strings.Join(events, ","), "")); err != nil {
		t.Fatal(err)
	}
	if p := s.Recordings("x")[0].Picture; len(p.Lives) != recording.MostLives || p.Lives[0].From != 0 || p.Rest != 9*1024 {
		t.Errorf("of equal ones %d lives, and %v", len(p.Lives), p.Rest)
	}
	if s, err = read(t, line("", strings.Join(events[:recording.MostLives], ","), "")); err != nil {
		t.Fatal(err)
	}
	if p := s.Recordings("x")[0].Picture; len(p.Lives) != recording.MostLives || p.Rest != 0 {
		t.Errorf("of as many as there is room for %d lives, and %v", len(p.Lives), p.Rest)
	}
}

// TestPieces counts what the allocator holds and nobody uses.
func TestPieces(t *testing.T) {
	s, err := read(t, []byte(`{"device_traces":[[`+event("alloc", 8, 8, 1, "")+`]],"segments":[{"device":0,"address":8,"blocks":[`+
		`{"address":8,"size":512,"state":"active_allocated"},{"size":1024,"state":"inactive"},{"size":512,"state":"active_allocated"},{"size":2048,"state":"inactive"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	d := &s.Devices[0]
	want := "At the end the allocator holds 4 KiB of the driver, of which 3 KiB are free in 2 pieces, the largest 2 KiB. With PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True pieces can become one."
	if d.Pieces != (Pieces{Reserved: 4096, Free: 3072, Largest: 2048, Count: 2}) || !slices.Contains(d.Notes, want) {
		t.Errorf("%+v, %q", d.Pieces, d.Notes)
	}
}
