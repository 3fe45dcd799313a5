package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spillway/build/effort"
	"spillway/traces/jsonx"
	"spillway/ui/bundle"
	"spillway/ui/lab/all"
)

// unzip returns what the files of a bundle hold.
func unzip(t *testing.T, name string) map[string]string {
	t.Helper()
	r, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
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

// TestGoldenBundles: what was written once is replayed, and would be written again.
func TestGoldenBundles(t *testing.T) {
	for _, tt := range []struct {
		name  string
		parts int
		args  []string
	}{
		{"train", 2, []string{"lab=train", "system=uvm,g10", "model=bert-base", "batch=16", "gpu_memory=2"}},
		{"store", 2, []string{"lab=store", "system=lru,oracle"}},
		{"file", 2, []string{"lab=train", "system=ideal,g10", "mode=published", "file=" + tiny}},
		{"link", 1, []string{"#v=3&lab=store&workload=networks&clients=1&systems=lru"}},
		{"paper", 13, []string{"--paper", "ravenstore"}},
	} {
		golden := filepath.Join("testdata", tt.name+bundle.Ext)
		fresh := filepath.Join(t.TempDir(), tt.name+bundle.Ext)
		if *update {
			fresh = golden
		}
		if code, _, errs := run(t, append([]string{"bundle", "-o", fresh}, tt.args...)...); code != exitOK {
			t.Fatalf("%s: exit code %d: %s", tt.name, code, errs)
		}
		is, want := unzip(t, fresh), unzip(t, golden)
		if effort.WithExamples() {
			want = nil
		}
		if code, out, errs := run(t, "check", fresh); code != exitOK || !strings.Contains("\n"+out, "\nreplayed: ") {
			t.Errorf("%s: exit code %d: what was just written is checked: %s%s", tt.name, code, out, errs)
		}
		for _, name := range slices.Sorted(maps.Keys(want)) { // links, drawings and descriptions may come to say more
			if (strings.HasPrefix(name, "results/") || strings.HasPrefix(name, "workload/") || name == "claims.json") && is[name] != want[name] {
				t.Errorf("%s: %s is not as it was", tt.name, name)
			}
		}
		code, out, errs := run(t, "check", golden, "--json")
		var c checked
		if err := jsonx.Unmarshal([]byte(out), &c); err != nil {
			t.Fatal(err, errs)
		}
		if code != exitOK || len(c.Damaged) > 0 || len(c.Parts) < tt.parts {
			t.Errorf("%s: exit code %d: %+v", tt.name, code, c)
		}
		for _, p := range c.Parts {
			if p.Finding != "replayed" && p.Part != "texts" && p.Part != "pictures" && !effort.WithExamples() {
				t.Errorf("%s: %+v", tt.name, p)
			}
		}
	}
}

// TestCheck holds what is said about a bundle that is not as it was.
func TestCheck(t *testing.T) {
	golden, err := os.ReadFile("testdata/store" + bundle.Ext)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		data []byte
		code int
		says string
	}{
		{"damaged", bytes.Replace(golden, []byte("PK\x01\x02"), []byte("PK\x01\x03"), 1), exitUsage, "is no bundle"},
		{"cut off", golden[:len(golden)/2], exitUsage, "is no bundle"},
		{"text", []byte("hello"), exitUsage, "is no bundle"},
		{"a byte", flip(t, golden, "results/lru.json"), exitUsage, "damaged    results/lru.json: "},
	} {
		name := filepath.Join(t.TempDir(), "x"+bundle.Ext)
		if err := os.WriteFile(name, tt.data, 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := run(t, "check", name)
		if code != tt.code || !strings.Contains(out+errs, tt.says) {
			t.Errorf("%s: exit code %d, want %d and %q:\n%s%s", tt.name, code, tt.code, tt.says, out, errs)
		}
	}
	// Somebody changed a value, and made the manifest fit.
	forged := filepath.Join("testdata", "forged"+bundle.Ext)
	if *update {
		if err := os.WriteFile(forged, forge(t, "testdata/store"+bundle.Ext, "results/lru.json", `"time_s": `, `"time_s": 9`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, out, _ := run(t, "check", forged)
	// Belady's order is replayed, and the pictures are as long as none is drawn otherwise.
	replayed := 1 + strings.Count(out, "replayed   pictures")
	if code != exitFailed || !strings.Contains(out, "(time_s): recorded 9") || !strings.Contains(out, fmt.Sprintf("differs: %d of 4 parts replayed", replayed)) {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{"bundle", "lab=store"}, "say where to with -o"},
		{[]string{"bundle", "-o", "x", "clients=2"}, "settings need lab=LAB"},
		{[]string{"bundle", "-o", "x", "lab=magic"}, `unknown laboratory "magic"`},
		{[]string{"bundle", "-o", "x", "--paper", "g11"}, `unknown paper "g11"`},
		{[]string{"bundle", "-o", "x", "--paper", "g10", "lab=train"}, "--paper takes no settings"},
		{[]string{"bundle", "-o", "x", "#v=99&lab=train"}, "newer Spillway"},
		{[]string{"bundle", "-o", "x", "#v=3&lab=train&entry=x"}, "is in files; name them with file=PATH"},
		{[]string{"check"}, "name one bundle"},
		{[]string{"check", "nowhere"}, "nowhere"},
	} {
		if code, out, errs := run(t, tt.args...); code != exitUsage || !strings.Contains(out+errs, tt.says) {
			t.Errorf("spillway %v: exit code %d, want %q in: %s%s", tt.args, code, tt.says, out, errs)
		}
	}
}

// TestFormerBundles: what the version before wrote still checks, though a setting came in that the
// names of a paper's runs have, and quantities that results have.
func TestFormerBundles(t *testing.T) {
	for _, name := range []string{"former-paper", "former-store"} {
		code, out, errs := run(t, "check", filepath.Join("testdata", name+bundle.Ext))
		if code != exitOK || !strings.Contains(out, "\nagrees: ") || strings.Contains(out, "differs") {
			t.Errorf("%s: exit code %d: %s%s", name, code, out, errs)
		}
		// Agreeing is not enough for who is strict.
		if code, _, errs := run(t, "check", "--strict", filepath.Join("testdata", name+bundle.Ext)); code != exitFailed || !strings.Contains(errs, "--strict") {
			t.Errorf("%s: exit code %d: %s", name, code, errs)
		}
	}
}

// TestCertificate: one page says what was found, of what, by whom and when.
func TestCertificate(t *testing.T) {
	page, fresh := filepath.Join(t.TempDir(), "c.html"), filepath.Join(t.TempDir(), "store"+bundle.Ext)
	if code, _, errs := run(t, "bundle", "lab=store", "system=lru,oracle", "-o", fresh); code != exitOK {
		t.Fatal(errs)
	}
	for _, tt := range []struct {
		file string
		code int
		says []string
	}{
		{fresh, exitOK, []string{"Verdict: replayed. 4 of 4 parts replayed.", "2026-01-02T03:04:05Z", "workload=training-and-bursts"}},
		{"former-store", exitFailed, []string{"Verdict: agrees.", "<td class=\"ok\">agrees</td>"}},
		{"former-paper", exitFailed, []string{"Verdict: agrees.", "paper ravenstore"}},
	} {
		name := tt.file
		if name != fresh {
			name = filepath.Join("testdata", tt.file+bundle.Ext)
		}
		var out bytes.Buffer
		s := shell{labs: all.Labs, out: &out, errs: &out, program: "spillway 1 go1 linux/amd64", now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }}
		if code := s.command([]string{"check", "--strict", "--certificate", page, name}); code != tt.code {
			t.Errorf("%s: exit code %d: %s", tt.file, code, out.String())
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		of, err := bundle.Open(b)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range append(tt.says, of.Info().Root, "spillway 1 go1 linux/amd64", filepath.Base(name)) {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: the certificate does not say %q:\n%s", tt.file, want, text)
			}
		}
	}
}

// TestForged: whoever changes a picture or a text, and makes the manifest fit, is told where.
func TestForged(t *testing.T) {
	run := func(args ...string) (int, string) {
		var out bytes.Buffer
		s := shell{labs: all.Labs, out: &out, errs: &out, version: "test"}
		return s.command(args), out.String()
	}
	name := filepath.Join(t.TempDir(), "x"+bundle.Ext)
	if code, out := run("bundle", "-o", name, "#v=3&lab=store&workload=networks&clients=1&systems=lru"); code != exitOK {
		t.Fatal(out)
	}
	for _, tt := range []struct {
		file, old, by string
		code          int
		says          string
	}{
		{"README.md", "", "", exitOK, "replayed: 3 of 3 parts replayed"},
		{"figures/time.svg", "</svg>", "<text>WE ARE BEST</text></svg>", exitFailed, "differs    pictures: The same version wrote them"},
		{"figures/time.svg", "</svg>", "<text>WE ARE BEST</text></svg>", exitFailed, "recorded <text>WE ARE BEST</text></svg>, now </svg>"},
		{"README.md", "# A", "# The best", exitFailed, "differs    texts: The same version wrote them"},
		{"scenario.txt", "link: v=", "link: systems=lru,fifo&v=", exitUsage, "cannot be checked pictures: "},
		{"scenario.txt", "link: ", "link: v=3&lab=store&workload=networks&clients=2&systems=lru\nwas: ", exitUsage, "cannot be checked pictures: the link in scenario.txt is of something else"},
	} {
		forged := filepath.Join(t.TempDir(), "x"+bundle.Ext)
		if err := os.WriteFile(forged, forge(t, name, tt.file, tt.old, tt.by), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out := run("check", forged); code != tt.code || !strings.Contains(out, tt.says) {
			t.Errorf("%s: exit code %d, want %d and %q:\n%s", tt.file, code, tt.code, tt.says, out)
		}
	}
}

// planted are secrets of a job: where it ran, whose it is, what its environment holds.
var planted = []string{"hf_PlantedToken", "/srv/anna", "anna-laptop", "train_secret.py", "ACME_KEY"}

// secretive writes a profiler's trace with secrets wherever its user could have put
// them: metadata, arguments, call stacks, names of processes.
func secretive(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"ACME_KEY":"hf_PlantedToken","env":{"HOME":"/srv/anna","HOST":["anna-laptop"]},"traceName":"/srv/anna/job.json",` +
		`"deviceProperties":[{"id":0,"name":"NVIDIA H100 80GB HBM3","totalGlobalMem":85018279936}],"traceEvents":[` +
		`{"name":"process_name","ph":"M","ts":1,"pid":7,"tid":0,"args":{"name":"python train_secret.py on anna-laptop"}}`)
	ts, gpu, c := 1000, 5000, 1
	for step := range 3 {
		begin := ts
		for range 4 {
			fmt.Fprintf(&b, `,{"ph":"X","cat":"python_function","name":"/srv/anna/train_secret.py(12): forward","pid":7,"tid":7,"ts":%d,"dur":45,"args":{"Python id":%d}}`, ts-1, c)
			fmt.Fprintf(&b, `,{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":7,"tid":7,"ts":%d,"dur":40,"args":{"External id":%d,"Input Dims":[[512,512],[512,512]],"Input type":["float","float"],"Call stack":"/srv/anna/train_secret.py","ACME_KEY":"hf_PlantedToken"}}`, ts, c)
			fmt.Fprintf(&b, `,{"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":7,"tid":7,"ts":%d,"args":{"Total Allocated":%d,"Bytes":1048576,"Addr":%d,"Device Id":0,"Device Type":1,"Ev Idx":%d}}`, ts+1, 1<<30+1<<20, 1<<20*(c+1), c)
			fmt.Fprintf(&b, `,{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":7,"tid":7,"ts":%d,"dur":5,"args":{"correlation":%d}}`, ts+10, c)
			fmt.Fprintf(&b, `,{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":%d,"dur":90,"args":{"device":0,"stream":7,"correlation":%d,"comment":"hf_PlantedToken"}}`, gpu, c)
			fmt.Fprintf(&b, `,{"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":7,"tid":7,"ts":%d,"args":{"Total Allocated":%d,"Bytes":-1048576,"Addr":%d,"Device Id":0,"Device Type":1}}`, ts+48, 1<<30, 1<<20*(c+1))
			ts, gpu, c = ts+50, gpu+91, c+1
		}
		fmt.Fprintf(&b, `,{"ph":"X","cat":"user_annotation","name":"ProfilerStep#%d","pid":7,"tid":7,"ts":%d,"dur":%d}`, step, begin-5, ts-begin+6)
		ts += 50
	}
	b.WriteString(`]}`)
	for _, x := range planted {
		if !strings.Contains(b.String(), x) {
			t.Fatalf("%s was not planted", x)
		}
	}
	name := filepath.Join(t.TempDir(), "anna-laptop", "job.json")
	if err := os.Mkdir(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestBundlesHaveNoSecrets: of a recording a bundle has what was made of it, which
// can be checked.
func TestBundlesHaveNoSecrets(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x"+bundle.Ext)
	file := secretive(t)
	for _, choice := range []string{"step=", "step=ProfilerStep#0"} {
		if code, _, errs := run(t, "bundle", "lab=train", "system=ideal,g10", "file="+file, choice, "-o", name); code != exitOK {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		members := unzip(t, name)
		opened, figures := 0, 0
		for member, text := range members {
			opened += strings.Count(member, "workload/")
			figures += strings.Count(member, "figures/")
			for _, x := range planted {
				if strings.Contains(member, x) || strings.Contains(text, x) {
					t.Errorf("%s of the bundle holds %q", member, x)
				}
			}
		}
		if readme := members["README.md"]; !strings.Contains(readme, "Recorded with PyTorch profiler (Kineto), label L1m") || !strings.Contains(readme, "belongs to no known tensor") {
			t.Errorf("README.md does not say how far the recording can be trusted:\n%s", readme)
		}
		if opened != 1 || figures == 0 {
			t.Errorf("%d opened files, %d figures", opened, figures)
		}
		if code, out, errs := run(t, "check", name); code != exitOK || strings.Count(out, "replayed ") < 2 {
			t.Errorf("exit code %d: %s%s", code, out, errs)
		}
	}
}

// TestRunsSayWhatIsKnown: both forms of run say how far a recording can be trusted.
func TestRunsSayWhatIsKnown(t *testing.T) {
	file := secretive(t)
	for _, args := range [][]string{{"run", file}, {"run", file, "--json"}, {"run", "lab=train", "system=g10", "file=" + file}, {"run", "lab=train", "system=g10", "file=" + file, "--json"}} {
		if code, out, errs := run(t, args...); code != exitOK || !strings.Contains(strings.Join(strings.Fields(out), " "), "belongs to no known tensor") {
			t.Errorf("spillway %v: exit code %d: %s%s", args, code, out, errs)
		}
	}
}

// forge returns a bundle with another text in a file, and a manifest that fits.
func forge(t *testing.T, name, file, old, by string) []byte {
	t.Helper()
	list := unzip(t, name)
	list[file] = strings.Replace(list[file], old, by, 1)
	var m map[string]any
	if err := jsonx.Unmarshal([]byte(list["manifest.json"]), &m); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, f := range m["files"].([]any) {
		f := f.(map[string]any)
		name := f["path"].(string)
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(list[name])))
		f["sha256"], f["bytes"] = sum, len(list[name])
		lines.WriteString(sum + "  " + name + "\n")
	}
	m["root"] = fmt.Sprintf("%x", sha256.Sum256([]byte(lines.String())))
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	list["manifest.json"] = string(text)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(list)) {
		f, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(f, list[name])
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

// flip changes a byte in the middle of a file of a zip, as a bad disk does.
func flip(t *testing.T, data []byte, name string) []byte {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		at, err := f.DataOffset()
		if err != nil {
			t.Fatal(err)
		}
		if f.Name == name {
			data = bytes.Clone(data)
			data[at+int64(f.CompressedSize64)/2] ^= 1
			return data
		}
	}
	t.Fatalf("there is no %s", name)
	return nil
}
