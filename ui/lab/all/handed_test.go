package all_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"spillway/build/effort"
	reader "spillway/ui/files"
	"spillway/ui/lab"
	labs "spillway/ui/lab/all"
	"spillway/ui/lab/labtest"
)

// samples are files of every format that laboratories are handed.
func samples(t testing.TB) (list []lab.File) {
	t.Helper()
	for _, format := range []string{"address", "fscalls", "hf", "opstrace", "requests", "spillway"} {
		err := filepath.WalkDir("../../../traces/"+format+"/testdata", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) == ".golden" {
				if d != nil && d.Name() == "fuzz" {
					return fs.SkipDir
				}
				return err
			}
			data, err := os.ReadFile(path)
			list = append(list, lab.File{Name: filepath.Base(path), Data: data})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// handed are what stands for a file, by laboratory.
func handed(t testing.TB, f lab.File) map[string][]byte {
	t.Helper()
	takers, err := reader.Takers([]lab.File{f}, "")
	if err != nil {
		if len(err.Error()) < 40 {
			t.Errorf("%s is refused with %q", f.Name, err)
		}
		return nil // it is none, or what it lacks is beside it
	}
	m := map[string][]byte{}
	for _, x := range takers {
		if len(x.Handed) > 0 {
			m[x.Lab] = x.Handed
		}
	}
	return m
}

// accepted is what a laboratory makes of what it is handed, as the page hands it over.
func accepted(l *lab.Lab, message []byte) (lab.Files, error) {
	f := lab.File{Data: message}
	found, ok := f.Found()
	if !ok {
		return nil, fmt.Errorf("%d bytes are not handed over", len(message))
	}
	return l.Accept(found, nil)
}

// What a laboratory is handed has entries that run, twice with the same result, and the same
// as of what a bundle has of the file; cut or changed it is refused, or is something else.
func TestHanded(t *testing.T) {
	if testing.Short() {
		t.Skip("opens every sample")
	}
	open := map[string]lab.Lab{}
	for _, door := range labs.Labs {
		open[door.Name] = door.New()
	}
	ran := map[string]int{}
	for i, f := range samples(t) {
		for name, message := range handed(t, f) {
			l, about := open[name], name+", "+f.Name
			files, err := accepted(&l, message)
			if err != nil {
				t.Errorf("%s: %v", about, err)
				continue
			}
			for _, e := range files.Entries() {
				if e.Error == "" && effort.Takes(i, 2) {
					runs(t, &l, about, f, files, e)
					ran[name]++
				}
			}
			for n := range 60 {
				broken := slices.Clone(message)
				at := len(message) * n / 60
				_, _ = accepted(&l, broken[:at]) // no panic
				broken[min(at+30, len(broken)-1)] ^= byte(1 + n)
				_, _ = accepted(&l, broken)
			}
		}
	}
	for _, name := range []string{"train", "store", "cxlssd", "filesys", "llm", "serve"} {
		if ran[name] == 0 {
			t.Errorf("%s was handed nothing that runs", name)
		}
	}
}

// runs runs an entry of opened files: again, and as a bundle has it.
func runs(t *testing.T, l *lab.Lab, about string, f lab.File, files lab.Files, e lab.Entry) {
	t.Helper()
	q := quick[l.Name]
	u := l.Setup()
	for _, set := range []string{e.Set, q.Entry} {
		if err := u.Read(set); err != nil {
			t.Fatalf("%s, %s: %v", about, set, err)
		}
	}
	if e.Stands { // without the file
		r, _, err := l.Run(u, q.Systems[0], nil, nil)
		if err != nil {
			t.Fatalf("%s, %s: %v", about, e.Name, err)
		}
		labtest.Report(t, l, about, r)
		return
	}
	if err := u.Set(l.Entry, e.Name); err != nil {
		t.Fatalf("%s: %v", about, err)
	}
	has, _, err := reader.Carried(l, u, []lab.File{f}, files)
	if err != nil {
		t.Fatalf("%s: %v", about, err)
	}
	again, err := reader.Open(l, has)
	if err != nil {
		t.Errorf("%s: what a bundle has of it does not open: %v", about, err)
		return
	}
	for _, system := range q.Systems {
		r, one, err := l.Run(u, system, files, nil)
		if err != nil {
			t.Errorf("%s, %s, %s: %v", about, e.Name, system, err)
			continue
		}
		labtest.Report(t, l, about+", "+system, r)
		_, two, err := l.Run(u, system, again, nil)
		if err != nil || l.Hash(one) != l.Hash(two) {
			t.Errorf("%s, %s, %s: from a bundle it runs otherwise: %v", about, e.Name, system, err)
		}
	}
}

// FuzzAccept hands laboratories what may be damaged: it is refused or opened.
func FuzzAccept(f *testing.F) {
	open := map[string]lab.Lab{}
	for _, door := range labs.Labs {
		open[door.Name] = door.New()
	}
	for _, s := range samples(f) {
		for name, message := range handed(f, s) {
			if len(message) < 4<<10 {
				f.Add(name, message)
			}
		}
	}
	f.Fuzz(func(t *testing.T, name string, message []byte) {
		l, ok := open[name]
		if !ok || l.Accept == nil {
			return
		}
		files, err := accepted(&l, message)
		if err == nil {
			files.Entries()
		}
	})
}
