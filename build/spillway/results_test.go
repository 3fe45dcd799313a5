package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spillway/ui/exec"
	"spillway/ui/headless"
	"spillway/ui/lab/all"
	"spillway/ui/model/calls"
	"spillway/ui/model/session"
)

// Results as JSON are read again, of the page and of the command, as they were before each
// run had values and a hash and where one system's were no list, too.
func TestCheckResults(t *testing.T) {
	_, now, _ := run(t, "run", "lab=store", "workload=pairs", "pairs=3", "system=lru,oracle", "--json")
	var list []map[string]any
	if err := json.Unmarshal([]byte(now), &list); err != nil {
		t.Fatal(err)
	}
	text := func(v any) string {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	changed := func(key string, v any) string {
		var other map[string]any
		if err := json.Unmarshal([]byte(text(list[0])), &other); err != nil {
			t.Fatal(err)
		}
		other[key] = v
		return text([]any{other})
	}
	values := list[0]["values"].(map[string]any)
	off := func(by float64) map[string]any {
		m := map[string]any{}
		maps.Copy(m, values)
		m["time_s"] = values["time_s"].(float64) * (1 + by)
		return m
	}
	hashless := func(by float64) string {
		var one []map[string]any
		if err := json.Unmarshal([]byte(changed("values", off(by))), &one); err != nil {
			t.Fatal(err)
		}
		one[0]["hash"] = "another"
		return text(one)
	}
	l, err := all.Find("store")
	if err != nil {
		t.Fatal(err)
	}
	u, err := l.Read("workload=pairs pairs=3")
	if err != nil {
		t.Fatal(err)
	}
	_, raw, err := l.Run(u, "lru", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	result, err := l.JSON(raw)
	if err != nil {
		t.Fatal(err)
	}
	second := `{"format":"spillway-results","version":2,"lab":"store","link":"","setup":"workload=pairs pairs=3","workload":"","origin":"","runs":[` +
		`{"system":"lru","title":"LRU","status":"ok","result":` + string(result) + `},{"system":"oracle","title":"x","status":"failed","error":"x"}]}`
	for _, tt := range []struct {
		name, text string
		code       int
		want       string
	}{
		{"run-2", now, exitOK, "replayed: 2 of 2 parts replayed"},
		{"run-1", text(list[0]), exitOK, "replayed: 1 of 1 parts replayed"},
		{"page-3", saved(t), exitOK, "replayed: "},
		{"page-2", second, exitOK, "replayed: 1 of 1 parts replayed"},
		{"page-2 changed", strings.Replace(second, `"Name"`, `"Name2"`, 1), exitFailed, "differs    lru"},
		{"a digit", hashless(1e-14), exitOK, "agrees: 0 of 1"},
		{"off", hashless(1e-3), exitFailed, "time_s: recorded "},
		{"another hash", changed("hash", "x"), exitOK, "agrees"},
		{"a newer one", `{"format":"spillway-results","version":4,"lab":"store","runs":[]}`, exitUsage, "version 4 of results; this program reads 2 to 3"},
		{"of a file", changed("setup", "entry=mine"), exitUsage, `it ran a file, "mine"`},
		{"nothing", `{"a":1}`, exitUsage, "is no bundle"},
		{"a list of nothing", `[1]`, exitUsage, "is no bundle"},
	} {
		file := filepath.Join(t.TempDir(), "results.json")
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out, errs := run(t, "check", file); code != tt.code || !strings.Contains(out+errs, tt.want) {
			t.Errorf("%s: exit code %d, want %d and %q: %s%s", tt.name, code, tt.code, tt.want, out, errs)
		}
	}
}

// saved is what the page saves of an object store.
func saved(t *testing.T) string {
	t.Helper()
	l, err := all.Find("store")
	if err != nil {
		t.Fatal(err)
	}
	n, err := headless.Show(l, nil, "v=4-by-hand&lab=store&workload=pairs&pairs=3&systems=lru,oracle")
	if err != nil {
		t.Fatal(err)
	}
	h := &raws{bench: exec.Executor{Lab: l}}
	page := session.New([]session.Tab{{Name: l.Name, Title: l.Title}}, n.Link(), h)
	page.Enter(n.Info, "")
	h.work(page)
	text := ""
	page.Output.Export("", func(data, problem string) { text = data + problem })
	h.work(page)
	return text
}

// raws is a session's host that does jobs at once.
type raws struct {
	bench exec.Executor
	jobs  []*exec.Job
}

func (h *raws) Start(j *exec.Job, _ calls.Priority) { h.jobs = append(h.jobs, j) }
func (*raws) Stop([]int)                            {}
func (*raws) Raise(int, calls.Priority)             {}
func (*raws) Recorded(string)                       {}
func (*raws) Answered(string)                       {}

func (*raws) Fetch(string, bool)        {}
func (*raws) Stored(string) string      { return "" }
func (*raws) Store(string, string) bool { return false }

func (h *raws) work(n *session.Session) {
	for len(h.jobs) > 0 {
		a := h.bench.Do(h.jobs[0], nil)
		h.jobs = h.jobs[1:]
		n.Answer(&a)
	}
}
