package exec_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/ui/exec"
	"spillway/ui/files"
	"spillway/ui/lab"
)

// pages are opened files with one entry, a book, of which some setups need all pages.
type pages struct {
	count int
	read  []string // what was found on each, nil before they were read
	torn  int      // the page that cannot be read, -1 if all can
}

func (p *pages) Notes() []string { return nil }

func (p *pages) Entries() []lab.Entry {
	e := lab.Entry{Name: "book"}
	if p.read == nil {
		e.Survey = &lab.Survey{Set: "gpu_memory=1", Until: "gpu_memory=2", Parts: p.count, Bytes: int64(10 * p.count)}
	}
	return []lab.Entry{{Name: "letter"}, e}
}

func (p *pages) Condensed(tell lab.Progress) ([]byte, error) {
	if tell != nil {
		tell(1, 2)
	}
	return []byte("a book"), nil
}

func (p *pages) Survey(entry string, part int, tell lab.Progress) ([]byte, error) {
	if part == p.torn {
		return nil, fmt.Errorf("page %d of the %s is torn", part, entry)
	}
	if tell != nil {
		tell(5, 10)
		tell(10, 10)
	}
	return []byte{byte('a' + part)}, nil
}

func (p *pages) Join(entry string, found [][]byte) ([]byte, error) {
	if len(found) != p.count {
		return nil, errors.New("pages are missing")
	}
	return slices.Concat(found...), nil
}

// reading is a bench of a laboratory that opens books.
func reading(torn int) *exec.Executor {
	l := training
	l.Accept = func(found []byte, _ []lab.File) (lab.Files, error) {
		return &pages{count: 7, torn: torn, read: strings.Split(string(found), "")}, nil
	}
	return &exec.Executor{Lab: l, Reader: func(*lab.Lab, []lab.File) (lab.Files, error) { return &pages{count: 7, torn: torn}, nil }}
}

func TestListCondenses(t *testing.T) {
	b := reading(-1)
	b.Open(4, []lab.File{{Name: "book"}})
	told := 0
	a := b.Do(&exec.Job{ID: 1, Kind: exec.List, Files: 4}, func(int, int) { told++ })
	if a.Error != "" || string(a.Handed) != "a book" || a.Set != 4 || a.Of != 4 || len(a.Entries) != 2 || told != 1 {
		t.Fatalf("%+v, told %d", a, told)
	}
	opened := []lab.File{{Name: "book"}}
	list := exec.Lent(a.Handed, opened)
	if found, ok := list[0].Found(); len(list) != 2 || !ok || string(found) != "a book" || list[1].Name != "book" {
		t.Errorf("%+v", list)
	}
}

func TestSurveyJobs(t *testing.T) {
	b := reading(5)
	b.Open(4, []lab.File{{Name: "book"}})
	var found [][]byte
	for i := range 7 {
		a := do(t, b, exec.Job{ID: 1, Kind: exec.Survey, Files: 4, Entry: "book", Portion: i})
		if i == 5 {
			if a.Error != "page 5 of the book is torn" {
				t.Errorf("%+v", a)
			}
			a.Data = []byte("?")
		}
		found = append(found, a.Data)
	}
	a := do(t, b, exec.Job{ID: 1, Kind: exec.Join, Files: 4, Entry: "book", Found: found, Set: 9})
	if a.Error != "" || a.Set != 9 || a.Of != 4 || string(a.Handed) != "abcde?g" || a.Entries[1].Survey != nil {
		t.Errorf("%+v", a)
	}
	a = do(t, b, exec.Job{ID: 1, Kind: exec.Join, Files: 4, Entry: "book", Found: found[:6]})
	if a.Error != "pages are missing" {
		t.Errorf("%+v", a)
	}
	b = &exec.Executor{Lab: training, Reader: files.Open}
	b.Open(1, tiny())
	for _, k := range []exec.Kind{exec.Survey, exec.Join} {
		if a := do(t, b, exec.Job{ID: 1, Kind: k, Files: 1}); !strings.Contains(a.Error, "needs all of their bytes") {
			t.Errorf("%+v", a)
		}
		if a := do(t, b, exec.Job{ID: 1, Kind: k, Files: 2}); !strings.Contains(a.Error, "no longer at hand") {
			t.Errorf("%+v", a)
		}
	}
}

// A setup that needs a survey has it, by any number of hands.
func TestSurveyed(t *testing.T) {
	l := reading(-1).Lab
	var files lab.Files = &pages{count: 7, torn: -1}
	setup := func(text string) *knob.Setup {
		u, err := l.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for _, crew := range []int{0, 1, 2, 50} {
		done := 0
		known, err := exec.Surveyed(&l, setup("entry=book gpu_memory=1"), files, nil, crew, func(n, total int) {
			if n < done || total != 70 {
				t.Errorf("%d of %d after %d", n, total, done)
			}
			done = n
		})
		if err != nil || !reflect.DeepEqual(known.(*pages).read, strings.Split("abcdefg", "")) || done != 70 {
			t.Errorf("%d hands: %v, %+v, %d", crew, err, known, done)
		}
	}
	for _, text := range []string{"entry=book", "entry=letter gpu_memory=1", "gpu_memory=1"} {
		if known, err := exec.Surveyed(&l, setup(text), files, nil, 2, nil); err != nil || known != files {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, n := range []int{0, -1} {
		none := &pages{count: n, torn: -1}
		if known, err := exec.Surveyed(&l, setup("entry=book gpu_memory=1"), none, nil, 2, nil); err != nil || known != lab.Files(none) {
			t.Errorf("%d parts: %v", n, err)
		}
	}
	if known, err := exec.Surveyed(&l, setup("entry=book gpu_memory=1"), nil, nil, 2, nil); known != nil || err != nil {
		t.Error("without files")
	}
	files = &pages{count: 7, torn: 3}
	if _, err := exec.Surveyed(&l, setup("entry=book gpu_memory=1"), files, nil, 2, nil); err == nil || err.Error() != "page 3 of the book is torn" {
		t.Error(err)
	}
}
