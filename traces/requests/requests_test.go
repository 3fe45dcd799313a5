package requests

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"spillway/sim/unit"
	"spillway/traces/handed"
)

var update = flag.Bool("update", false, "write golden files")

// write shows a list as text.
func write(b *strings.Builder, l *handed.RequestList) {
	fmt.Fprintf(b, "%s, timed %v, blocks of %d", l.Format, l.Timed, l.Workload.Block)
	for _, r := range l.Workload.Requests {
		fmt.Fprintf(b, "\n  %v: %d, %d %v", r.At, r.Prompt, r.Output, r.Blocks)
	}
	for _, n := range l.Notes {
		fmt.Fprintf(b, "\n  %s", n)
	}
	b.WriteByte('\n')
}

func samples(t testing.TB) (files []string) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	for i := len(files) - 1; i >= 0; i-- {
		if filepath.Ext(files[i]) == ".golden" {
			files = append(files[:i], files[i+1:]...)
		}
	}
	return files
}

func sample(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Every sample is read as it was, whole, byte by byte and compressed, and is a workload.
func TestSamples(t *testing.T) {
	var b strings.Builder
	seen := map[string]bool{}
	for _, file := range samples(t) {
		data := sample(t, file)
		l, err := Read(filepath.Base(file), bytes.NewReader(data))
		if err != nil || !Sniff(data) {
			t.Errorf("%s: %v, recognized %v", file, err, Sniff(data))
			continue
		}
		if err := l.Workload.Check(); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		seen[l.Format] = true
		var one, slow, packed strings.Builder
		write(&one, l)
		fmt.Fprintf(&b, "%s: %s", filepath.Base(file), one.String())
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		_, _ = w.Write(data)
		_ = w.Close()
		if l, err = Read(filepath.Base(file), iotest.OneByteReader(bytes.NewReader(data))); err == nil {
			write(&slow, l)
		}
		if l, err = Read(filepath.Base(file), &z); err == nil {
			write(&packed, l)
		}
		if slow.String() != one.String() || packed.String() != one.String() {
			t.Errorf("%s: byte by byte\n%scompressed\n%swant\n%s", file, slow.String(), packed.String(), one.String())
		}
	}
	for _, f := range formats {
		if !seen[f.title] {
			t.Errorf("no sample of %s", f.title)
		}
	}
	const golden = "testdata/samples.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := string(sample(t, golden)); b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// malformed are samples with something else in place of a text, and what is said of them.
var malformed = []struct{ file, old, new, want string }{
	{"mooncake.jsonl", `"input_length": 1536, `, ``, `t:2: input_length: is missing`},
	{"mooncake.jsonl", `"output_length": 7`, `"output": 7`, `t:2: output_length: is missing`},
	{"mooncake.jsonl", `{"timestamp": 3000, `, `{`, `t:3: timestamp: is missing`},
	{"mooncake.jsonl", `3000`, `-3`, `t:3: timestamp: want a number without sign or exponent, found "-3, \"input_length\": 600, \"output_length\""`},
	{"mooncake.jsonl", `3000`, `1.`, `t:3: timestamp: "1." is not a time from 0 to 9000000 s`},
	{"mooncake.jsonl", `3000`, `9000000001`, `t:3: timestamp: "9000000001" is not a time from 0 to 9000000 s`},
	{"mooncake.jsonl", `1536`, `0`, `t:2: a prompt of 0 tokens; want 1 to 4194304`},
	{"mooncake.jsonl", `1536`, `4194305`, `t:2: a prompt of 4194305 tokens; want 1 to 4194304`},
	{"mooncake.jsonl", `1536`, `99999999999`, `t:2: input_length: "99999999999" is not a number of tokens`},
	{"mooncake.jsonl", `[0, 1, 3]`, `[0, 1]`, `t:2: hash_ids: has 2 for a prompt of 1536 tokens; want 3, one for each 512 tokens`},
	{"mooncake.jsonl", `[0, 1, 2]`, `[0, 1, 2, 3]`, `t:1: hash_ids: has 4 for a prompt of 1100 tokens; want 3, one for each 512 tokens`},
	{"mooncake.jsonl", `[0, 1, 3]`, `[0, 1, x]`, `t:2: hash_ids: want a number without sign or exponent, found "x]}"`},
	{"mooncake.jsonl", `[0, 1, 3]`, `[0, 1, 3`, `t:2: hash_ids: want ']', found "}"`},
	{"mooncake.jsonl", `[0, 1, 3]`, `[0, 1, 18446744073709551616]`, `t:2: hash_ids: "18446744073709551616" is not a whole number below 2⁶⁴`},
	{"mooncake.jsonl", `3]}`, `3]`, `t:2: want '}', found the end of the line`},
	{"mooncake.jsonl", `3]}`, `3]}}`, `t:2: want nothing after the object, found "}"`},
	{"mooncake.jsonl", `7, "hash_ids": [0, 1, 3]`, `7, "x`, `t:2: the string "x}" is not closed`},
	{"bailian.jsonl", `63.5`, `9000001`, `t:2: timestamp: is beyond 9000000 s`},
	{"azure.csv", `3180,8`, `3180`, `t:3: has 2 fields; the first line has 3`},
	{"azure.csv", `3180,8`, `3180,eight`, `t:3: GeneratedTokens: "eight" is not a number of tokens`},
	{"azure.csv", `3180,8`, `,8`, `t:3: ContextTokens: "" is not a number of tokens`},
	{"azure.csv", `2023-11-17 00`, `2023-13-17 00`, `t:4: TIMESTAMP: "2023-13-17 00:00:00.0000000" is not a time; want it as 2023-11-16 18:17:03.9799600`},
	{"azure.csv", `2023-11-17 00`, `2025-11-17 00`, `t:4: TIMESTAMP: "2025-11-17 00:00:00.0000000" is too far from the first: a list may take 104 days`},
	{"azure.csv", `2023-11-17 00`, `2023-11-14 00`, `t:4: TIMESTAMP: "2023-11-14 00:00:00.0000000" is too far from the first: a list may take 104 days`},
	{"burstgpt.csv", `45.5`, `soon`, `t:3: Timestamp: "soon" is not a time from 0 to 9000000 s`},
	{"vllm.json", `[217, 12, 900]`, `[217, 12]`, `t: input_lens has 2 requests and output_lens 3`},
	{"vllm.json", `[217, 12, 900]`, `[217, "x", 900]`, `t:2: input_lens: request 2 has no length`},
	{"vllm.json", `[217, 12, 900]`, `[217, 0, 900]`, `t: request 2: a prompt of 0 tokens; want 1 to 4194304`},
	{"pairs.json", `[900, 3]`, `[900]`, `t:2: a request without the lengths of its prompt and its answer: want a pair as [217, 202], or an object with prompt_len and output_len`},
	{"pairs.json", `[900, 3]`, `[900, 3`, `t:3: the file ends in the middle`},
	{"objects.json", `{"prompt_len": 12, `, `{`, `t:3: a request without the lengths of its prompt and its answer: want a pair as [217, 202], or an object with prompt_len and output_len`},
	{"lengths.jsonl", `"completion_tokens": 40`, `"completion_tokens": null`, `t:2: completion_tokens: want a number without sign or exponent, found "null}"`},
	{"sharegpt.json", `{"id": "b"`, `7, {"id": "b"`, `t:3: no conversation: want an object with conversations or messages`},
}

func TestMessages(t *testing.T) {
	for _, tt := range malformed {
		whole := string(sample(t, "testdata/"+tt.file))
		doc := strings.Replace(whole, tt.old, tt.new, 1)
		if doc == whole {
			t.Errorf("%s: not in %s", tt.old, tt.file)
		}
		if _, err := Read("t", strings.NewReader(doc)); fmt.Sprint(err) != tt.want {
			t.Errorf("%s instead of %s:\n got %v\nwant %s", tt.new, tt.old, err, tt.want)
		}
	}
	for _, tt := range []struct{ data, want string }{
		{"", "t: the file is empty"},
		{"Dear all,\n", `t: no list of requests to a language model: it begins with "Dear all,"`},
		{"TIMESTAMP,ContextTokens,GeneratedTokens\n", "t: has no requests that were answered"},
		{"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03,5,0\n", "t: has no requests that were answered"},
	} {
		if _, err := Read("t", strings.NewReader(tt.data)); fmt.Sprint(err) != tt.want {
			t.Errorf("%.60q:\n got %v\nwant %s", tt.data, err, tt.want)
		}
	}
	bad := "TIMESTAMP,ContextTokens,GeneratedTokens\n" + strings.Repeat("x,1,1\n", 100)
	if _, err := Read("t", strings.NewReader(bad)); strings.Count(fmt.Sprint(err), "\n")+1 != problems {
		t.Errorf("%v; want %d problems", err, problems)
	}
}

// What is not in order is put in order, what is too late or too much is counted.
func TestLimits(t *testing.T) {
	text := "Timestamp,Request tokens,Response tokens\n50,5,6\n40,7,8\n4000000,1,1\n"
	l, err := Read("t", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if w := l.Workload; len(w.Requests) != 2 || w.Requests[0].Prompt != 7 || w.Requests[1].At != 10*unit.Second || len(l.Notes) != 2 {
		t.Errorf("%+v, %q", w, l.Notes)
	}
	if testing.Short() {
		return
	}
	l, err = Read("t", strings.NewReader("Timestamp,Request tokens,Response tokens\n"+strings.Repeat("1,1,1\n", MaxRequests+3)))
	if err != nil || len(l.Workload.Requests) != MaxRequests || !strings.HasSuffix(l.Notes[0], "; 3 more are not.") {
		t.Errorf("%v, %+v", err, l.Notes)
	}
}

// TestEveryPrefix cuts the samples off everywhere: an error or a list, no crash.
func TestEveryPrefix(t *testing.T) {
	for _, file := range samples(t) {
		data := sample(t, file)
		for n := range data {
			Sniff(data[:n])
			if l, err := Read("t", bytes.NewReader(data[:n])); err == nil && l.Workload.Check() != nil {
				t.Errorf("%s up to %d: %v", file, n, l.Workload.Check())
			}
		}
	}
}

func TestSniff(t *testing.T) {
	for _, s := range []string{"", "{", "[", "[[", "[[1]]", `{"input_length":1}`, `{"traceEvents":[],"input_lens":[]}`, `[{"a":1}]`, "TIMESTAMP,ContextTokens", `{"op":"put","tensor":"x"}`, `{"model_type":"llama"}`, "[1,2]", `[["a","b"]]`} {
		if Sniff([]byte(s)) {
			t.Errorf("%q is taken for a list of requests", s)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, file := range samples(f) {
		f.Add(sample(f, file))
	}
	for _, m := range malformed {
		f.Add([]byte(strings.Replace(string(sample(f, "testdata/"+m.file)), m.old, m.new, 1)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		Sniff(data)
		l, err := Read("t", bytes.NewReader(data))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "t") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		if err := l.Workload.Check(); err != nil {
			t.Errorf("read, but %v", err)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 0))
	var text bytes.Buffer
	for i := range 3000 {
		blocks := 1 + r.IntN(40)
		fmt.Fprintf(&text, `{"timestamp": %d, "input_length": %d, "output_length": %d, "hash_ids": [0`, i*300, 512*blocks, 1+r.IntN(500))
		for k := range blocks - 1 {
			fmt.Fprintf(&text, ", %d", 40*i+k+1)
		}
		text.WriteString("]}\n")
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read("t", bytes.NewReader(text.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}
