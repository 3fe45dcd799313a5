package store

import (
	"encoding/json"
	"testing"

	"spillway/sim/hash/hashtest"
)

// TestFrozen compares with the JSON text that hashes were made of when they were first
// published. Where the two part because a Result learns a new fact, the text stays.
func TestFrozen(t *testing.T) {
	for _, r := range []*Result{{}, hashtest.Filled[Result](t)} {
		want, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := frozen(r); string(got) != string(want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestHashSeesEverything(t *testing.T) { hashtest.Fields(t, Hash, nil) }
