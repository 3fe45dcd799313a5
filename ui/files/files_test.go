package files

import (
	"bytes"
	"strings"
	"testing"

	"spillway/ui/exec"
	"spillway/ui/lab"
)

// Who takes files is said in the order in which they shall be shown; where nobody knows them,
// who takes any bytes at all is named beside what they are.
func TestDo(t *testing.T) {
	config := lab.File{Name: "m/config.json", Data: []byte(`{"model_type":"llama","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,"intermediate_size":128,"vocab_size":1000}`)}
	weights := lab.File{Name: "m/w.safetensors", Data: append([]byte("\x40\x00\x00\x00\x00\x00\x00\x00"+`{"w":{"dtype":"F32","shape":[1024],"data_offsets":[0,4096]}}   `), make([]byte, 4096)...)}
	letter := lab.File{Name: "letter.txt", Data: []byte("Dear all,\n")}
	for _, tt := range []struct {
		files       []lab.File
		shown       string
		want, error string
	}{
		{[]lab.File{config, weights}, "llm", "llm compress serve train", ""},
		{[]lab.File{config, weights}, "train", "train compress llm serve", ""},
		{[]lab.File{letter}, "train", "compress", "letter.txt: text, but none that is known."},
		{[]lab.File{letter}, "compress", "compress", ""},
		{[]lab.File{{Name: "x.csv"}}, "train", "", "x.csv: an empty file."},
	} {
		a := opened(&exec.Job{ID: 7, Lab: tt.shown}, tt.files)
		var got []string
		for _, x := range a.Takers {
			got = append(got, x.Lab)
		}
		if strings.Join(got, " ") != tt.want || (a.Error == "") != (tt.error == "") || !strings.HasPrefix(a.Error, tt.error) || a.ID != 7 || !a.Last {
			t.Errorf("shown %s: %q take it, %s; want %s", tt.shown, got, a.Error, tt.want)
		}
	}
}

// Files that are dropped later join those that are open where the laboratory that is shown
// takes them, by themselves or with these; else they are as if these were not there.
func TestLaterFilesJoin(t *testing.T) {
	config := lab.File{Name: "m/config.json", Data: []byte(`{"model_type":"llama","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,"intermediate_size":128,"vocab_size":1000}`)}
	other := lab.File{Name: "other/config.json", Data: config.Data}
	index := lab.File{Name: "m/model.safetensors.index.json", Data: []byte(`{"metadata":{"total_size":1},"weight_map":{"model.embed_tokens.weight":"a.safetensors"}}`)}
	trace := lab.File{Name: "mine.txt", Data: []byte("address 1 cycles\n0 1 0x1000 R\n")}
	broken := lab.File{Name: "broken.txt", Data: []byte("address 1\n0 0 0x1000 R\n0 x 0x2000 W\n")}
	calls := lab.File{Name: "a.txt", Data: []byte("fscalls 1\n0 0 create /a\n1 0 close /a\n")}
	array := lab.File{Name: "a.npy", Data: append([]byte("\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }"+strings.Repeat(" ", 60)+"\n"), make([]byte, 16)...)}
	letter := lab.File{Name: "letter.txt", Data: []byte("Dear all,\n")}
	operations := lab.File{Name: "o.csv", Data: []byte("time_us,client,op,tensor,bytes,next\n0,a,create,x1,67108864,\n12000,a,put,x1,,3+28ms\n")}
	for _, tt := range []struct {
		name         string
		before, then []lab.File
		shown, taken string
		joined       bool
	}{
		{"a second model", []lab.File{config}, []lab.File{other}, "llm", "llm", true},
		{"an index, which is nothing alone", []lab.File{config}, []lab.File{index}, "llm", "llm", true},
		{"one that is wrong", []lab.File{trace}, []lab.File{broken}, "cxlssd", "", false},
		{"a wrong model", []lab.File{config}, []lab.File{{Name: "n/config.json", Data: []byte(`{"model_type":"llama","hidden_size":"x"}`)}}, "llm", "", false},
		{"a wrong array", []lab.File{array}, []lab.File{{Name: "b.npy", Data: bytes.Replace(array.Data, []byte("<f4"), []byte("|O8"), 1)}}, "compress", "", false},
		{"wrong operations", []lab.File{operations}, []lab.File{{Name: "p.csv", Data: bytes.Replace(operations.Data, []byte("67108864"), []byte("large"), 1)}}, "store", "", false},
		{"wrong calls", []lab.File{calls}, []lab.File{{Name: "b.txt", Data: bytes.Replace(calls.Data, []byte("close"), []byte("leap"), 1)}}, "filesys", "", false},
		{"a byte, which beside arrays is nothing", []lab.File{array}, []lab.File{letter}, "compress", "compress", false},
		{"a letter", []lab.File{config}, []lab.File{letter}, "llm", "compress", false},
		{"what is of another laboratory", []lab.File{config}, []lab.File{operations}, "llm", "store", false},
		{"where another laboratory is shown", []lab.File{operations}, []lab.File{config}, "store", "llm", false},
	} {
		a := opened(&exec.Job{Lab: tt.shown, Joins: len(tt.before)}, append(tt.before, tt.then...))
		taken := ""
		if len(a.Takers) > 0 {
			taken = a.Takers[0].Lab
		}
		if a.Joined != tt.joined || taken != tt.taken {
			t.Errorf("%s: joined %v, %+v, %s", tt.name, a.Joined, a.Takers, a.Error)
		}
	}
}

// opened is what is said of dropped files.
func opened(j *exec.Job, list []lab.File) exec.Answer {
	j.Kind = exec.Open
	var d Desk
	d.Open(j.Files, list)
	return d.Do(j, nil)
}
