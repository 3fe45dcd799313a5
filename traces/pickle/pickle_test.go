package pickle

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"spillway/build/artifact"
)

// shown is a value as text; it ends where the walk does.
func shown(w *Walk, v Value) string {
	d := w.doc
	var b strings.Builder
	switch k := d.Kind(v); k {
	case None, False, True, Float:
		return [...]string{None: "None", False: "False", True: "True", Float: "float"}[k]
	case Int:
		n, _ := d.Int(v)
		return fmt.Sprint(n)
	case Uint:
		n, _ := d.Uint(v)
		return fmt.Sprint(n)
	case Text:
		return fmt.Sprintf("%q", d.Text(v))
	case List, Tuple:
		b.WriteByte("[("[k-List])
		for i := range w.Items(v) {
			b.WriteString(shown(w, i) + ",")
		}
		b.WriteByte("])"[k-List])
	case Dict:
		b.WriteByte('{')
		for k, i := range w.Pairs(v) {
			b.WriteString(shown(w, k) + ":" + shown(w, i) + ",")
		}
		b.WriteByte('}')
	}
	return b.String()
}

func TestDecode(t *testing.T) {
	for in, want := range map[string]string{
		"\x80\x02N.":                 "None",
		"\x80\x03(\x88\x89t.":        "(True,False,)",
		"\x80\x04K\x07.":             "7",
		"\x80\x04M\xff\xff.":         "65535",
		"\x80\x04J\xff\xff\xff\xff.": "-1",
		"\x80\x04\x8a\x00.":          "0",
		"\x80\x04\x8a\x01\xff.":      "-1",
		"\x80\x04\x8a\x02\xff\x00.":  "255",
		"\x80\x04\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f.":     "9223372036854775807",
		"\x80\x04\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80.":     "-9223372036854775808",
		"\x80\x04\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00.": "18446744073709551615",
		"\x80\x04\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00.": "9223372036854775808",
		"\x80\x04\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\xff.": "-9223372036854775808",
		"\x80\x04G\x00\x00\x00\x00\x00\x00\x00\x00.":            "float",
		"\x80\x04\x8c\x02h\xc3.":                                "\"h\\xc3\"",
		"\x80\x04X\x02\x00\x00\x00hi.":                          `"hi"`,
		"\x80\x04]q\x00(K\x01K\x02eK\x03a.":                     "[1,2,3,]",
		"\x80\x04]\x94(K\x01e]\x94K\x02aa.":                     "[1,[2,],]",
		"\x80\x04(]K\x01a]K\x02at.":                             "([1,],[2,],)",
		"\x80\x04}\x8c\x01aK\x01s(\x8c\x01bNu.":                 `{"a":1,"b":None,}`,
		"\x80\x04}(\x8c\x01aK\x01\x8c\x01aK\x02u.":              `{"a":1,"a":2,}`,
		"\x80\x04}(u.":                                             "{}",
		"\x80\x04K\x01K\x02K\x03\x87.":                             "(1,2,3,)",
		"\x80\x04).":                                               "()",
		"\x80\x04]\x94\x8c\x01x\x94h\x01\x86.":                     "", // the list is below
		"\x80\x04\x8c\x01x\x94h\x00\x86.":                          `("x","x",)`,
		"\x80\x04\x8c\x01xr\x03\x00\x00\x00j\x03\x00\x00\x00\x86.": "", // entry 3 after 3 opcodes
		"\x80\x04\x8c\x01xr\x02\x00\x00\x00j\x02\x00\x00\x00\x86.": `("x","x",)`,
		"\x80\x05\x95\x01\x00\x00\x00\x00\x00\x00\x00NK\x01\x86.":  "(None,1,)",
	} {
		d, err := Decode(iotest.OneByteReader(strings.NewReader(in)))
		switch {
		case err != nil && want != "":
			t.Errorf("%q: %v", in, err)
		case err == nil && shown(d.Walk(100), d.Root) != want:
			t.Errorf("%q is %s; want %s", in, shown(d.Walk(100), d.Root), want)
		}
	}
}

// Every opcode that is not read is refused by its name and its byte.
func TestRefused(t *testing.T) {
	for op, no := range refused {
		_, err := Decode(strings.NewReader("\x80\x04N" + string([]byte{op}) + strings.Repeat("\n", 300)))
		want := fmt.Sprintf("byte 3: the opcode %s (0x%02x) is refused, because %s", no.name, op, no.why)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("0x%02x: %v; want %s", op, err, want)
		}
	}
	if len(refused) != 38 {
		t.Errorf("%d opcodes are refused; with the 30 that are read there are 68 in protocols 0 to 5", len(refused))
	}
}

func TestErrors(t *testing.T) {
	deep := "\x80\x04" + strings.Repeat("]", 66) + strings.Repeat("a", 65) + "."
	for in, want := range map[string]string{
		"":                            "byte 0: the file ends inside the pickle",
		"(lp0\n.":                     "byte 0: this is no pickle of protocol 2 to 5",
		"\x80\x06N.":                  "byte 0: protocol 6; protocols 2 to 5 are read",
		"\x80\x01N.":                  "byte 0: protocol 1;",
		"\x80\x04\x01.":               "byte 2: 0x01 is no opcode",
		"\x80\x04s.":                  "byte 2: there is too little on the stack",
		"\x80\x04Na.":                 "byte 3: there is too little on the stack",
		"\x80\x04]N(a.":               "byte 5: there is too little on the stack",
		"\x80\x04(e.":                 "byte 3: there is too little on the stack",
		"\x80\x04e.":                  "byte 2: e (0x65) without a mark",
		"\x80\x04u.":                  "byte 2: u (0x75) without a mark",
		"\x80\x04t.":                  "byte 2: TUPLE without a mark",
		"\x80\x04N(\x85.":             "byte 4: a tuple of 1, but there are 0",
		"\x80\x04NNa.":                "byte 4: something is put into None; want a list",
		"\x80\x04]NNs.":               "byte 5: something is put into a list; want a dictionary",
		"\x80\x04](NNu.":              "byte 6: something is put into a list; want a dictionary",
		"\x80\x04}(Nu.":               "byte 5: a key without a value",
		"\x80\x04}]Ns.":               "byte 5: a key is a list or a dictionary",
		"\x80\x04.":                   "byte 2: STOP with 0 values",
		"\x80\x04NN.":                 "byte 4: STOP with 2 values",
		"\x80\x04(.":                  "byte 3: STOP with 0 values on the stack and 1 marks",
		"\x80\x04h\x00.":              "byte 2: memo entry 0 is asked for",
		"\x80\x04]r\xff\xff\xff\x7f.": "byte 3: memo entry 2147483647 is put after only 3 opcodes",
		"\x80\x04\x94.":               "byte 2: the stack is empty",
		"\x80\x04Nq\x02h\x01.":        "byte 5: memo entry 1 is asked for",
		"\x80\x04]\x94h\x00a.":        "byte 6: a list contains itself",
		"\x80\x04]\x94(h\x00te.":      "", // a mark short
		"\x80\x04]\x94(h\x00\x85e.":   "byte 8: a list is changed that is part of another already",
		"\x80\x04]\x94h\x00h\x00a":    "byte 8: a list contains itself",
		"\x80\x04\x8a\x0a.":           "byte 2: LONG1 of 10 bytes",
		"\x80\x04\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01.":                            "byte 2: LONG1 of a number that does not fit",
		"\x80\x04\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\xff.":                            "byte 2: LONG1 of a number that does not fit",
		"\x80\x04X\xff\xff\xff\xff.":                                                       "byte 2: a text of 4294967295 bytes",
		"\x80\x04X\x05\x00\x00\x00hi":                                                      "byte 2: the file ends inside the pickle",
		"\x80\x04\x95\x09\x00\x00\x00\x00\x00\x00\x00NN":                                   "byte 13: the file ends inside the pickle; it was cut off, or is not whole yet: the frame of byte 2 should go on to byte 20",
		"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\xff.":                                    "byte 2: a frame of 18446744073709551615 bytes",
		"\x80\x04\x95\x09\x00\x00\x00\x00\x00\x00\x00\x95\x00\x00\x00\x00\x00\x00\x00\x00": "byte 11: a frame inside the frame of byte 2",
		"\x80\x04\x95\x01\x00\x00\x00\x00\x00\x00\x00K\x01.":                               "byte 11: this crosses the end of the frame of byte 2, at byte 12",
		"\x80\x04" + strings.Repeat("(", 65):                                               "byte 66: nested more than 64 deep",
		deep:                                                                               "byte 132: nested more than 64 deep",
	} {
		_, err := Decode(strings.NewReader(in))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v; want %s", in, err, want)
		}
	}
}

// What stands behind the pickle is said, and not read.
func TestRest(t *testing.T) {
	for in, want := range map[string]int64{"\x80\x04N.": -1, "\x80\x04N.x": 4, "\x80\x04N.\x80\x04N.": 4} {
		d, err := Decode(strings.NewReader(in))
		if err != nil || d.Rest != want {
			t.Errorf("%q: rest at %d, %v; want %d", in, d.Rest, err, want)
		}
	}
}

// Reading stops when too much is held, and walking when too much is visited.
func TestLimits(t *testing.T) {
	var many bytes.Buffer
	many.WriteString("\x80\x04](")
	for i := range 10000 {
		many.Write([]byte{'J', byte(i), byte(i >> 8), 1, 1})
	}
	many.WriteString("e.")
	if _, err := decode(bytes.NewReader(many.Bytes()), 60000); err == nil || !strings.Contains(err.Error(), "more memory than is allowed") {
		t.Errorf("10000 numbers in 60000 bytes: %v", err)
	}
	for name, in := range map[string]string{
		"numbers": "J\x00\x00\x01\x00", "the same": "K\x01", "lists": "]", "marks": "]K\x01a", "texts": "\x8c\x01x\x94",
	} {
		big := "\x80\x04](" + strings.Repeat(in, 1000) + "e."
		if _, err := decode(strings.NewReader(big), 1500); err == nil || !strings.Contains(err.Error(), "more memory than is allowed") {
			t.Errorf("1000 %s in 1500 bytes: %v", name, err)
		}
	}
	double := "\x80\x04]\x94K\x01a"
	for i := range 60 {
		double += fmt.Sprintf("]\x94(h%ch%[1]ce", i)
	}
	double = "\x80\x04" + strings.Replace(double[2:], "]", "(]", 1) + "t."
	d, err := Decode(strings.NewReader(double))
	if err != nil {
		t.Fatal(err)
	}
	w := d.Walk(1000)
	if s := shown(w, d.Root); !w.Exhausted() || len(s) > 5000 {
		t.Errorf("doubled 60 times: walked to %d letters, exhausted %v", len(s), w.Exhausted())
	}
}

// No file of the samples and no part of one crashes; each hostile pickle is
// refused as it should be.
func TestHostile(t *testing.T) {
	dir := artifact.Traces(t)
	for name, want := range map[string]string{
		"bytes8-huge":         "byte 2: the opcode BINBYTES8 (0x8e) is refused",
		"doubling":            "byte 487: STOP with 61 values on the stack",
		"ext1":                "byte 2: the opcode EXT1 (0x82)",
		"global":              "byte 2: the opcode GLOBAL (0x63)",
		"inst":                "byte 0: this is no pickle of protocol 2 to 5",
		"long4-huge":          "byte 2: the opcode LONG4 (0x8b)",
		"memo-huge-index":     "byte 3: memo entry 2147483647 is put after only 3 opcodes",
		"no-stop":             "byte 49: the file ends inside the pickle",
		"persid":              "byte 6: the opcode BINPERSID (0x51)",
		"self-list":           "byte 6: a list contains itself",
		"stack-global-reduce": "byte 19: the opcode STACK_GLOBAL (0x93)",
		"stack-underflow":     "byte 2: there is too little on the stack",
		"uint64":              "",
	} {
		data, err := os.ReadFile(filepath.Join(dir, "hostile", "pickle-"+name+".pickle"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = Decode(bytes.NewReader(data))
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %v; want %q", name, err, want)
		}
	}
}

// Every beginning of a pickle is refused for its end, and none crashes.
func TestPrefixes(t *testing.T) {
	dir := artifact.Traces(t)
	for _, name := range []string{"snapshot/gpu-mini-protocol2.pickle", "snapshot/gpu-mini-protocol5.pickle", "hostile/pickle-uint64.pickle"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		step := 1
		if len(data) > 1000 {
			step = 37
			if testing.Short() {
				step = 997
			}
		}
		for n := 0; n < len(data); n += step {
			if _, err := Decode(bytes.NewReader(data[:n])); err == nil || !strings.Contains(err.Error(), "ends inside the pickle") {
				t.Fatalf("%s, the first %d bytes: %v", name, n, err)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		"\x80\x02N.", "\x80\x04]\x94(K\x01e]\x94K\x02aa.", "\x80\x04}(\x8c\x01aK\x01\x8c\x01aK\x02u.", "\x80\x04]\x94h\x00a.",
		"\x80\x04\x95\x09\x00\x00\x00\x00\x00\x00\x00NN", "\x80\x04\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00.",
		"\x80\x04\x8c\x01xr\x02\x00\x00\x00j\x02\x00\x00\x00\x86.", "\x80\x04cbuiltins\nprint\n.",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Decode(bytes.NewReader(data))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "byte ") {
				t.Fatalf("no byte in %q", err)
			}
			return
		}
		w := d.Walk(10000)
		first := shown(w, d.Root)
		again, err := Decode(iotest.OneByteReader(bytes.NewReader(data)))
		if err != nil || shown(again.Walk(10000), again.Root) != first {
			t.Fatalf("read twice: %v", err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	data, err := os.ReadFile(filepath.Join(artifact.Traces(b), "snapshot", "gpu-mini-trimmed.pickle"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Decode(bytes.NewReader(data)); err != nil {
			b.Fatal(err)
		}
	}
}
