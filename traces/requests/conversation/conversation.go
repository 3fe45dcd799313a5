// Package conversation has 2000 requests of Mooncake's conversation trace: an hour of what users of
// the chat Kimi asked, with the blocks of 512 tokens that their prompts share. No text is in
// it, nor was in the trace.
//
// # Source
//
// kvcache-ai/Mooncake, FAST25-release/traces/conversation_trace.jsonl at 3b5a59413395, published
// with Qin et al., Mooncake, FAST 2025, under the Apache License 2.0 (LICENSE beside this file).
//
// # What was left out
//
// Of 12 031 requests those of one in about six conversations are kept, all of each: a
// conversation is what has the second block in common, because the first is the same in all.
// So what a request finds of its own conversation is as in the trace, the load is a sixth, and
// what lies between its turns is a sixth, too: a cache of some size finds more here than there.
package conversation

import (
	_ "embed"
	"encoding/binary"

	"spillway/sim/serve/load"
	"spillway/sim/unit"
)

// Whole is how many requests the trace has of which these are some.
const Whole = 12031

//go:embed conversation.bin
var packed []byte

// Workload returns the requests. Their times are in steps of a millisecond, as in the trace.
//
// They are packed as varints: the tokens of a block; for each request the milliseconds since the one
// before it, the tokens of prompt and answer, and runs of blocks that follow each other: how
// long each is, and how far its first is from the one that would follow.
func Workload() *load.Workload {
	at := 0
	next := func() int64 {
		v, n := binary.Varint(packed[at:])
		at += max(n, 1)
		return v
	}
	w := &load.Workload{Name: "conversation", Block: int32(next())}
	w.Requests = make([]load.Request, next())
	time := int64(0)
	for i := range w.Requests {
		r := &w.Requests[i]
		time += next()
		*r = load.Request{At: unit.Time(time) * unit.Millisecond, Prompt: int32(next()), Output: int32(next()), After: -1}
		r.Blocks = make([]load.Block, 0, r.Prompt/w.Block)
		for follows := int64(0); len(r.Blocks) < cap(r.Blocks); {
			length := next()
			follows += next()
			for range length {
				r.Blocks = append(r.Blocks, load.Block(follows))
				follows++
			}
		}
	}
	return w
}
