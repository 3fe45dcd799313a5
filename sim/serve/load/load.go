// Package load has what services of language models are asked: requests, by the lengths of prompts and answers.
package load

import (
	"fmt"

	"spillway/sim/unit"
)

// A Block is the name of a part of a prompt and of all that comes before it: two requests that have the
// same block have the same text up to its end.
type Block uint32

// A Request is a prompt that gets an answer.
type Request struct {
	// At is when it arrives, from the beginning. Of one that follows another it is the earliest.
	At unit.Time
	// Prompt and Output are tokens; both are at least 1.
	Prompt, Output int32
	// Blocks name the text from its beginning, Workload.Block tokens each. What lies behind the prompt is of
	// the answer: the next turn of a conversation begins with it. A part of a block has no name.
	Blocks []Block
	// After is the request whose end this one waits for, and Think how long it waits then; -1 is none. It is an
	// earlier one.
	After int32
	Think unit.Time
}

// A Workload is requests in the order of their arrival. Nobody changes it.
type Workload struct {
	Name     string
	Block    int32 // tokens of a block, 0 where requests have none
	Requests []Request
	// Users makes it a closed loop: so many requests are under way at most, and whose answer is there sends the next one, when Think
	// has passed: first all in their order that follow none, then those that follow others, in the order of their turn. So
	// conversations go on one turn each. Times of arrival say nothing then. 0: requests come when they come.
	Users int32
	Think unit.Time
}

// The most that a workload may have; sums of tokens then stay within 64 bits, and lists of blocks within the memory of a tab.
const (
	MostRequests = 1 << 20
	MostTokens   = 1 << 22                   // of a prompt, and of an answer
	MostBlocks   = 1 << 26                   // of all requests together
	Latest       = 40 * 86_400 * unit.Second // when a request arrives, and what one waits for another
)

// Check says what contradicts, by the number of the request from 1.
func (w *Workload) Check() error {
	if len(w.Requests) == 0 || len(w.Requests) > MostRequests {
		return fmt.Errorf("%d requests are not between 1 and %d", len(w.Requests), MostRequests)
	}
	if w.Block < 0 || w.Block > MostTokens || w.Users < 0 || w.Think < 0 || w.Think > Latest {
		return fmt.Errorf("blocks of %d tokens, %d users who think for %v", w.Block, w.Users, w.Think)
	}
	last, blocks := unit.Time(0), int64(0)
	for i := range w.Requests {
		if err := w.check(i, last); err != nil {
			return fmt.Errorf("request %d: %w", i+1, err)
		}
		if blocks += int64(len(w.Requests[i].Blocks)); blocks > MostBlocks {
			return TooManyBlocks(i, w.Block)
		}
		if w.Requests[i].After < 0 {
			last = w.Requests[i].At
		}
	}
	return nil
}

// TooManyBlocks says that the prompts up to a request, from 0, have more than MostBlocks.
func TooManyBlocks(request int, block int32) error {
	return fmt.Errorf("the first %d requests have more than %d blocks of %d tokens; take fewer requests, shorter prompts, or fewer turns", request+1, MostBlocks, block)
}

func (w *Workload) check(i int, last unit.Time) error {
	r := &w.Requests[i]
	switch {
	case r.Prompt < 1 || r.Prompt > MostTokens:
		return fmt.Errorf("a prompt of %d tokens is not between 1 and %d", r.Prompt, MostTokens)
	case r.Output < 1 || r.Output > MostTokens:
		return fmt.Errorf("an answer of %d tokens is not between 1 and %d", r.Output, MostTokens)
	case r.At < 0 || r.At > Latest:
		return fmt.Errorf("it arrives at %v, which is not between 0 and %v", r.At, Latest)
	case r.At < last && r.After < 0:
		return fmt.Errorf("it arrives at %v, before the one before it", r.At)
	case r.Think < 0 || r.Think > Latest:
		return fmt.Errorf("it waits %v", r.Think)
	case int(r.After) >= i || r.After < -1:
		return fmt.Errorf("it follows request %d, which is not an earlier one", r.After+1)
	case len(r.Blocks) > 0 && w.Block == 0:
		return fmt.Errorf("it has blocks, and nobody says how long they are")
	case int64(len(r.Blocks))*int64(w.Block) > int64(r.Prompt)+int64(r.Output):
		return fmt.Errorf("%d blocks of %d tokens are more than its %d tokens", len(r.Blocks), w.Block, r.Prompt+r.Output)
	}
	return nil
}

// Tokens are all tokens of prompts and of answers.
func (w *Workload) Tokens() (prompts, answers int64) {
	for i := range w.Requests {
		prompts += int64(w.Requests[i].Prompt)
		answers += int64(w.Requests[i].Output)
	}
	return prompts, answers
}
