package bundle_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spillway/ui/bundle"
	"spillway/ui/exec"
	reader "spillway/ui/files"
	"spillway/ui/lab"
	"spillway/ui/lab/store"
	"spillway/ui/lab/train"
)

// small is a setup that is quick to run.
const small = "model=bert-base batch=16 times=as-paper gpu_memory=2"

var (
	training = train.New()
	objects  = store.New()
)

func order(systems ...string) *exec.BundleRequest {
	return &exec.BundleRequest{Systems: systems, Link: "v=3&lab=train", Version: "test", Environment: "a test"}
}

// bind makes a bundle as page and workers do.
func bind(t *testing.T, l lab.Lab, setup string, o *exec.BundleRequest, files []lab.File) []byte {
	t.Helper()
	n := reader.NewNative(l)
	number := 0
	if files != nil {
		n.Open(1, files)
		number = 1
	}
	data, err := bindOf(n, number, setup, o)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// bindOf makes a bundle of files with a number.
func bindOf(n *reader.Native, number int, setup string, o *exec.BundleRequest) ([]byte, error) {
	do := func(j exec.Job) (exec.Answer, error) {
		a := n.Do(&j, nil)
		if a.Error != "" {
			return a, errors.New(a.Error)
		}
		return a, nil
	}
	made := *o
	if number != 0 {
		a, err := do(exec.Job{Kind: exec.Carry, Setup: setup, Files: number})
		if err != nil {
			return nil, err
		}
		if len(a.Handed) > 0 {
			if a, err = do(exec.Job{Kind: exec.Pack, Lab: training.Name, Handed: a.Handed, Set: 99}); err != nil {
				return nil, err
			}
			number = a.Set
		}
	}
	for _, system := range o.Systems {
		a, err := do(exec.Job{Kind: exec.Again, Ask: &exec.Ask{Setup: setup, System: system}, Files: number})
		if err != nil {
			return nil, err
		}
		made.Redone = append(made.Redone, a.Redone)
	}
	a, err := do(exec.Job{Kind: exec.Bundle, Files: number, Order: &made})
	return a.Data, err
}

// check does what the page does with a dropped bundle.
func check(t *testing.T, l lab.Lab, data []byte, version string) (*exec.BundleInfo, []*exec.Verdict, error) {
	t.Helper()
	n := reader.NewNative(l)
	n.Open(1, []lab.File{{Name: "x.zip", Data: data}})
	a := n.Do(&exec.Job{Kind: exec.Open, Files: 1}, nil)
	if a.Error != "" {
		return nil, nil, fmt.Errorf("%s", a.Error)
	}
	if a.Bundle == nil {
		t.Fatal("it is not taken for a bundle")
	}
	var list []*exec.Verdict
	for i, ask := range a.Bundle.Asks {
		_, told := exec.Given(list)
		o := &exec.BundleRequest{Version: version, Part: i, Told: told, Failed: a.Bundle.Wrong}
		if ask != nil && o.Failed == "" {
			j := &exec.Job{Kind: exec.Again, Ask: ask}
			if a.Bundle.Opened {
				j.Files = 1
			}
			is := n.Do(j, nil)
			o.Redone, o.Failed = []*exec.Redone{is.Redone}, is.Error
		}
		c := n.Do(&exec.Job{Kind: exec.Check, Files: 1, Order: o}, nil)
		if c.Error != "" || c.Verdict == nil {
			t.Fatalf("part %d: %q", i, c.Error)
		}
		list = append(list, c.Verdict)
	}
	return a.Bundle, list, nil
}

func TestRoundTrip(t *testing.T) {
	trace, err := os.ReadFile("../../traces/spillway/testdata/tiny.json")
	if err != nil {
		t.Fatal(err)
	}
	ops, err := os.ReadFile("../../traces/opstrace/testdata/tiny.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		lab     lab.Lab
		setup   string
		systems []string
		file    *lab.File
	}{
		{training, small, []string{"ideal", "uvm", "deepum+", "g10"}, nil},
		{training, "entry=Two+layers,+batch+32", []string{"ideal", "g10"}, &lab.File{Name: "folder/tiny.json", Data: trace}},
		{objects, "", []string{"lru", "oracle"}, nil},
		{objects, "entry=tiny.csv", []string{"lru"}, &lab.File{Name: "tiny.csv", Data: ops}},
	} {
		var files []lab.File
		if tt.file != nil {
			files = []lab.File{*tt.file}
		}
		data := bind(t, tt.lab, tt.setup, order(tt.systems...), files)
		if again := bind(t, tt.lab, tt.setup, order(tt.systems...), files); !bytes.Equal(again, data) {
			t.Errorf("%s %q: made again it is another", tt.lab.Name, tt.setup)
		}
		for _, version := range []string{"test", "other"} {
			info, list, err := check(t, tt.lab, data, version)
			if err != nil {
				t.Fatal(err)
			}
			if info.Lab != tt.lab.Name || info.Opened != (files != nil) || len(info.Damaged) > 0 || !slices.Equal(info.Systems, tt.systems) || len(list) != len(tt.systems)+1 {
				t.Errorf("%+v", info)
			}
			for _, v := range list {
				if v.Finding != exec.Replayed || len(v.Differences) > 0 {
					t.Errorf("%s %q: %+v", tt.lab.Name, tt.setup, v)
				}
			}
		}
	}
}

// The bundle's workload can be opened like any file.
func TestInside(t *testing.T) {
	trace, err := os.ReadFile("../../traces/spillway/testdata/tiny.json")
	if err != nil {
		t.Fatal(err)
	}
	data := bind(t, training, "entry=Two+layers,+batch+32", order("ideal"), []lab.File{{Name: "tiny.json", Data: trace}})
	b := reader.NewNative(training)
	b.Open(5, []lab.File{{Name: "x.zip", Data: data}})
	a := b.Do(&exec.Job{Kind: exec.List, Files: 5}, nil)
	if len(a.Entries) != 1 || a.Entries[0].Name != "Two layers, batch 32" {
		t.Fatalf("%+v", a)
	}
	// A bundle of what a bundle held is the same.
	again, err := bindOf(b, 5, "entry=Two+layers,+batch+32", order("ideal"))
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("another bundle: %v", err)
	}
}

// files takes a bundle apart.
func files(t *testing.T, data []byte) map[string]string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for _, f := range r.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		list[f.Name] = string(text)
	}
	return list
}

// join makes a zip of files.
func join(t testing.TB, list map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range list {
		f, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(f, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sign makes the manifest that of files that were changed.
func sign(t testing.TB, list map[string]string) {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(list["manifest.json"]), &m); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, f := range m["files"].([]any) {
		f := f.(map[string]any)
		sum := sha256.Sum256([]byte(list[f["path"].(string)]))
		f["sha256"], f["bytes"] = hex.EncodeToString(sum[:]), len(list[f["path"].(string)])
		lines.WriteString(f["sha256"].(string) + "  " + f["path"].(string) + "\n")
	}
	sum := sha256.Sum256([]byte(lines.String()))
	m["root"] = hex.EncodeToString(sum[:])
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	list["manifest.json"] = string(text)
}

// Whoever changes a value and makes the manifest fit is told where.
func TestDiffers(t *testing.T) {
	data := bind(t, training, small, order("ideal", "g10"), nil)
	cell := func(list map[string]string, text string) { // of the table, in the last column
		lines := strings.Split(list["results/values.csv"], "\n")
		at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "iteration_s,") })
		lines[at] = lines[at][:strings.LastIndexByte(lines[at], ',')+1] + text
		list["results/values.csv"] = strings.Join(lines, "\n")
	}
	value := func(list map[string]string, to func(float64) float64) {
		var r map[string]any
		if err := json.Unmarshal([]byte(list["results/g10.json"]), &r); err != nil {
			t.Fatal(err)
		}
		values := r["values"].(map[string]any)
		v := to(values["iteration_s"].(float64))
		values["iteration_s"] = v
		cell(list, strconv.FormatFloat(v, 'g', -1, 64))
		text, _ := json.Marshal(r)
		list["results/g10.json"] = string(text)
	}
	for _, tt := range []struct {
		name    string
		change  func(list map[string]string)
		version string
		want    exec.Finding
		where   string // of the first difference
		off     string
	}{
		{"a value", func(l map[string]string) { value(l, func(v float64) float64 { return 1.25 * v }) }, "other", exec.Differs, "(iteration_s)", "-20 %"},
		{"a value of the same version, a little", func(l map[string]string) { value(l, func(v float64) float64 { return v * (1 + 1e-6) }) }, "test", exec.Differs, "(iteration_s)", "-0.0001 %"},
		{"a value of the same version, in its last digits", func(l map[string]string) { value(l, func(v float64) float64 { return v * (1 + 1e-13) }) }, "test", exec.Agrees, "(iteration_s)", "-1e-11 %"},
		{"a value of another version, in its last digits", func(l map[string]string) { value(l, func(v float64) float64 { return v * (1 + 1e-13) }) }, "other", exec.Agrees, "(iteration_s)", "-1e-11 %"},
		{"the last digits, and a word", func(l map[string]string) {
			value(l, func(v float64) float64 { return v * (1 + 1e-13) })
			l["results/g10.json"] = strings.Replace(l["results/g10.json"], `"about":"`, `"about":"not `, 1)
		}, "test", exec.Differs, "(iteration_s)", "-1e-11 %"},
		{"a value of another version, a little", func(l map[string]string) { value(l, func(v float64) float64 { return v * (1 + 1e-6) }) }, "other", exec.Agrees, "(iteration_s)", "-0.0001 %"},
		{"an absurd value", func(l map[string]string) { value(l, func(float64) float64 { return -1e300 }) }, "other", exec.Differs, "(iteration_s)", "+100 %"},
		{"a value that is gone", func(l map[string]string) {
			l["results/g10.json"] = strings.Replace(l["results/g10.json"], `"iteration_s"`, `"iteration_h"`, 1)
			cell(l, "")
		}, "other", exec.Agrees, "", ""},
		{"the hash", func(l map[string]string) {
			l["results/g10.json"] = strings.Replace(l["results/g10.json"], `"hash": "`, `"hash": "0`, 1)
		}, "test", exec.Differs, "results/g10.json:", ""},
		{"the table of a value that agrees", func(l map[string]string) {
			value(l, func(v float64) float64 { return v * (1 + 1e-6) })
			cell(l, "3")
		}, "other", exec.Differs, "(iteration_s)", "-0.0001 %"},
		{"the table", func(l map[string]string) { l["results/values.csv"] += "x\n" }, "other", exec.Differs, "results/values.csv", ""},
		{"that it fits", func(l map[string]string) {
			l["results/g10.json"] = strings.Replace(l["results/g10.json"], `"fits": true`, `"fits": false`, 1)
		}, "other", exec.Differs, "whether it can run", ""},
	} {
		list := files(t, data)
		tt.change(list)
		sign(t, list)
		info, got, err := check(t, training, join(t, list), tt.version)
		if err != nil || len(info.Damaged) > 0 || len(got) != 3 {
			t.Errorf("%s: %v %+v", tt.name, err, info)
			continue
		}
		v := got[1]
		if v.Finding != tt.want || len(v.Differences) == 0 || !strings.Contains(v.Differences[0].Where, tt.where) || v.Differences[0].Off != tt.off {
			t.Errorf("%s: %+v, want %v at %q by %q", tt.name, v, tt.want, tt.where, tt.off)
		}
		if got[0].Finding != exec.Replayed && tt.name != "the table" { // which no reader takes
			t.Errorf("%s: the other system: %+v", tt.name, got[0])
		}
	}
}

// Bundles of versions whose hashes were half as long, of a run and of a paper, agree when
// everything else is the same, and say so; another value is seen as ever.
func TestOlderHashes(t *testing.T) {
	paper, err := objects.Paper("ravenstore")
	if err != nil {
		t.Fatal(err)
	}
	var parts []bundle.Part
	for _, r := range paper.Runs() {
		p, err := bundle.Measure(&objects, paper, &r)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	whole, _, err := bundle.BindPaper(&objects, paper, order(), parts)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		lab    lab.Lab
		file   string
		bundle []byte
		digits int
		says   bool
	}{
		{training, "results/g10.json", bind(t, training, small, order("g10"), nil), 32, true},
		{training, "results/g10.json", bind(t, training, small, order("g10"), nil), 40, false},
		{objects, "results/runs.json", whole, 32, true},
	} {
		list := files(t, x.bundle)
		hash := regexp.MustCompile(`"hash": "[0-9a-f]{64}"`)
		list[x.file] = hash.ReplaceAllString(list[x.file], `"hash": "`+strings.Repeat("7", x.digits)+`"`)
		sign(t, list)
		for version, want := range map[string]exec.Finding{"other": exec.Agrees, "test": exec.Differs} {
			_, got, err := check(t, x.lab, join(t, list), version)
			if err != nil {
				t.Fatal(err)
			}
			v := got[0]
			if said := v.Says != "" && len(v.Differences) == 0; v.Finding != want || said != x.says {
				t.Errorf("%s, %d digits, version %s: %+v", x.file, x.digits, version, v)
			}
		}
	}
}

// Whoever changes a text or a picture, and makes the manifest fit, is told where.
func TestForged(t *testing.T) {
	o := order("ideal", "g10")
	drawn := func() []exec.Drawn {
		return []exec.Drawn{{Name: "a", SVG: "<svg>\n1\n</svg>"}, {Name: "b", SVG: "<svg/>"}}
	}
	o.Figures = drawn()
	data := bind(t, training, small, o, nil)
	for _, tt := range []struct {
		name, file, old, by string
		texts, pictures     exec.Finding
		where               string // of the first difference
	}{
		{"", "", "", "", exec.Replayed, exec.Replayed, ""},
		{"a text", "README.md", "computed again", "the best", exec.Differs, exec.Replayed, "README.md:"},
		{"a picture", "figures/a.svg", "1", "WE ARE BEST", exec.Differs, exec.Differs, "figures/a.svg:2"}, // a text has the hashes of all files
		{"who made it", "environment.json", "a test", "another test", exec.Differs, exec.Replayed, "ro-crate-metadata.json:"},
		{"more about who made it", "environment.json", "{", `{"best": "we",`, exec.Differs, exec.Replayed, "environment.json:1"},
		{"the workload", "scenario.txt", "workload: ", "workload: THE BEST ", exec.Differs, exec.Replayed, "scenario.txt:"},
		{"a citation", "CITATION.cff", "Spillway authors", "best authors", exec.Differs, exec.Replayed, "CITATION.cff:"},
		{"hashes", "ro-crate-metadata.json", `"sha256": "`, `"sha256": "0`, exec.Differs, exec.Replayed, "ro-crate-metadata.json:"},
	} {
		list := files(t, data)
		if list[tt.file] = strings.Replace(list[tt.file], tt.old, tt.by, 1); tt.file == "" {
			delete(list, "")
		}
		sign(t, list)
		for _, version := range []string{"test", "other"} {
			forged := join(t, list)
			info, got, err := check(t, training, forged, version)
			if err != nil || len(info.Damaged) > 0 || len(got) != 3 || info.Pictures != 2 {
				t.Fatalf("%s: %v %+v", tt.name, err, info)
			}
			b, err := bundle.Open(forged)
			if err != nil {
				t.Fatal(err)
			}
			pictures, first := b.Pictures(drawn(), version, nil), ""
			for _, v := range []*exec.Verdict{got[2], pictures} {
				if v.Part == "pictures" == strings.HasPrefix(tt.where, "figures/") && len(v.Differences) > 0 {
					first = v.Differences[0].Where
				}
			}
			want := func(f exec.Finding) exec.Finding {
				if f == exec.Differs && version != "test" { // which may word and draw otherwise
					return exec.Agrees
				}
				return f
			}
			if got[2].Finding != want(tt.texts) || pictures.Finding != want(tt.pictures) || !strings.HasPrefix(first, tt.where) {
				t.Errorf("%s, checked by version %s: texts %+v, pictures %+v", tt.name, version, got[2], pictures)
			}
		}
	}
	b, err := bundle.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string][]exec.Drawn{"one is gone": drawn()[:1], "one is new": append(drawn(), exec.Drawn{Name: "c", SVG: "<svg/>"})} {
		if v := b.Pictures(list, "test", nil); v.Finding != exec.Differs {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if v := b.Pictures(nil, "test", errors.New("no link")); v.Finding != exec.Uncheckable {
		t.Errorf("what cannot be drawn: %+v", v)
	}
}

func TestDamaged(t *testing.T) {
	data := bind(t, training, small, order("ideal", "g10"), nil)
	for _, tt := range []struct {
		name   string
		change func(list map[string]string)
		first  string // of what is damaged
		want   []exec.Finding
	}{
		{"a byte of a result", func(l map[string]string) {
			l["results/g10.json"] = strings.Replace(l["results/g10.json"], "G10", "G11", 1)
		}, "results/g10.json: its SHA-256 begins with", []exec.Finding{exec.Replayed, exec.Damaged, exec.Uncheckable}},
		{"a missing result", func(l map[string]string) { delete(l, "results/ideal.json") }, "results/ideal.json: it is missing", []exec.Finding{exec.Damaged, exec.Replayed, exec.Uncheckable}},
		{"a file too many", func(l map[string]string) { l["results/magic.json"] = "{}" }, "results/magic.json: the manifest does not list it", []exec.Finding{exec.Replayed, exec.Replayed, exec.Differs}},
		{"a workload too many", func(l map[string]string) { l["workload/x"] = "{}" }, "workload/x: the manifest does not list it", []exec.Finding{exec.Damaged, exec.Damaged, exec.Damaged}},
		{"a shorter README", func(l map[string]string) { l["README.md"] = "" }, "README.md: 0 bytes where", []exec.Finding{exec.Replayed, exec.Replayed, exec.Damaged}},
		{"the scenario", func(l map[string]string) { l["scenario.txt"] += " " }, "scenario.txt: ", nil},
		{"the root", func(l map[string]string) {
			l["manifest.json"] = strings.Replace(l["manifest.json"], `"root": "`, `"root": "0`, 1)
		}, "manifest.json: its root", []exec.Finding{exec.Replayed, exec.Replayed, exec.Replayed}},
	} {
		list := files(t, data)
		tt.change(list)
		info, got, err := check(t, training, join(t, list), "test")
		if err != nil || len(info.Damaged) != 1 || !strings.HasPrefix(info.Damaged[0], tt.first) {
			t.Errorf("%s: %v %+v", tt.name, err, info)
			continue
		}
		var is []exec.Finding
		for _, v := range got {
			is = append(is, v.Finding)
		}
		if !slices.Equal(is, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, is, tt.want)
		}
	}
	// A byte of the packed data itself.
	at := bytes.Index(data, []byte("results/g10.json")) + 2000
	data = slices.Clone(data)
	data[at] ^= 1
	info, _, err := check(t, training, data, "test")
	if err != nil || len(info.Damaged) == 0 || !strings.HasPrefix(info.Damaged[0], "results/g10.json: ") {
		t.Errorf("%v %+v", err, info)
	}
}

// What cannot be a bundle is refused, with the place.
func TestHostile(t *testing.T) {
	data := bind(t, objects, "", order("lru"), nil)
	for _, tt := range []struct {
		name   string
		change func(list map[string]string)
		want   string
	}{
		{"no JSON", func(l map[string]string) {
			l["manifest.json"] = strings.Replace(l["manifest.json"], `"version": 1,`, `"version": 1`, 1)
		}, "manifest.json:4: invalid character"},
		{"another kind", func(l map[string]string) {
			l["manifest.json"] = strings.Replace(l["manifest.json"], `"version": 1,`, `"version": "one",`, 1)
		}, "manifest.json:3: version is a string"},
		{"a newer format", func(l map[string]string) {
			l["manifest.json"] = strings.Replace(l["manifest.json"], `"version": 1,`, `"version": 2,`, 1)
		}, "version 2 of the format; this Spillway reads up to 1"},
		{"an absurd number", func(l map[string]string) {
			l["manifest.json"] = strings.Replace(l["manifest.json"], `"bytes": `, `"bytes": 99999999999999999999`, 1)
		}, "manifest.json:"},
		{"nested", func(l map[string]string) {
			l["manifest.json"] = `{"format": "spillway-bundle", "version": ` + strings.Repeat("[", 1e5)
		}, "manifest.json:1: nested deeper than 64"},
		{"a path", func(l map[string]string) {
			l["manifest.json"] = strings.Replace(l["manifest.json"], `"README.md"`, `"../README.md"`, 1)
		}, `"../README.md" is no name`},
		{"a path in the zip", func(l map[string]string) { l["../../x"] = "" }, `"../../x" is no name`},
		{"an absolute path", func(l map[string]string) { l["/etc/passwd"] = "" }, `"/etc/passwd" is no name`},
		{"a backslash", func(l map[string]string) { l[`..\x`] = "" }, "is no name"},
		{"two of a name", func(l map[string]string) { l["readme.md"] = "" }, "is in it twice"},
		{"listed twice", func(l map[string]string) {
			l["manifest.json"] = strings.Replace(l["manifest.json"], `"README.md"`, `"CITATION.cff"`, 1)
		}, "lists CITATION.cff twice"},
		{"no scenario", func(l map[string]string) { delete(l, "scenario.txt") }, "there is no scenario.txt"},
		{"a scenario of lines", func(l map[string]string) { l["scenario.txt"] += "x\n"; sign(t, l) }, `scenario.txt:6: "x" is no line`},
		{"a scenario twice", func(l map[string]string) { l["scenario.txt"] += "lab: store\n"; sign(t, l) }, `scenario.txt:6: there is a second "lab"`},
		{"another laboratory", func(l map[string]string) {
			l["scenario.txt"] = strings.Replace(l["scenario.txt"], "store", "train", 1)
			sign(t, l)
		}, `is about lab "train"`},
		{"no such result", func(l map[string]string) {
			l["scenario.txt"] = strings.Replace(l["scenario.txt"], "systems: lru", "systems: lru,fifo", 1)
			sign(t, l)
		}, `names the system "fifo", but there is no results/fifo.json`},
		{"results of something else", func(l map[string]string) {
			l["scenario.txt"] = strings.Replace(l["scenario.txt"], "setup: ", "setup: clients=3 ", 1)
			sign(t, l)
		}, "results/lru.json: it is a result of"},
		{"a value that no number can be", func(l map[string]string) {
			l["results/lru.json"] = strings.Replace(l["results/lru.json"], `"values": {`, `"values": {"x": 1e999,`, 1)
			sign(t, l)
		}, "results/lru.json:"},
		{"a bomb", func(l map[string]string) { l["results/bomb.json"] = strings.Repeat(" ", 64<<20) }, "results/bomb.json: it unpacks to more than"},
		{"many files", func(l map[string]string) {
			for i := range 5000 {
				l[fmt.Sprint("x", i)] = ""
			}
		}, "files; a bundle has at most 4096"},
	} {
		list := files(t, data)
		tt.change(list)
		_, _, err := check(t, objects, join(t, list), "test")
		if err == nil || !strings.HasPrefix(err.Error(), "x.zip is a Spillway bundle that cannot be checked: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v; want %q", tt.name, err, tt.want)
		}
	}
	if _, _, err := check(t, training, data, "test"); err != nil {
		t.Error(err)
	}
	_, list, _ := check(t, training, data, "test")
	if list[0].Finding != exec.Uncheckable || !strings.Contains(list[0].Says, `unknown setting "workload"`) { // the page asks the right one
		t.Errorf("%+v", list[0])
	}
	if bundle.Is([]byte("PK\x03\x04 manifest.json spillway-bundle")) || bundle.Is(nil) || bundle.Is(join(t, map[string]string{"manifest.json": "{}"})) {
		t.Error("something else is taken for a bundle")
	}
}

// A paper's bundle is checked run by run, then its claims.
func TestPaper(t *testing.T) {
	paper, err := objects.Paper("ravenstore")
	if err != nil {
		t.Fatal(err)
	}
	var parts []bundle.Part
	for _, r := range paper.Runs() {
		p, err := bundle.Measure(&objects, paper, &r)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	data, _, err := bundle.BindPaper(&objects, paper, order(), parts)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		old, by string // in runs and claims
		want    exec.Finding
	}{
		{"", "", exec.Replayed},
		{`"verdict": "within`, `"verdict": "exact`, exec.Differs},
		{`"published": `, `"published": 9`, exec.Differs},
		{`"ours": `, `"ours": 9`, exec.Differs},
	} {
		list := files(t, data)
		list["claims.json"] = strings.Replace(list["claims.json"], tt.old, tt.by, 1)
		sign(t, list)
		b, err := bundle.Open(join(t, list))
		if err != nil {
			t.Fatal(err)
		}
		o := &exec.BundleRequest{Version: "other"}
		for i := range b.Info().Parts {
			o.Part = i
			v := b.Check(&objects, o, nil, nil)
			want := exec.Replayed
			switch b.Info().Parts[i] {
			case "claims":
				want = tt.want
			case "texts": // of which one has the hashes of all files
				want = map[bool]exec.Finding{true: exec.Agrees}[tt.want != exec.Replayed]
			}
			if v.Finding != want {
				t.Errorf("%q: %+v, want %v", tt.by, v, want)
			}
			if v.Outcome != nil {
				o.Outcomes = append(o.Outcomes, *v.Outcome)
			}
		}
	}
	list := files(t, data)
	list["results/runs.json"] = strings.Replace(list["results/runs.json"], `"values": [
      `, `"values": [
      9`, 1)
	sign(t, list)
	b, err := bundle.Open(join(t, list))
	if err != nil {
		t.Fatal(err)
	}
	if v := b.Check(&objects, &exec.BundleRequest{}, nil, nil); v.Finding != exec.Differs || !strings.HasPrefix(v.Differences[0].Where, "ravenstore.T1 ") {
		t.Errorf("%+v", v)
	}
}

// FuzzOpen opens anything: an error or a bundle, never a panic.
func FuzzOpen(f *testing.F) {
	golden, err := filepath.Glob("../../build/spillway/testdata/*" + bundle.Ext)
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range golden {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(join(f, map[string]string{"manifest.json": `{"format": "spillway-bundle", "version": 1, "lab": "train", "files": [{"path": "scenario.txt"}]}`, "scenario.txt": "lab: train\nsystems: g10\n"}))
	if len(golden) == 0 {
		f.Fatal("there are no golden bundles")
	}
	var empty lab.Lab // with no systems and no papers, so that nothing runs
	f.Fuzz(func(_ *testing.T, data []byte) {
		if b, err := bundle.Open(data); err == nil {
			for i := range b.Info().Parts {
				empty.Name = b.Info().Lab
				_ = b.Check(&empty, &exec.BundleRequest{Part: i}, nil, nil)
			}
			_ = b.Workload()
		}
		_ = bundle.Is(data)
	})
}
