package pickle

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"
)

// written is a value with names and calls as text.
func written(w *Walk, v Value) string {
	d := w.doc
	var parts []string
	for i := range w.Items(v) {
		parts = append(parts, written(w, i))
	}
	switch d.Kind(v) {
	case Name:
		return d.Text(v)
	case Call:
		return "call(" + strings.Join(parts, " ") + ")"
	case Outside:
		return "outside(" + strings.Join(parts, " ") + ")"
	case Bytes:
		return "bytes"
	}
	return shown(w, v)
}

func TestInert(t *testing.T) {
	for in, want := range map[string]string{
		"\x80\x02cos\nsystem\n.":                          "os.system",
		"\x80\x04\x8c\x02os\x8c\x06system\x93.":           "os.system",
		"\x80\x02cos\nsystem\nX\x02\x00\x00\x00hi\x85R.":  `call(os.system ("hi",))`,
		"\x80\x02cm\nC\n)\x81}X\x01\x00\x00\x00aK\x01sb.": `call(m.C () {"a":1,})`,
		"\x80\x02cm\nO\n)R(K\x01K\x02uK\x03K\x04s.":       "call(m.O () {1:2,} {3:4,})",
		"\x80\x02cm\nL\n)R(K\x01K\x02e.":                  "call(m.L () [1,2,])",
		"\x80\x02cm\nC\n)}\x92.":                          "call(m.C () {})",
		"\x80\x02K\x05Q.":                                 "outside(5)",
		"\x80\x03C\x02ab.":                                "bytes",
		"\x80\x03B\x02\x00\x00\x00ab.":                    "bytes",
	} {
		d, err := DecodeInert(iotest.OneByteReader(strings.NewReader(in)), 1<<20)
		if err != nil || written(d.Walk(100), d.Root) != want {
			t.Errorf("%q: %v; want %s", in, err, want)
		}
		if _, err := Decode(strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), "refused") {
			t.Errorf("%q without being asked for: %v", in, err)
		}
	}
	for in, want := range map[string]string{
		"\x80\x02cos\nsys":              "byte 2: the file ends inside the pickle",
		"\x80\x04K\x01K\x02\x93.":       "byte 6: a name that is no text",
		"\x80\x02(cm\nC\nR.":            "byte 8: 2 values are wanted, but there are 1 on the stack",
		"\x80\x02b.":                    "byte 2: 1 values are wanted, but there are 0 on the stack",
		"\x80\x02Nb.":                   "byte 3: there is too little on the stack",
		"\x80\x02NNb.":                  "byte 4: something is put into None; want what a call returns",
		"\x80\x02cm\nC\n)Rq\x00h\x00b.": "byte 13: a call contains itself",
		"\x80\x02Ix\n.":                 "byte 2: the opcode INT (0x49) is refused",
		"\x80\x03B\xff\xff\xff\xff.":    "byte 2: a text of 4294967295 bytes",
	} {
		if _, err := DecodeInert(strings.NewReader(in), 1<<20); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v; want %s", in, err, want)
		}
	}
	many := "\x80\x02(" + strings.Repeat("cm\nC\n", 1000) + "t."
	if _, err := DecodeInert(strings.NewReader(many), 30000); err != nil {
		t.Errorf("a name that is there often: %v", err)
	}
}

func FuzzInert(f *testing.F) {
	for _, s := range []string{"\x80\x02cm\nO\n)R(K\x01K\x02uK\x03K\x04s.", "\x80\x02cm\nC\n)\x81}b.", "\x80\x02K\x05Q.", "\x80\x04\x8c\x02os\x8c\x06system\x93."} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := DecodeInert(bytes.NewReader(data), 1<<20)
		if err == nil {
			written(d.Walk(10000), d.Root)
		} else if !strings.HasPrefix(err.Error(), "byte ") {
			t.Fatalf("no byte in %q", err)
		}
	})
}
