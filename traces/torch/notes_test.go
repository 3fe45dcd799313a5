package torch

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"spillway/traces/recording"
)

// TestFewNotes: files of many runs get one note each, not one for each two of them.
func TestFewNotes(t *testing.T) {
	docs := map[string]string{}
	var names, want []string
	for i := range 4 {
		e, k := fmt.Sprintf("et%d.json", i), fmt.Sprintf("trace%d.json", i)
		docs[e] = strings.Replace(tinyET, `"pid": 5`, fmt.Sprintf(`"pid": %d`, 100+i), 1)
		docs[k] = strings.Replace(tinyTrace(), `"name": "G"`, fmt.Sprintf(`"name": "G%d"`, i), 1)
		names = append(names, e, k)
		want = append(want, fmt.Sprintf("et%d.json was joined with none of 4 other files. With trace0.json for example: they are of different processes: the profiler's trace of 5, the ExecutionTrace of %d.", i, 100+i))
	}
	recs, notes := open(t, docs, names...)
	if len(recs) != 8 || !reflect.DeepEqual(notes, want) {
		t.Errorf("%d recordings, %q; want %q", len(recs), notes, want)
	}
}

// TestNoAddresses: an ExecutionTrace and a snapshot without the file between them.
func TestNoAddresses(t *testing.T) {
	_, notes := open(t, tiny, "et.json", "snapshot.json")
	want := []string{"et.json and snapshot.json were not joined: an ExecutionTrace has no addresses of memory; add the profiler's trace of the same run, recorded with profile_memory=True."}
	if !reflect.DeepEqual(notes, want) {
		t.Errorf("notes are %q, want %q", notes, want)
	}
}

// TestPlaces: what is wrong with a file that is nearly one of PyTorch's is said with
// its place.
func TestPlaces(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"schema": "1.1.1", "pid": 1, "nodes": null}`, `x: line 1 (byte 39): "nodes" of this ExecutionTrace is no list`},
		{`{"schemaVersion": 1, "traceEvents": null}`, `x: this is no whole PyTorch trace: line 1 (byte 36): "traceEvents" is no list`},
		{`{"user": ` + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001) + `, "traceEvents": []}`, `x: this cannot be read as a recording of PyTorch: line 1 (byte 10008): brackets nest deeper than 10000 levels`},
	} {
		_, _, err := Open([]File{content("x", []byte(tt.text))}, nil)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

// TestCopies: of files with the same content one is read, and one note says so.
func TestCopies(t *testing.T) {
	docs := map[string]string{"a.json": tinyTrace(), "b.json": tinyTrace(), "c.json": tinyTrace(), "d.json": strings.Replace(tinyTrace(), "aten::mm", "aten::nn", 1)}
	recs, notes := open(t, docs, "a.json", "d.json", "b.json")
	if want := []string{"b.json has the same content as a.json and was left out."}; len(recs) != 2 || !reflect.DeepEqual(notes, want) {
		t.Errorf("%d recordings, %q; want %q", len(recs), notes, want)
	}
	recs, notes = open(t, docs, "a.json", "b.json", "c.json")
	if want := []string{"2 files have the same content as a.json and were left out (b.json, c.json)."}; len(recs) != 1 || !reflect.DeepEqual(notes, want) {
		t.Errorf("%d recordings, %q; want %q", len(recs), notes, want)
	}
}

// TestSaidOnce: a note is with a recording or with all files, and only once.
func TestSaidOnce(t *testing.T) {
	r := &recording.Recording{Notes: []string{"a", "b", "a"}}
	o := opener{recs: []*recording.Recording{r}, notes: []string{"c", "a", "c", "d"}}
	o.sayOnce()
	if !reflect.DeepEqual(r.Notes, []string{"a", "b"}) || !reflect.DeepEqual(o.notes, []string{"c", "d"}) {
		t.Errorf("%q and %q", r.Notes, o.notes)
	}
}
