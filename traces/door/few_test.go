package door

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestManyWrongLines says of a recording with many wrong lines the first and how many more,
// of every format of text that is read line by line.
func TestManyWrongLines(t *testing.T) {
	each := func(head string, line func(i int) string) string {
		var s strings.Builder
		s.WriteString(head)
		for i := range 40 {
			s.WriteString(line(i) + "\n")
		}
		return s.String()
	}
	for name, text := range map[string]string{
		"requests.jsonl": each(`{"timestamp": 0, "input_length": 1500, "output_length": 10, "hash_ids": [1, 2, 3]}`+"\n", func(i int) string {
			return fmt.Sprintf(`{"timestamp": %d, "input_length": 1500, "output_length": 10, "hash_ids": [1, 2]}`, i)
		}),
		"v3.iolog": each("fio version 3 iolog\n0 /dev/sda add\n0 /dev/sda open\n", func(i int) string { return fmt.Sprintf("%d /dev/sda read x 4096", i) }),
		"msr.csv":  each("128166372003061629,hm,0,Read,0,4096,1331\n", func(int) string { return "128166372003091629,hm,0,Write,oops,4096,1331" }),
		"ops.txt":  each("time_us,client,op,tensor,bytes,next\n", func(int) string { return "0,a,create,x1,many," }),
	} {
		_, err := Open([]File{{Name: name, Data: []byte(text)}}, "store", 0)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		said := strings.Split(err.Error(), "\n")
		if len(said) != 2 || !strings.Contains(said[1], ": 19 more like it") {
			t.Errorf("%s: %q", name, said)
		}
	}
	one := errors.New("a.txt:3: wrong")
	if got := few(one); got != one {
		t.Errorf("one error: %v", got)
	}
	three := errors.Join(one, errors.New("a.txt:4: wrong"), errors.New("b: damaged"))
	if got := few(three); got.Error() != three.Error() {
		t.Errorf("few errors: %v", got)
	}
	if file, line, ok := placed(errors.New(`C:\a.txt:12: no "x: y"`)); file != `C:\a.txt` || line != 12 || !ok {
		t.Errorf("%q, %d, %v", file, line, ok)
	}
}
