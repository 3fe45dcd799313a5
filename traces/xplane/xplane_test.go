package xplane

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"spillway/build/artifact"
	"spillway/sim/unit"
	"spillway/traces/protobuf"
	"spillway/traces/recording"
)

func TestSample(t *testing.T) {
	data := artifact.Sample(t, "jax/mi300-conv3d-8gpu.xplane.pb")
	tr, err := Read(bytes.NewReader(data), nil)
	if err != nil {
		t.Fatal(err)
	}
	events := 0
	var sum, named unit.Time
	for _, g := range tr.GPUs {
		events += len(g.Events)
		for _, e := range g.Events {
			sum += e.Time
			if e.Op != "" {
				named += e.Time
			}
		}
	}
	if len(tr.GPUs) != 8 || events != 235 || sum != 28137077000 || named*1000/sum != 979 || tr.GPUs[0].Memory != 206141652992 {
		t.Errorf("%d GPUs of %d bytes, %d events, %d ps, %d of them named", len(tr.GPUs), tr.GPUs[0].Memory, events, sum, named)
	}
	for i := range tr.Modules {
		if m := &tr.Modules[i]; m.Name == "jit_forward_3d_conv" && (len(m.Buffers) != 8 || m.Temp != 579072256 || m.HeapPeak != 579072000 || m.Program != 15) {
			t.Errorf("%s (%d): %d buffers, %d temporary, %d in use", m.Name, m.Program, len(m.Buffers), m.Temp, m.HeapPeak)
		}
	}
	list := tr.Recordings("x.pb")
	for i, r := range list {
		if err := r.Check(); err != nil {
			t.Error(err)
		}
		lost := 0
		for _, l := range r.Missing {
			lost += l.Kernels
		}
		for _, s := range r.Steps {
			lost += len(s.Kernels)
		}
		if len(r.Steps) != 5 || lost != len(tr.GPUs[i].Events) {
			t.Errorf("%s: %d steps, %d kernels in them or lost, of %d", r.Name, len(r.Steps), lost, len(tr.GPUs[i].Events))
		}
		if i == 3 {
			want := "weight 2 655360 0r|intermediate 2 655360 0w 2r 3r|weight 1 6389760 1r|intermediate 1 6389760 1w 2r 3r|" +
				"workspace 1 16 3w|intermediate 3 572026880 3w 4r|workspace 2 7150336 3w|intermediate 4 572026880 4w"
			if got := shown(&r.Steps[r.Chosen]); got != want {
				t.Errorf("%s; want %s", got, want)
			}
		}
	}
	again, err := Read(iotest.OneByteReader(bytes.NewReader(data)), nil)
	if err != nil || !reflect.DeepEqual(again.Recordings("x.pb"), list) {
		t.Errorf("read twice: %v", err)
	}
}

// shown is the tensors of a step with their uses.
func shown(s *recording.Step) string {
	var list []string
	for _, x := range s.Tensors {
		var one strings.Builder
		fmt.Fprintf(&one, "%s %d", x.Name, x.Bytes)
		for _, u := range x.Uses {
			fmt.Fprintf(&one, " %d%.*s%.*s", u.Kernel, bit(u.Read), "r", bit(u.Write), "w")
		}
		list = append(list, one.String())
	}
	return strings.Join(list, "|")
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// num and msg append fields.
func num(field int, v uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field<<3)), v)
}

func msg(field int, parts ...[]byte) []byte {
	m := bytes.Join(parts, nil)
	return append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field<<3|2)), uint64(len(m))), m...)
}

func text(field int, s string) []byte { return msg(field, []byte(s)) }

// code is an instruction.
func code(id uint64, name, opcode string, more []byte, operands ...uint64) []byte {
	m := [][]byte{text(1, name), text(2, opcode), num(35, id), more}
	for _, o := range operands {
		m = append(m, num(36, o))
	}
	return msg(2, m...)
}

// value is a buffer of 100 bytes more than its number, made by an instruction.
func value(id, instruction uint64, index ...byte) []byte {
	return msg(1, num(1, id), num(2, 100+id), msg(3, num(4, instruction), msg(3, index)))
}

// memory is an allocation: a flag's field, and buffers at offset 0.
func memory(index uint64, flags []byte, buffers ...uint64) []byte {
	m := [][]byte{num(1, index), num(2, 1000), flags}
	for _, b := range buffers {
		m = append(m, msg(9, num(1, b)))
	}
	return msg(3, m...)
}

// profile is a file with one module, and a GPU that ran the operators one after
// the other.
func profile(module []byte, ops ...string) []byte {
	stat := func(id uint64, name string) []byte { return msg(5, num(1, id), msg(2, num(1, id), text(2, name))) }
	host := msg(1, text(2, metadataPlane), stat(1, "Hlo Proto"), msg(4, num(1, 9), msg(2, num(1, 9), text(2, "jit_f(9)"), msg(5, num(1, 1), msg(6, module)))))
	gpu := [][]byte{num(1, 1), text(2, "/device:GPU:0"), stat(1, "hlo_op"), stat(2, "hlo_module"), stat(3, "jit_f"), msg(4, num(1, 1), msg(2, text(2, "kernel")))}
	line := [][]byte{text(2, "Stream #3(Kernel)"), num(3, 5)}
	for i, op := range ops {
		stats := msg(4, num(1, 1), text(5, op))
		if op != "" {
			stats = append(stats, msg(4, num(1, 2), num(7, 3))...)
		}
		line = append(line, msg(4, num(1, 1), num(2, uint64(i)*5000), num(3, 2000), stats))
	}
	return append(host, msg(1, append(gpu, msg(3, line...), msg(3, text(2, "XLA Ops"), msg(4, num(1, 1))))...)...)
}

// module is jit_f: a parameter, an operator on it, a loop whose body adds to what
// it carries, in place, and an update of the parameter.
func module() []byte {
	param := func(n uint64) []byte { return num(9, n) }
	body := msg(3, text(1, "body"), num(5, 2), num(6, 24),
		code(21, "carried", "parameter", param(0)),
		code(22, "part", "get-tuple-element", num(13, 0), 21),
		code(23, "add", "fusion", nil, 22),
		code(24, "next", "tuple", nil, 23))
	entry := msg(3, text(1, "main"), num(5, 1), num(6, 16),
		code(11, "w", "parameter", param(0)),
		code(12, "x", "parameter", param(1)),
		code(13, "mul", "fusion", nil, 11, 12),
		code(14, "start", "tuple", nil, 13),
		code(15, "loop", "while", num(38, 2), 14),
		code(17, "end", "get-tuple-element", num(13, 0), 15),
		code(16, "update", "custom-call", nil, 11, 17))
	mod := msg(1, text(1, "jit_f"), num(6, 1), body, entry)
	return append(mod, msg(3, value(1, 11), value(2, 12), value(3, 13), value(4, 23), value(5, 16, 0), value(6, 16, 1), value(7, 16),
		memory(0, append(num(5, 1), num(7, 1)...), 1, 5), memory(1, num(5, 1), 2), memory(2, nil, 3, 4), memory(3, nil, 6), memory(4, nil, 7),
		msg(4, msg(1, num(2, 3)), msg(1, num(1, 2), num(2, 4)), msg(1, num(2, 6)), msg(1, num(1, 1), num(2, 3))))...)
}

// Values go through tuples, loops and places; runs begin where the first operator
// comes again.
func TestModule(t *testing.T) {
	ops := []string{"", "mul", "add", "add", "update", "update"}
	data := profile(module(), append(append(append([]string{}, ops...), ops...), "mul", "add")...)
	tr, err := Read(bytes.NewReader(data), nil)
	if err != nil {
		t.Fatal(err)
	}
	if m := &tr.Modules[0]; m.Name != "jit_f" || m.Program != 9 || m.HeapPeak != 103+106 || m.Temp != 3000 {
		t.Errorf("%+v", *m)
	}
	r := tr.Recordings("x")[0]
	if err := r.Check(); err != nil {
		t.Error(err)
	}
	if len(r.Steps) != 3 || r.Chosen != 1 || !r.Steps[1].Complete || r.Steps[2].Complete || len(r.Missing) != 1 || r.Missing[0].Kernels != 2 ||
		r.Missing[0].Time != 4000 || r.Steps[1].Kernels[0].Start != 35000 {
		t.Errorf("%d steps, %d chosen, missing %+v", len(r.Steps), r.Chosen, r.Missing)
	}
	want := "weight 1 105 0r 3r 4rw|input 1 102 0r|intermediate 1 104 0w 1r 2rw 3r 4r|workspace 1 106 4w|workspace 2 107 4w"
	if got := shown(&r.Steps[1]); got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

// Without modules there are times only.
func TestTimes(t *testing.T) {
	tr, err := Read(bytes.NewReader(profile(nil, "a", "b", "")), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := tr.Recordings("x")[0]
	if err := r.Check(); err != nil || r.Label != recording.T || len(r.Steps[0].Kernels) != 3 || r.Steps[0].Kernels[2].Start != 10000 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestRefused(t *testing.T) {
	whole := profile(module(), "mul")
	for in, want := range map[string]string{
		"":      "not a profile of JAX (xplane): it has no planes",
		"hello": "byte 0: no field of a profile (0x68)",
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff": "byte 0: a number (varint) that does not end",
		"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f": "byte 0: field 1 is 9223372036854775807 bytes long",
		"\x0a\x20\x12\x04/hos":                     "byte 0: field 1 is 32 bytes long, but the file ends after 6",
		string(whole[:100]):                        "byte 0: the plane /host:metadata has",
		string(msg(1, text(2, "/host:CPU"))):       "nothing ran on a GPU",
		string(msg(1, text(2, "/device:TPU:0"))):   "the profile is of TPUs",
		string(msg(1, text(2, "/device:GPU:0"))):   "nothing ran on a GPU",
		string(msg(1, text(2, "/device:GPU:0"), msg(3, text(2, "Stream #1"), []byte{0x0b}))): "byte 30: field 1 is a group",
		string(msg(1, text(2, "/device:GPU:0"), msg(4, []byte{0x0a, 9}))):                    "byte 19: field 1 is 9 bytes long",
	} {
		if _, err := Read(strings.NewReader(in), nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v; want %s", in, err, want)
		}
	}
}

// Circles of operands, numbers that name nothing and times that cannot be.
func TestOdd(t *testing.T) {
	circle := append(msg(1, text(1, "jit_f"), num(6, 1), msg(3, num(5, 1),
		code(1, "a", "bitcast", nil, 2, 77), code(2, "b", "bitcast", nil, 1), code(3, "mul", "fusion", nil, 1, 3),
		code(4, "c", "call", num(38, 1)), code(5, "d", "get-tuple-element", nil))),
		msg(3, value(1, 3), value(2, 99), memory(0, nil, 1, 55))...)
	tr, err := Read(bytes.NewReader(profile(circle, "mul", "mul", "b")), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := tr.Recordings("x")[0]
	if err := r.Check(); err != nil || shown(&r.Steps[0]) != "intermediate 1 101 0r 1rw" {
		t.Errorf("%s, %v", shown(&r.Steps[0]), err)
	}
	odd := msg(1, text(2, "/device:GPU:0"), msg(3, num(3, 1<<63), text(2, "Stream #1"), msg(4, num(1, 500), num(2, 1<<63), num(3, 1<<60), msg(4, num(1, 9), num(7, 8)))))
	tr, err = Read(bytes.NewReader(odd), nil)
	if err != nil || len(tr.Notes) != 1 || !strings.HasPrefix(tr.Notes[0], "3 times are longer") {
		t.Errorf("%+v, %v", tr, err)
	}
}

// No beginning of a file crashes.
func TestPrefixes(t *testing.T) {
	whole := profile(module(), "mul", "add")
	for n := range whole {
		tr, err := Read(bytes.NewReader(whole[:n]), nil)
		if err == nil {
			t.Errorf("the first %d bytes were read: %+v", n, tr)
		}
	}
	data := artifact.Sample(t, "jax/mi300-conv3d-8gpu.xplane.pb")
	for n := 0; n < len(data); n += 9973 {
		Read(bytes.NewReader(data[:n]), nil)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(profile(module(), "mul", "add", "update", "mul"))
	f.Add(profile(nil, "a"))
	f.Add(msg(1, text(2, "/device:GPU:0"), msg(3, text(2, "Stream #1"), []byte{0x0b})))
	f.Fuzz(func(t *testing.T, data []byte) {
		tr, err := Read(bytes.NewReader(data), nil)
		if err != nil {
			return
		}
		list := tr.Recordings("x")
		for _, r := range list {
			if err := r.Check(); err != nil {
				t.Fatal(err)
			}
		}
		again, err := Read(iotest.OneByteReader(bytes.NewReader(data)), nil)
		if err != nil || !reflect.DeepEqual(again.Recordings("x"), list) {
			t.Fatalf("read twice: %v", err)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	data := artifact.Sample(b, "jax/mi300-conv3d-8gpu.xplane.pb")
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		tr, err := Read(bytes.NewReader(data), nil)
		if err != nil {
			b.Fatal(err)
		}
		tr.Recordings("x")
	}
}

// FuzzModule is FuzzRead for what is deep inside a file.
func FuzzModule(f *testing.F) {
	f.Add(module())
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := readModule(protobuf.New(data, 0), func(b []byte) string { return string(b) })
		if err != nil || m.Name == "" {
			return
		}
		events := []Event{{Module: m.Name, Op: "mul", Time: 3}, {Module: m.Name, Op: "add"}, {Module: m.Name, Op: "update"}, {Module: m.Name, Op: "mul"}}
		tr := Trace{GPUs: []GPU{{Events: events}}, Modules: []Module{*m}}
		for _, r := range tr.Recordings("x") {
			if err := r.Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Reading stops with the reader's own error, as when it is cancelled.
func TestCancelled(t *testing.T) {
	data := profile(module(), "mul")
	stop := errors.New("stopped")
	for _, n := range []int{0, 1, 5, len(data) / 2, len(data) - 1} {
		r := io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(stop))
		if _, err := Read(r, nil); err == nil || !strings.Contains(err.Error(), "stopped") {
			t.Errorf("stopped after %d bytes: %v", n, err)
		}
	}
}
