package lines

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// all are the lines of a text as Each gives them; those that are cut end in "…".
func all(t *testing.T, r io.Reader, most int) []string {
	t.Helper()
	var list []string
	err := Each(r, most, func(line []byte, cut bool) bool {
		s := string(line)
		if cut {
			s += "…"
		}
		list = append(list, s)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// plain is what Each does, of a whole text.
func plain(text string, most int) []string {
	if text == "" {
		return nil
	}
	list := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, s := range list {
		s = strings.TrimSuffix(s, "\r")
		if len(s) > most {
			s = s[:most] + "…"
		}
		list[i] = s
	}
	return list
}

// TestEach: lines are those of the whole text, however they come and however long they are.
func TestEach(t *testing.T) {
	texts := []string{"", "\n", "\n\n", "a", "a\n", "a\nb", "a\r\nb\r\n", "a\rb\r", "\r\n\r\n", "a\n\nb\n"}
	for n := range 50 {
		long := strings.Repeat("x", n)
		texts = append(texts, long, long+"\n", long+"\r\n", "a\n"+long+"\nb", "abc\n"+long+"\r\n"+long+"\nb\n", long+"\r", long+"\r\r\n")
	}
	for _, text := range texts {
		for _, most := range []int{1, 4, 8, 9} {
			want := plain(text, most)
			for name, r := range map[string]io.Reader{
				"whole":  strings.NewReader(text),
				"bytes":  iotest.OneByteReader(strings.NewReader(text)),
				"halves": iotest.HalfReader(strings.NewReader(text)),
				"early":  iotest.DataErrReader(strings.NewReader(text)),
			} {
				if got := all(t, r, most); !slices.Equal(got, want) {
					t.Fatalf("%q at most %d, %s: %q, want %q", text, most, name, got, want)
				}
			}
		}
	}
}

// TestStop: no line comes after one that is refused, cut or not.
func TestStop(t *testing.T) {
	for _, text := range []string{"a\nb\nstop\nc\n", "a\nb\nstop" + strings.Repeat("!", 99) + "\nc\n"} {
		count := 0
		err := Each(strings.NewReader(text), 4, func(line []byte, _ bool) bool {
			count++
			return string(line) != "stop"
		})
		if err != nil || count != 3 {
			t.Errorf("%d lines, %v", count, err)
		}
	}
}

// TestErrors: an error of the reader is one, the end of a truncated archive too.
func TestErrors(t *testing.T) {
	broken := errors.New("broken")
	none := func([]byte, bool) bool { return true }
	if err := Each(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 8, none); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprint(z, strings.Repeat("abc\n", 999))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(b.Bytes()[:b.Len()-4]))
	if err != nil {
		t.Fatal(err)
	}
	if err := Each(r, 8, none); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a truncated archive: %v", err)
	}
}
