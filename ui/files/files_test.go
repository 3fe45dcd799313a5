package files

import (
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
		{[]lab.File{config, weights}, "llm", "llm compress", ""},
		{[]lab.File{config, weights}, "train", "compress llm", ""},
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

// opened is what is said of dropped files.
func opened(j *exec.Job, list []lab.File) exec.Answer {
	j.Kind = exec.Open
	var d Desk
	d.Open(j.Files, list)
	return d.Do(j, nil)
}
