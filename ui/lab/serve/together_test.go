package serve

import (
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/model"
	core "spillway/sim/serve"
	"spillway/traces/handed"
	"spillway/ui/lab"
	"spillway/ui/wire"
)

// Requests and models of one's own are two choices: both run, and both are named.
func TestTogether(t *testing.T) {
	own, err := model.Find("llama3-8b")
	if err != nil {
		t.Fatal(err)
	}
	own.Name, own.Title, own.Layers = "own", "My model", 20
	list := &core.Workload{Name: "l", Block: 16}
	for range 30 {
		list.Requests = append(list.Requests, core.Request{Prompt: 600, Output: 120, After: -1})
	}
	found, err := wire.Marshal(handed.Serving{Models: []handed.Model{{File: "config.json", Arch: own}}, Lists: []*handed.RequestList{{Name: "requests.jsonl", Format: "list", Workload: list}}})
	if err != nil {
		t.Fatal(err)
	}
	l := New()
	f, err := l.Accept(found, nil)
	if err != nil {
		t.Fatal(err)
	}
	entries := f.Entries()
	var alone []string
	for i := range entries {
		if lab.Choosable(entries, &entries[i]) {
			alone = append(alone, entries[i].Name)
		}
	}
	if len(alone) != 1 || alone[0] != "requests.jsonl" {
		t.Fatalf("one is chosen of %q", alone)
	}
	entry := " " + knob.Join([]knob.Pair{{Key: "entry", Text: entries[0].Name}}, "")
	u := setOf(t, &l, entries[0].Set+entry)
	r, _, err := l.Run(u, core.Systems()[0].Key, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, w := range r.Words {
		said[w.Key] = w.Text
	}
	if said["model"] != "My model" || said["workload"] != "requests.jsonl" || !strings.Contains(r.Origin, "config.json") || !strings.Contains(r.About, "prompts of 600") {
		t.Errorf("%v, %s %s", said, r.About, r.Origin)
	}
	if u.Set("model", "llama3-70b"); u.Text("own_model") != "" || u.Text("entry") != "requests.jsonl" {
		t.Errorf("another model was chosen: %s", u)
	}
	for _, x := range []struct{ set, want string }{
		{"own_model=gone" + entry, `hold no "gone"`},
		{"own_model=requests.jsonl" + entry, "is a list of requests, no model"},
		{"own_model=x", "own_model=x is of opened files"},
	} {
		if err := l.Ready(setOf(t, &l, x.set), core.Systems()[0].Key, f); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v", x.set, err)
		}
	}
}
