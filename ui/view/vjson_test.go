package view

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/vugu/vjson"
)

// What stands in the place of Vugu's JSON reads and writes as encoding/json does.
func TestJSON(t *testing.T) {
	for _, v := range []any{true, false, "", "batch", "a \"b\" \\ c/\b\f\n\r\t\x00\x1f", "Grüße, 内存 😀 <&>\u2028", "\xff\xfe"} {
		b, err := vjson.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := json.Marshal(v)
		var is, was any
		if err := json.Unmarshal(b, &is); err != nil {
			t.Fatalf("%q is written as %s: %v", v, b, err)
		}
		_ = json.Unmarshal(want, &was)
		if is != was {
			t.Errorf("%q is written as %s, %s is right", v, b, want)
		}
	}
	for _, text := range objects {
		readsAlike(t, text)
	}
}

// objects are what events may say, and what they may not.
var objects = []string{
	`{"position_id":"0_0_1","event_type":"input","capture":false,"passive":false,"event_summary":{"target":{"value":"16","checked":true},"clientX":-12.5,"timeStamp":1.25e+3,"detail":null}}`,
	`{}`, ` { "a" : [ 1 , "x" , [ ] , { } , null , false ] } `, `{"a":{"b":{"c":[[[[0]]]]}},"a":2}`,
	`{"s":"\"\\\/\b\f\n\r\t\u0041\u00fc\u2028"}`, `{"s":"\ud83d\ude00 😀"}`, `{"s":"\ud83d"}`, `{"s":"\ud83dx"}`, `{"s":"\ude00\ud83d\ude00"}`, `{"s":"\ud83d\u0041"}`, "{\"s\":\"\xff\"}",
	``, `{`, `}`, `[]`, `1`, `null`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1 "b":2}`, `{"a":[1,]}`, `{"a":[1 2]}`, `{"a":"`, `{"a":"\`, `{"a":"\u00`, `{"a":"\x"}`, "{\"a\":\"\n\"}", `{"a":tru}`, `{"a":-}`, `{"a":1}}`, `{a:1}`, `{,}`, `{"a":[,1]}`,
}

// readsAlike compares with encoding/json.
func readsAlike(t *testing.T, text string) {
	t.Helper()
	is, want := map[string]any{}, map[string]any{}
	err, wanted := vjson.Unmarshal([]byte(text), &is), json.Unmarshal([]byte(text), &want)
	if text == "null" {
		return // which is no object, and no error there
	}
	if (err == nil) != (wanted == nil) || err == nil && !reflect.DeepEqual(is, want) {
		t.Errorf("%s is read as %v, %v; encoding/json: %v, %v", text, is, err, want, wanted)
	}
}

func FuzzJSON(f *testing.F) {
	for _, text := range objects {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		is := map[string]any{}
		if vjson.Unmarshal([]byte(text), &is) == nil {
			if b, err := json.Marshal(is); err != nil {
				t.Errorf("%s is read as %v, written %s: %v", text, is, b, err)
			}
		}
	})
}
