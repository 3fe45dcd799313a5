package conversation

import (
	"bytes"
	"encoding/binary"
	"flag"
	"os"
	"slices"
	"testing"

	"spillway/sim/serve/load"
	"spillway/sim/unit"
	"spillway/traces/requests"
)

var from = flag.String("from", "", "Mooncake's conversation_trace.jsonl, to write conversation.bin of it")

// count is how many requests are kept.
const count = 2000

// kept are the requests of some conversations, with their blocks numbered anew.
func kept(all []load.Request) (list []load.Request) {
	names := map[load.Block]load.Block{}
	for _, r := range all {
		conversation := load.Block(0)
		if len(r.Blocks) > 1 {
			conversation = r.Blocks[1]
		} else if len(r.Blocks) > 0 {
			conversation = load.Block(r.Prompt) // a short prompt is one by itself
		}
		if mixed := conversation * 2654435761 >> 16; mixed%59 >= 10 || len(list) == count {
			continue
		}
		blocks := make([]load.Block, len(r.Blocks))
		for i, b := range r.Blocks {
			n, ok := names[b]
			if !ok {
				n = load.Block(len(names))
				names[b] = n
			}
			blocks[i] = n
		}
		r.Blocks = blocks
		list = append(list, r)
	}
	return list
}

func write(block int32, list []load.Request) []byte {
	var b []byte
	put := func(v int64) { b = binary.AppendVarint(b, v) }
	put(int64(block))
	put(int64(len(list)))
	last := list[0].At
	for _, r := range list {
		put(int64((r.At - last) / unit.Millisecond))
		last = r.At
		put(int64(r.Prompt))
		put(int64(r.Output))
		follows := int64(0)
		for i := 0; i < len(r.Blocks); {
			n := 1
			for i+n < len(r.Blocks) && r.Blocks[i+n] == r.Blocks[i+n-1]+1 {
				n++
			}
			put(int64(n))
			put(int64(r.Blocks[i]) - follows)
			follows, i = int64(r.Blocks[i])+int64(n), i+n
		}
	}
	return b
}

// The file has 2000 sound requests, as the trace has them where that is at hand.
func TestWorkload(t *testing.T) {
	if *from != "" {
		data, err := os.ReadFile(*from)
		if err != nil {
			t.Fatal(err)
		}
		l, err := requests.Read(*from, bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		list := kept(l.Workload.Requests)
		packed = write(l.Workload.Block, list)
		if err := os.WriteFile("conversation.bin", packed, 0o644); err != nil {
			t.Fatal(err)
		}
		for i, r := range Workload().Requests {
			if x := list[i]; r.At != x.At-list[0].At || r.Prompt != x.Prompt || r.Output != x.Output || !slices.Equal(r.Blocks, x.Blocks) {
				t.Fatalf("request %d: %+v, want %+v", i, r, x)
			}
		}
	}
	w := Workload()
	if err := w.Check(); err != nil || len(w.Requests) != count || w.Block != 512 {
		t.Fatalf("%d requests, %v", len(w.Requests), err)
	}
	if len(packed) > 200_000 {
		t.Errorf("%d bytes", len(packed))
	}
	prompts, answers := w.Tokens()
	seen := map[load.Block]bool{}
	hits, blocks := 0, 0
	for _, r := range w.Requests {
		blocks += len(r.Blocks)
		for i := 0; i < len(r.Blocks) && seen[r.Blocks[i]]; i++ {
			hits++
		}
		for _, b := range r.Blocks {
			seen[b] = true
		}
	}
	t.Logf("%d bytes, %d and %d tokens in the mean, %v, %.3f of %d blocks were there before", len(packed), prompts/count, answers/count, w.Requests[count-1].At, float64(hits)/float64(blocks), blocks)
}
